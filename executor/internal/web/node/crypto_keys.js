// The keys of node:crypto: KeyObject and its kinds, reading, writing and making them. A private key is held as PKCS #8, a
// public one as SubjectPublicKeyInfo, a secret one as its bytes. Ops: see node_keys.go.
(function (host) {
  'use strict';
  const { withCode, invalidType, checkString, checkObject, checkNumber } = host.load('node/errors');
  const { bytesOf, asBuffer, later } = host.load('node/crypto_common');
  const { ops } = host;
  const keyTypes = 'of type string or an instance of ArrayBuffer, Buffer, TypedArray, DataView, or Object';
  const invalidValue = (what, why) => withCode(TypeError, 'ERR_INVALID_ARG_VALUE', `The ${what} ${why}`);
  const shown = (value) => (typeof value === 'string' ? `'${value}'` : String(value));
  const oneOf = (name, values, value) => {
    if (!values.includes(value)) throw invalidValue(`argument '${name}'`, `must be one of: ${values.map(shown).join(', ')}. Received ${shown(value)}`);
    return value;
  };
  const materialOf = (value) => host.load('70_subtle').materialOf(value);

  let derOf; // what a KeyObject holds; undefined for anything else
  class KeyObject {
    #type;
    #bytes;
    constructor(type, bytes) {
      oneOf('type', ['secret', 'public', 'private'], type);
      this.#type = type;
      this.#bytes = Uint8Array.from(bytes);
    }
    static { derOf = (value) => (typeof value === 'object' && value !== null && #bytes in value ? value.#bytes : undefined); }
    static from(key) {
      const material = materialOf(key);
      if (material === undefined) throw invalidType('key', 'an instance of CryptoKey', key);
      return new kinds[material.type](material.type, material.bytes);
    }
    get type() { return this.#type; }
    get [Symbol.toStringTag]() { return 'KeyObject'; }
    export() { throw new Error('Unknown key type'); }
    equals(other) {
      const theirs = derOf(other);
      return theirs !== undefined && other.#type === this.#type && asBuffer(this.#bytes).equals(theirs);
    }
    toCryptoKey(algorithm, extractable, usages) {
      const format = { secret: 'raw', public: 'spki', private: 'pkcs8' }[this.#type];
      return host.load('70_subtle').importKey(format, this.#bytes, algorithm, Boolean(extractable), usages);
    }
  }
  Object.defineProperty(KeyObject.prototype, 'export', { enumerable: false });

  class SecretKeyObject extends KeyObject {
    get symmetricKeySize() { return derOf(this).length; }
    export(options = undefined) {
      if (options?.format === 'jwk') return { kty: 'oct', k: asBuffer(derOf(this)).toString('base64url') };
      return Buffer.from(derOf(this));
    }
  }
  const details = {
    rsa: (bits, exponent) => ({ modulusLength: Number(bits), publicExponent: BigInt(exponent) }),
    ec: (namedCurve) => ({ namedCurve }),
  };
  const describe = (key) => ops.nodeDescribeKey(key.type === 'private', derOf(key)).split(',');
  class AsymmetricKeyObject extends KeyObject {
    get asymmetricKeyType() { return describe(this)[0]; }
    get asymmetricKeyDetails() {
      const [type, ...rest] = describe(this);
      return details[type]?.(...rest) ?? {};
    }
    export(options = undefined) { return exportKey(this, options ?? {}); }
  }
  class PublicKeyObject extends AsymmetricKeyObject {}
  class PrivateKeyObject extends AsymmetricKeyObject {}
  const kinds = { secret: SecretKeyObject, public: PublicKeyObject, private: PrivateKeyObject };

  // ---- writing

  const encodings = { pkcs1: 'RSA', sec1: 'EC' };
  const exportKey = (key, { format, type, cipher, passphrase }) => {
    const isPrivate = key.type === 'private';
    const der = derOf(key);
    if (format === 'jwk') return Object.fromEntries(JSON.parse(ops.subtleExport('jwk', isPrivate, der)));
    if (type === undefined) throw new TypeError('Missing type option');
    const family = encodings[type];
    if (family !== undefined && key.asymmetricKeyType !== family.toLowerCase()) {
      if (!isPrivate) throw new Error(`${type.toUpperCase()} can only be used for ${family} keys`);
      throw withCode(Error, 'ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS', `The selected key encoding ${type} can only be used for ${family} keys.`);
    }
    let secret;
    if (isPrivate && cipher !== undefined) {
      checkString(cipher, 'options.cipher');
      if (typeof passphrase !== 'string' && !ArrayBuffer.isView(passphrase)) throw invalidType('options.passphrase', 'of type string or an instance of Uint8Array', passphrase);
      secret = bytesOf(passphrase);
    }
    const bytes = asBuffer(ops.nodeExportKey(isPrivate, der, format === 'pem', String(type), secret && cipher, secret));
    return format === 'pem' ? bytes.toString('latin1') : bytes;
  };

  // ---- reading

  const jwkKind = (jwk) => {
    if (jwk?.kty === 'RSA') return ['RSA', ''];
    if (jwk?.kty === 'EC') return ['EC', String(jwk.crv)];
    if (jwk?.kty === 'OKP') return [String(jwk.crv), ''];
    return undefined;
  };
  const fromJWK = (jwk, wanted) => {
    const kind = jwkKind(jwk);
    if (kind === undefined || kind[0] !== 'RSA' && wanted === 'private' && jwk.d === undefined) throw new Error(`JWK ${wanted} key import is not implemented for this key type`);
    if (kind[0] === 'RSA') for (const member of ['n', 'e']) if (jwk[member] === undefined) throw new Error(`RSA JWK missing ${member} parameter`);
    try {
      return ops.subtleImport('jwk', ...kind, JSON.stringify(jwk));
    } catch (error) {
      throw new Error(error.message);
    }
  };
  const read = (wanted, data, name, { format = 'pem', type, passphrase } = {}) => {
    if (format === 'jwk') {
      checkObject(data, 'options.key');
      const der = fromJWK(data, wanted);
      return wanted === 'public' && data.d !== undefined ? ops.subtlePublic(der) : der;
    }
    oneOf('format', ['pem', 'der'], format);
    if (typeof data !== 'string' && !ArrayBuffer.isView(data) && !(data instanceof ArrayBuffer)) throw invalidType(name, keyTypes, data);
    const secret = passphrase === undefined || passphrase === null ? undefined : bytesOf(passphrase, 'options.passphrase');
    return ops.nodeParseKey(wanted === 'private', bytesOf(data), format === 'pem' || typeof data === 'string', type ?? '', secret);
  };
  const isOptions = (value) => typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && !(value instanceof ArrayBuffer);
  const readAny = (wanted, key) => (isOptions(key) ? read(wanted, key.key, 'options.key', key) : read(wanted, key, 'key'));

  const createPrivateKey = (key) => new PrivateKeyObject('private', readAny('private', key));
  const createPublicKey = (key) => {
    const held = key instanceof KeyObject ? key : isOptions(key) && key.key instanceof KeyObject ? key.key : undefined;
    if (held === undefined && materialOf(key) === undefined) return new PublicKeyObject('public', readAny('public', key));
    if (!(held instanceof PrivateKeyObject)) throw invalidType('key', 'an instance of PrivateKeyObject', held ?? key);
    return new PublicKeyObject('public', ops.subtlePublic(derOf(held)));
  };
  const createSecretKey = (key, encoding) => new SecretKeyObject('secret', secretBytes(key, encoding));
  const secretBytes = (key, encoding) => {
    if (key instanceof KeyObject) return key.export();
    return materialOf(key)?.bytes ?? bytesOf(key, 'key', encoding, 'of type string or an instance of ArrayBuffer, Buffer, ArrayBufferView, KeyObject, or CryptoKey');
  };

  // The key that an operation is given: a KeyObject, a CryptoKey, what createPrivateKey and createPublicKey take, or any of
  // them as the member key of the operation's options. A private key stands for its public half as well.
  const keyFor = (wanted, given) => {
    const inner = isOptions(given) && (given.key instanceof KeyObject || materialOf(given.key) !== undefined) ? given.key : given;
    const key = materialOf(inner) === undefined ? inner : KeyObject.from(inner);
    if (!(key instanceof KeyObject)) return readAny(wanted, key);
    if (key.type === wanted) return derOf(key);
    if (wanted === 'public' && key.type === 'private') return ops.subtlePublic(derOf(key));
    throw withCode(Error, 'ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE', `Invalid key object type ${key.type}, expected ${wanted}.`);
  };

  // ---- making

  const MAX_BITS = 2 ** 31 - 1;
  const parameters = {
    rsa: ({ modulusLength, publicExponent } = {}) => {
      checkNumber(modulusLength, 'options.modulusLength', 0, MAX_BITS);
      if (!Number.isInteger(modulusLength)) throw withCode(RangeError, 'ERR_OUT_OF_RANGE', `The value of "options.modulusLength" is out of range. It must be an integer. Received ${modulusLength}`);
      if (modulusLength < 512 || modulusLength > 16384) throw new Error('Failed to set modulus length');
      if (publicExponent !== undefined) checkNumber(publicExponent, 'options.publicExponent', 0, 2 ** 32 - 1);
      return [modulusLength, '', publicExponent ?? 65537];
    },
    ec: ({ namedCurve } = {}) => {
      checkString(namedCurve, 'options.namedCurve');
      return [0, namedCurve];
    },
    ed25519: () => [0, ''],
    x25519: () => [0, ''],
    dh: () => { throw new Error('Generating DH keys from a prime length is not yet implemented'); },
  };
  const generateKeyPairSync = (type, options = undefined) => {
    oneOf('type', ['rsa', 'ec', 'ed25519', 'x25519', 'dh'], type);
    const der = ops.nodeGenerateKey(type, ...parameters[type](options));
    const privateKey = new PrivateKeyObject('private', der);
    const publicKey = new PublicKeyObject('public', ops.subtlePublic(der));
    const { publicKeyEncoding, privateKeyEncoding } = options ?? {};
    return {
      publicKey: publicKeyEncoding === undefined ? publicKey : publicKey.export(publicKeyEncoding),
      privateKey: privateKeyEncoding === undefined ? privateKey : privateKey.export(privateKeyEncoding),
    };
  };
  const generateKeyPair = (type, options, callback) => {
    if (typeof options === 'function') [options, callback] = [undefined, options];
    later(() => {
      const { publicKey, privateKey } = generateKeyPairSync(type, options);
      return [publicKey, privateKey];
    }, true)(callback);
  };

  return {
    KeyObject, SecretKeyObject, PublicKeyObject, PrivateKeyObject, createPrivateKey, createPublicKey, createSecretKey, generateKeyPair, generateKeyPairSync,
    secretBytes, keyFor, derOf, oneOf, isOptions,
  };
})
