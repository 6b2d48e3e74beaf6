// Takes out of a program's value what the reference hands over as a stub of something on the other side, whose JSON is
// nothing: namespaces, proxies, and objects with a toJSON of the program's.
async (namespaces, program) => {
  const stubs = new WeakSet(Object.values(namespaces));
  globalThis.Proxy = new Proxy(Proxy, {
    construct(target, args, self) {
      const made = Reflect.construct(target, args, self);
      stubs.add(made);
      return made;
    },
  });
  const hasOwnJSON = (value) => typeof value.toJSON === 'function' && !(value instanceof Date || value instanceof URL || ArrayBuffer.isView(value));
  const isBare = (value) => Error.isError(value) || value instanceof Map || value instanceof Set || value instanceof RegExp;
  const json = JSON.stringify(await program(namespaces), function (key, value) {
    const raw = this[key];
    if (typeof raw !== 'object' || raw === null) return value;
    if (isBare(raw)) return {};
    return stubs.has(raw) || hasOwnJSON(raw) ? undefined : value;
  });
  return json === undefined ? undefined : JSON.parse(json);
}
