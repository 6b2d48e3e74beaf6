// Makes of a program's value what the reference's host makes of it: its members are copied, without prototypes and their
// toJSON, and what crosses as a stub of something on the other side has no JSON: namespaces, proxies, and objects with a
// toJSON of their own.
async (namespaces, program) => {
  const stubs = new WeakSet(Object.values(namespaces));
  const toISOString = Date.prototype.toISOString;
  const { entries, hasOwn, setPrototypeOf } = Object;
  const { stringify, parse } = JSON;
  globalThis.Proxy = new Proxy(Proxy, {
    construct(target, args, self) {
      const made = Reflect.construct(target, args, self);
      stubs.add(made);
      return made;
    },
  });
  const isBare = (value) => Error.isError(value) || value instanceof Map || value instanceof Set || value instanceof RegExp;
  const copy = (value) => {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
    if (stubs.has(value) || (hasOwn(value, 'toJSON') && !isBare(value))) return undefined;
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : toISOString.call(value);
    const made = setPrototypeOf(Array.isArray(value) ? [] : {}, null);
    if (!isBare(value)) for (const [key, member] of entries(value)) made[key] = copy(member);
    return made;
  };
  const json = stringify(copy(await program(namespaces)));
  delete Object.prototype.toJSON; // which would be asked once more
  return json === undefined ? undefined : parse(json);
}
