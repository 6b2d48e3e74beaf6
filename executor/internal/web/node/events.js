// node:events.
(function (host) {
  'use strict';
  const { invalidType, withCode, checkFunction, checkNumber, checkSignal, abortError } = host.load('node/errors');
  const errorMonitor = Symbol('events.errorMonitor');
  const captureRejectionSymbol = Symbol.for('nodejs.rejection');
  const kCapture = Symbol('kCapture');
  let defaultMaxListeners = 10;

  function EventEmitter(options) {
    EventEmitter.init.call(this, options);
  }
  EventEmitter.init = function (options) {
    if (this._events === undefined || this._events === Object.getPrototypeOf(this)._events) {
      this._events = { __proto__: null };
      this._eventsCount = 0;
    }
    this._maxListeners ||= undefined;
    this[kCapture] = options?.captureRejections === undefined ? EventEmitter.prototype[kCapture] : Boolean(options.captureRejections);
  };
  Object.defineProperty(EventEmitter, 'init', { enumerable: false });
  EventEmitter.prototype._events = undefined;
  EventEmitter.prototype._eventsCount = 0;
  EventEmitter.prototype._maxListeners = undefined;
  EventEmitter.prototype[kCapture] = false;

  const checkListener = (listener) => checkFunction(listener, 'listener');
  const listOf = (emitter, type) => {
    const listeners = emitter._events?.[type];
    return listeners === undefined ? [] : typeof listeners === 'function' ? [listeners] : listeners;
  };
  const plain = (listeners) => listeners.map((fn) => fn.listener ?? fn);

  const methods = {
    setMaxListeners(n) {
      checkNumber(n, 'setMaxListeners', 0);
      this._maxListeners = n;
      return this;
    },
    getMaxListeners() { return this._maxListeners ?? defaultMaxListeners; },
    emit(type, ...args) {
      const events = this._events;
      if (type === 'error') {
        if (events?.[errorMonitor] !== undefined) this.emit(errorMonitor, ...args);
        if (events?.error === undefined) throw unhandled(args);
      }
      const handler = events?.[type];
      if (handler === undefined) return false;
      const listeners = typeof handler === 'function' ? [handler] : handler.slice();
      for (const listener of listeners) {
        const result = Reflect.apply(listener, this, args);
        if (this[kCapture] && result !== undefined && result !== null && typeof result.then === 'function') watch(this, result, type, args);
      }
      return true;
    },
    addListener(type, listener) { return add(this, type, listener, false); },
    on(type, listener) { return add(this, type, listener, false); },
    prependListener(type, listener) { return add(this, type, listener, true); },
    once(type, listener) {
      checkListener(listener);
      return this.on(type, onceOf(this, type, listener));
    },
    prependOnceListener(type, listener) {
      checkListener(listener);
      return this.prependListener(type, onceOf(this, type, listener));
    },
    removeListener(type, listener) {
      checkListener(listener);
      const listeners = listOf(this, type);
      const at = listeners.findLastIndex((fn) => fn === listener || fn.listener === listener);
      if (at < 0) return this;
      const [gone] = [listeners[at]];
      const rest = listeners.toSpliced(at, 1);
      if (rest.length > 0) this._events[type] = rest.length === 1 ? rest[0] : rest;
      else {
        delete this._events[type];
        this._eventsCount--;
      }
      if (this._events.removeListener !== undefined) this.emit('removeListener', type, gone.listener ?? gone);
      return this;
    },
    removeAllListeners(type) {
      if (this._events === undefined) return this;
      const types = arguments.length > 0 ? [type] : Reflect.ownKeys(this._events).filter((key) => key !== 'removeListener').concat('removeListener');
      for (const key of types) for (const listener of listOf(this, key).toReversed()) this.removeListener(key, listener);
      return this;
    },
    listeners(type) { return plain(listOf(this, type)); },
    rawListeners(type) { return listOf(this, type).slice(); },
    listenerCount(type, listener) {
      const listeners = listOf(this, type);
      return typeof listener === 'function' ? listeners.filter((fn) => fn === listener || fn.listener === listener).length : listeners.length;
    },
    eventNames() { return this._eventsCount > 0 ? Reflect.ownKeys(this._events) : []; },
  };
  methods.off = methods.removeListener;
  Object.assign(EventEmitter.prototype, methods);

  const unhandled = (args) => {
    const [error] = args;
    if (error instanceof Error) return error;
    const { inspect } = host.load('node/inspect');
    const failure = withCode(Error, 'ERR_UNHANDLED_ERROR', `Unhandled error.${args.length > 0 ? ` (${typeof error === 'string' ? `'${error}'` : inspect(error)})` : ''}`);
    failure.context = error;
    return failure;
  };
  const watch = (emitter, promise, type, args) => promise.then(undefined, (error) => {
    queueMicrotask(() => {
      if (typeof emitter[captureRejectionSymbol] === 'function') emitter[captureRejectionSymbol](error, type, ...args);
      else emitter.emit('error', error);
    });
  });
  const add = (emitter, type, listener, first) => {
    checkListener(listener);
    if (emitter._events === undefined) {
      emitter._events = { __proto__: null };
      emitter._eventsCount = 0;
    } else if (emitter._events.newListener !== undefined) emitter.emit('newListener', type, listener.listener ?? listener);
    const listeners = emitter._events[type];
    if (listeners === undefined) {
      emitter._events[type] = listener;
      emitter._eventsCount++;
    } else {
      const old = typeof listeners === 'function' ? [listeners] : listeners;
      emitter._events[type] = first ? [listener, ...old] : [...old, listener];
    }
    return emitter;
  };
  const onceOf = (emitter, type, listener) => {
    const wrapped = function (...args) {
      emitter.removeListener(type, wrapped);
      return Reflect.apply(listener, emitter, args);
    };
    wrapped.listener = listener;
    return wrapped;
  };

  // ---- statics

  const isTarget = (value) => typeof value?.addEventListener === 'function';
  const subscribe = (emitter, name, listener, options) => {
    if (typeof emitter?.on === 'function') options?.once ? emitter.once(name, listener) : emitter.on(name, listener);
    else if (isTarget(emitter)) emitter.addEventListener(name, listener, options);
    else throw invalidType('emitter', 'an instance of EventEmitter', emitter);
  };
  const unsubscribe = (emitter, name, listener) => {
    if (typeof emitter.removeListener === 'function') emitter.removeListener(name, listener);
    else emitter.removeEventListener(name, listener);
  };
  const addAbortListener = (signal, listener) => {
    if (signal === undefined) throw invalidType('signal', 'an instance of AbortSignal', signal);
    checkSignal(signal, 'signal');
    checkListener(listener);
    if (signal.aborted) queueMicrotask(() => listener());
    else signal.addEventListener('abort', listener, { once: true });
    return { __proto__: null, [Symbol.dispose]() { signal.removeEventListener('abort', listener); } };
  };
  async function once(emitter, name, options = undefined) {
    const signal = options?.signal;
    checkSignal(signal, 'options.signal');
    if (signal?.aborted) throw abortError(signal.reason);
    return new Promise((resolve, reject) => {
      const done = (settle) => (value) => {
        unsubscribe(emitter, name, onValue);
        if (name !== 'error' && typeof emitter.on === 'function') emitter.removeListener('error', onError);
        signal?.removeEventListener('abort', onAbort);
        settle(value);
      };
      const onValue = (...args) => done(resolve)(args);
      const onError = done(reject);
      const onAbort = () => done(reject)(abortError(signal.reason));
      subscribe(emitter, name, onValue);
      if (name !== 'error' && typeof emitter.on === 'function') emitter.on('error', onError);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
  function on(emitter, name, options = undefined) {
    const signal = options?.signal;
    checkSignal(signal, 'options.signal');
    if (signal?.aborted) throw abortError(signal.reason);
    const values = [];
    const waiting = [];
    let failure;
    let finished = false;
    const onValue = (...args) => (waiting.length > 0 ? waiting.shift().resolve({ value: args, done: false }) : values.push(args));
    const onError = (error) => {
      if (waiting.length > 0) waiting.shift().reject(error);
      else failure = { error };
      iterator.return();
    };
    const onAbort = () => onError(abortError(signal.reason));
    const onClose = () => iterator.return();
    const iterator = {
      __proto__: Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype),
      async next() {
        if (values.length > 0) return { value: values.shift(), done: false };
        if (failure !== undefined) {
          const { error } = failure;
          failure = undefined;
          throw error;
        }
        if (finished) return { value: undefined, done: true };
        return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
      },
      async return() {
        finished = true;
        unsubscribe(emitter, name, onValue);
        if (typeof emitter.removeListener === 'function') emitter.removeListener('error', onError);
        for (const event of options?.close ?? []) unsubscribe(emitter, event, onClose);
        signal?.removeEventListener('abort', onAbort);
        for (const { resolve } of waiting.splice(0)) resolve({ value: undefined, done: true });
        return { value: undefined, done: true };
      },
      async throw(error) {
        if (!(error instanceof Error)) throw invalidType('EventEmitter.AsyncIterator', 'an instance of Error', error);
        onError(error);
      },
    };
    subscribe(emitter, name, onValue);
    if (name !== 'error' && typeof emitter.on === 'function') emitter.on('error', onError);
    for (const event of options?.close ?? []) subscribe(emitter, event, onClose);
    signal?.addEventListener('abort', onAbort, { once: true });
    return iterator;
  }

  class EventEmitterAsyncResource extends EventEmitter {
    #resource;
    constructor(options = undefined) {
      super(options);
      const { AsyncResource } = host.load('node/async_hooks');
      this.#resource = new AsyncResource(options?.name ?? new.target.name);
    }
    emit(event, ...args) { return this.#resource.runInAsyncScope(super.emit, this, event, ...args); }
    emitDestroy() { this.#resource.emitDestroy(); }
    get asyncId() { return this.#resource.asyncId(); }
    get triggerAsyncId() { return this.#resource.triggerAsyncId(); }
    get asyncResource() { return this.#resource; }
  }

  const targets = new WeakMap(); // EventTarget → its own limit
  Object.assign(EventEmitter, {
    EventEmitter,
    EventEmitterAsyncResource,
    addAbortListener,
    captureRejectionSymbol,
    errorMonitor,
    getEventListeners(emitter, type) {
      if (typeof emitter?.listeners === 'function') return emitter.listeners(type);
      if (isTarget(emitter)) return [];
      throw invalidType('emitter', 'an instance of EventEmitter or EventTarget', emitter);
    },
    getMaxListeners(emitter) {
      if (typeof emitter?.getMaxListeners === 'function') return emitter.getMaxListeners();
      if (isTarget(emitter)) return targets.get(emitter) ?? defaultMaxListeners;
      throw invalidType('emitter', 'an instance of EventEmitter or EventTarget', emitter);
    },
    listenerCount: (emitter, type) => emitter.listenerCount(type),
    on,
    once,
    setMaxListeners(n = defaultMaxListeners, ...emitters) {
      checkNumber(n, 'setMaxListeners', 0);
      if (emitters.length === 0) defaultMaxListeners = n;
      for (const emitter of emitters) typeof emitter.setMaxListeners === 'function' ? emitter.setMaxListeners(n) : targets.set(emitter, n);
    },
    usingDomains: false,
  });
  Object.defineProperty(EventEmitter, 'captureRejections', {
    get: () => EventEmitter.prototype[kCapture],
    set: (value) => { EventEmitter.prototype[kCapture] = Boolean(value); },
    enumerable: true, configurable: true,
  });
  Object.defineProperty(EventEmitter, 'defaultMaxListeners', {
    get: () => defaultMaxListeners,
    set: (value) => {
      checkNumber(value, 'defaultMaxListeners', 0);
      defaultMaxListeners = value;
    },
    enumerable: true, configurable: true,
  });
  return EventEmitter;
})
