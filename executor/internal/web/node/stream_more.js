// What is built on node:stream's classes: finished, pipeline, the operators, and node:stream/{promises,consumers,web}.
(function (host) {
  'use strict';
  const { withCode, invalidType, checkFunction, checkSignal, abortError } = host.load('node/errors');
  const premature = () => withCode(Error, 'ERR_STREAM_PREMATURE_CLOSE', 'Premature close');
  const isNode = (value) => typeof value?.on === 'function' && (value._readableState !== undefined || value._writableState !== undefined);
  const isReadableNode = (value) => isNode(value) && value._readableState !== undefined;
  const isWebReadable = (value) => value instanceof ReadableStream;
  const isWebWritable = (value) => value instanceof WritableStream;

  const addAbortSignal = (signal, stream) => {
    checkSignal(signal, 'signal');
    if (!isNode(stream)) throw invalidType('stream', 'an instance of ReadableStream, WritableStream, or Stream', stream);
    const onAbort = () => stream.destroy(abortError(signal.reason));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    return stream;
  };

  // Calls back once, when a stream has nothing left to do or has failed; returns what takes the listeners off.
  const finished = (stream, options, callback = options) => {
    const wanted = typeof options === 'function' ? {} : options ?? {};
    checkFunction(callback, 'callback');
    if (!isNode(stream)) throw invalidType('stream', 'an instance of ReadableStream, WritableStream, or Stream', stream);
    const needsEnd = wanted.readable !== false && stream._readableState !== undefined;
    const needsFinish = wanted.writable !== false && stream._writableState !== undefined;
    let settled = false;
    const ended = () => !needsEnd || stream.readableEnded;
    const done = () => !needsFinish || stream.writableFinished;
    const settle = (error) => {
      if (settled) return;
      settled = true;
      cleanup();
      if (error === undefined) Reflect.apply(callback, stream, []);
      else Reflect.apply(callback, stream, [error]);
    };
    const check = () => { if (ended() && done()) settle(); };
    const onClose = () => settle(stream.errored ?? (ended() && done() ? undefined : premature()));
    const onAbort = () => settle(abortError(wanted.signal.reason));
    const cleanup = () => {
      stream.removeListener('end', check);
      stream.removeListener('finish', check);
      stream.removeListener('error', settle);
      stream.removeListener('close', onClose);
      wanted.signal?.removeEventListener('abort', onAbort);
    };
    stream.on('end', check);
    stream.on('finish', check);
    if (wanted.error !== false) stream.on('error', settle);
    stream.on('close', onClose);
    wanted.signal?.addEventListener('abort', onAbort);
    if (stream.closed) queueMicrotask(onClose);
    else if (ended() && done()) queueMicrotask(check);
    return cleanup;
  };

  async function* iterate(stream, options = undefined) {
    let wake;
    let failure;
    let over = false;
    const next = () => {
      wake?.();
      wake = undefined;
    };
    const onReadable = () => next();
    stream.on('readable', onReadable);
    const cleanup = finished(stream, { writable: false }, (error) => {
      failure = error;
      over = true;
      next();
    });
    try {
      for (;;) {
        const chunk = stream.destroyed ? null : stream.read();
        if (chunk !== null) yield chunk;
        else if (over) break;
        else await new Promise((resolve) => { wake = resolve; });
      }
      if (failure) throw failure;
    } finally {
      cleanup();
      stream.removeListener('readable', onReadable);
      if (options?.destroyOnReturn !== false && !stream.destroyed && (!over || stream._life.autoDestroy)) stream.destroy();
    }
  }
  // Any source as something to iterate asynchronously.
  const chunksOf = (source) => {
    if (isReadableNode(source) || isWebReadable(source)) return source;
    if (typeof source === 'string' || ArrayBuffer.isView(source)) return [source];
    if (typeof source?.[Symbol.asyncIterator] === 'function' || typeof source?.[Symbol.iterator] === 'function') return source;
    if (source instanceof Blob) return source.stream();
    throw invalidType('source', 'an instance of Stream, Iterable, or AsyncIterable', source);
  };
  const writeAll = async (source, target, end) => {
    if (isWebWritable(target)) {
      const writer = target.getWriter();
      for await (const chunk of chunksOf(source)) await writer.write(chunk);
      if (end) await writer.close();
      return;
    }
    const over = new Promise((resolve, reject) => finished(target, { readable: false }, (error) => (error ? reject(error) : resolve())));
    over.catch(() => {});
    let failed = false;
    over.then(undefined, () => { failed = true; });
    for await (const chunk of chunksOf(source)) {
      if (failed) break;
      if (!target.write(chunk)) await Promise.race([new Promise((resolve) => target.once('drain', resolve)), over]);
    }
    if (end) target.end();
    if (end || failed) await over;
  };

  const runPipeline = async (steps, { signal, end = true }) => {
    checkSignal(signal, 'options.signal');
    if (steps.length === 1 && Array.isArray(steps[0])) [steps] = steps;
    if (steps.length < 2) throw withCode(TypeError, 'ERR_MISSING_ARGS', 'The "streams" argument must be specified');
    const streams = steps.filter(isNode);
    const abortAll = (error) => { for (const stream of streams) if (!stream.destroyed) stream.destroy(error); };
    const onAbort = () => abortAll(abortError(signal.reason));
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    for (const stream of streams) stream.on('error', () => {});
    try {
      const jobs = [];
      let current;
      for (let i = 0; i < steps.length; i++) {
        const step = steps[i];
        const last = i === steps.length - 1;
        if (typeof step === 'function') {
          current = i === 0 ? step({ signal }) : step(current, { signal });
          if (last && typeof current?.then === 'function') jobs.push(current);
        } else if (i === 0) current = step;
        else {
          jobs.push(writeAll(current, step.writable && isWebWritable(step.writable) ? step.writable : step, last ? end : true));
          current = isWebReadable(step.readable) ? step.readable : step;
        }
      }
      const values = await Promise.all(jobs);
      return typeof steps.at(-1) === 'function' ? values.at(-1) : undefined;
    } catch (error) {
      abortAll(error);
      throw signal?.aborted && error.name !== 'AbortError' ? abortError(signal.reason) : error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  };
  const isOptions = (value) => typeof value === 'object' && value !== null && !isNode(value) && !isWebReadable(value) && !isWebWritable(value) && !Array.isArray(value) &&
    typeof value[Symbol.asyncIterator] !== 'function' && typeof value[Symbol.iterator] !== 'function' && value.readable === undefined;
  const promises = {
    finished: (stream, options) => new Promise((resolve, reject) => finished(stream, options ?? {}, (error) => (error ? reject(error) : resolve()))),
    pipeline: async (...steps) => runPipeline(steps, steps.length > 1 && isOptions(steps.at(-1)) ? steps.pop() : {}),
  };
  promises[Symbol.for('codemode.exports')] = { promises };
  const pipeline = (...steps) => {
    const callback = steps.pop();
    checkFunction(callback, 'streams[stream.length - 1]');
    const last = Array.isArray(steps[0]) ? steps[0].at(-1) : steps.at(-1);
    runPipeline(steps, {}).then((value) => queueMicrotask(() => callback(undefined, value)), (error) => queueMicrotask(() => callback(error)));
    return last;
  };

  // ---- operators of Readable

  const operators = (Readable) => {
    const from = (generator, options) => Readable.from(generator, { objectMode: true, ...options });
    return {
      map(fn) { return from((async function* (source) { for await (const chunk of source) yield fn(chunk, {}); })(this)); },
      filter(fn) { return from((async function* (source) { for await (const chunk of source) if (await fn(chunk, {})) yield chunk; })(this)); },
      flatMap(fn) { return from((async function* (source) { for await (const chunk of source) yield* await fn(chunk, {}); })(this)); },
      take(count) {
        return from((async function* (source) {
          if (count <= 0) return;
          for await (const chunk of source) {
            yield chunk;
            if (--count <= 0) return;
          }
        })(this));
      },
      drop(count) { return from((async function* (source) { for await (const chunk of source) if (count-- <= 0) yield chunk; })(this)); },
      asIndexedPairs() {
        return from((async function* (source) {
          let index = 0;
          for await (const chunk of source) yield [index++, chunk];
        })(this));
      },
      async forEach(fn) { for await (const chunk of this) await fn(chunk, {}); },
      async toArray() {
        const out = [];
        for await (const chunk of this) out.push(chunk);
        return out;
      },
      async some(fn) {
        for await (const chunk of this) if (await fn(chunk, {})) return true;
        return false;
      },
      async every(fn) {
        for await (const chunk of this) if (!await fn(chunk, {})) return false;
        return true;
      },
      async find(fn) {
        for await (const chunk of this) if (await fn(chunk, {})) return chunk;
        return undefined;
      },
      async reduce(fn, ...initial) {
        let [value] = initial;
        let has = initial.length > 0;
        for await (const chunk of this) {
          value = has ? await fn(value, chunk, {}) : chunk;
          has = true;
        }
        if (!has) throw withCode(TypeError, 'ERR_INVALID_ARGS', 'Reduce of an empty stream requires an initial value');
        return value;
      },
      compose(stream) { return compose(this, stream); },
    };
  };
  let compose;

  const extend = (Stream) => {
    const { Readable, Writable, Duplex, PassThrough } = Stream;
    for (const [name, fn] of Object.entries(operators(Readable))) Object.defineProperty(Readable.prototype, name, { value: fn, writable: true, configurable: true });
    Readable.from = (source, options = undefined) => {
      if (typeof source === 'string' || Buffer.isBuffer(source)) {
        return new Readable({ objectMode: true, ...options, read() { this.push(source); this.push(null); } });
      }
      const iterator = source?.[Symbol.asyncIterator]?.() ?? source?.[Symbol.iterator]?.();
      if (iterator === undefined) throw invalidType('iterable', 'an instance of Iterable', source);
      return new Readable({
        objectMode: true, highWaterMark: 1, ...options,
        read() {
          (async () => {
            const { value, done } = await iterator.next();
            if (done) this.push(null);
            else this.push(await value);
          })().catch((error) => this.destroy(error));
        },
        destroy(error, callback) { Promise.resolve(iterator.return?.()).then(() => callback(error), () => callback(error)); },
      });
    };
    Readable.fromWeb = (web, options = undefined) => Readable.from(web, options);
    Readable.toWeb = (readable) => ReadableStream.from((async function* () { for await (const chunk of readable) yield typeof chunk === 'string' ? chunk : Buffer.isBuffer(chunk) ? new Uint8Array(chunk) : chunk; })());
    Writable.fromWeb = (web, options = undefined) => {
      const writer = web.getWriter();
      return new Writable({
        ...options,
        write: (chunk, encoding, callback) => writer.write(chunk).then(() => callback(), callback),
        final: (callback) => writer.close().then(() => callback(), callback),
      });
    };
    Writable.toWeb = (writable) => new WritableStream({
      write: (chunk) => new Promise((resolve, reject) => writable.write(chunk, (error) => (error ? reject(error) : resolve()))),
      close: () => new Promise((resolve) => writable.end(resolve)),
      abort: (reason) => void writable.destroy(reason),
    });
    Duplex.from = (source) => join(new PassThrough({ objectMode: true }), source);
    Duplex.fromWeb = ({ readable, writable }, options = undefined) => pair(Duplex, Writable.fromWeb(writable), Readable.fromWeb(readable), options);
    Duplex.toWeb = (duplex) => ({ readable: Readable.toWeb(duplex), writable: Writable.toWeb(duplex) });
    const join = (out, source) => {
      if (isNode(source) && source._writableState !== undefined && source._readableState !== undefined) return source;
      writeAll(typeof source === 'function' ? source(out) : source, out, true).catch((error) => out.destroy(error));
      return out;
    };
    compose = (...streams) => {
      if (streams.length === 1) return streams[0];
      const steps = streams.map((step) => (typeof step === 'function' ? step : step));
      const head = steps[0]._writableState !== undefined ? steps[0] : undefined;
      let tail = steps[0];
      for (const step of steps.slice(1)) {
        const next = typeof step === 'function' ? Readable.from(step(tail)) : step;
        if (typeof step !== 'function') tail.pipe(next);
        tail.on?.('error', (error) => next.destroy(error));
        tail = next;
      }
      return head === undefined ? tail : pair(Duplex, head, tail, { objectMode: true });
    };
    Object.assign(Stream, {
      addAbortSignal, compose, finished, pipeline, promises,
      destroy: (stream, error) => stream.destroy(error),
      duplexPair: (options) => {
        const make = () => new Duplex({
          ...options,
          read() {},
          write(chunk, encoding, callback) {
            this.other.push(chunk);
            callback();
          },
          final(callback) {
            this.other.push(null);
            callback();
          },
        });
        const ends = [make(), make()];
        for (const i of [0, 1]) Object.defineProperty(ends[i], 'other', { value: ends[1 - i] });
        return ends;
      },
      isDestroyed: (stream) => stream.destroyed,
      isDisturbed: (stream) => Boolean(stream.readableDidRead ?? stream.locked),
      isErrored: (stream) => Boolean(stream.errored),
      isReadable: (stream) => stream.readable ?? null,
      isWritable: (stream) => stream.writable ?? null,
    });
  };
  // A Duplex of one stream to write to and another to read from.
  const pair = (Duplex, writable, readable, options) => {
    const duplex = new Duplex({
      ...options,
      read() { readable.resume(); },
      write: (chunk, encoding, callback) => writable.write(chunk, encoding, callback),
      final: (callback) => writable.end(callback),
    });
    readable.on('data', (chunk) => { if (!duplex.push(chunk)) readable.pause(); });
    readable.on('end', () => duplex.push(null));
    for (const part of [writable, readable]) part.on('error', (error) => duplex.destroy(error));
    return duplex;
  };

  const bytes = async (stream) => {
    const chunks = [];
    for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk));
    return Buffer.concat(chunks);
  };
  const consumers = {
    async arrayBuffer(stream) {
      const data = await bytes(stream);
      return data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
    },
    blob: async (stream) => new Blob([await bytes(stream)]),
    buffer: bytes,
    json: async (stream) => JSON.parse(await consumers.text(stream)),
    text: async (stream) => new TextDecoder().decode(await bytes(stream)),
  };
  const web = {};
  for (const name of ('ByteLengthQueuingStrategy CompressionStream CountQueuingStrategy DecompressionStream ReadableByteStreamController ReadableStream ReadableStreamBYOBReader ' +
    'ReadableStreamBYOBRequest ReadableStreamDefaultController ReadableStreamDefaultReader TextDecoderStream TextEncoderStream TransformStream ' +
    'TransformStreamDefaultController WritableStream WritableStreamDefaultController WritableStreamDefaultWriter').split(' ')) web[name] = globalThis[name];
  return { addAbortSignal, finished, iterate, extend, consumers, web };
})
