// The language's newest members, which the reference's engine has and this one has not. It runs at boot and defines them;
// what they do is in language.js, which is loaded when one is first called.
(function (host) {
  'use strict';
  const p = host.primordials;
  const { Iterator } = globalThis;

  // Each is a method without a prototype, as builtins are: name -> length.
  const add = (holder, group, lengths) => {
    for (const name in lengths) {
      if (p.ObjectHasOwn(holder, name)) continue;
      const { [name]: method } = { [name](...args) { return host.load('language')[group][name](this, args); } };
      p.ObjectDefineProperty(p.hide(method), 'length', { __proto__: null, value: lengths[name], configurable: true });
      p.define(holder, name, method);
    }
  };
  add(Iterator, 'iterator', { __proto__: null, concat: 0, zip: 1, zipKeyed: 1 });
  add(Iterator.prototype, 'iteratorPrototype', { __proto__: null, join: 1, includes: 1 });
  add(Math, 'math', { __proto__: null, sumPrecise: 1 });
  add(p.Map.prototype, 'map', { __proto__: null, getOrInsert: 2, getOrInsertComputed: 2 });
  add(p.WeakMap.prototype, 'weakMap', { __proto__: null, getOrInsert: 2, getOrInsertComputed: 2 });
  add(p.Uint8Array, 'bytes', { __proto__: null, fromBase64: 1, fromHex: 1 });
  add(p.Uint8Array.prototype, 'bytesPrototype', { __proto__: null, toBase64: 0, setFromBase64: 1, toHex: 0, setFromHex: 1 });
})
