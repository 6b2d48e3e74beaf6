// node:timers and node:timers/promises.
(function (host) {
  'use strict';
  const { checkFunction, checkObject, checkSignal, abortError } = host.load('node/errors');
  // The timers as they are when this module is first imported.
  const { setTimeout, clearTimeout, setInterval, setImmediate, clearImmediate } = globalThis;

  class Timeout {
    #id;
    #repeat;
    #run;
    #delay;
    constructor(callback, delay = 1, args = [], repeat = false) {
      checkFunction(callback, 'callback');
      this.#repeat = repeat;
      this.#delay = delay;
      this.#run = () => Reflect.apply(callback, this, args);
      this.refresh();
    }
    hasRef() { return true; }
    ref() { return this; }
    unref() { return this; }
    refresh() {
      clearTimeout(this.#id);
      this.#id = this.#repeat ? setInterval(this.#run, this.#delay) : setTimeout(this.#run, this.#delay);
      return this;
    }
    close() {
      clearTimeout(this.#id);
      return this;
    }
    [Symbol.toPrimitive]() { return this.#id; }
    [Symbol.dispose]() { this.close(); }
  }
  const clearTimer = (timer) => {
    if (timer instanceof Timeout) timer.close();
    else clearTimeout(typeof timer === 'string' ? Number(timer) : timer);
  };

  const optionsOf = (options) => {
    checkObject(options, 'options');
    checkSignal(options.signal, 'options.signal');
    return options;
  };
  const cancellable = (start, stop) => (value, options = {}) => {
    const { signal } = optionsOf(options);
    if (signal?.aborted) return Promise.reject(abortError(signal.reason));
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        stop(timer);
        reject(abortError(signal.reason));
      };
      const timer = start(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve(value);
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  };
  const promises = {
    setTimeout: async (delay, value, options) => cancellable((done) => setTimeout(done, delay), clearTimeout)(value, options),
    setImmediate: async (value, options) => cancellable((done) => setImmediate(done), clearImmediate)(value, options),
    setInterval: async function* (delay, value, options = {}) {
      const { signal } = optionsOf(options);
      if (signal?.aborted) throw abortError(signal.reason);
      for (;;) yield await promises.setTimeout(delay, value, options);
    },
    scheduler: {
      wait: (delay, options) => promises.setTimeout(delay, undefined, options),
      yield: () => promises.setImmediate(),
    },
  };
  return {
    [Symbol.for('codemode.exports')]: { Timeout },
    active: (timer) => timer?.refresh?.(),
    clearImmediate: (immediate) => clearImmediate(immediate),
    clearInterval: clearTimer,
    clearTimeout: clearTimer,
    enroll: () => { throw new Error('Not implemented. timers.enroll() is deprecated.'); },
    promises,
    setImmediate: (callback, ...args) => {
      checkFunction(callback, 'callback');
      return setImmediate(callback, ...args);
    },
    setInterval: (callback, delay, ...args) => new Timeout(callback, delay, args, true),
    setTimeout: (callback, delay, ...args) => new Timeout(callback, delay, args),
    unenroll: clearTimer,
  };
})
