// WebSocket, WebSocketPair and EventSource. No program has sockets of its own: what would connect refuses. The two ends
// of a pair talk to each other.
// Globals: WebSocket WebSocketPair WebSocketRequestResponsePair EventSource
(function (host) {
  'use strict';
  const P = host.primordials;
  const { expose, receiver, illegal, missing, string, isObject, bytesOf, copyOf } = host.load('idl');
  const { EventTarget, newMessageEvent, newCloseEvent, newErrorEvent, emit, getHandler, setHandler } = host.load('30_events');
  const { DOMException } = host.load('12_domexception');
  // The parts of an URL (href first, protocol third), undefined for what is none.
  const partsOf = (url) => {
    const answer = host.ops.urlParse(P.StringPrototypeToWellFormed(url), undefined);
    return typeof answer === 'string' ? P.uncurryThis(P.String.prototype.split)(answer, '\n') : undefined;
  };

  const blocked = "This worker is not permitted to access the internet via global functions like fetch(). It must use capabilities (such as bindings in 'env') to talk to the outside world.";
  const refusal = () => new P.Error(host.outboundMode === 'open' ? 'The host takes no WebSocket connections.' : blocked);
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
    #state = { __proto__: null, ready: states.OPEN, accepted: false, other: undefined, binaryType: 'blob', attachment: null, sentClose: false };
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
      throw refusal();
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
    get url() { #state in receiver(this) || illegal(); return null; }
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

  const phases = { __proto__: null, CONNECTING: 0, OPEN: 1, CLOSED: 2 };
  class SourceImplementation extends EventTarget {
    #state = { __proto__: null, url: '', withCredentials: false, ready: phases.CONNECTING };
    constructor(url, init = undefined) {
      super();
      const href = partsOf(string(url))?.[0];
      if (href === undefined) throw new DOMException('Cannot open an EventSource. Invalid URL', 'SyntaxError');
      const state = this.#state;
      state.url = href;
      state.withCredentials = !!init?.withCredentials;
      host.setTimeout(() => {
        if (state.ready === phases.CLOSED) return;
        state.ready = phases.CLOSED;
        emit(this, newErrorEvent('error', { __proto__: null, error: refusal() }));
      }, 0);
    }
    close() { #state in receiver(this) || illegal(); this.#state.ready = phases.CLOSED; }
    get url() { #state in receiver(this) || illegal(); return this.#state.url; }
    get withCredentials() { #state in receiver(this) || illegal(); return this.#state.withCredentials; }
    get readyState() { #state in receiver(this) || illegal(); return this.#state.ready; }
    get onopen() { #state in receiver(this) || illegal(); return getHandler(this, 'open'); }
    set onopen(fn) { #state in receiver(this) || illegal(); setHandler(this, 'open', fn); }
    get onmessage() { #state in receiver(this) || illegal(); return getHandler(this, 'message'); }
    set onmessage(fn) { #state in receiver(this) || illegal(); setHandler(this, 'message', fn); }
    get onerror() { #state in receiver(this) || illegal(); return getHandler(this, 'error'); }
    set onerror(fn) { #state in receiver(this) || illegal(); setHandler(this, 'error', fn); }
    [P.SymbolDispose]() { this.close(); }
    static from() { throw refusal(); }
  }

  const define = (name, Class, options) => host.define(name, expose(name, Class, options), { enumerable: true });
  define('WebSocket', SocketImplementation, { required: ['string'], constants });
  define('WebSocketPair', PairImplementation);
  define('WebSocketRequestResponsePair', RequestResponseImplementation, { required: ['string', 'string'] });
  define('EventSource', SourceImplementation, { required: ['string'], constants: phases });
})
