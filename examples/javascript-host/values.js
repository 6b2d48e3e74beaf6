// Values as they cross: JSON, with markers for bytes, and data that looks like a marker wrapped (protocol/PROTOCOL.md, §6).

const BINARY = '__codemode_binary_v1__';
const HANDLE = '__codemode_handle__';
const ESCAPE = '__codemode_escaped_v1__';

const hasMarker = (value) => [BINARY, HANDLE, ESCAPE].some((key) => Object.hasOwn(value, key));

/**
 * The JSON text of a value, undefined for undefined. It throws as JSON.stringify does.
 * @returns {string | undefined}
 */
export function encode(value) {
  const wrappers = new WeakSet();
  return JSON.stringify(value, function (key, seen) {
    const original = this[key]; // a Buffer's toJSON has been called by now
    const binary = marker(original);
    if (binary) return binary;
    if (typeof seen !== 'object' || seen === null || Array.isArray(seen) || wrappers.has(this) || !hasMarker(seen)) return seen;
    const wrapper = { [ESCAPE]: seen };
    wrappers.add(wrapper);
    return wrapper;
  });
}

function marker(value) {
  if (value instanceof ArrayBuffer) return { [BINARY]: 'ArrayBuffer', data: toBase64(new Uint8Array(value)) };
  if (!ArrayBuffer.isView(value)) return null;
  return { [BINARY]: 'Uint8Array', data: toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)) };
}

// What fits into the arguments of one call.
const CHUNK = 0x8000;

function toBase64(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += CHUNK) text += String.fromCharCode(...bytes.subarray(i, i + CHUNK));
  return btoa(text);
}

function fromBase64(text) {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

/** The value of parsed JSON, changed in place. What only resembles a marker is data. */
export function decode(value) {
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value);
  if (!Array.isArray(value)) {
    if (keys.length === 1 && keys[0] === ESCAPE && isObject(value[ESCAPE])) return decodeMembers(value[ESCAPE]);
    const bytes = decodeBinary(value, keys);
    if (bytes !== null) return bytes;
  }
  return decodeMembers(value);
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function decodeMembers(value) {
  for (const key of Object.keys(value)) {
    const decoded = decode(value[key]);
    // not by assignment: JSON may have a member called __proto__
    if (decoded !== value[key]) Object.defineProperty(value, key, { value: decoded, writable: true, enumerable: true, configurable: true });
  }
  return value;
}

const VIEWS = [Int8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView];

function decodeBinary(value, keys) {
  if (!Object.hasOwn(value, BINARY) || typeof value.data !== 'string' || keys.some((key) => ![BINARY, 'data', 'view'].includes(key))) return null;
  const bytes = fromBase64(value.data);
  if (bytes === null) return null;
  switch (value[BINARY]) {
    case 'Uint8Array':
      return bytes;
    case 'ArrayBuffer':
      return bytes.buffer;
    case 'ArrayBufferView': {
      const View = VIEWS.find((view) => view.name === value.view);
      return View && bytes.length % (View.BYTES_PER_ELEMENT ?? 1) === 0 ? new View(bytes.buffer) : bytes;
    }
  }
  return null;
}
