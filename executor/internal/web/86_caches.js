// caches: there is no cache behind it, and the reference says so alike.
// Globals: caches CacheStorage Cache
(function (host) {
  'use strict';
  const P = host.primordials;
  const { expose, receiver, illegal, wrong, string, isObject } = host.load('idl');
  const { newRequest, stateOf, responseOf } = host.load('56_request');
  const { headersOf } = host.load('55_body');
  const H = host.load('54_headers');

  const unavailable = () => P.PromiseReject(new P.Error('No Cache was configured'));
  const notImplemented = (method, on) => P.PromiseReject(new P.Error(`Failed to execute '${method}' on '${on}': the method is not implemented.`));
  // What is wrong with the arguments counts before there being no cache.
  const checked = (work) => {
    try {
      return work() ?? unavailable();
    } catch (error) {
      return P.PromiseReject(error);
    }
  };
  const methodOf = (input, given, method) => {
    if (given === 0) throw wrong(method, 'Cache', 1, 'Request or string');
    return stateOf(newRequest(input, undefined)).method;
  };
  const checkOptions = (options, method) => {
    if (options !== undefined && options !== null && !isObject(options)) throw wrong(method, 'Cache', 2, 'CacheQueryOptions');
  };
  const checkResponse = (response) => {
    if (responseOf(response).status === 206) throw new P.TypeError('Cannot cache response to a range request (206 Partial Content).');
    if (H.get(headersOf(response), 'vary') === '*') throw new P.TypeError("Cannot cache response with 'Vary: *' header.");
  };
  // Only a GET can be in a cache.
  const lookup = (input, options, given, method, miss) => {
    if (given > 0) checkOptions(options, method);
    const verb = methodOf(input, given, method);
    return verb === 'GET' || options?.ignoreMethod ? undefined : P.PromiseResolve(miss);
  };

  class CacheImplementation {
    #brand;
    add() { #brand in receiver(this) || illegal(); return notImplemented('add', 'Cache'); }
    addAll() { #brand in receiver(this) || illegal(); return notImplemented('addAll', 'Cache'); }
    delete(input, options = undefined) {
      #brand in receiver(this) || illegal();
      return checked(() => lookup(input, options, arguments.length, 'delete', false));
    }
    match(input, options = undefined) {
      #brand in receiver(this) || illegal();
      return checked(() => lookup(input, options, arguments.length, 'match', undefined));
    }
    put(input, response) {
      #brand in receiver(this) || illegal();
      return checked(() => {
        if (arguments.length > 0 && responseOf(response) === undefined) throw wrong('put', 'Cache', 2, 'Response');
        if (methodOf(input, arguments.length, 'put') !== 'GET') throw new P.TypeError('Cannot cache response to non-GET request.');
        checkResponse(response);
      });
    }
    matchAll() { #brand in receiver(this) || illegal(); return notImplemented('matchAll', 'Cache'); }
    keys() { #brand in receiver(this) || illegal(); return notImplemented('keys', 'Cache'); }
  }
  const theDefault = new CacheImplementation();

  class StorageImplementation {
    #brand;
    constructor() {
      P.ObjectDefineProperty(this, 'default', { __proto__: null, value: theDefault, writable: false, enumerable: true, configurable: true });
    }
    open(name) {
      #brand in receiver(this) || illegal();
      if (arguments.length === 0) return P.PromiseReject(wrong('open', 'CacheStorage', 1, 'string'));
      try {
        string(name);
      } catch (error) {
        return P.PromiseReject(error);
      }
      return P.PromiseResolve(new CacheImplementation());
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
