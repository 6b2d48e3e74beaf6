// The sessions with a daemon. What crosses is in remote/WIRE.md.
import { newWebSocketRpcSession } from 'capnweb';

const PROTOCOL_VERSION = 1;

/** A failure of ours, not of the program: code is one of protocol/PROTOCOL.md, §9. */
export class ExecutorError extends Error {
  constructor(code, message, { retryable = false, cause } = {}) {
    super(message, { cause });
    this.name = 'ExecutorError';
    this.code = code;
    this.retryable = retryable;
  }
}

const rejected = (message, cause) => new ExecutorError('CONNECTION_REJECTED', message, { cause });
const closed = () => new ExecutorError('CONNECTION_BROKEN', 'RemoteExecutor is closed');

// Session is one connection, and the calls that run on it.
class Session {
  #main;
  #running = 0;
  #retired = false;
  broken = false;

  constructor(main) {
    this.#main = main;
    main.onRpcBroken(() => {
      this.broken = true;
    });
  }

  static async open(url, options) {
    const session = new Session(newWebSocketRpcSession(await openSocket(url, options)));
    try {
      const version = await session.#main.protocolVersion();
      if (version === PROTOCOL_VERSION) return session;
      throw new ExecutorError('PROTOCOL_MISMATCH', `Executor protocol mismatch: client speaks v${PROTOCOL_VERSION}, server speaks v${version}`);
    } catch (error) {
      session.dispose();
      throw error instanceof ExecutorError ? error : rejected(`Executor handshake with ${url} failed: ${error.message}`, error);
    }
  }

  // call counts, so that a session that was retired ends with its last.
  async call(method, args) {
    this.#running++;
    try {
      return await this.#main[method](...args);
    } finally {
      this.#running--;
      if (this.#retired && this.#running === 0) this.dispose();
    }
  }

  retire() {
    this.#retired = true;
    if (this.#running === 0) this.dispose();
  }

  dispose() {
    this.#main[Symbol.dispose]();
  }
}

async function openSocket(url, { websocket: WebSocketClass, open, headers }) {
  if (headers && !WebSocketClass && !open) {
    throw rejected(`Failed to open WebSocket to ${url}: the standard constructor takes no headers; give one that does as options.websocket`);
  }
  try {
    if (open) return await open(url, headers);
    return WebSocketClass ? new WebSocketClass(url, { headers }) : new WebSocket(url);
  } catch (error) {
    throw rejected(`Failed to open WebSocket to ${url}`, error);
  }
}

const defined = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * The native executor on another machine: one session at a time, opened anew when it broke. A call that was on its way is
 * never sent again, since a tool call is not idempotent.
 */
export class RemoteExecutor {
  #url;
  #options;
  #session;
  #opening;
  #closed = false;
  #executions = 0;

  /** Opens the first session, so that what is wrong with it shows here. */
  static async connect(url, options) {
    const executor = new RemoteExecutor(url, options);
    executor.#session = await Session.open(url, options);
    return executor;
  }

  constructor(url, options) {
    this.#url = url;
    this.#options = options;
  }

  /** @param {object} request as in remote/WIRE.md, with dispatch and an outbound function beside its own fields */
  async execute({ dispatch, outbound, ...request }) {
    const session = await this.#ensureSession();
    try {
      return await session.call('execute', [this.#wire(request, outbound), dispatch ?? null, this.#performer(outbound)]);
    } catch (error) {
      throw failure(error, session);
    } finally {
      this.#executed(session);
    }
  }

  dispose() {
    this.#closed = true;
    this.#session?.dispose();
    this.#session = undefined;
  }

  #outbound(outbound) {
    return outbound === undefined ? this.#options.outbound : outbound;
  }

  // wire has the fields alone that the caller set: undefined would cross as a present one. null is a value of its own.
  #wire(request, ofRequest) {
    const { timeout, modules, limits } = this.#options;
    const wire = { ...defined({ timeout, modules, limits }), ...defined(request) };
    const outbound = this.#outbound(ofRequest);
    if (outbound === null) wire.outbound = 'blocked';
    else if (typeof outbound === 'function') wire.outbound = 'stub';
    else if (outbound !== undefined) wire.outbound = outbound;
    return wire;
  }

  #performer(ofRequest) {
    const outbound = this.#outbound(ofRequest);
    return typeof outbound === 'function' ? outbound : null;
  }

  #executed(session) {
    this.#executions++;
    const bound = this.#options.rotateAfterExecutions;
    if (!bound || this.#executions < bound || this.#session !== session) return;
    this.#session = undefined;
    session.retire();
  }

  async #ensureSession() {
    while (!this.#closed) {
      if (this.#session && !this.#session.broken) return this.#session;
      this.#opening ??= this.#reopen().finally(() => {
        this.#opening = undefined;
      });
      await this.#opening;
    }
    throw closed();
  }

  // reopen is shared by all calls that need a session.
  async #reopen() {
    this.#session?.dispose();
    this.#session = undefined;
    const { reconnect } = this.#options;
    const { attempts = 5, backoff = 200 } = reconnect === false ? { attempts: 1 } : (reconnect ?? {});
    for (let attempt = 1; ; attempt++) {
      try {
        const session = await Session.open(this.#url, this.#options);
        if (this.#closed) session.dispose();
        else this.#session = session;
        this.#executions = 0;
        return;
      } catch (error) {
        if (attempt >= attempts || error.code === 'PROTOCOL_MISMATCH' || this.#closed) throw this.#closed ? closed() : error;
      }
      await pause(attempt * backoff);
      if (this.#closed) throw closed();
    }
  }
}

const CODES = new Set(
  ('INVALID_REQUEST POOL_CLOSED QUEUE_FULL QUEUE_TIMEOUT WORKER_START_FAILED WORKER_LOST EXECUTION_UNKNOWN HANDLE_UNKNOWN ' +
    'HANDLES_EXHAUSTED CONNECTION_REJECTED PROTOCOL_MISMATCH UNAUTHORIZED CONNECTION_BROKEN PAYLOAD_TOO_LARGE').split(' '),
);

// failure is a call's error: that of the session when it broke, the daemon's by its code, else what it was.
function failure(error, session) {
  if (session.broken) return new ExecutorError('CONNECTION_BROKEN', 'Executor connection broke during execution', { retryable: true, cause: error });
  if (!CODES.has(error?.code)) return error;
  return new ExecutorError(error.code, error.message, { retryable: error.retryable === true, cause: error });
}
