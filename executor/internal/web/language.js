// What the members do that 02_language.js defines: group → name → function of (this, arguments). The semantics are
// ECMAScript's, the words of its errors the engine's. Those of Uint8Array are in language_bytes.js.
(function (host) {
  'use strict';
  const p = host.primordials;
  const { TypeError, RangeError } = p;
  // How the engine names a value in an error.
  const shown = (value) => {
    if (!isObject(value)) return p.String(value);
    const name = value.constructor?.name;
    return typeof name === 'string' && name !== '' ? `#<${name}>` : '[object Object]';
  };
  const isObject = (value) => typeof value === 'object' && value !== null || typeof value === 'function';

  // ---- iterators

  const methodOf = (value, key) => {
    const method = value[key];
    if (method === undefined || method === null) return undefined;
    if (typeof method !== 'function') throw new TypeError(`${p.String(method)} is not a function`);
    return method;
  };
  const notObject = (what) => new TypeError(`${what} called on non-object`);
  const open = (value, method) => {
    const iterator = p.ReflectApply(method, value, []);
    if (!isObject(iterator)) throw new TypeError(`${p.String(iterator)} is not an object`);
    return { __proto__: null, iterator, next: iterator.next, done: false };
  };
  const step = (record) => {
    const result = p.ReflectApply(record.next, record.iterator, []);
    if (!isObject(result)) throw new TypeError(`Iterator result ${p.String(result)} is not an object`);
    if (result.done) record.done = true;
    return result;
  };
  const close = (record) => {
    record.done = true;
    const method = methodOf(record.iterator, 'return');
    if (method !== undefined) p.ReflectApply(method, record.iterator, []);
  };
  const closeQuietly = (records) => {
    for (let i = records.length - 1; i >= 0; i--) {
      if (records[i] === null || records[i].done) continue;
      try { close(records[i]); } catch { /* the error that closes them counts */ }
    }
  };
  // Helpers are generators that look like Iterator Helper objects.
  const helperPrototype = p.ObjectGetPrototypeOf(p.IteratorPrototypeTake({ __proto__: null }, 0));
  const states = new p.SafeWeakMap();
  const helper = (generator, records) => {
    const object = p.ObjectCreate(proxied());
    states.set(object, { __proto__: null, generator, records, started: false });
    return object;
  };
  const next = p.GeneratorPrototypeNext;
  const finish = p.GeneratorPrototypeReturn;
  let prototype;
  const proxied = () => {
    if (prototype !== undefined) return prototype;
    prototype = p.ObjectCreate(helperPrototype);
    const methods = {
      __proto__: null,
      next() { return run(this, 'next', (state) => { state.started = true; return next(state.generator); }); },
      return() {
        return run(this, 'return', (state) => {
          if (!state.started) for (let i = state.records.length - 1; i >= 0; i--) if (state.records[i] !== null && !state.records[i].done) close(state.records[i]);
          return finish(state.generator);
        });
      },
    };
    for (const name in methods) p.define(prototype, name, p.hide(methods[name]));
    return prototype;
  };
  const run = (object, method, fn) => {
    const state = states.get(object);
    if (state === undefined) throw new TypeError(`Method Iterator Helper.prototype.${method} called on incompatible receiver ${shown(object)}`);
    return fn(state);
  };

  const concat = (self, args) => {
    const sources = p.list();
    for (let i = 0; i < args.length; i++) {
      if (!isObject(args[i])) throw notObject('Iterator.concat');
      const method = methodOf(args[i], p.SymbolIterator);
      if (method === undefined) throw new TypeError(`${shown(args[i])} is not iterable`);
      sources[i] = { __proto__: null, value: args[i], method };
    }
    const records = p.list();
    return helper((function* () {
      for (let i = 0; i < sources.length; i++) {
        const record = (records[0] = open(sources[i].value, sources[i].method));
        let complete = false;
        try {
          for (let result = step(record); !result.done; result = step(record)) yield result.value;
          complete = true;
        } finally {
          if (!complete && !record.done) close(record);
        }
      }
    })(), records);
  };
  const modeOf = (options) => {
    if (options !== undefined && !isObject(options)) throw notObject('options');
    const mode = options?.mode ?? 'shortest';
    if (mode !== 'shortest' && mode !== 'longest' && mode !== 'strict') throw new TypeError("Iterator.zip mode must be 'shortest', 'longest', or 'strict'");
    return mode;
  };
  const flattenable = (value) => {
    if (!isObject(value)) throw new TypeError(`${shown(value)} is not iterable`);
    const method = methodOf(value, p.SymbolIterator);
    return method === undefined ? { __proto__: null, iterator: value, next: value.next, done: false } : open(value, method);
  };
  const zipped = (records, mode, padding, collect) => helper((function* () {
    try {
      for (;;) {
        const row = p.list();
        let live = 0;
        for (let i = 0; i < records.length; i++) {
          if (records[i] === null) {
            row[i] = padding[i];
            continue;
          }
          const result = step(records[i]);
          if (!result.done) {
            row[i] = result.value;
            live++;
            continue;
          }
          if (mode === 'shortest' || mode === 'strict' && i === 0 && checkAllDone(records)) return;
          if (mode === 'strict') throw new TypeError("Iterators passed to Iterator.zip in 'strict' mode must have the same length");
          records[i] = null;
          row[i] = padding[i];
        }
        if (live === 0) return;
        yield collect(row);
      }
    } finally {
      closeQuietly(records);
    }
  })(), records);
  const checkAllDone = (records) => {
    for (let i = 1; i < records.length; i++) {
      if (!step(records[i]).done) throw new TypeError("Iterators passed to Iterator.zip in 'strict' mode must have the same length");
    }
    return true;
  };
  const zip = (self, args) => {
    const iterables = args[0];
    const options = args[1];
    if (!isObject(iterables)) throw notObject('Iterator.zip');
    const mode = modeOf(options);
    const padding = p.list();
    if (mode === 'longest' && options?.padding !== undefined) {
      const given = p.arrayFrom(options.padding);
      for (let i = 0; i < given.length; i++) padding[i] = given[i];
    }
    const records = p.list();
    const values = p.arrayFrom(iterables);
    for (let i = 0; i < values.length; i++) records[i] = flattenable(values[i]);
    return zipped(records, mode, padding, p.toArray);
  };
  const zipKeyed = (self, args) => {
    const iterables = args[0];
    const options = args[1];
    if (!isObject(iterables)) throw notObject('Iterator.zipKeyed');
    const mode = modeOf(options);
    const keys = p.list();
    const records = p.list();
    const padding = p.list();
    const all = p.ReflectOwnKeys(iterables);
    for (let i = 0; i < all.length; i++) {
      if (!p.ObjectGetOwnPropertyDescriptor(iterables, all[i])?.enumerable || iterables[all[i]] === undefined) continue;
      padding[keys.length] = options?.padding?.[all[i]];
      records[keys.length] = flattenable(iterables[all[i]]);
      keys[keys.length] = all[i];
    }
    return zipped(records, mode, padding, (row) => {
      const out = { __proto__: null };
      for (let i = 0; i < keys.length; i++) p.define(out, keys[i], row[i], true);
      return out;
    });
  };
  const each = (self, what, fn) => {
    if (!isObject(self)) throw notObject(what);
    const record = { __proto__: null, iterator: self, next: self.next, done: false };
    for (let result = step(record); !result.done; result = step(record)) {
      if (fn(result.value) !== true) continue;
      close(record);
      return;
    }
  };

  // ---- Math.sumPrecise: exact partial sums (Shewchuk), then one rounding

  const sumPrecise = (self, args) => {
    const values = args[0];
    if (values === undefined || values === null) throw new TypeError('Math.sumPrecise called on null or undefined');
    if (typeof values[p.SymbolIterator] !== 'function') throw new TypeError(`${isObject(values) ? shown(values) : p.ObjectPrototypeToString(values)} is not iterable`);
    const parts = p.list();
    let special = -0;
    let any = false;
    const scale = 2 ** -60; // keeps partial sums of the largest numbers finite
    for (const value of values) {
      if (typeof value !== 'number') throw new TypeError(`Type of 'Iterator value' must be 'number', found '${typeof value}'`);
      if (!p.NumberIsFinite(value)) special += value;
      if (!p.NumberIsFinite(value) || value === 0) {
        if (value === 0 && !p.ObjectIs(value, -0)) any = true;
        continue;
      }
      any = true;
      let x = value * (p.MathAbs(value) > 2 ** 900 ? scale : 1);
      const large = x !== value;
      push(parts, x, large);
    }
    if (special !== 0) return special;
    return any ? total(parts, scale) : -0;
  };
  // parts holds two expansions: of numbers as they are, and of large ones scaled down.
  const push = (parts, x, large) => {
    const key = large ? 'large' : 'small';
    const list = (parts[key] ??= p.list());
    let length = 0;
    for (let i = 0; i < list.length; i++) {
      let y = list[i];
      if (p.MathAbs(x) < p.MathAbs(y)) {
        const larger = y;
        y = x;
        x = larger;
      }
      const high = x + y;
      const low = y - (high - x);
      if (low !== 0) list[length++] = low;
      x = high;
    }
    list.length = length;
    list[length] = x;
  };
  const round = (list) => {
    let n = list.length;
    if (n === 0) return 0;
    let high = list[--n];
    let low = 0;
    while (n > 0) {
      const x = high;
      const y = list[--n];
      high = x + y;
      low = y - (high - x);
      if (low !== 0) break;
    }
    // Half-way cases are decided by what lies below.
    if (n > 0 && (low < 0 && list[n - 1] < 0 || low > 0 && list[n - 1] > 0)) {
      const doubled = low * 2;
      const x = high + doubled;
      if (x - high === doubled) high = x;
    }
    return high;
  };
  const total = (parts, scale) => {
    if (parts.large === undefined) return round(parts.small ?? p.list());
    const small = parts.small ?? p.list();
    for (let i = 0; i < small.length; i++) push(parts, small[i] * scale, true);
    return round(parts.large) / scale;
  };

  // ---- maps

  const mapHas = { get: p.MapPrototypeGet, has: p.MapPrototypeHas, set: p.MapPrototypeSet };
  const weakHas = { get: p.WeakMapPrototypeGet, has: p.WeakMapPrototypeHas, set: p.WeakMapPrototypeSet };
  const belongs = (has, self, method) => {
    try {
      has(self, undefined);
    } catch {
      throw new TypeError(`Method ${method} called on incompatible receiver ${shown(self)}`);
    }
  };
  const inserting = ({ get, has, set }, name, weak) => ({
    __proto__: null,
    getOrInsert: (self, args) => {
      belongs(has, self, `${name}.prototype.getOrInsert`);
      const key = args[0];
      const value = args[1];
      if (has(self, key)) return get(self, key);
      set(self, key, value);
      return value;
    },
    getOrInsertComputed: (self, args) => {
      const key = args[0];
      const compute = args[1];
      belongs(has, self, `${name}.prototype.getOrInsertComputed`);
      if (typeof compute !== 'function') throw new TypeError(`${name}.prototype.getOrInsertComputed is not a function`);
      if (has(self, key)) return get(self, key);
      const value = compute(p.ObjectIs(key, -0) && !weak ? 0 : key);
      set(self, key, value);
      return value;
    },
  });

  return {
    __proto__: null,
    iterator: { __proto__: null, concat, zip, zipKeyed },
    iteratorPrototype: {
      __proto__: null,
      join: (self, args) => {
        const separator = args[0] === undefined ? ',' : `${args[0]}`;
        let out = '';
        let first = true;
        each(self, 'Iterator.prototype.join', (value) => {
          out += (first ? '' : separator) + (value === undefined || value === null ? '' : `${value}`);
          first = false;
        });
        return out;
      },
      includes: (self, args) => {
        let skip = args[1] ?? 0;
        if (typeof skip !== 'number' || skip !== p.MathTrunc(skip)) throw new TypeError('skippedElements argument must be undefined or an integer');
        if (skip < 0) throw new RangeError(`${skip} must be positive`);
        let found = false;
        each(self, 'Iterator.prototype.includes', (value) => (skip-- > 0 ? false : (found = value === args[0] || value !== value && args[0] !== args[0])));
        return found;
      },
    },
    math: { __proto__: null, sumPrecise },
    map: inserting(mapHas, 'Map', false),
    weakMap: inserting(weakHas, 'WeakMap', true),
    ...host.load('language_bytes'),
  };
})
