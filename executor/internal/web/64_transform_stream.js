// TransformStream, and the byte-only IdentityTransformStream and FixedLengthStream of workerd.
// Globals: TransformStream TransformStreamDefaultController IdentityTransformStream FixedLengthStream
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, withResolvers, then } = P;
  const { expose, receiver, illegal, isObject, bytesOf, lengthOf, copyOf } = host.load('idl');
  const { strategyOf, methodOf, attempt } = host.load('59_queuing_strategy');
  const readables = host.load('60_readable_stream');
  const writables = host.load('62_writable_stream');

  // ---- the machinery, over a state {readable, writable, source, change, backpressure, started, finish}

  const setBackpressure = (state, backpressure) => {
    state.change?.resolve();
    state.change = withResolvers();
    state.backpressure = backpressure;
  };
  const errorBoth = (state, reason) => {
    readables.fail(state.source, reason);
    errorWritable(state, reason);
  };
  const errorWritable = (state, reason) => {
    writables.errorIfWritable(writables.stateOf(state.writable), reason);
    if (state.backpressure) setBackpressure(state, false);
  };
  const enqueue = (state, chunk) => {
    if (!readables.open(state.source)) throw new TypeError('Readable side is not in a state that permits enqueue');
    try {
      readables.enqueue(state.source, chunk);
    } catch (error) {
      errorWritable(state, error);
      throw readables.stateOf(state.readable).stored;
    }
    const backpressure = readables.desired(state.source) <= 0;
    if (backpressure !== state.backpressure) setBackpressure(state, true);
  };
  const terminate = (state) => {
    if (readables.open(state.source)) readables.close(state.source);
    errorWritable(state, new TypeError('The transform stream has been terminated'));
  };

  // Makes both sides. methods is {start, transform, flush, cancel}, each optional, called with the controller.
  const build = (methods, writableStrategy, readableStrategy) => {
    const state = { __proto__: null, readable: undefined, writable: undefined, source: undefined, change: undefined, backpressure: undefined, controller: undefined, finish: undefined };
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
        if (readables.open(state.source)) readables.close(state.source);
      }, (error) => {
        readables.fail(state.source, error);
        throw error;
      }));
    };
    const abort = (reason) => {
      if (state.finish !== undefined) return state.finish;
      const readable = readables.stateOf(state.readable);
      return (state.finish = then(attempt(methods.cancel, reason), () => {
        if (readable.state === 'errored') throw readable.stored;
        readables.fail(state.source, reason);
      }, (error) => {
        readables.fail(state.source, error);
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
    state.readable = readables.createStream({
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

  class Implementation {
    #state;

    constructor(transformer = undefined, writableStrategy = undefined, readableStrategy = undefined) {
      if (transformer === undefined || transformer === null) transformer = { __proto__: null };
      if (!isObject(transformer)) throw new TypeError("Failed to construct 'TransformStream': constructor parameter 1 is not of type 'Transformer'.");
      const method = (key) => methodOf(transformer, key, 'Transformer');
      const methods = { __proto__: null, start: method('start'), transform: method('transform'), flush: method('flush'), cancel: method('cancel') };
      this.#state = build(methods, strategyOf(writableStrategy, 1, 'TransformStream'), strategyOf(readableStrategy, 0, 'TransformStream', 3));
      this.#state.controller = makeController(this.#state);
      this.#state.begin();
    }

    get readable() { #state in receiver(this) || illegal(); return this.#state.readable; }
    get writable() { #state in receiver(this) || illegal(); return this.#state.writable; }
  }

  // Bytes in, the same bytes out.
  const bytesFrom = (chunk) => {
    const bytes = bytesOf(chunk);
    if (bytes === undefined) {
      throw new TypeError('This TransformStream is being used as a byte stream, but received an object of non-ArrayBuffer/ArrayBufferView type on its writable side.');
    }
    return bytes;
  };
  const private_ = { __proto__: null };
  class IdentityImplementation extends Implementation {
    constructor(key = undefined, transformer = undefined) {
      super(key === private_ ? transformer : { __proto__: null, transform: (chunk, controller) => pass(controller, copyOf(bytesFrom(chunk))) });
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
          pass(controller, bytes);
        },
        flush: () => {
          if (seen < expected) throw new TypeError('FixedLengthStream did not see all expected bytes before close().');
        },
      });
    }
  }
  const pass = P.uncurryThis(ControllerImplementation.prototype.enqueue);

  host.define('TransformStream', expose('TransformStream', Implementation), { enumerable: true });
  host.define('TransformStreamDefaultController', expose('TransformStreamDefaultController', ControllerImplementation, { constructible: false }), { enumerable: true });
  host.define('IdentityTransformStream', expose('IdentityTransformStream', IdentityImplementation), { enumerable: true });
  host.define('FixedLengthStream', expose('FixedLengthStream', FixedLengthImplementation, { required: ['bigint'] }), { enumerable: true });
  return { __proto__: null, TransformStream: Implementation, enqueue: pass, roomOf };
})
