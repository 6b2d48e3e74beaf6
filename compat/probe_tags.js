// Calls a program with namespaces that read the codec's tag wherever it stands in arguments and results, as the
// reference's do.
(namespaces, program) => {
  const tag = '__codemode_binary_v1__';
  const base64 = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)));
  const encode = (_, value) => {
    if (value instanceof ArrayBuffer) return { [tag]: 'ArrayBuffer', data: base64(value) };
    if (ArrayBuffer.isView(value)) return { [tag]: 'Uint8Array', data: base64(value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength)) };
    return value;
  };
  const decode = (_, value) => {
    if (typeof value !== 'object' || value === null || !(tag in value) || typeof value.data !== 'string') return value;
    const bytes = Uint8Array.from(atob(value.data), (character) => character.charCodeAt(0));
    return value[tag] === 'ArrayBuffer' ? bytes.buffer : bytes;
  };
  const crossed = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value, encode), decode));
  const reading = (namespace) =>
    new Proxy(namespace, {
      get: (target, key) => {
        const member = target[key];
        return typeof member === 'function' ? async (...args) => crossed(await member(...crossed(args))) : member;
      },
    });
  return program(Object.fromEntries(Object.entries(namespaces).map(([name, namespace]) => [name, reading(namespace)])));
}
