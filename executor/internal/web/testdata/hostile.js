// Patches what a program can of the language before it touches the platform.
() => {
  const evil = () => { throw new Error('a patched builtin was called'); };
  const spare = new Set(['constructor', '__proto__', '__defineGetter__', '__defineSetter__', '__lookupGetter__', '__lookupSetter__']);
  for (const object of [
    Array.prototype, String.prototype, Number.prototype, Map.prototype, Set.prototype, WeakMap.prototype, WeakSet.prototype, RegExp.prototype,
    Object.getPrototypeOf(Uint8Array.prototype), ArrayBuffer.prototype, DataView.prototype, Function.prototype, Promise.prototype, Date.prototype,
    Object.getPrototypeOf([][Symbol.iterator]()), Object.prototype, Symbol.prototype, Reflect, Object, JSON, Math, Array, ArrayBuffer, Number, String, Promise, Error,
  ]) {
    for (const key of Reflect.ownKeys(object)) {
      if (spare.has(key) || key === 'prototype' || key === Symbol.species || key === Symbol.toPrimitive || key === 'stackTraceLimit') continue;
      const d = keep.getOwnPropertyDescriptor(object, key);
      if (!d.configurable) continue;
      if (typeof d.value === 'function') keep.defineProperty(object, key, { __proto__: null, value: evil, configurable: true, writable: true });
      else if (d.get) keep.defineProperty(object, key, { __proto__: null, get: evil, configurable: true });
    }
  }
  for (const key of ['get', 'set', 'value', 'writable', 'enumerable', 'configurable', 'then', '0', '1', 'done', 'size', 'pull', 'start']) {
    keep.defineProperty(Object.prototype, key, { __proto__: null, get: evil, set: evil, configurable: true });
  }
  for (const name of ['Map', 'Set', 'WeakMap', 'Promise', 'Uint8Array', 'TypeError', 'Error', 'RegExp', 'Date', 'Symbol', 'Proxy', 'Intl']) globalThis[name] = evil;
}
