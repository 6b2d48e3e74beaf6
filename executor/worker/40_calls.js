// What leaves the isolate and is answered: tool calls and outbound requests.
//
//   dispatch(provider, tool, argsJSON)  a promise of the envelope's JSON text
//   namespace(provider)                 the object a program knows a provider by
//   outbound(init)                      a promise of a response, as worker/outbound has it
//   answer(id, text), fetched(id, text) Go's side of the two
//   callOf(error)                       "provider.tool" of the call whose error it is, undefined for any other
//   nextId(), enter(), leave()          an id, and the count of what is in flight, for worker/outbound
//
// state[1] is the number of promises of both that wait for the pool.
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
  let requested = false;
  host.nextId = () => {
    requested = true;
    return ++lastId;
  };
  host.enter = () => {
    if (inFlight >= host.limits.callsInFlight) return false;
    inFlight++;
    return true;
  };
  host.leave = () => { inFlight--; };

  const park = () => {
    const id = ++lastId;
    const parked = host.deferred();
    waiting.set(id, parked);
    state[PENDING]++;
    parked.id = id;
    return parked;
  };
  const unpark = (id) => {
    const parked = waiting.get(id);
    if (parked === undefined) return undefined;
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
    const over = new p.Error('Execution has already completed');
    waiting.forEach((parked) => parked.reject(over));
    waiting.clear();
    if (requested) host.load('worker/outbound').renew(over);
  };
  host.dispatch = (provider, tool, args) => {
    const max = host.limits;
    if (calls >= max.toolCalls) throw refuse(provider, tool, 'toolCalls', `too many tool calls: at most ${max.toolCalls} in a run`);
    if (inFlight >= max.callsInFlight) {
      throw refuse(provider, tool, 'callsInFlight', `too many tool calls at one time: at most ${max.callsInFlight} may be unanswered`);
    }
    const parked = park();
    // A string has at least as many bytes as characters, so that one far too long need not cross to be measured.
    if (args.length > max.argumentBytes || native.call(parked.id, provider, tool, host.toGo(args)) === false) {
      unpark(parked.id);
      throw refuse(provider, tool, 'argumentBytes', `the arguments of ${tool} are too large: at most ${max.argumentBytes} bytes of JSON`);
    }
    calls++;
    inFlight++;
    return parked.promise;
  };
  host.answer = (id, text) => {
    const parked = unpark(id);
    if (parked === undefined) return;
    inFlight--;
    parked.resolve(host.fromGo(text));
  };

  // The error of a failed call shows where the program awaited it, not where this file threw it.
  const capture = p.Error.captureStackTrace;
  const failed = new p.SafeWeakMap(); // error -> "provider.tool"
  host.callOf = (error) => failed.get(error);
  const settled = (text, caller, provider, tool) => {
    try {
      return host.decodeEnvelope(text);
    } catch (error) {
      capture(error, caller);
      failed.set(error, `${provider}.${tool}`);
      throw error;
    }
  };
  const method = (provider, tool) => {
    // a member that is called '' gives its function no name, as the reference's have none
    const call = {
      __proto__: null,
      '': async (...args) => {
        // Without a prototype the list is an array for JSON whatever Object.prototype has.
        return settled(await host.dispatch(provider, tool, host.encode(p.ObjectSetPrototypeOf(args, null), false)), call[''], provider, tool);
      },
    };
    return call[''];
  };
  host.namespace = (provider) => {
    return new p.Proxy({}, {
      __proto__: null,
      get(target, key) {
        if (p.ObjectHasOwn(target, key)) return target[key];
        if (typeof key === 'symbol' || key === 'then' || host.serialising && key === 'toJSON') return undefined;
        return method(provider, key);
      },
    });
  };

  host.outbound = (init) => host.load('worker/outbound').send(init);
  host.fetched = (id, text) => {
    if (requested) host.load('worker/outbound').receive(id, text);
  };
})
