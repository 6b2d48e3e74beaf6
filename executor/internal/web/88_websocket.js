// WebSocket and WebSocketPair. The two ends of a pair talk to each other. What would connect asks the outbound fetcher, which
// answers with an HTTP response, and so fails as a server does that does not switch protocols; without one it refuses.
// Globals: WebSocket WebSocketPair WebSocketRequestResponsePair
(function (host) {
  'use strict';
  const P = host.primordials;
  const { expose, receiver, illegal, missing, string, isObject, bytesOf, copyOf } = host.load('idl');
  const { EventTarget, newMessageEvent, newCloseEvent, newErrorEvent, emit } = host.load('30_events');
  const { DOMException } = host.load('12_domexception');
  const fetched = (url, init) => host.load('58_fetch').fetched(url, init);
  const statusOf = (response) => host.load('56_request').responseOf(response).status;
  // The parts of an URL (href first, protocol third), undefined for what is none.
  const partsOf = (url) => {
    const answer = host.ops.urlParse(P.StringPrototypeToWellFormed(url), undefined);
    return typeof answer === 'string' ? P.uncurryThis(P.String.prototype.split)(answer, '\n') : undefined;
  };

  const blocked = "This worker is not permitted to access the internet via global functions like fetch(). It must use capabilities (such as bindings in 'env') to talk to the outside world.";
  const states = { __proto__: null, CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 };
  const constants = { __proto__: null };
  for (const name in states) {
    constants[`READY_STATE_${name}`] = states[name];
    constants[name] = states[name];
  }
  const token = /^[!#$%&'*+\-.^_`|~A-Za-z0-9]+$/;

  let pairing = false;
  let join;
  class SocketImplementation extends EventTarget {
    #state = { __proto__: null, ready: states.OPEN, accepted: false, other: undefined, binaryType: 'arraybuffer', attachment: null, sentClose: false, url: null };
    static { join = (a, b) => { a.#state.other = b; b.#state.other = a; }; }

    constructor(url, protocols = undefined) {
      super();
      if (pairing) return;
      const parts = partsOf(string(url));
      if (parts === undefined) throw new DOMException('WebSocket Constructor: The url is invalid.', 'SyntaxError');
      const scheme = P.StringPrototypeSlice(parts[0], 0, P.StringPrototypeIndexOf(parts[0], ':'));
      if (scheme !== 'ws' && scheme !== 'wss') throw new DOMException('WebSocket Constructor: The url scheme must be ws or wss.', 'SyntaxError');
      const list = typeof protocols === 'string' ? [protocols] : protocols === undefined ? P.list() : P.arrayFrom(protocols);
      for (let i = 0; i < list.length; i++) {
        if (P.RegExpPrototypeExec(token, string(list[i])) === null) throw new DOMException('WebSocket Constructor: The protocol header token is invalid.', 'SyntaxError');
      }
      if (host.outboundMode !== 'open') throw new P.Error(blocked);
      this.#state.ready = states.CONNECTING;
      this.#state.url = parts[0];
      this.#connect(list);
    }
    #connect(protocols) {
      const headers = [['upgrade', 'websocket'], ['connection', 'Upgrade'], ['sec-websocket-version', '13']];
      if (protocols.length > 0) P.push(headers, ['sec-websocket-protocol', P.ArrayPrototypeJoin(P.toArray(protocols), ', ')]);
      const url = `http${P.StringPrototypeSlice(this.#state.url, 2)}`;
      P.then(fetched(url, { __proto__: null, headers }), (response) => this.#fail(statusOf(response) === 101
        ? 'the outbound fetcher carries HTTP responses, and no connection.'
        : `expected server to reply with HTTP status code 101 (switching protocols), but received ${statusOf(response)} instead.`),
      (error) => this.#fail(error.message));
    }
    #fail(why) {
      this.#state.ready = states.CLOSED;
      const error = new P.TypeError(`Failed to establish the WebSocket connection: ${why}`);
      emit(this, newErrorEvent('error', { __proto__: null, message: `Uncaught TypeError: ${error.message}`, error }));
      emit(this, newCloseEvent('close', { __proto__: null, code: 1006, reason: '', wasClean: false }));
    }
    accept() {
      #state in receiver(this) || illegal();
      this.#state.accepted = true;
    }
    send(message) {
      #state in receiver(this) || illegal();
      missing(arguments.length, 'send', 'WebSocket', ['ArrayBuffer or ArrayBufferView or string']);
      const state = this.#state;
      if (!state.accepted) throw new P.TypeError('You must call one of accept() or state.acceptWebSocket() on this WebSocket before sending messages.');
      if (state.ready >= states.CLOSING) throw new P.TypeError("Can't call WebSocket send() after close().");
      const bytes = isObject(message) ? bytesOf(message) : undefined;
      const data = bytes === undefined ? string(message) : P.TypedArrayPrototypeGetBuffer(copyOf(bytes));
      deliver(state.other, () => newMessageEvent('message', { __proto__: null, data }));
    }
    close(code = undefined, reason = undefined) {
      #state in receiver(this) || illegal();
      const state = this.#state;
      if (code !== undefined && code !== 1000 && !(code >= 3000 && code <= 4999)) throw new DOMException('Invalid WebSocket close code.', 'InvalidAccessError');
      if (code === undefined && reason !== undefined) throw new P.TypeError('If you specify a WebSocket close reason, you must also specify a code.');
      if (state.sentClose) return;
      state.sentClose = true;
      state.ready = states.CLOSING;
      const other = state.other;
      deliver(other, () => {
        const theirs = other.#state;
        theirs.ready = theirs.sentClose ? states.CLOSED : states.CLOSING;
        if (theirs.sentClose) state.ready = states.CLOSED;
        return newCloseEvent('close', { __proto__: null, code: code ?? 1005, reason: reason === undefined ? '' : string(reason), wasClean: true });
      });
    }
    serializeAttachment(value) {
      #state in receiver(this) || illegal();
      this.#state.attachment = value;
    }
    deserializeAttachment() { #state in receiver(this) || illegal(); return this.#state.attachment; }
    get readyState() { #state in receiver(this) || illegal(); return this.#state.ready; }
    get bufferedAmount() { #state in receiver(this) || illegal(); return 0; }
    get url() { #state in receiver(this) || illegal(); return this.#state.url; }
    get protocol() { #state in receiver(this) || illegal(); return ''; }
    get extensions() { #state in receiver(this) || illegal(); return ''; }
    get binaryType() { #state in receiver(this) || illegal(); return this.#state.binaryType; }
    set binaryType(value) {
      #state in receiver(this) || illegal();
      if (value === 'blob' || value === 'arraybuffer') this.#state.binaryType = value;
    }
  }
  const deliver = (socket, event) => host.setTimeout(() => emit(socket, event()), 0);

  class PairImplementation {
    constructor() {
      pairing = true;
      const ends = [new SocketImplementation(), new SocketImplementation()];
      pairing = false;
      join(ends[0], ends[1]);
      P.define(this, 0, ends[0], true);
      P.define(this, 1, ends[1], true);
    }
    [P.SymbolIterator]() {
      return P.ArrayPrototypeValues([this[0], this[1]]);
    }
  }
  class RequestResponseImplementation {
    #request;
    #response;
    constructor(request, response) {
      this.#request = string(request);
      this.#response = string(response);
    }
    get request() { #request in receiver(this) || illegal(); return this.#request; }
    get response() { #request in receiver(this) || illegal(); return this.#response; }
  }

  const define = (name, Class, options) => host.define(name, expose(name, Class, options), { enumerable: true });
  define('WebSocket', SocketImplementation, { required: ['string'], constants });
  define('WebSocketPair', PairImplementation);
  define('WebSocketRequestResponsePair', RequestResponseImplementation, { required: ['string', 'string'] });
})
