// node:crypto: digests, MACs, key derivation, random values and AES; keys, signatures and agreement are in the scripts
// beside it. A cipher gives its output in final. Ops: see node_crypto.go.
(function (host) {
  'use strict';
  const { withCode, invalidType, outOfRange, checkString, checkNumber, callable } = host.load('node/errors');
  const { Transform } = host.load('node/stream');
  const { ops } = host;
  const { crypto } = globalThis;

  const { bytesOf, asBuffer, encoded, digestName, notImplemented, later } = host.load('node/crypto_common');
  const keys = host.load('node/crypto_keys');
  const keyBytes = keys.secretBytes;
  // ---- digests and MACs: what was written is hashed in whole at the end

  class ERR_CRYPTO_HASH_FINALIZED extends Error {
    constructor() {
      super('Digest already called');
      this.code = 'ERR_CRYPTO_HASH_FINALIZED';
    }
  }
  const states = new WeakMap();
  const digesting = (name) => {
    const Class = class extends Transform {
      update(data, encoding) {
        const state = states.get(this);
        if (state.done) throw new ERR_CRYPTO_HASH_FINALIZED();
        state.chunks.push(Uint8Array.from(bytesOf(data, 'data', encoding)));
        return this;
      }
      digest(encoding) {
        const state = states.get(this);
        if (state.done) throw new ERR_CRYPTO_HASH_FINALIZED();
        state.done = true;
        return encoded(state.finish(Buffer.concat(state.chunks)), encoding);
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
      const name = digestName(algorithm);
      ops.nodeHash(name, new Uint8Array(0)); // refuses what it does not know
      states.set(this, { chunks: [], done: false, finish: (data) => ops.nodeHash(name, data) });
    }
    copy(options) {
      const state = states.get(this);
      if (state.done) throw new ERR_CRYPTO_HASH_FINALIZED();
      const copy = new Transform(options);
      Object.setPrototypeOf(copy, Hash.prototype);
      states.set(copy, { ...state, chunks: state.chunks.slice() });
      return copy;
    }
  }
  class Hmac extends digesting('Hmac') {
    constructor(algorithm, key, options = undefined) {
      super(options);
      const name = digestName(algorithm, 'hmac');
      const secret = Uint8Array.from(keyBytes(key, options?.encoding));
      ops.nodeHMAC(name, secret, new Uint8Array(0));
      states.set(this, { chunks: [], done: false, finish: (data) => ops.nodeHMAC(name, secret, data) });
    }
  }

  // ---- AES

  const cipherOf = (name) => {
    checkString(name, 'algorithm');
    const parts = /^aes-?(128|192|256)-(cbc|ctr|gcm|ecb)$/.exec(name.toLowerCase());
    if (parts === null) throw new Error(`Unknown or unsupported cipher: ${name}`);
    return { size: Number(parts[1]) / 8, mode: parts[2] };
  };
  const ciphering = (className, encrypt) => {
    const Class = class extends Transform {
      #state;
      constructor(name, key, iv, options = undefined) {
        super(options);
        const { size, mode } = cipherOf(name);
        const secret = Uint8Array.from(keyBytes(key));
        if (secret.length !== size) throw new Error('Invalid key length');
        const vector = iv === null ? new Uint8Array(0) : Uint8Array.from(bytesOf(iv, 'iv'));
        if (mode === 'ecb' ? vector.length > 0 : mode === 'gcm' ? vector.length === 0 : vector.length !== 16) throw new Error('Invalid initialization vector');
        this.#state = { mode, secret, vector, chunks: [], padding: true, done: false };
      }
      update(data, inputEncoding, outputEncoding) {
        this.#check();
        this.#state.chunks.push(Uint8Array.from(bytesOf(data, 'data', inputEncoding)));
        return encoded(new Uint8Array(0), outputEncoding);
      }
      final(outputEncoding) {
        this.#check();
        const state = this.#state;
        state.done = true;
        let out = ops.nodeCipher(state.mode, encrypt, state.secret, state.vector, Buffer.concat(state.chunks), state.aad, state.tag, state.padding);
        if (state.mode === 'gcm' && encrypt) [out, state.tag] = [out.slice(0, -16), out.slice(-16)];
        return encoded(out, outputEncoding);
      }
      #check() {
        if (this.#state.done) throw withCode(Error, 'ERR_CRYPTO_INVALID_STATE', 'Unsupported state');
      }
      setAutoPadding(padding = true) {
        this.#state.padding = Boolean(padding);
        return this;
      }
      setAAD(data) {
        this.#state.aad = Uint8Array.from(bytesOf(data, 'buffer'));
        return this;
      }
      getAuthTag() {
        if (!encrypt || !this.#state.done || this.#state.tag === undefined) throw withCode(Error, 'ERR_CRYPTO_INVALID_STATE', 'Invalid state for operation getAuthTag');
        return Buffer.from(this.#state.tag);
      }
      setAuthTag(tag) {
        this.#state.tag = Uint8Array.from(bytesOf(tag, 'buffer'));
        return this;
      }
      _transform(chunk, encoding, callback) {
        this.update(chunk, encoding);
        callback();
      }
      _flush(callback) {
        this.push(this.final());
        callback();
      }
    };
    return Object.defineProperty(Class, 'name', { value: className });
  };
  const Cipheriv = callable(ciphering('Cipheriv', true));
  const Decipheriv = callable(ciphering('Decipheriv', false));

  // ---- derivation

  const MAX_INT = 2 ** 31 - 1;
  const pbkdf2Sync = (password, salt, iterations, length, digest) => {
    checkNumber(iterations, 'iterations', 1, MAX_INT);
    checkNumber(length, 'keylen', 0, MAX_INT);
    return asBuffer(ops.nodePBKDF2(digestName(digest, 'digest'), bytesOf(password, 'password'), bytesOf(salt, 'salt'), iterations, length));
  };
  const hkdfSync = (digest, key, salt, info, length) => {
    checkNumber(length, 'length', 0, MAX_INT);
    const out = ops.nodeHKDF(digestName(digest, 'digest'), keyBytes(key), bytesOf(salt, 'salt'), bytesOf(info, 'info'), length);
    return out.buffer.slice(out.byteOffset, out.byteOffset + out.byteLength);
  };
  const scryptSync = (password, salt, length, options = {}) => {
    checkNumber(length, 'keylen', 0, MAX_INT);
    const { N = options.cost ?? 16384, r = options.blockSize ?? 8, p = options.parallelization ?? 1, maxmem = 32 * 1024 * 1024 } = options;
    const valid = [N, r, p].every((n) => Number.isInteger(n) && n > 0) && N > 1 && (N & (N - 1)) === 0;
    if (!valid || 128 * N * r > maxmem || p * r > 2 ** 20) throw withCode(RangeError, 'ERR_CRYPTO_INVALID_SCRYPT_PARAMS', 'Invalid scrypt params');
    return asBuffer(ops.nodeScrypt(bytesOf(password, 'password'), bytesOf(salt, 'salt'), N, r, p, length));
  };
  // ---- random values

  const fillSync = (buffer, offset = 0, size = undefined) => {
    const bytes = bytesOf(buffer, 'buf', 'utf8', 'an instance of ArrayBuffer or ArrayBufferView').subarray(offset, size === undefined ? undefined : offset + size);
    for (let at = 0; at < bytes.length; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
    return buffer;
  };
  const randomBytes = (size, callback) => {
    checkNumber(size, 'size', 0, MAX_INT);
    const make = () => fillSync(Buffer.alloc(size));
    if (callback === undefined) return make();
    return later(make)(callback);
  };
  const randomInt = (min, max, callback) => {
    if (max === undefined || typeof max === 'function') [min, max, callback] = [0, min, max];
    if (!Number.isSafeInteger(min)) throw invalidType('min', 'a safe integer', min);
    if (!Number.isSafeInteger(max)) throw invalidType('max', 'a safe integer', max);
    if (min >= max) throw outOfRange('min', 'min < max', min);
    const range = max - min;
    if (range >= 2 ** 48) throw outOfRange('max - min', '<= 281474976710655', range);
    const limit = 2 ** 48 - 2 ** 48 % range;
    const pick = () => {
      for (;;) {
        const n = randomBytes(6).readUIntBE(0, 6);
        if (n < limit) return min + n % range;
      }
    };
    return callback === undefined ? pick() : later(pick)(callback);
  };

  const ciphers = ['128', '192', '256'].flatMap((size) => ['cbc', 'ctr', 'ecb', 'gcm'].map((mode) => `aes-${size}-${mode}`)).sort();
  const { KeyObject, SecretKeyObject, PublicKeyObject, PrivateKeyObject, createPrivateKey, createPublicKey, createSecretKey, generateKeyPair, generateKeyPairSync } = keys;
  const node = {
    ...host.load('node/crypto_sign'), ...host.load('node/crypto_agree'),
    KeyObject, SecretKeyObject, PublicKeyObject, PrivateKeyObject, createPrivateKey, createPublicKey, createSecretKey, generateKeyPair, generateKeyPairSync,
    Hash: callable(Hash), Hmac: callable(Hmac), Cipheriv, Decipheriv, Cipher: Cipheriv, Decipher: Decipheriv,
    CryptoKey: globalThis.CryptoKey,
    constants: {},
    webcrypto: crypto,
    subtle: crypto.subtle,
    fips: true,
    createHash: (algorithm, options) => new Hash(algorithm, options),
    createHmac: (algorithm, key, options) => new Hmac(algorithm, key, options),
    createCipheriv: (name, key, iv, options) => new Cipheriv(name, key, iv, options),
    createDecipheriv: (name, key, iv, options) => new Decipheriv(name, key, iv, options),
    generateKeySync: (type, { length }) => new SecretKeyObject('secret', randomBytes(length >> 3)),
    getCipherInfo: (name) => {
      if (typeof name !== 'string' && typeof name !== 'number') throw invalidType('nameOrId', 'one of type string or number', name);
      try {
        const { size, mode } = cipherOf(name);
        return { mode, name: name.toLowerCase(), nid: 0, blockSize: mode === 'cbc' || mode === 'ecb' ? 16 : undefined, ivLength: mode === 'ecb' ? undefined : mode === 'gcm' ? 12 : 16, keyLength: size };
      } catch {
        return undefined;
      }
    },
    getCiphers: () => ciphers.slice(),
    getCurves: () => ['prime256v1', 'secp384r1', 'secp521r1'],
    getFips: () => true,
    getHashes: () => ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'RSA-MD5', 'RSA-SHA1', 'RSA-SHA224', 'RSA-SHA256', 'RSA-SHA384', 'RSA-SHA512'],
    getRandomValues: (array) => crypto.getRandomValues(array),
    hash: (algorithm, data, encoding = 'hex') => encoded(ops.nodeHash(digestName(algorithm), bytesOf(data, 'input')), encoding),
    hkdf: later(hkdfSync),
    hkdfSync,
    pbkdf2: later(pbkdf2Sync),
    pbkdf2Sync,
    pseudoRandomBytes: randomBytes,
    randomBytes,
    randomFill: (buffer, ...rest) => later((...args) => fillSync(buffer, ...args))(...rest),
    randomFillSync: fillSync,
    randomInt,
    randomUUID: () => crypto.randomUUID(),
    scrypt: later(scryptSync),
    scryptSync,
    secureHeapUsed: () => ({ total: 0, used: 0, utilization: 0, min: 0 }),
    setEngine: notImplemented('setEngine'),
    setFips: notImplemented('setFips'),
    timingSafeEqual: (a, b) => crypto.subtle.timingSafeEqual(a, b),
  };
  node.generateKey = later(node.generateKeySync);
  const refusing = 'Certificate X509Certificate createCipher createDecipher';
  for (const name of refusing.split(' ')) node[name] = Object.defineProperty(notImplemented(name), 'name', { value: name });
  return node;
})
