// Ciphers of node:crypto. What is written comes out as soon as it can. Ops: cipherBegin(cipher, mode, key, vector) → state,
// cipherExtra(cipher, key, state, bytes) → state, cipherUpdate(cipher, mode, encrypt, key, state, bytes, padding) → the
// state's length in two bytes, state, output, cipherFinal(cipher, mode, encrypt, key, state, padding, tag) → bytes.
(function (host) {
  'use strict';
  const { withCode, checkString, callable } = host.load('node/errors');
  const { Transform } = host.load('node/stream');
  const { bytesOf, asBuffer } = host.load('node/crypto_common');
  const { secretBytes } = host.load('node/crypto_keys');
  const { kindOf, anyKey } = host.load('node/crypto_ciphers');
  const { newAEAD } = host.load('node/crypto_aead');
  const { ops } = host;

  const invalidState = (operation) => withCode(Error, 'ERR_CRYPTO_INVALID_STATE', `Invalid state for operation ${operation}`);
  const tagLengths = [4, 8, 12, 13, 14, 15, 16];
  const checkTagLength = (length) => {
    if (!tagLengths.includes(length)) throw withCode(TypeError, 'ERR_CRYPTO_INVALID_AUTH_TAG', `Invalid authentication tag length: ${length}`);
  };
  // OpenSSL's errors have their parts as members.
  const numbers = { 'bad decrypt': '1C800064', 'wrong final block length': '1C80006B' };
  const fromOpenSSL = (error) => {
    const reason = error.message;
    if (numbers[reason] === undefined) return error;
    return Object.assign(new Error(`error:${numbers[reason]}:Provider routines::${reason}`), {
      library: 'Provider routines', reason, code: `ERR_OSSL_${reason.toUpperCase().replaceAll(' ', '_')}`,
    });
  };

  // A cipher that takes a text in parts, begun.
  const newCipher = ({ cipher, mode, keyLength }, encrypt, key, vector, tagLength) => {
    if (keyLength !== key.length && !anyKey(cipher)) throw new Error('Invalid key length');
    let state = ops.cipherBegin(cipher, mode, key, vector).slice();
    if (mode === 'gcm' && tagLength !== undefined) checkTagLength(tagLength);
    let padding = true;
    let begun = false;
    let done = false;
    let tag;
    return {
      update: (data) => {
        if (done) throw new Error('Trying to add data in unsupported state');
        begun = true;
        const bytes = ops.cipherUpdate(cipher, mode, encrypt, key, state, data, padding);
        const end = 2 + bytes[0] * 256 + bytes[1];
        state = bytes.slice(2, end);
        return bytes.slice(end);
      },
      final: () => {
        if (done) throw withCode(Error, 'ERR_CRYPTO_INVALID_STATE', 'Unsupported state');
        done = true;
        let out;
        try {
          out = ops.cipherFinal(cipher, mode, encrypt, key, state, padding, tag);
        } catch (error) {
          throw fromOpenSSL(error);
        }
        if (mode !== 'gcm') return out;
        if (encrypt) tag = out.slice(0, tagLength ?? 16);
        return new Uint8Array(0);
      },
      setAutoPadding: (value) => {
        if (done) throw invalidState('setAutoPadding');
        padding = value;
      },
      setAAD: (data) => {
        if (mode !== 'gcm' || begun || done) throw invalidState('setAAD');
        state = ops.cipherExtra(cipher, key, state, data).slice();
      },
      getAuthTag: () => {
        if (!encrypt || !done || tag === undefined) throw invalidState('getAuthTag');
        return tag;
      },
      setAuthTag: (bytes) => {
        if (encrypt || mode !== 'gcm' || done || tag !== undefined) throw invalidState('setAuthTag');
        checkTagLength(bytes.length);
        if (tagLength !== undefined && tagLength !== bytes.length) checkTagLength(-1);
        tag = bytes;
      },
    };
  };

  const ciphering = (className, encrypt) => {
    const Class = class extends Transform {
      #cipher;
      #decoder;
      constructor(name, key, iv, options = undefined) {
        super(options);
        checkString(name, 'algorithm');
        const kind = kindOf(name);
        if (kind === undefined) throw new Error(`Unknown or unsupported cipher: ${name}`);
        const bytes = Uint8Array.from(secretBytes(key));
        const vector = iv === null ? new Uint8Array(0) : Uint8Array.from(bytesOf(iv, 'iv'));
        const fits = kind.mode === 'gcm' && kind.tags === undefined ? vector.length > 0 : vector.length === kind.ivLength;
        if (!fits) throw new Error('Invalid initialization vector');
        // The reference reads it by the second name alone.
        const option = options?.authTagLength !== undefined ? 'authTagLength' : 'authLengthTag';
        const tagLength = options?.[option];
        this.#cipher = kind.tags === undefined ? newCipher(kind, encrypt, bytes, vector, tagLength) : newAEAD(kind, name, encrypt, bytes, vector, tagLength, option);
      }
      update(data, inputEncoding, outputEncoding) {
        return this.#given(this.#cipher.update(bytesOf(data, 'data', inputEncoding)), outputEncoding, false);
      }
      final(outputEncoding) {
        return this.#given(this.#cipher.final(), outputEncoding, true);
      }
      // A character that two updates share comes out with the second.
      #given(bytes, encoding, last) {
        if (encoding === undefined || encoding === null || encoding === 'buffer') return asBuffer(bytes);
        if (this.#decoder === undefined) {
          const { StringDecoder } = host.load('node/string_decoder');
          this.#decoder = new StringDecoder(encoding);
        }
        return last ? this.#decoder.end(asBuffer(bytes)) : this.#decoder.write(asBuffer(bytes));
      }
      setAutoPadding(padding = true) {
        this.#cipher.setAutoPadding(Boolean(padding));
        return this;
      }
      setAAD(data, options = undefined) {
        this.#cipher.setAAD(Uint8Array.from(bytesOf(data, 'buffer', options?.encoding)), options?.plaintextLength);
        return this;
      }
      getAuthTag() {
        return Buffer.from(this.#cipher.getAuthTag());
      }
      setAuthTag(tag) {
        this.#cipher.setAuthTag(Uint8Array.from(bytesOf(tag, 'buffer')));
        return this;
      }
      _transform(chunk, encoding, callback) {
        let out;
        try {
          out = this.update(chunk, encoding);
        } catch (error) {
          callback(error);
          return;
        }
        callback(null, out);
      }
      _flush(callback) {
        let out;
        try {
          out = this.final();
        } catch (error) {
          callback(error);
          return;
        }
        callback(null, out);
      }
    };
    return Object.defineProperty(Class, 'name', { value: className });
  };
  return { Cipheriv: callable(ciphering('Cipheriv', true)), Decipheriv: callable(ciphering('Decipheriv', false)) };
})
