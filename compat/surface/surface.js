// Reads what a program can see: every global and what is reachable from it, the instances that have members of their own,
// and the built-in modules. Logs a line of JSON for each member, [path, description]. It runs in the reference's sandbox
// and in ours, so it asks for nothing that only one of them has.
async () => {
  const log = console.log;
  const stringify = JSON.stringify;
  const line = (path, text) => log(stringify([path, text]));
  const attempt = (f) => {
    try {
      return f();
    } catch (e) {
      return `${e.name}: ${e.message}`;
    }
  };

  // What stands here is recorded, but not what is below it: it says how the runtime is configured.
  const closed = ['Cloudflare.compatibilityFlags', 'process.env', 'process.config', 'process.features', 'process.versions', 'process.release'];
  // The values of these differ from run to run.
  const volatile = /^(process|performance|navigator)\b/;

  const isObject = (v) => (typeof v === 'object' && v !== null) || typeof v === 'function';
  const join = (path, key) => {
    if (typeof key === 'symbol') return `${path}[${key.description}]`;
    return path === '' ? key : `${path}.${key}`;
  };

  function describeValue(path, v) {
    switch (typeof v) {
      case 'function': return `function(${v.length})`;
      case 'object': return v === null ? 'null' : attempt(() => Object.prototype.toString.call(v));
      case 'string': return volatile.test(path) || v.length > 60 ? 'string' : stringify(v);
      case 'number': return volatile.test(path) ? 'number' : String(v);
      case 'undefined': case 'boolean': return String(v);
    }
    return `${typeof v} ${String(v)}`;
  }

  function describe(path, d) {
    const on = (flag, letter) => (d[flag] ? letter : '-');
    const tail = on('enumerable', 'e') + on('configurable', 'c');
    if (d.get || d.set) return `accessor ${d.get ? 'get' : ''}${d.set ? 'set' : ''} ${tail}`;
    return `${describeValue(path, d.value)} ${on('writable', 'w')}${tail}`;
  }

  const seen = new Set();
  const queue = [];
  function visit(path, object) {
    if (!isObject(object) || seen.has(object) || closed.includes(path)) return;
    seen.add(object);
    queue.push([path, object]);
  }

  // Members that say nothing about what a program can do: symbols of the runtime's own, what every function has, and the
  // prototype of a function that is no constructor.
  function isDetail(path, object, key) {
    if (typeof key === 'symbol') return !key.description.startsWith('Symbol.');
    if (typeof object !== 'function') return false;
    return ['length', 'name', 'arguments', 'caller'].includes(key) || (key === 'prototype' && !isConstructor.test(path));
  }
  const isConstructor = /(^|\.)[A-Z]\w*$/;

  // The global object's members count as globals whether they are its own or its prototypes'.
  const isGlobal = new Set();
  for (let o = globalThis; o && o !== Object.prototype; o = Object.getPrototypeOf(o)) isGlobal.add(o);

  function members(path, object) {
    for (const key of Reflect.ownKeys(object)) {
      if (isDetail(path, object, key)) continue;
      const isName = isGlobal.has(object) && typeof key === 'string' && key !== 'constructor';
      const inner = join(isName ? '' : path, key);
      const d = Object.getOwnPropertyDescriptor(object, key);
      line(inner, describe(inner, d));
      if (key !== 'constructor') visit(inner, d.get && isGlobal.has(object) ? attempt(() => globalThis[key]) : d.value);
    }
    const parent = Object.getPrototypeOf(object);
    if (parent !== null && parent !== Object.prototype && parent !== Function.prototype) {
      const named = parent === globalThis.EventTarget ? 'EventTarget' : attempt(() => (typeof parent === 'function' ? parent.name : parent.constructor.name));
      line(`${path}.[[Prototype]]`, String(named));
      visit(`${path}.[[Prototype]]`, parent);
    }
  }

  const all = [...isGlobal];
  for (const o of all) seen.add(o);
  all.forEach((o, depth) => members(depth === 0 ? 'globalThis' : `globalThis${'.[[Prototype]]'.repeat(depth)}`, o));
  while (queue.length > 0) {
    const [path, object] = queue.shift();
    members(path, object);
    if (typeof object === 'function' && isConstructor.test(path) && object.prototype) {
      line(`new ${path}()`, attempt(() => (new object(), 'ok')));
      line(`${path}()`, attempt(() => (object(), 'ok')));
    }
  }

  // Members that only an instance has.
  const { Blob, FormData, MessageEvent, DOMException, ReadableStream, setImmediate } = globalThis;
  const instances = {
    Request: () => new Request('https://x.y/'), Response: () => new Response('x'), Headers: () => new Headers(), URL: () => new URL('https://x.y/'),
    Blob: () => new Blob([]), FormData: () => new FormData(), AbortController: () => new AbortController(), Event: () => new Event('x'),
    MessageEvent: () => new MessageEvent('x', { data: 1 }), TextDecoder: () => new TextDecoder(), DOMException: () => new DOMException('m', 'AbortError'),
    ReadableStream: () => new ReadableStream(), Error: () => new Error('x'), AggregateError: () => new AggregateError([]), timeout: () => setTimeout(() => {}, 0), immediate: () => setImmediate(() => {}),
  };
  for (const [name, make] of Object.entries(instances)) {
    const instance = attempt(make);
    line(`instance of ${name}`, isObject(instance) ? attempt(() => Object.prototype.toString.call(instance)) : typeof instance);
    if (isObject(instance)) members(`instance of ${name}`, instance);
  }

  const modules = {
    node: 'assert assert/strict async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns dns/promises domain events fs fs/promises http http2 https inspector module net os path path/posix path/win32 perf_hooks process punycode querystring readline repl sqlite stream stream/consumers stream/promises stream/web string_decoder sys test timers timers/promises tls trace_events tty url util util/types v8 vm wasi worker_threads zlib',
    cloudflare: 'workers sockets email workflows node pipelines vectorize tracing internal',
  };
  for (const [scheme, names] of Object.entries(modules)) {
    for (const name of names.split(' ')) {
      const specifier = `${scheme}:${name}`;
      let module;
      try {
        module = await import(specifier);
      } catch (e) {
        line(specifier, e.message);
        continue;
      }
      line(specifier, 'module');
      for (const key of Object.keys(module).sort()) line(`${specifier} ${key}`, typeof module[key]);
    }
  }
}
