// connect() runs programs on a daemon: `codemode daemon`. It uses what every runtime has; node.js and workerd.js beside it
// add what opens a WebSocket with headers there.
import { CodemodeExecutor } from './dialect.js';
import { RemoteExecutor } from './session.js';

export { ExecutorError } from './session.js';

/**
 * @typedef {object} ConnectOptions
 * @property {Record<string, string>} [headers] of the request that opens each session; needs websocket or open
 * @property {new (url: string, options: {headers?: object}) => WebSocket} [websocket] a constructor in place of the runtime's
 * @property {(url: string, headers?: object) => Promise<WebSocket>} [open] opens a socket where no constructor does
 * @property {null | 'inherit' | 'blocked' | Function} [outbound] the network of programs; null is none. Unset: the daemon's
 * @property {number | null} [timeout] milliseconds; null is the daemon's maximum. Unset: the daemon's default
 * @property {Record<string, string>} [modules] what programs may import, source by specifier
 * @property {Record<string, number>} [limits] tightens the daemon's, by their names in protocol/PROTOCOL.md
 * @property {false | {attempts?: number, backoff?: number}} [reconnect] how a session is opened anew: 5 attempts, after the n-th
 *   n times 200 ms; false is one attempt
 * @property {number} [rotateAfterExecutions] opens a new session after so many; the one before ends with its last call
 */

/**
 * Opens a session with a daemon and agrees with it on the protocol's version. It rejects with an ExecutorError whose code is
 * CONNECTION_REJECTED or PROTOCOL_MISMATCH.
 * @param {string} url ws: or wss:
 * @param {ConnectOptions} [options]
 * @returns {Promise<CodemodeExecutor>} the dialect's Executor, with dispose() beside execute()
 */
export async function connect(url, options = {}) {
  return new CodemodeExecutor(await RemoteExecutor.connect(url, options));
}
