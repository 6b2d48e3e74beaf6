// The other clients that people have, each through the same few steps: what is there, one program, one that fails, one
// resource, one prompt. Prints one JSON object.
//
//   node clients.mjs sdk2|sdk2-auto|ai-sdk '{"command": "codemode", "args": […], "env": {…}}'   or   '{"url": "http://…"}'
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const program = 'async () => { console.log("hi"); return everything.get_sum({ a: 40, b: 2 }) }';
const failing = 'async () => everything.get_sum({ a: 1, b: "two" })';
const text = (result) => result.content.map((block) => block.text).join('\n');
const info = { name: 'codemode-e2e', version: '1.0.0' };

// The TypeScript SDK 2.x: it speaks the revisions with a handshake, unless it is told to look for those without.
async function sdk(server, options) {
  const client = new Client(info, options);
  await client.connect(server.url ? new StreamableHTTPClientTransport(new URL(server.url)) : new StdioClientTransport({ ...server, stderr: 'inherit' }));
  const call = (code) => client.callTool({ name: 'code', arguments: { code } });
  const seen = {
    version: client.getNegotiatedProtocolVersion(),
    tools: (await client.listTools()).tools.map((tool) => tool.name),
    program: text(await call(program)),
    failing: await call(failing),
    resources: (await client.listResources()).resources.map((resource) => resource.uri),
    prompts: (await client.listPrompts()).prompts.map((prompt) => prompt.name),
    prompt: (await client.getPrompt({ name: 'everything.simple-prompt' })).messages,
  };
  seen.resource = (await client.readResource({ uri: seen.resources[0] })).contents;
  await client.close();
  return seen;
}

// Vercel's AI SDK: it looks for the newest revision by itself.
async function aiSDK(server) {
  const transport = server.url ? { type: 'http', url: server.url } : new Experimental_StdioMCPTransport({ ...server, stderr: 'inherit' });
  const client = await createMCPClient({ transport });
  const { code } = await client.tools();
  const call = (source) => code.execute({ code: source }, { toolCallId: '1', messages: [] });
  const seen = {
    version: client.protocolVersion,
    tools: Object.keys(await client.tools()),
    program: text(await call(program)),
    failing: await call(failing),
    resources: (await client.listResources()).resources.map((resource) => resource.uri),
    prompts: (await client.experimental_listPrompts()).prompts.map((prompt) => prompt.name),
    prompt: (await client.experimental_getPrompt({ name: 'everything.simple-prompt' })).messages,
  };
  seen.resource = (await client.readResource({ uri: seen.resources[0] })).contents;
  await client.close();
  return seen;
}

const clients = {
  sdk2: (server) => sdk(server, {}),
  'sdk2-auto': (server) => sdk(server, { versionNegotiation: { mode: 'auto' } }),
  'ai-sdk': aiSDK,
};
const [, , name, server] = process.argv;
console.log(JSON.stringify(await clients[name](JSON.parse(server))));
