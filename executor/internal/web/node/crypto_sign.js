// Signatures and RSA encryption of node:crypto. Ops: see node_sign.go.
(function (host) {
  'use strict';
  const { withCode, invalidType, checkString, callable } = host.load('node/errors');
  const { Writable } = host.load('node/stream');
  const { bytesOf, asBuffer, encoded, digestName, later } = host.load('node/crypto_common');
  const { keyFor, isOptions } = host.load('node/crypto_keys');
  const { newHash } = host.load('hashing');
  const { ops } = host;
  const PKCS1 = 1, OAEP = 4;

  const optionsOf = (key) => (isOptions(key) ? key : {});
  const noKey = () => withCode(Error, 'ERR_CRYPTO_SIGN_KEY_REQUIRED', 'No key provided to sign');
  const signing = (digest, data, key, isDigest = false) => {
    if (key === undefined || key === null) throw noKey();
    const { padding = PKCS1, saltLength, dsaEncoding } = optionsOf(key);
    return asBuffer(ops.nodeSign(digest, keyFor('private', key), data, padding, saltLength, dsaEncoding === 'ieee-p1363', isDigest));
  };
  const verifying = (digest, data, key, signature, isDigest = false) => {
    const { padding = PKCS1, saltLength, dsaEncoding } = optionsOf(key);
    return ops.nodeVerify(digest, keyFor('public', key), data, signature, padding, saltLength, dsaEncoding === 'ieee-p1363', isDigest);
  };

  // What Sign and Verify have in common: they hash data as it comes, and are done once they have given their answer.
  class Context extends Writable {
    #digest;
    #hash;
    constructor(algorithm, options = undefined) {
      super(options);
      this.#digest = digestName(algorithm);
      this.#hash = newHash(this.#digest);
      try {
        this.#hash.digest();
      } catch {
        throw new Error(`Unknown digest: ${algorithm}`);
      }
    }
    _write(chunk, encoding, callback) {
      this.update(chunk, encoding);
      callback();
    }
    update(data, encoding = undefined) {
      this.#open();
      this.#hash.update(bytesOf(data, 'data', encoding));
      return this;
    }
    #open() {
      if (this.#hash === undefined) throw new Error(`${this instanceof Sign ? 'Signing' : 'Verification'} context has already been finalized`);
    }
    static finish(context, work) {
      context.#open();
      const answer = work(context.#digest, context.#hash.digest());
      context.#hash = undefined;
      return answer;
    }
  }
  class Sign extends Context {
    sign(key, encoding = undefined) { return encoded(Context.finish(this, (digest, data) => signing(digest, data, key, true)), encoding); }
  }
  class Verify extends Context {
    verify(key, signature, encoding = undefined) {
      const given = bytesOf(signature, 'signature', encoding);
      return Context.finish(this, (digest, data) => verifying(digest, data, key, given, true));
    }
  }

  // One-shot forms.
  const viewOnly = 'an instance of Buffer, TypedArray, or DataView';
  const inputs = (algorithm, data) => {
    if (algorithm !== undefined && algorithm !== null) checkString(algorithm, 'algorithm');
    if (typeof data === 'string') throw invalidType('data', viewOnly, data);
    return [algorithm === undefined || algorithm === null ? undefined : digestName(algorithm), bytesOf(data, 'data', undefined, viewOnly)];
  };
  const signSync = (algorithm, data, key) => signing(...inputs(algorithm, data), key);
  const verifySync = (algorithm, data, key, signature) => verifying(...inputs(algorithm, data), key, bytesOf(signature, 'signature', undefined, viewOnly));
  const sign = (algorithm, data, key, callback = undefined) => (callback === undefined ? signSync(algorithm, data, key) : later(signSync)(algorithm, data, key, callback));
  const verify = (algorithm, data, key, signature, callback = undefined) =>
    (callback === undefined ? verifySync(algorithm, data, key, signature) : later(verifySync)(algorithm, data, key, signature, callback));

  const rsa = (operation, wanted, usual) => ({
    [operation](key, buffer) {
      if (arguments.length === 0) throw withCode(TypeError, 'ERR_MISSING_ARGS', 'The "key" argument must be specified');
      if (arguments.length === 1) throw withCode(TypeError, 'ERR_MISSING_ARGS', 'The "buffer" argument must be specified');
      const { padding = usual, oaepHash = 'sha1', oaepLabel, encoding } = optionsOf(key);
      const der = keyFor(wanted, key);
      const label = oaepLabel === undefined ? undefined : bytesOf(oaepLabel, 'options.oaepLabel');
      return asBuffer(ops.nodeRSA(operation, der, bytesOf(buffer, 'buffer', encoding), padding, digestName(oaepHash, 'options.oaepHash'), label));
    },
  }[operation]);

  return {
    Sign: callable(Sign), Verify: callable(Verify), sign, verify,
    createSign: (algorithm, options) => new Sign(algorithm, options),
    createVerify: (algorithm, options) => new Verify(algorithm, options),
    publicEncrypt: rsa('publicEncrypt', 'public', OAEP),
    privateDecrypt: rsa('privateDecrypt', 'private', OAEP),
    privateEncrypt: rsa('privateEncrypt', 'private', PKCS1),
    publicDecrypt: rsa('publicDecrypt', 'public', PKCS1),
  };
})
