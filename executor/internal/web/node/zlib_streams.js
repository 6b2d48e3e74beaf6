// The streams of node:zlib, and what turns a whole buffer at a time. What is written is compressed as it comes, and waits
// until what comes out of it is read.
(function (host) {
  'use strict';
  const { Transform } = host.load('node/stream');
  const { constants } = host.load('node/zlib_constants');
  const { newCodec, STEP } = host.load('codec');
  const settingsOf = host.load('node/zlib_options');

  const codes = {
    'unexpected end of file': 'Z_BUF_ERROR', 'Missing dictionary': 'Z_NEED_DICT', 'Bad dictionary': 'Z_NEED_DICT',
  };
  const failure = (error) => {
    if (error instanceof RangeError) error.code = 'ERR_BUFFER_TOO_LARGE';
    else {
      error.code = codes[error.message] ?? 'Z_DATA_ERROR';
      error.errno = constants[error.code];
    }
    return error;
  };
  const asBuffer = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

  // direction, format, the check of options, and the class that it is one of.
  const kinds = {
    Deflate: ['compress', 'deflate', 'deflate', 'Zlib'], Inflate: ['decompress', 'deflate', 'inflate', 'Zlib'],
    Gzip: ['compress', 'gzip', 'gzip', 'Zlib'], Gunzip: ['decompress', 'gzip', 'inflate', 'Zlib'],
    DeflateRaw: ['compress', 'deflate-raw', 'deflate', 'Zlib'], InflateRaw: ['decompress', 'deflate-raw', 'deflate', 'Zlib'],
    Unzip: ['decompress', 'unzip', 'inflate', 'Zlib'],
    BrotliCompress: ['compress', 'brotli', 'brotli', 'Brotli'], BrotliDecompress: ['decompress', 'brotli', 'brotli', 'Brotli'],
    ZstdCompress: ['compress', 'zstd', 'zstd', 'Zstd'], ZstdDecompress: ['decompress', 'zstd', 'zstd', 'Zstd'],
  };
  const open = (name, options) => {
    const [direction, format, check] = kinds[name];
    const settings = settingsOf[check](options);
    return { settings, codec: newCodec(direction, format, settings.level, settings.dictionary) };
  };
  const mayEnd = (error, settings) => error.message === 'unexpected end of file' && settings.maySuddenlyEnd;

  // ---- a whole buffer

  const MOST = 64 * 1024 * 1024;
  const convert = (name, bytes, options) => {
    const { settings, codec } = open(name, options);
    const limit = Math.min(settings.maxOutputLength, MOST);
    const pieces = [];
    let length = 0;
    const drain = () => {
      for (let piece = codec.next(); piece !== undefined; piece = codec.next()) {
        length += piece.length;
        if (length > limit) throw new RangeError('Memory limit exceeded');
        pieces.push(piece);
      }
    };
    try {
      for (let at = 0; at < bytes.length && !codec.ended; at += STEP) {
        codec.write(bytes.subarray(at, at + STEP));
        drain();
      }
      if (!codec.ended) codec.end();
      drain();
    } catch (error) {
      codec.close();
      if (!mayEnd(error, settings)) throw failure(error);
    }
    return pieces.length === 1 ? asBuffer(pieces[0]) : Buffer.concat(pieces);
  };

  // ---- streams

  const flushes = new WeakSet(); // the empty chunks that stand for a flush
  class ZlibBase extends Transform {
    #name;
    #options;
    #codec;
    #settings;
    #resume;
    constructor(name, options) {
      const { codec, settings } = open(name, options);
      super({ autoDestroy: true, ...options });
      this.#name = name;
      this.#options = options;
      this.#codec = codec;
      this.#settings = settings;
      this.bytesWritten = 0;
      this._maxOutputLength = settings.maxOutputLength;
      this._chunkSize = settings.chunkSize;
    }
    get _closed() { return this.destroyed; }
    get bytesRead() { return this.bytesWritten; }
    set bytesRead(value) { this.bytesWritten = value; }
    reset() {
      this.#codec.close();
      this.#codec = open(this.#name, this.#options).codec;
    }
    flush(kind, callback = undefined) {
      if (typeof kind === 'function' || kind === undefined && callback === undefined) callback = kind;
      if (this.writableFinished) {
        if (callback) queueMicrotask(callback);
      } else if (this.writableEnded) {
        if (callback) this.once('end', callback);
      } else {
        const mark = Buffer.alloc(0);
        flushes.add(mark);
        this.write(mark, '', callback);
      }
    }
    close(callback = undefined) {
      if (callback !== undefined) queueMicrotask(callback);
      this.destroy();
    }
    _destroy(error, callback) {
      this.#codec.close();
      callback(error);
    }
    _transform(chunk, encoding, callback) {
      if (flushes.has(chunk)) {
        if (!this.#codec.ended) this.#codec.flush();
        this.#pour(callback);
        return;
      }
      this.bytesWritten += chunk.length;
      this.#feed(chunk, 0, callback);
    }
    _flush(callback) {
      if (!this.#codec.ended) this.#codec.end();
      this.#pour(callback);
    }
    _read(size) {
      const resume = this.#resume;
      this.#resume = undefined;
      if (resume === undefined) super._read(size);
      else resume();
    }
    #feed(chunk, from, callback) {
      if (from >= chunk.length || this.#codec.ended) { // what follows the end is ignored
        callback();
        return;
      }
      try {
        this.#codec.write(chunk.subarray(from, from + STEP));
      } catch (error) {
        callback(failure(error));
        return;
      }
      this.#pour((error) => (error ? callback(error) : this.#feed(chunk, from + STEP, callback)));
    }
    // Gives what the codec has, in chunks, and waits wherever the reader has enough.
    #pour(callback, rest = undefined) {
      for (;;) {
        let piece = rest;
        rest = undefined;
        try {
          piece ??= this.#codec.next();
        } catch (error) {
          callback(mayEnd(error, this.#settings) ? undefined : failure(error));
          return;
        }
        if (piece === undefined) {
          callback();
          return;
        }
        const { chunkSize } = this.#settings;
        if (piece.length > chunkSize) rest = piece.subarray(chunkSize);
        if (!this.push(asBuffer(piece.subarray(0, chunkSize))) && !this.destroyed) {
          this.#resume = () => this.#pour(callback, rest);
          return;
        }
      }
    }
  }
  // A change of the level or the strategy takes effect for what has not been begun: output is of one level here.
  class Zlib extends ZlibBase {
    constructor(name, options) {
      super(name, options);
      const { level, strategy } = settingsOf[kinds[name][2]](options);
      this._level = level;
      this._strategy = strategy;
    }
    params(level, strategy, callback) {
      settingsOf.deflate({ level, strategy });
      this._level = level;
      this._strategy = strategy;
      this.flush(constants.Z_SYNC_FLUSH, callback);
    }
  }
  const families = { Zlib, Brotli: class Brotli extends ZlibBase {}, Zstd: class Zstd extends ZlibBase {} };
  const streams = {};
  for (const name of Object.keys(kinds)) {
    streams[name] = { [name]: class extends families[kinds[name][3]] { constructor(options = undefined) { super(name, options); } } }[name];
  }
  return { convert, streams };
})
