// What the conformance suite drives as "the client": codemode in front of the suite's server, with a program that calls
// what the scenario is about. The suite appends the server's URL and names the scenario in MCP_CONFORMANCE_SCENARIO.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const programs = {
  tools_call: 'async () => srv.add_numbers({ a: 5, b: 3 })',
  'sse-retry': 'async () => srv.test_reconnection({})',
  'elicitation-sep1034-client-defaults': 'async () => srv.test_client_elicitation_defaults({})',
};

const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';

// A person who logs in: opens the address that codemode prints, and follows it back.
async function login(env) {
  const auth = spawn(process.env.CODEMODE, ['auth', '--config', config, '--timeout', '15s', 'srv'], { env, stdio: ['ignore', 'inherit', 'pipe'] });
  let printed = '';
  auth.stderr.on('data', async (part) => {
    printed += part;
    const address = /^ {2}(http\S+)\n/m.exec(printed)?.[1];
    if (!address) return;
    printed = '';
    await fetch(address);
  });
  const [code] = await once(auth, 'exit');
  if (code !== 0) console.error(`codemode auth: exit code ${code} ${printed}`);
}

const dir = mkdtempSync(join(tmpdir(), 'conformance-'));
const config = join(dir, 'mcp.json');
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const oauth = context.client_id ? { clientId: context.client_id, clientSecret: context.client_secret } : undefined;
writeFileSync(config, JSON.stringify({ mcpServers: { srv: { url: process.argv.at(-1), oauth } } }));
const env = { ...process.env, XDG_CACHE_HOME: dir, XDG_CONFIG_HOME: dir };
if (scenario.startsWith('auth/')) await login(env);
const client = new Client(
  { name: 'conformance', version: '1.0.0' },
  { capabilities: { elicitation: { form: { applyDefaults: true } } } },
);
client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: {} }));
await client.connect(
  new StdioClientTransport({
    command: process.env.CODEMODE,
    args: ['serve', '--config', config],
    env,
    stderr: 'inherit',
  }),
);
const program = programs[scenario] ?? (scenario.startsWith('auth/') ? 'async () => srv.test_tool({})' : 'async () => Object.keys(srv)');
console.log(JSON.stringify(await client.callTool({ name: 'code', arguments: { code: program } })));
await client.close();
rmSync(dir, { recursive: true });
