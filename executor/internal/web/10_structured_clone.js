// structuredClone: the HTML standard's serialisation and deserialisation in one pass, with V8's and
// workerd's error texts. Uses host.isProxy(value) where the worker has it.
// Globals: structuredClone
(function (host) {
  'use strict';
  const P = host.primordials;
  const { define, list, push, arrayFrom, TypeError, ArrayIsArray, ArrayBufferIsView, ObjectKeys, ObjectGetOwnPropertyDescriptor, ObjectGetPrototypeOf, ObjectPrototypeToString, SafeMap } = P;
  const { isObject, wrong, missing, exposeFunction, interfaces } = host.load('idl');
  const isProxy = host.isProxy ?? (() => false);

  const refuse = (message) => {
    const { DOMException } = host.load('12_domexception');
    return new DOMException(message, 'DataCloneError');
  };

  // The value of a data property, own or inherited, without running a getter.
  const peek = (object, key) => {
    for (let o = object; o !== null; o = ObjectGetPrototypeOf(o)) {
      const descriptor = ObjectGetOwnPropertyDescriptor(o, key);
      if (descriptor !== undefined) return 'value' in descriptor ? descriptor.value : undefined;
    }
    return undefined;
  };
  const objectToString = P.ObjectPrototype.toString;

  // The text V8 gives a value that it cannot clone.
  const render = (value) => {
    if (value === globalThis) return '#<ServiceWorkerGlobalScope>';
    if (isProxy(value)) return '#<Object>';
    const constructor = peek(value, 'constructor');
    if (peek(value, 'toString') === objectToString && typeof constructor === 'function') {
      const name = peek(constructor, 'name');
      if (typeof name === 'string' && name !== '') return `#<${name}>`;
    }
    return ObjectPrototypeToString(value);
  };
  const uncloneable = (value) => {
    const text = typeof value === 'symbol' ? P.SymbolPrototypeToString(value) : typeof value === 'function' ? P.FunctionPrototypeToString(value) : render(value);
    return refuse(`${text} could not be cloned.`);
  };

  // What an object is by the builtin prototypes it inherits, each confirmed by a method that only accepts
  // the real thing; 'refused' when V8 does not clone its kind.
  const brands = new SafeMap();
  const brand = (Class, name, check) => brands.set(Class.prototype, { __proto__: null, name, check });
  brand(P.Map, 'Map', P.MapPrototypeGetSize);
  brand(P.Set, 'Set', P.SetPrototypeGetSize);
  brand(P.Date, 'Date', P.DatePrototypeGetTime);
  brand(P.RegExp, 'RegExp', (value) => P.RegExpPrototypeExec(value, ''));
  brand(P.ArrayBuffer, 'ArrayBuffer', P.ArrayBufferPrototypeGetByteLength);
  brand(P.SharedArrayBuffer, 'SharedArrayBuffer', P.SharedArrayBufferPrototypeGetByteLength);
  brand(P.Boolean, 'Boolean', P.BooleanPrototypeValueOf);
  brand(P.Number, 'Number', P.NumberPrototypeValueOf);
  brand(P.String, 'String', P.StringPrototypeValueOf);
  brand(P.BigInt, 'BigInt', P.BigIntPrototypeValueOf);
  const always = () => {};
  const refusedPrototype = (prototype) => brands.set(prototype, { __proto__: null, name: 'refused', check: always });
  refusedPrototype(P.WeakMap.prototype);
  refusedPrototype(P.WeakSet.prototype);
  refusedPrototype(P.WeakRef.prototype);
  refusedPrototype(P.Promise.prototype);
  refusedPrototype(P.Symbol.prototype);
  refusedPrototype(P.ArrayIteratorPrototype);
  refusedPrototype(ObjectGetPrototypeOf(P.MapPrototypeEntries(new P.Map())));
  refusedPrototype(ObjectGetPrototypeOf(P.SetPrototypeValues(new P.Set())));
  refusedPrototype(ObjectGetPrototypeOf((function* () {}).prototype));
  refusedPrototype(ObjectGetPrototypeOf((async function* () {}).prototype));
  const intl = P.ReflectOwnKeys(P.Intl);
  for (let i = 0; i < intl.length; i++) {
    const Class = peek(P.Intl, intl[i]);
    if (typeof Class === 'function' && isObject(peek(Class, 'prototype'))) refusedPrototype(Class.prototype);
  }

  const brandOf = (value) => {
    for (let o = ObjectGetPrototypeOf(value); o !== null && o !== P.ObjectPrototype; o = ObjectGetPrototypeOf(o)) {
      const found = brands.get(o);
      if (found === undefined) continue;
      try {
        found.check(value);
        return found.name;
      } catch {
        return undefined;
      }
    }
    if (value === globalThis) return 'refused';
    const tag = ObjectPrototypeToString(value);
    return tag === '[object Error]' ? 'Error' : tag === '[object Arguments]' ? 'refused' : undefined;
  };

  const interfaceOf = (value) => {
    for (let o = ObjectGetPrototypeOf(value); o !== null && o !== P.ObjectPrototype; o = ObjectGetPrototypeOf(o)) {
      const found = interfaces.get(o);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  const errorClasses = {
    __proto__: null, EvalError: P.EvalError, RangeError: P.RangeError, ReferenceError: P.ReferenceError, SyntaxError: P.SyntaxError, TypeError: P.TypeError,
    URIError: P.URIError,
  };
  const isDetached = (buffer) => {
    try { return P.ArrayBufferPrototypeGetDetached(buffer); } catch { return false; } // shared
  };

  class Cloner {
    memory = new SafeMap();

    clone(value) {
      if (typeof value === 'symbol' || typeof value === 'function') throw uncloneable(value);
      if (typeof value !== 'object' || value === null) return value;
      const known = this.memory.get(value);
      if (known !== undefined) return known;
      if (isProxy(value)) throw uncloneable(value);
      if (ArrayIsArray(value)) return this.array(value);
      if (ArrayBufferIsView(value)) return this.view(value);
      if (P.ErrorIsError(value)) return this.error(value);
      const prototype = ObjectGetPrototypeOf(value);
      if (prototype !== null && prototype !== P.ObjectPrototype) {
        const platform = interfaceOf(value);
        if (platform !== undefined) return this.platform(value, platform);
      }
      return this.branded(value, brandOf(value));
    }

    remember(value, copy) {
      this.memory.set(value, copy);
      return copy;
    }

    platform(value, { name, clone, refusal }) {
      if (clone === undefined) throw refuse(refusal ?? `Could not serialize object of type "${name}". This type does not support serialization.`);
      return this.remember(value, clone(value));
    }

    branded(value, name) {
      switch (name) {
        case undefined: return this.properties(value, this.remember(value, {}));
        case 'Boolean': return this.remember(value, P.Object(P.BooleanPrototypeValueOf(value)));
        case 'Number': return this.remember(value, P.Object(P.NumberPrototypeValueOf(value)));
        case 'String': return this.remember(value, P.Object(P.StringPrototypeValueOf(value)));
        case 'BigInt': return this.remember(value, P.Object(P.BigIntPrototypeValueOf(value)));
        case 'Date': return this.remember(value, new P.Date(P.DatePrototypeGetTime(value)));
        case 'RegExp': return this.remember(value, new P.RegExp(P.RegExpPrototypeGetSource(value), P.RegExpPrototypeGetFlags(value)));
        case 'Map': return this.map(value);
        case 'Set': return this.set(value);
        case 'ArrayBuffer': return this.buffer(value);
        case 'SharedArrayBuffer': return this.remember(value, value);
      }
      throw uncloneable(value);
    }

    buffer(value) {
      if (isDetached(value)) throw refuse('An ArrayBuffer is detached and could not be cloned.');
      const length = P.ArrayBufferPrototypeGetByteLength(value);
      const copy = P.ArrayBufferPrototypeGetResizable(value)
        ? new P.ArrayBuffer(length, { __proto__: null, maxByteLength: P.ArrayBufferPrototypeGetMaxByteLength(value) })
        : new P.ArrayBuffer(length);
      P.TypedArrayPrototypeSet(new P.Uint8Array(copy), new P.Uint8Array(value));
      return this.remember(value, copy);
    }

    view(value) {
      const name = P.TypedArrayPrototypeGetTag(value);
      const source = name === undefined ? P.DataViewPrototypeGetBuffer(value) : P.TypedArrayPrototypeGetBuffer(value);
      if (isDetached(source) && this.memory.get(source) === undefined) throw refuse('An ArrayBuffer is detached and could not be cloned.');
      const shape = this.shapes?.get(value) ?? shapeOf(value, name);
      const buffer = this.clone(source);
      return this.remember(value, new P[name ?? 'DataView'](buffer, shape.offset, shape.length));
    }

    map(value) {
      const copy = this.remember(value, new P.Map());
      const entries = list();
      P.MapPrototypeForEach(value, (item, key) => { push(entries, key); push(entries, item); });
      for (let i = 0; i < entries.length; i += 2) P.MapPrototypeSet(copy, this.clone(entries[i]), this.clone(entries[i + 1]));
      return copy;
    }

    set(value) {
      const copy = this.remember(value, new P.Set());
      const items = list();
      P.SetPrototypeForEach(value, (item) => push(items, item));
      for (let i = 0; i < items.length; i++) P.SetPrototypeAdd(copy, this.clone(items[i]));
      return copy;
    }

    error(value) {
      const name = value.name;
      const Class = errorClasses[name === undefined ? 'Error' : `${name}`] ?? P.Error;
      const copy = this.remember(value, new Class());
      const stack = value.stack;
      if (typeof stack === 'string') define(copy, 'stack', stack);
      const message = ObjectGetOwnPropertyDescriptor(value, 'message');
      if (message !== undefined && 'value' in message) define(copy, 'message', `${message.value}`);
      const cause = ObjectGetOwnPropertyDescriptor(value, 'cause');
      if (cause !== undefined && 'value' in cause) define(copy, 'cause', this.clone(cause.value));
      return copy;
    }

    array(value) {
      const copy = this.remember(value, []);
      copy.length = value.length;
      return this.properties(value, copy);
    }

    properties(value, copy) {
      const keys = ObjectKeys(value);
      for (let i = 0; i < keys.length; i++) {
        // A getter run before may have removed it.
        if (P.ObjectHasOwn(value, keys[i])) define(copy, keys[i], this.clone(value[keys[i]]), true);
      }
      return copy;
    }
  }

  const shapeOf = (view, name) => name === undefined
    ? { __proto__: null, offset: P.DataViewPrototypeGetByteOffset(view), length: P.DataViewPrototypeGetByteLength(view) }
    : { __proto__: null, offset: P.TypedArrayPrototypeGetByteOffset(view), length: P.TypedArrayPrototypeGetLength(view) };

  // Transferring detaches the buffers, which must happen only when all else can be cloned: so a first
  // pass copies everything, and keeps the shape that views have while their buffers are attached.
  const cloneTransferring = (value, buffers) => {
    const rehearsal = new Cloner();
    rehearsal.clone(value);
    const cloner = new Cloner();
    cloner.shapes = new SafeMap();
    rehearsal.memory.forEach((_, original) => {
      if (ArrayBufferIsView(original)) cloner.shapes.set(original, shapeOf(original, P.TypedArrayPrototypeGetTag(original)));
    });
    for (let i = 0; i < buffers.length; i++) {
      if (!isDetached(buffers[i])) cloner.memory.set(buffers[i], P.ArrayBufferPrototypeTransfer(buffers[i]));
    }
    return cloner.clone(value);
  };

  const transferList = (options) => {
    if (options === undefined || options === null) return list();
    if (!isObject(options)) throw wrong('structuredClone', 'ServiceWorkerGlobalScope', 2, 'StructuredCloneOptions');
    const transfer = options.transfer;
    if (transfer === undefined) return list();
    if (!ArrayIsArray(transfer)) {
      throw new TypeError("Incorrect type for the 'transfer' field on 'StructuredCloneOptions': the provided value is not of type 'Array'.");
    }
    const buffers = arrayFrom(transfer);
    for (let i = 0; i < buffers.length; i++) {
      try { P.ArrayBufferPrototypeGetDetached(buffers[i]); } catch { throw new TypeError('Object is not transferable'); }
    }
    return buffers;
  };

  const { structuredClone } = {
    structuredClone(value, options = undefined) {
      missing(arguments.length, 'structuredClone', 'ServiceWorkerGlobalScope', ['Value']);
      const buffers = transferList(options);
      return buffers.length === 0 ? new Cloner().clone(value) : cloneTransferring(value, buffers);
    },
  };
  host.define('structuredClone', exposeFunction(structuredClone), { enumerable: true });
  return { __proto__: null, structuredClone: (value) => new Cloner().clone(value) };
})
