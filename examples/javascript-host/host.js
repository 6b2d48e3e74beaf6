// The host of the seed: two users, three orders, and a model that writes the arithmetic. The model here is the SDK's mock,
// so that it needs no key. Everything under its tool call is real.
import { generateText, isStepCount, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { aiTools, createCodeTool } from '@cloudflare/codemode/ai';
import { z } from 'zod';

const users = [
  { id: 'u1', name: 'Ada' },
  { id: 'u2', name: 'Grace' },
];

const orders = [
  { id: 'o1', userId: 'u1', total: 42, status: 'shipped' },
  { id: 'o2', userId: 'u1', total: 7, status: 'pending' },
  { id: 'o3', userId: 'u2', total: 100, status: 'shipped' },
];

// What a model wrote.
const program = `async () => {
  const orders = await codemode.listOrders({ userId: 'u1' })

  return orders
    .filter((order) => order.status === 'shipped')
    .reduce((total, order) => total + order.total, 0)
}`;

const shopTools = (log) => ({
  listUsers: tool({
    description: 'Every user this host knows about.',
    inputSchema: z.object({}),
    execute: async () => users,
  }),
  listOrders: tool({
    description: 'Orders belonging to one user.',
    inputSchema: z.object({ userId: z.string().describe('The id of the user whose orders to return.') }),
    execute: async ({ userId }) => {
      log(`listOrders ran in the host process for ${userId}`);
      return orders.filter((order) => order.userId === userId);
    },
  }),
});

const usage = { inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 0, text: 0, reasoning: 0 } };

function mockModel(code) {
  return new MockLanguageModelV4({
    doGenerate: [
      {
        content: [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'codemode', input: JSON.stringify({ code }) }],
        finishReason: { unified: 'tool-calls', raw: 'tool_use' },
        usage,
        warnings: [],
      },
      {
        content: [{ type: 'text', text: 'Ada has 42 in shipped orders.' }],
        finishReason: { unified: 'stop', raw: 'end_turn' },
        usage,
        warnings: [],
      },
    ],
  });
}

/**
 * Asks the question and logs what happens: the tool that ran, what the model read, and its answer.
 * @param {{execute: Function}} executor
 * @param {(line: string) => void} log
 * @param {string} [code] what the model writes
 */
export async function ask(executor, log, code = program) {
  const codemode = createCodeTool({ tools: [aiTools(shopTools(log))], executor });
  const model = mockModel(code);
  const result = await generateText({
    model,
    tools: { codemode },
    stopWhen: isStepCount(4),
    prompt: 'What did Ada spend on shipped orders?',
  });
  const read = model.doGenerateCalls[1].prompt.at(-1).content[0].output;
  log(JSON.stringify(read.value));
  log(result.text);
}
