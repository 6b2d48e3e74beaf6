// Buffer, as Node has it: a Uint8Array with encodings. Ops: hexDecode(text) → bytes up to the first that is
// not hexadecimal, hexEncode(bytes), base64Lenient(text) → bytes whatever the alphabet and padding.
// Globals: Buffer
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, RangeError, Uint8Array, StringPrototypeToLowerCase, StringPrototypeCharCodeAt, StringFromCharCode, TypedArrayPrototypeSubarray, TypedArrayPrototypeGetLength, TypedArrayPrototypeSet } = P;
  const { isObject, isBuffer: isArrayBuffer, bytesOf } = host.load('idl');
  const { ops } = host;
  const { invalidType, outOfRange, received } = host.load('buffer_errors');

  // ---- encodings: {name, decode(text) → bytes, encode(bytes) → text, unit: bytes per character for searches}

  const masked = (bytes, mask) => {
    const out = P.TypedArrayPrototypeSlice(bytes);
    for (let i = 0; i < TypedArrayPrototypeGetLength(out); i++) out[i] &= mask;
    return out;
  };
  const latin1Bytes = (text) => {
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = StringPrototypeCharCodeAt(text, i);
    return bytes;
  };
  const utf16Bytes = (text) => {
    const bytes = new Uint8Array(text.length * 2);
    for (let i = 0; i < text.length; i++) {
      const unit = StringPrototypeCharCodeAt(text, i);
      bytes[2 * i] = unit & 255;
      bytes[2 * i + 1] = unit >> 8;
    }
    return bytes;
  };
  const utf16Text = (bytes) => {
    let text = '';
    for (let i = 0; i + 1 < TypedArrayPrototypeGetLength(bytes); i += 2) text += StringFromCharCode(bytes[i] | bytes[i + 1] << 8);
    return text;
  };
  const base64url = (bytes) => P.StringPrototypeReplaceAll(P.StringPrototypeReplaceAll(P.StringPrototypeReplaceAll(ops.base64Encode(bytes), '+', '-'), '/', '_'), '=', '');
  const utf8 = { __proto__: null, name: 'utf8', decode: (text) => host.toUtf8(text), encode: (bytes) => host.fromUtf8(bytes) };
  const utf16 = { __proto__: null, name: 'utf16le', decode: utf16Bytes, encode: utf16Text };
  const latin1 = { __proto__: null, name: 'latin1', decode: (text) => host.toLatin1(text) ?? latin1Bytes(text), encode: (bytes) => host.fromLatin1(bytes) };
  const encodings = {
    __proto__: null, 'utf8': utf8, 'utf-8': utf8, 'ucs2': utf16, 'ucs-2': utf16, 'utf16le': utf16, 'utf-16le': utf16, 'latin1': latin1, 'binary': latin1,
    'ascii': { __proto__: null, name: 'ascii', decode: latin1.decode, encode: (bytes) => host.fromLatin1(masked(bytes, 0x7f)) },
    'hex': { __proto__: null, name: 'hex', decode: (text) => ops.hexDecode(text), encode: (bytes) => ops.hexEncode(bytes) },
    'base64': { __proto__: null, name: 'base64', decode: (text) => ops.base64Lenient(text), encode: (bytes) => ops.base64Encode(bytes) },
    'base64url': { __proto__: null, name: 'base64url', decode: (text) => ops.base64Lenient(text), encode: base64url },
  };
  const encodingOf = (encoding) => {
    if (encoding === undefined || encoding === null || encoding === '') return utf8;
    const found = encodings[StringPrototypeToLowerCase(`${encoding}`)];
    if (found === undefined) {
      const error = new TypeError(`Unknown encoding: ${encoding}`);
      P.define(error, 'code', 'ERR_UNKNOWN_ENCODING');
      throw error;
    }
    return found;
  };

  // ---- construction

  const FastBuffer = class extends Uint8Array {};
  const wrap = (bytes) => new FastBuffer(P.TypedArrayPrototypeGetBuffer(bytes), P.TypedArrayPrototypeGetByteOffset(bytes), TypedArrayPrototypeGetLength(bytes));
  const kind = 'The first argument must be of type string or an instance of Buffer, TypedArray, ArrayBuffer, SharedArrayBuffer, or Array or an Array-like Object.';
  const fromString = (text, encoding) => wrap(encodingOf(encoding).decode(text));
  const fromArrayLike = (values) => {
    const length = P.MathMax(0, P.MathTrunc(+values.length) || 0);
    const out = new FastBuffer(length);
    for (let i = 0; i < length; i++) out[i] = values[i];
    return out;
  };
  const fromObject = (value) => {
    if (value.length !== undefined || isArrayBuffer(value.buffer)) return typeof value.length === 'number' ? fromArrayLike(value) : new FastBuffer(0);
    if (value.type === 'Buffer' && P.ArrayIsArray(value.data)) return fromArrayLike(value.data);
    return undefined;
  };
  const from = (value, encodingOrOffset, length) => {
    if (typeof value === 'string') return fromString(value, typeof encodingOrOffset === 'string' ? encodingOrOffset : undefined);
    if (typeof value === 'object' && value !== null) {
      if (isArrayBuffer(value)) {
        const size = TypedArrayPrototypeGetLength(new Uint8Array(value));
        const offset = P.MathTrunc(+encodingOrOffset) || 0;
        if (offset > size) throw new RangeError('"offset" is outside of buffer bounds');
        if (length !== undefined && offset + (+length || 0) > size) throw new RangeError('"length" is outside of buffer bounds');
        return length === undefined ? new FastBuffer(value, offset) : new FastBuffer(value, offset, P.MathMax(0, +length || 0));
      }
      const primitive = typeof value.valueOf === 'function' ? value.valueOf() : undefined;
      if (primitive !== undefined && primitive !== null && primitive !== value && (typeof primitive === 'string' || typeof primitive === 'object')) return from(primitive, encodingOrOffset, length);
      const made = fromObject(value);
      if (made !== undefined) return made;
      const convert = value[P.SymbolToPrimitive];
      if (typeof convert === 'function') {
        const text = P.FunctionPrototypeCall(convert, value, 'string');
        if (typeof text === 'string') return fromString(text, encodingOrOffset);
      }
    }
    const error = new TypeError(`${kind} ${received(value)}`);
    P.define(error, 'code', 'ERR_INVALID_ARG_TYPE');
    throw error;
  };
  const checkSize = (size) => {
    if (typeof size !== 'number') throw invalidType('size', 'of type number', size);
    if (!(size >= 0)) throw new RangeError(`Invalid typed array length: ${size}`);
    if (size > 2147483647) throw outOfRange('size', '0 to 2147483647', size);
  };

  function Buffer(value, encodingOrOffset, length) {
    return typeof value === 'number' ? new FastBuffer(value) : from(value, encodingOrOffset, length);
  }
  P.ObjectSetPrototypeOf(Buffer, Uint8Array);
  const prototype = FastBuffer.prototype;
  P.define(prototype, 'constructor', Buffer);
  Buffer.prototype = prototype;
  const isBuffer = (value) => isObject(value) && P.ObjectPrototypeIsPrototypeOf(prototype, value);
  const isBytes = (value) => isObject(value) && P.ArrayBufferIsView(value) && P.TypedArrayPrototypeGetTag(value) === 'Uint8Array';
  // As Node renders a value that is no buffer where workerd passes on typeof's answer.
  const typeName = (value) => (typeof value === 'string' ? 'string' : value);
  const needBytes = (name, value) => {
    if (!isBytes(value)) throw invalidType(name, 'an instance of Buffer or Uint8Array', typeName(value));
  };

  const compare = (a, b) => {
    const common = P.MathMin(TypedArrayPrototypeGetLength(a), TypedArrayPrototypeGetLength(b));
    for (let i = 0; i < common; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
    return P.MathSign(TypedArrayPrototypeGetLength(a) - TypedArrayPrototypeGetLength(b)) + 0;
  };

  // The members that a program has given a buffer, as util.inspect writes them.
  const extras = (buffer, options) => {
    const keys = P.ObjectKeys(buffer);
    const others = { __proto__: null };
    let has = false;
    for (let i = TypedArrayPrototypeGetLength(buffer); i < keys.length; i++) {
      has = true;
      P.define(others, keys[i], buffer[keys[i]], true);
    }
    if (!has) return '';
    const text = host.load('node/inspect').inspect(others, { ...options, breakLength: Infinity, compact: true });
    return `, ${P.StringPrototypeSlice(text, 27, -2)}`; // without "[Object: null prototype] { " and " }"
  };

  const statics = {
    __proto__: null,
    from(value, encodingOrOffset, length) { return from(value, encodingOrOffset, length); },
    of(...items) { return fromArrayLike(items); },
    alloc(size, fill, encoding) {
      checkSize(size);
      const out = new FastBuffer(size);
      return fill === undefined || fill === 0 || fill === '' ? out : fillWith(out, fill, 0, size, encoding);
    },
    allocUnsafe(size) { checkSize(size); return new FastBuffer(size); },
    isBuffer(value) { return isBuffer(value); },
    compare(a, b) {
      needBytes('a', a);
      needBytes('b', b);
      return compare(a, b);
    },
    isEncoding(encoding) { return typeof encoding === 'string' && encodings[StringPrototypeToLowerCase(encoding)] !== undefined; },
    concat(list, length) {
      if (!P.ArrayIsArray(list)) {
        const error = new TypeError(`The "list" argument must be an (Buffer|Uint8Array)[]. ${received(list)}`);
        P.define(error, 'code', 'ERR_INVALID_ARG_TYPE');
        throw error;
      }
      let total = 0;
      for (let i = 0; i < list.length; i++) {
        if (!isBytes(list[i])) throw new TypeError(`Incorrect type for array element ${i}: the provided value is not of type 'Uint8Array'.`);
        total += TypedArrayPrototypeGetLength(list[i]);
      }
      const size = length === undefined ? total : P.MathMax(0, P.MathTrunc(+length) || 0);
      const out = new FastBuffer(size);
      for (let i = 0, at = 0; i < list.length && at < size; i++) {
        const part = TypedArrayPrototypeSubarray(bytesOf(list[i]), 0, size - at);
        TypedArrayPrototypeSet(out, part, at);
        at += TypedArrayPrototypeGetLength(part);
      }
      return out;
    },
    byteLength(value, encoding) {
      if (typeof value === 'string') return TypedArrayPrototypeGetLength(encodingOf(typeof encoding === 'string' ? encoding : undefined).decode(value));
      const bytes = bytesOf(value);
      if (bytes === undefined) throw invalidType('string', 'of type string or an instance of Buffer or ArrayBuffer', value);
      return TypedArrayPrototypeGetLength(bytes);
    },
  };
  P.ObjectDefineProperty(Buffer, 'poolSize', { __proto__: null, value: 0, writable: false, enumerable: true, configurable: false });
  for (const name in statics) P.define(Buffer, name, statics[name], true);
  P.define(Buffer, 'allocUnsafeSlow', statics.allocUnsafe, true);

  // ---- methods

  const clamp = (value, length, fallback) => {
    if (value === undefined) return fallback;
    const number = P.MathTrunc(+value) || 0;
    return number < 0 ? P.MathMax(length + number, 0) : P.MathMin(number, length);
  };
  const part = (buffer, start, end) => {
    const bytes = bytesOf(buffer);
    const length = TypedArrayPrototypeGetLength(bytes);
    const from_ = start === undefined ? 0 : P.MathMin(P.MathMax(P.MathTrunc(+start) || 0, 0), length);
    const to = end === undefined ? length : P.MathMin(P.MathMax(P.MathTrunc(+end) || 0, 0), length);
    return TypedArrayPrototypeSubarray(bytes, from_, P.MathMax(from_, to));
  };
  const writeText = (buffer, text, offset, length, encoding) => {
    if (typeof text !== 'string') throw invalidType('string', 'of type string', text);
    const size = TypedArrayPrototypeGetLength(buffer);
    if (typeof offset === 'string') { encoding = offset; offset = 0; length = undefined; }
    if (typeof length === 'string') { encoding = length; length = undefined; }
    offset = offset === undefined ? 0 : P.MathTrunc(+offset) || 0;
    if (offset < 0 || offset > size) throw outOfRange('offset', `>= 0 && <= ${size}`, offset);
    const room = P.MathMin(size - offset, length === undefined ? size : P.MathMax(0, P.MathTrunc(+length) || 0));
    const codec = encodingOf(encoding);
    const bytes = codec.decode(text);
    let count = P.MathMin(room, TypedArrayPrototypeGetLength(bytes));
    // No part of a character is written.
    if (codec === utf8) while (count < TypedArrayPrototypeGetLength(bytes) && count > 0 && (bytes[count] & 0xc0) === 0x80) count--;
    if (codec === utf16) count &= ~1;
    TypedArrayPrototypeSet(buffer, TypedArrayPrototypeSubarray(bytes, 0, count), offset);
    return count;
  };
  const fillWith = (buffer, value, start, end, encoding) => {
    const size = TypedArrayPrototypeGetLength(buffer);
    if (typeof start === 'string') { encoding = start; start = 0; end = size; } else if (typeof end === 'string') { encoding = end; end = size; }
    start = start === undefined ? 0 : P.MathTrunc(+start) || 0;
    end = end === undefined ? size : P.MathTrunc(+end) || 0;
    if (start < 0 || start > size) throw outOfRange('offset', `>= 0 && <= ${size}`, start);
    if (end < 0 || end > size) throw outOfRange('end', `>= 0 && <= ${size}`, end);
    if (typeof value === 'string' || isBytes(value)) {
      const bytes = typeof value === 'string' ? encodingOf(encoding).decode(value) : bytesOf(value);
      const length = TypedArrayPrototypeGetLength(bytes);
      if (length === 0) {
        if (typeof value === 'string' && value === '') return P.TypedArrayPrototypeFill(buffer, 0, start, end);
        throw new TypeError(`The argument 'value' is invalid. Received '${typeof value === 'string' ? value : ''}'`);
      }
      for (let i = start; i < end; i++) buffer[i] = bytes[(i - start) % length];
      return buffer;
    }
    return P.TypedArrayPrototypeFill(buffer, typeof value === 'boolean' ? +value : +value & 255, start, end);
  };
  const search = (buffer, value, offset, encoding, forward) => {
    if (typeof offset === 'string') { encoding = offset; offset = undefined; }
    const length = TypedArrayPrototypeGetLength(buffer);
    let at = +offset;
    if (at !== at) at = forward ? 0 : length;
    at = P.MathTrunc(at);
    if (at < 0) at = length + at;
    if (at < 0) {
      if (!forward) return -1;
      at = 0;
    }
    let needle;
    if (typeof value === 'number') needle = new Uint8Array(fromArrayLike([value & 255]));
    else if (typeof value === 'string') needle = encodingOf(encoding).decode(value);
    else if (isBytes(value)) needle = bytesOf(value);
    else throw invalidType('value', 'one of type number or string or an instance of Buffer or Uint8Array', value);
    const size = TypedArrayPrototypeGetLength(needle);
    if (size === 0) return forward ? P.MathMin(at, length) : P.MathMin(at, length);
    const step = encoding !== undefined && encodingOf(encoding) === utf16 ? 2 : 1;
    for (let i = forward ? at : P.MathMin(at, length - size); forward ? i + size <= length : i >= 0; i += forward ? step : -step) {
      let j = 0;
      while (j < size && buffer[i + j] === needle[j]) j++;
      if (j === size) return i;
    }
    return -1;
  };
  const swap = (buffer, size) => {
    const length = TypedArrayPrototypeGetLength(buffer);
    if (length % size !== 0) throw new RangeError(`Buffer size must be a multiple of ${size * 8}-bits`);
    for (let i = 0; i < length; i += size) {
      for (let j = 0; j < size / 2; j++) {
        const byte = buffer[i + j];
        buffer[i + j] = buffer[i + size - 1 - j];
        buffer[i + size - 1 - j] = byte;
      }
    }
    return buffer;
  };

  const methods = {
    __proto__: null,
    swap16() { return swap(this, 2); },
    swap32() { return swap(this, 4); },
    swap64() { return swap(this, 8); },
    toString(encoding, start, end) { return encodingOf(encoding).encode(part(this, start, end)); },
    equals(other) {
      needBytes('b', other);
      return compare(this, other) === 0;
    },
    inspect(_depth, options) {
      const shown = P.TypedArrayPrototypeSlice(bytesOf(this), 0, 50);
      let text = TypedArrayPrototypeGetLength(shown) === 0 ? '<Buffer ' : '<Buffer';
      for (let i = 0; i < TypedArrayPrototypeGetLength(shown); i++) text += ` ${P.StringPrototypePadStart(P.NumberPrototypeToString(shown[i], 16), 2, '0')}`;
      const more = TypedArrayPrototypeGetLength(this) - 50;
      if (more > 0) text += ` ... ${more} more byte${more > 1 ? 's' : ''}`;
      return `${text}${options === undefined ? '' : extras(this, options)}>`;
    },
    compare(target, start, end, thisStart, thisEnd) {
      needBytes('target', target);
      return compare(part(this, thisStart, thisEnd), part(target, start, end));
    },
    includes(value, offset, encoding) { return search(this, value, offset, encoding, true) !== -1; },
    indexOf(value, offset, encoding) { return search(this, value, offset, encoding, true); },
    lastIndexOf(value, offset, encoding) { return search(this, value, offset, encoding, false); },
    fill(value, offset, end, encoding) { return fillWith(this, value, offset, end, encoding); },
    write(string, offset, length, encoding) { return writeText(this, string, offset, length, encoding); },
    toJSON() {
      const data = [];
      for (let i = 0; i < TypedArrayPrototypeGetLength(this); i++) P.push(data, this[i]);
      return { type: 'Buffer', data };
    },
    slice(start, end) {
      const bytes = bytesOf(this);
      const length = TypedArrayPrototypeGetLength(bytes);
      const from_ = clamp(start, length, 0);
      return wrap(TypedArrayPrototypeSubarray(bytes, from_, P.MathMax(from_, clamp(end, length, length))));
    },
    copy(target, targetStart, sourceStart, sourceEnd) {
      needBytes('target', target);
      const at = targetStart === undefined ? 0 : P.MathTrunc(+targetStart) || 0;
      const size = TypedArrayPrototypeGetLength(target);
      if (at < 0) throw outOfRange('targetStart', '>= 0', at);
      if (at >= size) return 0;
      const source = part(this, sourceStart, sourceEnd);
      const count = P.MathMin(TypedArrayPrototypeGetLength(source), size - at);
      TypedArrayPrototypeSet(target, TypedArrayPrototypeSubarray(source, 0, count), at);
      return count;
    },
  };
  const put = (name, fn, length) => {
    P.ObjectDefineProperty(fn, 'length', { __proto__: null, value: length });
    P.define(prototype, name, fn, true);
  };
  for (const name in methods) put(name, methods[name], name === 'write' || name === 'fill' || name === 'copy' ? 4 : methods[name].length);
  P.define(prototype, 'toLocaleString', methods.toString, true);
  P.define(prototype, P.SymbolFor('nodejs.util.inspect.custom'), methods.inspect, true);
  const named = P.words('ascii base64 base64url hex latin1 ucs2 utf8');
  for (let i = 0; i < named.length; i++) {
    const name = named[i];
    put(`${name}Slice`, { [`${name}Slice`](start, end) { return encodings[name].encode(part(this, start, end)); } }[`${name}Slice`], 2);
    put(`${name}Write`, {
      [`${name}Write`](string, offset, length) {
        const room = TypedArrayPrototypeGetLength(this) - (offset === undefined ? 0 : +offset);
        const size = length === undefined ? TypedArrayPrototypeGetLength(this) : +length;
        if (offset !== undefined && size > room) throw outOfRange('length', `>= 0 && <= ${room}`, size);
        return writeText(this, string, offset, length, name);
      },
    }[`${name}Write`], 3);
  }
  host.load('buffer_numbers')(put, prototype);
  P.ObjectDefineProperty(prototype, 'parent', { __proto__: null, get() { return isBuffer(this) ? P.TypedArrayPrototypeGetBuffer(this) : undefined; }, enumerable: true, configurable: false });
  P.ObjectDefineProperty(prototype, 'offset', { __proto__: null, get() { return isBuffer(this) ? P.TypedArrayPrototypeGetByteOffset(this) : undefined; }, enumerable: true, configurable: false });
  host.define('Buffer', Buffer, { enumerable: true });
  return { __proto__: null, Buffer };
})
