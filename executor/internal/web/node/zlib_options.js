// The options of node:zlib, checked as Node does.
(function (host) {
  'use strict';
  const { invalidType, outOfRange, withCode } = host.load('node/errors');
  const { constants } = host.load('node/zlib_constants');

  const within = (options, name, fallback, min, max = Infinity) => {
    const value = options?.[name];
    if (value === undefined || Number.isNaN(value)) return fallback;
    if (typeof value !== 'number') throw invalidType(`options.${name}`, 'of type number', value);
    if (value < min || value > max) throw outOfRange(`options.${name}`, max === Infinity ? `>= ${min}` : `>= ${min} and <= ${max}`, value);
    return value;
  };
  // What every stream has: the size of the chunks that it gives, and how its input ends.
  const common = (options, lastFlush, finish) => {
    const chunkSize = within(options, 'chunkSize', constants.Z_DEFAULT_CHUNK, constants.Z_MIN_CHUNK);
    within(options, 'flush', 0, 0, lastFlush);
    const finishFlush = within(options, 'finishFlush', finish, 0, lastFlush);
    const maxOutputLength = within(options, 'maxOutputLength', 2 ** 31 - 1, 1, 2 ** 31 - 1);
    return { chunkSize, maxOutputLength, maySuddenlyEnd: finishFlush !== finish };
  };
  const dictionaryOf = (options) => {
    const value = options?.dictionary;
    if (value === undefined) return undefined;
    if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    if (value instanceof ArrayBuffer) return new Uint8Array(value);
    throw invalidType('options.dictionary', 'an instance of Buffer, TypedArray, DataView, or ArrayBuffer', value);
  };
  const deflating = (smallestWindow) => (options) => {
    const settings = common(options, constants.Z_BLOCK, constants.Z_FINISH);
    if (!(smallestWindow === 0 && (options?.windowBits ?? 0) === 0)) within(options, 'windowBits', constants.Z_DEFAULT_WINDOWBITS, smallestWindow || 8, constants.Z_MAX_WINDOWBITS);
    const level = within(options, 'level', constants.Z_DEFAULT_COMPRESSION, constants.Z_MIN_LEVEL, constants.Z_MAX_LEVEL);
    within(options, 'memLevel', constants.Z_DEFAULT_MEMLEVEL, constants.Z_MIN_MEMLEVEL, constants.Z_MAX_MEMLEVEL);
    const strategy = within(options, 'strategy', constants.Z_DEFAULT_STRATEGY, constants.Z_DEFAULT_STRATEGY, constants.Z_FIXED);
    return { ...settings, level, strategy, dictionary: dictionaryOf(options) };
  };
  // The formats whose settings are params: the level is one of them.
  const withParameters = (prefix, { level: parameter, usual, lastFlush, finish, code, name }) => {
    const known = new Set(Object.keys(constants).filter((key) => prefix.test(key)).map((key) => constants[key]));
    return (options) => {
      const settings = common(options, lastFlush, finish);
      for (const key of Object.keys(options?.params ?? {})) {
        if (!known.has(Number(key))) throw withCode(RangeError, code, `${key} is not a valid ${name} parameter`);
        const value = options.params[key];
        if (typeof value !== 'number' && typeof value !== 'boolean') throw invalidType('options.params[key]', 'of type number', value);
      }
      return { ...settings, level: Number(options?.params?.[parameter] ?? usual) };
    };
  };
  const brotli = withParameters(/^BROTLI_(?:DECODER_)?PARAM_/, {
    level: constants.BROTLI_PARAM_QUALITY, usual: constants.BROTLI_DEFAULT_QUALITY,
    lastFlush: constants.BROTLI_OPERATION_EMIT_METADATA, finish: constants.BROTLI_OPERATION_FINISH, code: 'ERR_BROTLI_INVALID_PARAM', name: 'Brotli',
  });
  const zstd = withParameters(/^ZSTD_[cd]_/, {
    level: constants.ZSTD_c_compressionLevel, usual: constants.ZSTD_CLEVEL_DEFAULT,
    lastFlush: constants.ZSTD_e_end, finish: constants.ZSTD_e_end, code: 'ERR_ZSTD_INVALID_PARAM', name: 'zstd',
  });
  return { deflate: deflating(8), gzip: deflating(9), inflate: deflating(0), brotli, zstd };
})
