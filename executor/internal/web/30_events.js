// Event and its kin, EventTarget.
// Globals: Event CustomEvent MessageEvent ErrorEvent CloseEvent ExtendableEvent PromiseRejectionEvent EventTarget
// Globals: FetchEvent TailEvent TraceEvent ScheduledEvent addEventListener removeEventListener dispatchEvent reportError
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, list, push, SafeMap, ObjectDefineProperty } = P;
  const { expose, exposeFunction, receiver, illegal, missing, wrong, string, isObject } = host.load('idl');

  const phases = { __proto__: null, NONE: 0, CAPTURING_PHASE: 1, AT_TARGET: 2, BUBBLING_PHASE: 3 };
  const dictionary = (init, name, type = 'Init') => {
    if (init === undefined || init === null) return { __proto__: null };
    if (!isObject(init)) throw new TypeError(`Failed to construct '${name}': constructor parameter 2 is not of type '${type}'.`);
    return init;
  };
  let stateOf; // the mutable state of an event, undefined for anything else
  let trust;   // marks an event as the platform's own

  class EventImplementation {
    #state;

    static {
      stateOf = (value) => (isObject(value) && #state in value ? value.#state : undefined);
      trust = (event) => { event.#state.trusted = true; return event; };
    }

    constructor(type, init = undefined) {
      const options = dictionary(init, 'Event');
      this.#state = {
        __proto__: null, type: string(type), bubbles: !!options.bubbles, cancelable: !!options.cancelable, composed: !!options.composed,
        target: undefined, currentTarget: undefined, phase: 0, trusted: false, prevented: false, stopped: false, stoppedNow: false, dispatching: false,
      };
    }

    get type() { #state in receiver(this) || illegal(); return this.#state.type; }
    get eventPhase() { #state in receiver(this) || illegal(); return this.#state.phase; }
    get composed() { #state in receiver(this) || illegal(); return this.#state.composed; }
    get bubbles() { #state in receiver(this) || illegal(); return this.#state.bubbles; }
    get cancelable() { #state in receiver(this) || illegal(); return this.#state.cancelable; }
    get defaultPrevented() { #state in receiver(this) || illegal(); return this.#state.prevented; }
    get returnValue() { #state in receiver(this) || illegal(); return !this.#state.prevented; }
    get currentTarget() { #state in receiver(this) || illegal(); return this.#state.currentTarget; }
    get target() { #state in receiver(this) || illegal(); return this.#state.target; }
    get srcElement() { #state in receiver(this) || illegal(); return this.#state.target; }
    get timeStamp() { #state in receiver(this) || illegal(); return 0; }
    get isTrusted() { #state in receiver(this) || illegal(); return this.#state.trusted; }
    get cancelBubble() { #state in receiver(this) || illegal(); return this.#state.stopped; }
    set cancelBubble(value) { #state in receiver(this) || illegal(); if (value) this.#state.stopped = true; }
    stopImmediatePropagation() { #state in receiver(this) || illegal(); this.#state.stopped = this.#state.stoppedNow = true; }
    preventDefault() { #state in receiver(this) || illegal(); if (this.#state.cancelable) this.#state.prevented = true; }
    stopPropagation() { #state in receiver(this) || illegal(); this.#state.stopped = true; }
    composedPath() { #state in receiver(this) || illegal(); return this.#state.phase === 0 ? [] : [this.#state.currentTarget]; }
  }

  class CustomEventImplementation extends EventImplementation {
    #detail;
    constructor(type, init = undefined) {
      super(type, dictionary(init, 'CustomEvent', 'CustomEventInit'));
      this.#detail = init?.detail;
    }
    get detail() { #detail in receiver(this) || illegal(); return this.#detail; }
  }

  // Own read-only properties, which is what workerd gives these.
  const fixed = (object, key, value) => ObjectDefineProperty(object, key, { __proto__: null, value, writable: false, enumerable: true, configurable: true });

  class MessageEventImplementation extends EventImplementation {
    constructor(type, init = undefined) {
      super(type, dictionary(init, 'MessageEvent', 'Initializer'));
      fixed(this, 'ports', []);
      fixed(this, 'source', init?.source ?? null);
      fixed(this, 'lastEventId', init?.lastEventId === undefined ? '' : string(init.lastEventId));
      fixed(this, 'origin', init?.origin === undefined ? '' : string(init.origin));
      fixed(this, 'data', init?.data === undefined ? null : init.data);
    }
  }

  class CloseEventImplementation extends EventImplementation {
    constructor(type, init = undefined) {
      super(type, dictionary(init, 'CloseEvent', 'Initializer'));
      fixed(this, 'wasClean', !!init?.wasClean);
      fixed(this, 'reason', init?.reason === undefined ? '' : string(init.reason));
      fixed(this, 'code', init?.code === undefined ? 0 : init.code & 0xffff);
    }
  }

  class ErrorEventImplementation extends EventImplementation {
    #fields;
    constructor(type, init = undefined) {
      super(type, dictionary(init, 'ErrorEvent', 'ErrorEventInit'));
      this.#fields = {
        __proto__: null, filename: init?.filename === undefined ? '' : string(init.filename), message: init?.message === undefined ? '' : string(init.message),
        lineno: init?.lineno === undefined ? 0 : init.lineno | 0, colno: init?.colno === undefined ? 0 : init.colno | 0, error: init?.error,
      };
    }
    get filename() { #fields in receiver(this) || illegal(); return this.#fields.filename; }
    get message() { #fields in receiver(this) || illegal(); return this.#fields.message; }
    get lineno() { #fields in receiver(this) || illegal(); return this.#fields.lineno; }
    get colno() { #fields in receiver(this) || illegal(); return this.#fields.colno; }
    get error() { #fields in receiver(this) || illegal(); return this.#fields.error; }
  }

  class ExtendableEventImplementation extends EventImplementation {
    waitUntil() { stateOf(this) === undefined && illegal(); }
  }

  class PromiseRejectionEventImplementation extends EventImplementation {
    constructor(type, promise, reason) {
      super(type);
      fixed(this, 'reason', reason);
      fixed(this, 'promise', promise);
    }
  }

  const handlerOf = (listener) => {
    if (typeof listener === 'function') return listener;
    if (!isObject(listener)) throw wrong('addEventListener', 'EventTarget', 2, 'function or HandlerObject');
    if (typeof listener.handleEvent !== 'function') throw new TypeError("Incorrect type for the 'handleEvent' field on 'HandlerObject': the provided value is not of type 'function'.");
    return listener;
  };
  const flags = (options, method) => {
    if (options === undefined || options === null) return { __proto__: null };
    if (!isObject(options)) {
      if (options) throw new TypeError(`${method}(): useCapture must be false.`);
      return { __proto__: null };
    }
    if (options.capture) throw new TypeError(`${method}(): options.capture must be false.`);
    if (options.passive) throw new TypeError(`${method}(): options.passive must be false.`);
    return options;
  };

  let emit;       // emit(target, event): dispatches, trusted or not
  let setHandler; // an event handler attribute such as onabort
  let getHandler;

  // The global object is an EventTarget too: a constructor that returns it has TargetImplementation's fields put there.
  let marked;
  const Base = function () { return marked; };
  Base.prototype = P.ObjectPrototype;

  class TargetImplementation extends Base {
    #listeners = new SafeMap(); // type → list of {listener, once, removed}
    #handlers;                  // type → {callback, entry}

    addEventListener(type, listener, options = undefined) {
      const target = this ?? globalThis;
      #listeners in receiver(target) || illegal();
      missing(arguments.length, 'addEventListener', 'EventTarget', ['string', 'function or HandlerObject']);
      type = string(type);
      if (listener === null || listener === undefined) return;
      handlerOf(listener);
      const { once, signal } = flags(options, 'addEventListener');
      const abort = signal === undefined ? undefined : host.load('32_abort');
      if (abort !== undefined && !abort.isSignal(signal)) throw new TypeError("Incorrect type for the 'signal' field on 'AddEventListenerOptions': the provided value is not of type 'AbortSignal'.");
      if (abort?.isAborted(signal)) return;
      if (target === globalThis && (type === 'unhandledrejection' || type === 'rejectionhandled')) watchRejections();
      target.#add(type, listener, !!once);
      abort?.onAbort(signal, () => target.#remove(type, listener));
    }

    #add(type, listener, once) {
      let entries = this.#listeners.get(type);
      if (entries === undefined) this.#listeners.set(type, (entries = list()));
      for (let i = 0; i < entries.length; i++) if (entries[i].listener === listener) return entries[i];
      const entry = { __proto__: null, listener, once, removed: false };
      push(entries, entry);
      return entry;
    }

    removeEventListener(type, listener, options = undefined) {
      const target = this ?? globalThis;
      #listeners in receiver(target) || illegal();
      missing(arguments.length, 'removeEventListener', 'EventTarget', ['string', 'function or HandlerObject']);
      type = string(type);
      if (listener === null || listener === undefined) return;
      if (!isObject(listener)) throw wrong('removeEventListener', 'EventTarget', 2, 'function or HandlerObject');
      flags(options, 'removeEventListener');
      target.#remove(type, listener);
    }

    #remove(type, listener) {
      const entries = this.#listeners.get(type);
      if (entries === undefined) return;
      const rest = list();
      for (let i = 0; i < entries.length; i++) {
        if (entries[i].listener === listener) entries[i].removed = true;
        else push(rest, entries[i]);
      }
      this.#listeners.set(type, rest);
    }

    dispatchEvent(event) {
      const target = this ?? globalThis;
      #listeners in receiver(target) || illegal();
      const state = stateOf(event);
      if (state === undefined) throw wrong('dispatchEvent', 'EventTarget', 1, 'Event');
      if (state.dispatching) {
        const { DOMException } = host.load('12_domexception');
        throw new DOMException('The event is already being dispatched.', 'InvalidStateError');
      }
      return target.#dispatch(event, state);
    }

    #dispatch(event, state) {
      state.target = state.currentTarget = this;
      state.phase = 2;
      state.dispatching = true;
      const entries = this.#listeners.get(state.type);
      const snapshot = list();
      if (entries !== undefined) for (let i = 0; i < entries.length; i++) push(snapshot, entries[i]);
      try {
        this.#callProperty(event, state.type);
        for (let i = 0; i < snapshot.length && !state.stoppedNow; i++) {
          const entry = snapshot[i];
          if (entry.removed) continue;
          if (entry.once) this.#remove(state.type, entry.listener);
          if (typeof entry.listener === 'function') P.FunctionPrototypeCall(entry.listener, this, event);
          else P.FunctionPrototypeCall(entry.listener.handleEvent, entry.listener, event);
        }
      } finally {
        state.phase = 0;
        state.dispatching = state.stopped = state.stoppedNow = false;
      }
      return !state.prevented;
    }

    // A function that the program has put at on<type> is called before all listeners; the attributes of the platform,
    // such as onabort, have their place among them.
    #callProperty(event, type) {
      if (this.#handlers?.has(type)) return;
      const handler = this[`on${type}`];
      if (typeof handler === 'function') P.FunctionPrototypeCall(handler, this, event);
    }

    static {
      emit = (target, event) => target.#dispatch(event, stateOf(event));
      getHandler = (target, type) => target.#handlers?.get(type)?.callback ?? null;
      setHandler = (target, type, callback) => {
        const handlers = (target.#handlers ??= new SafeMap());
        const old = handlers.get(type);
        if (old !== undefined) target.#remove(type, old.relay);
        handlers.delete(type);
        if (!isObject(callback)) return;
        const relay = function (event) { return typeof callback === 'function' ? P.FunctionPrototypeCall(callback, this, event) : undefined; };
        handlers.set(type, { __proto__: null, callback, relay });
        target.#add(type, relay, false);
      };
    }
  }

  marked = globalThis;
  new TargetImplementation();
  marked = undefined;

  // Rejections are watched from the first listener on: what nobody handles by the end of the turn is reported.
  let watching = false;
  const watchRejections = () => {
    if (watching) return;
    watching = true;
    const unhandled = new SafeMap();
    const reported = new P.SafeWeakSet();
    let due = false;
    const before = host.extras().rejected; // who notes what no listener hears of
    const report = () => {
      due = false;
      const all = list();
      unhandled.forEach((reason, promise) => push(all, { __proto__: null, promise, reason }));
      unhandled.clear();
      for (let i = 0; i < all.length; i++) {
        reported.add(all[i].promise);
        emit(globalThis, trust(new PromiseRejectionEventImplementation('unhandledrejection', all[i].promise, all[i].reason)));
      }
    };
    host.extras().rejected = (...args) => {
      const promise = args[0];
      if (args.length === 1) before(promise);
      if (args.length > 1) {
        unhandled.set(promise, args[1]);
        if (!due) host.setTimeout(report, 0);
        due = true;
      } else if (unhandled.has(promise)) unhandled.delete(promise);
      else if (reported.delete(promise)) {
        host.setTimeout(() => emit(globalThis, trust(new PromiseRejectionEventImplementation('rejectionhandled', promise, undefined))), 0);
      }
    };
  };

  // Where an error was made, as far as its stack tells.
  const place = /(?:\(|at )([^\s()]+):(\d+):(\d+)\)?(?:\n|$)/;
  const reportError = (...args) => {
    missing(args.length, 'reportError', 'ServiceWorkerGlobalScope', ['Value']);
    const error = args[0];
    let text = 'Uncaught exception';
    try { text = `Uncaught ${P.String(error)}`; } catch { /* its own toString fails */ }
    const at = P.ErrorIsError(error) && typeof error.stack === 'string' ? P.RegExpPrototypeExec(place, error.stack) : null;
    const init = { __proto__: null, message: text, error, filename: at?.[1], lineno: at?.[2], colno: at?.[3] };
    emit(globalThis, trust(new ErrorEventImplementation('error', init)));
  };

  const required = ['string'];
  const define = (name, Class) => host.define(name, Class, { enumerable: true });
  define('Event', expose('Event', EventImplementation, { required, constants: phases }));
  define('CustomEvent', expose('CustomEvent', CustomEventImplementation, { required }));
  define('MessageEvent', expose('MessageEvent', MessageEventImplementation, { required }));
  define('ErrorEvent', expose('ErrorEvent', ErrorEventImplementation, { required }));
  define('CloseEvent', expose('CloseEvent', CloseEventImplementation, { required }));
  define('ExtendableEvent', expose('ExtendableEvent', ExtendableEventImplementation, { constructible: false }));
  define('PromiseRejectionEvent', expose('PromiseRejectionEvent', PromiseRejectionEventImplementation, { constructible: false }));
  class FetchEventImplementation extends ExtendableEventImplementation {
    respondWith() { illegal(); }
    passThroughOnException() { illegal(); }
  }
  class TailEventImplementation extends ExtendableEventImplementation {}
  class ScheduledEventImplementation extends ExtendableEventImplementation {
    noRetry() { illegal(); }
  }
  define('FetchEvent', expose('FetchEvent', FetchEventImplementation, { constructible: false }));
  define('TailEvent', expose('TailEvent', TailEventImplementation, { constructible: false }));
  define('TraceEvent', TailEventImplementation.prototype.constructor);
  define('ScheduledEvent', expose('ScheduledEvent', ScheduledEventImplementation, { constructible: false }));
  define('EventTarget', expose('EventTarget', TargetImplementation));
  const { prototype } = TargetImplementation;
  define('addEventListener', prototype.addEventListener);
  define('removeEventListener', prototype.removeEventListener);
  define('dispatchEvent', prototype.dispatchEvent);
  define('reportError', exposeFunction(P.hide(reportError)));
  return {
    __proto__: null, EventTarget: TargetImplementation, newEvent: (type, init) => trust(new EventImplementation(type, init)),
    newMessageEvent: (type, init) => trust(new MessageEventImplementation(type, init)),
    newCloseEvent: (type, init) => trust(new CloseEventImplementation(type, init)), newErrorEvent: (type, init) => trust(new ErrorEventImplementation(type, init)),
    emit, getHandler, setHandler,
  };
})
