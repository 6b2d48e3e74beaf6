// A JavaScript host of a daemon: node host.mjs CAPNWEB URL STEP… It prints one line of JSON a step.
import { WebSocket } from 'ws';
globalThis.WebSocket ??= WebSocket; // read when a session is made, and node 20 has none
const { newWebSocketRpcSession } = await import(process.argv[2]);
const [url, ...names] = process.argv.slice(3);
const main = newWebSocketRpcSession(new WebSocket(url, { headers: { Authorization: 'Bearer sesame' } }));
const caught = async (f) => {
  try {
    return { value: await f() };
  } catch (e) {
    return { name: e.name, message: e.message, code: e.code, retryable: e.retryable };
  }
};
const steps = {
  // a run with tool calls, one after the other and at once
  async execute() {
    const seen = [];
    const dispatch = async (provider, tool, args) => {
      seen.push([provider, tool, args]);
      if (tool === 'fail') throw new RangeError('no such id');
      return JSON.stringify({ result: JSON.parse(args) });
    };
    const result = await main.execute({ code: 'calls', providers: [{ name: 'api', tools: ['echo'] }], timeout: null, modules: undefined }, dispatch, null);
    return { version: await main.protocolVersion(), result, seen: seen.length, first: seen[0] };
  },
  async errors() {
    return [await caught(() => main.execute({ code: 'code' }, null, null)), await caught(() => main.execute({ code: 5 })), await caught(() => main.nope())];
  },
  // a request that the host performs
  async outbound() {
    const fetcher = async (request) => ({ status: 201, headers: [['x-a', request.headers.find(([name]) => name === 'X-In')[1]]], body: new TextEncoder().encode(request.method + ' ' + request.url + ' ' + new TextDecoder().decode(request.body)) });
    return await main.execute({ code: 'fetch', outbound: 'stub' }, null, fetcher);
  },
  // what only the text can say
  async exact() {
    const result = await main.execute({ code: 'exact' }, null, null);
    return { result: result.result ?? 'absent', text: result.resultJson };
  },
  async handles() {
    return await main.invokeHandle({ executionId: (await main.execute({ code: 'retain', retainHandles: true }, null, null)).executionId, handleId: 1, args: [new Uint8Array([1, 2]), { a: [1] }] }, null);
  },
  // a daemon that shuts down while a run waits
  async drain() {
    const waiting = caught(() => main.execute({ code: 'wait' }, null, null));
    const outcome = await waiting;
    return [outcome, await caught(() => main.protocolVersion())];
  },
  // streams and pipelined properties: the one is refused alone, the other works
  async unsupported() {
    const stream = new WritableStream({});
    return [await caught(() => main.execute(stream)), await main.execute({ code: 'one' }, null, null).result];
  },
};
for (const name of names) console.log(JSON.stringify(await steps[name]()));
process.exit(0);
