// Blob and File, over bytes in memory.
// Globals: Blob File
(function (host) {
  'use strict';
  const P = host.primordials;
  const { Error, TypeError, list, push, PromiseResolve, PromiseReject, StringPrototypeCharCodeAt, StringPrototypeToLowerCase } = P;
  const { expose, receiver, illegal, usvString, string, isObject, bytesOf, lengthOf, copyOf, concat } = host.load('idl');
  const { encode, decodeUtf8 } = host.load('16_encoding');

  const typeOf = (value) => {
    const type = string(value);
    for (let i = 0; i < type.length; i++) {
      const unit = StringPrototypeCharCodeAt(type, i);
      if (unit < 0x20 || unit > 0x7e) return '';
    }
    return StringPrototypeToLowerCase(type);
  };

  let stateOf;  // {bytes, type} of a Blob; undefined for anything else
  let makeBlob; // makeBlob(bytes, type): the type as it is
  let makeFile; // makeFile(bytes, type, name)

  const partsOf = (parts, name) => {
    if (!P.ArrayIsArray(parts)) throw new TypeError(`Failed to construct '${name}': constructor parameter 1 is not of type 'Array'.`);
    const items = P.arrayFrom(parts);
    const out = list();
    for (let i = 0; i < items.length; i++) {
      const bytes = bytesOf(items[i]) ?? stateOf(items[i])?.bytes;
      push(out, bytes ?? encode(usvString(items[i])));
    }
    return concat(out);
  };
  const options = (given, name, index) => {
    if (given === undefined || given === null) return { __proto__: null };
    if (!isObject(given)) throw new TypeError(`Failed to construct '${name}': constructor parameter ${index} is not of type 'Options'.`);
    if (given.endings !== undefined) throw new Error("The 'endings' field on 'Options' is not implemented.");
    return given;
  };
  const newState = (parts, init, name) => {
    const bytes = parts === undefined ? concat(list()) : partsOf(parts, name);
    const { type } = options(init, name, name === 'File' ? 3 : 2);
    return { __proto__: null, bytes, type: type === undefined ? '' : typeOf(type) };
  };
  // Resolves a negative or absent bound of slice.
  const bound = (value, length, fallback) => {
    if (value === undefined) return fallback;
    const number = P.MathTrunc(+value) || 0;
    if (number < -0x80000000 || number > 0x7fffffff) throw new TypeError('Value out of range. Must be between -2147483648 and 2147483647 (inclusive).');
    return number < 0 ? P.MathMax(length + number, 0) : P.MathMin(number, length);
  };

  class BlobImplementation {
    #state;

    static {
      stateOf = (value) => (isObject(value) && #state in value ? value.#state : undefined);
      makeBlob = (bytes, type) => {
        const blob = new BlobImplementation();
        blob.#state = { __proto__: null, bytes, type };
        return blob;
      };
    }

    constructor(parts = undefined, init = undefined) {
      this.#state = newState(parts, init, 'Blob');
    }

    get size() { #state in receiver(this) || illegal(); return lengthOf(this.#state.bytes); }
    get type() { #state in receiver(this) || illegal(); return this.#state.type; }

    slice(start = undefined, end = undefined, type = undefined) {
      #state in receiver(this) || illegal();
      const length = lengthOf(this.#state.bytes);
      const from = bound(start, length, 0);
      const to = P.MathMax(from, bound(end, length, length));
      return makeBlob(P.TypedArrayPrototypeSubarray(this.#state.bytes, from, to), type === undefined ? '' : typeOf(type));
    }

    arrayBuffer() {
      if (!isObject(this) || !(#state in this)) return refused();
      return PromiseResolve(P.TypedArrayPrototypeGetBuffer(copyOf(this.#state.bytes)));
    }
    bytes() {
      if (!isObject(this) || !(#state in this)) return refused();
      return PromiseResolve(copyOf(this.#state.bytes));
    }
    text() {
      if (!isObject(this) || !(#state in this)) return refused();
      return PromiseResolve(decodeUtf8(this.#state.bytes));
    }
    stream() {
      #state in receiver(this) || illegal();
      return host.load('stream_tools').streamOfBytes(copyOf(this.#state.bytes));
    }
  }
  const refused = () => {
    try { return illegal(); } catch (error) { return PromiseReject(error); }
  };

  class FileImplementation extends BlobImplementation {
    #name;
    #lastModified;

    static {
      makeFile = (bytes, type, name) => {
        const file = new FileImplementation(undefined, name);
        const state = stateOf(file);
        state.bytes = bytes;
        state.type = type;
        return file;
      };
    }

    constructor(parts, name, init = undefined) {
      super();
      if (arguments.length < 2 && parts !== undefined) partsOf(parts, 'File'); // what is wrong with the first counts first
      if (arguments.length < 2) throw new TypeError("Failed to construct 'File': constructor parameter 2 is not of type 'string'.");
      P.ObjectAssign(stateOf(this), newState(parts, init, 'File'));
      this.#name = usvString(name);
      const modified = init?.lastModified;
      this.#lastModified = modified === undefined ? P.DateNow() : P.MathTrunc(+modified) || 0;
    }

    get name() { #name in receiver(this) || illegal(); return this.#name; }
    get lastModified() { #lastModified in receiver(this) || illegal(); return this.#lastModified; }
  }

  const clone = (blob) => {
    const { bytes, type } = stateOf(blob);
    return makeBlob(bytes, type);
  };
  host.define('Blob', expose('Blob', BlobImplementation, { clone }), { enumerable: true });
  host.define('File', expose('File', FileImplementation, { required: [null, null] }), { enumerable: true });
  const isFile = (value) => isObject(value) && P.ObjectPrototypeIsPrototypeOf(FileImplementation.prototype, value);
  return { __proto__: null, stateOf, makeBlob, makeFile, isFile };
})
