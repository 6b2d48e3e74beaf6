// Callbacks between two processes of npm capnweb, for the benchmark: node callbacks.mjs CAPNWEB [URL].
// Without a URL it is the daemon: it prints its port, and its execute calls the dispatch as often, and as many times at once,
// as the program says ("2000 1"). With one it is the host: it runs each line of its input there, and prints how many
// milliseconds that took.
import { createInterface } from 'node:readline';
import { WebSocket, WebSocketServer } from 'ws';
globalThis.WebSocket ??= WebSocket; // read when a session is made, and node 20 has none
const { newWebSocketRpcSession, RpcTarget } = await import(process.argv[2]);

class Main extends RpcTarget {
  async execute({ code }, dispatch) {
    let [left, parallel] = code.split(' ').map(Number);
    const caller = async () => {
      while (left-- > 0) await dispatch('api', 'echo', '[{"i":1}]');
    };
    await Promise.all(Array.from({ length: parallel }, caller));
    return { result: 1, logs: [] };
  }
}

if (process.argv[3] === undefined) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false }, () => console.log(server.address().port));
  server.on('connection', (socket) => newWebSocketRpcSession(socket, new Main()));
} else {
  const main = newWebSocketRpcSession(new WebSocket(process.argv[3], { perMessageDeflate: false }));
  for await (const line of createInterface({ input: process.stdin })) {
    const began = performance.now();
    await main.execute({ code: line }, async () => '{"result":{"i":1}}', null);
    console.log(performance.now() - began);
  }
  process.exit(0);
}
