// Deep equality as node:assert and util.isDeepStrictEqual have it, and the difference of two lists.
(function (host) {
  'use strict';
  const { isMap, isSet } = host.load('node/brands');
  const isBuffer = (value) => value instanceof ArrayBuffer || value instanceof SharedArrayBuffer;
  const isObject = (value) => typeof value === 'object' && value !== null;
  const boxes = [Number, String, Boolean, BigInt, Symbol];
  const unbox = (value) => {
    for (const Class of boxes) if (value instanceof Class) return [Class, Class.prototype.valueOf.call(value)];
    return undefined;
  };
  const bytesOf = (value) => (ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value));
  const enumerable = (value) => Object.getOwnPropertySymbols(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));

  // mode: false loose, true strict, 'partial' every member of b is in a.
  const compare = (a, b, mode, seen) => {
    if (a === b) return a !== 0 || mode === false || Object.is(a, b);
    if (mode === false) {
      if (!isObject(a) && !isObject(b)) return a == b || Number.isNaN(a) && Number.isNaN(b); // eslint-disable-line eqeqeq -- the loose mode
      if (!isObject(a) || !isObject(b)) return false;
    } else {
      if (!isObject(a) || !isObject(b)) return Object.is(a, b);
      if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    }
    if (Object.prototype.toString.call(a) !== Object.prototype.toString.call(b)) return false;
    for (const [x, y] of seen) if (x === a && y === b) return true;
    seen.push([a, b]);
    try {
      return sameContent(a, b, mode, seen);
    } finally {
      seen.pop();
    }
  };
  const sameContent = (a, b, mode, seen) => {
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    if (Array.isArray(a)) {
      if (mode === 'partial') return containsInOrder(a, b, seen);
      if (a.length !== b.length) return false;
      for (let i = 0; i < a.length; i++) {
        if (mode !== false && Object.hasOwn(a, i) !== Object.hasOwn(b, i)) return false;
        if (!compare(a[i], b[i], mode, seen)) return false;
      }
      return sameKeys(a, b, mode, seen, (key) => !/^\d+$/.test(key));
    }
    if (a instanceof Date !== b instanceof Date || a instanceof RegExp !== b instanceof RegExp || Error.isError(a) !== Error.isError(b)) return false;
    if (a instanceof Date && !Object.is(Date.prototype.getTime.call(a), Date.prototype.getTime.call(b))) return false;
    if (a instanceof RegExp && (a.source !== b.source || a.flags !== b.flags || a.lastIndex !== b.lastIndex)) return false;
    if (Error.isError(a)) {
      if (a.message !== b.message || a.name !== b.name) return false;
      for (const key of ['cause', 'errors']) if (Object.hasOwn(a, key) !== Object.hasOwn(b, key) || !compare(a[key], b[key], mode, seen)) return false;
    }
    if (ArrayBuffer.isView(a) || isBuffer(a)) {
      const [x, y] = [bytesOf(a), bytesOf(b)];
      if (x.length !== y.length) return false;
      if (mode === false && (a instanceof Float32Array || a instanceof Float64Array)) {
        if (a.length !== b.length || !a.every((item, i) => item === b[i] || item !== item && b[i] !== b[i])) return false;
      } else if (!x.every((byte, i) => byte === y[i])) return false;
      return sameKeys(a, b, mode, seen, (key) => !/^\d+$/.test(key));
    }
    if (isSet(a) !== isSet(b) || isMap(a) !== isMap(b)) return false;
    if (isSet(a) && !sameSet(a, b, mode, seen) || isMap(a) && !sameMap(a, b, mode, seen)) return false;
    const [x, y] = [unbox(a), unbox(b)];
    if (x !== undefined || y !== undefined) {
      if (x?.[0] !== y?.[0] || !Object.is(x[1], y[1])) return false;
    }
    if (a instanceof Promise || a instanceof WeakMap || a instanceof WeakSet) return false;
    return sameKeys(a, b, mode, seen, () => true);
  };
  const sameKeys = (a, b, mode, seen, counts) => {
    const x = Object.keys(a).filter(counts);
    const y = Object.keys(b).filter(counts);
    if (mode !== 'partial' && x.length !== y.length) return false;
    if (mode === true && enumerable(a).length !== enumerable(b).length) return false;
    const keys = mode === false ? y : [...y, ...enumerable(b)];
    return keys.every((key) => Object.prototype.propertyIsEnumerable.call(a, key) && compare(a[key], b[key], mode, seen));
  };
  const containsInOrder = (a, b, seen) => {
    let at = 0;
    for (const item of b) {
      while (at < a.length && !compare(a[at], item, 'partial', seen)) at++;
      if (at++ >= a.length) return false;
    }
    return sameKeys(a, b, 'partial', seen, (key) => !/^\d+$/.test(key));
  };
  // Takes from rest an entry equal to value.
  const take = (rest, equal) => {
    for (const entry of rest) {
      if (!equal(entry)) continue;
      rest.delete(entry);
      return true;
    }
    return false;
  };
  const sameSet = (a, b, mode, seen) => {
    if (mode === 'partial' ? a.size < b.size : a.size !== b.size) return false;
    const rest = new Set(a);
    return [...b].every((value) => (!isObject(value) && rest.delete(value)) || take(rest, (other) => (isObject(value) || mode === false) && compare(other, value, mode, seen)));
  };
  const sameMap = (a, b, mode, seen) => {
    if (mode === 'partial' ? a.size < b.size : a.size !== b.size) return false;
    const rest = new Set(a);
    return [...b].every(([key, value]) => take(rest, ([k, v]) => compare(k, key, mode, seen) && compare(v, value, mode, seen)));
  };

  // The shortest edits that make a list from another: [-1, item] only in a, [0, item] in both, [1, item] only in b.
  const diff = (a, b) => {
    const width = b.length + 1;
    const lengths = new Uint32Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i--) {
      for (let j = b.length - 1; j >= 0; j--) {
        lengths[i * width + j] = a[i] === b[j] ? lengths[(i + 1) * width + j + 1] + 1 : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
      }
    }
    const out = [];
    let [i, j] = [0, 0];
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && a[i] === b[j]) out.push([0, a[i++], j++]);
      else if (j >= b.length || i < a.length && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) out.push([1, a[i++]]);
      else out.push([-1, b[j++]]);
    }
    return out.map(([kind, item]) => [kind, item]);
  };
  return { isDeepEqual: (a, b, mode) => compare(a, b, mode, []), diff };
})
