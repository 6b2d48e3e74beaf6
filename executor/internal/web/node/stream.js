// node:stream. Readable is in stream_readable.js, finished and pipeline in stream_more.js.
(function (host) {
  'use strict';
  const { withCode, checkNumber } = host.load('node/errors');
  const { Stream, defaults, later, stateOf, common, whenConstructed, lifeMethods, equip, inherit, chunkOf, failLater } = host.load('node/stream_base');
  const { Readable, startReadable } = host.load('node/stream_readable');

  // ---- Writable

  function Writable(options) {
    if (!(this instanceof Writable) && !(this instanceof Duplex)) return new Writable(options);
    Stream.call(this, options);
    startWritable(this, options);
  }
  inherit(Writable, Stream);
  const startWritable = (stream, options) => {
    stream._writableState = {
      ...stateOf(options, 'writable'), queue: [], writing: false, corked: 0, ending: false, finished: false, needDrain: false, prefinished: false,
      decodeStrings: options?.decodeStrings !== false, encoding: options?.defaultEncoding ?? 'utf8',
    };
    for (const name of ['write', 'writev', 'final']) if (typeof options?.[name] === 'function') stream[`_${name}`] = options[name];
    common(stream, options);
  };
  const writableMethods = {
    _write(chunk, encoding, callback) {
      if (typeof this._writev === 'function') this._writev([{ chunk, encoding }], callback);
      else throw withCode(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _write() method is not implemented');
    },
    write(chunk, encoding = undefined, callback = undefined) {
      if (typeof encoding === 'function') [encoding, callback] = [undefined, encoding];
      const state = this._writableState;
      if (chunk === null) throw withCode(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
      if (state.ending) {
        failLater(this, withCode(Error, 'ERR_STREAM_WRITE_AFTER_END', 'write after end'), callback);
        return false;
      }
      if (this.destroyed) {
        const error = withCode(Error, 'ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed');
        later(() => callback?.(error));
        return false;
      }
      if (!(typeof chunk === 'string' && !state.decodeStrings)) chunk = chunkOf(chunk, encoding ?? state.encoding, state.objectMode);
      const size = state.objectMode ? 1 : chunk.length;
      state.length += size;
      state.queue.push({ chunk, encoding: Buffer.isBuffer(chunk) ? 'buffer' : encoding ?? state.encoding, callback, size });
      const below = state.length < state.highWaterMark;
      if (!below) state.needDrain = true;
      work(this);
      return below;
    },
    end(chunk = undefined, encoding = undefined, callback = undefined) {
      if (typeof chunk === 'function') [chunk, callback] = [undefined, chunk];
      else if (typeof encoding === 'function') [encoding, callback] = [undefined, encoding];
      const state = this._writableState;
      if (chunk !== undefined && chunk !== null) this.write(chunk, encoding);
      state.corked = 0;
      if (typeof callback === 'function') {
        if (state.finished) later(() => callback(withCode(Error, 'ERR_STREAM_ALREADY_FINISHED', 'Cannot call end after a stream was finished')));
        else host.load('node/stream_more').finished(this, { readable: false }, callback);
      }
      state.ending = true;
      work(this);
      return this;
    },
    cork() { this._writableState.corked++; },
    uncork() {
      if (this._writableState.corked > 0) this._writableState.corked--;
      work(this);
    },
    setDefaultEncoding(encoding) {
      this._writableState.encoding = encoding;
      return this;
    },
    pipe() { this.destroy(withCode(Error, 'ERR_STREAM_CANNOT_PIPE', 'Cannot pipe, not readable')); },
  };
  const work = (stream) => {
    const state = stream._writableState;
    if (state.writing || state.corked > 0 || stream.destroyed) return;
    if (state.queue.length === 0) {
      if (state.ending) finishWriting(stream);
      return;
    }
    state.writing = true;
    const many = typeof stream._writev === 'function' && state.queue.length > 1;
    const batch = many ? state.queue.splice(0) : [state.queue.shift()];
    let sync = true;
    const done = (error) => {
      state.writing = Boolean(error); // after one nothing more is written
      for (const { size } of batch) state.length -= size;
      const settle = () => {
        for (const { callback } of batch) callback?.(error ?? null);
        if (error) {
          stream.destroy(error);
          return;
        }
        if (state.needDrain && state.length === 0 && !state.ending && !stream.destroyed) {
          state.needDrain = false;
          stream.emit('drain');
        }
        work(stream);
      };
      if (sync) later(settle);
      else settle();
    };
    whenConstructed(stream, () => {
      try {
        if (many) stream._writev(batch.map(({ chunk, encoding }) => ({ chunk, encoding })), done);
        else stream._write(batch[0].chunk, batch[0].encoding, done);
      } catch (error) {
        stream.destroy(error);
      }
      sync = false;
    });
  };
  const finishWriting = (stream) => {
    const state = stream._writableState;
    if (state.prefinished) return;
    state.prefinished = true;
    const finish = (error) => {
      if (error) {
        stream.destroy(error);
        return;
      }
      later(() => {
        if (stream.destroyed) return;
        stream.emit('prefinish');
        state.finished = true;
        stream.emit('finish');
        const readable = stream._readableState;
        if (stream._life.autoDestroy && (readable === undefined || readable.endEmitted)) stream.destroy();
      });
    };
    whenConstructed(stream, () => (typeof stream._final === 'function' ? stream._final(finish) : finish()));
  };
  const writableGetters = {
    writable: { get() { const s = this._writableState; return s !== undefined && !s.ending && !this.destroyed; } },
    writableAborted: { get() { return this.destroyed && !this._writableState.finished; } },
    writableCorked: { get() { return this._writableState.corked; } },
    writableEnded: { get() { return this._writableState?.ending ?? false; } },
    writableFinished: { get() { return this._writableState?.finished ?? false; } },
    writableHighWaterMark: { get() { return this._writableState.highWaterMark; } },
    writableLength: { get() { return this._writableState.length; } },
    writableNeedDrain: { get() { return this._writableState.needDrain; } },
    writableObjectMode: { get() { return this._writableState.objectMode; } },
  };
  equip(Writable, { ...lifeMethods, ...writableMethods }, writableGetters);
  Object.defineProperty(Writable, Symbol.hasInstance, {
    value(object) { return Function.prototype[Symbol.hasInstance].call(this, object) || this === Writable && object?._writableState !== undefined && object instanceof Stream; },
  });

  // ---- both

  function Duplex(options) {
    if (!(this instanceof Duplex)) return new Duplex(options);
    Stream.call(this, options);
    startReadable(this, options);
    startWritable(this, options);
    this.allowHalfOpen = options?.allowHalfOpen !== false;
    if (options?.readable === false) Object.assign(this._readableState, { ended: true, endEmitted: true });
    if (options?.writable === false) Object.assign(this._writableState, { ending: true, finished: true, prefinished: true });
  }
  inherit(Duplex, Readable);
  const { pipe: _, ...duplexMethods } = writableMethods;
  equip(Duplex, duplexMethods, writableGetters);

  function Transform(options) {
    if (!(this instanceof Transform)) return new Transform(options);
    Duplex.call(this, options);
    for (const name of ['transform', 'flush']) if (typeof options?.[name] === 'function') this[`_${name}`] = options[name];
    this._pending = undefined;
  }
  inherit(Transform, Duplex);
  equip(Transform, {
    _transform() { throw withCode(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _transform() method is not implemented'); },
    _write(chunk, encoding, callback) {
      this._transform(chunk, encoding, (error, value) => {
        if (error) {
          callback(error);
          return;
        }
        if (value !== undefined && value !== null) this.push(value);
        const { length, highWaterMark } = this._readableState;
        if (length < highWaterMark || this._writableState.ending) callback();
        else this._pending = callback;
      });
    },
    _read() {
      const callback = this._pending;
      this._pending = undefined;
      callback?.();
    },
    _final(callback) {
      const done = (error, value) => {
        if (error) {
          callback(error);
          return;
        }
        if (value !== undefined && value !== null) this.push(value);
        this.push(null);
        callback();
      };
      if (typeof this._flush === 'function') this._flush(done);
      else done();
    },
  }, {});

  function PassThrough(options) {
    if (!(this instanceof PassThrough)) return new PassThrough(options);
    Transform.call(this, options);
  }
  inherit(PassThrough, Transform);
  equip(PassThrough, { _transform(chunk, encoding, callback) { callback(null, chunk); } }, {});

  Object.assign(Stream, {
    Duplex, PassThrough, Readable, Stream, Transform, Writable,
    _isArrayBufferView: (value) => ArrayBuffer.isView(value),
    _isUint8Array: (value) => value instanceof Uint8Array,
    _uint8ArrayToBuffer: (chunk) => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength),
    getDefaultHighWaterMark: (objectMode) => (objectMode ? defaults.objects : defaults.bytes),
    setDefaultHighWaterMark: (objectMode, value) => {
      checkNumber(value, 'value', 0);
      defaults[objectMode ? 'objects' : 'bytes'] = value;
    },
  });
  host.load('node/stream_more').extend(Stream);
  return Stream;
})
