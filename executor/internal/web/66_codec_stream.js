// The transform streams of the Encoding and Compression standards.
// Globals: TextEncoderStream TextDecoderStream CompressionStream DecompressionStream
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, StringPrototypeCharCodeAt, StringPrototypeSlice } = P;
  const { expose, receiver, illegal, string, usvString, bytesOf, copyOf, lengthOf } = host.load('idl');
  const { TransformStream, BYTES, enqueue, roomOf } = host.load('64_transform_stream');
  const { encode, newDecoder } = host.load('16_encoding');
  const { newCodec, STEP } = host.load('codec');

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
  // ---- compression

  // What comes out waits for its reader, up to this much: then writes wait, too.
  const waiting = { __proto__: null, highWaterMark: 32 * 1024 * 1024 };
  // Gives what the codec has, as long as the reader keeps up; a promise when that takes until it reads.
  const pour = (next, controller) => {
    for (;;) {
      const piece = next();
      if (piece === undefined) return undefined;
      if (lengthOf(piece) === 0) continue; // a byte stream must not be given nothing
      enqueue(controller, piece);
      const room = roomOf(controller);
      if (room !== undefined) return P.then(room, () => pour(next, controller));
    }
  };
  const feed = (codec, next, bytes, controller, from) => {
    for (let at = from; at < lengthOf(bytes); at += STEP) {
      if (codec.ended) trailing();
      codec.write(P.TypedArrayPrototypeSubarray(bytes, at, at + STEP));
      const room = pour(next, controller);
      if (room !== undefined) return P.then(room, () => feed(codec, next, bytes, controller, at + STEP));
    }
    return undefined;
  };
  const trailing = () => { throw new TypeError('Trailing bytes after end of compressed data'); };
  const through = (codec, next) => ({
    __proto__: null,
    transform: (chunk, controller) => {
      const bytes = typeof chunk === 'string' ? encode(usvString(chunk)) : bytesOf(chunk);
      if (bytes === undefined) {
        throw new TypeError('This TransformStream is being used as a byte stream, but received an object of non-ArrayBuffer/ArrayBufferView type on its writable side.');
      }
      return feed(codec, next, lengthOf(bytes) > STEP ? copyOf(bytes) : bytes, controller, 0);
    },
    flush: (controller) => {
      if (codec.ended) return undefined;
      codec.end();
      return pour(next, controller);
    },
    cancel: () => codec.close(),
  });
  const USUAL_LEVEL = -1;
  class CompressionImplementation extends TransformStream {
    constructor(format) {
      const codec = newCodec('compress', formatOf(format), USUAL_LEVEL);
      super(through(codec, codec.next), undefined, waiting, BYTES);
    }
  }
  class DecompressionImplementation extends TransformStream {
    constructor(format) {
      const codec = newCodec('decompress-strict', formatOf(format));
      super(through(codec, () => {
        try {
          return codec.next();
        } catch (error) {
          throw failure(error);
        }
      }), undefined, waiting, BYTES);
    }
  }
  const failure = (error) => {
    if (error.message === 'unexpected end of file') return new TypeError('Called close() on a decompression stream with incomplete data');
    if (error.message === 'data after the end of the compressed data') return new TypeError('Trailing bytes after end of compressed data');
    return new TypeError('Decompression failed.');
  };
  host.define('TextEncoderStream', expose('TextEncoderStream', TextEncoderImplementation), { enumerable: true });
  host.define('TextDecoderStream', expose('TextDecoderStream', TextDecoderImplementation), { enumerable: true });
  host.define('CompressionStream', expose('CompressionStream', CompressionImplementation, { required: ['string'] }), { enumerable: true });
  host.define('DecompressionStream', expose('DecompressionStream', DecompressionImplementation, { required: ['string'] }), { enumerable: true });
})
