// The declarative values of the case format, as a JavaScript host holds them.

const fromBase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

// One entry for each {"$": kind}; the argument is the whole object.
const kinds = {
  undefined: () => undefined,
  bigint: ({ v }) => BigInt(v),
  nan: () => NaN,
  inf: () => Infinity,
  '-inf': () => -Infinity,
  '-0': () => -0,
  date: ({ v }) => new Date(v),
  bytes: ({ v }) => fromBase64(v),
  arraybuffer: ({ v }) => fromBase64(v).buffer,
  float64: ({ v }) => new Float64Array(v),
  int16: ({ v }) => new Int16Array(v),
  dataview: ({ v }) => new DataView(fromBase64(v).buffer),
  map: ({ v }) => new Map(decodeValue(v)),
  set: ({ v }) => new Set(decodeValue(v)),
  error: ({ v }) => new Error(v),
  regexp: ({ v, f }) => new RegExp(v, f ?? ''),
  symbol: ({ v }) => Symbol(v),
  function: () => function tool() {},
  cycle: () => {
    const node = { a: 1 };
    node.self = node;
    return node;
  },
  class: () => new (class Foo {
    x = 1;
    get y() { return 2; }
    m() {}
  })(),
  tojson: ({ v }) => ({ toJSON: () => decodeValue(v) }),
  sparse: () => Object.assign([1], { 3: 4 }),
  repeat: ({ v, n }) => v.repeat(n),
  nullproto: () => Object.assign(Object.create(null), { a: 1 }),
  raw: ({ v }) => v,
};

// Sets an own property whatever the key is, "__proto__" too.
export function define(object, key, value) {
  return Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}

export function decodeValue(value) {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(decodeValue);
  if (typeof value.$ === 'string' && Object.hasOwn(kinds, value.$)) return kinds[value.$](value);
  return Object.keys(value).reduce((object, key) => define(object, key, decodeValue(value[key])), {});
}
