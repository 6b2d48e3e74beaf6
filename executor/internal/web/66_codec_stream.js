// The transform streams of the Encoding and Compression standards. Ops: compress(format, bytes) → bytes,
// decompress(format, bytes) → bytes or nil. A compression stream takes its input in whole: what is written
// comes out, compressed or not, when the writable side closes.
// Globals: TextEncoderStream TextDecoderStream CompressionStream DecompressionStream
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, list, push, StringPrototypeCharCodeAt, StringPrototypeSlice } = P;
  const { expose, receiver, illegal, string, usvString, bytesOf, copyOf, concat, lengthOf } = host.load('idl');
  const { TransformStream, enqueue } = host.load('64_transform_stream');
  const { encode, newDecoder } = host.load('16_encoding');

  class TextEncoderImplementation extends TransformStream {
    #brand;
    constructor() {
      let high = ''; // a high surrogate at the end of a chunk waits for its other half
      super({
        __proto__: null,
        transform: (chunk, controller) => {
          let text = high + string(chunk);
          high = '';
          const last = text.length === 0 ? 0 : StringPrototypeCharCodeAt(text, text.length - 1);
          if (last >= 0xd800 && last < 0xdc00) {
            high = text[text.length - 1];
            text = StringPrototypeSlice(text, 0, -1);
          }
          if (text !== '') enqueue(controller, encode(usvString(text)));
        },
        flush: (controller) => { if (high !== '') enqueue(controller, encode('\ufffd')); },
      });
    }
    get encoding() { #brand in receiver(this) || illegal(); return 'utf-8'; }
  }

  class TextDecoderImplementation extends TransformStream {
    #decoder;
    constructor(label = 'utf-8', options = undefined) {
      const decoder = newDecoder(label, options);
      super({
        __proto__: null,
        transform: (chunk, controller) => {
          const text = decode(decoder, chunk, { __proto__: null, stream: true });
          if (text !== '') enqueue(controller, text);
        },
        flush: (controller) => {
          const text = decode(decoder);
          if (text !== '') enqueue(controller, text);
        },
      });
      this.#decoder = decoder;
    }
    get encoding() { #decoder in receiver(this) || illegal(); return encodingOf(this.#decoder); }
    get fatal() { #decoder in receiver(this) || illegal(); return fatalOf(this.#decoder); }
    get ignoreBOM() { #decoder in receiver(this) || illegal(); return ignoreBOMOf(this.#decoder); }
  }
  const decoderPrototype = P.ObjectGetPrototypeOf(newDecoder('utf-8'));
  const decode = P.uncurryThis(decoderPrototype.decode);
  const property = (key) => P.uncurryThis(P.ObjectGetOwnPropertyDescriptor(decoderPrototype, key).get);
  const encodingOf = property('encoding');
  const fatalOf = property('fatal');
  const ignoreBOMOf = property('ignoreBOM');

  const formatOf = (value) => {
    const format = string(value);
    if (format !== 'deflate' && format !== 'deflate-raw' && format !== 'gzip') throw new TypeError("The compression format must be either 'deflate', 'deflate-raw' or 'gzip'.");
    return format;
  };
  // The transformer that collects everything and converts it at the end.
  const whole = (convert) => {
    const chunks = list();
    return {
      __proto__: null,
      transform: (chunk) => {
        const bytes = typeof chunk === 'string' ? encode(usvString(chunk)) : bytesOf(chunk);
        if (bytes === undefined) {
          throw new TypeError('This TransformStream is being used as a byte stream, but received an object of non-ArrayBuffer/ArrayBufferView type on its writable side.');
        }
        push(chunks, copyOf(bytes));
      },
      flush: (controller) => {
        const out = convert(concat(chunks));
        if (lengthOf(out) > 0) enqueue(controller, out);
      },
    };
  };
  const unbounded = { __proto__: null, highWaterMark: Infinity }; // a write need not wait for a reader
  class CompressionImplementation extends TransformStream {
    constructor(format) {
      const name = formatOf(format);
      super(whole((bytes) => host.ops.compress(name, bytes)), undefined, unbounded);
    }
  }
  class DecompressionImplementation extends TransformStream {
    constructor(format) {
      const name = formatOf(format);
      super(whole((bytes) => {
        const out = host.ops.decompress(name, bytes);
        if (out === undefined || out === null) throw new TypeError('Decompression failed.');
        return out;
      }), undefined, unbounded);
    }
  }
  host.define('TextEncoderStream', expose('TextEncoderStream', TextEncoderImplementation), { enumerable: true });
  host.define('TextDecoderStream', expose('TextDecoderStream', TextDecoderImplementation), { enumerable: true });
  host.define('CompressionStream', expose('CompressionStream', CompressionImplementation, { required: ['string'] }), { enumerable: true });
  host.define('DecompressionStream', expose('DecompressionStream', DecompressionImplementation, { required: ['string'] }), { enumerable: true });
})
