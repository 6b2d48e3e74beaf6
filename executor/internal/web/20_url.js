// URL and URLSearchParams.
// Ops: urlParse(input, base or nil) → the eleven parts of the URL separated by line breaks (href, origin,
// protocol, username, password, host, hostname, port, pathname, search, hash), or nil;
// urlSet(href, property, value) → the same, nil only for href.
// Globals: URL URLSearchParams
(function (host) {
  'use strict';
  const P = host.primordials;
  const { Error, TypeError, list, push, toArray, StringPrototypeSplit, StringPrototypeSlice, StringPrototypeIndexOf, ArrayPrototypeSort } = P;
  const { expose, receiver, illegal, missing, wrong, usvString, isObject, iterators } = host.load('idl');

  // application/x-www-form-urlencoded, parsed into a list of [name, value] lists.
  const parseForm = (text) => {
    const pairs = list();
    const length = text.length;
    let equals = 0; // the next sign from start on, or -1
    for (let start = 0, end; start < length; start = end + 1) {
      end = StringPrototypeIndexOf(text, '&', start);
      if (end < 0) end = length;
      if (end === start) continue;
      if (equals >= 0 && equals <= start) equals = StringPrototypeIndexOf(text, '=', start);
      const at = equals < 0 || equals > end ? end : equals;
      push(pairs, pair(decodeForm(StringPrototypeSlice(text, start, at)), decodeForm(at < end ? StringPrototypeSlice(text, at + 1, end) : '')));
    }
    return pairs;
  };
  // As a literal it takes no more room than it needs.
  const pair = (name, value) => P.ObjectSetPrototypeOf([name, value], null);
  // Text without % and + stands for itself; what the language decodes and encodes otherwise than forms do, or not at all, is an
  // operation's.
  const decodeForm = (text) => {
    const spaced = StringPrototypeIndexOf(text, '+') < 0 ? text : P.StringPrototypeReplaceAll(text, '+', ' ');
    if (StringPrototypeIndexOf(spaced, '%') < 0) return spaced;
    try {
      return P.decodeURIComponent(spaced);
    } catch {
      return host.ops.formDecode(text);
    }
  };
  const itself = /^[\w*.-]*$/;
  const otherwise = /[!'()~]|[\ud800-\udbff](?![\udc00-\udfff])|(?:^|[^\ud800-\udbff])[\udc00-\udfff]/;
  const encodeForm = (text) => {
    if (P.RegExpPrototypeExec(itself, text) !== null) return text;
    if (P.RegExpPrototypeExec(otherwise, text) !== null) return host.ops.formEncode(text);
    const encoded = P.encodeURIComponent(text);
    return StringPrototypeIndexOf(encoded, '%20') < 0 ? encoded : P.StringPrototypeReplaceAll(encoded, '%20', '+');
  };

  const serialise = (pairs) => {
    let out = '';
    for (let i = 0; i < pairs.length; i++) out += (i === 0 ? '' : '&') + encodeForm(pairs[i][0]) + '=' + encodeForm(pairs[i][1]);
    return out;
  };

  const sequence = () => new TypeError('Invalid URL search params sequence.');
  const fromSequence = (init) => {
    const items = P.arrayFrom(init);
    const pairs = list();
    for (let i = 0; i < items.length; i++) {
      if (!isObject(items[i]) || typeof items[i][P.SymbolIterator] !== 'function') throw new TypeError("Incorrect type: the provided value is not of type 'Sequence'.");
      const item = P.arrayFrom(items[i]);
      if (item.length !== 2) throw sequence();
      push(pairs, pair(usvString(item[0]), usvString(item[1])));
    }
    return pairs;
  };
  const fromRecord = (init) => {
    const pairs = list();
    const keys = P.ReflectOwnKeys(init);
    for (let i = 0; i < keys.length; i++) {
      const descriptor = P.ReflectGetOwnPropertyDescriptor(init, keys[i]);
      if (descriptor === undefined || !descriptor.enumerable) continue;
      push(pairs, pair(usvString(keys[i]), usvString(init[keys[i]])));
    }
    return pairs;
  };

  let pairsOf; // the pairs of a URLSearchParams, by reference; undefined for anything else
  let attach;  // makes a URLSearchParams that reports its changes
  let replace; // gives one other pairs, silently

  class Params {
    #pairs;
    #changed;

    static {
      pairsOf = (value) => (isObject(value) && #pairs in value ? value.#pairs : undefined);
      replace = (params, text) => { params.#pairs = parseForm(text); };
      attach = (text, changed) => {
        const params = new Params();
        params.#pairs = parseForm(text);
        params.#changed = changed;
        return params;
      };
    }

    constructor(init = '') {
      if (isObject(init)) {
        const iterator = init[P.SymbolIterator];
        this.#pairs = iterator === undefined || iterator === null ? fromRecord(init) : fromSequence(init);
      } else {
        const text = usvString(init);
        this.#pairs = parseForm(P.StringPrototypeStartsWith(text, '?') ? StringPrototypeSlice(text, 1) : text);
      }
    }

    #update(pairs) {
      this.#pairs = pairs;
      this.#changed?.(serialise(pairs));
    }

    get size() {
      #pairs in receiver(this) || illegal();
      return this.#pairs.length;
    }

    append(name, value) {
      #pairs in receiver(this) || illegal();
      missing(arguments.length, 'append', 'URLSearchParams', ['USVString', 'USVString']);
      push(this.#pairs, pair(usvString(name), usvString(value)));
      this.#update(this.#pairs);
    }

    delete(name, value = undefined) {
      #pairs in receiver(this) || illegal();
      missing(arguments.length, 'delete', 'URLSearchParams', ['USVString']);
      name = usvString(name);
      if (value !== undefined) value = usvString(value);
      this.#update(keep(this.#pairs, (entry) => entry[0] !== name || value !== undefined && entry[1] !== value));
    }

    get(name) {
      #pairs in receiver(this) || illegal();
      missing(arguments.length, 'get', 'URLSearchParams', ['USVString']);
      name = usvString(name);
      for (let i = 0; i < this.#pairs.length; i++) if (this.#pairs[i][0] === name) return this.#pairs[i][1];
      return null;
    }

    getAll(name) {
      #pairs in receiver(this) || illegal();
      missing(arguments.length, 'getAll', 'URLSearchParams', ['USVString']);
      name = usvString(name);
      const out = list();
      for (let i = 0; i < this.#pairs.length; i++) if (this.#pairs[i][0] === name) push(out, this.#pairs[i][1]);
      return toArray(out);
    }

    has(name, value = undefined) {
      #pairs in receiver(this) || illegal();
      missing(arguments.length, 'has', 'URLSearchParams', ['USVString']);
      name = usvString(name);
      if (value !== undefined) value = usvString(value);
      for (let i = 0; i < this.#pairs.length; i++) {
        if (this.#pairs[i][0] === name && (value === undefined || this.#pairs[i][1] === value)) return true;
      }
      return false;
    }

    set(name, value) {
      #pairs in receiver(this) || illegal();
      missing(arguments.length, 'set', 'URLSearchParams', ['USVString', 'USVString']);
      name = usvString(name);
      value = usvString(value);
      let done = false;
      const pairs = keep(this.#pairs, (entry) => {
        if (entry[0] !== name) return true;
        if (done) return false;
        entry[1] = value;
        return (done = true);
      });
      if (!done) push(pairs, pair(name, value));
      this.#update(pairs);
    }

    sort() {
      #pairs in receiver(this) || illegal();
      // Comparison of strings is by code units, as the standard asks, and the sort is stable.
      ArrayPrototypeSort(this.#pairs, (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
      this.#update(this.#pairs);
    }

    entries() {
      #pairs in receiver(this) || illegal();
      return iterators.entries((index) => this.#pairs[index]);
    }

    keys() {
      #pairs in receiver(this) || illegal();
      return iterators.keys((index) => this.#pairs[index]);
    }

    values() {
      #pairs in receiver(this) || illegal();
      return iterators.values((index) => this.#pairs[index]);
    }

    forEach(callback, thisArg = undefined) {
      #pairs in receiver(this) || illegal();
      if (typeof callback !== 'function') throw wrong('forEach', 'URLSearchParams', 1, 'function');
      for (let i = 0; i < this.#pairs.length; i++) P.FunctionPrototypeCall(callback, thisArg, this.#pairs[i][1], this.#pairs[i][0], this);
    }

    toString() {
      #pairs in receiver(this) || illegal();
      return serialise(this.#pairs);
    }
  }
  const keep = (pairs, wanted) => {
    const out = list();
    for (let i = 0; i < pairs.length; i++) if (wanted(pairs[i])) push(out, pairs[i]);
    return out;
  };
  P.define(Params.prototype, P.SymbolIterator, Params.prototype.entries);

  const names = P.words('href origin protocol username password host hostname port pathname search hash');

  // The parts of a URL by name, or undefined when it does not parse. The last base is kept: what has one usually has the same.
  let lastBase, lastParts;
  const parse = (input, base) => {
    const { takeApart, takeApartOn } = host.load('url_plain');
    let parts;
    if (base === undefined) {
      parts = takeApart(input);
    } else {
      if (base !== lastBase) {
        lastParts = takeApart(base);
        lastBase = base;
      }
      parts = lastParts && takeApartOn(lastParts, input);
    }
    if (parts !== undefined) return parts ?? undefined;
    const answer = host.ops.urlParse(input, base);
    return answer === undefined || answer === null ? undefined : split(answer);
  };
  const split = (answer) => {
    const values = StringPrototypeSplit(answer, '\n');
    const parts = { __proto__: null };
    for (let i = 0; i < names.length; i++) parts[names[i]] = values[i];
    return parts;
  };
  const optional = (base) => (base === undefined ? undefined : usvString(base));

  const parsed = { __proto__: null }; // stands before parts, which no program has
  let hrefOf; // the href of a URL, undefined for anything else

  class Implementation {
    #parts;
    #params;

    static canParse(url, base = undefined) {
      missing(arguments.length, 'canParse', 'URL', ['USVString']);
      return parse(usvString(url), optional(base)) !== undefined;
    }

    static parse(url, base = undefined) {
      missing(arguments.length, 'parse', 'URL', ['USVString']);
      const parts = parse(usvString(url), optional(base));
      return parts === undefined ? null : new Implementation(parsed, parts);
    }

    static createObjectURL(object) {
      if (host.load('50_blob').stateOf(object) === undefined) throw wrong('createObjectURL', 'URL', 1, 'File or Blob');
      throw new Error('URL.createObjectURL() is not implemented');
    }

    static revokeObjectURL(url) {
      missing(arguments.length, 'revokeObjectURL', 'URL', ['USVString']);
      usvString(url);
      throw new Error('URL.revokeObjectURL() is not implemented');
    }

    constructor(url, base = undefined) {
      if (url === parsed) {
        this.#parts = base;
        return;
      }
      const input = usvString(url);
      const parts = parse(input, optional(base));
      if (parts === undefined) throw new TypeError('Invalid URL string.');
      this.#parts = parts;
    }

    #set(property, value) {
      const parts = property === 'search' ? host.load('url_plain').withSearch(this.#parts, value) : undefined;
      if (parts !== undefined) {
        this.#parts = parts;
        if (this.#params !== undefined) replace(this.#params, StringPrototypeSlice(parts.search, 1));
        return;
      }
      const answer = host.ops.urlSet(this.#parts.href, property, value);
      if (answer === undefined || answer === null) throw new TypeError("Failed to set the 'href' property on 'URL': the provided value is not of type 'valid URL string'.");
      this.#parts = split(answer);
      if (this.#params !== undefined && (property === 'href' || property === 'search')) replace(this.#params, StringPrototypeSlice(this.#parts.search, 1));
    }

    get origin() { #parts in receiver(this) || illegal(); return this.#parts.origin; }
    get href() { #parts in receiver(this) || illegal(); return this.#parts.href; }
    set href(value) { #parts in receiver(this) || illegal(); this.#set('href', usvString(value)); }
    get protocol() { #parts in receiver(this) || illegal(); return this.#parts.protocol; }
    set protocol(value) { #parts in receiver(this) || illegal(); this.#set('protocol', usvString(value)); }
    get username() { #parts in receiver(this) || illegal(); return this.#parts.username; }
    set username(value) { #parts in receiver(this) || illegal(); this.#set('username', usvString(value)); }
    get password() { #parts in receiver(this) || illegal(); return this.#parts.password; }
    set password(value) { #parts in receiver(this) || illegal(); this.#set('password', usvString(value)); }
    get host() { #parts in receiver(this) || illegal(); return this.#parts.host; }
    set host(value) { #parts in receiver(this) || illegal(); this.#set('host', usvString(value)); }
    get hostname() { #parts in receiver(this) || illegal(); return this.#parts.hostname; }
    set hostname(value) { #parts in receiver(this) || illegal(); this.#set('hostname', usvString(value)); }
    get port() { #parts in receiver(this) || illegal(); return this.#parts.port; }
    set port(value) { #parts in receiver(this) || illegal(); this.#set('port', usvString(value)); }
    get pathname() { #parts in receiver(this) || illegal(); return this.#parts.pathname; }
    set pathname(value) { #parts in receiver(this) || illegal(); this.#set('pathname', usvString(value)); }
    get search() { #parts in receiver(this) || illegal(); return this.#parts.search; }
    set search(value) { #parts in receiver(this) || illegal(); this.#set('search', usvString(value)); }
    get hash() { #parts in receiver(this) || illegal(); return this.#parts.hash; }
    set hash(value) { #parts in receiver(this) || illegal(); this.#set('hash', usvString(value)); }

    get searchParams() {
      #parts in receiver(this) || illegal();
      return (this.#params ??= attach(StringPrototypeSlice(this.#parts.search, 1), (text) => {
        this.#parts = host.load('url_plain').withSearch(this.#parts, text) ?? split(host.ops.urlSet(this.#parts.href, 'search', text));
      }));
    }

    toJSON() {
      #parts in receiver(this) || illegal();
      return this.#parts.href;
    }

    toString() {
      #parts in receiver(this) || illegal();
      return this.#parts.href;
    }

    static { hrefOf = (value) => (isObject(value) && #parts in value ? value.#parts.href : undefined); }
  }

  host.define('URL', expose('URL', Implementation, { required: ['USVString'] }), { enumerable: true });
  host.define('URLSearchParams', expose('URLSearchParams', Params), { enumerable: true });
  return { __proto__: null, parse, hrefOf, parseForm, serialiseForm: serialise, pairsOf };
})
