// What all of node:stream's classes share: the legacy Stream, construction, destruction, chunks.
(function (host) {
  'use strict';
  const EventEmitter = host.load('node/events');
  const { withCode, invalidType, checkSignal, abortError } = host.load('node/errors');
  const defaults = { bytes: 65536, objects: 16 };
  const later = (fn) => queueMicrotask(fn);

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

  return { Stream, defaults, later, stateOf, common, whenConstructed, lifeMethods, equip, inherit, chunkOf, failLater };
})
