// node:crypto: key derivation and random values; digests, ciphers, keys, signatures and agreement are in the scripts
// beside it. Ops: see node_crypto.go.
(function (host) {
  'use strict';
  const { withCode, invalidType, outOfRange, checkNumber, callable } = host.load('node/errors');
  const { ops } = host;
  const { crypto } = globalThis;

  const { bytesOf, asBuffer, encoded, digestName, notImplemented, later } = host.load('node/crypto_common');
  const keys = host.load('node/crypto_keys');
  const keyBytes = keys.secretBytes;
  const { Hash, Hmac } = host.load('node/crypto_hash');
  const { Cipheriv, Decipheriv } = host.load('node/crypto_cipher');
  const { getCipherInfo, getCiphers } = host.load('node/crypto_ciphers');
  const { newHash } = host.load('hashing');

  // ---- derivation

  const MAX_INT = 2 ** 31 - 1;
  const knownDigest = (digest, what, end) => {
    const name = digestName(digest, 'digest');
    try {
      newHash(name).digest();
    } catch {
      throw new TypeError(`Invalid ${what} digest: ${digest}${end}`);
    }
    return name;
  };
  const pbkdf2Sync = (password, salt, iterations, length, digest) => {
    checkNumber(iterations, 'iterations', 1, MAX_INT);
    checkNumber(length, 'keylen', 0, MAX_INT);
    return asBuffer(ops.nodePBKDF2(knownDigest(digest, 'Pbkdf2', '.'), bytesOf(password, 'password'), bytesOf(salt, 'salt'), iterations, length));
  };
  const hkdfSync = (digest, key, salt, info, length) => {
    checkNumber(length, 'length', 0, MAX_INT);
    const out = ops.nodeHKDF(knownDigest(digest, 'Hkdf', ''), keyBytes(key), bytesOf(salt, 'salt'), bytesOf(info, 'info'), length);
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

  const { KeyObject, SecretKeyObject, PublicKeyObject, PrivateKeyObject, createPrivateKey, createPublicKey, createSecretKey, generateKeyPair, generateKeyPairSync } = keys;
  const node = {
    ...host.load('node/crypto_sign'), ...host.load('node/crypto_agree'), ...host.load('node/crypto_certificate'),
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
    getCipherInfo,
    getCiphers,
    getCurves: () => ['secp224r1', 'prime256v1', 'secp384r1', 'secp521r1'],
    getFips: () => true,
    getHashes: () => [
      'md4', 'md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'md5-sha1',
      'RSA-MD5', 'RSA-SHA1', 'RSA-SHA224', 'RSA-SHA256', 'RSA-SHA384', 'RSA-SHA512', 'DSA-SHA', 'DSA-SHA1', 'ecdsa-with-SHA1',
    ],
    getRandomValues: (array) => crypto.getRandomValues(array),
    hash: (algorithm, data, encoding = 'hex') => {
      const hash = newHash(digestName(algorithm));
      hash.update(bytesOf(data, 'input'));
      return encoded(hash.digest(), encoding);
    },
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
  const refusing = 'createCipher createDecipher';
  for (const name of refusing.split(' ')) node[name] = Object.defineProperty(notImplemented(name), 'name', { value: name });
  return node;
})
