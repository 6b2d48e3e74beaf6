// A daemon in JavaScript: node daemon.mjs CAPNWEB. It prints its port, and serves until it is killed.
import { WebSocket, WebSocketServer } from 'ws';
globalThis.WebSocket ??= WebSocket; // read when a session is made, and node 20 has none
const { newWebSocketRpcSession, RpcTarget } = await import(process.argv[2]);

class Main extends RpcTarget {
  protocolVersion() {
    return 1;
  }
  async execute(request, dispatch, outbound) {
    switch (request.code) {
      case 'request':
        return { result: request, logs: [], usage: {}, calls: [] };
      case 'calls': {
        const one = await dispatch('api', 'one', '[1]');
        const many = await Promise.all(Array.from({ length: 50 }, (_, i) => dispatch('api', 'many', JSON.stringify([i]))));
        const failed = await dispatch('api', 'fail', '[]').catch((e) => e.message);
        return { result: [one, many.length, failed], logs: [{ level: 'warn', text: 'w' }] };
      }
      case 'code':
        throw Object.assign(new Error('full'), { code: 'QUEUE_FULL', retryable: true });
      case 'vendor':
        throw Object.assign(new TypeError('no'), { code: 'E_VENDOR', status: 429 });
      case 'raw':
        throw 'plain';
      case 'fetch': {
        const response = await outbound({ method: 'POST', url: 'https://api.example/', headers: [['A', 'b']], body: new TextEncoder().encode('in') });
        const pieces = [];
        for (;;) {
          const piece = await response.read();
          if (piece == null) break;
          pieces.push(new TextDecoder().decode(piece));
        }
        return { result: [response.status, pieces.join('')], logs: [] };
      }
      case 'undefined':
        return { result: undefined, failure: undefined, logs: [] };
      case 'die':
        process.exit(1);
    }
  }
}
const server = new WebSocketServer({ host: '127.0.0.1', port: 0 }, () => console.log(server.address().port));
server.on('connection', (socket) => newWebSocketRpcSession(socket, new Main()));
