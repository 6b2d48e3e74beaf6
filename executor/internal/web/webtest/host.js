// A small stand-in for the worker's boot script, for the tests of this platform only.
(function (native, compile, outbound, mode) {
  'use strict';
  const table = { __proto__: null };
  const P = compile('00_primordials')();
  P.distrust();
  const host = { __proto__: null, primordials: P, ops: { __proto__: null }, outboundMode: mode, timeOrigin: 1700000000000 };
  const loaded = { __proto__: null, '00_primordials': P };
  const Bytes = P.Uint8Array;

  // ---- values to and from Go, as strings: a letter for the type, then the value
  const encode = (value) => {
    if (value === undefined || value === null) return 'n';
    if (typeof value === 'string') return `s${value}`;
    if (typeof value === 'number') return `f${value}`;
    if (typeof value === 'boolean') return value ? 't' : 'u';
    let text = 'b';
    const length = P.TypedArrayPrototypeGetLength(value);
    for (let i = 0; i < length; i += 8192) text += P.ReflectApply(P.StringFromCharCode, null, P.TypedArrayPrototypeSubarray(value, i, i + 8192));
    return text;
  };
  const decode = (text) => {
    const rest = P.StringPrototypeSlice(text, 1);
    switch (text[0]) {
      case 's': return rest;
      case 'f': return +rest;
      case 't': return true;
      case 'u': return false;
      case 'b': {
        const bytes = new Bytes(rest.length);
        for (let i = 0; i < rest.length; i++) bytes[i] = P.StringPrototypeCharCodeAt(rest, i);
        return bytes;
      }
    }
    return undefined;
  };
  const errors = { __proto__: null, TypeError: P.TypeError, RangeError: P.RangeError, Error: P.Error, SyntaxError: P.SyntaxError };
  const call = (name, args) => {
    const parts = P.list();
    parts[0] = name;
    for (let i = 0; i < args.length; i++) parts[i + 1] = encode(args[i]);
    const answer = P.ReflectApply(native, undefined, parts);
    if (answer[0] !== '!') return decode(answer);
    const at = P.StringPrototypeIndexOf(answer, '\n');
    const kind = P.StringPrototypeSlice(answer, 1, at);
    const message = P.StringPrototypeSlice(answer, at + 1);
    if (errors[kind]) throw new errors[kind](message);
    throw new (host.load('12_domexception').DOMException)(message, kind);
  };
  const names = P.words(native('names'));
  for (let i = 0; i < names.length; i++) host.ops[names[i]] = (...args) => call(names[i], args);

  host.toUtf8 = (text) => host.ops.utf8Encode(text);
  host.fromUtf8 = (bytes) => host.ops.decodeText('utf-8', bytes, false);
  host.toLatin1 = (text) => {
    const bytes = new Bytes(text.length);
    for (let i = 0; i < text.length; i++) {
      const unit = P.StringPrototypeCharCodeAt(text, i);
      if (unit > 255) return undefined;
      bytes[i] = unit;
    }
    return bytes;
  };
  host.fromLatin1 = (bytes) => P.StringPrototypeSlice(encode(bytes), 1);

  // ---- time, which only moves when there is nothing else to do
  let clock = 0;
  let lastTimer = 0;
  let timers = P.list();
  host.now = () => clock;
  host.setTimeout = (fn, delay = 0) => {
    P.push(timers, { __proto__: null, id: ++lastTimer, at: clock + P.MathMax(0, +delay || 0), fn });
    return lastTimer;
  };
  host.clearTimeout = (id) => {
    for (let i = 0; i < timers.length; i++) if (timers[i].id === id) timers[i].fn = undefined;
  };
  let context;
  host.asyncContext = { __proto__: null, get: () => context, set: (value) => { context = value; }, engage: () => {} };
  host.extras = () => ({});
  host.exit = (message) => { throw new P.Error(message); };
  host.queueMicrotask = (fn) => { P.then(P.PromiseResolve(undefined), () => fn()); };

  // ---- scripts and globals
  host.define = (name, value, options) => {
    if (table[name]) return;
    table[name] = true;
    P.define(globalThis, name, value, !!options?.enumerable);
  };
  host.lazyMember = (object, key, make) => {
    const set = (value) => P.define(object, key, value, true);
    const get = () => {
      set(make());
      return object[key];
    };
    P.ObjectDefineProperty(object, key, { __proto__: null, get, set, enumerable: true, configurable: true });
  };
  host.load = (name) => {
    if (!(name in loaded)) loaded[name] = compile(name)(host);
    return loaded[name];
  };
  if (mode === 'open') {
    host.outbound = async (init) => {
      if (init.body?.pull === undefined) return send(init);
      const parts = [];
      for (let part = await init.body.pull(); part !== undefined; part = await init.body.pull()) parts.push(...part);
      return send({ ...init, body: new P.Uint8Array(parts) });
    };
    const send = (init) => P.newPromise((resolve, reject) => {
      const headers = [];
      for (let i = 0; i < init.headers.length; i++) headers[i] = [init.headers[i][0], init.headers[i][1]];
      const request = { url: init.url, method: init.method, redirect: init.redirect, headers, body: init.body ? P.StringPrototypeSlice(encode(init.body), 1) : null };
      const answer = P.JSONParse(outbound(P.JSONStringify(request)));
      if (answer.error) reject(new P.Error(answer.error));
      else resolve({ ...answer, body: decode(`b${answer.body ?? ''}`) });
    });
  }
  // As little of timers as the scripts themselves use.
  P.define(globalThis, 'setTimeout', (fn, delay, ...args) => host.setTimeout(() => fn(...args), delay));
  P.define(globalThis, 'clearTimeout', host.clearTimeout);
  P.define(globalThis, 'setImmediate', (fn, ...args) => host.setTimeout(() => fn(...args), 0));
  P.define(globalThis, 'clearImmediate', host.clearTimeout);
  P.define(globalThis, 'queueMicrotask', (fn) => host.queueMicrotask(fn));
  // What import() is in a worker.
  P.define(globalThis, 'importModule', async (name) => {
    const found = host.load('modules').builtin(name);
    if (found === undefined || typeof found === 'string') throw new P.Error(`No such module "${found ?? name}".`);
    return found;
  });
  const lazy = (script, key) => P.ObjectDefineProperty(globalThis, key, {
    __proto__: null, configurable: true, enumerable: false,
    get() {
      host.load(script);
      return globalThis[key];
    },
    set(value) {
      table[key] = true;
      P.define(globalThis, key, value);
    },
  });
  const scripts = P.JSONParse(native('scripts'));
  for (let i = 0; i < scripts.length; i++) {
    const { name, globals } = scripts[i];
    if (globals) for (let j = 0; j < globals.length; j++) lazy(name, globals[j]);
    else if (name[0] >= '0' && name[0] <= '9') host.load(name);
  }

  // One turn of the loop: runs the next due timer; false when there is none.
  const turn = () => {
    let next;
    const rest = P.list();
    for (let i = 0; i < timers.length; i++) if (timers[i].fn && (next === undefined || timers[i].at < next.at)) next = timers[i];
    if (next === undefined) return false;
    for (let i = 0; i < timers.length; i++) if (timers[i] !== next) P.push(rest, timers[i]);
    timers = rest;
    clock = P.MathMax(clock, next.at);
    next.fn();
    return true;
  };

  // What the test sees of a value: its JSON, of a promise that of what it becomes, of an error its name and message.
  const shown = (value) => {
    try {
      return `${P.JSONStringify(value)}`;
    } catch (error) {
      return failed(error);
    }
  };
  const failed = (error) => {
    if (typeof error !== 'object' || error === null) return `thrown ${P.String(error)}`;
    try {
      return `${P.String(error.name)}: ${P.String(error.message)}`;
    } catch {
      return 'thrown object';
    }
  };
  const observe = (value) => {
    let text;
    try {
      P.then(value, (result) => { text = shown(result); }, (error) => { text = failed(error); });
    } catch { // no promise
      text = shown(value);
    }
    return () => text;
  };
  return { __proto__: null, turn, observe };
})
