// WritableStream with its writer and controller, and piping.
//
// The state of a stream is {object, state, stored, writer, controller, requests, inFlight, closing,
// aborting}; state is writable, erroring (waiting for what is in flight), errored or closed.
// Globals: WritableStream WritableStreamDefaultWriter WritableStreamDefaultController
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, PromiseResolve, PromiseReject, withResolvers, then, list, push, ArrayPrototypeShift } = P;
  const { expose, receiver, illegal, isObject } = host.load('idl');
  const { strategyOf, sizeOf, methodOf, attempt } = host.load('59_queuing_strategy');

  const noop = () => {};
  const quiet = (resolvers) => {
    then(resolvers.promise, undefined, noop);
    return resolvers;
  };
  const lockedError = () => new TypeError('This WritableStream is currently locked to a writer.');
  const releasedError = () => new TypeError('This WritableStream writer has been released.');
  const closedError = () => new TypeError('This WritableStream has been closed.');

  const newState = (object) => ({
    __proto__: null, object, state: 'writable', stored: undefined, writer: undefined, controller: undefined,
    queue: list(), total: 0, inFlight: undefined, closing: undefined, closeInFlight: false, aborting: undefined, backpressure: false,
  });

  // ---- transitions

  const startErroring = (stream, reason) => {
    stream.state = 'erroring';
    stream.stored = reason;
    if (stream.writer !== undefined) rejectReady(stream.writer, reason);
    if (stream.inFlight === undefined && !stream.closeInFlight && stream.controller.started) finishErroring(stream);
  };
  const finishErroring = (stream) => {
    stream.state = 'errored';
    const queue = stream.queue;
    stream.queue = list();
    stream.total = 0;
    for (let i = 0; i < queue.length; i++) queue[i].request.reject(stream.stored);
    const abort = stream.aborting;
    stream.aborting = undefined;
    if (abort === undefined) return settleErrored(stream);
    if (abort.wasErroring) {
      abort.request.reject(stream.stored);
      return settleErrored(stream);
    }
    then(attempt(stream.controller.abort, abort.reason), () => {
      abort.request.resolve();
      settleErrored(stream);
    }, (error) => {
      abort.request.reject(error);
      settleErrored(stream);
    });
    return undefined;
  };
  const settleErrored = (stream) => {
    if (stream.closing !== undefined) {
      stream.closing.reject(stream.stored);
      stream.closing = undefined;
    }
    if (stream.writer !== undefined) stream.writer.closed.reject(stream.stored);
  };
  const dealWithRejection = (stream, error) => {
    if (stream.state === 'writable') startErroring(stream, error);
    else if (stream.state === 'erroring') finishErroring(stream);
  };
  const rejectReady = (writer, reason) => {
    if (writer.isReady) writer.ready = quiet(withResolvers());
    writer.isReady = false;
    writer.ready.reject(reason);
  };
  const desired = (stream) => {
    if (stream.state === 'errored' || stream.state === 'erroring') return null;
    return stream.state === 'closed' ? 0 : stream.controller.mark - stream.total;
  };
  const updateBackpressure = (stream) => {
    const backpressure = stream.controller.mark - stream.total <= 0;
    if (stream.writer !== undefined && backpressure !== stream.backpressure && stream.closing === undefined && !stream.closeInFlight) {
      if (backpressure) {
        stream.writer.ready = quiet(withResolvers());
        stream.writer.isReady = false;
      } else {
        stream.writer.isReady = true;
        stream.writer.ready.resolve();
      }
    }
    stream.backpressure = backpressure;
  };

  // Hands the sink what is queued, one chunk at a time, and the close last.
  const advance = (stream) => {
    const { controller } = stream;
    if (!controller.started || stream.inFlight !== undefined || stream.closeInFlight) return;
    if (stream.state === 'erroring') return void finishErroring(stream);
    if (stream.state !== 'writable') return;
    if (stream.queue.length > 0) processWrite(stream);
    else if (stream.closing !== undefined) processClose(stream);
  };
  const processWrite = (stream) => {
    const entry = ArrayPrototypeShift(stream.queue);
    stream.inFlight = entry;
    then(attempt(stream.controller.write, entry.chunk, stream.controller.object), () => {
      stream.inFlight = undefined;
      entry.request.resolve();
      stream.total = P.MathMax(0, stream.total - entry.size);
      if (stream.state === 'writable' && stream.closing === undefined) updateBackpressure(stream);
      advance(stream);
    }, (error) => {
      stream.inFlight = undefined;
      entry.request.reject(error);
      dealWithRejection(stream, error);
    });
  };
  const processClose = (stream) => {
    stream.closeInFlight = true;
    then(attempt(stream.controller.close), () => {
      stream.closeInFlight = false;
      const { closing } = stream;
      stream.closing = undefined;
      closing.resolve();
      if (stream.state === 'erroring') {
        stream.stored = undefined;
        stream.aborting?.request.resolve();
        stream.aborting = undefined;
      }
      stream.state = 'closed';
      stream.writer?.closed.resolve();
    }, (error) => {
      stream.closeInFlight = false;
      stream.closing.reject(error);
      stream.closing = undefined;
      stream.aborting?.request.reject(error);
      stream.aborting = undefined;
      dealWithRejection(stream, error);
    });
  };

  // ---- what a program asks of a stream

  const abortStream = (stream, reason) => {
    if (stream.state === 'closed' || stream.state === 'errored') return PromiseResolve(undefined);
    host.load('32_abort').abort(stream.controller.signal(), reason);
    if (stream.state === 'closed' || stream.state === 'errored') return PromiseResolve(undefined);
    if (stream.aborting !== undefined) return stream.aborting.request.promise;
    const wasErroring = stream.state === 'erroring';
    stream.aborting = { __proto__: null, request: withResolvers(), reason: wasErroring ? undefined : reason, wasErroring };
    const { promise } = stream.aborting.request;
    if (!wasErroring) startErroring(stream, reason);
    return promise;
  };
  const closeStream = (stream) => {
    if (stream.state === 'closed' || stream.closing !== undefined || stream.closeInFlight) return PromiseReject(closedError());
    if (stream.state === 'errored') return PromiseReject(stream.stored);
    stream.closing = quiet(withResolvers());
    const { promise } = stream.closing;
    if (stream.writer !== undefined && stream.backpressure && stream.state === 'writable') {
      stream.writer.isReady = true;
      stream.writer.ready.resolve();
    }
    advance(stream);
    return promise;
  };
  const write = (stream, chunk) => {
    let size = 1;
    try {
      size = sizeOf(stream.controller.size, chunk);
    } catch (error) {
      if (stream.state === 'writable') startErroring(stream, error);
    }
    if (stream.state === 'errored' || stream.state === 'erroring') return PromiseReject(stream.stored);
    if (stream.state === 'closed' || stream.closing !== undefined) return PromiseReject(closedError());
    const request = withResolvers();
    push(stream.queue, { __proto__: null, chunk, size, request });
    stream.total += size;
    updateBackpressure(stream);
    advance(stream);
    return request.promise;
  };

  const acquire = (stream) => {
    if (stream.writer !== undefined) throw lockedError();
    const writer = { __proto__: null, stream, closed: quiet(withResolvers()), ready: quiet(withResolvers()), isReady: false };
    stream.writer = writer;
    if (stream.state === 'writable') {
      if (stream.closing !== undefined || !stream.backpressure) {
        writer.isReady = true;
        writer.ready.resolve();
      }
    } else if (stream.state === 'closed') {
      writer.isReady = true;
      writer.ready.resolve();
      writer.closed.resolve();
    } else {
      writer.ready.reject(stream.stored);
      if (stream.state === 'errored') writer.closed.reject(stream.stored);
    }
    return writer;
  };
  const release = (writer) => {
    const { stream } = writer;
    if (stream === undefined) return;
    rejectReady(writer, releasedError());
    if (stream.state === 'closed' || stream.state === 'errored') writer.closed = quiet(withResolvers());
    writer.closed.reject(releasedError());
    stream.writer = undefined;
    writer.stream = undefined;
  };

  // ---- the interfaces

  let stateOf; // the state of a WritableStream, undefined for anything else
  let makeController;
  const private_ = { __proto__: null };

  class ControllerImplementation {
    #stream;
    #signal;
    static {
      makeController = (stream, { write: writeChunk, close, abort }, { mark, size }) => {
        const object = new ControllerImplementation();
        object.#stream = stream;
        stream.controller = { __proto__: null, object, write: writeChunk, close, abort, mark, size, started: false, signal: () => (object.#signal ??= host.load('32_abort').newSignal()) };
        stream.backpressure = mark <= 0;
        return stream.controller;
      };
    }
    get signal() { #stream in receiver(this) || illegal(); return this.#stream.controller.signal(); }
    error(reason = undefined) {
      #stream in receiver(this) || illegal();
      if (this.#stream.state === 'writable') startErroring(this.#stream, reason);
    }
  }

  const begin = (stream, start) => {
    then(PromiseResolve(start?.(stream.controller.object)), () => {
      stream.controller.started = true;
      advance(stream);
    }, (error) => {
      stream.controller.started = true;
      dealWithRejection(stream, error);
    });
  };
  // A stream of our own making: sink is {start, write, close, abort}, each optional.
  const createStream = (sink, mark = 1, size = undefined) => {
    const object = new Implementation(private_);
    const stream = stateOf(object);
    makeController(stream, sink, { mark, size });
    begin(stream, sink.start);
    return object;
  };

  class Implementation {
    #stream;

    static { stateOf = (value) => (isObject(value) && #stream in value ? value.#stream : undefined); }

    constructor(sink = undefined, strategy = undefined) {
      this.#stream = newState(this);
      if (sink === private_) return;
      if (sink === undefined || sink === null) sink = { __proto__: null };
      if (!isObject(sink)) throw new TypeError("Failed to construct 'WritableStream': constructor parameter 1 is not of type 'UnderlyingSink'.");
      if (sink.type !== undefined) throw new P.RangeError('The type of an underlying sink must be undefined.');
      const start = methodOf(sink, 'start', 'UnderlyingSink');
      makeController(this.#stream, {
        __proto__: null, write: methodOf(sink, 'write', 'UnderlyingSink'), close: methodOf(sink, 'close', 'UnderlyingSink'), abort: methodOf(sink, 'abort', 'UnderlyingSink'),
      }, strategyOf(strategy, 1, 'WritableStream'));
      begin(this.#stream, start);
    }

    get locked() { #stream in receiver(this) || illegal(); return this.#stream.writer !== undefined; }
    abort(reason = undefined) {
      try {
        #stream in receiver(this) || illegal();
        return this.#stream.writer !== undefined ? PromiseReject(lockedError()) : abortStream(this.#stream, reason);
      } catch (error) {
        return PromiseReject(error);
      }
    }
    close() {
      try {
        #stream in receiver(this) || illegal();
        return this.#stream.writer !== undefined ? PromiseReject(lockedError()) : closeStream(this.#stream);
      } catch (error) {
        return PromiseReject(error);
      }
    }
    getWriter() {
      #stream in receiver(this) || illegal();
      return new WriterImplementation(this);
    }
  }

  class WriterImplementation {
    #writer;

    constructor(stream) {
      const state = stateOf(stream);
      if (state === undefined) throw new TypeError("Failed to construct 'WritableStreamDefaultWriter': constructor parameter 1 is not of type 'WritableStream'.");
      this.#writer = acquire(state);
    }

    // Runs work on the stream, as a promise whatever goes wrong.
    static #on(self, work) {
      try {
        #writer in receiver(self) || illegal();
        const { stream } = self.#writer;
        return stream === undefined ? PromiseReject(releasedError()) : work(stream);
      } catch (error) {
        return PromiseReject(error);
      }
    }

    get closed() { #writer in receiver(this) || illegal(); return this.#writer.closed.promise; }
    get ready() { #writer in receiver(this) || illegal(); return this.#writer.ready.promise; }
    get desiredSize() {
      #writer in receiver(this) || illegal();
      if (this.#writer.stream === undefined) throw releasedError();
      return desired(this.#writer.stream);
    }
    abort(reason = undefined) { return WriterImplementation.#on(this, (stream) => abortStream(stream, reason)); }
    close() { return WriterImplementation.#on(this, closeStream); }
    write(chunk = undefined) { return WriterImplementation.#on(this, (stream) => write(stream, chunk)); }
    releaseLock() { #writer in receiver(this) || illegal(); release(this.#writer); }
  }

  // ---- piping

  // Moves everything from a readable to a writable, both given as states; options as of pipeTo.
  const pipe = (source, destination, options) => {
    const readable = host.load('60_readable_stream');
    const { preventClose, preventAbort, preventCancel, signal } = options ?? { __proto__: null };
    if (signal !== undefined && !host.load('32_abort').isSignal(signal)) throw new TypeError("Incorrect type for the 'signal' field on 'PipeToOptions': the provided value is not of type 'AbortSignal'.");
    const writer = acquire(destination);
    const reader = readable.acquire(source);
    source.disturbed = true;
    const outcome = withResolvers();
    let over = false;
    let lastWrite = PromiseResolve(undefined);
    let off = noop;

    const finalise = (failed, error) => {
      off();
      release(writer);
      readable.release(reader);
      if (failed) outcome.reject(error);
      else outcome.resolve(undefined);
    };
    // Waits for the writes under way, runs the action, and ends with the original error or its own.
    const shutdown = (action, failed, error) => {
      if (over) return;
      over = true;
      const act = () => then(action === undefined ? PromiseResolve(undefined) : action(), () => finalise(failed, error), (own) => finalise(true, own));
      if (destination.state === 'writable' && destination.closing === undefined) then(lastWrite, act, act);
      else act();
    };
    const sourceErrored = () => shutdown(preventAbort ? undefined : () => abortStream(destination, source.stored), true, source.stored);
    const destinationErrored = () => shutdown(preventCancel ? undefined : () => readable.cancelStream(source, destination.stored), true, destination.stored);
    const sourceClosed = () => shutdown(preventClose ? undefined : () => (destination.state === 'closed' || destination.closing !== undefined ? PromiseResolve(undefined) : closeStream(destination)), false);
    const destinationClosed = () => {
      const error = closedError();
      shutdown(preventCancel ? undefined : () => readable.cancelStream(source, error), true, error);
    };
    // The state that ends the pipe, looked at in the standard's order.
    const check = () => {
      if (source.state === 'errored') sourceErrored();
      else if (destination.state === 'erroring' || destination.state === 'errored') destinationErrored();
      else if (source.state === 'closed') sourceClosed();
      else if (destination.closing !== undefined || destination.state === 'closed') destinationClosed();
      return over;
    };
    const loop = () => {
      if (over || check()) return;
      then(writer.ready.promise, () => {
        if (over || check()) return;
        readable.read(reader, {
          __proto__: null,
          chunk: (value) => {
            lastWrite = write(destination, value);
            then(lastWrite, undefined, noop);
            then(PromiseResolve(undefined), loop);
          },
          close: check,
          error: check,
        });
      }, check);
    };
    if (signal !== undefined) {
      const abort = host.load('32_abort');
      const aborted = () => {
        const reason = abort.reasonOf(signal);
        shutdown(() => {
          const stopped = preventAbort || destination.state !== 'writable' ? PromiseResolve(undefined) : abortStream(destination, reason);
          const cancelled = preventCancel || source.state !== 'readable' ? PromiseResolve(undefined) : readable.cancelStream(source, reason);
          return then(stopped, () => cancelled);
        }, true, reason);
      };
      if (abort.isAborted(signal)) {
        aborted();
        return outcome.promise;
      }
      off = abort.onAbort(signal, aborted);
    }
    then(reader.closed.promise, check, check);
    then(writer.closed.promise, check, check);
    loop();
    return outcome.promise;
  };

  host.define('WritableStream', expose('WritableStream', Implementation, { refusal: 'WritableStream can only be serialized for RPC.' }), { enumerable: true });
  host.define('WritableStreamDefaultWriter', expose('WritableStreamDefaultWriter', WriterImplementation, { required: ['WritableStream'] }), { enumerable: true });
  host.define('WritableStreamDefaultController', expose('WritableStreamDefaultController', ControllerImplementation, { constructible: false }), { enumerable: true });
  const errorIfWritable = (stream, reason) => { if (stream.state === 'writable') startErroring(stream, reason); };
  return { __proto__: null, WritableStream: Implementation, stateOf, createStream, pipe, errorIfWritable };
})
