// Digests and HMACs of what comes in pieces. Ops: hashUpdate(digest, state, bytes) → state, hashDigest(digest, state, bytes)
// → bytes, hmacBegin(digest, key) → state, hmacDigest(digest, key, state, bytes) → bytes. A state is undefined at the
// beginning.
// Offers (host.load('hashing')): newHash(digest, key), whose key makes it an HMAC; a digest is named as OpenSSL names it.
(function (host) {
  'use strict';
  const P = host.primordials;
  const { copyOf, concat, lengthOf } = host.load('idl');
  const { ops } = host;
  const MOST = 64 * 1024; // small pieces go over together
  const STEP = 1024 * 1024; // a large one in parts

  const hashAt = (digest, key, state, pieces, size) => ({
    __proto__: null,
    update: (bytes) => {
      const length = lengthOf(bytes);
      if (size + length <= MOST) {
        P.push(pieces, copyOf(bytes));
        size += length;
        return;
      }
      if (size > 0) state = ops.hashUpdate(digest, state, concat(pieces));
      pieces = P.list();
      size = 0;
      for (let at = 0; at < length; at += STEP) state = ops.hashUpdate(digest, state, P.TypedArrayPrototypeSubarray(bytes, at, at + STEP));
    },
    digest: () => {
      const rest = concat(pieces);
      return key === undefined ? ops.hashDigest(digest, state, rest) : ops.hmacDigest(digest, key, state, rest);
    },
    copy: () => {
      const all = P.list();
      if (size > 0) P.push(all, concat(pieces));
      return hashAt(digest, key, state, all, size);
    },
  });
  const newHash = (digest, key = undefined) => hashAt(digest, key, key === undefined ? undefined : ops.hmacBegin(digest, key), P.list(), 0);
  return { __proto__: null, newHash };
})
