// A small stand-in for the worker's boot script, for the tests of this platform only.
(function (native, compile, outbound, mode, table) {
  'use strict';
  const encode = (value) => {
    if (value === undefined || value === null) return 'n';
    if (typeof value === 'string') return 's' + value;
    if (typeof value === 'number') return 'f' + value;
    if (typeof value === 'boolean') return value ? 't' : 'u';
    let text = 'b';
    for (let i = 0; i < value.length; i += 8192) text += fromCharCode.apply(null, value.subarray(i, i + 8192));
    return text;
  };
  const decode = (text) => {
    const rest = slice.call(text, 1);
    switch (text[0]) {
      case 's': return rest;
      case 'f': return +rest;
      case 't': return true;
      case 'u': return false;
      case 'b': {
        const bytes = new Bytes(rest.length);
        for (let i = 0; i < rest.length; i++) bytes[i] = codeAt(rest, i);
        return bytes;
      }
    }
    return undefined;
  };
  const { fromCharCode } = String;
  const { slice, charCodeAt } = String.prototype;
  const codeAt = Function.prototype.call.bind(charCodeAt);
  const bind = Function.prototype.bind;
  slice.call = Function.prototype.call;
  const Bytes = Uint8Array;
  const { define: defineOwn } = { define: Object.defineProperty };
  const errors = { __proto__: null, TypeError, RangeError, Error, SyntaxError };
  void bind;

  const host = { __proto__: null, ops: { __proto__: null }, outboundMode: mode, timeOrigin: 1700000000000 };
  const loaded = { __proto__: null };
  let clock = 0;
  const timers = [];
  let lastTimer = 0;
  host.setTimeout = (fn, delay = 0) => {
    const id = ++lastTimer;
    timers[timers.length] = { id, at: clock + Math.max(0, +delay || 0), fn };
    return id;
  };
  host.clearTimeout = (id) => { for (const t of timers) if (t.id === id) t.fn = undefined; };
  host.queueMicrotask = (fn) => { then.call(resolved, () => fn()); };
  const resolved = Promise.resolve();
  const then = Promise.prototype.then;
  then.call = Function.prototype.call;
  host.now = () => clock;
  host.define = (name, value, options) => {
    if (table[name] === 'replaced') return;
    table[name] = 'replaced';
    defineOwn(globalThis, name, { __proto__: null, value, writable: true, enumerable: !!options?.enumerable, configurable: true });
  };
  host.load = (name) => {
    if (!(name in loaded)) {
      const result = compile(name)(host);
      loaded[name] = result;
      if (name === '00_primordials') host.primordials = result;
    }
    return loaded[name];
  };
  if (mode === 'open') {
    host.outbound = (init) => new Promise((resolve, reject) => {
      const text = outbound(JSON.stringify({ ...init, body: init.body ? encode(init.body).slice(1) : null }));
      const answer = JSON.parse(text);
      if (answer.error) reject(new Error(answer.error));
      else resolve({ ...answer, body: decode('b' + (answer.body ?? '')) });
    });
  }
  for (const name of native('names').split(' ')) {
    host.ops[name] = (...args) => {
      const parts = [];
      for (let i = 0; i < args.length; i++) parts[i] = encode(args[i]);
      const answer = native(name, ...parts);
      if (answer[0] !== '!') return decode(answer);
      const at = answer.indexOf('\n');
      const kind = answer.slice(1, at);
      const Class = errors[kind];
      if (Class) throw new Class(answer.slice(at + 1));
      throw new (host.load('12_domexception').DOMException)(answer.slice(at + 1), kind);
    };
  }
  const scripts = JSON.parse(native('scripts'));
  for (const { name, globals } of scripts) {
    if (!globals) {
      if (/^\d/.test(name)) host.load(name);
      continue;
    }
    for (const key of globals) {
      defineOwn(globalThis, key, {
        __proto__: null, configurable: true, enumerable: false,
        get() { host.load(name); return globalThis[key]; },
        set(value) { table[key] = 'replaced'; defineOwn(globalThis, key, { __proto__: null, value, writable: true, configurable: true }); },
      });
    }
  }
  // One turn of the loop: runs the next due timer; false when there is none.
  return () => {
    let next = -1;
    for (let i = 0; i < timers.length; i++) if (timers[i].fn && (next < 0 || timers[i].at < timers[next].at)) next = i;
    if (next < 0) return false;
    const { fn, at } = timers[next];
    timers[next].fn = undefined;
    clock = Math.max(clock, at);
    fn();
    return true;
  };
})
