// What leaves the isolate and is answered: tool calls and outbound requests.
//
//   dispatch(provider, tool, argsJSON)  a promise of the envelope's JSON text
//   namespace(provider)                 the object a program knows a provider by
//   outbound(init)                      a promise of a response, as worker/outbound has it
//   answer(text), fetched(id, text)     Go's side of the two
//   callOf(error)                       "provider.tool" of the call whose error it is, undefined for any other
//   nextId(), enter(), leave()          an id, and the count of what is in flight, for worker/outbound
//
// state[1] is the number of promises of both that wait for the pool, state[4] the id of a call that crosses or is answered, and
// state[5] the number of its name: numbers cost much less there than as arguments.
(function (host) {
  'use strict';
  const p = host.primordials;
  const { native, state } = host;
  const PENDING = 1, ID = 4, NAME = 5;

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
    const parked = host.deferred();
    waiting.set(++lastId, parked);
    state[PENDING]++;
    return parked;
  };
  const unpark = (id) => {
    const parked = waiting.get(id);
    if (parked === undefined) return undefined;
    waiting.delete(id);
    state[PENDING]--;
    return parked;
  };

  const refuse = (name, limit, message) => {
    if (refused.length < 100) refused[refused.length] = name;
    return host.limitError(limit, message);
  };
  const numbers = new p.SafeMap(); // provider -> tool -> its number with Go: with a proxySource, either may have a dot
  let numbered = 0;
  const numberOf = (provider, tool) => {
    let tools = numbers.get(provider);
    if (tools === undefined) {
      tools = new p.SafeMap();
      numbers.set(provider, tools);
    }
    let number = tools.get(tool);
    if (number === undefined) {
      number = numbered++;
      tools.set(tool, number);
      native.name(provider, tool);
    }
    return number;
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
    const name = `${provider}.${tool}`;
    if (calls >= max.toolCalls) throw refuse(name, 'toolCalls', `too many tool calls: at most ${max.toolCalls} in a run`);
    if (inFlight >= max.callsInFlight) {
      throw refuse(name, 'callsInFlight', `too many tool calls at one time: at most ${max.callsInFlight} may be unanswered`);
    }
    // A string has at least as many bytes as characters, so that one far too long need not cross to be measured.
    const fits = args.length <= max.argumentBytes;
    if (fits) {
      state[NAME] = numberOf(provider, tool);
      state[ID] = lastId + 1;
    }
    if (!fits || native.call(host.toGo(args)) === false) {
      throw refuse(name, 'argumentBytes', `the arguments of ${tool} are too large: at most ${max.argumentBytes} bytes of JSON`);
    }
    calls++;
    inFlight++;
    return park().promise;
  };
  host.answer = (text) => {
    const parked = unpark(state[ID]);
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
    // Behind a comma a function gets no name, as the reference's have none. A program may print its text: no comment in it.
    // Without a prototype the list is an array for JSON whatever Object.prototype has.
    const call = (undefined, async (...args) => {
      return settled(await host.dispatch(provider, tool, host.encodeArguments(p.ObjectSetPrototypeOf(args, null))), call, provider, tool);
    });
    return call;
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
