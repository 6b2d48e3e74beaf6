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
  // Text without % and + stands for itself; the rest goes through UTF-8.
  const decodeForm = (text) =>
    StringPrototypeIndexOf(text, '%') < 0 && StringPrototypeIndexOf(text, '+') < 0 ? text : host.ops.formDecode(text);

  const serialise = (pairs) => {
    let out = '';
    for (let i = 0; i < pairs.length; i++) out += (i === 0 ? '' : '&') + host.ops.formEncode(pairs[i][0]) + '=' + host.ops.formEncode(pairs[i][1]);
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
        this.#pairs = parseForm(text[0] === '?' ? StringPrototypeSlice(text, 1) : text);
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

  // Most URLs are as they should be: what has nothing to be encoded, decoded or left out is taken apart here. Its host is of
  // lower case, ends in no number and has no punycode, its port is not the usual one, and no segment of its path has a dot
  // before all else.
  const usual = /^(https?:)\/\/(?:([\w~!$&()*+,.-]+)(?::([\w~!$&()*+,.-]+))?@)?((?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*)(?::([1-9][0-9]{0,4}))?(\/[\w~!$&()*+,;=:@/.-]*)?(\?[\w~!$&()*+,;=:@/?%.-]*)?(#[\w~!$&()*+,;=:@/?%.-]*)?$/;
  const takeApart = (input) => {
    const found = P.RegExpPrototypeExec(usual, input);
    if (found === null) return undefined;
    const protocol = found[1], username = found[2] ?? '', password = found[3] ?? '', hostname = found[4], port = found[5] ?? '';
    const pathname = found[6] ?? '/', search = found[7] ?? '', hash = found[8] ?? '';
    if (port !== '' && (+port > 65535 || port === (protocol === 'http:' ? '80' : '443'))) return undefined;
    if (StringPrototypeIndexOf(hostname, 'xn--') >= 0 || StringPrototypeIndexOf(pathname, '/.') >= 0) return undefined;
    const authority = port === '' ? hostname : `${hostname}:${port}`;
    const origin = `${protocol}//${authority}`;
    const login = username === '' ? '' : password === '' ? `${username}@` : `${username}:${password}@`;
    return {
      __proto__: null, href: found[6] === undefined ? `${protocol}//${login}${authority}/${search}${hash}` : input, origin, protocol, username, password,
      host: authority, hostname, port, pathname, search: search === '?' ? '' : search, hash: hash === '#' ? '' : hash,
    };
  };

  // The parts of a URL by name, or undefined when it does not parse.
  const parse = (input, base) => {
    const parts = base === undefined ? takeApart(input) : undefined;
    if (parts !== undefined) return parts;
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
      return parts === undefined ? null : new Implementation(parts.href);
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
      const input = usvString(url);
      const parts = parse(input, optional(base));
      if (parts === undefined) throw new TypeError('Invalid URL string.');
      this.#parts = parts;
    }

    #set(property, value) {
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
        this.#parts = split(host.ops.urlSet(this.#parts.href, 'search', text));
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
