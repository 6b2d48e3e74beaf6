// SubtleCrypto and CryptoKey. The work is in the ops of 70_subtle.go; here are algorithms, usages, formats.
// Globals: SubtleCrypto CryptoKey
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, list, push, toArray, PromiseResolve, PromiseReject, StringPrototypeToUpperCase, StringPrototypeIndexOf, StringPrototypeSlice } = P;
  const { expose, receiver, illegal, missing, wrong, string, isObject, bytesOf, copyOf, lengthOf } = host.load('idl');
  const { ops } = host;

  const exception = (name, message) => {
    const { DOMException } = host.load('12_domexception');
    return new DOMException(message, name);
  };

  // ---- algorithms: kind of key, and the usages its secret, private and public halves may have

  const cipherUsages = 'encrypt decrypt wrapKey unwrapKey';
  const algorithms = {
    __proto__: null,
    'HMAC': { kind: 'secret', secret: 'sign verify' },
    'AES-GCM': { kind: 'secret', secret: cipherUsages },
    'AES-CBC': { kind: 'secret', secret: cipherUsages },
    'AES-CTR': { kind: 'secret', secret: cipherUsages },
    'AES-KW': { kind: 'secret', secret: 'wrapKey unwrapKey' },
    'PBKDF2': { kind: 'secret', secret: 'deriveKey deriveBits' },
    'HKDF': { kind: 'secret', secret: 'deriveKey deriveBits' },
    'RSASSA-PKCS1-v1_5': { kind: 'RSA', private: 'sign', public: 'verify' },
    'RSA-PSS': { kind: 'RSA', private: 'sign', public: 'verify' },
    'RSA-OAEP': { kind: 'RSA', private: 'decrypt unwrapKey', public: 'encrypt wrapKey' },
    'ECDSA': { kind: 'EC', private: 'sign', public: 'verify' },
    'ECDH': { kind: 'EC', private: 'deriveKey deriveBits', public: '' },
    'Ed25519': { kind: 'Ed25519', private: 'sign', public: 'verify' },
    'X25519': { kind: 'X25519', private: 'deriveKey deriveBits', public: '' },
  };
  const canonicalNames = { __proto__: null };
  for (const name in algorithms) canonicalNames[StringPrototypeToUpperCase(name)] = name;
  const opensslNames = { __proto__: null, 'MD5': 'md5', 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' };
  const hashes = { __proto__: null, 'MD5': 512, 'SHA-1': 512, 'SHA-256': 512, 'SHA-384': 1024, 'SHA-512': 1024 }; // block sizes in bits
  const isAES = (name) => StringPrototypeSlice(name, 0, 3) === 'AES';

  const nameOf = (algorithm) => string(isObject(algorithm) ? algorithm.name : algorithm);
  const canonical = (algorithm) => canonicalNames[StringPrototypeToUpperCase(nameOf(algorithm))];
  const field = (algorithm, key) => {
    const value = isObject(algorithm) ? algorithm[key] : undefined;
    if (value === undefined) throw new TypeError(`Missing field "${key}" in "algorithm".`);
    return value;
  };
  const bytesField = (algorithm, key, optional) => {
    const value = optional && isObject(algorithm) && algorithm[key] === undefined || optional && !isObject(algorithm) ? undefined : field(algorithm, key);
    if (value === undefined) return new P.Uint8Array(0);
    const bytes = bytesOf(value);
    if (bytes === undefined) throw new TypeError(`The "${key}" of "algorithm" is not of type 'BufferSource'.`);
    return bytes;
  };
  const hashOf = (hash) => {
    const name = StringPrototypeToUpperCase(nameOf(hash));
    if (hashes[name] === undefined) throw exception('NotSupportedError', 'Unrecognized or unimplemented digest algorithm requested.');
    return name;
  };
  const curveOf = (algorithm) => {
    const curve = string(field(algorithm, 'namedCurve'));
    if (curve !== 'P-256' && curve !== 'P-384' && curve !== 'P-521') throw exception('NotSupportedError', `Unrecognized or unimplemented EC curve "${curve}" requested.`);
    return curve;
  };

  // ---- keys

  let materialOf; // {name, type, bytes, algorithm, usages, extractable, hash, curve} of a CryptoKey
  let newKey;

  class KeyImplementation {
    #material;
    static {
      materialOf = (value) => (isObject(value) && #material in value ? value.#material : undefined);
      newKey = (material) => {
        const key = new KeyImplementation();
        key.#material = material;
        const fixed = (name, value) => P.ObjectDefineProperty(key, name, { __proto__: null, value, writable: false, enumerable: true, configurable: true });
        fixed('usages', P.ObjectFreeze(toArray(material.usages)));
        fixed('algorithm', material.algorithm);
        fixed('extractable', material.extractable);
        fixed('type', material.type);
        return key;
      };
    }
  }

  const includes = (usages, usage) => {
    for (let i = 0; i < usages.length; i++) if (usages[i] === usage) return true;
    return false;
  };
  const allows = (allowed, usage) => StringPrototypeIndexOf(` ${allowed} `, ` ${usage} `) >= 0;
  const everyUsage = P.words('encrypt decrypt sign verify deriveKey deriveBits wrapKey unwrapKey');
  // Checks the usages asked for; what names what is being done for the text.
  const usagesOf = (given, allowed, what) => {
    const asked = P.arrayFrom(given);
    for (let i = 0; i < asked.length; i++) {
      asked[i] = string(asked[i]);
      if (!allows(allowed, asked[i])) throw exception('SyntaxError', `Attempt to ${what} with invalid usage "${asked[i]}".`);
    }
    return only(asked, allowed);
  };
  const only = (asked, allowed) => {
    const out = list();
    for (let i = 0; i < everyUsage.length; i++) if (includes(asked, everyUsage[i]) && allows(allowed, everyUsage[i])) push(out, everyUsage[i]);
    return out;
  };
  const needUsage = (usages, type) => {
    if (usages.length === 0 && type !== 'public') throw exception('SyntaxError', 'Secret/private CryptoKeys must have at least one usage.');
  };
  // The material of a key that a method was given, checked against algorithm and usage.
  const use = (key, algorithm, usage) => {
    const material = materialOf(key);
    const name = canonical(algorithm);
    if (name !== material.name) throw exception('InvalidAccessError', `Requested algorithm "${nameOf(algorithm)}" does not match this CryptoKey's algorithm "${material.name}".`);
    if (usage !== undefined && !includes(material.usages, usage)) throw exception('InvalidAccessError', `Requested key usage "${usage}" does not match any usage listed in this CryptoKey.`);
    return material;
  };

  // The public algorithm object, with members in workerd's order.
  const describe = (name, bytes, type, hash, curve) => {
    const { kind } = algorithms[name];
    if (name === 'HMAC') return { name, hash: { name: hash }, length: lengthOf(bytes) * 8 };
    if (isAES(name)) return { name, length: lengthOf(bytes) * 8 };
    if (kind === 'EC') return { name, namedCurve: curve };
    if (kind !== 'RSA') return { name };
    const text = ops.subtleDescribe(type === 'private', bytes);
    const comma = StringPrototypeIndexOf(text, ',');
    let exponent = +StringPrototypeSlice(text, comma + 1);
    const digits = list();
    for (; exponent > 0; exponent = P.MathFloor(exponent / 256)) push(digits, exponent % 256);
    const publicExponent = new P.Uint8Array(digits.length);
    for (let i = 0; i < digits.length; i++) publicExponent[digits.length - 1 - i] = digits[i];
    return { name, modulusLength: +StringPrototypeSlice(text, 0, comma), publicExponent, hash: { name: hash } };
  };
  const make = (name, type, bytes, usages, extractable, hash = undefined, curve = undefined) => newKey({
    __proto__: null, name, type, bytes, usages, extractable, hash, curve, algorithm: describe(name, bytes, type, hash, curve),
  });

  const checkAES = (bits, what) => {
    if (bits !== 128 && bits !== 192 && bits !== 256) {
      throw what === 'Imported' ? exception('DataError', `Imported AES key length must be 128, 192, or 256 bits but provided ${bits}.`)
        : exception('OperationError', `Generated AES key length must be 128, 192, or 256 bits but requested ${bits}.`);
    }
    return bits;
  };
  const keyLength = (name, algorithm) => {
    if (isAES(name)) return checkAES(+field(algorithm, 'length'), 'Generated');
    if (name === 'HMAC') return algorithm.length === undefined ? hashes[hashOf(field(algorithm, 'hash'))] : +algorithm.length;
    return undefined;
  };

  const generate = (algorithm, extractable, given) => {
    const name = canonical(algorithm);
    const known = algorithms[name];
    if (known === undefined || name === 'PBKDF2' || name === 'HKDF') throw exception('NotSupportedError', `Unrecognized key generation algorithm "${nameOf(algorithm)}" requested.`);
    if (known.kind === 'secret') {
      const usages = usagesOf(given, known.secret, `generate ${name} key`);
      const hash = name === 'HMAC' ? hashOf(field(algorithm, 'hash')) : undefined;
      const bits = keyLength(name, algorithm);
      needUsage(usages, 'secret');
      return make(name, 'secret', ops.randomBytes(P.MathCeil(bits / 8)), usages, extractable, hash);
    }
    const asked = usagesOf(given, `${known.private} ${known.public}`, `generate ${name} key`);
    const curve = known.kind === 'EC' ? curveOf(algorithm) : undefined;
    const hash = known.kind === 'RSA' ? hashOf(field(algorithm, 'hash')) : undefined;
    let parameter = curve ?? '';
    let exponent = 0;
    if (known.kind === 'RSA') {
      parameter = `${+field(algorithm, 'modulusLength')}`;
      const bytes = bytesField(algorithm, 'publicExponent');
      for (let i = 0; i < lengthOf(bytes); i++) exponent = exponent * 256 + bytes[i];
      if (exponent !== 3 && exponent !== 65537) throw exception('OperationError', `The "publicExponent" must be either 3 or 65537, but got ${exponent}.`);
    }
    const usages = only(asked, known.private);
    needUsage(usages, 'private');
    const bytes = ops.subtleGenerate(known.kind, parameter, exponent);
    return {
      publicKey: make(name, 'public', ops.subtlePublic(bytes), only(asked, known.public), true, hash, curve),
      privateKey: make(name, 'private', bytes, usages, extractable, hash, curve),
    };
  };

  // ---- import and export

  const jwkMembers = P.words('kty crv x y d n e p q k');
  const jwkText = (jwk) => {
    const out = { __proto__: null };
    for (let i = 0; i < jwkMembers.length; i++) {
      const value = jwk[jwkMembers[i]];
      if (value !== undefined) out[jwkMembers[i]] = string(value);
    }
    return P.JSONStringify(out);
  };
  const base64url = {
    __proto__: null,
    decode: (text) => ops.base64Decode(P.StringPrototypeReplaceAll(P.StringPrototypeReplaceAll(text, '-', '+'), '_', '/')),
    encode: (bytes) => P.StringPrototypeReplaceAll(P.StringPrototypeReplaceAll(P.StringPrototypeReplaceAll(ops.base64Encode(bytes), '+', '-'), '/', '_'), '=', ''),
  };

  const importSecret = (format, data, algorithm, name, extractable, given) => {
    const known = algorithms[name];
    const usages = usagesOf(given, known.secret, `import secret ${name} key`);
    if ((name === 'PBKDF2' || name === 'HKDF') && extractable) throw exception('SyntaxError', `${name} key cannot be extractable.`);
    const hash = name === 'HMAC' ? hashOf(field(algorithm, 'hash')) : undefined;
    let bytes;
    if (format === 'jwk') {
      bytes = data.kty === 'oct' && typeof data.k === 'string' ? base64url.decode(data.k) : undefined;
      if (bytes === undefined || bytes === null) throw exception('DataError', 'Symmetric "jwk" key import requires a base64Url encoding of the key.');
    } else if (format === 'raw' || format === 'raw-secret') {
      bytes = copyOf(data);
    } else {
      throw exception('NotSupportedError', `Unrecognized key import format "${format}".`);
    }
    if (isAES(name)) checkAES(lengthOf(bytes) * 8, 'Imported');
    if (name === 'HMAC' && lengthOf(bytes) === 0) throw exception('DataError', 'Imported HMAC key is empty.');
    needUsage(usages, 'secret');
    return make(name, 'secret', bytes, usages, extractable, hash);
  };
  const importPair = (format, data, algorithm, name, extractable, given) => {
    const known = algorithms[name];
    if (format !== 'pkcs8' && format !== 'spki' && format !== 'jwk' && (format !== 'raw' || known.kind === 'RSA')) throw exception('NotSupportedError', `Unrecognized key import format "${format}".`);
    const curve = known.kind === 'EC' ? curveOf(algorithm) : undefined;
    const hash = known.kind === 'RSA' ? hashOf(field(algorithm, 'hash')) : undefined;
    const type = format === 'pkcs8' || format === 'jwk' && data.d !== undefined ? 'private' : 'public';
    const usages = usagesOf(given, known[type], `import ${type} ${name} key`);
    const bytes = ops.subtleImport(format, known.kind, curve ?? '', format === 'jwk' ? jwkText(data) : data);
    needUsage(usages, type);
    return make(name, type, bytes, usages, extractable, hash, curve);
  };
  const importKey = (format, data, algorithm, extractable, usages) => {
    const name = canonical(algorithm);
    if (name === undefined) throw exception('NotSupportedError', `Unrecognized key import algorithm "${nameOf(algorithm)}" requested.`);
    return (algorithms[name].kind === 'secret' ? importSecret : importPair)(format, data, algorithm, name, extractable, usages);
  };

  const bits = { __proto__: null, 'SHA-1': '1', 'SHA-256': '256', 'SHA-384': '384', 'SHA-512': '512' };
  // The "alg" of a JWK, undefined where there is none.
  const jwkName = ({ name, hash, bytes }) => {
    switch (name) {
      case 'HMAC': return `HS${bits[hash]}`;
      case 'RSASSA-PKCS1-v1_5': return `RS${bits[hash]}`;
      case 'RSA-PSS': return `PS${bits[hash]}`;
      case 'RSA-OAEP': return hash === 'SHA-1' ? 'RSA-OAEP' : `RSA-OAEP-${bits[hash]}`;
      case 'Ed25519': return 'EdDSA';
    }
    return isAES(name) ? `A${lengthOf(bytes) * 8}${StringPrototypeSlice(name, 4)}` : undefined;
  };
  const exportJWK = (material) => {
    const members = material.type === 'secret' ? undefined : P.JSONParse(ops.subtleExport('jwk', material.type === 'private', material.bytes));
    const out = { kty: members === undefined ? 'oct' : members[0][1], key_ops: toArray(material.usages) };
    const alg = jwkName(material);
    if (alg !== undefined) out.alg = alg;
    out.ext = material.extractable;
    if (members === undefined) out.k = base64url.encode(material.bytes);
    else for (let i = 1; i < members.length; i++) P.define(out, members[i][0], members[i][1], true);
    return out;
  };
  const exportKey = (format, material) => {
    if (!material.extractable) throw exception('InvalidAccessError', `Attempt to export non-extractable ${material.name} key.`);
    if (format === 'jwk') return exportJWK(material);
    const fits = material.type === 'secret' ? format === 'raw' || format === 'raw-secret' : material.type === 'private' ? format === 'pkcs8' : format === 'spki' || format === 'raw' && algorithms[material.name].kind !== 'RSA';
    if (!fits) throw exception('NotSupportedError', `Unimplemented key export format "${format}" for ${material.type} ${material.name} keys.`);
    return bufferOf(material.type === 'secret' ? copyOf(material.bytes) : ops.subtleExport(format, false, material.bytes));
  };

  // ---- operations

  const bufferOf = (bytes) => P.TypedArrayPrototypeGetBuffer(bytes);
  const crypt = (algorithm, material, encrypt, data) => {
    const { name } = material;
    if (name === 'RSA-OAEP') return ops.subtleOAEP(encrypt, material.hash, material.bytes, bytesField(algorithm, 'label', true), data);
    if (name === 'AES-KW') return ops.subtleAES(name, encrypt, material.bytes, new P.Uint8Array(0), data, undefined, 0);
    if (name === 'AES-GCM') {
      const tag = algorithm.tagLength === undefined ? 128 : +algorithm.tagLength;
      if (tag !== 32 && tag !== 64 && (tag < 96 || tag > 128 || tag % 8 !== 0)) throw exception('OperationError', `Invalid AES-GCM tag length ${tag}.`);
      return ops.subtleAES(name, encrypt, material.bytes, bytesField(algorithm, 'iv'), data, bytesField(algorithm, 'additionalData', true), tag);
    }
    if (name === 'AES-CBC') return ops.subtleAES(name, encrypt, material.bytes, bytesField(algorithm, 'iv'), data, undefined, 0);
    if (name === 'AES-CTR') return ops.subtleAES(name, encrypt, material.bytes, bytesField(algorithm, 'counter'), data, undefined, +field(algorithm, 'length'));
    throw exception('NotSupportedError', `The ${encrypt ? 'encrypt' : 'decrypt'} operation is not implemented for "${name}".`);
  };
  const signHash = (algorithm, material) => (material.name === 'ECDSA' ? hashOf(field(algorithm, 'hash')) : material.hash ?? 'SHA-512');
  const salt = (algorithm, material) => (material.name === 'RSA-PSS' ? +field(algorithm, 'saltLength') : 0);
  const sign = (algorithm, material, data) => (material.name === 'HMAC' ? ops.subtleHMAC(material.hash, material.bytes, data)
    : ops.subtleSign(material.name, signHash(algorithm, material), material.bytes, data, salt(algorithm, material)));

  const deriveBits = (algorithm, material, length) => {
    const { name } = material;
    if (name === 'PBKDF2' || name === 'HKDF') {
      if (length === null || length === undefined || length % 8 !== 0) throw exception('OperationError', `${name} requires a length that is a multiple of 8 bits.`);
      const hash = hashOf(field(algorithm, 'hash'));
      const info = name === 'HKDF' ? bytesField(algorithm, 'info') : undefined;
      return ops.subtleDerive(name, hash, material.bytes, bytesField(algorithm, 'salt'), info, name === 'HKDF' ? 0 : +field(algorithm, 'iterations'), length / 8);
    }
    const other = materialOf(field(algorithm, 'public'));
    if (other === undefined || other.type !== 'public' || other.name !== name || other.curve !== material.curve) {
      throw exception('InvalidAccessError', 'The public key does not fit the private key.');
    }
    const secret = ops.subtleAgree(material.bytes, other.bytes);
    if (length === null || length === undefined) return secret;
    const bytes = P.MathCeil(length / 8);
    if (bytes > lengthOf(secret)) throw exception('OperationError', `Derived key length (${length} bits) is too long.`);
    const out = P.TypedArrayPrototypeSlice(secret, 0, bytes);
    if (length % 8 !== 0) out[bytes - 1] &= 0xff << (8 - length % 8);
    return out;
  };

  const keyParameter = (key, method, index) => {
    if (materialOf(key) === undefined) throw wrong(method, 'SubtleCrypto', index, 'CryptoKey');
  };
  const formatParameter = (format, given, method) => {
    missing(given, method, 'SubtleCrypto', ['string']);
    return string(format);
  };
  const dataParameter = (data, method, index) => {
    const bytes = bytesOf(data);
    if (bytes === undefined) throw wrong(method, 'SubtleCrypto', index, 'BufferSource');
    return bytes;
  };
  const algorithmParameter = (algorithm, method, index, type) => {
    if (algorithm === undefined) throw wrong(method, 'SubtleCrypto', index, `string or ${type}`);
  };

  class Implementation {
    #brand;

    // Every method answers with a promise, whatever goes wrong.
    static #run(self, work) {
      try {
        #brand in receiver(self) || illegal();
        return PromiseResolve(work());
      } catch (error) {
        return PromiseReject(error);
      }
    }

    encrypt(algorithm, key, data) {
      return Implementation.#run(this, () => {
        algorithmParameter(algorithm, 'encrypt', 1, 'EncryptAlgorithm');
        keyParameter(key, 'encrypt', 2);
        return bufferOf(crypt(algorithm, use(key, algorithm, 'encrypt'), true, dataParameter(data, 'encrypt', 3)));
      });
    }
    decrypt(algorithm, key, data) {
      return Implementation.#run(this, () => {
        algorithmParameter(algorithm, 'decrypt', 1, 'EncryptAlgorithm');
        keyParameter(key, 'decrypt', 2);
        return bufferOf(crypt(algorithm, use(key, algorithm, 'decrypt'), false, dataParameter(data, 'decrypt', 3)));
      });
    }
    sign(algorithm, key, data) {
      return Implementation.#run(this, () => {
        algorithmParameter(algorithm, 'sign', 1, 'SignAlgorithm');
        keyParameter(key, 'sign', 2);
        return bufferOf(sign(algorithm, use(key, algorithm, 'sign'), dataParameter(data, 'sign', 3)));
      });
    }
    verify(algorithm, key, signature, data) {
      return Implementation.#run(this, () => {
        algorithmParameter(algorithm, 'verify', 1, 'SignAlgorithm');
        keyParameter(key, 'verify', 2);
        const given = dataParameter(signature, 'verify', 3);
        const bytes = dataParameter(data, 'verify', 4);
        const material = use(key, algorithm, 'verify');
        if (material.name === 'HMAC') return ops.subtleEqual(ops.subtleHMAC(material.hash, material.bytes, bytes), given);
        return ops.subtleVerify(material.name, signHash(algorithm, material), material.bytes, bytes, given, salt(algorithm, material));
      });
    }
    digest(algorithm, data) {
      return Implementation.#run(this, () => {
        algorithmParameter(algorithm, 'digest', 1, 'HashAlgorithm');
        const bytes = dataParameter(data, 'digest', 2);
        return bufferOf(ops.subtleDigest(hashOf(algorithm), bytes));
      });
    }
    generateKey(algorithm, extractable, usages) {
      return Implementation.#run(this, () => {
        algorithmParameter(algorithm, 'generateKey', 1, 'GenerateKeyAlgorithm');
        return generate(algorithm, !!extractable, usages);
      });
    }
    deriveKey(algorithm, key, target, extractable, usages) {
      return Implementation.#run(this, () => {
        algorithmParameter(algorithm, 'deriveKey', 1, 'DeriveKeyAlgorithm');
        keyParameter(key, 'deriveKey', 2);
        const material = use(key, algorithm, 'deriveKey');
        const name = canonical(target);
        if (name === undefined) throw exception('NotSupportedError', `Unrecognized key import algorithm "${nameOf(target)}" requested.`);
        const bytes = deriveBits(algorithm, material, keyLength(name, target) ?? null);
        return importKey('raw', bytes, target, !!extractable, usages);
      });
    }
    deriveBits(algorithm, key, length = null) {
      return Implementation.#run(this, () => {
        algorithmParameter(algorithm, 'deriveBits', 1, 'DeriveKeyAlgorithm');
        keyParameter(key, 'deriveBits', 2);
        return bufferOf(deriveBits(algorithm, use(key, algorithm, 'deriveBits'), length === null ? null : +length));
      });
    }
    importKey(format, data, algorithm, extractable, usages) {
      return Implementation.#run(this, () => {
        missing(arguments.length, 'importKey', 'SubtleCrypto', ['string', 'BufferSource or JsonWebKey', 'string or ImportKeyAlgorithm', 'boolean', 'Array']);
        const name = string(format);
        if (!P.ArrayIsArray(usages)) throw wrong('importKey', 'SubtleCrypto', 5, 'Array');
        const bytes = bytesOf(data);
        if (bytes === undefined && !isObject(data)) throw wrong('importKey', 'SubtleCrypto', 2, 'BufferSource or JsonWebKey');
        if (name === 'jwk' ? bytes !== undefined : bytes === undefined) throw new TypeError(`Importing a key as "${name}" takes ${name === 'jwk' ? 'an object' : 'bytes'}.`);
        return importKey(name, bytes ?? data, algorithm, !!extractable, usages);
      });
    }
    exportKey(format, key) {
      return Implementation.#run(this, () => {
        const name = formatParameter(format, arguments.length, 'exportKey');
        keyParameter(key, 'exportKey', 2);
        return exportKey(name, materialOf(key));
      });
    }
    wrapKey(format, key, wrappingKey, algorithm) {
      return Implementation.#run(this, () => {
        const name = formatParameter(format, arguments.length, 'wrapKey');
        keyParameter(key, 'wrapKey', 2);
        keyParameter(wrappingKey, 'wrapKey', 3);
        const exported = exportKey(name, materialOf(key));
        const bytes = bytesOf(exported) ?? ops.utf8Encode(P.JSONStringify(exported));
        return bufferOf(crypt(algorithm, use(wrappingKey, algorithm, 'wrapKey'), true, bytes));
      });
    }
    unwrapKey(format, wrapped, unwrappingKey, algorithm, keyAlgorithm, extractable, usages) {
      return Implementation.#run(this, () => {
        const name = formatParameter(format, arguments.length, 'unwrapKey');
        const data = dataParameter(wrapped, 'unwrapKey', 2);
        keyParameter(unwrappingKey, 'unwrapKey', 3);
        const bytes = crypt(algorithm, use(unwrappingKey, algorithm, 'unwrapKey'), false, data);
        return importKey(name, name === 'jwk' ? P.JSONParse(ops.decodeText('utf-8', bytes, false)) : bytes, keyAlgorithm, !!extractable, usages);
      });
    }
    timingSafeEqual(a, b) {
      #brand in receiver(this) || illegal();
      const left = dataParameter(a, 'timingSafeEqual', 1);
      const right = dataParameter(b, 'timingSafeEqual', 2);
      if (lengthOf(left) !== lengthOf(right)) throw new TypeError('Input buffers must have the same byte length.');
      return ops.subtleEqual(left, right);
    }
  }

  host.define('SubtleCrypto', expose('SubtleCrypto', Implementation, { constructible: false }), { enumerable: true });
  host.define('CryptoKey', expose('CryptoKey', KeyImplementation, { constructible: false }), { enumerable: true });
  return { __proto__: null, subtle: new Implementation(), materialOf, importKey, newHash: (algorithm) => {
    const hash = host.load('hashing').newHash(opensslNames[hashOf(algorithm)]);
    return { __proto__: null, update: hash.update, digest: () => bufferOf(hash.digest()) };
  } };
})
