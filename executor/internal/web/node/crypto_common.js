// What the parts of node:crypto share: reading bytes and names of digests, giving bytes in an encoding, callbacks.
(function (host) {
  'use strict';
  const { withCode, invalidType, checkFunction, checkString } = host.load('node/errors');

  const bytesOf = (data, name = 'data', encoding = 'utf8', expected = 'of type string or an instance of Buffer, TypedArray, or DataView') => {
    if (typeof data === 'string') return Buffer.from(data, typeof encoding !== 'string' || encoding === 'buffer' ? 'utf8' : encoding);
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (data instanceof ArrayBuffer || data instanceof SharedArrayBuffer) return new Uint8Array(data);
    throw invalidType(name, expected, data);
  };
  const asBuffer = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const encoded = (bytes, encoding) => (encoding === undefined || encoding === null || encoding === 'buffer' ? asBuffer(bytes) : asBuffer(bytes).toString(encoding));
  const aliases = { 'dsa-sha': 'sha1', 'dsa-sha1': 'sha1', 'ecdsa-with-sha1': 'sha1' };
  const digestName = (name, argument = 'algorithm') => {
    checkString(name, argument);
    const lower = name.toLowerCase();
    return aliases[lower] ?? lower.replace(/^rsa-(?!md4)/, '').replace(/^sha-(?=\d)/, 'sha').replaceAll('/', '-');
  };
  const notImplemented = (name) => function () {
    throw withCode(Error, 'ERR_METHOD_NOT_IMPLEMENTED', `The ${name} method is not implemented`);
  };
  // The form with a callback of a function that returns at once; spread gives the callback a list's members.
  const later = (fn, spread = false) => (...args) => {
    const callback = args.pop();
    checkFunction(callback, 'callback');
    let value;
    try {
      value = fn(...args);
    } catch (error) {
      if (error.code?.startsWith('ERR_INVALID') || error.code === 'ERR_OUT_OF_RANGE') throw error;
      queueMicrotask(() => callback(error));
      return;
    }
    queueMicrotask(() => (spread ? callback(null, ...value) : callback(null, value)));
  };
  return { bytesOf, asBuffer, encoded, digestName, notImplemented, later };
})
