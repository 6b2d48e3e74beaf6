// crypto: random values and UUIDs; SubtleCrypto is in its own file. Ops: randomBytes(n) → bytes.
// Globals: crypto Crypto
(function (host) {
  'use strict';
  const P = host.primordials;
  const { expose, receiver, illegal, missing, wrong, bytesOf, lengthOf } = host.load('idl');

  const exception = (message, name) => {
    const { DOMException } = host.load('12_domexception');
    return new DOMException(message, name);
  };
  const integers = { __proto__: null, Int8Array: 1, Uint8Array: 1, Uint8ClampedArray: 1, Int16Array: 1, Uint16Array: 1, Int32Array: 1, Uint32Array: 1, BigInt64Array: 1, BigUint64Array: 1 };

  const hex = P.list();
  for (let i = 0; i < 256; i++) hex[i] = P.StringPrototypePadStart(P.NumberPrototypeToString(i, 16), 2, '0');
  const hexOf = (bytes, from, to) => {
    let out = '';
    for (let i = from; i < to; i++) out += hex[bytes[i]];
    return out;
  };

  class Implementation {
    #brand;

    get subtle() {
      #brand in receiver(this) || illegal();
      return host.load('70_subtle').subtle;
    }

    getRandomValues(array) {
      #brand in receiver(this) || illegal();
      missing(arguments.length, 'getRandomValues', 'Crypto', ['ArrayBufferView']);
      if (!P.ArrayBufferIsView(array)) throw wrong('getRandomValues', 'Crypto', 1, 'ArrayBufferView');
      if (integers[P.TypedArrayPrototypeGetTag(array)] === undefined) {
        throw exception('ArrayBufferView argument to getRandomValues() must be an integer-typed view.', 'TypeMismatchError');
      }
      const bytes = bytesOf(array);
      const length = lengthOf(bytes);
      if (length > 65536) throw exception(`getRandomValues() only accepts buffers of size <= 64K but provided ${length} bytes.`, 'QuotaExceededError');
      P.TypedArrayPrototypeSet(bytes, host.ops.randomBytes(length));
      return array;
    }

    randomUUID() {
      #brand in receiver(this) || illegal();
      const bytes = host.ops.randomBytes(16);
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      return `${hexOf(bytes, 0, 4)}-${hexOf(bytes, 4, 6)}-${hexOf(bytes, 6, 8)}-${hexOf(bytes, 8, 10)}-${hexOf(bytes, 10, 16)}`;
    }
  }
  const crypto = expose('Crypto', Implementation, { constructible: false });
  host.lazyMember(Implementation.prototype, 'DigestStream', () => host.load('digest_stream').DigestStream);
  host.define('Crypto', crypto, { enumerable: true });
  host.define('crypto', new Implementation(), { enumerable: true });
})
