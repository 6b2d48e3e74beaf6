// The queuing strategies, and how a stream reads one.
// Globals: ByteLengthQueuingStrategy CountQueuingStrategy
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError } = P;
  const { expose, receiver, illegal, isObject } = host.load('idl');

  const initOf = (init, name) => {
    if (!isObject(init)) throw new TypeError(`Failed to construct '${name}': constructor parameter 1 is not of type 'QueuingStrategyInit'.`);
    return init.highWaterMark === undefined ? 0 : +init.highWaterMark;
  };
  // Each read of size gives a function of its own, without a length or a name.
  const byteLength = () => P.ObjectDefineProperty(P.hide((chunk) => chunk?.byteLength, ''), 'length', { __proto__: null, value: 0, configurable: true });
  const one = () => P.hide(() => 1, '');

  class ByteLength {
    #mark;
    constructor(init) { this.#mark = initOf(init, 'ByteLengthQueuingStrategy'); }
    get highWaterMark() { #mark in receiver(this) || illegal(); return this.#mark; }
    get size() { #mark in receiver(this) || illegal(); return byteLength(); }
  }
  class Count {
    #mark;
    constructor(init) { this.#mark = initOf(init, 'CountQueuingStrategy'); }
    get highWaterMark() { #mark in receiver(this) || illegal(); return this.#mark; }
    get size() { #mark in receiver(this) || illegal(); return one(); }
  }
  host.define('ByteLengthQueuingStrategy', expose('ByteLengthQueuingStrategy', ByteLength, { required: ['QueuingStrategyInit'] }), { enumerable: true });
  host.define('CountQueuingStrategy', expose('CountQueuingStrategy', Count, { required: ['QueuingStrategyInit'] }), { enumerable: true });

  // Reads a strategy, which is a constructor's parameter, into {mark, size}, size being undefined when every chunk counts one.
  const strategyOf = (strategy, fallback, name, parameter = 2) => {
    if (strategy === undefined || strategy === null) return { __proto__: null, mark: fallback, size: undefined };
    if (!isObject(strategy)) throw new TypeError(`Failed to construct '${name}': constructor parameter ${parameter} is not of type 'StreamQueuingStrategy'.`);
    const { highWaterMark, size } = strategy;
    let mark = fallback;
    if (highWaterMark !== undefined) {
      mark = +highWaterMark;
      if (mark !== mark) throw new TypeError('The value cannot be converted because it is not an integer.');
      if (mark < 0) throw new TypeError('The value cannot be converted because it is negative and this API expects a positive bigint.');
    }
    if (size !== undefined && typeof size !== 'function') throw new TypeError("Incorrect type for the 'size' field on 'StreamQueuingStrategy': the provided value is not of type 'function'.");
    return { __proto__: null, mark, size };
  };
  // The size of a chunk, checked.
  const sizeOf = (size, chunk) => {
    if (size === undefined) return 1;
    const value = +P.FunctionPrototypeCall(size, undefined, chunk);
    if (!(value >= 0 && value < Infinity)) throw new P.RangeError('The size of a chunk must be a finite number that is not negative.');
    return value;
  };
  // The methods of an underlying source, sink or transformer, bound to it; undefined where it has none.
  const methodOf = (object, key, type) => {
    const method = object[key];
    if (method === undefined) return undefined;
    if (typeof method !== 'function') throw new TypeError(`Incorrect type for the '${key}' field on '${type}': the provided value is not of type 'function'.`);
    return (...args) => P.ReflectApply(method, object, args);
  };
  // Calls fn and turns what it returns or throws into a promise.
  const attempt = (fn, ...args) => {
    try { return P.PromiseResolve(fn === undefined ? undefined : P.ReflectApply(fn, undefined, args)); } catch (error) { return P.PromiseReject(error); }
  };
  return { __proto__: null, strategyOf, sizeOf, methodOf, attempt };
})
