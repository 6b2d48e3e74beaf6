// atob and btoa. Ops: atob(string) → string or nil, base64Encode(bytes) → string. (For others: base64Decode(string) → bytes or nil.)
// Globals: atob btoa
(function (host) {
  'use strict';
  const { missing, exposeFunction, string } = host.load('idl');

  const invalid = (message) => {
    const { DOMException } = host.load('12_domexception');
    return new DOMException(message, 'InvalidCharacterError');
  };

  const { atob, btoa } = {
    atob(data) {
      missing(arguments.length, 'atob', 'ServiceWorkerGlobalScope', ['string']);
      const text = host.ops.atob(string(data));
      if (text === undefined) {
        throw invalid("atob() called with invalid base64-encoded data. (Only whitespace, '+', '/', alphanumeric ASCII, and up to two terminal '=' signs when the input data length is divisible by 4 are allowed.)");
      }
      return text;
    },
    btoa(data) {
      missing(arguments.length, 'btoa', 'ServiceWorkerGlobalScope', ['String']);
      const bytes = host.toLatin1(string(data));
      if (bytes === undefined) throw invalid('btoa() can only operate on characters in the Latin1 (ISO/IEC 8859-1) range.');
      return host.ops.base64Encode(bytes);
    },
  };
  host.define('atob', exposeFunction(atob), { enumerable: true });
  host.define('btoa', exposeFunction(btoa), { enumerable: true });
})
