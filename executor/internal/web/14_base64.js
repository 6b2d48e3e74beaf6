// atob and btoa. Ops: base64Decode(string) → bytes or nil, base64Encode(bytes) → string.
// Globals: atob btoa
(function (host) {
  'use strict';
  const P = host.primordials;
  const { missing, exposeFunction, string } = host.load('idl');
  const { StringPrototypeCharCodeAt, StringFromCharCode, ReflectApply, TypedArrayPrototypeSubarray, TypedArrayPrototypeGetLength, Uint8Array } = P;

  const invalid = (message) => {
    const { DOMException } = host.load('12_domexception');
    return new DOMException(message, 'InvalidCharacterError');
  };

  // Bytes of a string of code units below 256; undefined when there is a larger one.
  const toLatin1 = (text) => {
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) {
      const unit = StringPrototypeCharCodeAt(text, i);
      if (unit > 255) return undefined;
      bytes[i] = unit;
    }
    return bytes;
  };
  const fromLatin1 = (bytes) => {
    let text = '';
    const length = TypedArrayPrototypeGetLength(bytes);
    for (let i = 0; i < length; i += 4096) text += ReflectApply(StringFromCharCode, null, TypedArrayPrototypeSubarray(bytes, i, i + 4096));
    return text;
  };

  const { atob, btoa } = {
    atob(data) {
      missing(arguments.length, 'atob', 'ServiceWorkerGlobalScope', ['string']);
      const bytes = host.ops.base64Decode(string(data));
      if (bytes === undefined) {
        throw invalid("atob() called with invalid base64-encoded data. (Only whitespace, '+', '/', alphanumeric ASCII, and up to two terminal '=' signs when the input data length is divisible by 4 are allowed.)");
      }
      return fromLatin1(bytes);
    },
    btoa(data) {
      missing(arguments.length, 'btoa', 'ServiceWorkerGlobalScope', ['String']);
      const bytes = toLatin1(string(data));
      if (bytes === undefined) throw invalid('btoa() can only operate on characters in the Latin1 (ISO/IEC 8859-1) range.');
      return host.ops.base64Encode(bytes);
    },
  };
  host.define('atob', exposeFunction(atob), { enumerable: true });
  host.define('btoa', exposeFunction(btoa), { enumerable: true });
  return { __proto__: null, toLatin1, fromLatin1 };
})
