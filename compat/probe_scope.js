// Refuses in the bodies of modules what the reference refuses there, and stops their clocks. The modules say themselves
// when they begin and end.
(namespaces, program) => {
  const refusal =
    'Disallowed operation called within global scope. Asynchronous I/O (ex: fetch() or connect()), setting a timeout, and ' +
    'generating random values are not allowed within global scope. To fix this error, perform this operation within a ' +
    'handler. https://developers.cloudflare.com/workers/runtime-apis/handlers/';
  let depth = 0;
  globalThis.moduleBody = (by) => { depth += by; };
  const within = (holder, key, instead) => {
    const original = holder[key];
    const value = function (...args) { return depth > 0 ? instead() : Reflect.apply(original, this, args); };
    Object.defineProperty(holder, key, { value, writable: true, configurable: true });
  };
  const fails = () => { throw new Error(refusal); };
  const rejects = async () => fails();
  for (const name of ['setTimeout', 'setInterval', 'setImmediate']) within(globalThis, name, fails);
  for (const name of ['randomUUID', 'getRandomValues']) within(crypto, name, fails);
  for (const name of ['generateKey']) within(crypto.subtle, name, rejects);
  within(globalThis, 'fetch', rejects);
  within(AbortSignal, 'timeout', fails);
  within(globalThis.caches.default, 'match', rejects);
  for (const name of ['text', 'json', 'arrayBuffer', 'blob', 'formData', 'bytes']) within(Response.prototype, name, rejects);
  const { WebSocket, queueMicrotask } = globalThis;
  globalThis.WebSocket = class extends WebSocket {
    constructor(...args) {
      if (depth > 0) fails();
      super(...args);
    }
  };
  // What a body has queued counts as part of it.
  globalThis.queueMicrotask = (callback) => {
    if (depth === 0) return queueMicrotask(callback);
    depth++;
    return queueMicrotask(() => {
      try {
        callback();
      } finally {
        depth--;
      }
    });
  };
  const refusing = (namespace) => new Proxy(namespace, { get: (target, key) => (depth > 0 ? rejects : target[key]) });
  within(Date, 'now', () => 0);
  within(performance, 'now', () => 0);
  return program(Object.fromEntries(Object.entries(namespaces).map(([name, namespace]) => [name, refusing(namespace)])));
}
