// ReadableStream with its default reader and controller. Byte streams are in 61_byte_stream.
//
// The state of a stream is {object, state, stored, disturbed, reader, controller}; its controller has
// pull(request), cancel(reason) and release(), that of a byte stream refuse(reason); a read request has chunk(value), close()
// and error(reason).
// Globals: ReadableStream ReadableStreamDefaultReader ReadableStreamDefaultController
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, PromiseResolve, PromiseReject, newPromise, withResolvers, then, list, push, ArrayPrototypeShift } = P;
  const { expose, receiver, illegal, wrong, isObject } = host.load('idl');
  const { strategyOf, sizeOf, methodOf, attempt } = host.load('59_queuing_strategy');

  const noop = () => {};
  const lockedError = () => new TypeError('This ReadableStream is currently locked to a reader.');
  const releasedError = () => new TypeError('This ReadableStream reader has been released.');

  // ---- transitions of a stream

  const finish = (reader, settle) => {
    const requests = reader.requests;
    reader.requests = list();
    for (let i = 0; i < requests.length; i++) settle(requests[i]);
  };
  const closeStream = (stream) => {
    if (stream.state !== 'readable') return;
    stream.state = 'closed';
    const { reader } = stream;
    if (reader === undefined) return;
    reader.closed.resolve();
    finish(reader, (request) => request.close());
  };
  const errorStream = (stream, reason) => {
    if (stream.state !== 'readable') return;
    stream.state = 'errored';
    stream.stored = reason;
    const { reader } = stream;
    if (reader === undefined) return;
    then(reader.closed.promise, undefined, noop);
    reader.closed.reject(reason);
    finish(reader, (request) => request.error(reason));
  };
  const cancelStream = (stream, reason) => {
    stream.disturbed = true;
    if (stream.state === 'closed') return PromiseResolve(undefined);
    if (stream.state === 'errored') return PromiseReject(stream.stored);
    closeStream(stream);
    return then(stream.controller.cancel(reason), noop);
  };
  const newState = (object) => ({ __proto__: null, object, state: 'readable', stored: undefined, disturbed: false, reader: undefined, controller: undefined });

  // ---- readers, as states {stream, closed, requests}

  const acquire = (stream) => {
    if (stream.reader !== undefined) throw lockedError();
    const reader = { __proto__: null, stream, closed: withResolvers(), requests: list() };
    stream.reader = reader;
    if (stream.state === 'closed') reader.closed.resolve();
    if (stream.state === 'errored') reader.closed.reject(stream.stored);
    then(reader.closed.promise, undefined, noop);
    return reader;
  };
  const release = (reader) => {
    const { stream } = reader;
    if (stream === undefined) return;
    if (stream.state !== 'readable') reader.closed = withResolvers();
    reader.closed.reject(releasedError());
    then(reader.closed.promise, undefined, noop);
    stream.controller.release();
    stream.reader = undefined;
    reader.stream = undefined;
    finish(reader, (request) => request.error(releasedError()));
  };
  const read = (reader, request) => {
    const { stream } = reader;
    stream.disturbed = true;
    if (stream.state === 'closed') request.close();
    else if (stream.state === 'errored') request.error(stream.stored);
    else stream.controller.pull(request);
  };
  const readPromise = (reader) => newPromise((resolve, reject) => read(reader, {
    __proto__: null,
    chunk: (value) => resolve({ value, done: false }),
    close: () => resolve({ value: undefined, done: true }),
    error: reject,
  }));

  // ---- the default controller

  const newController = (stream, { pull, cancel }, { mark, size }) => {
    const self = {
      __proto__: null, stream, queue: list(), total: 0, mark, size, started: false, pulling: false, again: false, closing: false, object: undefined,
      pull(request) {
        if (self.queue.length > 0) {
          const entry = ArrayPrototypeShift(self.queue);
          self.total = P.MathMax(0, self.total - entry.size);
          if (self.closing && self.queue.length === 0) closeStream(stream);
          else callPull(self);
          request.chunk(entry.chunk);
          return;
        }
        push(stream.reader.requests, request);
        callPull(self);
      },
      cancel(reason) {
        self.queue = list();
        self.total = 0;
        return attempt(cancel, reason);
      },
      release: noop,
      source: () => attempt(pull, self.object),
    };
    return self;
  };
  const desired = (controller) => {
    const { stream, mark, total } = controller;
    return stream.state === 'errored' ? null : stream.state === 'closed' ? 0 : mark - total;
  };
  const wantsMore = (controller) => {
    const { stream } = controller;
    if (!controller.started || controller.closing || stream.state !== 'readable') return false;
    return stream.reader !== undefined && stream.reader.requests.length > 0 || desired(controller) > 0;
  };
  // Asks the source for more, one call at a time.
  const callPull = (controller) => {
    if (!(controller.wantsMore ?? wantsMore)(controller)) return;
    if (controller.pulling) {
      controller.again = true;
      return;
    }
    controller.pulling = true;
    then(controller.source(), () => {
      controller.pulling = false;
      if (!controller.again) return;
      controller.again = false;
      callPull(controller);
    }, (error) => fail(controller, error));
  };
  const fail = (controller, reason) => {
    controller.queue = list();
    controller.total = 0;
    controller.refuse?.(reason);
    errorStream(controller.stream, reason);
  };
  const open = (controller) => !controller.closing && controller.stream.state === 'readable';
  const enqueue = (controller, chunk) => {
    const { stream } = controller;
    if (stream.reader !== undefined && stream.reader.requests.length > 0) {
      ArrayPrototypeShift(stream.reader.requests).chunk(chunk);
    } else {
      try {
        const size = sizeOf(controller.size, chunk);
        push(controller.queue, { __proto__: null, chunk, size });
        controller.total += size;
      } catch (error) {
        fail(controller, error);
        throw error;
      }
    }
    callPull(controller);
  };
  const close = (controller) => {
    controller.closing = true;
    if (controller.queue.length === 0) closeStream(controller.stream);
  };
  const begin = (controller, start) => {
    controller.stream.controller = controller;
    then(PromiseResolve(start?.(controller.object)), () => {
      controller.started = true;
      callPull(controller);
    }, (error) => fail(controller, error));
  };

  let makeController; // gives a controller state its public object

  class ControllerImplementation {
    #controller;
    static {
      makeController = (controller) => {
        const object = new ControllerImplementation();
        object.#controller = controller;
        controller.object = object;
        return controller;
      };
    }
    get desiredSize() { #controller in receiver(this) || illegal(); return desired(this.#controller); }
    close() {
      #controller in receiver(this) || illegal();
      if (!open(this.#controller)) throw new TypeError('Unable to close: the stream is closed or closing.');
      close(this.#controller);
    }
    enqueue(chunk = undefined) {
      #controller in receiver(this) || illegal();
      if (!open(this.#controller)) throw new TypeError('Unable to enqueue');
      enqueue(this.#controller, chunk);
    }
    error(reason = undefined) { #controller in receiver(this) || illegal(); fail(this.#controller, reason); }
  }

  // A stream of our own making: source is {start, pull, cancel}, each optional, called with the controller state.
  const createStream = (source, mark = 1, size = undefined) => {
    const stream = new ReadableImplementation(private_);
    const state = stateOf(stream);
    const controller = newController(state, { __proto__: null, pull: source.pull && (() => source.pull(controller)), cancel: source.cancel }, { mark, size });
    begin(controller, source.start && (() => source.start(controller)));
    return stream;
  };
  const private_ = { __proto__: null };

  let stateOf; // the state of a ReadableStream, undefined for anything else

  class ReadableImplementation {
    #stream;

    static { stateOf = (value) => (isObject(value) && #stream in value ? value.#stream : undefined); }

    static from(iterable) {
      const method = iterable?.[P.SymbolAsyncIterator] ?? iterable?.[P.SymbolIterator];
      if (typeof method !== 'function') throw wrong('from', 'ReadableStream', 1, 'AsyncGenerator');
      const iterator = P.FunctionPrototypeCall(method, iterable);
      return createStream({
        __proto__: null,
        pull: (controller) => then(PromiseResolve(iterator.next()), (result) => {
          if (result.done) return close(controller);
          return then(PromiseResolve(result.value), (value) => enqueue(controller, value));
        }),
        cancel: (reason) => (iterator.return === undefined ? undefined : iterator.return(reason)),
      }, 0);
    }

    constructor(source = undefined, strategy = undefined) {
      this.#stream = newState(this);
      if (source === private_) return;
      if (source === undefined || source === null) source = { __proto__: null };
      if (!isObject(source)) throw new TypeError("Failed to construct 'ReadableStream': constructor parameter 1 is not of type 'UnderlyingSource'.");
      const type = source.type;
      if (type !== undefined && `${type}` !== 'bytes' && `${type}` !== '') throw new TypeError(`"${type}" is not a valid type of ReadableStream.`);
      const methods = {
        __proto__: null, start: methodOf(source, 'start', 'UnderlyingSource'), pull: methodOf(source, 'pull', 'UnderlyingSource'),
        cancel: methodOf(source, 'cancel', 'UnderlyingSource'),
      };
      if (type !== undefined && `${type}` === 'bytes') {
        const { mark } = strategyOf(strategy, 0, 'ReadableStream');
        begin(host.load('61_byte_stream').makeController(this.#stream, methods, mark, source.autoAllocateChunkSize), methods.start);
      } else {
        begin(makeController(newController(this.#stream, methods, strategyOf(strategy, 1, 'ReadableStream'))), methods.start);
      }
    }

    get locked() { #stream in receiver(this) || illegal(); return this.#stream.reader !== undefined; }

    cancel(reason = undefined) {
      try {
        #stream in receiver(this) || illegal();
        return this.#stream.reader !== undefined ? PromiseReject(lockedError()) : cancelStream(this.#stream, reason);
      } catch (error) {
        return PromiseReject(error);
      }
    }

    getReader(options = undefined) {
      #stream in receiver(this) || illegal();
      if (options !== undefined && options !== null && !isObject(options)) throw wrong('getReader', 'ReadableStream', 1, 'GetReaderOptions');
      const mode = options?.mode;
      if (mode === undefined) return new ReaderImplementation(this);
      if (`${mode}` !== 'byob') throw new TypeError("mode must be undefined or 'byob' in call to getReader().");
      return host.load('61_byte_stream').newReader(this);
    }

    pipeThrough(transform, options = undefined) {
      #stream in receiver(this) || illegal();
      if (!isObject(transform)) throw wrong('pipeThrough', 'ReadableStream', 1, 'Transform');
      const { readable, writable } = transform;
      const writables = host.load('62_writable_stream');
      if (stateOf(readable) === undefined) throw new TypeError("Incorrect type for the 'readable' field on 'Transform': the provided value is not of type 'ReadableStream'.");
      if (writables.stateOf(writable) === undefined) throw new TypeError("Incorrect type for the 'writable' field on 'Transform': the provided value is not of type 'WritableStream'.");
      if (this.#stream.reader !== undefined) throw lockedError();
      then(writables.pipe(this.#stream, writables.stateOf(writable), options), undefined, noop);
      return readable;
    }

    pipeTo(destination, options = undefined) {
      try {
        #stream in receiver(this) || illegal();
        const writables = host.load('62_writable_stream');
        if (writables.stateOf(destination) === undefined) throw wrong('pipeTo', 'ReadableStream', 1, 'WritableStream');
        if (this.#stream.reader !== undefined) throw lockedError();
        return writables.pipe(this.#stream, writables.stateOf(destination), options);
      } catch (error) {
        return PromiseReject(error);
      }
    }

    tee() {
      #stream in receiver(this) || illegal();
      const branches = host.load('stream_tools').tee(this);
      return [branches[0], branches[1]];
    }

    values(options = undefined) {
      #stream in receiver(this) || illegal();
      if (options !== undefined && options !== null && !isObject(options)) throw wrong('values', 'ReadableStream', 1, 'ValuesOptions');
      return host.load('stream_tools').newIterator(acquire(this.#stream), !!options?.preventCancel);
    }
  }
  P.define(ReadableImplementation.prototype, P.SymbolAsyncIterator, ReadableImplementation.prototype.values);

  class ReaderImplementation {
    #reader;

    constructor(stream) {
      const state = stateOf(stream);
      if (state === undefined) throw new TypeError("Failed to construct 'ReadableStreamDefaultReader': constructor parameter 1 is not of type 'ReadableStream'.");
      this.#reader = acquire(state);
    }

    get closed() { #reader in receiver(this) || illegal(); return this.#reader.closed.promise; }
    cancel(reason = undefined) {
      try {
        #reader in receiver(this) || illegal();
        return this.#reader.stream === undefined ? PromiseReject(releasedError()) : cancelStream(this.#reader.stream, reason);
      } catch (error) {
        return PromiseReject(error);
      }
    }
    read() {
      try {
        #reader in receiver(this) || illegal();
        return this.#reader.stream === undefined ? PromiseReject(releasedError()) : readPromise(this.#reader);
      } catch (error) {
        return PromiseReject(error);
      }
    }
    releaseLock() { #reader in receiver(this) || illegal(); release(this.#reader); }
  }

  host.define('ReadableStream', expose('ReadableStream', ReadableImplementation, { refusal: 'ReadableStream can only be serialized for RPC.' }), { enumerable: true });
  host.define('ReadableStreamDefaultReader', expose('ReadableStreamDefaultReader', ReaderImplementation, { required: ['ReadableStream'] }), { enumerable: true });
  host.define('ReadableStreamDefaultController', expose('ReadableStreamDefaultController', ControllerImplementation, { constructible: false }), { enumerable: true });
  return {
    __proto__: null, isReadable: (value) => stateOf(value) !== undefined, isLocked: (stream) => stateOf(stream).reader !== undefined,
    isDisturbed: (stream) => stateOf(stream).disturbed, lock: (stream) => { stateOf(stream).disturbed = true; acquire(stateOf(stream)); },
    newStream: () => new ReadableImplementation(private_), begin, createStream, stateOf, acquire, release, read, cancelStream, closeStream, errorStream,
    readPromise, enqueue, close, fail, desired, open, callPull, lockedError, releasedError,
  };
})
