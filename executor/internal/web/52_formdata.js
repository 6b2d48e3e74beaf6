// FormData, and its two forms on the wire. Ops: multipartParse(bytes, boundary) → JSON of
// [[name, filename or null, type, start, end]…], or nil.
// Globals: FormData
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, list, push, toArray, StringPrototypeReplaceAll } = P;
  const { expose, receiver, illegal, missing, wrong, usvString, isObject, concat, iterators } = host.load('idl');
  const { encode, decodeUtf8 } = host.load('16_encoding');
  const { stateOf, makeFile, isFile } = host.load('50_blob');

  const pair = (name, value) => {
    const out = list();
    out[0] = name;
    out[1] = value;
    return out;
  };
  // An entry's value: a string, or a File (a Blob becomes one, named after filename or "blob").
  const valueOf = (name, value, filename) => {
    const blob = stateOf(value);
    if (blob === undefined) return usvString(value);
    if (filename === undefined && isFile(value)) return value;
    return makeFile(blob.bytes, blob.type, filename === undefined ? name : usvString(filename));
  };

  let entriesOf; // the entries of a FormData, undefined for anything else

  class Implementation {
    #entries = list();

    static { entriesOf = (value) => (isObject(value) && #entries in value ? value.#entries : undefined); }

    append(name, value, filename = undefined) {
      #entries in receiver(this) || illegal();
      missing(arguments.length, 'append', 'FormData', ['string', 'File or Blob or string']);
      name = usvString(name);
      push(this.#entries, pair(name, valueOf(name, value, filename)));
    }

    delete(name) {
      #entries in receiver(this) || illegal();
      missing(arguments.length, 'delete', 'FormData', ['string']);
      name = usvString(name);
      this.#entries = this.#select((entry) => entry[0] !== name);
    }

    #select(wanted) {
      const out = list();
      for (let i = 0; i < this.#entries.length; i++) if (wanted(this.#entries[i])) push(out, this.#entries[i]);
      return out;
    }

    get(name) {
      #entries in receiver(this) || illegal();
      missing(arguments.length, 'get', 'FormData', ['string']);
      name = usvString(name);
      for (let i = 0; i < this.#entries.length; i++) if (this.#entries[i][0] === name) return this.#entries[i][1];
      return null;
    }

    getAll(name) {
      #entries in receiver(this) || illegal();
      missing(arguments.length, 'getAll', 'FormData', ['string']);
      name = usvString(name);
      const out = list();
      for (let i = 0; i < this.#entries.length; i++) if (this.#entries[i][0] === name) push(out, this.#entries[i][1]);
      return toArray(out);
    }

    has(name) {
      #entries in receiver(this) || illegal();
      missing(arguments.length, 'has', 'FormData', ['string']);
      name = usvString(name);
      for (let i = 0; i < this.#entries.length; i++) if (this.#entries[i][0] === name) return true;
      return false;
    }

    set(name, value, filename = undefined) {
      #entries in receiver(this) || illegal();
      if (arguments.length > 0) name = usvString(name);
      missing(arguments.length, 'set', 'FormData', ['string', 'File or Blob or string']);
      value = valueOf(name, value, filename);
      let done = false;
      this.#entries = this.#select((entry) => {
        if (entry[0] !== name) return true;
        if (done) return false;
        entry[1] = value;
        return (done = true);
      });
      if (!done) push(this.#entries, pair(name, value));
    }

    entries() { #entries in receiver(this) || illegal(); return iterators.entries((index) => this.#entries[index]); }
    keys() { #entries in receiver(this) || illegal(); return iterators.keys((index) => this.#entries[index]); }
    values() { #entries in receiver(this) || illegal(); return iterators.values((index) => this.#entries[index]); }

    forEach(callback, thisArg = undefined) {
      #entries in receiver(this) || illegal();
      if (typeof callback !== 'function') throw wrong('forEach', 'FormData', 1, 'function');
      for (let i = 0; i < this.#entries.length; i++) P.FunctionPrototypeCall(callback, thisArg, this.#entries[i][1], this.#entries[i][0], this);
    }
  }
  P.define(Implementation.prototype, P.SymbolIterator, Implementation.prototype.entries);
  host.define('FormData', expose('FormData', Implementation), { enumerable: true });

  const escape = (name) => StringPrototypeReplaceAll(StringPrototypeReplaceAll(StringPrototypeReplaceAll(name, '\r', '%0D'), '\n', '%0A'), '"', '%22');

  // The multipart/form-data form of a FormData: {bytes, boundary}.
  const toMultipart = (form) => {
    const entries = entriesOf(form);
    const random = host.ops.randomBytes(16);
    let boundary = '';
    for (let i = 0; i < 16; i++) boundary += P.StringPrototypePadStart(P.NumberPrototypeToString(random[i], 16), 2, '0');
    const chunks = list();
    for (let i = 0; i < entries.length; i++) {
      const value = entries[i][1];
      let head = `--${boundary}\r\nContent-Disposition: form-data; name="${escape(entries[i][0])}"`;
      if (typeof value === 'string') {
        push(chunks, encode(`${head}\r\n\r\n${value}\r\n`));
        continue;
      }
      const { bytes, type } = stateOf(value);
      head += `; filename="${escape(fileName(value))}"\r\nContent-Type: ${type === '' ? 'application/octet-stream' : type}\r\n\r\n`;
      push(chunks, encode(head));
      push(chunks, bytes);
      push(chunks, encode('\r\n'));
    }
    push(chunks, encode(`--${boundary}--`));
    return { __proto__: null, bytes: concat(chunks), boundary };
  };
  const fileName = P.uncurryThis(P.ObjectGetOwnPropertyDescriptor(P.ObjectGetPrototypeOf(makeFile(concat(list()), '', '')), 'name').get);

  const fromPairs = (pairs) => {
    const form = new Implementation();
    const entries = entriesOf(form);
    for (let i = 0; i < pairs.length; i++) push(entries, pair(pairs[i][0], pairs[i][1]));
    return form;
  };

  // Parses a multipart/form-data body.
  const fromMultipart = (bytes, boundary) => {
    const answer = host.ops.multipartParse(bytes, boundary);
    if (answer === undefined || answer === null) throw new TypeError('No initial boundary string (or you have a truncated message).');
    const parts = P.JSONParse(answer);
    const form = new Implementation();
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i];
      const data = P.TypedArrayPrototypeSlice(bytes, part[3], part[4]);
      push(entriesOf(form), pair(part[0], part[1] === null ? decodeUtf8(data) : makeFile(data, part[2], part[1])));
    }
    return form;
  };
  return { __proto__: null, entriesOf, toMultipart, fromMultipart, fromPairs };
})
