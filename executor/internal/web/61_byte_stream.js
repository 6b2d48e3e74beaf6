// Byte streams: their controller, and the reader that brings its own buffer.
//
// A pull-into is {bytes, filled, least, shape, request}: the reader's memory, how much of it is filled,
// how much must be before the read settles, and how to make a view of it again.
// Globals: ReadableByteStreamController ReadableStreamBYOBReader ReadableStreamBYOBRequest
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, RangeError, PromiseReject, newPromise, list, push, ArrayPrototypeShift, TypedArrayPrototypeGetLength, TypedArrayPrototypeSubarray, TypedArrayPrototypeSet, Uint8Array } = P;
  const { expose, receiver, illegal, missing, wrong, isObject, bytesOf } = host.load('idl');
  const { attempt } = host.load('59_queuing_strategy');
  const readable = host.load('60_readable_stream');
  const { closeStream, callPull, fail, open, desired, acquire, release, cancelStream, releasedError } = readable;

  // Takes the memory of a view over: the program's own view is detached.
  const takeOver = (view) => {
    const bytes = bytesOf(view);
    const offset = P.TypedArrayPrototypeGetByteOffset(bytes);
    const length = TypedArrayPrototypeGetLength(bytes);
    let buffer = P.TypedArrayPrototypeGetBuffer(bytes);
    try { buffer = P.ArrayBufferPrototypeTransfer(buffer); } catch { return P.TypedArrayPrototypeSlice(bytes); } // shared memory
    return new Uint8Array(buffer, offset, length);
  };
  const viewOf = (pullInto) => {
    const { bytes, filled, shape } = pullInto;
    const buffer = P.TypedArrayPrototypeGetBuffer(bytes);
    const offset = P.TypedArrayPrototypeGetByteOffset(bytes);
    return shape.name === undefined ? new P.DataView(buffer, offset, filled) : new P[shape.name](buffer, offset, P.MathFloor(filled / shape.element));
  };

  // Moves queued bytes into the reader's memory; true when the read can settle.
  const fill = (controller, pullInto) => {
    while (controller.queue.length > 0 && pullInto.filled < TypedArrayPrototypeGetLength(pullInto.bytes)) {
      const head = controller.queue[0];
      const room = TypedArrayPrototypeGetLength(pullInto.bytes) - pullInto.filled;
      const size = TypedArrayPrototypeGetLength(head);
      const part = P.MathMin(room, size);
      TypedArrayPrototypeSet(pullInto.bytes, TypedArrayPrototypeSubarray(head, 0, part), pullInto.filled);
      pullInto.filled += part;
      controller.total -= part;
      if (part === size) ArrayPrototypeShift(controller.queue);
      else controller.queue[0] = TypedArrayPrototypeSubarray(head, part);
    }
    return pullInto.filled >= pullInto.least;
  };
  const serve = (controller) => {
    while (controller.pullIntos.length > 0 && controller.total > 0 && fill(controller, controller.pullIntos[0])) settle(controller);
    while (controller.total > 0 && controller.stream.reader?.requests.length > 0) {
      const chunk = ArrayPrototypeShift(controller.queue);
      controller.total -= TypedArrayPrototypeGetLength(chunk);
      ArrayPrototypeShift(controller.stream.reader.requests).chunk(chunk);
    }
  };
  const settle = (controller) => {
    const pullInto = ArrayPrototypeShift(controller.pullIntos);
    controller.byobRequest = undefined;
    pullInto.request.chunk(viewOf(pullInto));
  };
  const enqueue = (controller, bytes) => {
    controller.byobRequest = undefined;
    push(controller.queue, bytes);
    controller.total += TypedArrayPrototypeGetLength(bytes);
    serve(controller);
    callPull(controller);
  };
  const close = (controller) => {
    controller.closing = true;
    if (controller.total > 0) return;
    const pullIntos = controller.pullIntos;
    controller.pullIntos = list();
    closeStream(controller.stream);
    for (let i = 0; i < pullIntos.length; i++) {
      if (pullIntos[i].filled > 0) pullIntos[i].request.chunk(viewOf(pullIntos[i]));
      else pullIntos[i].request.close(viewOf(pullIntos[i]));
    }
  };

  const makeController = (stream, { pull, cancel }, mark, autoAllocate) => {
    const self = {
      __proto__: null, stream, bytes: true, queue: list(), total: 0, mark, started: false, pulling: false, again: false, closing: false, object: undefined,
      pullIntos: list(), byobRequest: undefined,
      pull(request) {
        if (self.total > 0) {
          const chunk = ArrayPrototypeShift(self.queue);
          self.total -= TypedArrayPrototypeGetLength(chunk);
          afterRead(self);
          request.chunk(chunk);
          return;
        }
        if (autoAllocate !== undefined) {
          const bytes = new Uint8Array(+autoAllocate);
          push(self.pullIntos, { __proto__: null, bytes, filled: 0, least: 1, shape: { __proto__: null, name: 'Uint8Array', element: 1 }, request });
        } else {
          push(stream.reader.requests, request);
        }
        callPull(self);
      },
      cancel(reason) {
        self.queue = list();
        self.total = 0;
        const pullIntos = self.pullIntos;
        self.pullIntos = list();
        for (let i = 0; i < pullIntos.length; i++) pullIntos[i].request.close(undefined);
        return attempt(cancel, reason);
      },
      release: () => self.refuse(releasedError()),
      // Ends the reads into a reader's memory.
      refuse(reason) {
        const pullIntos = self.pullIntos;
        self.pullIntos = list();
        for (let i = 0; i < pullIntos.length; i++) pullIntos[i].request.error(reason);
      },
      wantsMore: (controller) => controller.started && !controller.closing && stream.state === 'readable' &&
        (controller.pullIntos.length > 0 || stream.reader?.requests.length > 0 || desired(controller) > 0),
      source: () => attempt(pull, self.object),
    };
    return attach(self);
  };
  const afterRead = (controller) => {
    if (controller.closing && controller.total === 0) closeStream(controller.stream);
    else callPull(controller);
  };
  const readInto = (controller, view, least, request) => {
    const name = P.TypedArrayPrototypeGetTag(view);
    const element = name === undefined ? 1 : P[name].BYTES_PER_ELEMENT;
    const pullInto = { __proto__: null, bytes: takeOver(view), filled: 0, least: least * element, shape: { __proto__: null, name, element }, request };
    const { stream } = controller;
    stream.disturbed = true;
    if (stream.state === 'errored') return request.error(stream.stored);
    if (stream.state === 'closed') return request.close(viewOf(pullInto));
    if (controller.total > 0 && fill(controller, pullInto)) {
      afterRead(controller);
      return request.chunk(viewOf(pullInto));
    }
    push(controller.pullIntos, pullInto);
    if (controller.closing) close(controller);
    else callPull(controller);
    return undefined;
  };

  // A stream of our own making, as 60_readable_stream has them: source is {start, pull, cancel}, and mark counts bytes.
  const createStream = (source, mark) => {
    const stream = readable.newStream();
    const controller = makeController(readable.stateOf(stream), { __proto__: null, pull: source.pull, cancel: source.cancel }, mark, undefined);
    readable.begin(controller, source.start && (() => source.start(controller)));
    return stream;
  };
  // Fails such a stream, of which its reader hears before those who read.
  const end = (controller, reason) => {
    readable.errorStream(controller.stream, reason);
    fail(controller, reason);
  };

  let attach;      // gives a controller state its public object
  let makeRequest; // the byobRequest of a pull-into

  class ControllerImplementation {
    #controller;

    static {
      attach = (controller) => {
        const object = new ControllerImplementation();
        object.#controller = controller;
        controller.object = object;
        return controller;
      };
    }

    get byobRequest() {
      #controller in receiver(this) || illegal();
      const controller = this.#controller;
      if (controller.pullIntos.length === 0) return null;
      return (controller.byobRequest ??= makeRequest(controller, controller.pullIntos[0]));
    }
    get desiredSize() { #controller in receiver(this) || illegal(); return desired(this.#controller); }
    close() {
      #controller in receiver(this) || illegal();
      if (!open(this.#controller)) throw new TypeError('Unable to close: the stream is closed or closing.');
      close(this.#controller);
    }
    enqueue(chunk) {
      #controller in receiver(this) || illegal();
      const bytes = bytesOf(chunk);
      if (bytes === undefined) throw wrong('enqueue', 'ReadableByteStreamController', 1, 'ArrayBuffer or ArrayBufferView');
      if (!open(this.#controller)) throw new TypeError('Unable to enqueue');
      if (TypedArrayPrototypeGetLength(bytes) === 0) throw new TypeError('Cannot enqueue a zero-length ArrayBuffer.');
      enqueue(this.#controller, takeOver(chunk));
    }
    error(reason = undefined) { #controller in receiver(this) || illegal(); fail(this.#controller, reason); }
  }

  class RequestImplementation {
    #controller;
    #pullInto;

    static {
      makeRequest = (controller, pullInto) => {
        const request = new RequestImplementation();
        request.#controller = controller;
        request.#pullInto = pullInto;
        return request;
      };
    }

    #valid() { return this.#controller.byobRequest === this; }

    get view() {
      #controller in receiver(this) || illegal();
      return this.#valid() ? TypedArrayPrototypeSubarray(this.#pullInto.bytes, this.#pullInto.filled) : null;
    }
    get atLeast() { #controller in receiver(this) || illegal(); return this.#valid() ? P.MathMax(1, this.#pullInto.least - this.#pullInto.filled) : null; }

    respond(written) {
      #controller in receiver(this) || illegal();
      missing(arguments.length, 'respond', 'ReadableStreamBYOBRequest', ['number']);
      if (!this.#valid()) throw new TypeError('This ReadableStreamBYOBRequest has been invalidated.');
      const room = TypedArrayPrototypeGetLength(this.#pullInto.bytes) - this.#pullInto.filled;
      const count = P.MathTrunc(+written) || 0;
      if (count < 0 || count > room) throw new RangeError('Too many bytes written.');
      this.#advance(count);
    }

    respondWithNewView(view) {
      #controller in receiver(this) || illegal();
      missing(arguments.length, 'respondWithNewView', 'ReadableStreamBYOBRequest', ['ArrayBufferView']);
      if (!this.#valid()) throw new TypeError('This ReadableStreamBYOBRequest has been invalidated.');
      const bytes = takeOver(view);
      const rest = TypedArrayPrototypeSubarray(this.#pullInto.bytes, this.#pullInto.filled);
      if (TypedArrayPrototypeGetLength(bytes) > TypedArrayPrototypeGetLength(rest)) throw new RangeError('Too many bytes written.');
      if (TypedArrayPrototypeGetLength(rest) > 0) TypedArrayPrototypeSet(rest, bytes);
      else this.#pullInto.bytes = bytes;
      this.#advance(TypedArrayPrototypeGetLength(bytes));
    }

    #advance(count) {
      const controller = this.#controller;
      controller.byobRequest = undefined;
      if (controller.stream.state !== 'readable') return;
      this.#pullInto.filled += count;
      if (count > 0 && this.#pullInto.filled >= this.#pullInto.least && controller.pullIntos[0] === this.#pullInto) settle(controller);
      if (controller.closing) close(controller);
      else callPull(controller);
    }
  }

  class ReaderImplementation {
    #reader;

    constructor(stream) {
      const state = readable.stateOf(stream);
      if (state === undefined) throw new TypeError("Failed to construct 'ReadableStreamBYOBReader': constructor parameter 1 is not of type 'ReadableStream'.");
      if (state.controller.bytes !== true) throw new TypeError('This ReadableStream does not support BYOB reads.');
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
    // least counts the view's elements, as min does, or bytes.
    #read(view, least, unit) {
      if (this.#reader.stream === undefined) throw releasedError();
      const size = TypedArrayPrototypeGetLength(bytesOf(view));
      if (size === 0) throw new TypeError('You must call read() on a "byob" reader with a positive-sized TypedArray object.');
      if (least === 0) throw new TypeError('Requested invalid minimum number of bytes to read (0).');
      if (least < 0 || least * unit > size) throw new TypeError(`Minimum bytes to read (${least < 0 ? '18446744073709551615' : least * unit}) exceeds size of buffer (${size}).`);
      return newPromise((resolve, reject) => readInto(this.#reader.stream.controller, view, least, {
        __proto__: null,
        chunk: (value) => resolve({ value, done: false }),
        close: (value) => resolve({ value, done: true }),
        error: reject,
      }));
    }
    read(view, options = undefined) {
      try {
        #reader in receiver(this) || illegal();
        if (!P.ArrayBufferIsView(view)) throw wrong('read', 'ReadableStreamBYOBReader', 1, 'ArrayBufferView');
        if (options !== undefined && options !== null && !isObject(options)) throw wrong('read', 'ReadableStreamBYOBReader', 2, 'ReadableStreamBYOBReaderReadOptions');
        return this.#read(view, P.MathTrunc(+(options?.min ?? 1)) || 0, P.TypedArrayPrototypeGetTag(view) === undefined ? 1 : view.BYTES_PER_ELEMENT);
      } catch (error) {
        return PromiseReject(error);
      }
    }
    readAtLeast(least, view) {
      try {
        #reader in receiver(this) || illegal();
        missing(arguments.length, 'readAtLeast', 'ReadableStreamBYOBReader', ['integer', 'ArrayBufferView']);
        if (!P.ArrayBufferIsView(view)) throw wrong('readAtLeast', 'ReadableStreamBYOBReader', 2, 'ArrayBufferView');
        return this.#read(view, P.MathTrunc(+least) || 0, 1);
      } catch (error) {
        return PromiseReject(error);
      }
    }
    releaseLock() { #reader in receiver(this) || illegal(); release(this.#reader); }
  }

  const newReader = (stream) => new ReaderImplementation(stream);
  host.define('ReadableStreamBYOBReader', expose('ReadableStreamBYOBReader', ReaderImplementation, { required: ['ReadableStream'] }), { enumerable: true });
  host.define('ReadableByteStreamController', expose('ReadableByteStreamController', ControllerImplementation, { constructible: false }), { enumerable: true });
  host.define('ReadableStreamBYOBRequest', expose('ReadableStreamBYOBRequest', RequestImplementation, { constructible: false }), { enumerable: true });
  return { __proto__: null, makeController, enqueue, close, newReader, createStream, end };
})
