// Headers.
// Globals: Headers
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, list, push, toArray, StringPrototypeToLowerCase, StringPrototypeCharCodeAt, StringPrototypeSlice, StringPrototypeIndexOf, SafeMap } = P;
  const { expose, receiver, illegal, missing, wrong, string, isObject, iterators } = host.load('idl');

  const separators = '()<>@,;:\\"/[]?={} \t';
  const nameOf = (value) => {
    const name = string(value);
    for (let i = 0; i < name.length; i++) {
      const unit = StringPrototypeCharCodeAt(name, i);
      if (unit <= 0x20 || unit >= 0x7f || StringPrototypeIndexOf(separators, name[i]) >= 0) throw new TypeError('Invalid header name.');
    }
    return name;
  };
  const isBlank = (unit) => unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
  const valueOf = (given) => {
    const value = string(given);
    let start = 0;
    let end = value.length;
    while (start < end && isBlank(StringPrototypeCharCodeAt(value, start))) start++;
    while (end > start && isBlank(StringPrototypeCharCodeAt(value, end - 1))) end--;
    for (let i = start; i < end; i++) {
      const unit = StringPrototypeCharCodeAt(value, i);
      if (unit === 0 || unit === 0x0a || unit === 0x0d) throw new TypeError('Invalid header value.');
    }
    return StringPrototypeSlice(value, start, end);
  };
  const entry = (name, value) => ({ __proto__: null, key: StringPrototypeToLowerCase(name), name, value });

  let isHeaders;
  let pairsOf;       // the [name, value] lists as they were given, in order
  let makeHeaders;   // from such a list
  let makeImmutable; // refuses later changes by the program
  let setUnlessHas;

  class Implementation {
    #entries = list();
    #immutable = false;

    static {
      isHeaders = (value) => isObject(value) && #entries in value;
      pairsOf = (headers) => {
        const out = list();
        for (let i = 0; i < headers.#entries.length; i++) {
          const pair = list();
          pair[0] = headers.#entries[i].name;
          pair[1] = headers.#entries[i].value;
          push(out, pair);
        }
        return out;
      };
      makeHeaders = (pairs) => {
        const headers = new Implementation();
        for (let i = 0; i < pairs.length; i++) push(headers.#entries, entry(string(pairs[i][0]), valueOf(pairs[i][1])));
        return headers;
      };
      makeImmutable = (headers) => {
        headers.#immutable = true;
        return headers;
      };
      setUnlessHas = (headers, name, value) => {
        if (!headers.#has(name)) push(headers.#entries, entry(name, value));
      };
    }

    constructor(init = undefined) {
      if (init === undefined) return;
      if (!isObject(init)) throw new TypeError("Failed to construct 'Headers': constructor parameter 1 is not of type 'Headers or Sequence or object'.");
      fill(this, init);
    }

    #change() {
      if (this.#immutable) throw new TypeError("Can't modify immutable headers.");
    }

    #has(key) {
      for (let i = 0; i < this.#entries.length; i++) if (this.#entries[i].key === key) return true;
      return false;
    }

    #without(key) {
      const out = list();
      for (let i = 0; i < this.#entries.length; i++) if (this.#entries[i].key !== key) push(out, this.#entries[i]);
      return out;
    }

    #values(key) {
      const out = list();
      for (let i = 0; i < this.#entries.length; i++) if (this.#entries[i].key === key) push(out, this.#entries[i].value);
      return out;
    }

    get(name) {
      #entries in receiver(this) || illegal();
      missing(arguments.length, 'get', 'Headers', ['string']);
      const values = this.#values(StringPrototypeToLowerCase(nameOf(name)));
      if (values.length === 0) return null;
      let out = values[0];
      for (let i = 1; i < values.length; i++) out += `, ${values[i]}`;
      return out;
    }

    getAll(name) {
      #entries in receiver(this) || illegal();
      missing(arguments.length, 'getAll', 'Headers', ['string']);
      if (StringPrototypeToLowerCase(string(name)) !== 'set-cookie') throw new TypeError('getAll() can only be used with the header name "Set-Cookie".');
      return toArray(this.#values('set-cookie'));
    }

    getSetCookie() {
      #entries in receiver(this) || illegal();
      return toArray(this.#values('set-cookie'));
    }

    has(name) {
      #entries in receiver(this) || illegal();
      missing(arguments.length, 'has', 'Headers', ['string']);
      return this.#has(StringPrototypeToLowerCase(nameOf(name)));
    }

    set(name, value) {
      #entries in receiver(this) || illegal();
      missing(arguments.length, 'set', 'Headers', ['string', 'string']);
      this.#change();
      const made = entry(nameOf(name), valueOf(value));
      for (let i = 0; i < this.#entries.length; i++) {
        if (this.#entries[i].key !== made.key) continue;
        const rest = list();
        for (let j = 0; j < this.#entries.length; j++) {
          if (j === i) push(rest, made);
          else if (this.#entries[j].key !== made.key) push(rest, this.#entries[j]);
        }
        this.#entries = rest;
        return;
      }
      push(this.#entries, made);
    }

    append(name, value) {
      #entries in receiver(this) || illegal();
      missing(arguments.length, 'append', 'Headers', ['string', 'string']);
      this.#change();
      push(this.#entries, entry(nameOf(name), valueOf(value)));
    }

    delete(name) {
      #entries in receiver(this) || illegal();
      missing(arguments.length, 'delete', 'Headers', ['string']);
      this.#change();
      this.#entries = this.#without(StringPrototypeToLowerCase(nameOf(name)));
    }

    forEach(callback, thisArg = undefined) {
      #entries in receiver(this) || illegal();
      if (typeof callback !== 'function') throw wrong('forEach', 'Headers', 1, 'function');
      const pairs = this.#sorted();
      for (let i = 0; i < pairs.length; i++) P.FunctionPrototypeCall(callback, thisArg, pairs[i][1], pairs[i][0], this);
    }

    // A snapshot: names in lower case and in order, values combined, but each Set-Cookie by itself.
    #sorted() {
      const combined = new SafeMap();
      const out = list();
      for (let i = 0; i < this.#entries.length; i++) {
        const { key, value } = this.#entries[i];
        const known = key === 'set-cookie' ? undefined : combined.get(key);
        if (known !== undefined) {
          known[1] += `, ${value}`;
          continue;
        }
        const pair = list();
        pair[0] = key;
        pair[1] = value;
        combined.set(key, pair);
        push(out, pair);
      }
      P.ArrayPrototypeSort(out, (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
      return out;
    }

    #iterate(make) {
      const pairs = this.#sorted();
      return make((index) => pairs[index]);
    }

    entries() { #entries in receiver(this) || illegal(); return this.#iterate(iterators.entries); }
    keys() { #entries in receiver(this) || illegal(); return this.#iterate(iterators.keys); }
    values() { #entries in receiver(this) || illegal(); return this.#iterate(iterators.values); }
  }
  P.define(Implementation.prototype, P.SymbolIterator, Implementation.prototype.entries);

  // Adds what a HeadersInit holds: Headers, a sequence of pairs, or a record.
  const fill = (headers, init) => {
    const { append } = operations;
    if (isHeaders(init)) {
      const pairs = pairsOf(init);
      for (let i = 0; i < pairs.length; i++) append(headers, pairs[i][0], pairs[i][1]);
      return;
    }
    const iterator = init[P.SymbolIterator];
    if (iterator !== undefined && iterator !== null) {
      const items = P.arrayFrom(init);
      for (let i = 0; i < items.length; i++) {
        if (!isObject(items[i]) || typeof items[i][P.SymbolIterator] !== 'function') throw new TypeError("Incorrect type: the provided value is not of type 'Sequence'.");
        const item = P.arrayFrom(items[i]);
        if (item.length !== 2) throw new TypeError('To initialize a Headers object from a sequence, each inner sequence must have exactly two elements.');
        append(headers, item[0], item[1]);
      }
      return;
    }
    const keys = P.ReflectOwnKeys(init);
    for (let i = 0; i < keys.length; i++) {
      const descriptor = P.ReflectGetOwnPropertyDescriptor(init, keys[i]);
      if (descriptor !== undefined && descriptor.enumerable) append(headers, keys[i], init[keys[i]]);
    }
  };
  const operations = { __proto__: null, append: P.uncurryThis(Implementation.prototype.append), get: P.uncurryThis(Implementation.prototype.get) };
  const clone = (headers) => makeHeaders(pairsOf(headers));

  host.define('Headers', expose('Headers', Implementation, { clone }), { enumerable: true });
  return { __proto__: null, newHeaders: (init) => new Implementation(init), isHeaders, pairsOf, makeHeaders, makeImmutable, setUnlessHas, get: operations.get, clone };
})
