// Base64 and hexadecimal of Uint8Array, for language.js. Ops: hexEncode, base64Encode, base64Decode.
(function (host) {
  'use strict';
  const p = host.primordials;
  const { TypeError, SyntaxError, Uint8Array } = p;
  const isObject = (value) => typeof value === 'object' && value !== null || typeof value === 'function';

  const alphabets = { __proto__: null, base64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', base64url: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_' };
  const bytesOf = (value, method) => {
    let tag;
    try { tag = p.TypedArrayPrototypeGetTag(value); } catch { /* no typed array */ }
    if (tag !== 'Uint8Array') throw new TypeError(`Method Uint8Array.prototype.${method} called on incompatible receiver ${isObject(value) ? p.ObjectPrototypeToString(value) : p.String(value)}`);
    if (p.ArrayBufferPrototypeGetDetached !== undefined) {
      const buffer = p.TypedArrayPrototypeGetBuffer(value);
      let detached = false;
      try { detached = p.ArrayBufferPrototypeGetDetached(buffer); } catch { /* shared */ }
      if (detached) throw new TypeError('Cannot perform the operation on a detached ArrayBuffer');
    }
    return new Uint8Array(p.TypedArrayPrototypeGetBuffer(value), p.TypedArrayPrototypeGetByteOffset(value), p.TypedArrayPrototypeGetByteLength(value));
  };
  const optionsOf = (options) => {
    if (options !== undefined && !isObject(options)) throw new TypeError('invalid_argument');
    const alphabet = options?.alphabet ?? 'base64';
    if (typeof alphabet !== 'string' || alphabets[alphabet] === undefined) throw new TypeError(`invalid option ${p.String(alphabet)}`);
    return alphabet;
  };
  const textOf = (text) => {
    if (typeof text !== 'string') throw new TypeError('input argument must be a string');
    return text;
  };
  const badCharacter = () => new SyntaxError('Found a character that cannot be part of a valid base64 string.');
  const badEnd = () => new SyntaxError('The base64 input terminates with a single character, excluding padding (=).');
  const badBits = () => new SyntaxError('The base64 input terminates with non-zero padding bits.');
  const badHex = () => new SyntaxError('Input string must contain hex characters in even length');
  const isSpace = (c) => c === ' ' || c === '\t' || c === '\n' || c === '\f' || c === '\r';

  // Decodes up to max bytes: {read, bytes (a list), error}, as FromBase64 of the specification.
  const decode64 = (text, alphabet, mode, max) => {
    const bytes = p.list();
    const out = { __proto__: null, read: 0, bytes, error: undefined };
    if (max === 0) return out;
    const letters = alphabets[alphabet];
    const digit = { __proto__: null };
    for (let i = 0; i < 64; i++) digit[letters[i]] = i;
    let chunk = p.list();
    const flush = (strict) => {
      const n = chunk.length;
      const value = chunk[0] << 18 | chunk[1] << 12 | (n > 2 ? chunk[2] : 0) << 6 | (n > 3 ? chunk[3] : 0);
      if (strict && (n === 2 && (value & 0xffff) !== 0 || n === 3 && (value & 0xff) !== 0)) return false;
      bytes[bytes.length] = value >> 16 & 255;
      if (n > 2) bytes[bytes.length] = value >> 8 & 255;
      if (n > 3) bytes[bytes.length] = value & 255;
      chunk = p.list();
      return true;
    };
    const fail = (error = badCharacter()) => {
      out.error = error;
      return out;
    };
    const skip = (i) => {
      while (i < text.length && isSpace(text[i])) i++;
      return i;
    };
    for (let i = 0; ;) {
      i = skip(i);
      if (i === text.length) {
        if (chunk.length > 0) {
          if (mode === 'stop-before-partial') return out;
          if (mode === 'strict' || chunk.length === 1) return fail(badEnd());
          flush(false);
        }
        out.read = text.length;
        return out;
      }
      const c = text[i++];
      if (c === '=') {
        if (chunk.length < 2) return fail();
        i = skip(i);
        if (chunk.length === 2) {
          if (i === text.length) {
            if (mode === 'stop-before-partial') return out;
            return fail();
          }
          if (text[i] === '=') i = skip(i + 1);
          else return fail();
        }
        if (i < text.length) return fail();
        if (!flush(mode === 'strict')) return fail(badBits());
        out.read = text.length;
        return out;
      }
      if (digit[c] === undefined) return fail();
      const room = max - bytes.length;
      if (room === 1 && chunk.length === 2 || room === 2 && chunk.length === 3) return out;
      chunk[chunk.length] = digit[c];
      if (chunk.length < 4) continue;
      flush(false);
      out.read = i;
      if (bytes.length === max) return out;
    }
  };
  const decodeHex = (text, max) => {
    const out = { __proto__: null, read: 0, bytes: p.list(), error: undefined };
    if (text.length % 2 !== 0) {
      out.error = badHex();
      return out;
    }
    while (out.read < text.length && out.bytes.length < max) {
      const pair = p.StringPrototypeSlice(text, out.read, out.read + 2);
      if (p.RegExpPrototypeExec(hexPair, pair) === null) {
        out.error = badHex();
        return out;
      }
      out.read += 2;
      out.bytes[out.bytes.length] = p.parseInt(pair, 16);
    }
    return out;
  };
  const hexPair = /^[0-9a-fA-F]{2}$/;
  const lastChunk = (options) => {
    const mode = options?.lastChunkHandling ?? 'loose';
    if (mode !== 'loose' && mode !== 'strict' && mode !== 'stop-before-partial') throw new TypeError(`invalid option ${p.String(mode)}`);
    return mode;
  };
  const made = (result) => {
    if (result.error !== undefined) throw result.error;
    const out = new Uint8Array(result.bytes.length);
    for (let i = 0; i < result.bytes.length; i++) out[i] = result.bytes[i];
    return out;
  };
  const written = (target, result) => {
    for (let i = 0; i < result.bytes.length; i++) target[i] = result.bytes[i];
    if (result.error !== undefined) throw result.error;
    return { read: result.read, written: result.bytes.length };
  };
  const lengthOf = p.TypedArrayPrototypeGetLength;

  return {
    __proto__: null,
    bytes: {
      __proto__: null,
      fromBase64: (self, args) => {
        const text = textOf(args[0]);
        if (args[1] === undefined) { // what atob takes
          const bytes = host.ops.base64Decode(text);
          if (bytes !== undefined && bytes !== null) return bytes;
        }
        return made(decode64(text, optionsOf(args[1]), lastChunk(args[1]), Infinity));
      },
      fromHex: (self, args) => made(decodeHex(textOf(args[0]), Infinity)),
    },
    bytesPrototype: {
      __proto__: null,
      toBase64: (self, args) => {
        const view = bytesOf(self, 'toBase64');
        const alphabet = optionsOf(args[0]);
        let text = host.ops.base64Encode(view);
        if (alphabet === 'base64url') text = p.StringPrototypeReplaceAll(p.StringPrototypeReplaceAll(text, '+', '-'), '/', '_');
        return args[0]?.omitPadding ? p.StringPrototypeReplaceAll(text, '=', '') : text;
      },
      toHex: (self) => host.ops.hexEncode(bytesOf(self, 'toHex')),
      setFromBase64: (self, args) => {
        const view = bytesOf(self, 'setFromBase64');
        const text = textOf(args[0]);
        return written(view, decode64(text, optionsOf(args[1]), lastChunk(args[1]), lengthOf(view)));
      },
      setFromHex: (self, args) => {
        const view = bytesOf(self, 'setFromHex');
        return written(view, decodeHex(textOf(args[0]), lengthOf(view)));
      },
    },
  };
})
