// node:stream: Readable, Writable, Duplex, Transform, PassThrough. finished and pipeline are in stream_more.js.
(function (host) {
  'use strict';
  const EventEmitter = host.load('node/events');
  const { withCode, invalidType, checkSignal, abortError } = host.load('node/errors');
  const defaults = { bytes: 65536, objects: 16 };
  const later = (fn) => queueMicrotask(fn);
  const premature = () => withCode(Error, 'ERR_STREAM_PREMATURE_CLOSE', 'Premature close');

  function Stream(options) {
    EventEmitter.call(this, options);
  }
  Object.setPrototypeOf(Stream.prototype, EventEmitter.prototype);
  Object.setPrototypeOf(Stream, EventEmitter);

  // ---- what all streams share

  const stateOf = (options, side) => {
    const objectMode = Boolean(options?.objectMode ?? options?.[`${side}ObjectMode`]);
    const mark = options?.[`${side}HighWaterMark`] ?? options?.highWaterMark;
    if (mark !== undefined && !(Number.isInteger(mark) && mark >= 0)) throw withCode(TypeError, 'ERR_INVALID_ARG_VALUE', `The property 'options.highWaterMark' is invalid. Received ${mark}`);
    return { objectMode, highWaterMark: mark ?? (objectMode ? defaults.objects : defaults.bytes), length: 0 };
  };
  const common = (stream, options) => {
    if (stream._life !== undefined) return;
    Object.defineProperty(stream, '_life', {
      value: { destroyed: false, closed: false, errored: null, autoDestroy: options?.autoDestroy !== false, emitClose: options?.emitClose !== false, constructed: true, waiting: [] },
    });
    if (typeof options?.destroy === 'function') stream._destroy = options.destroy;
    if (typeof options?.construct === 'function') stream._construct = options.construct;
    checkSignal(options?.signal, 'options.signal');
    if (options?.signal !== undefined) host.load('node/stream_more').addAbortSignal(options.signal, stream);
    if (typeof stream._construct !== 'function') return;
    stream._life.constructed = false;
    later(() => stream._construct((error) => {
      stream._life.constructed = true;
      if (error) stream.destroy(error);
      for (const resume of stream._life.waiting.splice(0)) resume();
    }));
  };
  const whenConstructed = (stream, fn) => (stream._life.constructed ? fn() : stream._life.waiting.push(fn));
  const lifeMethods = {
    destroy(error = undefined, callback = undefined) {
      const life = this._life;
      if (life.destroyed) {
        if (typeof callback === 'function') callback();
        return this;
      }
      life.destroyed = true;
      if (error) life.errored = error;
      whenConstructed(this, () => this._destroy(error ?? null, (failure) => {
        if (failure) life.errored ??= failure;
        life.closed = true;
        callback?.(failure ?? null);
        later(() => {
          if (failure) this.emit('error', failure);
          if (life.emitClose) this.emit('close');
        });
      }));
      return this;
    },
    _destroy(error, callback) { callback(error); },
    async [Symbol.asyncDispose]() {
      if (!this.destroyed) this.destroy(this.readableEnded ? null : abortError());
      await new Promise((resolve, reject) => host.load('node/stream_more').finished(this, (error) => (error && error.name !== 'AbortError' ? reject(error) : resolve())));
    },
  };
  const lifeGetters = {
    destroyed: { get() { return this._life?.destroyed ?? false; }, set(value) { if (this._life) this._life.destroyed = value; } },
    closed: { get() { return this._life?.closed ?? false; } },
    errored: { get() { return this._life?.errored ?? null; } },
  };
  const equip = (Class, methods, getters) => {
    Object.defineProperties(Class.prototype, Object.fromEntries(Object.entries({ ...lifeGetters, ...getters }).map(([key, d]) => [key, { configurable: true, ...d }])));
    for (const key of Reflect.ownKeys(methods)) Object.defineProperty(Class.prototype, key, { value: methods[key], writable: true, enumerable: typeof key === 'string', configurable: true });
  };
  const inherit = (Class, Parent) => {
    Object.setPrototypeOf(Class.prototype, Parent.prototype);
    Object.setPrototypeOf(Class, Parent);
  };
  const chunkOf = (chunk, encoding, objectMode) => {
    if (objectMode) return chunk;
    if (typeof chunk === 'string') return Buffer.from(chunk, encoding);
    if (Buffer.isBuffer(chunk)) return chunk;
    if (ArrayBuffer.isView(chunk)) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    throw invalidType('chunk', 'of type string or an instance of Buffer, TypedArray, or DataView', chunk);
  };
  const failLater = (stream, error, callback) => {
    later(() => callback?.(error));
    stream.destroy(error);
  };

  // ---- Readable

  function Readable(options) {
    if (!(this instanceof Readable)) return new Readable(options);
    Stream.call(this, options);
    startReadable(this, options);
  }
  inherit(Readable, Stream);
  const startReadable = (stream, options) => {
    stream._readableState = {
      ...stateOf(options, 'readable'), buffer: [], flowing: null, ended: false, endEmitted: false, reading: false, pipes: [], decoder: null, encoding: null,
      wantsReadable: false, scheduled: false, dataEmitted: false,
    };
    if (typeof options?.read === 'function') stream._read = options.read;
    common(stream, options);
    if (options?.encoding) stream.setEncoding(options.encoding);
  };
  const fill = (stream) => {
    const state = stream._readableState;
    if (state.reading || state.ended || stream.destroyed || state.length >= state.highWaterMark && state.length > 0) return;
    state.reading = true;
    whenConstructed(stream, () => {
      if (stream.destroyed) return;
      try {
        stream._read(state.highWaterMark);
      } catch (error) {
        stream.destroy(error);
      }
    });
  };
  // Everything that follows from a change of the buffer happens here, a turn later.
  const schedule = (stream) => {
    const state = stream._readableState;
    if (state.scheduled) return;
    state.scheduled = true;
    later(() => {
      state.scheduled = false;
      advance(stream);
    });
  };
  const advance = (stream) => {
    const state = stream._readableState;
    if (stream.destroyed) return;
    if (state.flowing) {
      while (state.flowing && !stream.destroyed) {
        const chunk = stream.read();
        if (chunk === null) break;
      }
    } else if (state.wantsReadable && (state.length > 0 || state.ended && !state.endEmitted)) {
      stream.emit('readable');
    }
    if (state.ended && state.length === 0) finishReading(stream);
    else if (state.flowing || state.wantsReadable) fill(stream);
  };
  const finishReading = (stream) => {
    const state = stream._readableState;
    if (state.endEmitted || stream.destroyed || !state.flowing && !state.wantsReadable && !state.readToEnd) return;
    state.endEmitted = true;
    stream.emit('end');
    const writable = stream._writableState;
    if (writable !== undefined && !stream.allowHalfOpen && !writable.ending) stream.end();
    if (stream._life.autoDestroy && (writable === undefined || writable.finished)) stream.destroy();
  };
  const readableMethods = {
    _read() { throw withCode(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _read() method is not implemented'); },
    push(chunk, encoding = 'utf8') { return add(this, chunk, encoding, false); },
    unshift(chunk, encoding = 'utf8') { return add(this, chunk, encoding, true); },
    read(size = undefined) {
      const state = this._readableState;
      if (size === 0) {
        fill(this);
        schedule(this);
        return null;
      }
      let chunk = null;
      if (state.length > 0) chunk = take(state, size);
      if (!state.ended) fill(this);
      if (state.ended && state.length === 0) {
        state.readToEnd = true;
        schedule(this);
      }
      if (chunk !== null) {
        state.dataEmitted = true;
        this.emit('data', chunk);
      }
      return chunk;
    },
    on(event, listener) {
      Stream.prototype.on.call(this, event, listener);
      const state = this._readableState;
      if (state === undefined) return this;
      if (event === 'data' && state.flowing !== false) this.resume();
      if (event === 'readable') {
        state.wantsReadable = true;
        state.flowing = false;
        fill(this);
        schedule(this);
      }
      return this;
    },
    removeListener(event, listener) {
      Stream.prototype.removeListener.call(this, event, listener);
      if (event === 'readable' && this.listenerCount('readable') === 0) this._readableState.wantsReadable = false;
      return this;
    },
    resume() {
      const state = this._readableState;
      if (!state.flowing) {
        state.flowing = !state.wantsReadable;
        later(() => { if (state.flowing) this.emit('resume'); });
        schedule(this);
      }
      return this;
    },
    pause() {
      if (this._readableState.flowing !== false) {
        this._readableState.flowing = false;
        this.emit('pause');
      }
      return this;
    },
    isPaused() { return this._readableState.flowing === false; },
    setEncoding(encoding) {
      const state = this._readableState;
      const { StringDecoder } = host.load('node/string_decoder');
      state.decoder = new StringDecoder(encoding);
      state.encoding = state.decoder.encoding;
      state.buffer = state.buffer.map((chunk) => state.decoder.write(chunk)).filter((text) => text !== '');
      state.length = state.buffer.reduce((sum, text) => sum + text.length, 0);
      return this;
    },
    pipe(target, options = undefined) {
      const state = this._readableState;
      const onData = (chunk) => { if (target.write(chunk) === false) this.pause(); };
      const onDrain = () => this.resume();
      const onEnd = () => target.end();
      const unpipe = () => {
        this.removeListener('data', onData);
        target.removeListener('drain', onDrain);
        this.removeListener('end', onEnd);
        target.removeListener('error', unpipe);
        target.removeListener('close', unpipe);
        state.pipes = state.pipes.filter((pipe) => pipe.unpipe !== unpipe);
        target.emit('unpipe', this);
      };
      state.pipes.push({ target, unpipe });
      target.on('drain', onDrain);
      target.once('error', unpipe);
      target.once('close', unpipe);
      if (options?.end !== false) this.once('end', onEnd);
      target.emit('pipe', this);
      this.on('data', onData);
      this.resume();
      return target;
    },
    unpipe(target = undefined) {
      for (const pipe of this._readableState.pipes.slice()) if (target === undefined || pipe.target === target) pipe.unpipe();
      return this;
    },
    wrap(old) {
      old.on('data', (chunk) => { if (!this.push(chunk)) old.pause?.(); });
      old.on('end', () => this.push(null));
      old.on('error', (error) => this.destroy(error));
      this._read = () => old.resume?.();
      return this;
    },
    iterator(options = undefined) { return host.load('node/stream_more').iterate(this, options); },
    [Symbol.asyncIterator]() { return this.iterator(); },
  };
  readableMethods.addListener = readableMethods.on;
  readableMethods.off = readableMethods.removeListener;
  const take = (state, size) => {
    const lengthOf = (chunk) => (state.objectMode ? 1 : chunk.length);
    if (state.objectMode || state.flowing && size === undefined) {
      const chunk = state.buffer.shift();
      state.length -= lengthOf(chunk);
      return chunk;
    }
    if (size !== undefined && size > state.length && !state.ended) return null;
    const joined = state.decoder !== null ? state.buffer.join('') : Buffer.concat(state.buffer);
    const wanted = size === undefined ? joined.length : Math.min(size, joined.length);
    const rest = joined.slice(wanted);
    state.buffer = rest.length > 0 ? [rest] : [];
    state.length = rest.length;
    return joined.slice(0, wanted);
  };
  const add = (stream, chunk, encoding, first) => {
    const state = stream._readableState;
    state.reading = false;
    if (chunk === null) {
      const tail = state.decoder?.end() ?? '';
      if (tail !== '') enqueue(state, tail, false);
      state.ended = true;
      schedule(stream);
      return false;
    }
    if (state.ended && !first) {
      failLater(stream, withCode(Error, 'ERR_STREAM_PUSH_AFTER_EOF', 'stream.push() after EOF'));
      return false;
    }
    try {
      chunk = chunkOf(chunk, encoding, state.objectMode);
    } catch (error) {
      failLater(stream, error);
      return false;
    }
    if (state.decoder !== null && !state.objectMode) chunk = state.decoder.write(chunk);
    if (state.objectMode || chunk.length > 0) enqueue(state, chunk, first);
    schedule(stream);
    return state.length < state.highWaterMark;
  };
  const enqueue = (state, chunk, first) => {
    if (first) state.buffer.unshift(chunk);
    else state.buffer.push(chunk);
    state.length += state.objectMode ? 1 : chunk.length;
  };
  equip(Readable, { ...lifeMethods, ...readableMethods }, {
    readable: { get() { const s = this._readableState; return s !== undefined && !s.endEmitted && !this.destroyed; } },
    readableAborted: { get() { return this.destroyed && !this._readableState.endEmitted; } },
    readableDidRead: { get() { return this._readableState.dataEmitted; } },
    readableEncoding: { get() { return this._readableState.encoding; } },
    readableEnded: { get() { return this._readableState?.endEmitted ?? false; } },
    readableFlowing: { get() { return this._readableState.flowing; } },
    readableHighWaterMark: { get() { return this._readableState.highWaterMark; } },
    readableLength: { get() { return this._readableState.length; } },
    readableObjectMode: { get() { return this._readableState.objectMode; } },
  });

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
      const settle = () => {
        state.writing = false;
        for (const { size, callback } of batch) {
          state.length -= size;
          callback?.(error ?? null);
        }
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
    Duplex, PassThrough, Readable, Stream, Transform, Writable, premature,
    _isArrayBufferView: (value) => ArrayBuffer.isView(value),
    _isUint8Array: (value) => value instanceof Uint8Array,
    _uint8ArrayToBuffer: (chunk) => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength),
    getDefaultHighWaterMark: (objectMode) => (objectMode ? defaults.objects : defaults.bytes),
    setDefaultHighWaterMark: (objectMode, value) => { defaults[objectMode ? 'objects' : 'bytes'] = value; },
  });
  Object.defineProperty(Stream, 'premature', { enumerable: false });
  host.load('node/stream_more').extend(Stream);
  return Stream;
})
