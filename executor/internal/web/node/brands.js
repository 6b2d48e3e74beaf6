// What a value is whatever its prototype says: checks by the getters and methods that only it has.
(function () {
  'use strict';
  const brand = (fn) => (value) => {
    try {
      fn.call(value);
      return true;
    } catch {
      return false;
    }
  };
  const getter = (prototype, key) => Object.getOwnPropertyDescriptor(prototype, key).get;
  const tagOfView = getter(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);
  return {
    brand, getter, tagOfView,
    isMap: brand(getter(Map.prototype, 'size')),
    isSet: brand(getter(Set.prototype, 'size')),
    isDate: brand(Date.prototype.getTime),
    isArrayBuffer: brand(getter(ArrayBuffer.prototype, 'byteLength')),
    isSharedArrayBuffer: brand(getter(SharedArrayBuffer.prototype, 'byteLength')),
    isWeakMap: brand(function () { WeakMap.prototype.has.call(this, {}); }),
    isWeakSet: brand(function () { WeakSet.prototype.has.call(this, {}); }),
    isWeakRef: brand(WeakRef.prototype.deref),
  };
})
