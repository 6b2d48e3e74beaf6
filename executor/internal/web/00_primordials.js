// Primordials: the language's builtins as they were before any program ran.
//
// Every other script of this directory, and the worker's harness, call builtins only through the
// frozen object that this file returns, so that a program which replaces Array.prototype.push or
// JSON.stringify damages itself and nothing else. What it offers:
//
//   uncurryThis(fn)            fn(this, ...args) as a plain function (ReflectApply without an array)
//   ClassPrototypeMethod       uncurried: ArrayPrototypePush(list, x), StringPrototypeSlice(s, 1)
//   ClassPrototypeGetName      uncurried getter: TypedArrayPrototypeGetLength(view), MapPrototypeGetSize(map)
//   ClassStatic                bound to its class: ObjectDefineProperty, ArrayIsArray, PromiseResolve(v)
//   JSONParse, JSONStringify, MathMin, ReflectApply, ReflectOwnKeys, NumberIsInteger, ...
//   SymbolIterator, ...          the well-known symbols
//   Array, Map, Promise, TypeError, Uint8Array, ...   the constructors themselves
//   SafeMap, SafeSet, SafeWeakMap, SafeWeakSet      collections with captured methods and no inherited ones;
//                              construct them empty, iterate them with forEach
//   list()                     an array without a prototype: reads and index writes meet no patched
//                              accessor; its length works; iterate by index
//   push(list, value)          appends an own element, whatever Array.prototype has become
//   toArray(list)              an ordinary array of the program's with the same elements
//   define(object, key, value, enumerable = false)  a writable, configurable own data property
//   hide(fn, name = fn.name)   makes Function.prototype.toString render fn as native code
//   words('a b')               list() of the words of a text
//   arrayFrom(iterable)        iterates by the program's protocol (what Web IDL sequences do) into a list()
//   newPromise(executor), withResolvers() -> {promise, resolve, reject}, then(promise, onFulfilled, onRejected)
//
// Rules for code that relies on it: no `for...of`, no array spread or array destructuring over
// anything but generators of our own; descriptors carry `__proto__: null`.
(function () {
  'use strict';
  const { apply: ReflectApply } = Reflect;
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf, freeze, create } = Object;
  const { bind, call } = Function.prototype;
  const uncurryThis = bind.bind(call);
  const p = create(null);

  const capital = (key) => key[0].toUpperCase() + key.slice(1);
  const statics = (name, holder, keys) => {
    for (const key of keys.split(' ')) p[name + capital(key)] = holder[key].bind(holder);
  };
  const methods = (name, prototype, keys) => {
    for (const key of keys.split(' ')) p[name + 'Prototype' + capital(key)] = uncurryThis(prototype[key]);
  };
  const getters = (name, prototype, keys) => {
    for (const key of keys.split(' ')) p[name + 'PrototypeGet' + capital(key)] = uncurryThis(getOwnPropertyDescriptor(prototype, key).get);
  };

  for (const name of ('Array ArrayBuffer BigInt Boolean DataView Date Error AggregateError EvalError RangeError ReferenceError ' +
    'SyntaxError TypeError URIError Function Map Number Object Promise Proxy RegExp Set SharedArrayBuffer String Symbol WeakMap ' +
    'WeakSet WeakRef Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array Float64Array ' +
    'BigInt64Array BigUint64Array decodeURIComponent encodeURIComponent isFinite isNaN parseFloat parseInt').split(' ')) p[name] = globalThis[name];

  const TypedArray = getPrototypeOf(Uint8Array);
  p.TypedArray = TypedArray;

  statics('Array', Array, 'isArray');
  statics('ArrayBuffer', ArrayBuffer, 'isView');
  statics('BigInt', BigInt, 'asIntN asUintN');
  statics('Date', Date, 'now');
  statics('JSON', JSON, 'parse stringify rawJSON');
  statics('Math', Math, 'abs ceil floor max min pow sign trunc random');
  statics('Number', Number, 'isFinite isInteger isSafeInteger');
  statics('Object', Object, 'assign create defineProperty freeze getOwnPropertyDescriptor getPrototypeOf hasOwn is keys setPrototypeOf');
  statics('Promise', Promise, 'resolve reject');
  statics('Reflect', Reflect, 'apply construct defineProperty deleteProperty getOwnPropertyDescriptor ownKeys');
  statics('String', String, 'fromCharCode fromCodePoint');
  statics('Symbol', Symbol, 'for');

  methods('Array', Array.prototype, 'join shift sort values');
  methods('ArrayBuffer', ArrayBuffer.prototype, 'transfer');
  methods('BigInt', BigInt.prototype, 'toString valueOf');
  methods('Boolean', Boolean.prototype, 'valueOf');
  methods('DataView', DataView.prototype, 'getUint32 setUint32 getFloat32 setFloat32 getFloat64 setFloat64');
  methods('Date', Date.prototype, 'getTime toISOString');
  methods('Error', Error.prototype, 'toString');
  methods('Function', Function.prototype, 'call toString');
  methods('Map', Map.prototype, 'entries forEach get has set');
  methods('Number', Number.prototype, 'toString toFixed valueOf');
  methods('Object', Object.prototype, 'isPrototypeOf propertyIsEnumerable toString');
  methods('RegExp', RegExp.prototype, 'exec toString');
  methods('Set', Set.prototype, 'add forEach values');
  methods('String', String.prototype, 'charCodeAt codePointAt endsWith includes indexOf lastIndexOf padEnd padStart repeat replaceAll slice split ' +
    'startsWith toLowerCase toUpperCase toWellFormed trim valueOf');
  methods('Symbol', Symbol.prototype, 'toString valueOf');
  methods('TypedArray', TypedArray.prototype, 'fill set slice subarray');
  methods('WeakMap', WeakMap.prototype, 'get has set');

  getters('ArrayBuffer', ArrayBuffer.prototype, 'byteLength detached maxByteLength resizable');
  getters('DataView', DataView.prototype, 'buffer byteLength byteOffset');
  getters('Map', Map.prototype, 'size');
  getters('RegExp', RegExp.prototype, 'source flags');
  getters('Set', Set.prototype, 'size');
  getters('SharedArrayBuffer', SharedArrayBuffer.prototype, 'byteLength');
  getters('TypedArray', TypedArray.prototype, 'buffer byteLength byteOffset length');
  p.TypedArrayPrototypeGetTag = uncurryThis(getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get);

  for (const key of 'asyncIterator hasInstance iterator species toPrimitive toStringTag dispose asyncDispose'.split(' ')) {
    if (Symbol[key]) p['Symbol' + capital(key)] = Symbol[key];
  }
  p.captureStackTrace = Error.captureStackTrace;
  p.ErrorPrototype = Error.prototype;
  p.ErrorIsError = Error.isError;
  p.Intl = Intl;
  p.ObjectPrototype = Object.prototype;
  p.ArrayIteratorPrototype = getPrototypeOf([][Symbol.iterator]());
  p.IteratorPrototype = getPrototypeOf(p.ArrayIteratorPrototype);
  p.AsyncIteratorPrototype = getPrototypeOf(getPrototypeOf(async function* () {}).prototype);

  p.uncurryThis = uncurryThis;

  const safe = (Base, keys) => {
    class Safe extends Base {}
    for (const key of keys.split(' ')) defineProperty(Safe.prototype, key, { __proto__: null, ...getOwnPropertyDescriptor(Base.prototype, key) });
    setPrototypeOf(Safe.prototype, null);
    freeze(Safe.prototype);
    return freeze(Safe);
  };
  p.SafeMap = safe(Map, 'clear delete forEach get has set size');
  p.SafeSet = safe(Set, 'add clear delete forEach has size');
  p.SafeWeakMap = safe(WeakMap, 'delete get has set');
  p.SafeWeakSet = safe(WeakSet, 'add delete has');

  p.list = () => setPrototypeOf([], null);
  p.define = (object, key, value, enumerable = false) =>
    defineProperty(object, key, { __proto__: null, value, writable: true, enumerable, configurable: true });
  p.push = (list, value) => {
    defineProperty(list, list.length, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  };
  p.toArray = (list) => {
    const out = [];
    for (let i = 0; i < list.length; i++) p.push(out, list[i]);
    return out;
  };
  const split = uncurryThis(String.prototype.split);
  p.words = (text) => setPrototypeOf(split(text, ' '), null);
  p.arrayFrom = (iterable) => {
    const out = p.list();
    for (const value of iterable) out[out.length] = value;
    return out;
  };

  const PromiseClass = Promise;
  p.newPromise = (executor) => new PromiseClass(executor);
  p.withResolvers = () => {
    const out = { __proto__: null };
    out.promise = new PromiseClass((resolve, reject) => { out.resolve = resolve; out.reject = reject; });
    return out;
  };
  p.then = uncurryThis(Promise.prototype.then);

  const hidden = new p.SafeWeakMap();
  const toString = Function.prototype.toString;
  p.hide = (fn, name = fn.name) => { hidden.set(fn, name); return fn; };
  const rendered = {
    toString() {
      const name = hidden.get(this);
      return name === undefined ? ReflectApply(toString, this, []) : `function ${name}() { [native code] }`;
    },
  }.toString;
  p.hide(rendered);
  p.FunctionPrototypeToString = uncurryThis(rendered);
  defineProperty(Function.prototype, 'toString', { __proto__: null, value: rendered, writable: true, enumerable: false, configurable: true });

  return freeze(p);
})
