// One run: from the compiled program to its value or failure, handed to Go as text.
//
//   provide(name, proxySource)   declares a provider; proxySource is undefined or a function of __dispatch
//   exit(message)                ends the run with an error that the program cannot catch
//   start(make, runHeader, lastId)  make(hooks, scope) is the program as program.go wraps it
//   conclude(work)               ends the run with what the promise of work() comes to
//
// What a program threw is read here with care: its getters may throw, loop or lie, and so may Error.prepareStackTrace.
(function (host) {
  'use strict';
  const p = host.primordials;
  const { native } = host;

  // The methods of call sites, taken from one before any program could see them.
  const site = { __proto__: null };
  let getStack;
  {
    const { stackTraceLimit } = p.Error;
    p.Error.stackTraceLimit = 1; // a site takes as long as everything else here
    p.Error.prepareStackTrace = (error, sites) => sites[0];
    const probe = new p.Error();
    const prototype = p.ObjectGetPrototypeOf(probe.stack);
    getStack = p.ObjectGetOwnPropertyDescriptor(probe, 'stack').get;
    delete p.Error.prepareStackTrace;
    p.Error.stackTraceLimit = stackTraceLimit;
    site.toString = p.uncurryThis(prototype.toString);
    site.getScriptNameOrSourceURL = p.uncurryThis(prototype.getScriptNameOrSourceURL);
    site.getLineNumber = p.uncurryThis(prototype.getLineNumber);
    site.getColumnNumber = p.uncurryThis(prototype.getColumnNumber);
  }

  // The stack of an error: {frames: [[text, script, line, column]...]}, or {text} when the program has had it formatted
  // before, or nothing when asking would run code of the program.
  const stackOf = (error) => {
    const own = p.ObjectGetOwnPropertyDescriptor(error, 'stack');
    if (own === undefined || own.get !== getStack) return typeof own?.value === 'string' ? { text: own.value } : undefined;
    let frames;
    const value = (target, sites) => {
      if (target !== error || frames !== undefined) return '';
      frames = p.list();
      for (let i = 0; i < sites.length; i++) {
        const frame = p.list();
        frame[0] = site.toString(sites[i]);
        frame[1] = site.getScriptNameOrSourceURL(sites[i]) ?? '';
        frame[2] = site.getLineNumber(sites[i]) ?? 0;
        frame[3] = site.getColumnNumber(sites[i]) ?? 0;
        frames[i] = frame;
      }
      return '';
    };
    if (!p.ReflectDefineProperty(p.Error, 'prepareStackTrace', { __proto__: null, value, writable: true, configurable: true })) return undefined;
    const text = error.stack;
    if (frames !== undefined) return { frames };
    return typeof text === 'string' ? { text } : undefined;
  };

  host.stackOf = stackOf;

  const attempt = (fn) => {
    try {
      return fn();
    } catch {
      return undefined;
    }
  };
  const isError = p.Error.isError;
  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const render = (value, json) => {
    if (typeof value !== 'object' || value === null || json === undefined) return attempt(() => p.String(value)) ?? 'an object that cannot be shown';
    if (p.StringPrototypeIncludes(json, '__codemode_')) json = attempt(() => host.plain(value)) ?? json; // words, not tags
    const text = p.JSONParse(json);
    return typeof text === 'string' ? text : json;
  };
  const isInstance = p.uncurryThis(Function.prototype[Symbol.hasInstance]);
  const isDOMException = (value) => attempt(() => isInstance(host.load('12_domexception').DOMException, value)) === true;

  // A failure is for people: megabytes of it stay here.
  const LONGEST = 1 << 20;
  const LONGEST_CAUSE = 2000;
  const shortened = (text, longest = LONGEST) => (text?.length > longest ? `${p.StringPrototypeSlice(text, 0, longest)}... (${text.length} characters)` : text);

  // What an error was made with: its cause and that one's, and the errors of an AggregateError, each in a line. Only members
  // that are values of their own are asked for.
  const MOST_CAUSES = 10;
  const ownValue = (object, key) => p.ObjectGetOwnPropertyDescriptor(object, key)?.value;
  const inALine = (value) => {
    const name = isError(value) ? attempt(() => value.name) : undefined;
    const message = isError(value) ? attempt(() => value.message) : undefined;
    if (typeof message !== 'string') return shortened(render(value, isObject(value) ? attempt(() => host.encode(value, true)) : undefined), LONGEST_CAUSE);
    return shortened(typeof name === 'string' && name !== '' ? `${name}: ${message}` : message, LONGEST_CAUSE);
  };
  const causesOf = (error) => {
    const causes = p.list();
    for (let at = error; isError(at) && causes.length < MOST_CAUSES;) {
      const errors = ownValue(at, 'errors');
      if (p.ArrayIsArray(errors)) {
        for (let i = 0; i < errors.length && causes.length < MOST_CAUSES; i++) causes[causes.length] = inALine(ownValue(errors, i));
      }
      if (!p.ObjectHasOwn(at, 'cause') || causes.length === MOST_CAUSES) break;
      at = ownValue(at, 'cause');
      if (at === undefined) break;
      causes[causes.length] = inALine(at);
    }
    return causes;
  };

  // describe is a Failure for Go: kind, name, message, stack, thrown, limit, causes.
  const describe = (value) => {
    const out = { __proto__: null, kind: 'thrown', message: '' };
    if (!isObject(value)) {
      out.thrown = attempt(() => host.encode(value, true));
      out.message = render(value, out.thrown);
      return out;
    }
    const limit = host.limitOf(value);
    if (limit !== undefined) {
      out.kind = 'limit';
      out.limit = limit;
      out.limitValue = host.limits[limit];
    }
    let message;
    try {
      message = value.message;
    } catch (error) {
      message = `the message of what was thrown cannot be read: ${attempt(() => p.String(isError(error) ? error.message : error)) ?? ''}`;
    }
    const genuine = isError(value) || isDOMException(value);
    if (genuine || typeof message === 'string') {
      const name = attempt(() => value.name);
      if (typeof name === 'string') out.name = name;
      const stack = attempt(() => stackOf(value));
      if (stack?.frames !== undefined) out.frames = stack.frames;
      if (stack?.text !== undefined) out.stack = stack.text;
    }
    if (genuine) {
      const causes = attempt(() => causesOf(value));
      if (causes?.length > 0) out.causes = causes;
    }
    if (!genuine) out.thrown = attempt(() => host.encode(value, true));
    else if (typeof message !== 'string' && message !== undefined) out.thrown = attempt(() => host.encode({ __proto__: null, message }, true));
    if (typeof message === 'string' && message !== '') out.message = message;
    else if (message !== undefined && message !== '' && !isObject(message)) out.message = p.String(message);
    else if (isObject(message)) out.message = render(message, attempt(() => host.encode(message, true)));
    else if (genuine) out.message = out.name ?? 'Error';
    else out.message = render(value, out.thrown);
    return out;
  };

  const shorten = (failure) => {
    failure.message = shortened(failure.message);
    failure.name = shortened(failure.name);
    failure.stack = shortened(failure.stack);
    if (failure.thrown?.length > host.limits.resultBytes) delete failure.thrown;
    return failure;
  };
  host.granted = 0;
  const finish = (kind, text, valueKind = '') => native.settle(kind, host.toGo(text), host.refused(), host.granted, host.unhandled(), valueKind);
  host.exit = (message) => fail(describe(new p.Error(message)));
  const fail = (failure) => finish('failure', p.JSONStringify(shorten(failure)));
  const overflow = (error) => isError(error) && attempt(() => error.message) === 'Maximum call stack size exceeded' && p.ObjectGetPrototypeOf(error) === p.RangeError.prototype;

  const succeed = (value) => {
    let text;
    try {
      text = host.encode(value, true, host.options.retain);
    } catch (error) {
      const failure = describe(error);
      if (overflow(error)) failure.kind = 'stack';
      fail(failure);
      return;
    }
    if (text === undefined) finish('undefined', '', value === undefined ? '' : typeof value);
    else if (text.length > host.limits.resultBytes) fail(resultLimit());
    else finish('value', text, typeof value === 'number' && text === 'null' ? p.String(value) : '');
  };
  const resultLimit = () => ({
    __proto__: null, kind: 'limit', limit: 'resultBytes', limitValue: host.limits.resultBytes,
    message: `the result is too large: at most ${host.limits.resultBytes} bytes of JSON`,
  });

  const providers = p.list();
  host.provide = (name, proxySource) => {
    const provider = { __proto__: null, name, proxySource };
    providers[providers.length] = provider;
  };
  const namespaceOf = (provider) => {
    if (provider.proxySource === undefined) return host.namespace(provider.name);
    const dispatch = async (name, tool, args) => await host.dispatch(p.String(name), p.String(tool), args === undefined ? '[]' : p.String(args));
    return provider.proxySource(dispatch);
  };

  // Which provider's source runs, for the failure to name it.
  let current;
  const named = (failure) => {
    if (current !== undefined) failure.provider = current;
    return failure;
  };
  const enter = (index) => { current = index < 0 ? undefined : providers[index].name; };
  const hooks = { __proto__: null, builtin: (name) => host.builtin?.(name) };

  // A promise is awaited for what it is only while its constructor is Promise, and a program may have replaced that of all.
  // What an async function has just returned is a promise that nobody else holds.
  const AsyncFunctionPrototype = p.ObjectGetPrototypeOf(async () => {});
  const own = (promise) => p.ObjectDefineProperty(promise, 'constructor', { __proto__: null, value: p.Promise });
  const outcomeOf = (fn) => (p.ObjectGetPrototypeOf(fn) === AsyncFunctionPrototype ? own(fn()) : fn());

  const evaluate = async (make) => {
    const scope = p.list();
    let self;
    scope.enter = enter;
    scope.entrypoint = () => { ({ entrypoint: self } = host.load('worker/entrypoint')); };
    for (let i = 0; i < providers.length; i++) {
      current = providers[i].name;
      scope[i] = namespaceOf(providers[i]);
    }
    current = undefined;
    let open = make(hooks, scope);
    if (typeof open !== 'function') open = await open;
    const program = p.ReflectApply(open, self, []);
    if (typeof program !== 'function') throw new p.TypeError('the program is not a function: it has to be one arrow function expression');
    return await outcomeOf(program);
  };

  host.extras(); // from now on

  // A console line that the program writes up to three microtasks after its arrow returned still counts, in the
  // reference and so here. evaluate's own await is the first of them and its return the second.
  host.start = (make, header, lastId) => {
    host.countFrom(lastId);
    const { outbound, losslessIntegers, consoleFormat, retain, ...limits } = p.JSONParse(header);
    host.limits = limits;
    host.options = { __proto__: null, losslessIntegers, consoleFormat, retain };
    host.outboundMode = outbound ? 'open' : 'blocked';
    host.conclude(() => evaluate(make));
  };
  host.conclude = async (work) => {
    let value;
    try {
      value = await own(work()); // of an async function of ours
    } catch (error) {
      await undefined;
      fail(named(describe(error)));
      return;
    }
    await undefined;
    succeed(value);
  };
})
