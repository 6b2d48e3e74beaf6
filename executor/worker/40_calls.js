// What leaves the isolate and is answered: tool calls and outbound requests.
//
//   dispatch(provider, tool, argsJSON)  a promise of the envelope's JSON text
//   namespace(provider)                 the object a program knows a provider by
//   outbound(init)                      a promise of {status, statusText, headers, url, redirected, body}; init is
//                                       {url, method, headers: [[name, value]...], redirect, body: Uint8Array | undefined}
//   answer(id, text), fetched(id, head) Go's side of the two
//
// state[1] is the number of both that are unanswered.
(function (host) {
  'use strict';
  const p = host.primordials;
  const { native, state } = host;
  const PENDING = 1;

  const limits = new p.SafeWeakMap();
  host.limitError = (limit, message) => {
    const error = new p.Error(message);
    limits.set(error, limit);
    return error;
  };
  host.limitOf = (error) => limits.get(error);

  const waiting = new p.SafeMap();
  const refused = p.list();
  let lastId = 0; // unique in the life of the process, so that a late answer finds nobody
  host.countFrom = (id) => { lastId = id; };
  let calls = 0;
  let inFlight = 0;

  const park = (kind) => {
    const id = ++lastId;
    const parked = host.deferred();
    parked.kind = kind;
    waiting.set(id, parked);
    state[PENDING]++;
    parked.id = id;
    return parked;
  };
  const unpark = (id, kind) => {
    const parked = waiting.get(id);
    if (parked === undefined || parked.kind !== kind) return undefined;
    waiting.delete(id);
    state[PENDING]--;
    return parked;
  };

  const refuse = (provider, tool, limit, message) => {
    if (refused.length < 100) refused[refused.length] = `${provider}.${tool}`;
    return host.limitError(limit, message);
  };
  host.refused = () => p.JSONStringify(refused);
  // A retained run begins anew with each call on a handle. What the last one still waited for is not answered any more.
  host.renewCalls = () => {
    calls = 0;
    inFlight = 0;
    refused.length = 0;
    state[PENDING] = 0;
    waiting.forEach((parked) => parked.reject(new p.Error('Execution has already completed')));
    waiting.clear();
  };
  host.dispatch = (provider, tool, args) => {
    const max = host.limits;
    if (calls >= max.toolCalls) throw refuse(provider, tool, 'toolCalls', `too many tool calls: at most ${max.toolCalls} in a run`);
    if (inFlight >= max.callsInFlight) {
      throw refuse(provider, tool, 'callsInFlight', `too many tool calls at one time: at most ${max.callsInFlight} may be unanswered`);
    }
    const parked = park('call');
    // A string has at least as many bytes as characters, so that one far too long need not cross to be measured.
    if (args.length > max.argumentBytes || native.call(parked.id, provider, tool, args) === false) {
      unpark(parked.id, 'call');
      throw refuse(provider, tool, 'argumentBytes', `the arguments of ${tool} are too large: at most ${max.argumentBytes} bytes of JSON`);
    }
    calls++;
    inFlight++;
    return parked.promise;
  };
  host.answer = (id, text) => {
    const parked = unpark(id, 'call');
    if (parked === undefined) return;
    inFlight--;
    parked.resolve(text);
  };

  // The error of a failed call shows where the program awaited it, not where this file threw it.
  const capture = p.Error.captureStackTrace;
  const settled = (text, caller) => {
    try {
      return host.decodeEnvelope(text);
    } catch (error) {
      capture(error, caller);
      throw error;
    }
  };
  const method = (provider, tool) => {
    // a member that is called '' gives its function no name, as the reference's have none
    const call = {
      __proto__: null,
      '': async (...args) => {
        return settled(await host.dispatch(provider, tool, host.encode(args, false)), call['']);
      },
    };
    return call[''];
  };
  host.namespace = (provider) => new p.Proxy({}, {
    __proto__: null,
    get(target, key) {
      if (p.ObjectHasOwn(target, key)) return target[key];
      if (typeof key === 'symbol' || key === 'then' || host.serialising && key === 'toJSON') return undefined;
      return method(provider, key);
    },
  });

  host.outbound = (init) => {
    const parked = park('fetch');
    const head = {
      __proto__: null, url: init.url, method: init.method, headers: init.headers, redirect: init.redirect ?? 'follow',
      hasBody: init.body !== undefined && init.body !== null,
    };
    native.fetch(parked.id, p.JSONStringify(head), head.hasBody ? host.putBytes(init.body) : 0);
    return parked.promise;
  };
  host.fetched = (id, text) => {
    const parked = unpark(id, 'fetch');
    const body = host.takeBytes();
    if (parked === undefined) return;
    const head = p.JSONParse(text);
    if (p.ObjectHasOwn(head, 'error')) {
      parked.reject(new p.Error(head.error));
      return;
    }
    head.body = body;
    // An own then keeps a program's Object.prototype.then out of the resolution.
    p.ObjectDefineProperty(head, 'then', { __proto__: null, value: undefined });
    parked.resolve(head);
  };
})
