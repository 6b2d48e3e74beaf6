// A stream through a native codec, for CompressionStream and node:zlib. Ops: codecOpen(direction, format, level, dictionary) →
// handle, codecWrite(handle, bytes), codecFlush(handle), codecEnd(handle), codecNext(handle) → bytes, or whether it has
// ended, codecClose(handle).
// Offers (host.load('codec')): newCodec, STEP.
(function (host) {
  'use strict';
  const P = host.primordials;
  const { copyOf, concat, lengthOf } = host.load('idl');
  const { ops } = host;

  // No more than this should be written at a time; compressors take as much before they begin, since many small texts are
  // compressed at a time more often than large ones are, and each that has begun holds a megabyte.
  const STEP = 256 * 1024;
  const BEGIN = 64 * 1024;

  // newCodec makes a stream: direction is compress, decompress (gzip members may follow one another, and junk is ignored) or
  // decompress-strict. What is written must be taken by next() until that gives undefined, before more is written.
  const newCodec = (direction, format, level = 0, dictionary = undefined) => {
    let handle;
    let early = direction === 'compress' ? P.list() : undefined;
    let size = 0;
    const begin = () => {
      if (handle !== undefined) return;
      handle = ops.codecOpen(direction, format, level, dictionary);
      if (early === undefined) return;
      const bytes = concat(early);
      early = undefined;
      ops.codecWrite(handle, bytes);
    };
    const close = () => {
      const open = handle;
      handle = early = undefined;
      codec.ended = true;
      if (open !== undefined) ops.codecClose(open);
    };
    const codec = {
      __proto__: null,
      // Whether there is no output any more: the data has ended, or the codec was closed or has failed.
      ended: false,
      write: (bytes) => {
        if (early !== undefined && (size += lengthOf(bytes)) <= BEGIN) {
          P.push(early, copyOf(bytes));
          return;
        }
        begin();
        ops.codecWrite(handle, bytes);
      },
      flush: () => {
        begin();
        ops.codecFlush(handle);
      },
      end: () => {
        begin();
        ops.codecEnd(handle);
      },
      next: () => {
        if (handle === undefined) return undefined;
        let out;
        try {
          out = ops.codecNext(handle);
        } catch (error) {
          close();
          throw error;
        }
        if (out === true) close();
        return typeof out === 'boolean' ? undefined : out;
      },
      close,
    };
    return codec;
  };
  return { __proto__: null, newCodec, STEP };
})
