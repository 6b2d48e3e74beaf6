// Which ciphers node:crypto has: those of the reference, which is made with BoringSSL.
(function (host) {
  'use strict';
  const { invalidType } = host.load('node/errors');

  // name → {cipher, mode, name, nid, blockSize, ivLength, keyLength, tags}, in the order in which getCiphers has them. tags
  // are those of a cipher that takes a text at once, as node/crypto_aead.js reads them.
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
  old('rc2-cbc', 'rc2', 'cbc', 37, 8, 8, 16);
  old('rc4', 'rc4', 'stream', 5, 1, 0, 16);
  const inParts = [...table.keys()];

  const atOnce = (name, cipher, mode, ivLength, keyLength, tags, nid = 0) => table.set(name, { cipher, mode, name, nid, blockSize: 1, ivLength, keyLength, tags });
  for (const bits of [128, 256]) {
    atOnce(`aes-${bits}-eax`, 'eax', 'stream', 16, bits / 8, [16, 16, true]);
    atOnce(`aes-${bits}-gcm-siv`, 'gcm-siv', 'gcm', 12, bits / 8, [16, 16, false]);
    // It makes its own vector, of 12 bytes, which is the end of the tag.
    atOnce(`aes-${bits}-gcm-randnonce`, 'gcm-randnonce', 'gcm', 0, bits / 8, [13, 28, false]);
    atOnce(`aes-${bits}-ctr-hmac-sha256`, 'ctr-hmac-sha256', 'ctr', 12, bits / 8 + 32, [1, 32, true]);
  }
  atOnce('aes-128-ccm-bluetooth', 'ccm', 'ccm', 13, 16, [4, 4, true]);
  atOnce('aes-128-ccm-bluetooth-8', 'ccm', 'ccm', 13, 16, [8, 8, true]);
  atOnce('aes-128-ccm-matter', 'ccm', 'ccm', 13, 16, [16, 16, true]);
  atOnce('chacha20-poly1305', 'chacha20-poly1305', 'stream', 12, 32, [1, 16, false], 950);
  atOnce('xchacha20-poly1305', 'chacha20-poly1305', 'stream', 24, 32, [1, 16, true]);

  const kindOf = (name) => table.get(name.toLowerCase());
  // Whether a cipher takes keys of any length.
  const anyKey = (cipher) => cipher === 'rc2' || cipher === 'rc4';

  const getCipherInfo = (nameOrNid, options = undefined) => {
    if (typeof nameOrNid !== 'string' && typeof nameOrNid !== 'number') throw invalidType('nameOrNid', 'of type string or number', nameOrNid);
    const kind = typeof nameOrNid === 'string' ? kindOf(nameOrNid) : [...table.values()].find(({ nid, tags }) => nid === nameOrNid && tags === undefined);
    if (kind === undefined) return undefined;
    const { cipher, mode, tags, ...info } = kind;
    if (tags !== undefined) return { ...info, name: typeof nameOrNid === 'string' ? nameOrNid : info.name, mode };
    if (options?.keyLength !== undefined && options.keyLength !== info.keyLength) {
      if (!anyKey(cipher) || !(options.keyLength > 0)) return undefined;
      info.keyLength = options.keyLength;
    }
    if (options?.ivLength !== undefined && options.ivLength !== info.ivLength) {
      if (mode !== 'gcm' || !(options.ivLength > 0)) return undefined;
      info.ivLength = options.ivLength;
    }
    return { ...info, mode };
  };
  const getCiphers = () => [...inParts.map((name) => name.toUpperCase()), ...table.keys()];
  return { kindOf, anyKey, getCipherInfo, getCiphers };
})
