// The host object: what the scripts of this worker and of the web platform reach, and no program can.
//
// (primordials, go, ops) -> host. go is the function of natives.go, ops the names of the web platform's operations, separated by
// spaces. Beside what package web documents, host has
//
//   native            the functions that go stands for
//   deferred()        a promise with its ends, for await
//   define            a global, as scope.js has it
//   prepare(scripts, waiting)  runs scripts, and prepares the globals of others
//   extras()          the engine's object of that name, as package v8 has it; from then on rejections are noted
//   unhandled()       those that nobody took, as JSON, see worker/rejections
//   asyncContext      get() and set(value), after engage(): a value that follows what runs along promises and timers
//   builtin(name)     the namespace of a module of the platform, undefined when it has none
//   state             numbers that Go reads and writes between calls, by the names below
//   isProxy(value)    as no script can tell
//   promiseOf(value)  undefined for what is no promise, else {state, result}: state 0 pending, 1 fulfilled, 2 rejected
//   previewOf(value)  what an iterator of a Map or Set has still to give, or what a WeakMap or WeakSet holds: {entries, pairs},
//                     with pairs keys and values in turn; undefined for anything else
//   proxyParts(proxy) {target, handler}
//   toUtf8(text), fromUtf8(bytes), toLatin1(text), fromLatin1(bytes)
//                     text and its bytes; a lone surrogate becomes U+FFFD, and toLatin1 is undefined for what has units above 255
//   putBytes(view)    copies bytes to where Go reads them, and returns their number
//   takeBytes()       copies the bytes that Go just left into a new Uint8Array
//   toGo(text), fromGo(text)  a text as it crosses
(function (p, go, ops) {
  'use strict';
  const state = new p.Float64Array(new p.SharedArrayBuffer(64));
  go(p.TypedArrayPrototypeGetBuffer(state)); // the first call shares it
  const KIND = 2, LENGTH = 3, FUNCTION = 6; // the others belong to timers.js and calls.js

  // One function of Go's, and the number of what is meant in state: each more would cost a sandbox as much as all of these.
  const native = { __proto__: null };
  const none = (number) => () => {
    state[FUNCTION] = number;
    return go();
  };
  const one = (number) => (a) => {
    state[FUNCTION] = number;
    return go(a);
  };
  const two = (number) => (a, b) => {
    state[FUNCTION] = number;
    return go(a, b);
  };
  const more = (number) => (...args) => {
    state[FUNCTION] = number;
    return p.ReflectApply(go, undefined, args);
  };
  // In the order of natives.go.
  const OPERATION = 4;
  native.exchange = one(0);
  native.now = none(1);
  native.take = none(2);
  native.load = one(3);
  native.log = two(5);
  native.name = two(6);
  native.call = one(7);
  native.fetch = more(8);
  native.toBase64 = one(9);
  native.fromBase64 = one(10);
  native.settle = more(11);
  native.text = none(12);
  native.look = one(13);
  native.reveal = two(14);
  native.textBytes = one(15);
  native.makeText = two(16);
  native.extras = one(17);

  let exchange = new p.Uint8Array(new p.SharedArrayBuffer(4096));
  native.exchange(p.TypedArrayPrototypeGetBuffer(exchange));
  const reserve = (size) => {
    let length = p.TypedArrayPrototypeGetLength(exchange);
    if (length >= size) return;
    while (length < size) length *= 2;
    exchange = new p.Uint8Array(new p.SharedArrayBuffer(length));
    native.exchange(p.TypedArrayPrototypeGetBuffer(exchange));
  };
  const putAt = (offset, view) => {
    p.TypedArrayPrototypeSet(exchange, view, offset);
    return p.TypedArrayPrototypeGetLength(view);
  };
  const putBytes = (view) => {
    reserve(p.TypedArrayPrototypeGetLength(view));
    return putAt(0, view);
  };
  const takeBytes = () => {
    const length = state[LENGTH];
    if (length > p.TypedArrayPrototypeGetLength(exchange)) {
      reserve(length);
      native.take();
    }
    const out = new p.Uint8Array(length);
    p.TypedArrayPrototypeSet(out, new p.Uint8Array(p.TypedArrayPrototypeGetBuffer(exchange), 0, length));
    return out;
  };

  const host = { __proto__: null, primordials: p, native, state, putBytes, takeBytes, outboundMode: 'blocked' };
  host.isProxy = (value) => {
    native.look(value);
    return state[KIND] === 1;
  };
  host.promiseOf = (value) => {
    const result = native.look(value);
    return state[KIND] < 2 ? undefined : { __proto__: null, state: state[KIND] - 2, result };
  };
  // A value passes to the engine and back as a member of the global object, under a name that nobody knows, for as long as
  // a native function runs. put is false where the program has closed the object.
  let slot;
  const global = globalThis;
  const put = (name, value) => p.ReflectDefineProperty(global, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
  const takeBack = (name) => {
    const value = global[name];
    p.ReflectDeleteProperty(global, name);
    return value;
  };
  const ENTRIES = 0, TARGET = 1, HANDLER = 2;
  const reveal = (value, what) => {
    slot ??= `codemode ${native.now()} ${p.MathRandom()}`;
    if (!put(slot, value)) return undefined;
    const found = native.reveal(slot, what);
    const inner = takeBack(slot);
    return found === true ? inner : undefined;
  };
  host.previewOf = (value) => {
    const entries = reveal(value, ENTRIES);
    return entries === undefined ? undefined : { __proto__: null, entries, pairs: state[KIND] === 1 };
  };
  host.proxyParts = (proxy) => ({ __proto__: null, target: reveal(proxy, TARGET), handler: reveal(proxy, HANDLER) });
  // deferred is a promise with its ends, which await takes as it is whatever has become of Promise.
  class Own extends p.Promise {
    ['constructor'] = p.Promise;
  }
  class Deferred { // an object literal without a prototype would be a slow one
    resolve;
    reject;
    promise = new Own((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
  host.deferred = () => new Deferred();
  // The engine's extras are asked for while the sandbox boots, when nobody waits. The value that follows what runs costs
  // something each time, so that it is looked after from when a program first needs it.
  let extras;
  let followed;
  host.extras = () => {
    if (extras !== undefined) return extras;
    const name = 'codemode extras'; // no program runs yet
    if (native.extras(name) !== true) throw new p.Error('the engine has no extras');
    extras = takeBack(name);
    extras.rejected = (...args) => host.load('worker/rejections').note(args);
    p.ObjectDefineProperty(extras, 'text', { __proto__: null, writable: true }); // its own, whatever Object.prototype has
    return extras;
  };
  // A long text crosses by the extras, where Go copies it once. toGo is what a function of native takes in its place.
  const LONG = 1 << 16;
  host.toGo = (text) => {
    if (text.length < LONG) return text;
    host.extras().text = text;
    return undefined;
  };
  host.fromGo = (text) => {
    if (text !== undefined) return text;
    native.text();
    const long = extras.text;
    extras.text = undefined;
    return long;
  };
  const bytesOfText = (text, latin1) => {
    host.extras().text = text;
    const ok = native.textBytes(latin1);
    extras.text = undefined;
    return ok === true ? takeBytes() : undefined;
  };
  const LEFT = -1; // for the length: what Go has left
  const textOfBytes = (length, latin1) => {
    host.extras();
    const ok = native.makeText(length, latin1);
    const text = extras.text;
    extras.text = undefined;
    if (ok !== true) throw new p.RangeError('Invalid string length');
    return text;
  };
  // Short texts are made by hand.
  const SHORT = 256;
  const shortBytes = (text, limit) => {
    const bytes = new p.Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) {
      const unit = p.StringPrototypeCharCodeAt(text, i);
      if (unit >= limit) return undefined;
      bytes[i] = unit;
    }
    return bytes;
  };
  // Very long ones in parts, so that they are never there more often than before and after. A part ends where no character
  // is cut in two.
  const PART = 1 << 20;
  const partsOfText = (text, work) => {
    reserve(3 * PART);
    for (let at = 0, end; at < text.length; at = end) {
      end = p.MathMin(at + PART, text.length);
      if (end < text.length && (p.StringPrototypeCharCodeAt(text, end - 1) & 0xfc00) === 0xd800) end--;
      host.extras().text = p.StringPrototypeSlice(text, at, end);
      native.textBytes(false);
      extras.text = undefined;
      work(state[LENGTH]);
    }
  };
  const longToUtf8 = (text) => {
    let total = 0;
    partsOfText(text, (length) => { total += length; });
    const out = new p.Uint8Array(total);
    let at = 0;
    partsOfText(text, (length) => {
      p.TypedArrayPrototypeSet(out, new p.Uint8Array(p.TypedArrayPrototypeGetBuffer(exchange), 0, length), at);
      at += length;
    });
    return out;
  };
  const endOfPart = (bytes, end, length) => {
    if (end >= length) return length;
    for (let back = 1; back <= 3; back++) {
      const byte = bytes[end - back];
      if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? end - back : end;
      if (byte < 0x80) return end;
    }
    return end;
  };
  const longFromUtf8 = (bytes) => {
    const length = p.TypedArrayPrototypeGetLength(bytes);
    let text = '';
    for (let at = 0, end; at < length; at = end) {
      end = endOfPart(bytes, at + PART, length);
      text += textOfBytes(putBytes(p.TypedArrayPrototypeSubarray(bytes, at, end)), false);
    }
    return text;
  };
  host.toLatin1 = (text) => (text.length < SHORT ? shortBytes(text, 256) : bytesOfText(text, true));
  host.toUtf8 = (text) => {
    if (text.length > PART) return longToUtf8(text);
    return (text.length < SHORT ? shortBytes(text, 128) : undefined) ?? bytesOfText(text, false);
  };
  host.fromLatin1 = (bytes) => textOfBytes(putBytes(bytes), true);
  host.fromUtf8 = (bytes) => (p.TypedArrayPrototypeGetLength(bytes) > PART ? longFromUtf8(bytes) : textOfBytes(putBytes(bytes), false));
  // JSON of the promises that rejected while nobody listened, since the last call.
  host.unhandled = () => (loaded.has('worker/rejections') ? loaded.get('worker/rejections').take() : '[]');
  host.asyncContext = {
    __proto__: null,
    get: () => followed?.getContinuationPreservedEmbedderData(),
    set: (value) => followed?.setContinuationPreservedEmbedderData(value),
    engage: () => { followed = host.extras(); },
  };
  host.now = native.now;
  host.timeOrigin = p.DateNow();

  // Scripts run once, when another asks for them or the program first touches a global of theirs.
  const loaded = new p.SafeMap();
  host.load = (name) => {
    if (loaded.has(name)) return loaded.get(name);
    const exports = native.load(name)(host);
    loaded.set(name, exports);
    return exports;
  };
  // prepare(scripts, waiting) runs scripts, the scopes' first, and has the globals of others wait, as worker/scope has them.
  host.prepare = (scripts, waiting) => {
    const scopes = scripts[0](host);
    host.define = scopes.define;
    host.lazyMember = scopes.lazyMember;
    for (let i = 1; i < scripts.length; i++) scripts[i](host);
    scopes.lazy(p.words(waiting));
    p.distrust();
  };
  host.builtin = (name) => host.load('modules').builtin(name);

  const LONG_ARGUMENT = 1024;
  const forGo = (args) => {
    const list = p.list();
    list[0] = 0;
    list[1] = '';
    let size = 0;
    let text;
    for (let i = 0; i < args.length; i++) {
      let value = args[i];
      let type = 'b';
      if (typeof value === 'string') {
        if (value.length < LONG_ARGUMENT) type = 's';
        else if (text === undefined) { // one stays a string until Go takes it
          type = 'x';
          text = value;
          value = undefined;
        } else {
          type = 'l';
          value = bytesOfText(value, false);
        }
      } else if (typeof value === 'number') type = 'n';
      else if (typeof value === 'boolean') type = 't';
      else if (value === undefined || value === null) type = 'u';
      list[1] += type;
      list[i + 2] = value;
      if (type === 'b' || type === 'l') size += p.TypedArrayPrototypeGetLength(value);
    }
    if (text !== undefined) host.extras().text = text;
    if (size === 0) return list;
    reserve(size);
    let offset = 0;
    for (let i = 0; i < args.length; i++) {
      if (list[1][i] === 'b' || list[1][i] === 'l') offset += list[i + 2] = putAt(offset, list[i + 2]);
    }
    return list;
  };
  const raise = (text) => {
    const at = p.StringPrototypeIndexOf(text, '\n');
    const name = p.StringPrototypeSlice(text, 0, at);
    const message = p.StringPrototypeSlice(text, at + 1);
    const known = name === 'Error' || name === 'TypeError' || name === 'RangeError' || name === 'SyntaxError' || name === 'URIError';
    if (known) throw new p[name](message);
    throw new (host.load('12_domexception').DOMException)(message, name);
  };
  const operation = (index) => (...args) => {
    const list = forGo(args);
    list[0] = index;
    state[KIND] = 0;
    state[FUNCTION] = OPERATION;
    const out = p.ReflectApply(go, undefined, list);
    if (state[KIND] === 1) return takeBytes();
    if (state[KIND] === 2) raise(out);
    if (state[KIND] >= 3) return textOfBytes(LEFT, state[KIND] === 4);
    return out;
  };
  // An operation is made when it is first asked for: a program needs few of them.
  let indices;
  const operations = { __proto__: null };
  host.ops = new p.Proxy(operations, {
    __proto__: null,
    get(_, name) {
      if (operations[name] !== undefined) return operations[name];
      if (indices === undefined) {
        indices = { __proto__: null };
        const names = p.words(ops);
        for (let i = 0; i < names.length; i++) indices[names[i]] = i;
      }
      return indices[name] === undefined ? undefined : (operations[name] = operation(indices[name]));
    },
  });
  return host;
})
