// TransformStream, and the byte-only IdentityTransformStream and FixedLengthStream of workerd.
// Globals: TransformStream TransformStreamDefaultController IdentityTransformStream FixedLengthStream
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, withResolvers, then } = P;
  const { expose, receiver, illegal, isObject, usvString, bytesOf, lengthOf, copyOf } = host.load('idl');
  const { strategyOf, methodOf, attempt } = host.load('59_queuing_strategy');
  const readables = host.load('60_readable_stream');
  const writables = host.load('62_writable_stream');

  // ---- the machinery, over a state {readable, writable, source, side, change, backpressure, started, finish}

  // What a readable side is made of: of values, or of bytes.
  const valueSide = { __proto__: null, createStream: readables.createStream, enqueue: readables.enqueue, close: readables.close, fail: readables.fail };
  const byteSide = () => {
    const { createStream, enqueue: give, close, end } = host.load('61_byte_stream');
    return { __proto__: null, createStream, enqueue: give, close, fail: end };
  };

  const setBackpressure = (state, backpressure) => {
    state.change?.resolve();
    state.change = withResolvers();
    state.backpressure = backpressure;
  };
  const errorBoth = (state, reason) => {
    state.side.fail(state.source, reason);
    errorWritable(state, reason);
  };
  const errorWritable = (state, reason) => {
    writables.errorIfWritable(writables.stateOf(state.writable), reason);
    if (state.backpressure) setBackpressure(state, false);
  };
  const enqueue = (state, chunk) => {
    if (!readables.open(state.source)) throw new TypeError('Readable side is not in a state that permits enqueue');
    try {
      state.side.enqueue(state.source, chunk);
    } catch (error) {
      errorWritable(state, error);
      throw readables.stateOf(state.readable).stored;
    }
    const backpressure = readables.desired(state.source) <= 0;
    if (backpressure !== state.backpressure) setBackpressure(state, true);
  };
  const terminate = (state) => {
    if (readables.open(state.source)) state.side.close(state.source);
    errorWritable(state, new TypeError('The transform stream has been terminated'));
  };

  // Makes both sides. methods is {start, transform, flush, cancel}, each optional, called with the controller.
  const build = (methods, writableStrategy, readableStrategy, side) => {
    const state = { __proto__: null, readable: undefined, writable: undefined, source: undefined, side, change: undefined, backpressure: undefined, controller: undefined, finish: undefined };
    const started = withResolvers();
    const transform = (chunk) => {
      const run = methods.transform === undefined ? attempt(() => enqueue(state, chunk)) : attempt(methods.transform, chunk, state.controller);
      return then(run, undefined, (error) => {
        errorBoth(state, error);
        throw error;
      });
    };
    const write = (chunk) => {
      if (!state.backpressure) return transform(chunk);
      return then(state.change.promise, () => {
        const writable = writables.stateOf(state.writable);
        if (writable.state === 'erroring') throw writable.stored;
        return transform(chunk);
      });
    };
    const close = () => {
      if (state.finish !== undefined) return state.finish;
      const readable = readables.stateOf(state.readable);
      return (state.finish = then(attempt(methods.flush, state.controller), () => {
        if (readable.state === 'errored') throw readable.stored;
        if (readables.open(state.source)) state.side.close(state.source);
      }, (error) => {
        state.side.fail(state.source, error);
        throw error;
      }));
    };
    const abort = (reason) => {
      if (state.finish !== undefined) return state.finish;
      const readable = readables.stateOf(state.readable);
      return (state.finish = then(attempt(methods.cancel, reason), () => {
        if (readable.state === 'errored') throw readable.stored;
        state.side.fail(state.source, reason);
      }, (error) => {
        state.side.fail(state.source, error);
        throw error;
      }));
    };
    const cancel = (reason) => {
      if (state.finish !== undefined) return state.finish;
      const writable = writables.stateOf(state.writable);
      return (state.finish = then(attempt(methods.cancel, reason), () => {
        if (writable.state === 'errored') throw writable.stored;
        errorWritable(state, reason);
      }, (error) => {
        errorWritable(state, error);
        throw error;
      }));
    };
    state.writable = writables.createStream({ __proto__: null, start: () => started.promise, write, close, abort }, writableStrategy.mark, writableStrategy.size);
    state.readable = side.createStream({
      __proto__: null,
      start: (source) => {
        state.source = source;
        return started.promise;
      },
      pull: () => {
        setBackpressure(state, false);
        return state.change.promise;
      },
      cancel,
    }, readableStrategy.mark, readableStrategy.size);
    setBackpressure(state, true);
    state.begin = () => started.resolve(methods.start?.(state.controller));
    return state;
  };

  // roomOf(controller) is undefined, or a promise for the time when the reader wants more.
  let makeController, roomOf;
  class ControllerImplementation {
    #state;
    static {
      makeController = (state) => {
        const controller = new ControllerImplementation();
        controller.#state = state;
        return controller;
      };
      roomOf = (controller) => (controller.#state.backpressure ? controller.#state.change.promise : undefined);
    }
    get desiredSize() { #state in receiver(this) || illegal(); return readables.desired(this.#state.source); }
    enqueue(chunk = undefined) { #state in receiver(this) || illegal(); enqueue(this.#state, chunk); }
    error(reason = undefined) { #state in receiver(this) || illegal(); errorBoth(this.#state, reason); }
    terminate() { #state in receiver(this) || illegal(); terminate(this.#state); }
  }

  // BYTES as the last argument, which no program has, makes the readable side a byte stream.
  const BYTES = { __proto__: null };
  class Implementation {
    #state;

    constructor(transformer = undefined, writableStrategy = undefined, readableStrategy = undefined, kind = undefined) {
      if (transformer === undefined || transformer === null) transformer = { __proto__: null };
      if (!isObject(transformer)) throw new TypeError("Failed to construct 'TransformStream': constructor parameter 1 is not of type 'Transformer'.");
      const method = (key) => methodOf(transformer, key, 'Transformer');
      const methods = { __proto__: null, start: method('start'), transform: method('transform'), flush: method('flush'), cancel: method('cancel') };
      this.#state = build(methods, strategyOf(writableStrategy, 1, 'TransformStream'), strategyOf(readableStrategy, 0, 'TransformStream', 3), kind === BYTES ? byteSide() : valueSide);
      this.#state.controller = makeController(this.#state);
      this.#state.begin();
    }

    get readable() { #state in receiver(this) || illegal(); return this.#state.readable; }
    get writable() { #state in receiver(this) || illegal(); return this.#state.writable; }
  }

  // Bytes in, the same bytes out.
  const bytesFrom = (chunk) => {
    const bytes = typeof chunk === 'string' ? host.load('16_encoding').encode(usvString(chunk)) : bytesOf(chunk);
    if (bytes === undefined) {
      throw new TypeError('This TransformStream is being used as a byte stream, but received an object of non-ArrayBuffer/ArrayBufferView type on its writable side.');
    }
    return bytes;
  };
  const private_ = { __proto__: null };
  class IdentityImplementation extends Implementation {
    constructor(key = undefined, transformer = undefined) {
      super(key === private_ ? transformer : { __proto__: null, transform: (chunk, controller) => passBytes(controller, copyOf(bytesFrom(chunk))) }, undefined, undefined, BYTES);
    }
  }
  class FixedLengthImplementation extends IdentityImplementation {
    constructor(length) {
      const expected = +length;
      if (!(expected >= 0) || expected !== P.MathFloor(expected)) throw new TypeError('The expected length of a FixedLengthStream must be a whole number that is not negative.');
      let seen = 0;
      super(private_, {
        __proto__: null,
        transform: (chunk, controller) => {
          const bytes = copyOf(bytesFrom(chunk));
          seen += lengthOf(bytes);
          if (seen > expected) throw new TypeError('Attempt to write too many bytes through a FixedLengthStream.');
          passBytes(controller, bytes);
        },
        flush: () => {
          if (seen < expected) throw new TypeError('FixedLengthStream did not see all expected bytes before close().');
        },
      });
    }
  }
  const pass = P.uncurryThis(ControllerImplementation.prototype.enqueue);
  // A byte stream must not be given nothing: no read would end with it.
  const passBytes = (controller, bytes) => { if (lengthOf(bytes) > 0) pass(controller, bytes); };

  host.define('TransformStream', expose('TransformStream', Implementation), { enumerable: true });
  host.define('TransformStreamDefaultController', expose('TransformStreamDefaultController', ControllerImplementation, { constructible: false }), { enumerable: true });
  host.define('IdentityTransformStream', expose('IdentityTransformStream', IdentityImplementation), { enumerable: true });
  host.define('FixedLengthStream', expose('FixedLengthStream', FixedLengthImplementation, { required: ['bigint'] }), { enumerable: true });
  return { __proto__: null, TransformStream: Implementation, BYTES, enqueue: pass, roomOf };
})
