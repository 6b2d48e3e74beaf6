// Digests and MACs of node:crypto.
(function (host) {
  'use strict';
  const { Transform } = host.load('node/stream');
  const { newHash } = host.load('hashing');
  const { bytesOf, encoded, digestName } = host.load('node/crypto_common');
  const { secretBytes } = host.load('node/crypto_keys');

  class ERR_CRYPTO_HASH_FINALIZED extends Error {
    constructor() {
      super('Digest already called');
      this.code = 'ERR_CRYPTO_HASH_FINALIZED';
    }
  }
  const hashes = new WeakMap(); // undefined once the digest was taken
  const open = (stream) => {
    const hash = hashes.get(stream);
    if (hash === undefined) throw new ERR_CRYPTO_HASH_FINALIZED();
    return hash;
  };
  const digesting = (name) => {
    const Class = class extends Transform {
      update(data, encoding) {
        open(this).update(bytesOf(data, 'data', encoding));
        return this;
      }
      digest(encoding) {
        const hash = open(this);
        hashes.delete(this);
        return encoded(hash.digest(), encoding);
      }
      _transform(chunk, encoding, callback) {
        this.update(chunk, encoding);
        callback();
      }
      _flush(callback) {
        this.push(this.digest());
        callback();
      }
    };
    return Object.defineProperty(Class, 'name', { value: name });
  };
  class Hash extends digesting('Hash') {
    constructor(algorithm, options = undefined) {
      super(options);
      const hash = newHash(digestName(algorithm));
      const { length } = hash.digest(); // refuses what it does not know
      if (options?.outputLength !== undefined && options.outputLength !== length) throw new Error('invalid digest size');
      hashes.set(this, hash);
    }
    copy(options) {
      const hash = open(this);
      const copy = new Transform(options);
      Object.setPrototypeOf(copy, Hash.prototype);
      hashes.set(copy, hash.copy());
      return copy;
    }
  }
  class Hmac extends digesting('Hmac') {
    constructor(algorithm, key, options = undefined) {
      super(options);
      const name = digestName(algorithm, 'hmac');
      hashes.set(this, newHash(name, Uint8Array.from(secretBytes(key, options?.encoding))));
    }
  }
  return { Hash, Hmac };
})
