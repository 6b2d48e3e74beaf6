// The global scope: what is the global object's own, what it inherits, and globals that are made on first touch.
//
//   define(key, value, {enumerable})  a global; what the program has put in its place stays
//   lazy(words)                       globals of scripts, each of which runs when one of its own is first read; a word with a colon
//                                     at its end is a script, the others after it are its globals
//   lazyMember(object, key, make)     an enumerable property of the platform's that make returns when it is first read
//
// As in workerd the global object is a ServiceWorkerGlobalScope: interfaces and functions are on its prototype, the
// instances (crypto, process) its own, events come from EventTarget. A global that waits for its script is an accessor;
// Object.getOwnPropertyDescriptor and its kin make it before they look, so that a program sees data properties alone.
(function (host) {
  'use strict';
  const global = globalThis;
  const p = host.primordials;
  const own = { __proto__: null };
  const eventMethods = { __proto__: null, addEventListener: true, removeEventListener: true, dispatchEvent: true };

  const interfaceOf = (Interface, parent) => {
    const name = p.hide(Interface).name;
    const prototype = p.ObjectCreate(parent);
    p.define(prototype, 'constructor', Interface);
    p.define(prototype, p.SymbolToStringTag, name);
    p.ObjectDefineProperty(Interface, 'prototype', { __proto__: null, value: prototype, writable: true });
    return Interface;
  };
  const illegal = () => { throw new p.TypeError('Illegal constructor'); };
  const WorkerGlobalScope = interfaceOf(function WorkerGlobalScope() { illegal(); }, p.ObjectPrototype);
  const ServiceWorkerGlobalScope = interfaceOf(function ServiceWorkerGlobalScope() { illegal(); }, WorkerGlobalScope.prototype);
  const base = WorkerGlobalScope.prototype;
  const scope = ServiceWorkerGlobalScope.prototype;
  p.ObjectSetPrototypeOf(global, scope);

  const instances = p.words('navigator global process Buffer origin Cloudflare performance scheduler caches crypto self');
  for (let i = 0; i < instances.length; i++) {
    own[instances[i]] = true;
    p.define(global, instances[i], undefined, true);
  }
  const homeOf = (key) => (own[key] ? global : key === 'EventTarget' || eventMethods[key] ? base : scope);

  const made = new p.SafeMap(); // key -> value
  const waiting = new p.SafeMap(); // key -> the accessor's getter
  const isWaiting = (home, key) => {
    const getter = waiting.get(key);
    return getter !== undefined && p.ObjectGetOwnPropertyDescriptor(home, key)?.get === getter;
  };
  const define = (key, value, options) => {
    const home = homeOf(key);
    made.set(key, value);
    if (waiting.has(key) && !isWaiting(home, key)) return;
    if (eventMethods[key]) p.ReflectDeleteProperty(home, key); // inherited from EventTarget from now on
    else p.tryDefine(home, key, value, options?.enumerable === true);
    if (key === 'EventTarget') p.ObjectSetPrototypeOf(base, value.prototype);
  };
  const wait = (script, key) => {
    const get = () => {
      if (!made.has(key)) host.load(script);
      return made.get(key);
    };
    waiting.set(key, get);
    p.defineAccessor(homeOf(key), key, get, (value) => p.define(global, key, value, true), true);
  };
  const lazy = (words) => {
    let script;
    for (let i = 0; i < words.length; i++) {
      const word = words[i];
      if (word[word.length - 1] === ':') script = p.StringPrototypeSlice(word, 0, word.length - 1);
      else wait(script, word);
    }
  };

  // The one object that has such a member, so that a look at any other costs nothing.
  let holder, member, resolve;
  const lazyMember = (object, key, make) => {
    const settle = (value) => p.define(object, key, value, true);
    const get = () => {
      const value = make();
      settle(value);
      holder = undefined;
      return value;
    };
    holder = object;
    member = key;
    resolve = get;
    p.ObjectDefineProperty(object, key, { __proto__: null, get, set: settle, enumerable: true, configurable: true });
  };

  // A look at a property's descriptor is a touch.
  const touch = (object, key) => {
    if (holder !== undefined && object === holder && key === member) resolve();
    if (object !== global && object !== scope && object !== base) return;
    if (typeof key === 'string' && isWaiting(object, key)) waiting.get(key)();
  };
  const touchAll = (object) => {
    if (object === holder && holder !== undefined) resolve();
    if (object !== global && object !== scope && object !== base) return;
    waiting.forEach((get, key) => { if (isWaiting(object, key)) get(); });
  };
  const keyOf = (key) => (typeof key === 'object' || typeof key === 'function' ? `${key}` : key);
  const patch = (holder, name, replacement) => {
    p.setLength(p.hide(replacement), holder[name].length);
    p.define(holder, name, replacement);
  };
  const { getOwnPropertyDescriptor, getOwnPropertyDescriptors } = p.Object;
  const reflectDescriptor = Reflect.getOwnPropertyDescriptor;
  const lookupGetter = p.uncurryThis(p.ObjectPrototype.__lookupGetter__);
  const lookupSetter = p.uncurryThis(p.ObjectPrototype.__lookupSetter__);
  patch(p.Object, 'getOwnPropertyDescriptor', {
    getOwnPropertyDescriptor(object, key) {
      touch(object, key);
      return getOwnPropertyDescriptor(object, key);
    },
  }.getOwnPropertyDescriptor);
  patch(p.Object, 'getOwnPropertyDescriptors', {
    getOwnPropertyDescriptors(object) {
      touchAll(object);
      return getOwnPropertyDescriptors(object);
    },
  }.getOwnPropertyDescriptors);
  patch(Reflect, 'getOwnPropertyDescriptor', {
    getOwnPropertyDescriptor(object, key) {
      touch(object, key);
      return reflectDescriptor(object, key);
    },
  }.getOwnPropertyDescriptor);
  const lookup = {
    __lookupGetter__(key) {
      key = keyOf(key);
      for (let at = this; at === global || at === scope || at === base; at = p.ObjectGetPrototypeOf(at)) touch(at, key);
      return lookupGetter(this, key);
    },
    __lookupSetter__(key) {
      key = keyOf(key);
      for (let at = this; at === global || at === scope || at === base; at = p.ObjectGetPrototypeOf(at)) touch(at, key);
      return lookupSetter(this, key);
    },
  };
  patch(p.ObjectPrototype, '__lookupGetter__', lookup.__lookupGetter__);
  patch(p.ObjectPrototype, '__lookupSetter__', lookup.__lookupSetter__);

  define('global', global, { enumerable: true });
  define('self', global, { enumerable: true });
  p.ObjectDefineProperty(global, 'origin', { __proto__: null, value: 'null', writable: false, enumerable: true, configurable: true });
  define('WorkerGlobalScope', WorkerGlobalScope, { enumerable: true });
  p.define(global, 'ServiceWorkerGlobalScope', ServiceWorkerGlobalScope, true);
  return { __proto__: null, define, lazy, lazyMember };
})
