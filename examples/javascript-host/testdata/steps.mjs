// node --import ./register.js testdata/steps.mjs URL TOKEN: what the executor does, one line of JSON a step.
import { WebSocketServer } from 'ws';
import { newWebSocketRpcSession, RpcTarget } from 'capnweb';
import { connect } from '../node.js';
import { connect as connectPlain } from '../connect.js';
import { RemoteExecutor } from '../session.js';
import { ask } from '../host.js';

const [url, token] = process.argv.slice(2);
const caught = async (promise) => {
  try {
    return { value: await promise };
  } catch (error) {
    return { name: error.name, code: error.code, message: error.message.replaceAll(url, 'URL'), retryable: error.retryable };
  }
};
const executor = await connect(url, { outbound: null, token });
const echo = { name: 'api', fns: { echo: async (...args) => args, 'list-issues': async () => 'listed', fails: async () => { throw new RangeError('no such id'); } } };
const run = (code, providers = [], options) => executor.execute(code, providers, options);
const shown = (value) => (ArrayBuffer.isView(value) ? { view: value.constructor.name, bytes: [...new Uint8Array(value.buffer)] } : value instanceof ArrayBuffer ? { buffer: [...new Uint8Array(value)] } : value);

// serve answers sessions with a main object, and closes the sockets at the end.
async function serve(main, use) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  let opened = 0;
  server.on('connection', (socket) => {
    opened++;
    newWebSocketRpcSession(socket, main(socket, opened));
  });
  try {
    return await use(`ws://127.0.0.1:${server.address().port}`, () => opened);
  } finally {
    for (const client of server.clients) client.terminate();
    server.close();
  }
}

class Daemon extends RpcTarget {
  constructor(answer) {
    super();
    this.answer = answer;
  }
  protocolVersion() {
    return 1;
  }
  execute(request) {
    return this.answer(request);
  }
}
const result = (value) => ({ result: value, logs: [], usage: {}, calls: [] });

// what the model reads of a program, through the code tool
const read = async (code) => {
  const lines = [];
  await ask(executor, (line) => lines.push(line), code);
  return JSON.parse(lines.at(-2));
};

