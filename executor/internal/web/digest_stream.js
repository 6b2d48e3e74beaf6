// crypto.DigestStream: a WritableStream whose input is hashed as it comes.
(function (host) {
  'use strict';
  const P = host.primordials;
  const { expose, receiver, illegal, usvString, bytesOf, lengthOf } = host.load('idl');
  const { WritableStream } = host.load('62_writable_stream');
  const { encode } = host.load('16_encoding');

  class Implementation extends WritableStream {
    #outcome;
    #written;
    constructor(algorithm) {
      const hash = host.load('70_subtle').newHash(algorithm);
      const outcome = P.withResolvers();
      const written = { __proto__: null, bytes: 0 };
      P.then(outcome.promise, undefined, () => {});
      super({
        __proto__: null,
        write: (chunk) => {
          const bytes = typeof chunk === 'string' ? encode(usvString(chunk)) : bytesOf(chunk);
          if (bytes === undefined) {
            const error = new P.TypeError('DigestStream is a byte stream but received an object of non-ArrayBuffer/ArrayBufferView/string type on its writable side.');
            outcome.reject(error);
            throw error;
          }
          written.bytes += lengthOf(bytes);
          hash.update(bytes);
        },
        close: () => outcome.resolve(hash.digest()),
        abort: (reason) => outcome.reject(reason),
      });
      this.#outcome = outcome;
      this.#written = written;
    }
    get digest() { #outcome in receiver(this) || illegal(); return this.#outcome.promise; }
    get bytesWritten() { #outcome in receiver(this) || illegal(); return P.BigInt(this.#written.bytes); }
    [P.SymbolDispose]() {}
  }
  return { __proto__: null, DigestStream: expose('DigestStream', Implementation, { required: ['string or HashAlgorithm'] }) };
})
