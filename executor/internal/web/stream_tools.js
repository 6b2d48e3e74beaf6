// What the platform does with readable streams as a whole: iterate, tee, read to the end, make one of bytes.
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, PromiseResolve, newPromise, withResolvers, then, list, push } = P;
  const { expose, receiver, illegal, bytesOf, copyOf, concat } = host.load('idl');
  const { acquire, release, read, readPromise, cancelStream, createStream, newStream, begin, enqueue, close, fail, open, stateOf } = host.load('60_readable_stream');

  const noop = () => {};
  let newIterator; // newIterator(reader, preventCancel)

  class IteratorImplementation {
    #reader;
    #preventCancel;
    #ongoing;
    #finished = false;

    static {
      newIterator = (reader, preventCancel) => {
        const iterator = new IteratorImplementation();
        iterator.#reader = reader;
        iterator.#preventCancel = preventCancel;
        return iterator;
      };
    }

    // Runs steps after those asked for before.
    #after(steps) {
      this.#ongoing = this.#ongoing === undefined ? steps() : then(this.#ongoing, steps, steps);
      return this.#ongoing;
    }

    next() {
      #reader in receiver(this) || illegal();
      return this.#after(() => {
        if (this.#finished) return PromiseResolve({ value: undefined, done: true });
        return then(readPromise(this.#reader), (result) => {
          if (result.done) this.#end();
          return result;
        }, (error) => {
          this.#end();
          throw error;
        });
      });
    }

    #end() {
      this.#finished = true;
      release(this.#reader);
    }

    return(value = undefined) {
      #reader in receiver(this) || illegal();
      return this.#after(() => {
        if (this.#finished) return PromiseResolve({ value, done: true });
        const cancelled = this.#preventCancel ? PromiseResolve(undefined) : cancelStream(this.#reader.stream, value);
        this.#end();
        return then(cancelled, () => ({ value, done: true }));
      });
    }
  }
  P.ObjectSetPrototypeOf(IteratorImplementation.prototype, P.AsyncIteratorPrototype);
  expose('ReadableStreamAsyncIterator', IteratorImplementation, { constructible: false });

  // Two streams with the chunks of one.
  const tee = (object) => {
    const stream = stateOf(object);
    const reader = acquire(stream);
    const bytes = stream.controller.bytes === true;
    // The branches of a byte stream are byte streams, and ask for nothing by themselves.
    const make = bytes ? host.load('61_byte_stream') : { __proto__: null, createStream, enqueue, close, end: fail };
    const cancelled = withResolvers();
    const branches = list();
    let reading = false;
    let again = false;
    const reasons = list();
    const gone = list();
    const controllers = list();
    const each = (work) => { for (let i = 0; i < 2; i++) if (!gone[i]) work(controllers[i], i); };
    const pull = () => {
      if (reading) {
        again = true;
        return;
      }
      reading = true;
      read(reader, {
        __proto__: null,
        chunk: (value) => P.then(PromiseResolve(undefined), () => {
          again = false;
          each((controller, i) => make.enqueue(controller, i === 1 && bytes ? copyOf(value) : value));
          reading = false;
          if (again) pull();
        }),
        close: () => {
          reading = false;
          each((controller) => open(controller) && make.close(controller));
          cancelled.resolve();
        },
        error: () => { reading = false; },
      });
    };
    for (let i = 0; i < 2; i++) {
      branches[i] = make.createStream({
        __proto__: null,
        start: (controller) => { controllers[i] = controller; },
        pull,
        cancel: (reason) => {
          gone[i] = true;
          reasons[i] = reason;
          if (gone[1 - i]) cancelled.resolve(cancelStream(stream, P.toArray(reasons)));
          return cancelled.promise;
        },
      }, bytes ? 0 : 1);
    }
    then(reader.closed.promise, undefined, (error) => {
      each((controller) => make.end(controller, error));
      if (!gone[0] || !gone[1]) cancelled.resolve();
    });
    return branches;
  };

  // All bytes of a stream, which stays locked.
  const readAll = (object) => newPromise((resolve, reject) => {
    const reader = acquire(stateOf(object));
    const chunks = list();
    const more = () => read(reader, {
      __proto__: null,
      chunk: (value) => {
        const bytes = bytesOf(value);
        if (bytes === undefined) {
          const error = new TypeError('This ReadableStream did not return bytes.');
          then(cancelStream(reader.stream, error), undefined, noop);
          reject(error);
          return;
        }
        push(chunks, bytes);
        then(PromiseResolve(undefined), more);
      },
      close: () => resolve(concat(chunks)),
      error: reject,
    });
    more();
  });
  const streamOfBytes = (bytes) => {
    const stream = newStream();
    const { makeController: makeByteController, enqueue: enqueueBytes, close: closeBytes } = host.load('61_byte_stream');
    const controller = makeByteController(stateOf(stream), { __proto__: null }, 0, undefined);
    begin(controller, () => {
      if (bytes !== undefined && P.TypedArrayPrototypeGetLength(bytes) > 0) enqueueBytes(controller, bytes);
      closeBytes(controller);
    });
    return stream;
  };
  return { __proto__: null, newIterator, tee, readAll, streamOfBytes };
})
