// The language's newest members, which the reference's engine has and this one has not. It runs at boot and defines them;
// what they do is in language.js, which is loaded when one is first called.
(function (host) {
  'use strict';
  const p = host.primordials;
  const { Iterator } = globalThis;

  const add = (holder, name, method) => {
    if (!p.ObjectHasOwn(holder, name)) p.define(holder, name, p.hide(method));
  };
  const of = (group) => host.load('language')[group];

  // Methods, which have no prototype, as builtins have none, and their lengths by the parameters without a default. Written out: a
  // loop that makes them takes every sandbox twice as long.
  const iterator = {
    concat(...args) { return of('iterator').concat(this, args); },
    zip(iterables, options = undefined) { return of('iterator').zip(this, [iterables, options]); },
    zipKeyed(iterables, options = undefined) { return of('iterator').zipKeyed(this, [iterables, options]); },
    join(separator) { return of('iteratorPrototype').join(this, [separator]); },
    includes(value, skip = undefined) { return of('iteratorPrototype').includes(this, [value, skip]); },
  };
  add(Iterator, 'concat', iterator.concat);
  add(Iterator, 'zip', iterator.zip);
  add(Iterator, 'zipKeyed', iterator.zipKeyed);
  add(Iterator.prototype, 'join', iterator.join);
  add(Iterator.prototype, 'includes', iterator.includes);

  const math = { sumPrecise(values) { return of('math').sumPrecise(this, [values]); } };
  add(Math, 'sumPrecise', math.sumPrecise);

  const map = {
    getOrInsert(key, value) { return of('map').getOrInsert(this, [key, value]); },
    getOrInsertComputed(key, compute) { return of('map').getOrInsertComputed(this, [key, compute]); },
  };
  add(p.Map.prototype, 'getOrInsert', map.getOrInsert);
  add(p.Map.prototype, 'getOrInsertComputed', map.getOrInsertComputed);
  const weakMap = {
    getOrInsert(key, value) { return of('weakMap').getOrInsert(this, [key, value]); },
    getOrInsertComputed(key, compute) { return of('weakMap').getOrInsertComputed(this, [key, compute]); },
  };
  add(p.WeakMap.prototype, 'getOrInsert', weakMap.getOrInsert);
  add(p.WeakMap.prototype, 'getOrInsertComputed', weakMap.getOrInsertComputed);

  const bytes = {
    fromBase64(text, options = undefined) { return of('bytes').fromBase64(this, [text, options]); },
    fromHex(text) { return of('bytes').fromHex(this, [text]); },
    toBase64(options = undefined) { return of('bytesPrototype').toBase64(this, [options]); },
    setFromBase64(text, options = undefined) { return of('bytesPrototype').setFromBase64(this, [text, options]); },
    toHex() { return of('bytesPrototype').toHex(this, []); },
    setFromHex(text) { return of('bytesPrototype').setFromHex(this, [text]); },
  };
  add(p.Uint8Array, 'fromBase64', bytes.fromBase64);
  add(p.Uint8Array, 'fromHex', bytes.fromHex);
  add(p.Uint8Array.prototype, 'toBase64', bytes.toBase64);
  add(p.Uint8Array.prototype, 'setFromBase64', bytes.setFromBase64);
  add(p.Uint8Array.prototype, 'toHex', bytes.toHex);
  add(p.Uint8Array.prototype, 'setFromHex', bytes.setFromHex);
})
