// node:buffer.
(function (host) {
  'use strict';
  const { withCode, invalidType } = host.load('node/errors');
  const { Buffer } = globalThis;
  const bytesOf = (value) => {
    if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    if (value instanceof ArrayBuffer) return new Uint8Array(value);
    throw invalidType('input', 'an instance of ArrayBuffer, Buffer, or TypedArray', value);
  };
  function SlowBuffer(size) { return Buffer.allocUnsafeSlow(size); }
  const encodings = ['utf8', 'utf-8', 'ucs2', 'ucs-2', 'utf16le', 'utf-16le', 'latin1', 'binary', 'ascii'];
  return {
    Blob: globalThis.Blob,
    Buffer,
    File: globalThis.File,
    INSPECT_MAX_BYTES: 50,
    SlowBuffer,
    atob: (text) => globalThis.atob(text),
    btoa: (text) => globalThis.btoa(text),
    constants: { MAX_LENGTH: 2 ** 31 - 1, MAX_STRING_LENGTH: 2 ** 29 - 24 },
    isAscii: (input) => bytesOf(input).every((byte) => byte < 128),
    isUtf8: (input) => {
      try {
        new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(input));
        return true;
      } catch {
        return false;
      }
    },
    kMaxLength: 2 ** 31 - 1,
    kStringMaxLength: 2 ** 29 - 24,
    resolveObjectURL: () => { throw new Error('resolveObjectURL is not implemented'); },
    transcode: (source, from, to) => {
      if (!ArrayBuffer.isView(source)) throw invalidType('source', 'an instance of Buffer or Uint8Array', source);
      if (!encodings.includes(from) || !encodings.includes(to)) throw withCode(Error, 'U_ILLEGAL_ARGUMENT_ERROR', 'Unable to transcode Buffer [U_ILLEGAL_ARGUMENT_ERROR]');
      const text = Buffer.from(bytesOf(source)).toString(from);
      const narrow = to === 'latin1' || to === 'binary' ? 0xff : to === 'ascii' ? 0x7f : Infinity;
      return Buffer.from([...text].map((c) => (c.codePointAt(0) > narrow ? '?' : c)).join(''), to);
    },
  };
})
