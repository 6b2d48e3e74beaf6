// Readable of node:stream.
(function (host) {
  'use strict';
  const { withCode } = host.load('node/errors');
  const { Stream, later, stateOf, common, whenConstructed, lifeMethods, equip, inherit, chunkOf, failLater } = host.load('node/stream_base');

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

  return { Readable, startReadable };
})
