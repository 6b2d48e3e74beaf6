// node:url: the WHATWG classes, and the parser Node had before them.
(function (host) {
  'use strict';
  const { withCode, invalidType, checkString } = host.load('node/errors');
  const querystring = host.load('node/querystring');
  const { URL, URLSearchParams } = globalThis;

  const slashed = new Set(['http:', 'https:', 'ftp:', 'gopher:', 'file:', 'ws:', 'wss:']);
  const keys = ['protocol', 'slashes', 'auth', 'host', 'port', 'hostname', 'hash', 'search', 'query', 'pathname', 'path', 'href'];
  function Url() {
    for (const key of keys) this[key] = null;
  }
  // What must not be in an URL literally, escaped; what was escaped stays so.
  const escapeRest = (text) => text.replace(/[\t\n\r "'<>\\^`{|}]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

  const parseInto = (out, text, wantsQuery, slashesDenoteHost) => {
    let rest = text.trim();
    const cut = rest.search(/[?#]/);
    const head = (cut < 0 ? rest : rest.slice(0, cut)).replaceAll('\\', '/');
    rest = cut < 0 ? head : head + rest.slice(cut);
    const scheme = /^[a-z0-9.+-]+:/i.exec(rest);
    if (scheme !== null) {
      out.protocol = scheme[0].toLowerCase();
      rest = rest.slice(scheme[0].length);
    }
    const isScript = out.protocol === 'javascript:';
    if (!isScript && rest.startsWith('//') && (slashesDenoteHost || scheme !== null || /^\/\/[^@/]+@[^@/]+/.test(rest))) {
      out.slashes = true;
      rest = parseAuthority(out, rest.slice(2), text);
    }
    if (!isScript) rest = escapeRest(rest);
    const hash = rest.indexOf('#');
    if (hash >= 0) {
      out.hash = rest.slice(hash);
      rest = rest.slice(0, hash);
    }
    const question = rest.indexOf('?');
    if (question >= 0) {
      out.search = rest.slice(question);
      out.query = wantsQuery ? querystring.parse(rest.slice(question + 1)) : rest.slice(question + 1);
      rest = rest.slice(0, question);
    } else if (wantsQuery) {
      out.search = null;
      out.query = { __proto__: null };
    }
    if (rest !== '') out.pathname = rest;
    else if (slashed.has(out.protocol) && out.hostname) out.pathname = '/';
    if (out.pathname !== null || out.search !== null) out.path = (out.pathname ?? '') + (out.search ?? '');
    out.href = out.format();
    return out;
  };
  const parseAuthority = (out, rest, text) => {
    const stop = rest.search(/[/?#]/);
    let authority = stop < 0 ? rest : rest.slice(0, stop);
    rest = stop < 0 ? '' : rest.slice(stop);
    const at = authority.lastIndexOf('@');
    if (at >= 0) {
      out.auth = decodeURIComponent(authority.slice(0, at));
      authority = authority.slice(at + 1);
    }
    const bad = authority.search(/[\t\n\r "%'<>\\^`{|};]/);
    if (bad >= 0) {
      rest = (rest.startsWith('/') ? '' : '/') + authority.slice(bad) + rest;
      authority = authority.slice(0, bad);
    }
    const port = /:(\d*)$/.exec(authority);
    if (port !== null) {
      if (port[1] !== '') out.port = port[1];
      authority = authority.slice(0, port.index);
    }
    let hostname = authority.toLowerCase();
    if (hostname.startsWith('[') && hostname.endsWith(']')) hostname = hostname.slice(1, -1);
    else if (/[^\u0000-\u007f]/.test(hostname)) {
      hostname = domainToASCII(hostname);
      if (hostname === '') throw Object.assign(withCode(TypeError, 'ERR_INVALID_URL', 'Invalid URL'), { input: text });
    }
    out.hostname = hostname;
    out.host = (hostname.includes(':') ? `[${hostname}]` : hostname) + (out.port === null ? '' : `:${out.port}`);
    return rest;
  };
  Url.prototype.parse = function (text, wantsQuery, slashesDenoteHost) {
    checkString(text, 'url');
    return parseInto(this, text, wantsQuery, slashesDenoteHost);
  };
  Url.prototype.format = function () {
    const auth = this.auth ? `${encodeURIComponent(this.auth).replace(/%3A/i, ':')}@` : '';
    let protocol = this.protocol ?? '';
    if (protocol !== '' && !protocol.endsWith(':')) protocol += ':';
    let authority = '';
    if (this.host) authority = auth + this.host;
    else if (this.hostname) authority = `${auth}${this.hostname.includes(':') && !this.hostname.startsWith('[') ? `[${this.hostname}]` : this.hostname}${this.port ? `:${this.port}` : ''}`;
    const query = this.query !== null && typeof this.query === 'object' ? querystring.stringify(this.query) : '';
    let search = this.search || (query && `?${query}`) || '';
    let pathname = (this.pathname ?? '').replace(/[?#]/g, encodeURIComponent);
    if (this.slashes || slashed.has(protocol)) {
      if (this.slashes || authority !== '') {
        if (pathname !== '' && !pathname.startsWith('/')) pathname = `/${pathname}`;
        authority = `//${authority}`;
      } else if (protocol === 'file:') authority = '//';
    }
    let hash = this.hash ?? '';
    if (hash !== '' && !hash.startsWith('#')) hash = `#${hash}`;
    if (search !== '' && !search.startsWith('?')) search = `?${search}`;
    return protocol + authority + pathname + search.replace(/#/g, '%23') + hash;
  };
  Url.prototype.resolve = function (relative) { return this.resolveObject(parse(relative, false, true)).format(); };
  Url.prototype.resolveObject = function (relative) {
    const base = this.href || this.format();
    const target = typeof relative === 'string' ? relative : relative.href || relative.format();
    return parse(resolveText(base, target));
  };
  const resolveText = (base, target) => {
    if (target === '') return base.split('#')[0];
    if (URL.canParse(base) && URL.canParse(target, base)) {
      const href = new URL(target, base).href;
      return href;
    }
    const marker = 'http://resolve.invalid';
    const from = new URL(base, `${marker}/`);
    const to = new URL(target, from);
    if (to.origin !== marker) return to.href;
    const text = to.href.slice(marker.length);
    return base.startsWith('/') || target.startsWith('/') ? text : text.slice(1);
  };
  Url.prototype.parseHost = function () {};

  const parse = (url, wantsQuery, slashesDenoteHost) => (url instanceof Url ? url : new Url().parse(url, wantsQuery, slashesDenoteHost));
  const format = (url, options) => {
    if (typeof url === 'string') return parse(url).format();
    if (url === null || typeof url !== 'object') throw invalidType('urlObject', 'one of type object or string', url);
    if (!(url instanceof URL)) return Url.prototype.format.call(url);
    const { fragment = true, unicode = false, search = true, auth = true } = options ?? {};
    const host = unicode ? domainToUnicode(url.hostname) + (url.port ? `:${url.port}` : '') : url.host;
    const user = auth && (url.username || url.password) ? `${url.username}${url.password ? `:${url.password}` : ''}@` : '';
    const slashes = url.host !== '' || url.protocol === 'file:' ? '//' : '';
    return `${url.protocol}${slashes}${user}${host}${url.pathname}${search ? url.search : ''}${fragment ? url.hash : ''}`;
  };
  const domainToASCII = (domain) => {
    try {
      return new URL(`ws://${domain}`).hostname;
    } catch {
      return '';
    }
  };
  const domainToUnicode = (domain) => host.ops.domainToUnicode(domainToASCII(domain));
  const fileURLToPath = (path, options) => {
    const url = typeof path === 'string' ? new URL(path) : path;
    if (!(url instanceof URL)) throw invalidType('path', 'of type string or an instance of URL', path);
    if (url.protocol !== 'file:') throw withCode(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
    if (options?.windows) {
      const windows = decodeURIComponent(url.pathname.replaceAll('/', '\\'));
      return url.hostname !== '' ? `\\\\${domainToUnicode(url.hostname)}${windows}` : windows.slice(1);
    }
    if (url.hostname !== '') throw withCode(TypeError, 'ERR_INVALID_FILE_URL_HOST', 'File URL host must be "localhost" or empty on linux');
    if (/%2f/i.test(url.pathname)) throw withCode(TypeError, 'ERR_INVALID_FILE_URL_PATH', 'File URL path must not include encoded / characters');
    return decodeURIComponent(url.pathname);
  };
  const pathToFileURL = (path, options) => {
    checkString(path, 'path');
    const nodePath = host.load('node/path');
    const windows = options?.windows === true;
    let resolved = (windows ? nodePath.win32 : nodePath.posix).resolve(path);
    if (/[/\\]$/.test(path) && !/[/\\]$/.test(resolved)) resolved += '/';
    if (windows) resolved = `/${resolved.replaceAll('\\', '/')}`;
    return new URL(`file://${resolved.replace(/[%\\\n\r\t?#]/g, encodeURIComponent)}`);
  };
  const urlToHttpOptions = (url) => ({
    __proto__: null,
    ...url,
    protocol: url.protocol,
    hostname: url.hostname?.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname,
    hash: url.hash, search: url.search, pathname: url.pathname, path: `${url.pathname ?? ''}${url.search ?? ''}`, href: url.href,
    ...url.port !== '' ? { port: Number(url.port) } : {},
    ...url.username || url.password ? { auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` } : {},
  });
  return {
    URL, URLSearchParams, Url, domainToASCII, domainToUnicode, fileURLToPath, format, parse, pathToFileURL,
    resolve: (from, to) => parse(from, false, true).resolve(to),
    resolveObject: (from, to) => (from ? parse(from, false, true).resolveObject(to) : to),
    toPathIfFileURL: (value) => (value instanceof URL ? fileURLToPath(value) : value),
    urlToHttpOptions,
  };
})
