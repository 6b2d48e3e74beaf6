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
    if (typeof value !== 'object' || value === null) return value;
    if (ArrayBuffer.isView(value)) return { __proto__: null, ...value, toJSON: undefined };
    if (stubs.has(value) || (hasOwn(value, 'toJSON') && !isBare(value) && !(value instanceof Date))) return undefined;
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : toISOString.call(value);
    const made = setPrototypeOf(Array.isArray(value) ? [] : {}, null);
    if (!isBare(value)) for (const [key, member] of entries(value)) made[key] = copy(member);
    return made;
  };
  const value = copy(await program(namespaces));
  // What the program taught its classes is unknown to the host's, and would be asked here and once more for the answer.
  for (const { prototype } of [Object, Array, String, Number, Boolean, BigInt]) delete prototype.toJSON;
  const json = stringify(value);
  return json === undefined ? undefined : parse(json);
}
