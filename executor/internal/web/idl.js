// What the interfaces of this directory share: Web IDL's calling conventions as workerd has them.
// Offers (host.load('idl')): expose, exposeFunction, missing, wrong, illegal, receiver, string, usvString, isObject, interfaces,
// bytesOf, copyOf, iterators.
(function (host) {
  'use strict';
  const P = host.primordials;
  const { define, hide, TypeError, ObjectDefineProperty, ReflectConstruct, ReflectOwnKeys, StringPrototypeToWellFormed, Uint8Array } = P;
  const { ObjectGetOwnPropertyDescriptor, ObjectSetPrototypeOf, ObjectCreate, ArrayBufferIsView, SymbolToStringTag } = P;

  const illegal = () => {
    throw new TypeError('Illegal invocation: function called with incorrect `this` reference. ' +
      'See https://developers.cloudflare.com/workers/observability/errors/#illegal-invocation-errors for details.');
  };

  // receiver is what a member was called on, for the check of its brand: a primitive has none.
  const receiver = (self) => (typeof self === 'object' && self !== null || typeof self === 'function' ? self : illegal());

  // Gives the members of an implementation class Web IDL's flags: enumerable, without length.
  const dress = (target) => {
    const keys = ReflectOwnKeys(target);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (key === 'constructor') continue;
      const descriptor = ObjectGetOwnPropertyDescriptor(target, key);
      if (typeof descriptor.get === 'function') hide(descriptor.get);
      if (typeof descriptor.set === 'function') hide(descriptor.set);
      if (typeof descriptor.value === 'function') ObjectDefineProperty(hide(descriptor.value), 'length', { __proto__: null, value: 0 });
      ObjectDefineProperty(target, key, { __proto__: null, enumerable: typeof key === 'string' });
    }
  };

  // prototype → {name, clone, refusal} of every interface made here: what structuredClone needs to know.
  const interfaces = new P.SafeMap();

  // Makes the public constructor of an implementation class and returns it. required lists the types of
  // the parameters that must be given (null for one that may be missing all the same); constructible false refuses programs ("Illegal constructor").
  // constants go on both the constructor and the prototype, read-only. clone(object) is for structuredClone,
  // which otherwise refuses instances, with refusal as its text when there is one.
  const expose = (name, Implementation, { required = [], constructible = true, constants, clone, refusal } = {}) => {
    const Interface = {
      [name]: function () {
        if (!constructible) throw new TypeError('Illegal constructor');
        if (new.target === undefined) {
          throw new TypeError(`Failed to construct '${name}': Please use the 'new' operator, this object constructor cannot be called as a function.`);
        }
        for (let i = arguments.length; i < required.length; i++) {
          if (required[i] !== null) throw new TypeError(`Failed to construct '${name}': constructor parameter ${i + 1} is not of type '${required[i]}'.`);
        }
        return ReflectConstruct(Implementation, arguments, new.target);
      },
    }[name];
    hide(Interface, name);
    const prototype = Implementation.prototype;
    dress(prototype);
    const statics = ReflectOwnKeys(Implementation);
    for (let i = 0; i < statics.length; i++) {
      const key = statics[i];
      if (key === 'length' || key === 'name' || key === 'prototype') continue;
      const fn = Implementation[key];
      define(Interface, key, hide(fn), true);
      ObjectDefineProperty(fn, 'length', { __proto__: null, value: 0 });
    }
    for (const key in constants) {
      const constant = { __proto__: null, value: constants[key], writable: false, enumerable: true, configurable: true };
      ObjectDefineProperty(Interface, key, constant);
      ObjectDefineProperty(prototype, key, constant);
    }
    interfaces.set(prototype, { __proto__: null, name, clone, refusal });
    P.ReflectDeleteProperty(prototype, 'constructor'); // workerd lists it after the other members
    define(prototype, 'constructor', Interface);
    define(prototype, SymbolToStringTag, name);
    ObjectDefineProperty(Interface, 'prototype', { __proto__: null, value: prototype, writable: true, enumerable: false, configurable: false });
    return Interface;
  };

  // Makes a global function of fn, which refuses to be the method of anything else.
  const exposeFunction = (fn) => {
    const { [fn.name]: exposed } = {
      [fn.name](...args) {
        if (this !== undefined && this !== null && this !== globalThis) illegal();
        return P.ReflectApply(fn, undefined, args);
      },
    };
    return hide(exposed);
  };

  // The error of a call with too few arguments or a wrong one; index counts from one.
  const wrong = (method, on, index, type) => new TypeError(`Failed to execute '${method}' on '${on}': parameter ${index} is not of type '${type}'.`);
  const missing = (given, method, on, types) => {
    if (given < types.length) throw wrong(method, on, given + 1, types[given]);
  };

  const string = (value) => `${value}`;
  const usvString = (value) => StringPrototypeToWellFormed(`${value}`);
  const isObject = (value) => typeof value === 'object' && value !== null || typeof value === 'function';

  const isBuffer = (value) => {
    if (typeof value !== 'object' || value === null) return false;
    try { P.ArrayBufferPrototypeGetByteLength(value); return true; } catch { /* not an ArrayBuffer */ }
    try { P.SharedArrayBufferPrototypeGetByteLength(value); return true; } catch { return false; }
  };

  // A Uint8Array over the bytes of a buffer or view, without copying, and none where it is detached; undefined for anything
  // else.
  const bytesOf = (value) => {
    if (!ArrayBufferIsView(value)) return isBuffer(value) ? isDetached(value) ? new Uint8Array() : new Uint8Array(value) : undefined;
    const isData = P.TypedArrayPrototypeGetTag(value) === undefined;
    const buffer = isData ? P.DataViewPrototypeGetBuffer(value) : P.TypedArrayPrototypeGetBuffer(value);
    if (isDetached(buffer)) return new Uint8Array();
    if (isData) return new Uint8Array(buffer, P.DataViewPrototypeGetByteOffset(value), P.DataViewPrototypeGetByteLength(value));
    return new Uint8Array(buffer, P.TypedArrayPrototypeGetByteOffset(value), P.TypedArrayPrototypeGetByteLength(value));
  };
  const isDetached = (buffer) => {
    try { return P.ArrayBufferPrototypeGetDetached(buffer); } catch { return false; } // shared memory stays
  };
  const lengthOf = (bytes) => P.TypedArrayPrototypeGetLength(bytes);
  const copyOf = (bytes) => {
    const copy = new Uint8Array(lengthOf(bytes));
    P.TypedArrayPrototypeSet(copy, bytes);
    return copy;
  };
  // One Uint8Array out of a list() of them.
  const concat = (list) => {
    let total = 0;
    for (let i = 0; i < list.length; i++) total += lengthOf(list[i]);
    const out = new Uint8Array(total);
    for (let i = 0, at = 0; i < list.length; at += lengthOf(list[i++])) P.TypedArrayPrototypeSet(out, list[i], at);
    return out;
  };

  // Iterators of a pair list. entryAt(index) returns a [key, value] list, or undefined at the end.
  const steps = new P.SafeWeakMap();
  const iteratorPrototype = (name) => {
    const Iterator = class {
      next() {
        const step = steps.get(this);
        return step === undefined ? illegal() : step();
      }
    };
    ObjectSetPrototypeOf(Iterator.prototype, P.IteratorPrototype);
    expose(name, Iterator, { constructible: false });
    return Iterator.prototype;
  };
  const prototypes = { __proto__: null };
  const iterate = (name, pick) => (entryAt) => {
    prototypes[name] ??= iteratorPrototype(name);
    const iterator = ObjectCreate(prototypes[name]);
    let index = 0;
    steps.set(iterator, () => {
      const entry = index < 0 ? undefined : entryAt(index++);
      if (entry === undefined) {
        index = -1;
        return { value: undefined, done: true };
      }
      return { value: pick(entry), done: false };
    });
    return iterator;
  };
  const iterators = {
    __proto__: null,
    entries: iterate('EntryIterator', (entry) => [entry[0], entry[1]]),
    keys: iterate('KeyIterator', (entry) => entry[0]),
    values: iterate('ValueIterator', (entry) => entry[1]),
  };

  return {
    __proto__: null, expose, exposeFunction, missing, wrong, illegal, receiver, string, usvString, isObject, interfaces, isBuffer, bytesOf, lengthOf, copyOf, concat, iterators,
  };
})
