// Ciphers of node:crypto. What is written comes out as soon as it can. Ops: cipherBegin(cipher, mode, key, vector) → state,
// cipherExtra(cipher, key, state, bytes) → state, cipherUpdate(cipher, mode, encrypt, key, state, bytes, padding) → the
// state's length in two bytes, state, output, cipherFinal(cipher, mode, encrypt, key, state, padding, tag) → bytes.
(function (host) {
  'use strict';
  const { withCode, invalidType, checkString, callable } = host.load('node/errors');
  const { Transform } = host.load('node/stream');
  const { bytesOf, asBuffer } = host.load('node/crypto_common');
  const { secretBytes } = host.load('node/crypto_keys');
  const { ops } = host;

  // name → {cipher, mode, name, nid, blockSize, ivLength, keyLength}, in the order in which getCiphers has them.
  const table = new Map();
  const modes = { cbc: [16, 16], ctr: [1, 16], ecb: [16, 0], ofb: [1, 16], gcm: [1, 12] };
  const nids = { cbc: [419, 423, 427], ctr: [904, 905, 906], ecb: [418, 422, 426], ofb: [420, 424, 428], gcm: [895, 898, 901] };
  for (const [mode, [blockSize, ivLength]] of Object.entries(modes)) {
    [128, 192, 256].forEach((bits, i) => table.set(`aes-${bits}-${mode}`, {
      cipher: 'aes', mode, name: mode === 'gcm' ? `id-aes${bits}-GCM` : `AES-${bits}-${mode.toUpperCase()}`, nid: nids[mode][i], blockSize, ivLength, keyLength: bits / 8,
    }));
  }
  const old = (name, cipher, mode, nid, blockSize, ivLength, keyLength) => table.set(name, { cipher, mode, name: name.toUpperCase(), nid, blockSize, ivLength, keyLength });
  old('des-cbc', 'des', 'cbc', 31, 8, 8, 8);
  old('des-ecb', 'des', 'ecb', 29, 8, 0, 8);
  old('des-ede', 'des-ede', 'ecb', 32, 8, 0, 16);
  old('des-ede-cbc', 'des-ede', 'cbc', 43, 8, 8, 16);
  old('des-ede3-cbc', 'des-ede3', 'cbc', 44, 8, 8, 24);
  old('rc4', 'rc4', 'stream', 5, 1, 0, 16);

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

  const ciphering = (className, encrypt) => {
    const Class = class extends Transform {
      #kind;
      #key;
      #state;
      #padding = true;
      #begun = false;
      #done = false;
      #tag;
      #tagLength;
      #decoder;
      constructor(name, key, iv, options = undefined) {
        super(options);
        checkString(name, 'algorithm');
        this.#kind = table.get(name.toLowerCase());
        if (this.#kind === undefined) throw new Error(`Unknown or unsupported cipher: ${name}`);
        this.#key = Uint8Array.from(secretBytes(key));
        const vector = iv === null ? new Uint8Array(0) : Uint8Array.from(bytesOf(iv, 'iv'));
        if (this.#kind.mode === 'gcm' ? vector.length === 0 : vector.length !== this.#kind.ivLength) throw new Error('Invalid initialization vector');
        if (this.#kind.keyLength !== this.#key.length && this.#kind.cipher !== 'rc4') throw new Error('Invalid key length');
        this.#state = ops.cipherBegin(this.#kind.cipher, this.#kind.mode, this.#key, vector);
        this.#tagLength = options?.authTagLength;
        if (this.#kind.mode === 'gcm' && this.#tagLength !== undefined) checkTagLength(this.#tagLength);
      }
      update(data, inputEncoding, outputEncoding) {
        if (this.#done) throw new Error('Trying to add data in unsupported state');
        const { cipher, mode } = this.#kind;
        this.#begun = true;
        const bytes = ops.cipherUpdate(cipher, mode, encrypt, this.#key, this.#state, bytesOf(data, 'data', inputEncoding), this.#padding);
        const end = 2 + bytes[0] * 256 + bytes[1];
        this.#state = bytes.slice(2, end);
        return this.#given(bytes.slice(end), outputEncoding, false);
      }
      final(outputEncoding) {
        if (this.#done) throw withCode(Error, 'ERR_CRYPTO_INVALID_STATE', 'Unsupported state');
        this.#done = true;
        const { cipher, mode } = this.#kind;
        let out;
        try {
          out = ops.cipherFinal(cipher, mode, encrypt, this.#key, this.#state, this.#padding, this.#tag);
        } catch (error) {
          throw fromOpenSSL(error);
        }
        if (mode === 'gcm') {
          if (encrypt) this.#tag = out.subarray(0, this.#tagLength ?? 16);
          out = new Uint8Array(0);
        }
        return this.#given(out, outputEncoding, true);
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
        if (this.#done) throw invalidState('setAutoPadding');
        this.#padding = Boolean(padding);
        return this;
      }
      setAAD(data) {
        const { cipher, mode } = this.#kind;
        if (mode !== 'gcm' || this.#begun || this.#done) throw invalidState('setAAD');
        this.#state = ops.cipherExtra(cipher, this.#key, this.#state, bytesOf(data, 'buffer'));
        return this;
      }
      getAuthTag() {
        if (!encrypt || !this.#done || this.#tag === undefined) throw invalidState('getAuthTag');
        return Buffer.from(this.#tag);
      }
      setAuthTag(tag) {
        const bytes = Uint8Array.from(bytesOf(tag, 'buffer'));
        if (encrypt || this.#kind.mode !== 'gcm' || this.#done || this.#tag !== undefined) throw invalidState('setAuthTag');
        checkTagLength(bytes.length);
        if (this.#tagLength !== undefined && this.#tagLength !== bytes.length) checkTagLength(-1);
        this.#tag = bytes;
        return this;
      }
      _transform(chunk, encoding, callback) {
        callback(null, this.update(chunk, encoding));
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

  const getCipherInfo = (nameOrNid, options = undefined) => {
    if (typeof nameOrNid !== 'string' && typeof nameOrNid !== 'number') throw invalidType('nameOrNid', 'of type string or number', nameOrNid);
    const kind = typeof nameOrNid === 'string' ? table.get(nameOrNid.toLowerCase()) : [...table.values()].find(({ nid }) => nid === nameOrNid);
    if (kind === undefined) return undefined;
    const { cipher: _, mode, ...info } = kind;
    if (options?.keyLength !== undefined && options.keyLength !== info.keyLength) return undefined;
    if (options?.ivLength !== undefined && options.ivLength !== info.ivLength) {
      if (mode !== 'gcm' || !(options.ivLength > 0)) return undefined;
      info.ivLength = options.ivLength;
    }
    return { ...info, mode };
  };
  const names = [...table.keys()];
  const getCiphers = () => [...names.map((name) => name.toUpperCase()), ...names];
  return { Cipheriv: callable(ciphering('Cipheriv', true)), Decipheriv: callable(ciphering('Decipheriv', false)), getCipherInfo, getCiphers };
})
