// node:zlib. Ops: zlibCompress(format, bytes, level),
// zlibDecompress(format, bytes, limit), crc32(bytes, start).
(function (host) {
  'use strict';
  const { invalidType, outOfRange, checkFunction } = host.load('node/errors');
  const { Transform } = host.load('node/stream');
  const { constants } = host.load('node/zlib_constants');
  const { ops } = host;

  const bytesOf = (data) => {
    if (typeof data === 'string') return Buffer.from(data);
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (data instanceof ArrayBuffer) return data.detached ? new Uint8Array(0) : new Uint8Array(data);
    throw invalidType('buffer', 'of type string or an instance of Buffer, TypedArray, DataView, or ArrayBuffer', data);
  };
  const asBuffer = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const failures = { 'incorrect header check': 'Z_DATA_ERROR', 'incorrect data check': 'Z_DATA_ERROR', 'unexpected end of file': 'Z_BUF_ERROR', 'Missing dictionary': 'Z_NEED_DICT' };
  const attempt = (fn) => {
    try {
      return asBuffer(fn());
    } catch (error) {
      if (error instanceof RangeError) error.code = 'ERR_BUFFER_TOO_LARGE';
      else {
        error.code = failures[error.message] ?? 'Z_DATA_ERROR';
        error.errno = constants[error.code];
      }
      throw error;
    }
  };
  const compress = (format) => (data, options = undefined) => {
    const bytes = bytesOf(data);
    const level = options?.level ?? -1;
    if (typeof level !== 'number' || level < -1 || level > 9) throw outOfRange('options.level', '>= -1 && <= 9', level);
    return attempt(() => ops.zlibCompress(format, bytes, level));
  };
  // The formats whose settings are params: the level is one of them.
  const compressWith = (format, parameter, usual) => (data, options = undefined) => {
    const bytes = bytesOf(data);
    return attempt(() => ops.zlibCompress(format, bytes, options?.params?.[parameter] ?? usual));
  };
  const decompress = (format) => (data, options = undefined) => {
    const bytes = bytesOf(data);
    const limit = options?.maxOutputLength ?? 2 ** 31;
    if (format !== 'unzip') return attempt(() => ops.zlibDecompress(format, bytes, limit));
    return attempt(() => ops.zlibDecompress(bytes[0] === 0x1f && bytes[1] === 0x8b ? 'gzip' : 'deflate', bytes, limit));
  };
  const codecs = {
    Deflate: compress('deflate'), DeflateRaw: compress('deflate-raw'), Gzip: compress('gzip'), Inflate: decompress('deflate'), InflateRaw: decompress('deflate-raw'),
    Gunzip: decompress('gzip'), Unzip: decompress('unzip'), BrotliDecompress: decompress('brotli'), ZstdDecompress: decompress('zstd'),
    BrotliCompress: compressWith('brotli', constants.BROTLI_PARAM_QUALITY, constants.BROTLI_DEFAULT_QUALITY),
    ZstdCompress: compressWith('zstd', constants.ZSTD_c_compressionLevel, constants.ZSTD_CLEVEL_DEFAULT),
  };

  const zlib = {};
  for (const [name, convert] of Object.entries(codecs)) {
    const method = name[0].toLowerCase() + name.slice(1);
    // A stream of it takes its input in whole and converts it at the end.
    zlib[name] = {
      [name]: class extends Transform {
        #chunks = [];
        #options;
        constructor(options = undefined) {
          super(options);
          this.#options = options;
        }
        _transform(chunk, encoding, callback) {
          this.#chunks.push(chunk);
          callback();
        }
        _flush(callback) {
          let out;
          try {
            out = convert(Buffer.concat(this.#chunks), this.#options);
          } catch (error) {
            callback(error);
            return;
          }
          this.push(out);
          callback();
        }
        close(callback) {
          if (callback !== undefined) queueMicrotask(callback);
          this.destroy();
        }
        flush(kind, callback = kind) { if (typeof callback === 'function') queueMicrotask(callback); }
      },
    }[name];
    zlib[`create${name}`] = (options) => new zlib[name](options);
    zlib[`${method}Sync`] = (data, options) => convert(data, options);
    zlib[method] = (data, options, callback = options) => {
      checkFunction(callback, 'callback');
      const bytes = bytesOf(data);
      let out;
      let failure = null;
      try {
        out = convert(bytes, typeof options === 'function' ? undefined : options);
      } catch (error) {
        failure = error;
      }
      queueMicrotask(() => callback(failure, out));
    };
  }
  zlib.crc32 = (data, start = 0) => ops.crc32(bytesOf(data), start);
  zlib.constants = Object.freeze({ ...constants });
  zlib.codes = Object.freeze(Object.fromEntries('Z_OK Z_STREAM_END Z_NEED_DICT Z_ERRNO Z_STREAM_ERROR Z_DATA_ERROR Z_MEM_ERROR Z_BUF_ERROR Z_VERSION_ERROR'.split(' ')
    .flatMap((name) => [[name, constants[name]], [constants[name], name]])));
  // The newest constants are only in constants, in the reference too.
  const newest = /^(?:BROTLI_PARAM_SIZE_HINT|ZSTD_CLEVEL_DEFAULT|ZSTD_(?!error_)[a-z].*)$/;
  for (const name of Object.keys(constants)) if (!newest.test(name)) zlib[name] = constants[name];
  return zlib;
})
