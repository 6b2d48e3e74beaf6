// AbortController and AbortSignal. Uses host.setTimeout.
// Globals: AbortController AbortSignal
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, list, push } = P;
  const { expose, receiver, illegal, missing, wrong, isObject } = host.load('idl');
  const { EventTarget, newEvent, emit, getHandler, setHandler } = host.load('30_events');

  const exception = (message, name) => {
    const { DOMException } = host.load('12_domexception');
    return new DOMException(message, name);
  };
  const abortError = () => exception('The operation was aborted', 'AbortError');

  let newSignal;
  let isSignal;
  let isAborted;
  let reasonOf;
  let abort;   // abort(signal, reason): once
  let onAbort; // onAbort(signal, callback) → a function that takes the callback off again

  class SignalImplementation extends EventTarget {
    #aborted = false;
    #reason;
    #callbacks = list();

    static abort(reason = undefined) {
      const signal = new SignalImplementation();
      abort(signal, reason);
      return signal;
    }

    static timeout(milliseconds) {
      missing(arguments.length, 'timeout', 'AbortSignal', ['number']);
      const signal = new SignalImplementation();
      host.setTimeout(() => abort(signal, exception('The operation was aborted due to timeout', 'TimeoutError')), +milliseconds);
      return signal;
    }

    static any(signals) {
      if (!isObject(signals) || typeof signals[P.SymbolIterator] !== 'function') throw wrong('any', 'AbortSignal', 1, 'Array');
      const sources = P.arrayFrom(signals);
      for (let i = 0; i < sources.length; i++) {
        if (!isSignal(sources[i])) throw new TypeError(`Incorrect type for array element ${i}: the provided value is not of type 'AbortSignal'.`);
      }
      const signal = new SignalImplementation();
      for (let i = 0; i < sources.length; i++) {
        if (sources[i].#aborted) {
          abort(signal, sources[i].#reason);
          return signal;
        }
      }
      for (let i = 0; i < sources.length; i++) onAbort(sources[i], () => abort(signal, sources[i].#reason));
      return signal;
    }

    get aborted() { #aborted in receiver(this) || illegal(); return this.#aborted; }
    get reason() { #aborted in receiver(this) || illegal(); return this.#reason; }
    get onabort() { #aborted in receiver(this) || illegal(); return getHandler(this, 'abort'); }
    set onabort(callback) { #aborted in receiver(this) || illegal(); setHandler(this, 'abort', callback); }

    throwIfAborted() {
      #aborted in receiver(this) || illegal();
      if (this.#aborted) throw this.#reason;
    }

    static {
      newSignal = () => new SignalImplementation();
      isSignal = (value) => isObject(value) && #aborted in value;
      isAborted = (signal) => signal.#aborted;
      reasonOf = (signal) => signal.#reason;
      abort = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason === undefined ? abortError() : reason;
        const callbacks = signal.#callbacks;
        signal.#callbacks = list();
        for (let i = 0; i < callbacks.length; i++) callbacks[i]();
        emit(signal, newEvent('abort'));
      };
      onAbort = (signal, callback) => {
        push(signal.#callbacks, callback);
        return () => {
          const rest = list();
          for (let i = 0; i < signal.#callbacks.length; i++) if (signal.#callbacks[i] !== callback) push(rest, signal.#callbacks[i]);
          signal.#callbacks = rest;
        };
      };
    }
  }

  class ControllerImplementation {
    #signal = newSignal();

    get signal() { #signal in receiver(this) || illegal(); return this.#signal; }

    abort(reason = undefined) {
      #signal in receiver(this) || illegal();
      abort(this.#signal, reason);
    }
  }

  host.define('AbortController', expose('AbortController', ControllerImplementation), { enumerable: true });
  host.define('AbortSignal', expose('AbortSignal', SignalImplementation, { constructible: false, refusal: 'AbortSignal serialization is not enabled.' }), { enumerable: true });
  return { __proto__: null, newSignal, isSignal, isAborted, reasonOf, abort, onAbort };
})
