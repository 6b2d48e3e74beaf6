// Timers and microtasks. Go looks at state[0], the time at which the next timer is due (Infinity for none), and calls
// fire when it has come, once a callback, so that microtasks run in between.
(function (host) {
  'use strict';
  const global = globalThis;
  const p = host.primordials;
  const { state, native } = host;
  const DUE = 0;
  const LONGEST = 0x7fffffff; // milliseconds, what a poll can wait
  state[DUE] = Infinity;

  // A binary heap by time, then id. A cleared timer stays in it without a callback until its turn, or until the
  // cleared ones are the majority.
  let heap = p.list();
  const active = new p.SafeMap();
  let lastId = 0;

  const before = (a, b) => a.at < b.at || (a.at === b.at && a.id < b.id);
  const add = (timer) => {
    let i = heap.length;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!before(timer, heap[parent])) break;
      heap[i] = heap[parent];
      i = parent;
    }
    heap[i] = timer;
  };
  const take = () => {
    const first = heap[0];
    const last = heap[heap.length - 1];
    heap.length--;
    const length = heap.length;
    if (length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= length) break;
      if (child + 1 < length && before(heap[child + 1], heap[child])) child++;
      if (!before(heap[child], last)) break;
      heap[i] = heap[child];
      i = child;
    }
    heap[i] = last;
    return first;
  };
  const settle = () => {
    while (heap.length > 0 && heap[0].fn === undefined) take();
    state[DUE] = heap.length > 0 ? heap[0].at : Infinity;
  };
  const compact = () => {
    if (heap.length < 64 || heap.length < 2 * active.size) return;
    heap = p.list();
    active.forEach(add);
  };

  const set = (fn, delay, args, every) => {
    if (active.size >= host.limits.timers) throw host.limitError('timers', `too many timers: at most ${host.limits.timers} may be set at one time`);
    delay = +delay;
    if (!(delay > 0)) delay = 0;
    if (delay > LONGEST) delay = LONGEST;
    const timer = { __proto__: null, id: ++lastId, at: native.now() + delay, fn, args, every, delay, context: host.asyncContext.get() };
    active.set(timer.id, timer);
    add(timer);
    settle();
    return timer.id;
  };
  const clear = (id) => {
    const timer = active.get(id);
    if (timer === undefined) return;
    active.delete(id);
    timer.fn = undefined;
    compact();
    settle();
  };

  host.fire = () => {
    const timer = take();
    const { fn, args } = timer;
    if (timer.every) {
      timer.at = native.now() + (timer.delay < 1 ? 1 : timer.delay);
      add(timer);
    } else {
      active.delete(timer.id);
    }
    settle();
    host.asyncContext.set(timer.context);
    try {
      p.ReflectApply(fn, global, args);
    } catch (error) {
      host.load('worker/rejections').note([timer, error]); // the program goes on, as in the reference
    } finally {
      host.asyncContext.set(undefined);
    }
  };

  const none = p.list();
  host.setTimeout = (fn, delay) => set(fn, delay, none, false);
  host.clearTimeout = clear;
  host.queueMicrotask = async (fn) => {
    await undefined;
    fn();
  };

  const check = (name, fn) => {
    if (typeof fn === 'function') return;
    throw new p.TypeError(`Failed to execute '${name}' on 'ServiceWorkerGlobalScope': parameter 1 is not of type 'function'.`);
  };
  // What setImmediate returns is an object.
  const immediates = new p.SafeWeakMap();
  class Immediate {
    constructor() { throw new p.TypeError('Illegal constructor'); }
    ref() {}
    unref() {}
    hasRef() { return false; }
    [Symbol.dispose]() { clear(immediates.get(this)); }
  }
  p.hide(Immediate);
  for (const key of ['ref', 'unref', 'hasRef']) p.define(Immediate.prototype, key, p.hide(Immediate.prototype[key]), true);
  p.define(Immediate.prototype, p.SymbolToStringTag, 'Immediate');

  const listOf = (args) => {
    const list = p.list();
    for (let i = 0; i < args.length; i++) list[i] = args[i];
    return list;
  };
  const schedule = (name, fn, delay, args, every) => {
    check(name, fn);
    return set(fn, delay, listOf(args), every);
  };
  const illegal = 'Illegal invocation: function called with incorrect `this` reference. ' +
    'See https://developers.cloudflare.com/workers/observability/errors/#illegal-invocation-errors for details.';
  const checkThis = (self) => {
    if (self !== undefined && self !== null && self !== global) throw new p.TypeError(illegal);
  };
  // A number as Web IDL converts it. It may be undefined, but not missing.
  const clearNamed = (name, ids) => {
    if (ids.length === 0) throw new p.TypeError(`Failed to execute '${name}' on 'ServiceWorkerGlobalScope': parameter 1 is not of type 'Number'.`);
    const id = ids[0];
    if (id !== undefined && id !== null) clear(+id);
  };
  // With a default for each parameter: the reference's functions have length 0. An argument that is missing in a list of all
  // would be what the program has given Array.prototype.
  const globals = {
    setTimeout(fn = undefined, delay = undefined, ...args) {
      checkThis(this);
      return schedule('setTimeout', fn, delay, args, false);
    },
    clearTimeout(...ids) {
      checkThis(this);
      clearNamed('clearTimeout', ids);
    },
    setInterval(fn = undefined, delay = undefined, ...args) {
      checkThis(this);
      return schedule('setInterval', fn, delay, args, true);
    },
    clearInterval(...ids) {
      checkThis(this);
      clearNamed('clearInterval', ids);
    },
    setImmediate(fn = undefined, ...args) {
      checkThis(this);
      check('setImmediate', fn);
      const immediate = p.ObjectCreate(Immediate.prototype);
      immediates.set(immediate, set(fn, 0, listOf(args), false));
      return immediate;
    },
    clearImmediate(...args) {
      checkThis(this);
      const immediate = args.length > 0 ? args[0] : 0;
      if (immediate === undefined || immediate === null) return;
      if (!immediates.has(immediate)) throw new p.TypeError("Failed to execute 'clearImmediate' on 'ServiceWorkerGlobalScope': parameter 1 is not of type 'Immediate'.");
      clear(immediates.get(immediate));
    },
    queueMicrotask(fn = undefined) {
      checkThis(this);
      check('queueMicrotask', fn);
      host.queueMicrotask(fn);
    },
  };
  const names = p.ObjectKeys(globals);
  for (let i = 0; i < names.length; i++) host.define(names[i], p.hide(globals[names[i]]), { enumerable: true });

  class Scheduler {
    constructor() { throw new p.TypeError('Illegal constructor'); }
    wait(...args) {
      const fail = (index, type) => { throw new p.TypeError(`Failed to execute 'wait' on 'Scheduler': parameter ${index} is not of type '${type}'.`); };
      if (args.length === 0) fail(1, 'number');
      const options = args.length > 1 ? args[1] : undefined;
      if (options !== undefined && options !== null && typeof options !== 'object' && typeof options !== 'function') fail(2, 'WaitOptions');
      const signal = options?.signal;
      const abort = signal === undefined ? undefined : host.load('32_abort');
      return p.newPromise((resolve, reject) => {
        if (abort?.isAborted(signal)) {
          reject(abort.reasonOf(signal));
          return;
        }
        const id = set(() => resolve(undefined), args[0], none, false);
        abort?.onAbort(signal, () => {
          clear(id);
          reject(abort.reasonOf(signal));
        });
      });
    }
  }
  p.hide(Scheduler);
  p.define(Scheduler.prototype, 'wait', p.hide(Scheduler.prototype.wait), true);
  p.define(Scheduler.prototype, p.SymbolToStringTag, 'Scheduler');
  host.define('scheduler', p.ObjectCreate(Scheduler.prototype), { enumerable: true });
})
