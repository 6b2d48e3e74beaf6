// node:zlib. Ops: crc32(bytes, start).
(function (host) {
  'use strict';
  const { invalidType, checkFunction } = host.load('node/errors');
  const { constants } = host.load('node/zlib_constants');
  const { convert, streams } = host.load('node/zlib_streams');

  const bytesOf = (data) => {
    if (typeof data === 'string') return Buffer.from(data);
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (data instanceof ArrayBuffer) return data.detached ? new Uint8Array(0) : new Uint8Array(data);
    throw invalidType('buffer', 'of type string or an instance of Buffer, TypedArray, DataView, or ArrayBuffer', data);
  };

  const zlib = {};
  for (const name of Object.keys(streams)) {
    const method = name[0].toLowerCase() + name.slice(1);
    zlib[name] = streams[name];
    zlib[`create${name}`] = (options) => new zlib[name](options);
    zlib[`${method}Sync`] = (data, options) => convert(name, bytesOf(data), options);
    zlib[method] = (data, options, callback = options) => {
      checkFunction(callback, 'callback');
      const bytes = bytesOf(data);
      let out;
      let failure = null;
      try {
        out = convert(name, bytes, typeof options === 'function' ? undefined : options);
      } catch (error) {
        failure = error;
      }
      queueMicrotask(() => callback(failure, out));
    };
  }
  zlib.crc32 = (data, start = 0) => host.ops.crc32(bytesOf(data), start);
  zlib.constants = Object.freeze({ ...constants });
  zlib.codes = Object.freeze(Object.fromEntries('Z_OK Z_STREAM_END Z_NEED_DICT Z_ERRNO Z_STREAM_ERROR Z_DATA_ERROR Z_MEM_ERROR Z_BUF_ERROR Z_VERSION_ERROR'.split(' ')
    .flatMap((name) => [[name, constants[name]], [constants[name], name]])));
  // The newest constants are only in constants, in the reference too.
  const newest = /^(?:BROTLI_PARAM_SIZE_HINT|ZSTD_CLEVEL_DEFAULT|ZSTD_(?!error_)[a-z].*)$/;
  for (const name of Object.keys(constants)) if (!newest.test(name)) zlib[name] = constants[name];
  return zlib;
})
