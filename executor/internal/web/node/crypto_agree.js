// Key agreement of node:crypto, and primes. Ops: see node_agree.go.
(function (host) {
  'use strict';
  const { withCode, invalidType, outOfRange, checkString, checkObject, checkNumber, callable } = host.load('node/errors');
  const { bytesOf, asBuffer, encoded, later } = host.load('node/crypto_common');
  const { KeyObject, PrivateKeyObject, PublicKeyObject, derOf, oneOf } = host.load('node/crypto_keys');
  const { ops } = host;
  const MAX_INT = 2 ** 31 - 1;

  const attempt = (text, work) => {
    try {
      return work();
    } catch {
      throw new Error(text);
    }
  };
  const forms = ['compressed', 'uncompressed', 'hybrid'];
  const inForm = (curve, point, format = 'uncompressed') => {
    oneOf('format', forms, format);
    return ops.nodePoint(curve, point, format);
  };

  class ECDH {
    #curve;
    #key;
    constructor(curveName) {
      checkString(curveName, 'curveName');
      ops.nodeECDHKey(curveName, undefined); // refuses what it does not know
      this.#curve = curveName;
    }
    static convertKey(key, curve, inputEncoding = undefined, outputEncoding = undefined, format = undefined) {
      checkString(curve, 'curve');
      return encoded(inForm(curve, bytesOf(key, 'key', inputEncoding), format), outputEncoding);
    }
    generateKeys(encoding = undefined, format = undefined) {
      this.#key = ops.nodeECDHKey(this.#curve, undefined);
      return this.getPublicKey(encoding, format);
    }
    computeSecret(other, inputEncoding = undefined, outputEncoding = undefined) {
      if (this.#key === undefined) throw new Error('Invalid keypair');
      return encoded(ops.nodeECDHSecret(this.#curve, this.#key, bytesOf(other, 'otherPublicKey', inputEncoding)), outputEncoding);
    }
    getPublicKey(encoding = undefined, format = undefined) {
      if (this.#key === undefined) throw new Error('Failed to get ECDH public key');
      return encoded(inForm(this.#curve, ops.nodeECDHPublic(this.#curve, this.#key), format), encoding);
    }
    getPrivateKey(encoding = undefined) {
      if (this.#key === undefined) throw new Error('Failed to get ECDH private key');
      return encoded(this.#key, encoding);
    }
    setPrivateKey(key, encoding = undefined) {
      this.#key = ops.nodeECDHKey(this.#curve, bytesOf(key, 'key', encoding));
    }
  }

  // ---- Diffie-Hellman over a prime field

  const trimmed = (bytes) => {
    let from = 0;
    while (from < bytes.length - 1 && bytes[from] === 0) from++;
    return bytes.subarray(from);
  };
  const compare = (a, b) => a.length - b.length || Buffer.compare(a, b);
  const minus = (bytes, n) => {
    const out = Uint8Array.from(bytes);
    for (let i = out.length - 1, left = n; i >= 0 && left > 0; i--) {
      left = out[i] < left ? (out[i] += 256 - left, 1) : (out[i] -= left, 0);
    }
    return trimmed(out);
  };
  class Exchange {
    #prime;
    #generator;
    #privateKey;
    #publicKey;
    constructor(prime, generator) {
      this.#prime = trimmed(prime);
      this.#generator = generator;
      Object.defineProperty(this, 'verifyError', { value: 0, writable: false, configurable: true });
    }
    generateKeys(encoding = undefined) {
      this.#privateKey ??= asBuffer(randomBelow(this.#prime));
      this.#publicKey = ops.nodePower(this.#generator, this.#privateKey, this.#prime);
      return this.getPublicKey(encoding);
    }
    computeSecret(other, inputEncoding = undefined, outputEncoding = undefined) {
      const theirs = trimmed(bytesOf(other, 'otherPublicKey', inputEncoding));
      if (compare(theirs, [1]) <= 0) throw new RangeError('DiffieHellman computeSecret() failed: Supplied key is too small');
      if (compare(theirs, minus(this.#prime, 1)) >= 0) throw new RangeError('DiffieHellman computeSecret() failed: Supplied key is too large');
      if (this.#privateKey === undefined) throw new Error('No private key');
      const secret = ops.nodePower(theirs, this.#privateKey, this.#prime);
      const padded = Buffer.alloc(this.#prime.length);
      padded.set(secret, padded.length - secret.length);
      return encoded(padded, outputEncoding);
    }
    getPrime(encoding = undefined) { return encoded(Uint8Array.from(this.#prime), encoding); }
    getGenerator(encoding = undefined) { return encoded(Uint8Array.from(this.#generator), encoding); }
    getPublicKey(encoding = undefined) {
      if (this.#publicKey === undefined) throw new Error('No public key');
      return encoded(Uint8Array.from(this.#publicKey), encoding);
    }
    getPrivateKey(encoding = undefined) {
      if (this.#privateKey === undefined) throw new Error('No private key');
      return encoded(Uint8Array.from(this.#privateKey), encoding);
    }
    static keep(exchange, half, key, encoding) {
      const bytes = Uint8Array.from(bytesOf(key, 'key', encoding));
      if (half === 'private') exchange.#privateKey = bytes;
      else exchange.#publicKey = bytes;
      return exchange;
    }
  }
  const randomBelow = (prime) => {
    const bytes = crypto.getRandomValues(new Uint8Array(Math.min(prime.length, 65536)));
    bytes[0] = bytes[0] % (prime[0] || 1);
    return bytes.some((byte) => byte > 0) ? bytes : randomBelow(prime);
  };

  const sizeTypes = 'one of type number or string or an instance of ArrayBuffer, Buffer, TypedArray, or DataView';
  const MAX_PRIME_BITS = 10000; // as the reference has it
  const primeOf = (sizeOrKey, encoding) => {
    if (typeof sizeOrKey === 'number') {
      if (sizeOrKey > MAX_PRIME_BITS) throw new RangeError('DiffieHellman init failed: prime size is too large');
      return attempt('DiffieHellman init failed: could not generate parameters', () => ops.nodePrime(sizeOrKey, sizeOrKey <= 512, undefined, undefined));
    }
    const prime = bytesOf(sizeOrKey, 'sizeOrKey', encoding, sizeTypes);
    if (prime.length === 0 || compare(trimmed(prime), [3]) < 0) throw new Error('DiffieHellman init failed: Invalid DH prime generated');
    return prime;
  };
  const generatorOf = (generator, encoding) => {
    if (typeof generator !== 'number') return Uint8Array.from(bytesOf(generator, 'generator', encoding));
    checkNumber(generator, 'generator', 2, MAX_INT);
    const hex = generator.toString(16);
    return Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex');
  };
  class DiffieHellman extends Exchange {
    constructor(sizeOrKey, keyEncoding = undefined, generator = 2, genEncoding = undefined) {
      if (typeof keyEncoding !== 'string' && keyEncoding !== undefined) [keyEncoding, generator, genEncoding] = [undefined, keyEncoding, generator === 2 ? undefined : generator];
      super(primeOf(sizeOrKey, keyEncoding), generatorOf(generator, genEncoding));
    }
    setPublicKey(key, encoding = undefined) { return Exchange.keep(this, 'public', key, encoding); }
    setPrivateKey(key, encoding = undefined) { return Exchange.keep(this, 'private', key, encoding); }
  }
  class DiffieHellmanGroup extends Exchange {
    constructor(name) {
      checkString(name, 'name');
      const prime = ops.nodeGroup(name.toLowerCase());
      if (prime === undefined || prime === null) throw withCode(Error, 'ERR_CRYPTO_UNKNOWN_DH_GROUP', 'Unknown DH group');
      super(prime, Uint8Array.of(2));
    }
  }

  const diffieHellman = (options) => {
    checkObject(options, 'options');
    const { privateKey, publicKey } = options;
    for (const [name, key] of [['publicKey', publicKey], ['privateKey', privateKey]]) {
      if (!(key instanceof KeyObject)) throw invalidType(`options.${name}`, 'an instance of KeyObject', key);
    }
    if (!(privateKey instanceof PrivateKeyObject)) throw withCode(Error, 'ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', `Invalid key object type ${privateKey.type}, expected private.`);
    if (privateKey.asymmetricKeyType !== publicKey.asymmetricKeyType) {
      throw withCode(TypeError, 'ERR_INVALID_ARG_VALUE', `The property 'options.publicKey.asymmetricKeyType' must equal privateKey.asymmetricKeyType. Received '${publicKey.asymmetricKeyType}'`);
    }
    const der = publicKey instanceof PublicKeyObject ? derOf(publicKey) : ops.subtlePublic(derOf(publicKey));
    return asBuffer(attempt('Failed to derive shared diffie-hellman secret', () => ops.subtleAgree(derOf(privateKey), der)));
  };

  // ---- primes

  const numberBytes = (value, name) => {
    if (typeof value === 'string') throw invalidType(name, 'of type bigint or an instance of ArrayBuffer, TypedArray, Buffer, or DataView', value);
    if (typeof value !== 'bigint') return bytesOf(value, name, undefined, 'of type bigint or an instance of ArrayBuffer, TypedArray, Buffer, or DataView');
    if (value < 0n) throw outOfRange(name, '>= 0', value);
    const hex = value.toString(16);
    return Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex');
  };
  const generatePrimeSync = (size, options = {}) => {
    checkNumber(size, 'size', 1, MAX_INT);
    if (!Number.isInteger(size)) throw outOfRange('size', 'an integer', size);
    checkObject(options, 'options');
    const { safe = false, bigint = false, add, rem } = options;
    const step = add === undefined ? undefined : numberBytes(add, 'options.add');
    const rest = add === undefined ? undefined : numberBytes(rem ?? (safe ? 3n : 1n), 'options.rem');
    const bytes = ops.nodePrime(size, Boolean(safe), step, rest);
    return bigint ? BigInt(`0x${asBuffer(bytes).toString('hex')}`) : bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  };
  const checkPrimeSync = (candidate, options = {}) => {
    const bytes = numberBytes(candidate, 'candidate');
    checkObject(options, 'options');
    if (options.checks !== undefined) checkNumber(options.checks, 'options.checks', 0, MAX_INT);
    return ops.nodeIsPrime(bytes);
  };
  const withOptions = (fn) => (value, options, callback = undefined) => {
    if (fn === checkPrimeSync) numberBytes(value, 'candidate'); // what is wrong with it counts first
    if (callback === undefined && typeof options === 'function') [options, callback] = [{}, options];
    checkObject(options, 'options');
    return later(fn)(value, options, callback);
  };

  const Curve = callable(ECDH);
  const Field = callable(DiffieHellman);
  const Group = callable(DiffieHellmanGroup);
  return {
    ECDH: Curve, DiffieHellman: Field, DiffieHellmanGroup: Group, diffieHellman, generatePrimeSync, checkPrimeSync,
    generatePrime: withOptions(generatePrimeSync),
    checkPrime: withOptions(checkPrimeSync),
    createECDH: (curve) => new ECDH(curve),
    createDiffieHellman: (...args) => new DiffieHellman(...args),
    createDiffieHellmanGroup: (name) => new DiffieHellmanGroup(name),
    getDiffieHellman: (name) => new DiffieHellmanGroup(name),
  };
})
