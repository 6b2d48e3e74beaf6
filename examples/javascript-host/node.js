// connect() for node, whose releases before 22 have no WebSocket and whose own takes no headers.
import { WebSocket } from 'ws';
import { connect as connectTo } from './connect.js';

export { ExecutorError } from './connect.js';

globalThis.WebSocket ??= WebSocket; // capnweb reads its constants when a session is made

/**
 * @param {string} url
 * @param {import('./connect.js').ConnectOptions & {token?: string}} [options] token is the daemon's bearer token
 */
export async function connect(url, { token, headers, ...options } = {}) {
  const all = token ? { ...headers, Authorization: `Bearer ${token}` } : headers;
  return await connectTo(url, { websocket: WebSocket, headers: all, ...options });
}
