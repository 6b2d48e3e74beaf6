// URLPattern. Ops: urlComponent(component, value, scheme) → the canonical form of a URL component as the
// URL Pattern standard's callbacks give it, or nil where they fail.
// Globals: URLPattern
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, StringPrototypeSlice, StringPrototypeLastIndexOf, StringPrototypeStartsWith, StringPrototypeEndsWith } = P;
  const { expose, receiver, illegal, usvString, isObject } = host.load('idl');
  const { tokenize, compile, escapePattern, fail } = host.load('url_pattern_parser');
  const url = host.load('20_url');

  const names = P.words('protocol username password hostname port pathname search hash');
  const ports = { __proto__: null, http: '80', https: '443', ws: '80', wss: '443', ftp: '21', file: '' };
  const isSpecial = (scheme) => ports[scheme] !== undefined;

  const canonical = (component, value, scheme = '') => {
    const out = host.ops.urlComponent(component, value, scheme);
    if (out === undefined || out === null) throw fail();
    return out;
  };
  const callback = (component, scheme) => (value) => canonical(component, value, scheme);
  const matchesSpecial = (component) => {
    for (const scheme in ports) if (P.RegExpPrototypeExec(component.expression, scheme) !== null) return true;
    return false;
  };

  // ---- the constructor string parser: a pattern string cut into components

  const plain = { __proto__: null, delimiter: '', prefix: '' };

  class StringParser {
    result = { __proto__: null };
    #input;
    #tokens;
    #state = 'init';
    #index = 0;
    #step = 1;
    #start = 0;
    #depth = 0;
    #brackets = 0;
    #special = false;

    constructor(input) {
      this.#input = input;
      this.#tokens = tokenize(input, true);
    }

    parse() {
      for (; this.#index < this.#tokens.length; this.#index += this.#step) {
        this.#step = 1;
        const { type } = this.#tokens[this.#index];
        if (type === 'end') {
          if (!this.#end()) break;
          continue;
        }
        if (type === 'open') {
          this.#depth++;
          continue;
        }
        if (this.#depth > 0) {
          if (type !== 'close') continue;
          this.#depth--;
        }
        this.#advance();
      }
      if (this.result.hostname !== undefined && this.result.port === undefined) this.result.port = '';
      return this.result;
    }

    // At the end of the input; false when all is done.
    #end() {
      if (this.#state === 'init') {
        this.#rewind();
        if (this.#is('#')) this.#change('hash', 1);
        else if (this.#isSearch()) this.#change('search', 1);
        else this.#change('pathname', 0);
        return true;
      }
      if (this.#state === 'authority') {
        this.#rewind('hostname');
        return true;
      }
      this.#change('done', 0);
      return false;
    }

    #advance() {
      switch (this.#state) {
        case 'init': if (this.#is(':')) this.#rewind('protocol'); break;
        case 'protocol': if (this.#is(':')) this.#afterProtocol(); break;
        case 'authority':
          if (this.#is('@')) this.#rewind('username');
          else if (this.#is('/') || this.#isSearch() || this.#is('#')) this.#rewind('hostname');
          break;
        case 'username':
          if (this.#is(':')) this.#change('password', 1);
          else if (this.#is('@')) this.#change('hostname', 1);
          break;
        case 'password': if (this.#is('@')) this.#change('hostname', 1); break;
        case 'hostname':
          if (this.#is('[')) this.#brackets++;
          else if (this.#is(']')) this.#brackets--;
          else if (this.#is(':') && this.#brackets === 0) this.#change('port', 1);
          else this.#afterHost();
          break;
        case 'port': this.#afterHost(); break;
        case 'pathname': if (this.#isSearch()) this.#change('search', 1); else if (this.#is('#')) this.#change('hash', 1); break;
        case 'search': if (this.#is('#')) this.#change('hash', 1); break;
      }
    }

    #afterProtocol() {
      this.#special = matchesSpecial(compile(this.#component(), callback('protocol'), plain));
      if (this.#is('/', 1) && this.#is('/', 2)) this.#change('authority', 3);
      else this.#change(this.#special ? 'authority' : 'pathname', 1);
    }

    #afterHost() {
      if (this.#is('/')) this.#change('pathname', 0);
      else if (this.#isSearch()) this.#change('search', 1);
      else if (this.#is('#')) this.#change('hash', 1);
    }

    #token(index) { return this.#tokens[index < this.#tokens.length ? index : this.#tokens.length - 1]; }

    // Whether the token some places ahead is the character as such, not part of the pattern syntax.
    #is(character, ahead = 0) {
      const { type, value } = this.#token(this.#index + ahead);
      return value === character && (type === 'char' || type === 'escaped-char' || type === 'invalid-char');
    }

    // A "?" opens the search unless it can only be a modifier of what is before it.
    #isSearch() {
      if (this.#is('?')) return true;
      if (this.#tokens[this.#index].value !== '?') return false;
      if (this.#index === 0) return true;
      const { type } = this.#token(this.#index - 1);
      return type !== 'name' && type !== 'regexp' && type !== 'close' && type !== 'asterisk';
    }

    #component() { return StringPrototypeSlice(this.#input, this.#token(this.#start).index, this.#tokens[this.#index].index); }

    #rewind(state = this.#state) {
      this.#index = this.#start;
      this.#step = 0;
      this.#state = state;
    }

    #change(state, skip) {
      const from = this.#state;
      const { result } = this;
      if (from !== 'init' && from !== 'authority' && from !== 'done') result[from] = this.#component();
      if (from !== 'init' && state !== 'done') {
        const order = (name) => rank[name];
        if (order(from) < rank.hostname && order(state) >= rank.port) result.hostname ??= '';
        if (order(from) < rank.pathname && order(state) >= rank.search) result.pathname ??= this.#special ? '/' : '';
        if (order(from) < rank.search && state === 'hash') result.search ??= '';
      }
      this.#state = state;
      this.#index += skip;
      this.#start = this.#index;
      this.#step = 0;
    }
  }
  const rank = { __proto__: null, protocol: 0, authority: 1, username: 2, password: 3, hostname: 4, port: 5, pathname: 6, search: 7, hash: 8 };

  // ---- URLPatternInit

  const initOf = (input) => {
    const init = { __proto__: null };
    for (let i = 0; i < names.length; i++) {
      const value = input[names[i]];
      if (value !== undefined) init[names[i]] = usvString(value);
    }
    if (input.baseURL !== undefined) init.baseURL = usvString(input.baseURL);
    return init;
  };
  const isAbsolute = (path, isPattern) =>
    path !== '' && (path[0] === '/' || isPattern && (StringPrototypeStartsWith(path, '\\/') || StringPrototypeStartsWith(path, '{/')));
  const withoutPrefix = (text, prefix) => (StringPrototypeStartsWith(text, prefix) ? StringPrototypeSlice(text, 1) : text);

  // Applies the base URL and, for input to match, canonicalises; result holds the defaults.
  const process = (init, isPattern, result) => {
    const base = init.baseURL === undefined ? undefined : inherit(init, isPattern, result);
    if (init.protocol !== undefined) {
      const protocol = StringPrototypeEndsWith(init.protocol, ':') ? StringPrototypeSlice(init.protocol, 0, -1) : init.protocol;
      result.protocol = isPattern ? protocol : canonical('protocol', protocol);
    }
    const scheme = result.protocol ?? '';
    const take = (name, value) => { result[name] = isPattern ? value : canonical(name, value, scheme); };
    if (init.username !== undefined) take('username', init.username);
    if (init.password !== undefined) take('password', init.password);
    if (init.hostname !== undefined) take('hostname', init.hostname);
    if (init.port !== undefined) take('port', init.port);
    if (init.pathname !== undefined) {
      let path = init.pathname;
      if (base !== undefined && hasSegments(base) && !isAbsolute(path, isPattern)) {
        const from = isPattern ? escapePattern(base.pathname) : base.pathname;
        const slash = StringPrototypeLastIndexOf(from, '/');
        if (slash >= 0) path = StringPrototypeSlice(from, 0, slash + 1) + path;
      }
      result.pathname = isPattern ? path : canonical(scheme === '' || isSpecial(scheme) ? 'pathname' : 'opaque', path, scheme);
    }
    if (init.search !== undefined) take('search', withoutPrefix(init.search, '?'));
    if (init.hash !== undefined) take('hash', withoutPrefix(init.hash, '#'));
    return result;
  };
  const hasSegments = (base) => base.pathname === '' || base.pathname[0] === '/';

  // Takes from the base URL every component before the first that init has; returns the base.
  const inherit = (init, isPattern, result) => {
    const base = url.parse(init.baseURL);
    if (base === undefined) throw fail();
    const text = (value) => (isPattern ? escapePattern(value) : value);
    const absent = (...list_) => {
      for (let i = 0; i < list_.length; i++) if (init[list_[i]] !== undefined) return false;
      return true;
    };
    if (absent('protocol')) result.protocol = text(StringPrototypeSlice(base.protocol, 0, -1));
    if (!isPattern && absent('protocol', 'hostname', 'port', 'username')) result.username = base.username;
    if (!isPattern && absent('protocol', 'hostname', 'port', 'username', 'password')) result.password = base.password;
    if (absent('protocol', 'hostname')) result.hostname = text(base.hostname);
    if (absent('protocol', 'hostname', 'port')) result.port = text(base.port);
    if (absent('protocol', 'hostname', 'port', 'pathname')) result.pathname = text(base.pathname);
    if (absent('protocol', 'hostname', 'port', 'pathname', 'search')) result.search = text(StringPrototypeSlice(base.search, 1));
    if (absent('protocol', 'hostname', 'port', 'pathname', 'search', 'hash')) result.hash = text(StringPrototypeSlice(base.hash, 1));
    return base;
  };

  // ---- compiling

  const isIPv6Pattern = (pattern) => pattern.length >= 2 && (pattern[0] === '[' || (pattern[0] === '{' || pattern[0] === '\\') && pattern[1] === '[');

  const compileAll = (init, ignoreCase) => {
    const given = process(init, true, { __proto__: null });
    for (let i = 0; i < names.length; i++) given[names[i]] ??= '*';
    if (isSpecial(given.protocol) && given.port === ports[given.protocol]) given.port = '';
    const out = { __proto__: null };
    out.protocol = compile(given.protocol, callback('protocol'), plain);
    const special = matchesSpecial(out.protocol);
    out.username = compile(given.username, callback('username'), plain);
    out.password = compile(given.password, callback('password'), plain);
    const hostOptions = { __proto__: null, delimiter: '.', prefix: '' };
    const hostKind = isIPv6Pattern(given.hostname) ? callback('ipv6') : callback('hostname', special ? 'https' : 'x');
    out.hostname = compile(given.hostname, hostKind, hostOptions);
    out.port = compile(given.port, callback('port'), plain);
    out.pathname = special
      ? compile(given.pathname, callback('pathname'), { __proto__: null, delimiter: '/', prefix: '/', ignoreCase })
      : compile(given.pathname, callback('opaque'), { __proto__: null, ...plain, ignoreCase });
    out.search = compile(given.search, callback('search'), { __proto__: null, ...plain, ignoreCase });
    out.hash = compile(given.hash, callback('hash'), { __proto__: null, ...plain, ignoreCase });
    return out;
  };

  const construct = (input, baseURL, options) => {
    if (typeof input === 'string') {
      const init = new StringParser(usvString(input)).parse();
      if (baseURL === undefined && init.protocol === undefined) throw fail();
      if (baseURL !== undefined) init.baseURL = baseURL;
      return compileAll(init, !!options?.ignoreCase);
    }
    if (baseURL !== undefined) throw fail();
    return compileAll(initOf(input), !!options?.ignoreCase);
  };

  // ---- matching

  // The components of something to match: a URL string with its base, or an init; undefined when it is no URL.
  const componentsOf = (input, baseURL, verb) => {
    if (isObject(input)) {
      if (baseURL !== undefined) throw new TypeError(`Failed to ${verb} URLPattern`);
      const defaults = { __proto__: null };
      for (let i = 0; i < names.length; i++) defaults[names[i]] = '';
      const init = initOf(input);
      try {
        return process(init, false, defaults);
      } catch {
        return undefined;
      }
    }
    const parts = url.parse(usvString(input), baseURL === undefined ? undefined : usvString(baseURL));
    if (parts === undefined) return undefined;
    return {
      __proto__: null, protocol: StringPrototypeSlice(parts.protocol, 0, -1), username: parts.username, password: parts.password, hostname: parts.hostname,
      port: parts.port, pathname: parts.pathname, search: StringPrototypeSlice(parts.search, 1), hash: StringPrototypeSlice(parts.hash, 1),
    };
  };

  const match = (components, input, baseURL, verb) => {
    const values = componentsOf(input, baseURL, verb);
    if (values === undefined) return null;
    const result = { inputs: baseURL === undefined ? [input] : [input, baseURL] };
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      const found = P.RegExpPrototypeExec(components[name].expression, values[name]);
      if (found === null) return null;
      const groups = {};
      for (let g = 0; g < components[name].names.length; g++) P.define(groups, components[name].names[g], found[g + 1], true);
      P.define(result, name, { input: values[name], groups }, true);
    }
    return result;
  };

  class Implementation {
    #components;

    constructor(input = undefined, baseOrOptions = undefined, options = undefined) {
      if (input === undefined || input === null) input = {};
      const hasBase = typeof baseOrOptions === 'string';
      if (!isObject(input)) input = usvString(input);
      this.#components = construct(input, hasBase ? usvString(baseOrOptions) : undefined, hasBase ? options : baseOrOptions);
    }

    get protocol() { #components in receiver(this) || illegal(); return this.#components.protocol.pattern; }
    get username() { #components in receiver(this) || illegal(); return this.#components.username.pattern; }
    get password() { #components in receiver(this) || illegal(); return this.#components.password.pattern; }
    get hostname() { #components in receiver(this) || illegal(); return this.#components.hostname.pattern; }
    get port() { #components in receiver(this) || illegal(); return this.#components.port.pattern; }
    get pathname() { #components in receiver(this) || illegal(); return this.#components.pathname.pattern; }
    get search() { #components in receiver(this) || illegal(); return this.#components.search.pattern; }
    get hash() { #components in receiver(this) || illegal(); return this.#components.hash.pattern; }
    get hasRegExpGroups() {
      #components in receiver(this) || illegal();
      for (let i = 0; i < names.length; i++) if (this.#components[names[i]].hasRegExp) return true;
      return false;
    }

    test(input = undefined, baseURL = undefined) {
      #components in receiver(this) || illegal();
      return match(this.#components, input ?? {}, baseURL, 'test') !== null;
    }
    exec(input = undefined, baseURL = undefined) {
      #components in receiver(this) || illegal();
      return match(this.#components, input ?? {}, baseURL, 'exec');
    }
  }
  host.define('URLPattern', expose('URLPattern', Implementation), { enumerable: true });
})
