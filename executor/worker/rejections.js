// Promises that rejected while nobody listened, and timers that threw, which a program's author should hear of though the run
// goes on. Loaded by the first of them.
//
//   note(args)   of the engine: a promise and its reason, or the promise alone when a handler came after all; a timer likewise
//   take()       JSON of those that still have none: [{name, message, call, frames or stack}…]
//
// No code of the program runs here: what a getter or a proxy would say stays unsaid.
(function (host) {
  'use strict';
  const p = host.primordials;
  const MOST_NOTED = 1000;
  const MOST_TOLD = 10;
  const LONGEST = 2000;
  let open = new p.SafeMap();

  const note = (args) => {
    if (args.length === 1) open.delete(args[0]);
    else if (open.size < MOST_NOTED) open.set(args[0], { __proto__: null, reason: args[1] });
  };

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  // A member that is a plain value, the object's own or one that it inherits.
  const dataOf = (object, key) => {
    for (let at = object, steps = 0; at !== null && steps < 10 && !host.isProxy(at); at = p.ObjectGetPrototypeOf(at), steps++) {
      const member = p.ObjectGetOwnPropertyDescriptor(at, key);
      if (member !== undefined) return typeof member.value === 'string' ? member.value : undefined;
    }
    return undefined;
  };
  const short = (text) => (text.length > LONGEST ? `${p.StringPrototypeSlice(text, 0, LONGEST)}…` : text);
  const describe = (reason) => {
    const out = { __proto__: null, name: '', message: '' };
    if (!isObject(reason)) {
      out.message = short(p.String(reason));
      return out;
    }
    out.message = short(dataOf(reason, 'message') ?? '');
    if (p.ErrorIsError(reason) || out.message !== '') out.name = short(dataOf(reason, 'name') ?? '');
    else out.message = 'an object that is no Error';
    if (host.isProxy(reason)) return out;
    out.call = host.callOf(reason);
    const stack = host.stackOf(reason);
    if (stack?.frames !== undefined) out.frames = stack.frames;
    if (stack?.text !== undefined) out.stack = short(stack.text);
    return out;
  };

  const take = () => {
    const told = p.list();
    open.forEach((noted) => { if (told.length < MOST_TOLD) told[told.length] = describe(noted.reason); });
    open = new p.SafeMap();
    return p.JSONStringify(told);
  };
  return { __proto__: null, note, take };
})
