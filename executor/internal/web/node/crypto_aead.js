// Ciphers of node:crypto that take a text at once and give a tag which says that it is whole. Ops: aeadSeal(cipher, key,
// vector, extra, text, length of the tag) → what is encrypted and the tag, aeadOpen(cipher, key, vector, extra, bytes, tag)
// → text, or nothing where the tag is another's.
(function (host) {
  'use strict';
  const { invalidType, outOfRange } = host.load('node/errors');
  const { DOMException } = host.load('12_domexception');
  const { ops } = host;

  const cannotBegin = () => new Error('Failed to initialize AEAD cipher/decipher context');
  const finalized = () => new Error('Cipher/decipher context has already been finalized');
  const invalidTag = () => new Error('Invalid authentication tag length');
  const gcmTags = [4, 8, 12, 13, 14, 15, 16];

  const checkLength = (length, name) => {
    if (typeof length !== 'number') throw invalidType(name, 'of type number', length);
    if (!Number.isInteger(length)) throw outOfRange(name, 'an integer', length);
    if (length < 0 || length >= 2 ** 32) throw outOfRange(name, '>= 0 && < 4294967296', length);
  };
  // kind.tags are the shortest and the longest tag, and whether their length has to be given.
  const tagLengthOf = (kind, name, length) => {
    const [shortest, longest, required] = kind.tags;
    if (length === undefined) {
      if (required) throw new Error(`The auth tag length is required for cipher ${name}`);
      return longest;
    }
    if (length < shortest || length > longest) throw cannotBegin();
    if (kind.mode === 'gcm' && !gcmTags.includes(length)) throw invalidTag();
    return length;
  };

  // A cipher as node/crypto_cipher.js has it, begun. The one who asks for it has checked the vector.
  const newAEAD = (kind, name, encrypt, key, vector, length, option) => {
    if (length !== undefined) checkLength(length, `options.${option}`);
    if (key.length !== kind.keyLength) throw cannotBegin();
    const tagLength = tagLengthOf(kind, name, length);
    let extra = new Uint8Array(0);
    let tag;
    let updated = false;
    let done = false;
    const needTag = () => {
      if (!encrypt && tag === undefined) throw new Error('No auth tag provided');
    };
    const update = (bytes) => {
      if (updated) throw new Error('update() can only be invoked once on an AEAD');
      if (done) throw finalized();
      needTag();
      let out;
      if (encrypt) {
        const sealed = ops.aeadSeal(kind.cipher, key, vector, extra, bytes, tagLength);
        out = sealed.slice(0, bytes.length);
        tag = sealed.slice(bytes.length);
      } else {
        out = ops.aeadOpen(kind.cipher, key, vector, extra, bytes, tag);
        if (out === undefined || out === null) throw new DOMException('Decryption failed: Incorrect key/IV or corrupted ciphertext/authentication tag provided.', 'OperationError');
        out = out.slice();
      }
      updated = true;
      return out;
    };
    return {
      update,
      // What nothing was written to is an empty text, which has a tag as any other.
      final: () => {
        if (done) throw finalized();
        const out = updated ? new Uint8Array(0) : update(new Uint8Array(0));
        done = true;
        return out;
      },
      setAutoPadding: () => {
        throw done ? finalized() : new Error('Setting autopadding is not supported on AEADs');
      },
      // The last one counts.
      setAAD: (bytes, plaintextLength) => {
        if (done) throw finalized();
        if (kind.mode === 'ccm') {
          if (plaintextLength === undefined) throw new Error('options.plaintextLength is required for CCM mode with AAD');
          needTag();
        }
        extra = bytes;
      },
      getAuthTag: () => {
        if (!done) throw new Error('Auth tag is only available once cipher context has been finalized');
        return tag;
      },
      setAuthTag: (bytes) => {
        if (done) throw finalized();
        if (tag !== undefined) throw new Error('Auth tag is already set');
        if (bytes.length !== tagLength && !(length === undefined && kind.mode === 'gcm' && gcmTags.includes(bytes.length))) throw invalidTag();
        tag = bytes;
      },
    };
  };
  return { newAEAD };
})
