// Patches what a program can of the language before it touches the platform, and says so when it has come to its end.
() => {
  const { getOwnPropertyDescriptor, defineProperty, getPrototypeOf } = Object;
  const { ownKeys } = Reflect;
  const evil = () => { throw new keep.Error('a patched builtin was called'); };
  const spare = {
    __proto__: null, constructor: true, prototype: true, stackTraceLimit: true, ['__proto__']: true,
    __defineGetter__: true, __defineSetter__: true, __lookupGetter__: true, __lookupSetter__: true, [Symbol.species]: true, [Symbol.toPrimitive]: true,
  };
  const objects = [
    Array.prototype, String.prototype, Number.prototype, Map.prototype, Set.prototype, WeakMap.prototype, WeakSet.prototype, RegExp.prototype,
    getPrototypeOf(Uint8Array.prototype), ArrayBuffer.prototype, DataView.prototype, Function.prototype, Promise.prototype, Date.prototype,
    getPrototypeOf([][Symbol.iterator]()), getPrototypeOf(function* () {}.prototype), Iterator, Iterator.prototype, Object.prototype, Symbol.prototype,
    Reflect, Object, JSON, Math, Array, ArrayBuffer, Number, String, Promise, Error,
  ];
  for (let i = 0; i < objects.length; i++) {
    const keys = ownKeys(objects[i]);
    for (let j = 0; j < keys.length; j++) {
      const d = spare[keys[j]] ? undefined : getOwnPropertyDescriptor(objects[i], keys[j]);
      if (!d?.configurable) continue;
      if (typeof d.value === 'function') defineProperty(objects[i], keys[j], { __proto__: null, value: evil, configurable: true, writable: true });
      else if (d.get) defineProperty(objects[i], keys[j], { __proto__: null, get: evil, configurable: true });
    }
  }
  // Not then, which the language itself asks for of each object that a promise is resolved with.
  const read = ['get', 'set', 'value', 'writable', 'enumerable', 'configurable', '0', '1', '2', 'done', 'size', 'pull', 'start'];
  for (let i = 0; i < read.length; i++) defineProperty(Object.prototype, read[i], { __proto__: null, get: evil, set: evil, configurable: true });
  defineProperty(Object.prototype, 'everywhere', { __proto__: null, value: 1, enumerable: true, configurable: true });
  const names = ['Map', 'Set', 'WeakMap', 'Promise', 'Uint8Array', 'TypeError', 'Error', 'RegExp', 'Date', 'Symbol', 'Proxy', 'Intl'];
  for (let i = 0; i < names.length; i++) globalThis[names[i]] = evil;
  globalThis.patched = true; // it has come to its end
}
