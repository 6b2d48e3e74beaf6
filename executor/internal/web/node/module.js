// node:module: there is nothing to load, so that its loader is createRequire over the platform's modules. node:test is here too.
(function (host) {
  'use strict';
  const { withCode, checkFunction, checkString, invalidType } = host.load('node/errors');
  const modules = host.load('modules');
  const notImplemented = (name) => ({
    [name]() { throw withCode(Error, 'ERR_METHOD_NOT_IMPLEMENTED', `The ${name} method is not implemented`); },
  }[name]);
  const createRequire = (path) => {
    if (typeof path !== 'string' && !(path instanceof URL)) throw invalidType('filename', 'a file URL object, a file URL string, or an absolute path string', path);
    const require = (id) => {
      checkString(id, 'id');
      return modules.require(id);
    };
    return Object.assign(require, { resolve: (id) => id, cache: {}, extensions: {}, main: undefined });
  };
  function Module(id = '') {
    this.id = id;
    this.exports = {};
  }
  class SourceMap {
    constructor() { notImplemented('SourceMap')(); }
  }
  Object.assign(Module, {
    register: notImplemented('register'),
    constants: { compileCacheStatus: { __proto__: null, FAILED: 0, ENABLED: 1, ALREADY_ENABLED: 2, DISABLED: 3 } },
    enableCompileCache: notImplemented('enableCompileCache'),
    findPackageJSON: () => undefined,
    flushCompileCache: () => {},
    getCompileCacheDir: () => undefined,
    stripTypeScriptTypes: notImplemented('stripTypeScriptTypes'),
    findSourceMap: () => undefined,
    SourceMap,
    getSourceMapsSupport: () => ({ __proto__: null, enabled: false, nodeModules: false, generatedCode: false }),
    setSourceMapsSupport: () => {},
    createRequire,
    builtinModules: modules.builtinModules(),
    globalPaths: [],
    isBuiltin: modules.isBuiltin,
    runMain: notImplemented('runMain'),
    syncBuiltinESMExports: () => {},
    wrap: (script) => `(function (exports, require, module, __filename, __dirname) { ${script}\n});`,
    _cache: { __proto__: null },
    _debug: () => {},
    _extensions: { __proto__: null },
    _findPath: () => false,
    _initPaths: () => {},
    _load: (id) => modules.require(id),
    _pathCache: { __proto__: null },
    _preloadModules: () => {},
    _resolveFilename: (id) => id,
    _resolveLookupPaths: () => null,
    _nodeModulePaths: () => [],
    Module,
    registerHooks: notImplemented('registerHooks'),
  });

  // ---- node:test: the mocks

  class MockFunctionContext {
    #calls = [];
    #restore;
    #once = new Map();
    implementation;
    constructor(implementation, restore) {
      this.implementation = implementation;
      this.#restore = restore;
    }
    get calls() { return this.#calls.slice(); }
    callCount() { return this.#calls.length; }
    mockImplementation(fn) { this.implementation = fn; }
    mockImplementationOnce(fn, at = this.#calls.length) { this.#once.set(at, fn); }
    resetCalls() { this.#calls = []; }
    restore() { this.#restore?.(); }
    run(target, self, args) {
      const fn = this.#once.get(this.#calls.length) ?? this.implementation;
      const call = { arguments: args, error: undefined, result: undefined, stack: new Error(), target, this: self };
      this.#calls.push(call);
      try {
        return (call.result = target === undefined ? Reflect.apply(fn, self, args) : Reflect.construct(fn, args, target));
      } catch (error) {
        call.error = error;
        throw error;
      }
    }
  }
  class MockTracker {
    #contexts = [];
    fn(original = () => {}, implementation = original) {
      checkFunction(original, 'original');
      return this.#make(original, typeof implementation === 'function' ? implementation : original);
    }
    #make(original, implementation, restore = undefined) {
      const context = new MockFunctionContext(implementation, () => {
        context.implementation = original;
        restore?.();
      });
      this.#contexts.push(context);
      const mocked = function (...args) { return context.run(new.target, this, args); };
      return Object.defineProperty(mocked, 'mock', { value: context });
    }
    method(object, key, implementation = object[key]) {
      const own = Object.getOwnPropertyDescriptor(object, key);
      const original = object[key];
      checkFunction(original, 'methodName');
      const mocked = this.#make(original, typeof implementation === 'function' ? implementation : original, () => {
        if (own === undefined) delete object[key];
        else Object.defineProperty(object, key, own);
      });
      Object.defineProperty(object, key, { value: mocked, writable: true, configurable: true, enumerable: own?.enumerable ?? false });
      return mocked;
    }
    reset() {
      this.restoreAll();
      this.#contexts = [];
    }
    restoreAll() { for (const context of this.#contexts) context.restore(); }
  }
  const testing = { mock: new MockTracker(), MockFunctionContext, MockTracker };
  return Object.defineProperty(Module, 'testing', { value: testing });
})
