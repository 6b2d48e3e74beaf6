// A login as a user has it: an authorization server of our own here, `codemode serve --http` that takes its tokens, and the
// TypeScript SDK's client, which finds the one through the other. Prints one JSON object.
//
//   node oauth.mjs sdk1|sdk2 DIRECTORY '{"command": …, "args": […]}'   with the codemode binary in CODEMODE
import { spawn } from 'node:child_process';
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import * as sdk2 from '@modelcontextprotocol/client';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [, , version, dir, upstream] = process.argv;
const sdk = version === 'sdk2' ? sdk2 : { Client, StreamableHTTPClientTransport, UnauthorizedError };
const base64url = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

// The authorization server: who registers may log in, and is alice.
let issuer;
let key;
const rotate = () => (key = { id: randomUUID(), ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) });
rotate();
const token = (claims) => {
  const now = Math.floor(Date.now() / 1000);
  const text = `${base64url({ alg: 'ES256', typ: 'at+jwt', kid: key.id })}.${base64url({ iss: issuer, sub: 'alice', iat: now, exp: now + 600, ...claims })}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key: key.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
};
const codes = new Map();
const asked = [];
const answers = {
  'GET /.well-known/oauth-authorization-server': () => ({
    issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, registration_endpoint: `${issuer}/register`, jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'], grant_types_supported: ['authorization_code', 'refresh_token'], code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
  }),
  'GET /keys': () => ({ keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: key.id, use: 'sig', alg: 'ES256' }] }),
  'POST /register': (body) => ({ ...JSON.parse(body), client_id: 'registered' }),
  'POST /token': (body) => {
    const form = new URLSearchParams(body);
    asked.push(form.get('grant_type'));
    const { challenge, scope } = form.get('grant_type') === 'refresh_token' ? { scope: 'mcp' } : codes.get(form.get('code'));
    if (challenge && challenge !== createHash('sha256').update(form.get('code_verifier')).digest('base64url')) throw new Error('another verifier');
    return { access_token: token({ aud: form.get('resource'), scope }), token_type: 'Bearer', expires_in: 600, refresh_token: 'again' };
  },
};
const authority = createServer(async (request, response) => {
  const url = new URL(request.url, issuer);
  let body = '';
  for await (const part of request) body += part;
  if (url.pathname === '/authorize') {
    const code = randomUUID();
    codes.set(code, { challenge: url.searchParams.get('code_challenge'), scope: url.searchParams.get('scope') });
    response.writeHead(302, { location: `${url.searchParams.get('redirect_uri')}?code=${code}&state=${url.searchParams.get('state') ?? ''}` }).end();
    return;
  }
  const answer = answers[`${request.method} ${url.pathname}`];
  response.writeHead(answer ? (url.pathname === '/register' ? 201 : 200) : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer?.(body) ?? {}));
});
authority.listen(0, '127.0.0.1');
await once(authority, 'listening');
issuer = `http://127.0.0.1:${authority.address().port}`;

// codemode has to know the address that clients have for it, so its port is looked for first.
const free = createServer().listen(0, '127.0.0.1');
await once(free, 'listening');
const { port } = free.address();
free.close();
await once(free, 'close');
const resource = `http://127.0.0.1:${port}/mcp`;
const config = join(dir, 'mcp.json');
writeFileSync(config, JSON.stringify({
  mcpServers: { everything: JSON.parse(upstream) },
  codemode: {
    http: { oauth: { issuers: issuer, resource, scopes: ['mcp'] } },
    audit: { file: join(dir, 'runs.jsonl') },
    views: [{ name: 'people', claims: { sub: 'alice' } }],
  },
}));
const codemode = spawn(process.env.CODEMODE, ['serve', '--config', config, '--http', `127.0.0.1:${port}`], { stdio: ['ignore', 'ignore', 'pipe'] });
process.once('exit', () => codemode.kill()); // whatever fails
await new Promise((resolve, reject) => {
  let said = '';
  codemode.stderr.on('data', (part) => ((said += part), said.includes('listening ') && resolve()));
  codemode.once('exit', () => reject(new Error(said)));
});

// The client: what a program keeps of a login, and a browser that needs no person.
const kept = {};
let code;
const authProvider = {
  redirectUrl: 'http://127.0.0.1:1/callback',
  clientMetadata: { client_name: 'e2e', redirect_uris: ['http://127.0.0.1:1/callback'] },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => (kept.tokens = tokens),
  saveCodeVerifier: (verifier) => (kept.verifier = verifier),
  codeVerifier: () => kept.verifier,
  redirectToAuthorization: async (address) => {
    kept.address = address;
    code = new URL((await fetch(address, { redirect: 'manual' })).headers.get('location')).searchParams.get('code');
  },
};
const seen = {};
const dial = () => new sdk.StreamableHTTPClientTransport(new URL(resource), { authProvider });
const first = dial();
await new sdk.Client({ name: 'e2e', version: '1.0.0' }).connect(first).catch((error) => (seen.first = error instanceof sdk.UnauthorizedError));
await first.finishAuth(code);
seen.scope = kept.address.searchParams.get('scope');
seen.resource = kept.address.searchParams.get('resource') === resource;
const transport = dial();
const client = new sdk.Client({ name: 'e2e', version: '1.0.0' });
await client.connect(transport);
const run = async () => (await client.callTool({ name: 'code', arguments: { code: 'async () => everything.get_sum({ a: 40, b: 2 })' } })).content[0].text;
seen.program = await run();
// A token that ran out is renewed by the client, once it hears that it did.
kept.tokens = { ...kept.tokens, access_token: token({ aud: resource, scope: 'mcp', exp: 1 }) };
seen.renewed = await run();
// Somebody else has no use for the session.
const list = (access) => fetch(resource, {
  method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${access}`, 'mcp-session-id': transport.sessionId },
});
seen.own = (await list(kept.tokens.access_token)).status;
seen.stranger = (await list(token({ aud: resource, scope: 'mcp', sub: 'mallory' }))).status;
seen.elsewhere = (await list(token({ aud: `${issuer}/other`, scope: 'mcp' }))).status;
seen.asked = asked;
await client.close();
codemode.kill();
await once(codemode, 'exit');
authority.close();
authority.closeAllConnections();
console.log(JSON.stringify(seen));
