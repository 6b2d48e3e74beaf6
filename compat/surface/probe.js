/* eslint no-unused-vars: off -- the probes' program follows */
// What a probe's program starts with: show(value) renders what a call gave, with what can be read of the platform's
// objects, and outcome(fn) what calling it came to.
const entries = (value) => JSON.stringify([...value].map(([k, v]) => [k, typeof v === 'string' ? v : `${v}`]));
const attempt = (read) => {
  try {
    return read();
  } catch (error) {
    return `threw ${error?.name}: ${error?.message}`;
  }
};
const bytes = (view) => attempt(() => `${view.byteLength}:${[...new Uint8Array(view.buffer ?? view, view.byteOffset ?? 0, Math.min(view.byteLength, 64))]}`);
const stream = (value) => `locked ${value.locked}`;
const platform = {
  Headers: entries,
  URLSearchParams: entries,
  FormData: entries,
  URL: String,
  Blob: async (value) => `${value.type} ${value.size} ${(await value.text()).slice(0, 200)}`,
  File: async (value) => `${value.name} ${value.type} ${(await value.text()).slice(0, 200)}`,
  Request: async (value) => `${value.method} ${value.url} ${value.redirect} ${entries(value.headers)} ${value.bodyUsed} ${value.body === null ? null : stream(value.body)}`,
  Response: async (value) => `${value.status} ${value.statusText} ${value.url} ${value.type} ${entries(value.headers)} ${value.bodyUsed} ${value.body === null ? null : stream(value.body)}`,
  AbortSignal: (value) => `${value.aborted} ${attempt(() => String(value.reason))}`,
  DOMException: (value) => `${value.name} ${value.code} ${value.message}`,
  ReadableStream: stream,
  WritableStream: stream,
};
const member = (key, value) => {
  switch (typeof value) {
    case 'bigint': return `${value}n`;
    case 'symbol': return String(value);
    case 'function': return `function ${value.name}(${value.length})`;
    case 'undefined': return 'undefined';
    case 'number': return Number.isFinite(value) && !Object.is(value, -0) ? value : Object.is(value, -0) ? '-0' : String(value);
  }
  return value;
};
async function show(value) {
  if (typeof value === 'function') return member('', value);
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? JSON.stringify(value) : String(member('', value));
  const tag = attempt(() => Object.prototype.toString.call(value).slice(8, -1));
  if (value instanceof Error) return `${tag} ${value.constructor?.name} ${value.name} ${value.code}: ${value.message}`;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return `${tag} ${bytes(value)}`;
  const render = Object.hasOwn(platform, tag) ? platform[tag] : (object) => JSON.stringify(object, member);
  try {
    return `${tag} ${(await render(value))?.slice(0, 600)}`;
  } catch (error) {
    return `${tag} unreadable: ${error?.name}: ${error?.message}`;
  }
}
async function outcome(fn) {
  const late = new Promise((resolve) => { setTimeout(resolve, 300, 'pending'); });
  try {
    return await Promise.race([(async () => show(await fn()))(), late]);
  } catch (error) {
    return `threw ${await attempt(() => show(error))}`;
  }
}
const detached = (view) => {
  structuredClone(0, { transfer: [view.buffer ?? view] });
  return view;
};
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const thrower = (message) => { throw new RangeError(message); };
