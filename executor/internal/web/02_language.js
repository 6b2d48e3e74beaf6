// The language's newest members, which the reference's engine has and this one has not. It runs at boot and defines them;
// what they do is in language.js, which is loaded when one is first called.
(function (host) {
  'use strict';
  const p = host.primordials;
  const { Iterator } = globalThis;

  const add = (holder, name, method, length) => {
    if (p.ObjectHasOwn(holder, name)) return;
    if (length > 0) p.setLength(method, length);
    p.define(holder, name, p.hide(method));
  };
  const of = (group) => host.load('language')[group];

  // Methods, which have no prototype, as builtins have none. Written out: a loop that makes them takes every sandbox twice as long.
  const iterator = {
    concat(...args) { return of('iterator').concat(this, args); },
    zip(...args) { return of('iterator').zip(this, args); },
    zipKeyed(...args) { return of('iterator').zipKeyed(this, args); },
    join(...args) { return of('iteratorPrototype').join(this, args); },
    includes(...args) { return of('iteratorPrototype').includes(this, args); },
  };
  add(Iterator, 'concat', iterator.concat, 0);
  add(Iterator, 'zip', iterator.zip, 1);
  add(Iterator, 'zipKeyed', iterator.zipKeyed, 1);
  add(Iterator.prototype, 'join', iterator.join, 1);
  add(Iterator.prototype, 'includes', iterator.includes, 1);

  const math = { sumPrecise(...args) { return of('math').sumPrecise(this, args); } };
  add(Math, 'sumPrecise', math.sumPrecise, 1);

  const map = {
    getOrInsert(...args) { return of('map').getOrInsert(this, args); },
    getOrInsertComputed(...args) { return of('map').getOrInsertComputed(this, args); },
  };
  add(p.Map.prototype, 'getOrInsert', map.getOrInsert, 2);
  add(p.Map.prototype, 'getOrInsertComputed', map.getOrInsertComputed, 2);
  const weakMap = {
    getOrInsert(...args) { return of('weakMap').getOrInsert(this, args); },
    getOrInsertComputed(...args) { return of('weakMap').getOrInsertComputed(this, args); },
  };
  add(p.WeakMap.prototype, 'getOrInsert', weakMap.getOrInsert, 2);
  add(p.WeakMap.prototype, 'getOrInsertComputed', weakMap.getOrInsertComputed, 2);

  const bytes = {
    fromBase64(...args) { return of('bytes').fromBase64(this, args); },
    fromHex(...args) { return of('bytes').fromHex(this, args); },
    toBase64(...args) { return of('bytesPrototype').toBase64(this, args); },
    setFromBase64(...args) { return of('bytesPrototype').setFromBase64(this, args); },
    toHex(...args) { return of('bytesPrototype').toHex(this, args); },
    setFromHex(...args) { return of('bytesPrototype').setFromHex(this, args); },
  };
  add(p.Uint8Array, 'fromBase64', bytes.fromBase64, 1);
  add(p.Uint8Array, 'fromHex', bytes.fromHex, 1);
  add(p.Uint8Array.prototype, 'toBase64', bytes.toBase64, 0);
  add(p.Uint8Array.prototype, 'setFromBase64', bytes.setFromBase64, 1);
  add(p.Uint8Array.prototype, 'toHex', bytes.toHex, 0);
  add(p.Uint8Array.prototype, 'setFromHex', bytes.setFromHex, 1);
})
