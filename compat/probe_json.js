// What JSON makes of a program's value. Errors, maps, sets and regular expressions cross without members of their own,
// and a Buffer as bytes.
async (program) =>
  JSON.stringify(await program(), function (key, value) {
    if (Error.isError(value) || value instanceof Map || value instanceof Set || value instanceof RegExp) return {};
    if (value?.type === 'Buffer' && ArrayBuffer.isView(this[key])) return { ...this[key] };
    return value;
  })
