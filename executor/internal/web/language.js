// What the members do that 02_language.js defines: group → name → function of (this, arguments). The semantics are
// ECMAScript's. Ops: hexEncode, base64Encode, base64Decode.
(function (host) {
  'use strict';
  const p = host.primordials;
  const { TypeError, RangeError, SyntaxError, Uint8Array } = p;
  const isObject = (value) => typeof value === 'object' && value !== null || typeof value === 'function';

  // ---- iterators

  const methodOf = (value, key) => {
    const method = value[key];
    if (method === undefined || method === null) return undefined;
    if (typeof method !== 'function') throw new TypeError(`${p.String(method)} is not a function`);
    return method;
  };
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
  const helperPrototype = p.ObjectGetPrototypeOf(globalThis.Iterator.prototype.take.call([][p.SymbolIterator](), 0));
  const states = new p.SafeWeakMap();
  const helper = (generator, records) => {
    const object = p.ObjectCreate(proxied());
    states.set(object, { __proto__: null, generator, records, started: false });
    return object;
  };
  const generatorPrototype = p.ObjectGetPrototypeOf((function* () {}).prototype);
  const next = p.uncurryThis(generatorPrototype.next);
  const finish = p.uncurryThis(generatorPrototype.return);
  let prototype;
  const proxied = () => {
    if (prototype !== undefined) return prototype;
    prototype = p.ObjectCreate(helperPrototype);
    const methods = {
      next() { return run(this, (state) => { state.started = true; return next(state.generator); }); },
      return() {
        return run(this, (state) => {
          if (!state.started) for (let i = state.records.length - 1; i >= 0; i--) if (state.records[i] !== null && !state.records[i].done) close(state.records[i]);
          return finish(state.generator);
        });
      },
    };
    for (const name in methods) p.define(prototype, name, p.hide(methods[name]));
    return prototype;
  };
  const run = (object, fn) => {
    const state = states.get(object);
    if (state === undefined) throw new TypeError('Iterator helper method called on an incompatible receiver');
    return fn(state);
  };

  const concat = (self, args) => {
    const sources = p.list();
    for (let i = 0; i < args.length; i++) {
      if (!isObject(args[i])) throw new TypeError(`${p.String(args[i])} is not an object`);
      const method = methodOf(args[i], p.SymbolIterator);
      if (method === undefined) throw new TypeError(`${p.String(args[i])} is not iterable`);
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
    if (options !== undefined && !isObject(options)) throw new TypeError(`${p.String(options)} is not an object`);
    const mode = options?.mode ?? 'shortest';
    if (mode !== 'shortest' && mode !== 'longest' && mode !== 'strict') throw new TypeError(`${p.String(mode)} is not a valid mode`);
    return mode;
  };
  const flattenable = (value) => {
    if (!isObject(value)) throw new TypeError(`${p.String(value)} is not an object`);
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
          if (mode === 'strict') throw new TypeError('Iterators passed to Iterator.zip with { mode: "strict" } have different lengths');
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
      if (!step(records[i]).done) throw new TypeError('Iterators passed to Iterator.zip with { mode: "strict" } have different lengths');
    }
    return true;
  };
  const zip = (self, args) => {
    const iterables = args[0];
    const options = args[1];
    if (!isObject(iterables)) throw new TypeError(`${p.String(iterables)} is not an object`);
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
    if (!isObject(iterables)) throw new TypeError(`${p.String(iterables)} is not an object`);
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
  const each = (self, fn) => {
    if (!isObject(self)) throw new TypeError(`${p.String(self)} is not an object`);
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
    if (values === undefined || values === null || values[p.SymbolIterator] === undefined) throw new TypeError(`${p.String(values)} is not iterable`);
    const parts = p.list();
    let special = -0;
    let any = false;
    const scale = 2 ** -60; // keeps partial sums of the largest numbers finite
    for (const value of values) {
      if (typeof value !== 'number') throw new TypeError(`${p.String(value)} is not a number`);
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
  const inserting = ({ get, has, set }, weak) => ({
    __proto__: null,
    getOrInsert: (self, args) => {
      const key = args[0];
      const value = args[1];
      if (has(self, key)) return get(self, key);
      set(self, key, value);
      return value;
    },
    getOrInsertComputed: (self, args) => {
      const key = args[0];
      const compute = args[1];
      has(self, key);
      if (typeof compute !== 'function') throw new TypeError(`${p.String(compute)} is not a function`);
      if (has(self, key)) return get(self, key);
      const value = compute(p.ObjectIs(key, -0) && !weak ? 0 : key);
      set(self, key, value);
      return value;
    },
  });

  // ---- bytes

  const alphabets = { __proto__: null, base64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', base64url: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_' };
  const bytesOf = (value) => {
    let tag;
    try { tag = p.TypedArrayPrototypeGetTag(value); } catch { /* no typed array */ }
    if (tag !== 'Uint8Array') throw new TypeError('this is not a Uint8Array object');
    if (p.ArrayBufferPrototypeGetDetached !== undefined) {
      const buffer = p.TypedArrayPrototypeGetBuffer(value);
      let detached = false;
      try { detached = p.ArrayBufferPrototypeGetDetached(buffer); } catch { /* shared */ }
      if (detached) throw new TypeError('Cannot perform the operation on a detached ArrayBuffer');
    }
    return new Uint8Array(p.TypedArrayPrototypeGetBuffer(value), p.TypedArrayPrototypeGetByteOffset(value), p.TypedArrayPrototypeGetByteLength(value));
  };
  const optionsOf = (options) => {
    if (options !== undefined && !isObject(options)) throw new TypeError('options must be an object');
    const alphabet = options?.alphabet ?? 'base64';
    if (typeof alphabet !== 'string' || alphabets[alphabet] === undefined) throw new TypeError('Invalid alphabet: must be either "base64" or "base64url"');
    return alphabet;
  };
  const textOf = (text) => {
    if (typeof text !== 'string') throw new TypeError('Input must be a string');
    return text;
  };
  const bad = () => new SyntaxError('The string to be decoded is not correctly encoded.');
  const isSpace = (c) => c === ' ' || c === '\t' || c === '\n' || c === '\f' || c === '\r';

  // Decodes up to max bytes: {read, bytes (a list), error}, as FromBase64 of the specification.
  const decode64 = (text, alphabet, mode, max) => {
    const bytes = p.list();
    const out = { __proto__: null, read: 0, bytes, error: undefined };
    if (max === 0) return out;
    const letters = alphabets[alphabet];
    const digit = { __proto__: null };
    for (let i = 0; i < 64; i++) digit[letters[i]] = i;
    let chunk = p.list();
    const flush = (strict) => {
      const n = chunk.length;
      const value = chunk[0] << 18 | chunk[1] << 12 | (n > 2 ? chunk[2] : 0) << 6 | (n > 3 ? chunk[3] : 0);
      if (strict && (n === 2 && (value & 0xffff) !== 0 || n === 3 && (value & 0xff) !== 0)) return false;
      bytes[bytes.length] = value >> 16 & 255;
      if (n > 2) bytes[bytes.length] = value >> 8 & 255;
      if (n > 3) bytes[bytes.length] = value & 255;
      chunk = p.list();
      return true;
    };
    const fail = () => {
      out.error = bad();
      return out;
    };
    const skip = (i) => {
      while (i < text.length && isSpace(text[i])) i++;
      return i;
    };
    for (let i = 0; ;) {
      i = skip(i);
      if (i === text.length) {
        if (chunk.length > 0) {
          if (mode === 'stop-before-partial') return out;
          if (mode === 'strict' || chunk.length === 1) return fail();
          flush(false);
        }
        out.read = text.length;
        return out;
      }
      const c = text[i++];
      if (c === '=') {
        if (chunk.length < 2) return fail();
        i = skip(i);
        if (chunk.length === 2) {
          if (i === text.length) {
            if (mode === 'stop-before-partial') return out;
            return fail();
          }
          if (text[i] === '=') i = skip(i + 1);
          else return fail();
        }
        if (i < text.length || !flush(mode === 'strict')) return fail();
        out.read = text.length;
        return out;
      }
      if (digit[c] === undefined) return fail();
      const room = max - bytes.length;
      if (room === 1 && chunk.length === 2 || room === 2 && chunk.length === 3) return out;
      chunk[chunk.length] = digit[c];
      if (chunk.length < 4) continue;
      flush(false);
      out.read = i;
      if (bytes.length === max) return out;
    }
  };
  const decodeHex = (text, max) => {
    const out = { __proto__: null, read: 0, bytes: p.list(), error: undefined };
    if (text.length % 2 !== 0) {
      out.error = bad();
      return out;
    }
    while (out.read < text.length && out.bytes.length < max) {
      const pair = p.StringPrototypeSlice(text, out.read, out.read + 2);
      if (p.RegExpPrototypeExec(hexPair, pair) === null) {
        out.error = bad();
        return out;
      }
      out.read += 2;
      out.bytes[out.bytes.length] = p.parseInt(pair, 16);
    }
    return out;
  };
  const hexPair = /^[0-9a-fA-F]{2}$/;
  const lastChunk = (options) => {
    const mode = options?.lastChunkHandling ?? 'loose';
    if (mode !== 'loose' && mode !== 'strict' && mode !== 'stop-before-partial') throw new TypeError('Invalid lastChunkHandling: must be "loose", "strict" or "stop-before-partial"');
    return mode;
  };
  const made = (result) => {
    if (result.error !== undefined) throw result.error;
    const out = new Uint8Array(result.bytes.length);
    for (let i = 0; i < result.bytes.length; i++) out[i] = result.bytes[i];
    return out;
  };
  const written = (target, result) => {
    for (let i = 0; i < result.bytes.length; i++) target[i] = result.bytes[i];
    if (result.error !== undefined) throw result.error;
    return { read: result.read, written: result.bytes.length };
  };
  const lengthOf = p.TypedArrayPrototypeGetLength;

  return {
    __proto__: null,
    iterator: { __proto__: null, concat, zip, zipKeyed },
    iteratorPrototype: {
      __proto__: null,
      join: (self, args) => {
        const separator = args[0] === undefined ? ',' : `${args[0]}`;
        let out = '';
        let first = true;
        each(self, (value) => {
          out += (first ? '' : separator) + (value === undefined || value === null ? '' : `${value}`);
          first = false;
        });
        return out;
      },
      includes: (self, args) => {
        let skip = args[1] ?? 0;
        if (typeof skip !== 'number' || skip !== p.MathTrunc(skip)) throw new TypeError(`${p.String(skip)} is not an integer`);
        if (skip < 0) throw new RangeError(`${skip} must be positive`);
        let found = false;
        each(self, (value) => (skip-- > 0 ? false : (found = value === args[0] || value !== value && args[0] !== args[0])));
        return found;
      },
    },
    math: { __proto__: null, sumPrecise },
    map: inserting(mapHas, false),
    weakMap: inserting(weakHas, true),
    bytes: {
      __proto__: null,
      fromBase64: (self, args) => {
        const text = textOf(args[0]);
        if (args[1] === undefined) { // what atob takes
          const bytes = host.ops.base64Decode(text);
          if (bytes === undefined || bytes === null) throw bad();
          return bytes;
        }
        return made(decode64(text, optionsOf(args[1]), lastChunk(args[1]), Infinity));
      },
      fromHex: (self, args) => made(decodeHex(textOf(args[0]), Infinity)),
    },
    bytesPrototype: {
      __proto__: null,
      toBase64: (self, args) => {
        const view = bytesOf(self);
        const alphabet = optionsOf(args[0]);
        let text = host.ops.base64Encode(view);
        if (alphabet === 'base64url') text = p.StringPrototypeReplaceAll(p.StringPrototypeReplaceAll(text, '+', '-'), '/', '_');
        return args[0]?.omitPadding ? p.StringPrototypeReplaceAll(text, '=', '') : text;
      },
      toHex: (self) => host.ops.hexEncode(bytesOf(self)),
      setFromBase64: (self, args) => {
        const view = bytesOf(self);
        const text = textOf(args[0]);
        return written(view, decode64(text, optionsOf(args[1]), lastChunk(args[1]), lengthOf(view)));
      },
      setFromHex: (self, args) => {
        const view = bytesOf(self);
        return written(view, decodeHex(textOf(args[0]), lengthOf(view)));
      },
    },
  };
})
