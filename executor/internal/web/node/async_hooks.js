// node:async_hooks. Uses host.asyncContext {get, set, engage}: a value that the engine carries along promises and timers.
(function (host) {
  'use strict';
  const { checkFunction, checkString } = host.load('node/errors');
  // The context is a frozen chain of {store, value, parent}, undefined at its end.
  const { get, set, engage } = host.asyncContext;
  engage();
  const within = (context, fn, thisArg, args) => {
    const before = get();
    set(context);
    try {
      return Reflect.apply(fn, thisArg, args);
    } finally {
      set(before);
    }
  };

  class AsyncLocalStorage {
    #default;
    #name;
    constructor(options = undefined) {
      this.#default = options?.defaultValue;
      this.#name = options?.name ?? '';
    }
    get name() { return this.#name; }
    getStore() {
      for (let context = get(); context !== undefined; context = context.parent) if (context.store === this) return context.value;
      return this.#default;
    }
    run(value, fn, ...args) { return within({ store: this, value, parent: get() }, fn, undefined, args); }
    exit(fn, ...args) { return this.run(undefined, fn, ...args); }
    enterWith() { throw new Error('asyncLocalStorage.enterWith() is not implemented'); }
    disable() { throw new Error('asyncLocalStorage.disable() is not implemented'); }
    static bind(fn) {
      checkFunction(fn, 'fn');
      const context = get();
      return function (...args) { return within(context, fn, this, args); };
    }
    static snapshot() {
      const context = get();
      return (fn, ...args) => within(context, fn, undefined, args);
    }
  }

  class AsyncResource {
    #context = get();
    #type;
    constructor(type) {
      checkString(type, 'type');
      this.#type = type;
    }
    static bind(fn, type = undefined, thisArg = undefined) { return new AsyncResource(type ?? (fn.name || 'bound-anonymous-fn')).bind(fn, thisArg); }
    bind(fn, thisArg = undefined) {
      checkFunction(fn, 'fn');
      const resource = this;
      const bound = function (...args) { return resource.runInAsyncScope(fn, thisArg ?? this, ...args); };
      Object.defineProperties(bound, { length: { value: fn.length, configurable: true }, asyncResource: { value: this, configurable: true, writable: true, enumerable: true } });
      return bound;
    }
    runInAsyncScope(fn, thisArg = undefined, ...args) { return within(this.#context, fn, thisArg, args); }
    emitDestroy() { return this; }
    asyncId() { return 0; }
    triggerAsyncId() { return 0; }
    get type() { return this.#type; }
  }
  Object.defineProperty(AsyncResource.prototype, 'type', { enumerable: false });

  const nobody = { enable() { return nobody; }, disable() { return nobody; } };
  return {
    AsyncLocalStorage,
    AsyncResource,
    asyncWrapProviders: Object.freeze({ __proto__: null, NONE: 0 }),
    createHook: () => nobody,
    executionAsyncId: () => 0,
    executionAsyncResource: () => ({}),
    triggerAsyncId: () => 0,
  };
})
