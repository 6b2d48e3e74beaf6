// A real MCP client: connects the TypeScript SDK to a stdio server, walks through the steps it reads as JSON on standard
// input, and prints what each step gave, as one JSON object a line.
//
//   {"command": "codemode", "args": ["serve", …], "env": {…}, "steps": [
//     {"do": "listUntil", "texts": ["get_sum:"], "ms": 5000}, {"do": "call", "tool": "code", "arguments": {…}, "cancelAfterMs": 200},
//     {"do": "kill", "match": "server-memory"}, {"do": "waitForListChanged", "ms": 5000}, {"do": "notifications"},
//     {"do": "write", "file": "mcp.json", "text": "…"}, {"do": "restart"}], "answer": {"action": "accept", …}}
//
// With an answer the client can be asked, and gives that.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Every process whose ancestors include root, read from /proc.
function descendants(root) {
  const parents = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // it ended while we looked
    }
  }
  const under = (pid) => {
    for (let p = parents.get(pid); p; p = parents.get(p)) if (p === root) return true;
    return false;
  };
  return [...parents.keys()].filter(under);
}

function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

const request = JSON.parse(readFileSync(0, 'utf8'));
const seen = { listChanged: 0, progress: 0, errors: [], asked: [] };
let transport;
let client;
async function connect() {
  transport = new StdioClientTransport({
    command: request.command,
    args: request.args,
    env: { ...process.env, ...request.env },
    stderr: 'inherit',
  });
  client = new Client({ name: 'codemode-e2e', version: '1.0.0' }, { capabilities: request.answer ? { elicitation: {} } : {} });
  // The SDK takes an answer at once and a notification a microtask later, so that progress which it reads together with the answer
  // that follows is for an unknown token. That it comes before is held on the wire, in package mcpserver.
  const late = 'Received a progress notification for an unknown token';
  client.onerror = (error) => { if (!String(error).includes(late)) seen.errors.push(String(error)); };
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    seen.listChanged++;
  });
  if (request.answer)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      seen.asked.push(params.message);
      return request.answer;
    });
  await client.connect(transport);
}

// The end of the server, and what of its processes outlives it.
async function disconnect() {
  const children = descendants(transport.pid);
  await client.close();
  for (let waited = 0; waited < 8000 && children.some((child) => commandLine(child) !== ''); waited += 50) await sleep(50);
  return children.map(commandLine).filter((line) => line !== '');
}

const actions = {
  // Lists until the tool's description has every text, and none that it is to be without, since servers become ready one after the other.
  async listUntil(step) {
    for (let waited = 0; ; waited += 50) {
      const list = await client.listTools();
      const description = list.tools[0]?.description ?? '';
      const settled = step.texts.every((text) => description.includes(text)) && !step.without?.some((text) => description.includes(text));
      if (waited >= step.ms || settled) return list;
      await sleep(50);
    }
  },
  async call(step) {
    const options = { onprogress: () => seen.progress++ };
    if (step.cancelAfterMs) options.signal = AbortSignal.timeout(step.cancelAfterMs);
    try {
      return await client.callTool({ name: step.tool, arguments: step.arguments }, undefined, options);
    } catch (error) {
      return { threw: error.message, code: error.code };
    }
  },
  async kill(step) {
    const killed = descendants(transport.pid).filter((pid) => commandLine(pid).includes(step.match));
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    return { killed: killed.length };
  },
  async waitForListChanged(step) {
    for (let waited = 0; seen.listChanged === 0 && waited < step.ms; waited += 20) await sleep(20);
    const changed = seen.listChanged;
    seen.listChanged = 0;
    return { changed };
  },
  async write(step) {
    writeFileSync(step.file, step.text);
    return {};
  },
  async restart() {
    const left = await disconnect();
    await connect();
    return { left };
  },
  async children() {
    return { processes: descendants(transport.pid).map(commandLine) };
  },
  async notifications() {
    return { ...seen, server: client.getServerVersion(), instructions: client.getInstructions() };
  },
};

await connect();
for (const step of request.steps) console.log(JSON.stringify(await actions[step.do](step)));
console.log(JSON.stringify({ left: await disconnect() }));
