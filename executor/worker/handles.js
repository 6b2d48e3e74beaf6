// Handles: functions of a retained run's value, by number, and the calls on them. Loaded by the first run that retains.
//
//   grant(fn, self)   the number of a function that the value has as a member of self
//   host.granted      how many there are
//   host.invoke(id, args)  Go's side: calls one, args being a JSON array, and ends like a run
(function (host) {
  'use strict';
  const p = host.primordials;
  const entries = p.list(); // id - 1 -> {fn, self, id}
  const known = new p.SafeWeakMap(); // fn -> its entries

  const grant = (fn, self) => {
    let own = known.get(fn);
    if (own === undefined) known.set(fn, own = p.list());
    for (let i = 0; i < own.length; i++) if (own[i].self === self) return own[i].id;
    const { handles } = host.limits;
    if (entries.length >= handles) throw host.limitError('handles', `too many functions in the result: at most ${handles} stay callable`);
    const entry = { __proto__: null, fn, self, id: entries.length + 1 };
    entries[entries.length] = entry;
    own[own.length] = entry;
    host.granted = entries.length;
    return entry.id;
  };

  host.invoke = (id, args) => {
    host.renewCalls();
    host.reopenConsole();
    return host.conclude(async () => {
      const entry = entries[id - 1];
      return await p.ReflectApply(entry.fn, entry.self, host.decode(args));
    });
  };
  return { __proto__: null, grant };
})
