// node:string_decoder.
(function (host) {
  'use strict';
  const { withCode, invalidType } = host.load('node/errors');

  // How many of the last bytes belong to a character that is not complete yet.
  const incomplete = {
    __proto__: null,
    utf8: (bytes) => {
      for (let back = 1; back <= Math.min(3, bytes.length); back++) {
        const byte = bytes[bytes.length - back];
        if ((byte & 0xc0) === 0x80) continue;
        const length = byte >= 0xf0 && byte < 0xf8 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
        return byte < 0xf8 && length > back ? back : 0;
      }
      return 0;
    },
    utf16le: (bytes) => {
      const odd = bytes.length % 2;
      const high = bytes[bytes.length - odd - 1];
      return bytes.length - odd >= 2 && high >= 0xd8 && high <= 0xdb ? odd + 2 : odd;
    },
    base64: (bytes) => bytes.length % 3,
    base64url: (bytes) => bytes.length % 3,
  };
  const aliases = { __proto__: null, 'utf-8': 'utf8', ucs2: 'utf16le', 'ucs-2': 'utf16le', 'utf-16le': 'utf16le', binary: 'latin1' };

  const rest = Symbol('rest');
  function StringDecoder(encoding = 'utf8') {
    const name = `${encoding ?? 'utf8'}`.toLowerCase() || 'utf8';
    if (!Buffer.isEncoding(name)) throw withCode(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);
    this.encoding = aliases[name] ?? name;
    this[rest] = Buffer.alloc(0);
  }
  Object.assign(StringDecoder.prototype, {
    write(chunk) {
      if (typeof chunk === 'string') return chunk;
      if (!ArrayBuffer.isView(chunk)) throw invalidType('buf', 'an instance of Buffer, TypedArray, or DataView', chunk);
      const bytes = Buffer.concat([this[rest], Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)]);
      const keep = incomplete[this.encoding]?.(bytes) ?? 0;
      this[rest] = bytes.subarray(bytes.length - keep);
      return bytes.toString(this.encoding, 0, bytes.length - keep);
    },
    end(chunk) {
      const text = chunk === undefined ? '' : this.write(chunk);
      const left = this[rest];
      this[rest] = Buffer.alloc(0);
      if (this.encoding === 'utf8' && left.length > 0) return `${text}\ufffd`;
      return text + left.toString(this.encoding);
    },
    text(chunk, offset) {
      this[rest] = Buffer.alloc(0);
      return this.write(chunk.subarray(offset));
    },
  });
  Object.defineProperties(StringDecoder.prototype, {
    lastChar: { get() { return this[rest]; }, configurable: true, enumerable: true },
    lastNeed: { get() { return this[rest].length > 0 ? 1 : 0; }, configurable: true, enumerable: true },
    lastTotal: { get() { return this[rest].length; }, configurable: true, enumerable: true },
  });
  return { StringDecoder };
})
