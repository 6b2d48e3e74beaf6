// cloudflare:workers and its kin. A program is no Worker: the classes can be extended and made, env is empty, and what
// would reach another Worker refuses.
(function (host) {
  'use strict';
  const P = host.primordials;
  const isObject = (value) => typeof value === 'object' && value !== null || typeof value === 'function';
  const named = (Class, name) => {
    Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: name, writable: true, configurable: true });
    return Class;
  };

  const entrypoint = (name, shown, type) => named({
    [name]: class {
      constructor(ctx, env) {
        if (!isObject(ctx)) throw new TypeError(`Failed to construct '${shown}': constructor parameter 1 is not of type '${type}'.`);
        this.ctx = ctx;
        this.env = env;
      }
    },
  }[name], shown);
  const WorkerEntrypoint = entrypoint('WorkerEntrypoint', 'WorkerEntrypoint', 'Object');
  const DurableObject = entrypoint('DurableObject', 'DurableObjectBase', 'DurableObjectState');
  const WorkflowEntrypoint = entrypoint('WorkflowEntrypoint', 'WorkflowEntrypoint', 'ExecutionContext');
  class RpcTarget {}
  named(RpcTarget, 'JsRpcTarget');
  host.RpcTarget = RpcTarget;
  const illegal = (name) => ({ [name]: class { constructor() { throw new TypeError('Illegal constructor'); } } }[name]);

  // A stub in the same isolate: calls and members arrive a turn later, as promises.
  const stubOf = (target) => new P.Proxy(function () {}, {
    __proto__: null,
    apply: async (_, self, args) => target(...args),
    get: (_, key) => {
      if (typeof key === 'symbol' || key === 'then') return undefined;
      const member = target[key];
      return typeof member === 'function' ? async (...args) => Reflect.apply(member, target, args) : Promise.resolve(member);
    },
  });
  function RpcStub(target) {
    if (!isObject(target)) throw new TypeError("Failed to construct 'JsRpcStub': constructor parameter 1 is not of type 'Object'.");
    return stubOf(target);
  }

  // env and exports are live views on what withEnv and withExports have put in their place.
  const view = (start) => {
    let current = start;
    const forward = { __proto__: null };
    for (const trap of ['get', 'set', 'has', 'deleteProperty', 'ownKeys', 'getOwnPropertyDescriptor', 'defineProperty']) {
      forward[trap] = (_, ...args) => {
        const out = Reflect[trap](current, ...args.slice(0, trap === 'get' ? 1 : trap === 'set' ? 2 : args.length));
        if (trap === 'getOwnPropertyDescriptor' && out !== undefined) out.configurable = true;
        return out;
      };
    }
    const within = (value, fn) => {
      const before = current;
      current = value;
      try {
        return fn();
      } finally {
        current = before;
      }
    };
    return { proxy: new P.Proxy({}, forward), within };
  };
  const env = view({});
  const exported = view({ default: function () {} });

  class Tracing {
    startActiveSpan(name, ...rest) { return rest.at(-1)?.({ setAttribute() {}, end() {} }); }
  }
  const workers = {
    DurableObject, RpcPromise: illegal('RpcPromise'), RpcProperty: illegal('RpcProperty'), RpcStub, RpcTarget, ServiceStub: illegal('ServiceStub'), WorkerEntrypoint, WorkflowEntrypoint,
    abortIsolate: function abortIsolate(reason) { host.exit(`The isolate was aborted${reason === undefined ? '' : `: ${reason}`}`); },
    cache: {},
    env: env.proxy,
    exports: exported.proxy,
    restore: Symbol('cloudflare:workers:restore'),
    tracing: new (named(Tracing, 'Tracing'))(),
    waitUntil: (...args) => {
      if (args.length === 0) throw new TypeError("Failed to execute 'waitUntil' on 'EntrypointsModule': parameter 1 is not of type 'Promise'.");
      Promise.resolve(args[0]).then(undefined, () => {});
    },
    withEnv: (newEnv, fn) => env.within(newEnv, fn),
    withEnvAndExports: (newEnv, newExports, fn) => env.within(newEnv, () => exported.within(newExports, fn)),
    withExports: (newExports, fn) => exported.within(newExports, fn),
  };

  class NonRetryableError extends Error {
    constructor(message, name = 'NonRetryableError') {
      super(message);
      this.name = name;
    }
  }
  class PipelineTransformationEntrypoint extends WorkerEntrypoint {
    async run() { throw new Error('should be implemented by parent'); }
  }
  const refuse = (name) => ({ [name]: async () => { throw new Error(`${name} needs a server, which a program is not`); } }[name]);
  const same = (...names) => Object.fromEntries(names.map((name) => [name, name]));
  return {
    workers,
    workflows: { NonRetryableError },
    pipelines: { PipelineTransformationEntrypoint },
    node: { connectHandler: refuse('connectHandler'), handleAsNodeConnection: refuse('handleAsNodeConnection'), handleAsNodeRequest: refuse('handleAsNodeRequest'), httpServerHandler: refuse('httpServerHandler') },
    vectorize: {
      DistanceMetric: { EUCLIDEAN: 'euclidean', COSINE: 'cosine', DOT_PRODUCT: 'dot-product' },
      KnownModel: same('openai/text-embedding-ada-002', 'cohere/embed-multilingual-v2.0', '@cf/baai/bge-small-en-v1.5', '@cf/baai/bge-base-en-v1.5', '@cf/baai/bge-large-en-v1.5'),
      MetadataRetrievalLevel: { ALL: 'all', INDEXED: 'indexed', NONE: 'none' },
    },
  };
})
