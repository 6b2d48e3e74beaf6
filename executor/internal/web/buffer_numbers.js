// The methods of Buffer that read and write numbers. Returns install(put, prototype).
(function (host) {
  'use strict';
  const P = host.primordials;
  const { RangeError, TypedArrayPrototypeGetLength } = P;
  const { invalidType, outOfRange } = host.load('buffer_errors');

  const checkNumber = (name, value) => {
    if (typeof value !== 'number') throw invalidType(name, 'of type number', value);
  };
  const boundsError = (buffer, offset, size, and) => {
    const last = TypedArrayPrototypeGetLength(buffer) - size;
    if (offset !== P.MathFloor(offset)) return outOfRange('offset', 'an integer', offset);
    if (last < 0) return new RangeError('Attempt to access memory outside buffer bounds');
    return outOfRange('offset', `>= 0 ${and} <= ${last}`, offset);
  };
  // The offset of size bytes in a buffer, checked. Single bytes have another text, and another bound in it.
  const place = (buffer, offset, size) => {
    if (offset === undefined) offset = 0;
    checkNumber('offset', offset);
    if (offset >= 0 && offset + size <= TypedArrayPrototypeGetLength(buffer) && offset === P.MathFloor(offset)) return offset;
    if (size === 1 && offset === P.MathFloor(offset)) throw outOfRange('offset', `>= 0 && <= ${TypedArrayPrototypeGetLength(buffer)}`, offset);
    throw boundsError(buffer, offset, size, 'and');
  };
  const checkValue = (value, low, high) => {
    if (value >= low && value <= high) return;
    if (typeof low !== 'bigint') throw outOfRange('value', `>= ${low} and <= ${high}`, value);
    throw outOfRange('value', low < 0 ? '>= -(2n ** 63n) and < 2 ** 63n' : '>= 0n and < 2n ** 64n', value);
  };
  const checkLength = (length) => {
    if (length === undefined) throw invalidType('byteLength', 'of type number', length);
    checkNumber('byteLength', length);
    if (!(length >= 1 && length <= 6 && length === P.MathFloor(length))) throw outOfRange('byteLength', '>= 1 and <= 6', length);
  };

  // Integers of up to six bytes, as numbers; the byte at index i counts 256 to the power of i from the small end.
  const readInteger = (buffer, offset, size, little, signed) => {
    let value = 0;
    for (let i = size - 1; i >= 0; i--) value = value * 256 + buffer[little ? offset + i : offset + size - 1 - i];
    const limit = P.MathPow(2, 8 * size);
    return signed && value >= limit / 2 ? value - limit : value;
  };
  const writeInteger = (buffer, value, offset, size, little) => {
    if (value < 0) value += P.MathPow(2, 8 * size);
    for (let i = 0; i < size; i++) {
      buffer[little ? offset + i : offset + size - 1 - i] = value % 256;
      value = P.MathFloor(value / 256);
    }
    return offset + size;
  };
  const range = (size, signed) => (signed ? [-P.MathPow(2, 8 * size - 1), P.MathPow(2, 8 * size - 1) - 1] : [0, P.MathPow(2, 8 * size) - 1]);

  const scratch = new P.DataView(new P.ArrayBuffer(8));
  const scratchBytes = new P.Uint8Array(P.DataViewPrototypeGetBuffer(scratch));
  const loadScratch = (buffer, offset, size, little) => {
    for (let i = 0; i < size; i++) scratchBytes[i] = buffer[little ? offset + size - 1 - i : offset + i];
  };
  const storeScratch = (buffer, offset, size, little) => {
    for (let i = 0; i < size; i++) buffer[little ? offset + size - 1 - i : offset + i] = scratchBytes[i];
    return offset + size;
  };

  return (put, prototype) => {
    const method = (name, length, fn, alias) => {
      const named = P.ObjectDefineProperty(fn, 'name', { __proto__: null, value: name });
      put(name, named, length);
      if (alias !== undefined) P.define(prototype, alias, named, true);
    };
    const orders = (name, define) => {
      define(`${name}LE`, true);
      define(`${name}BE`, false);
    };
    const lower = (name) => P.StringPrototypeReplaceAll(name, 'UInt', 'Uint');
    const integers = (signed) => {
      const kind = signed ? 'Int' : 'UInt';
      const alias = (name) => (signed ? undefined : lower(name));
      orders(kind, (suffix, little) => {
        method(`read${suffix}`, 2, function (offset, byteLength) {
          checkLength(byteLength);
          return readInteger(this, place(this, offset, byteLength), byteLength, little, signed);
        }, alias(`read${suffix}`));
        method(`write${suffix}`, 3, function (value, offset, byteLength) {
          checkLength(byteLength);
          const bounds = range(byteLength, signed);
          checkValue(+value, bounds[0], bounds[1]);
          return writeInteger(this, P.MathTrunc(+value) || 0, place(this, offset, byteLength), byteLength, little);
        }, alias(`write${suffix}`));
      });
      for (let size = 1; size <= 4; size *= 2) {
        const bounds = range(size, signed);
        const define = (name, little) => {
          method(`read${name}`, 0, function (offset = 0) { return readInteger(this, place(this, offset, size), size, little, signed); }, alias(`read${name}`));
          method(`write${name}`, 1, function (value, offset = 0) {
            checkValue(+value, bounds[0], bounds[1]);
            return writeInteger(this, P.MathTrunc(+value) || 0, place(this, offset, size), size, little);
          }, alias(`write${name}`));
        };
        if (size === 1) define(`${kind}8`, true);
        else orders(`${kind}${size * 8}`, define);
      }
      orders(`Big${kind}64`, (name, little) => {
        const low = signed ? -(1n << 63n) : 0n;
        const high = (signed ? 1n << 63n : 1n << 64n) - 1n;
        method(`read${name}`, 0, function (offset = 0) {
          loadScratch(this, place(this, offset, 8), 8, little);
          const value = P.BigInt(P.DataViewPrototypeGetUint32(scratch, 0)) << 32n | P.BigInt(P.DataViewPrototypeGetUint32(scratch, 4));
          return signed ? P.BigIntAsIntN(64, value) : value;
        }, alias(`read${name}`));
        method(`write${name}`, 1, function (value, offset = 0) {
          if (typeof value !== 'bigint') throw invalidType('value', 'of type bigint', value);
          checkValue(value, low, high);
          const at = place(this, offset, 8);
          P.DataViewPrototypeSetUint32(scratch, 0, P.Number(P.BigIntAsUintN(32, value >> 32n)));
          P.DataViewPrototypeSetUint32(scratch, 4, P.Number(P.BigIntAsUintN(32, value)));
          return storeScratch(this, at, 8, little);
        }, alias(`write${name}`));
      });
    };
    const floats = (kind, size, get, set) => {
      orders(kind, (name, little) => {
        method(`read${name}`, 0, function (offset = 0) {
          loadScratch(this, place(this, offset, size), size, little);
          return get(scratch, 0);
        });
        method(`write${name}`, 2, function (value, offset = 0) {
          const at = place(this, offset, size);
          set(scratch, 0, +value);
          return storeScratch(this, at, size, little);
        });
      });
    };
    integers(false);
    integers(true);
    floats('Float', 4, P.DataViewPrototypeGetFloat32, P.DataViewPrototypeSetFloat32);
    floats('Double', 8, P.DataViewPrototypeGetFloat64, P.DataViewPrototypeSetFloat64);
  };
})
