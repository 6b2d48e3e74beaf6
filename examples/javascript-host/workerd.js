// connect() for Workers, where a WebSocket with headers is a fetch that asks for an upgrade. An executor belongs to the
// request that it was opened in, as every connection there does: open one a request, or keep it in a Durable Object.
import { connect as connectTo } from './connect.js';

export { ExecutorError } from './connect.js';

/**
 * @param {string} url
 * @param {import('./connect.js').ConnectOptions & {token?: string}} [options] token is the daemon's bearer token
 */
export async function connect(url, { token, headers, ...options } = {}) {
  const all = token ? { ...headers, Authorization: `Bearer ${token}` } : headers;
  return await connectTo(url, { open: upgrade, headers: all, ...options });
}

async function upgrade(url, headers) {
  const response = await fetch(url.replace(/^ws/, 'http'), { headers: { ...headers, Upgrade: 'websocket' } });
  const socket = response.webSocket;
  if (!socket) throw new Error(`the server answered ${response.status} ${await response.text()}`);
  socket.accept();
  return socket;
}
