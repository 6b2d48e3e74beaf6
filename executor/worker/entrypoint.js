// The this of a program: in the reference it is the instance of a Worker's entrypoint, with ctx and env. Here it is one
// that nothing else uses, so that a program reaches no more by it than by cloudflare:workers. Offers entrypoint. Loaded
// by the first program whose text has the word in it.
(function (host) {
  'use strict';
  const p = host.primordials;
  const { expose, illegal, wrong } = host.load('idl');
  const { WorkerEntrypoint, env, tracing, waitUntil } = host.builtin('cloudflare:workers');

  let context;
  const check = (self) => { if (self !== context) illegal(); };
  class Implementation {
    // Its promise lives as long as the run: what comes after is dropped, as it is of every promise here.
    waitUntil(...args) {
      check(this);
      if (args.length === 0) throw wrong('waitUntil', 'ExecutionContext', 1, 'Promise');
      waitUntil(args[0]);
    }

    passThroughOnException() {
      check(this);
    }

    mapVirtualHost() {
      check(this);
      throw wrong('mapVirtualHost', 'ExecutionContext', 1, 'Fetcher');
    }

    abort(reason) {
      check(this);
      host.exit(`${p.ErrorIsError(reason) ? reason.message : reason}`);
    }
  }
  expose('ExecutionContext', Implementation, { constructible: false });

  context = new Implementation();
  const own = { __proto__: null, tracing, access: undefined, cache: undefined, props: {} };
  for (const key in own) p.define(context, key, own[key], true);
  class CodeExecutor extends WorkerEntrypoint {}
  return { __proto__: null, entrypoint: new CodeExecutor(context, env) };
})
