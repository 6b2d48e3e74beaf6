// TextEncoder and TextDecoder, for every encoding of the Encoding standard.
// Ops: encodingName(label) → name or nil; decodeText(name, bytes, fatal) →
// string, or nil where fatal finds an error; decodePartial(name, bytes, fatal) → "n:text" with the number
// of bytes it consumed, or nil.
// Globals: TextEncoder TextDecoder
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, RangeError, StringPrototypeSlice, StringPrototypeIndexOf, StringPrototypeCharCodeAt, TypedArrayPrototypeSubarray, Uint8Array } = P;
  const { expose, receiver, illegal, usvString, string, bytesOf, lengthOf, concat, copyOf, isObject, wrong } = host.load('idl');

  const encode = (text) => host.toUtf8(text);
  const decodeUtf8 = (bytes) => host.fromUtf8(bytes);

  // How many units of text fit into size bytes of UTF-8, and how many bytes they take.
  const fit = (text, size) => {
    let read = 0;
    let written = 0;
    while (read < text.length) {
      const unit = StringPrototypeCharCodeAt(text, read);
      const pair = unit >= 0xd800 && unit < 0xdc00;
      const bytes = unit < 0x80 ? 1 : unit < 0x800 ? 2 : pair ? 4 : 3;
      if (written + bytes > size) break;
      written += bytes;
      read += pair ? 2 : 1;
    }
    return { read, written };
  };

  class Encoder {
    #brand;

    encode(input = '') {
      #brand in receiver(this) || illegal();
      return encode(usvString(input));
    }

    encodeInto(source, destination) {
      #brand in receiver(this) || illegal();
      if (arguments.length < 1) throw wrong('encodeInto', 'TextEncoder', 1, 'String');
      const text = usvString(source);
      if (!P.ArrayBufferIsView(destination) || P.TypedArrayPrototypeGetTag(destination) !== 'Uint8Array') throw wrong('encodeInto', 'TextEncoder', 2, 'Uint8Array');
      const result = fit(text, lengthOf(destination));
      if (result.written === 0) return result; // a detached view takes none
      P.TypedArrayPrototypeSet(destination, encode(StringPrototypeSlice(text, 0, result.read)));
      return result;
    }

    get encoding() {
      #brand in receiver(this) || illegal();
      return 'utf-8';
    }
  }

  class Decoder {
    #name;
    #fatal;
    #ignoreBOM;
    #pending;    // bytes of an incomplete character, while streaming
    #bomSeen = false;
    #history;    // what an encoding with shift states has seen so far: {bytes, emitted}

    constructor(label = 'utf-8', options = undefined) {
      this.#name = host.ops.encodingName(string(label));
      if (this.#name === undefined) throw new RangeError(`"${label}" is not a valid encoding.`);
      if (options !== undefined && options !== null && !isObject(options)) throw new TypeError("Failed to construct 'TextDecoder': constructor parameter 2 is not of type 'ConstructorOptions'.");
      this.#fatal = !!options?.fatal;
      this.#ignoreBOM = !!options?.ignoreBOM;
    }

    decode(input = undefined, options = undefined) {
      #name in receiver(this) || illegal();
      const bytes = input === undefined ? new Uint8Array(0) : bytesOf(input);
      if (bytes === undefined) throw wrong('decode', 'TextDecoder', 1, 'Array');
      if (options !== undefined && options !== null && !isObject(options)) throw wrong('decode', 'TextDecoder', 2, 'DecodeOptions');
      const stream = !!options?.stream;
      try {
        return this.#trimBOM(this.#text(bytes, stream));
      } finally {
        if (!stream) this.#reset();
      }
    }

    #reset() {
      this.#pending = this.#history = undefined;
      this.#bomSeen = false;
    }

    #fail() {
      this.#reset();
      throw new TypeError('Failed to decode input.');
    }

    #text(bytes, stream) {
      if (this.#name === 'iso-2022-jp' && (stream || this.#history)) return this.#stateful(bytes, stream);
      if (this.#pending !== undefined) {
        const parts = P.list();
        parts[0] = this.#pending;
        parts[1] = bytes;
        bytes = concat(parts);
        this.#pending = undefined;
      }
      if (!stream && this.#name === 'utf-8' && !this.#fatal) return host.fromUtf8(bytes);
      if (!stream) return host.ops.decodeText(this.#name, bytes, this.#fatal) ?? this.#fail();
      const answer = host.ops.decodePartial(this.#name, bytes, this.#fatal) ?? this.#fail();
      const colon = StringPrototypeIndexOf(answer, ':');
      const consumed = +StringPrototypeSlice(answer, 0, colon);
      if (consumed < lengthOf(bytes)) this.#pending = copyOf(TypedArrayPrototypeSubarray(bytes, consumed));
      return StringPrototypeSlice(answer, colon + 1);
    }

    // Decodes all bytes so far again and returns what is new: the shift state need not be kept.
    #stateful(bytes, stream) {
      const history = (this.#history ??= { __proto__: null, bytes: P.list(), emitted: 0 });
      history.bytes[history.bytes.length] = copyOf(bytes);
      const all = concat(history.bytes);
      let text;
      if (stream) {
        const answer = host.ops.decodePartial(this.#name, all, this.#fatal) ?? this.#fail();
        text = StringPrototypeSlice(answer, StringPrototypeIndexOf(answer, ':') + 1);
      } else {
        text = host.ops.decodeText(this.#name, all, this.#fatal) ?? this.#fail();
      }
      const fresh = StringPrototypeSlice(text, history.emitted);
      history.emitted = text.length;
      return fresh;
    }

    #trimBOM(text) {
      if (this.#bomSeen || text.length === 0) return text;
      this.#bomSeen = true;
      const unicode = this.#name === 'utf-8' || this.#name === 'utf-16le' || this.#name === 'utf-16be';
      return unicode && !this.#ignoreBOM && StringPrototypeCharCodeAt(text, 0) === 0xfeff ? StringPrototypeSlice(text, 1) : text;
    }

    get encoding() {
      #name in receiver(this) || illegal();
      return this.#name;
    }

    get fatal() {
      #name in receiver(this) || illegal();
      return this.#fatal;
    }

    get ignoreBOM() {
      #name in receiver(this) || illegal();
      return this.#ignoreBOM;
    }
  }

  host.define('TextEncoder', expose('TextEncoder', Encoder), { enumerable: true });
  host.define('TextDecoder', expose('TextDecoder', Decoder), { enumerable: true });
  return { __proto__: null, encode, decodeUtf8, newDecoder: (label, options) => new Decoder(label, options), decode: P.uncurryThis(Decoder.prototype.decode) };
})
