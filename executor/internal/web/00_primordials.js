// Primordials: the language's builtins as they were before any program ran.
//
// Every other script of this directory, and the worker's harness, call builtins only through the
// object that this file returns, which no program gets hold of, so that one which replaces
// Array.prototype.push or JSON.stringify damages itself and nothing else. What it offers:
//
//   uncurryThis(fn)            fn(this, ...args) as a plain function (ReflectApply without an array)
//   ClassPrototypeMethod       uncurried: ArrayPrototypeJoin(list, ','), StringPrototypeSlice(s, 1)
//   ClassPrototypeGetName      uncurried getter: TypedArrayPrototypeGetLength(view), MapPrototypeGetSize(map)
//   ClassStatic                what a class offers itself: ObjectDefineProperty, ArrayIsArray, PromiseResolve(v)
//   JSONParse, JSONStringify, MathMin, ReflectApply, ReflectOwnKeys, NumberIsInteger, ...
//   SymbolIterator, ...          the well-known symbols
//   Map, Promise, TypeError, Uint8Array, ...   the constructors themselves
//   SafeMap, SafeSet, SafeWeakMap, SafeWeakSet      collections with captured methods and no inherited ones;
//                              construct them empty, iterate them with forEach
//   list()                     an array without a prototype: reads and index writes meet no patched
//                              accessor; its length works; iterate by index
//   push(list, value)          appends an own element, whatever Array.prototype has become
//   toArray(list)              an ordinary array of the program's with the same elements
//   define(object, key, value, enumerable = false)  a writable, configurable own data property
//   tryDefine(...)             the same, false where the object does not take it
//   defineAccessor(object, key, get, set, enumerable = false), setLength(fn, length)
//   distrust()                 from here on Object.prototype may have what descriptors inherit
//   hide(fn, name = fn.name)   makes Function.prototype.toString render fn as native code
//   words('a b')               list() of the words of a text
//   arrayFrom(iterable)        iterates by the program's protocol (what Web IDL sequences do) into a list()
//   newPromise(executor), withResolvers() -> {promise, resolve, reject}, then(promise, onFulfilled, onRejected)
//
// Rules for code that relies on it: no `for...of`, no array spread or array destructuring over
// anything but generators of our own; descriptors carry `__proto__: null`; no index where there may be nothing, which Object.prototype
// may have.
(function () {
  'use strict';
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf, create } = Object;
  const { bind, call } = Function.prototype;
  const uncurryThis = bind.bind(call);
  const getter = (prototype, key) => uncurryThis(getOwnPropertyDescriptor(prototype, key).get);
  const p = create(null);

  // One by one: a loop over names takes every sandbox ten times as long.
  p.ArrayBuffer = ArrayBuffer;
  p.BigInt = BigInt;
  p.Boolean = Boolean;
  p.DataView = DataView;
  p.Date = Date;
  p.Error = Error;
  p.EvalError = EvalError;
  p.RangeError = RangeError;
  p.ReferenceError = ReferenceError;
  p.SyntaxError = SyntaxError;
  p.TypeError = TypeError;
  p.URIError = URIError;
  p.Function = Function;
  p.Map = Map;
  p.Number = Number;
  p.Object = Object;
  p.Promise = Promise;
  p.Proxy = Proxy;
  p.RegExp = RegExp;
  p.Set = Set;
  p.SharedArrayBuffer = SharedArrayBuffer;
  p.String = String;
  p.Symbol = Symbol;
  p.WeakMap = WeakMap;
  p.WeakSet = WeakSet;
  p.WeakRef = WeakRef;
  p.Int8Array = Int8Array;
  p.Uint8Array = Uint8Array;
  p.Uint8ClampedArray = Uint8ClampedArray;
  p.Int16Array = Int16Array;
  p.Uint16Array = Uint16Array;
  p.Int32Array = Int32Array;
  p.Uint32Array = Uint32Array;
  p.Float16Array = globalThis.Float16Array;
  p.Float32Array = Float32Array;
  p.Float64Array = Float64Array;
  p.BigInt64Array = BigInt64Array;
  p.BigUint64Array = BigUint64Array;
  p.decodeURIComponent = decodeURIComponent;
  p.encodeURIComponent = encodeURIComponent;
  p.parseFloat = parseFloat;
  p.parseInt = parseInt;
  p.TypedArray = getPrototypeOf(Uint8Array);
  p.Intl = Intl;

  p.ArrayIsArray = Array.isArray;
  p.ArrayBufferIsView = ArrayBuffer.isView;
  p.BigIntAsIntN = BigInt.asIntN;
  p.BigIntAsUintN = BigInt.asUintN;
  p.DateNow = Date.now;
  p.JSONParse = JSON.parse;
  p.JSONStringify = JSON.stringify;
  p.JSONRawJSON = JSON.rawJSON;
  p.MathAbs = Math.abs;
  p.MathCeil = Math.ceil;
  p.MathFloor = Math.floor;
  p.MathMax = Math.max;
  p.MathMin = Math.min;
  p.MathPow = Math.pow;
  p.MathSign = Math.sign;
  p.MathTrunc = Math.trunc;
  p.MathRandom = Math.random;
  p.NumberIsFinite = Number.isFinite;
  p.NumberIsInteger = Number.isInteger;
  p.NumberIsSafeInteger = Number.isSafeInteger;
  p.ObjectAssign = Object.assign;
  p.ObjectCreate = Object.create;
  p.ObjectDefineProperty = Object.defineProperty;
  p.ObjectFreeze = Object.freeze;
  p.ObjectGetPrototypeOf = Object.getPrototypeOf;
  p.ObjectHasOwn = Object.hasOwn;
  p.ObjectIs = Object.is;
  p.ObjectKeys = Object.keys;
  p.ObjectSetPrototypeOf = Object.setPrototypeOf;
  p.PromiseResolve = Promise.resolve.bind(Promise);
  p.PromiseReject = Promise.reject.bind(Promise);
  p.ReflectApply = Reflect.apply;
  p.ReflectConstruct = Reflect.construct;
  p.ReflectDefineProperty = Reflect.defineProperty;
  p.ReflectDeleteProperty = Reflect.deleteProperty;
  p.ReflectOwnKeys = Reflect.ownKeys;
  p.StringFromCharCode = String.fromCharCode;
  p.StringFromCodePoint = String.fromCodePoint;
  p.SymbolFor = Symbol.for;
  p.ArrayPrototypeJoin = uncurryThis(Array.prototype.join);
  p.ArrayPrototypeShift = uncurryThis(Array.prototype.shift);
  p.ArrayPrototypeSort = uncurryThis(Array.prototype.sort);
  p.ArrayPrototypeValues = uncurryThis(Array.prototype.values);
  p.ArrayBufferPrototypeTransfer = uncurryThis(ArrayBuffer.prototype.transfer);
  p.BigIntPrototypeToString = uncurryThis(BigInt.prototype.toString);
  p.BigIntPrototypeValueOf = uncurryThis(BigInt.prototype.valueOf);
  p.BooleanPrototypeValueOf = uncurryThis(Boolean.prototype.valueOf);
  p.DataViewPrototypeGetUint32 = uncurryThis(DataView.prototype.getUint32);
  p.DataViewPrototypeSetUint32 = uncurryThis(DataView.prototype.setUint32);
  p.DataViewPrototypeGetFloat32 = uncurryThis(DataView.prototype.getFloat32);
  p.DataViewPrototypeSetFloat32 = uncurryThis(DataView.prototype.setFloat32);
  p.DataViewPrototypeGetFloat64 = uncurryThis(DataView.prototype.getFloat64);
  p.DataViewPrototypeSetFloat64 = uncurryThis(DataView.prototype.setFloat64);
  p.DatePrototypeGetTime = uncurryThis(Date.prototype.getTime);
  p.DatePrototypeToISOString = uncurryThis(Date.prototype.toISOString);
  p.ErrorPrototypeToString = uncurryThis(Error.prototype.toString);
  p.FunctionPrototypeCall = uncurryThis(Function.prototype.call);
  p.IteratorPrototypeTake = uncurryThis(Iterator.prototype.take);
  p.MapPrototypeEntries = uncurryThis(Map.prototype.entries);
  p.MapPrototypeForEach = uncurryThis(Map.prototype.forEach);
  p.MapPrototypeGet = uncurryThis(Map.prototype.get);
  p.MapPrototypeHas = uncurryThis(Map.prototype.has);
  p.MapPrototypeSet = uncurryThis(Map.prototype.set);
  p.NumberPrototypeToString = uncurryThis(Number.prototype.toString);
  p.NumberPrototypeToFixed = uncurryThis(Number.prototype.toFixed);
  p.NumberPrototypeValueOf = uncurryThis(Number.prototype.valueOf);
  p.ObjectPrototypeIsPrototypeOf = uncurryThis(Object.prototype.isPrototypeOf);
  p.ObjectPrototypePropertyIsEnumerable = uncurryThis(Object.prototype.propertyIsEnumerable);
  p.ObjectPrototypeToString = uncurryThis(Object.prototype.toString);
  p.RegExpPrototypeExec = uncurryThis(RegExp.prototype.exec);
  p.RegExpPrototypeToString = uncurryThis(RegExp.prototype.toString);
  p.SetPrototypeAdd = uncurryThis(Set.prototype.add);
  p.SetPrototypeForEach = uncurryThis(Set.prototype.forEach);
  p.SetPrototypeValues = uncurryThis(Set.prototype.values);
  p.StringPrototypeCharCodeAt = uncurryThis(String.prototype.charCodeAt);
  p.StringPrototypeCodePointAt = uncurryThis(String.prototype.codePointAt);
  p.StringPrototypeEndsWith = uncurryThis(String.prototype.endsWith);
  p.StringPrototypeIncludes = uncurryThis(String.prototype.includes);
  p.StringPrototypeIndexOf = uncurryThis(String.prototype.indexOf);
  p.StringPrototypeLastIndexOf = uncurryThis(String.prototype.lastIndexOf);
  p.StringPrototypePadEnd = uncurryThis(String.prototype.padEnd);
  p.StringPrototypePadStart = uncurryThis(String.prototype.padStart);
  p.StringPrototypeRepeat = uncurryThis(String.prototype.repeat);
  p.StringPrototypeSlice = uncurryThis(String.prototype.slice);
  p.StringPrototypeStartsWith = uncurryThis(String.prototype.startsWith);
  p.StringPrototypeToLowerCase = uncurryThis(String.prototype.toLowerCase);
  p.StringPrototypeToUpperCase = uncurryThis(String.prototype.toUpperCase);
  p.StringPrototypeToWellFormed = uncurryThis(String.prototype.toWellFormed);
  p.StringPrototypeTrim = uncurryThis(String.prototype.trim);
  p.StringPrototypeValueOf = uncurryThis(String.prototype.valueOf);
  p.SymbolPrototypeToString = uncurryThis(Symbol.prototype.toString);
  p.SymbolPrototypeValueOf = uncurryThis(Symbol.prototype.valueOf);
  p.TypedArrayPrototypeFill = uncurryThis(p.TypedArray.prototype.fill);
  p.TypedArrayPrototypeSet = uncurryThis(p.TypedArray.prototype.set);
  p.TypedArrayPrototypeSlice = uncurryThis(p.TypedArray.prototype.slice);
  p.TypedArrayPrototypeSubarray = uncurryThis(p.TypedArray.prototype.subarray);
  p.WeakMapPrototypeGet = uncurryThis(WeakMap.prototype.get);
  p.WeakMapPrototypeHas = uncurryThis(WeakMap.prototype.has);
  p.WeakMapPrototypeSet = uncurryThis(WeakMap.prototype.set);
  p.ArrayBufferPrototypeGetByteLength = getter(ArrayBuffer.prototype, 'byteLength');
  p.ArrayBufferPrototypeGetDetached = getter(ArrayBuffer.prototype, 'detached');
  p.ArrayBufferPrototypeGetMaxByteLength = getter(ArrayBuffer.prototype, 'maxByteLength');
  p.ArrayBufferPrototypeGetResizable = getter(ArrayBuffer.prototype, 'resizable');
  p.DataViewPrototypeGetBuffer = getter(DataView.prototype, 'buffer');
  p.DataViewPrototypeGetByteLength = getter(DataView.prototype, 'byteLength');
  p.DataViewPrototypeGetByteOffset = getter(DataView.prototype, 'byteOffset');
  p.MapPrototypeGetSize = getter(Map.prototype, 'size');
  p.RegExpPrototypeGetSource = getter(RegExp.prototype, 'source');
  p.RegExpPrototypeGetFlags = getter(RegExp.prototype, 'flags');
  p.SetPrototypeGetSize = getter(Set.prototype, 'size');
  p.SharedArrayBufferPrototypeGetByteLength = getter(SharedArrayBuffer.prototype, 'byteLength');
  p.TypedArrayPrototypeGetBuffer = getter(p.TypedArray.prototype, 'buffer');
  p.TypedArrayPrototypeGetByteLength = getter(p.TypedArray.prototype, 'byteLength');
  p.TypedArrayPrototypeGetByteOffset = getter(p.TypedArray.prototype, 'byteOffset');
  p.TypedArrayPrototypeGetLength = getter(p.TypedArray.prototype, 'length');
  p.TypedArrayPrototypeGetTag = getter(p.TypedArray.prototype, Symbol.toStringTag);
  p.SymbolAsyncIterator = Symbol.asyncIterator;
  p.SymbolIterator = Symbol.iterator;
  p.SymbolToPrimitive = Symbol.toPrimitive;
  p.SymbolToStringTag = Symbol.toStringTag;
  p.SymbolDispose = Symbol.dispose;
  p.captureStackTrace = Error.captureStackTrace;
  p.ErrorPrototype = Error.prototype;
  p.ErrorIsError = Error.isError;
  p.ObjectPrototype = Object.prototype;
  p.ArrayIteratorPrototype = getPrototypeOf([][Symbol.iterator]());
  p.IteratorPrototype = getPrototypeOf(p.ArrayIteratorPrototype);
  const generator = getPrototypeOf((function* () {}).prototype);
  p.GeneratorPrototypeNext = uncurryThis(generator.next);
  p.GeneratorPrototypeReturn = uncurryThis(generator.return);
  p.AsyncIteratorPrototype = getPrototypeOf(getPrototypeOf(async function* () {}).prototype);

  p.uncurryThis = uncurryThis;

  class SafeMap extends Map {}
  class SafeSet extends Set {}
  class SafeWeakMap extends WeakMap {}
  class SafeWeakSet extends WeakSet {}
  let safe, base;
  safe = SafeMap.prototype;
  base = Map.prototype;
  setPrototypeOf(safe, null);
  safe.clear = base.clear;
  safe.delete = base.delete;
  safe.forEach = base.forEach;
  safe.get = base.get;
  safe.has = base.has;
  safe.set = base.set;
  defineProperty(safe, 'size', getOwnPropertyDescriptor(base, 'size'));
  safe = SafeSet.prototype;
  base = Set.prototype;
  setPrototypeOf(safe, null);
  safe.add = base.add;
  safe.clear = base.clear;
  safe.delete = base.delete;
  safe.forEach = base.forEach;
  safe.has = base.has;
  defineProperty(safe, 'size', getOwnPropertyDescriptor(base, 'size'));
  safe = SafeWeakMap.prototype;
  base = WeakMap.prototype;
  setPrototypeOf(safe, null);
  safe.delete = base.delete;
  safe.get = base.get;
  safe.has = base.has;
  safe.set = base.set;
  safe = SafeWeakSet.prototype;
  base = WeakSet.prototype;
  setPrototypeOf(safe, null);
  safe.add = base.add;
  safe.delete = base.delete;
  safe.has = base.has;
  p.SafeMap = SafeMap;
  p.SafeSet = SafeSet;
  p.SafeWeakMap = SafeWeakMap;
  p.SafeWeakSet = SafeWeakSet;

  p.list = () => setPrototypeOf([], null);
  // The engine reads a descriptor with a prototype several times faster, and while a sandbox boots Object.prototype has nothing to add.
  let trusted = true;
  p.distrust = () => { trusted = false; };
  // A descriptor that is asked for has its own members alone: one of data has no get.
  const alone = (descriptor) => (trusted || descriptor === undefined ? descriptor : setPrototypeOf(descriptor, null));
  p.ObjectGetOwnPropertyDescriptor = (object, key) => alone(getOwnPropertyDescriptor(object, key));
  const reflected = Reflect.getOwnPropertyDescriptor;
  p.ReflectGetOwnPropertyDescriptor = (object, key) => alone(reflected(object, key));
  const data = (value, enumerable) =>
    (trusted ? { value, writable: true, enumerable, configurable: true } : { __proto__: null, value, writable: true, enumerable, configurable: true });
  p.define = (object, key, value, enumerable = false) => defineProperty(object, key, data(value, enumerable));
  p.tryDefine = (object, key, value, enumerable = false) => p.ReflectDefineProperty(object, key, data(value, enumerable));
  p.defineAccessor = (object, key, get, set, enumerable = false) =>
    defineProperty(object, key, trusted ? { get, set, enumerable, configurable: true } : { __proto__: null, get, set, enumerable, configurable: true });
  p.setLength = (fn, value) => defineProperty(fn, 'length', trusted ? { value, configurable: true } : { __proto__: null, value, configurable: true });
  p.push = (list, value) => {
    defineProperty(list, list.length, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  };
  p.toArray = (list) => {
    const out = [];
    for (let i = 0; i < list.length; i++) p.push(out, list[i]);
    return out;
  };
  // A text that is looked for is asked for Symbol.split or Symbol.replace first, which a program may give String.prototype.
  const unasked = (text) => ({ __proto__: null, toString: () => text });
  const split = uncurryThis(String.prototype.split);
  const replaceAll = uncurryThis(String.prototype.replaceAll);
  p.StringPrototypeSplit = (text, separator) => split(text, unasked(separator));
  p.StringPrototypeReplaceAll = (text, what, by) => replaceAll(text, unasked(what), by);
  p.words = (text) => setPrototypeOf(p.StringPrototypeSplit(text, ' '), null);
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
      return name === undefined ? p.ReflectApply(toString, this, []) : `function ${name}() { [native code] }`;
    },
  }.toString;
  p.hide(rendered);
  p.FunctionPrototypeToString = uncurryThis(rendered);
  defineProperty(Function.prototype, 'toString', { value: rendered, writable: true, enumerable: false, configurable: true });

  return p;
})
