// Timers and microtasks. Go looks at state[0], the time at which the next timer is due (Infinity for none), and calls
// fire when it has come, once a callback, so that microtasks run in between.
(function (host) {
  'use strict';
  const global = globalThis;
  const p = host.primordials;
  const { state, native } = host;
  const DUE = 0;
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
    const timer = { __proto__: null, id: ++lastId, at: native.now() + delay, fn, args, every, delay };
    active.set(timer.id, timer);
    add(timer);
    settle();
    return timer.id;
  };
  const clear = (id) => {
    if (typeof id !== 'number') {
      if (typeof id !== 'string') return;
      id = +id;
    }
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
    try {
      p.ReflectApply(fn, global, args);
    } catch {
      // The reference lets a throwing timer pass in silence.
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
  const globals = {
    setTimeout(callback, msDelay, ...args) {
      check('setTimeout', callback);
      return set(callback, msDelay, args, false);
    },
    clearTimeout(timeoutId) { clear(timeoutId); },
    setInterval(callback, msDelay, ...args) {
      check('setInterval', callback);
      return set(callback, msDelay, args, true);
    },
    clearInterval(timeoutId) { clear(timeoutId); },
    setImmediate(callback, ...args) {
      check('setImmediate', callback);
      return set(callback, 0, args, false);
    },
    clearImmediate(immediateId) { clear(immediateId); },
    queueMicrotask(task) {
      check('queueMicrotask', task);
      host.queueMicrotask(task);
    },
  };
  for (const name in globals) p.define(global, name, p.hide(globals[name]));
})