const steps = {
  toolUndeclared: () => read('async () => codemode.listInvoices()'),
  toolInvalid: () => read('async () => codemode.listOrders({ userId: 5 })'),
  toolLogs: () => read('async () => { console.log("plain"); console.warn("careful"); console.error("broken"); return 1 }'),
  value: () => run('6 * 7'),
  undefined: async () => 'result' in (await run('async () => {}')),
  logs: () => run('console.log("plain"); console.warn("careful"); console.error("broken"); console.debug("dropped"); 1'),
  call: () => run('async () => api.echo(1, "two", { three: [3] })', [echo]),
  sanitized: () => run('async () => api.list_issues()', [echo]),
  raw: () => run('async () => api["list-issues"]()', [echo]),
  undeclared: () => run('async () => api.nope()', [echo]),
  fails: () => run('async () => { try { await api.fails() } catch (e) { return e.message } }', [echo]),
  bytesIn: async () => {
    const seen = [];
    await run('async () => api.f(new Uint8Array([1]), new Uint16Array([2]), new Uint8Array([3]).buffer)', [{ name: 'api', fns: { f: async (...args) => void seen.push(...args.map(shown)) } }]);
    return seen;
  },
  bytesOut: async () => Object.values((await run('({ a: new Uint8Array([1]), b: new Float32Array([0]), c: new Uint8Array([3]).buffer })')).result).map(shown),
  bytesBack: () => run('async () => { const [a, b] = await api.f(); return [a.constructor.name, a.length, b.constructor.name, b.byteLength] }', [{ name: 'api', fns: { f: async () => [Buffer.from('abc'), new ArrayBuffer(2)] } }]),
  markers: () => run('async () => api.echo({ __codemode_binary_v1__: "Uint8Array", data: "AQ==" }, { __codemode_escaped_v1__: { a: 1 } }, { __codemode_handle__: 7 })', [echo]),
  reserved: async () => {
    const { result: value } = await run('async () => JSON.parse(\'{"__proto__":1,"toString":2,"n":[{"toJSON":3}]}\')');
    return Object.keys(value);
  },
  thrown: () => run('async () => { throw new TypeError("on purpose") }'),
  thrownObject: () => run('async () => { throw { message: 404 } }'),
  thrownText: () => run('async () => { throw "bare" }'),
  syntax: () => run('async () => { const }'),
  timeout: () => run('async () => { for (;;); }', [], { timeout: 50 }),
  ownTimeout: () => run('async () => { throw new Error("Execution timed out waiting for the vendor API") }'),
  blocked: async () => typeof (await run('async () => fetch("https://example.com")')).error,
  stub: () => run('async () => (await fetch("https://example.com/x")).text()', [], { outbound: async ({ url: of }) => ({ status: 200, body: new TextEncoder().encode(`performed ${of}`) }) }),
  modules: () => run("import { a } from 'lib.js'\na + 1", [], { modules: { 'lib.js': 'export const a = 41' } }),
  names: async () => {
    const one = (name) => ({ name, fns: {} });
    const refusals = [[one('Promise')], [one('my-api')], [one('class')], [one('dup'), one('dup')], [{ name: 'gh', fns: { 'list-issues': echo.fns.echo, 'list.issues': echo.fns.echo } }]];
    const texts = await Promise.all(refusals.map((providers) => run('1', providers)));
    texts.push(await run('1', [one('api')], { connectors: [{ name: 'api', binding: {} }] }));
    return texts.map(({ error }) => error);
  },
  connectors: async () => {
    const answers = { pause: { __codemode_control__: 'pause' }, error: { __codemode_control__: 'error', message: 'not allowed' } };
    const api = { name: 'api', binding: { callTool: async (tool, argument) => answers[tool] ?? [tool, argument] } };
    const texts = ['any', 'pause', 'error'].map((tool) => run(`async () => api.${tool}({ a: 1 }, 2)`, [], { connectors: [api] }));
    return (await Promise.all(texts)).map(({ result: value, error }) => error ?? value);
  },
  legacy: () => run('async () => codemode.f()', { f: async () => 'bare' }),
  left: async () => {
    let called;
    const wasCalled = new Promise((resolve) => (called = resolve));
    const answer = await run('async () => { api.slow(); return "done" }', [{ name: 'api', fns: { slow: async () => called('it was called') } }]);
    return [answer.result, await wasCalled];
  },
  // sessions
  headers: () => caught(connectPlain(url, { headers: { a: 'b' } })),
  noToken: () => caught(connect(url)),
  nobody: () => caught(connect('ws://127.0.0.1:1', { token })),
  throws: () => caught(connectPlain(url, { websocket: class { constructor() { throw new Error('no sockets here'); } } })),
  mismatch: () => serve(() => new (class extends RpcTarget { protocolVersion() { return 2; } })(), (at) => caught(connect(at))),
  wire: () =>
    serve(() => new Daemon((request) => result(request)), async (at) => {
      const plain = await connect(at);
      const set = await connect(at, { timeout: null, outbound: null });
      const wires = [(await plain.execute('1', [])).result, (await set.execute('1', [], { timeout: 5 })).result, (await set.execute('1', [])).result];
      plain.dispose();
      set.dispose();
      return wires;
    }),
  broken: () =>
    serve((socket, n) => new Daemon(() => (n === 1 ? (socket.terminate(), new Promise(() => {})) : result(n))), async (at, opened) => {
      const breaks = await connect(at, { reconnect: { backoff: 1 } });
      const first = await caught(breaks.execute('1', []));
      const after = await Promise.all([breaks.execute('1', []), breaks.execute('1', [])]);
      breaks.dispose();
      return [first, after.map((answer) => answer.result), opened(), await caught(breaks.execute('1', []))];
    }),
  gone: async () => {
    let late;
    await serve((socket) => new Daemon(() => (socket.terminate(), new Promise(() => {}))), async (at) => {
      late = await connect(at, { reconnect: { attempts: 2, backoff: 1 } });
      await caught(late.execute('1', []));
    });
    return (await caught(late.execute('1', []))).code;
  },
  code: () => serve(() => new Daemon(() => { throw Object.assign(new Error('full'), { code: 'QUEUE_FULL', retryable: true }); }), async (at) => caught((await connect(at)).execute('1', []))),
  vendor: () => serve(() => new Daemon(() => { throw Object.assign(new TypeError('no'), { code: 'E_VENDOR' }); }), async (at) => caught((await connect(at)).execute('1', []))),
  rotation: () => {
    let release;
    const released = new Promise((resolve) => (release = resolve));
    const main = (_socket, n) => new Daemon(async ({ code }) => {
      if (code === 'slow') await released;
      return result(n);
    });
    return serve(main, async (at, opened) => {
      const rotating = await RemoteExecutor.connect(at, { rotateAfterExecutions: 2 });
      const slow = rotating.execute({ code: 'slow' });
      const on = [];
      for (let i = 0; i < 4; i++) on.push((await rotating.execute({ code: 'quick' })).result);
      release();
      const finished = (await slow).result;
      rotating.dispose();
      return [on, finished, opened()];
    });
  },
};

for (const [name, step] of Object.entries(steps)) console.log(JSON.stringify([name, await step()]));
executor.dispose();
process.exit(0);
