// Renders a value as the host sees it, with its type, in JSON.
import { define } from './values.js';

const MAX_DEPTH = 8;
const MAX_STRING = 2000;
const MAX_ARRAY = 200;
const MAX_BASE64 = 200;

const toBase64 = (bytes) => btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(''));

export function describe(value, depth = 0, above = []) {
  switch (typeof value) {
    case 'undefined': return { $: 'undefined' };
    case 'boolean': return value;
    case 'string': return describeString(value);
    case 'number': return describeNumber(value);
    case 'bigint': return { $: 'bigint', v: String(value) };
    case 'symbol': return { $: 'symbol', v: String(value) };
    case 'function': return { $: 'function', ctor: constructorName(value) };
  }
  if (value === null) return null;
  if (above.includes(value)) return { $: 'cycle' };
  if (depth > MAX_DEPTH) return { $: 'deep' };
  try {
    return describeObject(value, (inner) => describe(inner, depth + 1, [...above, value]));
  } catch (error) {
    return { $: 'undescribable', why: String(error?.message) };
  }
}

function describeString(text) {
  if (text.length <= MAX_STRING) return text;
  return { $: 'string', length: text.length, head: text.slice(0, 40), tail: text.slice(-40) };
}

function describeNumber(number) {
  if (Number.isNaN(number)) return { $: 'nan' };
  if (number === Infinity) return { $: 'inf' };
  if (number === -Infinity) return { $: '-inf' };
  return Object.is(number, -0) ? { $: '-0' } : number;
}

function constructorName(value) {
  try {
    return String(value.constructor?.name);
  } catch {
    return '?';
  }
}

function describeObject(value, inner) {
  if (Array.isArray(value)) {
    if (value.length > MAX_ARRAY) return { $: 'array', length: value.length };
    return Array.from(value, (item, i) => (i in value ? inner(item) : { $: 'hole' }));
  }
  if (value instanceof Date) return { $: 'date', v: Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString() };
  if (value instanceof RegExp) return { $: 'regexp', v: String(value) };
  if (value instanceof Map) return { $: 'map', v: [...value].map((entry) => entry.map(inner)) };
  if (value instanceof Set) return { $: 'set', v: [...value].map(inner) };
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  if (value instanceof ArrayBuffer) return describeBytes('arraybuffer', new Uint8Array(value));
  if (ArrayBuffer.isView(value)) {
    return describeBytes(tag.toLowerCase(), new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  }
  if (value instanceof Error) return describeError(value, inner);
  if (tag !== 'Object') return { $: 'host', tag };
  return describePlain(value, inner);
}

function describeBytes(kind, bytes) {
  return { $: kind, v: toBase64(bytes).slice(0, MAX_BASE64), length: bytes.byteLength };
}

function describeError(error, inner) {
  const out = { $: 'error', name: error.name, message: error.message, ctor: error.constructor?.name };
  if ('cause' in error) out.cause = inner(error.cause);
  for (const key of Object.keys(error)) (out.own ??= {})[key] = inner(error[key]);
  if (error.errors) out.errors = inner(error.errors);
  return out;
}

function describePlain(object, inner) {
  const members = Object.keys(object).reduce((out, key) => define(out, key, inner(object[key])), {});
  const proto = Object.getPrototypeOf(object);
  if (proto === Object.prototype) return members;
  return { $: 'object', proto: proto === null ? null : constructorName(object), v: members };
}
