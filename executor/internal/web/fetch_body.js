// Bodies of fetch on their way: the sources that host.outbound takes and gives, as streams. A source is {pull, cancel}:
// pull() is a promise of the next Uint8Array, and of undefined at the end.
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, newPromise, then } = P;
  const { bytesOf } = host.load('idl');
  const { acquire, read, cancelStream, newStream, begin, fail, stateOf } = host.load('60_readable_stream');

  const noop = () => {};
  // What is read of a stream, which is locked from then on.
  const sourceOf = (object) => {
    const reader = acquire(stateOf(object));
    const cancel = (reason) => { then(cancelStream(reader.stream, reason), undefined, noop); };
    const pull = () => newPromise((resolve, reject) => read(reader, {
      __proto__: null,
      chunk: (value) => {
        const bytes = bytesOf(value);
        if (bytes !== undefined) {
          resolve(bytes);
          return;
        }
        const error = new TypeError('This ReadableStream did not return bytes.');
        cancel(error);
        reject(error);
      },
      close: () => resolve(undefined),
      error: reject,
    }));
    return { __proto__: null, pull, cancel };
  };

  // A byte stream that pulls when it is read, and not before.
  const streamOfSource = (source) => {
    const stream = newStream();
    const { makeController, enqueue, close } = host.load('61_byte_stream');
    const state = stateOf(stream);
    let controller;
    const pull = () => then(source.pull(), (bytes) => {
      if (bytes !== undefined) enqueue(controller, bytes);
      else if (state.state === 'readable') close(controller);
    }, (error) => fail(controller, error));
    controller = makeController(state, { __proto__: null, pull, cancel: source.cancel }, 0, undefined);
    begin(controller, noop);
    return stream;
  };
  return { __proto__: null, sourceOf, streamOfSource };
})
