// EventSource: events out of a text/event-stream, which a stream of the program's gives or the outbound fetcher.
// Globals: EventSource
(function (host) {
  'use strict';
  const P = host.primordials;
  const { expose, receiver, illegal, wrong, string, isObject } = host.load('idl');
  const { EventTarget, newMessageEvent, newErrorEvent, newEvent, emit, getHandler, setHandler } = host.load('30_events');
  const { DOMException } = host.load('12_domexception');
  const streams = host.load('60_readable_stream');
  const url = host.load('20_url');
  const { bodyOf, streamOf, headersOf } = host.load('55_body');

  const phases = { __proto__: null, CONNECTING: 0, OPEN: 1, CLOSED: 2 };
  const reconnectionTime = 2000; // milliseconds, until the server says otherwise

  // Reads a stream line by line as HTML's "event stream interpretation" has it: emits what a blank line completes.
  const interpreter = (state, dispatch) => {
    const fresh = () => ({ __proto__: null, type: '', data: '', hasData: false });
    let event = fresh();
    const fields = {
      __proto__: null,
      event: (value) => { event.type = value; },
      data: (value) => {
        event.data += event.hasData ? `\n${value}` : value;
        event.hasData = true;
      },
      id: (value) => { if (!P.StringPrototypeIncludes(value, '\0')) state.lastId = value; },
      retry: (value) => { if (P.RegExpPrototypeExec(/^\d+$/, value) !== null) state.retry = +value; },
    };
    return (line) => {
      if (line === '') {
        const complete = event;
        event = fresh();
        if (complete.hasData) dispatch(complete);
        return;
      }
      const at = P.StringPrototypeIndexOf(line, ':');
      if (at === 0) return; // a comment
      const name = at < 0 ? line : P.StringPrototypeSlice(line, 0, at);
      const value = at < 0 ? '' : P.StringPrototypeSlice(line, line[at + 1] === ' ' ? at + 2 : at + 1);
      fields[name]?.(value);
    };
  };
  // Calls each with every whole line of the text it is given piece by piece.
  const lines = (each) => {
    let rest = '';
    let afterReturn = false; // the last piece ended in a carriage return, which a line feed may follow
    return (text) => {
      if (afterReturn && text !== '') {
        afterReturn = false;
        if (text[0] === '\n') text = P.StringPrototypeSlice(text, 1);
      }
      rest += text;
      let from = 0;
      for (let i = 0; i < rest.length; i++) {
        const unit = P.StringPrototypeCharCodeAt(rest, i);
        if (unit !== 10 && unit !== 13) continue;
        each(P.StringPrototypeSlice(rest, from, i));
        if (unit === 13 && i + 1 === rest.length) afterReturn = true;
        else if (unit === 13 && rest[i + 1] === '\n') i++;
        from = i + 1;
      }
      rest = P.StringPrototypeSlice(rest, from);
    };
  };

  let adopting; // the stream that from() makes a source of
  class Implementation extends EventTarget {
    #state = { __proto__: null, url: '', withCredentials: false, ready: phases.CONNECTING, lastId: '', retry: reconnectionTime, reader: undefined };

    constructor(address, init = undefined) {
      super();
      if (adopting !== undefined) {
        this.#state.ready = phases.OPEN;
        this.#read(adopting);
        return;
      }
      const text = string(address);
      const href = url.parse(P.StringPrototypeToWellFormed(text))?.href;
      if (href === undefined) throw new DOMException(`Cannot open an EventSource to '${text}'. The URL is invalid.`, 'SyntaxError');
      if (init !== undefined && init !== null && !isObject(init)) throw new P.TypeError("Failed to construct 'EventSource': constructor parameter 2 is not of type 'EventSourceInit'.");
      this.#state.url = href;
      this.#state.withCredentials = !!init?.withCredentials;
      host.setTimeout(() => this.#connect(), 0);
    }

    #connect() {
      const state = this.#state;
      if (state.ready === phases.CLOSED) return;
      const headers = [['accept', 'text/event-stream'], ['cache-control', 'no-cache']];
      if (state.lastId !== '') P.push(headers, ['last-event-id', state.lastId]);
      P.then(host.load('58_fetch').fetched(state.url, { __proto__: null, headers }), (response) => this.#open(response), (error) => this.#fail(error));
    }
    #open(response) {
      const state = this.#state;
      if (state.ready === phases.CLOSED) return;
      const { status } = host.load('56_request').responseOf(response);
      const type = host.load('54_headers').get(headersOf(response), 'content-type') ?? '';
      if (status !== 200) return this.#fail(new DOMException(`The response status code was ${status}.`, 'AbortError'));
      if (P.RegExpPrototypeExec(/^text\/event-stream *(?:;|$)/i, type) === null) return this.#fail(new DOMException(`The content type '${type}' is invalid.`, 'AbortError'));
      state.ready = phases.OPEN;
      emit(this, newEvent('open'));
      const body = bodyOf(response);
      if (body === null) return this.#ended();
      this.#read(streams.stateOf(streamOf(body)));
    }
    #read(stream) {
      const state = this.#state;
      const reader = state.reader = streams.acquire(stream);
      const { newDecoder, decode } = host.load('16_encoding');
      const decoder = newDecoder('utf-8');
      const feed = lines(interpreter(state, (event) => {
        emit(this, newMessageEvent(event.type === '' ? 'message' : event.type, { __proto__: null, data: event.data, lastEventId: state.lastId, origin: this.#origin() }));
      }));
      const next = () => {
        if (state.ready === phases.CLOSED) return;
        streams.read(reader, {
          __proto__: null,
          chunk: (chunk) => {
            try {
              feed(typeof chunk === 'string' ? chunk : decode(decoder, chunk, { __proto__: null, stream: true }));
            } catch (error) {
              this.#fail(error);
              return;
            }
            host.queueMicrotask(next);
          },
          close: () => this.#ended(),
          error: (error) => this.#fail(error),
        });
      };
      host.queueMicrotask(next); // after the program has set its handlers
    }
    #origin() { return this.#state.url === '' ? null : url.parse(this.#state.url).origin; }
    #ended() {
      const state = this.#state;
      if (state.ready === phases.CLOSED) return;
      const again = state.url !== '';
      state.ready = again ? phases.CONNECTING : phases.CLOSED;
      emit(this, newErrorEvent('error', { __proto__: null, error: new P.Error('The server disconnected.') }));
      if (again) host.setTimeout(() => this.#connect(), state.retry);
    }
    #fail(error) {
      if (this.#state.ready === phases.CLOSED) return;
      this.#state.ready = phases.CLOSED;
      emit(this, newErrorEvent('error', { __proto__: null, error }));
    }

    close() {
      #state in receiver(this) || illegal();
      const { reader, ready } = this.#state;
      this.#state.ready = phases.CLOSED;
      if (ready === phases.OPEN && reader?.stream !== undefined) streams.cancelStream(reader.stream, undefined);
    }
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

    static from(stream) {
      const state = streams.stateOf(stream);
      if (state === undefined) throw wrong('from', 'EventSource', 1, 'JsReadableStream');
      if (state.reader !== undefined) throw new P.TypeError('This ReadableStream is locked.');
      adopting = state;
      try {
        return new Interface('');
      } finally {
        adopting = undefined;
      }
    }
  }
  const Interface = expose('EventSource', Implementation, { required: ['string'], constants: phases });
  host.define('EventSource', Interface, { enumerable: true });
})
