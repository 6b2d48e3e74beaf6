// caches: there is no cache behind it, and the reference says so alike.
// Globals: caches CacheStorage Cache
(function (host) {
  'use strict';
  const P = host.primordials;
  const { expose, receiver, illegal, wrong, string } = host.load('idl');

  const unavailable = () => P.PromiseReject(new P.Error('No Cache was configured'));
  const notImplemented = (method, on) => P.PromiseReject(new P.Error(`Failed to execute '${method}' on '${on}': the method is not implemented.`));
  const refused = (given, method, on, types) => {
    for (let i = given; i < types.length; i++) return P.PromiseReject(wrong(method, on, i + 1, types[i]));
    return undefined;
  };
  const request = ['Request or string'];

  class CacheImplementation {
    #brand;
    add() { #brand in receiver(this) || illegal(); return refused(arguments.length, 'add', 'Cache', request) ?? notImplemented('add', 'Cache'); }
    addAll() { #brand in receiver(this) || illegal(); return notImplemented('addAll', 'Cache'); }
    delete() { #brand in receiver(this) || illegal(); return refused(arguments.length, 'delete', 'Cache', request) ?? unavailable(); }
    match() { #brand in receiver(this) || illegal(); return refused(arguments.length, 'match', 'Cache', request) ?? unavailable(); }
    put() { #brand in receiver(this) || illegal(); return refused(arguments.length, 'put', 'Cache', ['Request or string', 'Response']) ?? unavailable(); }
    matchAll() { #brand in receiver(this) || illegal(); return notImplemented('matchAll', 'Cache'); }
    keys() { #brand in receiver(this) || illegal(); return notImplemented('keys', 'Cache'); }
  }
  const theDefault = new CacheImplementation();

  class StorageImplementation {
    #brand;
    constructor() {
      P.ObjectDefineProperty(this, 'default', { __proto__: null, value: theDefault, writable: false, enumerable: true, configurable: true });
    }
    async open(name) {
      #brand in receiver(this) || illegal();
      if (arguments.length === 0) throw wrong('open', 'CacheStorage', 1, 'string');
      string(name);
      return new CacheImplementation();
    }
    delete() { #brand in receiver(this) || illegal(); return notImplemented('delete', 'CacheStorage'); }
    match() { #brand in receiver(this) || illegal(); return notImplemented('match', 'CacheStorage'); }
    has() { #brand in receiver(this) || illegal(); return notImplemented('has', 'CacheStorage'); }
    keys() { #brand in receiver(this) || illegal(); return notImplemented('keys', 'CacheStorage'); }
  }
  host.define('Cache', expose('Cache', CacheImplementation, { constructible: false }), { enumerable: true });
  host.define('CacheStorage', expose('CacheStorage', StorageImplementation, { constructible: false }), { enumerable: true });
  host.define('caches', new StorageImplementation(), { enumerable: true });
})
