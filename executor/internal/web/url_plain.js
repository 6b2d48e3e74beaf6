// URLs that can be taken apart without the state machine of the URL standard: hosts of letters, digits and dots, and whatever
// follows them. Parts are {href, origin, protocol, username, password, host, hostname, port, pathname, search, hash}.
// Offers (host.load('url_plain')): takeApart(input), takeApartOn(base, input), withSearch(parts, query), which give parts, undefined for
// a URL that is not plain, which need not be a wrong one, or, the first, null for what is no URL.
(function (host) {
  'use strict';
  const P = host.primordials;
  const { StringPrototypeSlice, StringPrototypeIndexOf, StringPrototypeLastIndexOf, StringPrototypeCharCodeAt, StringPrototypeToLowerCase } = P;

  const match = (pattern, text) => P.RegExpPrototypeExec(pattern, text);
  const ports = { __proto__: null, 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443', 'ftp:': '21' };
  const isSpecial = (protocol) => ports[protocol] !== undefined;

  // ---- the usual ones, in one step

  // Most URLs are as they should be: nothing is to be encoded, decoded or left out. The host is of lower case, ends in no number
  // and has no punycode, the port is not the usual one, and no segment of the path has a dot before all else.
  const usual = /^((?:http|ws)s?:)\/\/(?:([\w~!$&()*+,.-]+)(?::([\w~!$&()*+,.-]+))?@)?((?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*)(?::([1-9][0-9]{0,4}))?(\/[\w~!$&()*+,;=:@/.-]*)?(\?[\w~!$&()*+,;=:@/?%.-]*)?(#[\w~!$&()*+,;=:@/?%.-]*)?$/;
  const usualParts = (input) => {
    const found = match(usual, input);
    if (found === null) return undefined;
    const protocol = found[1], username = found[2] ?? '', password = found[3] ?? '', hostname = found[4], port = found[5] ?? '';
    const pathname = found[6] ?? '/', search = found[7] ?? '', hash = found[8] ?? '';
    if (port !== '' && (+port > 65535 || port === ports[protocol])) return undefined;
    if (StringPrototypeIndexOf(hostname, 'xn--') >= 0 || StringPrototypeIndexOf(pathname, '/.') >= 0) return undefined;
    const authority = port === '' ? hostname : `${hostname}:${port}`;
    const origin = `${protocol}//${authority}`;
    return {
      __proto__: null, href: found[6] === undefined ? `${protocol}//${loginOf(username, password)}${authority}/${search}${hash}` : input, origin, protocol, username, password,
      host: authority, hostname, port, pathname, search: search === '?' ? '' : search, hash: hash === '#' ? '' : hash,
    };
  };
  const loginOf = (username, password) => (username === '' && password === '' ? '' : password === '' ? `${username}@` : `${username}:${password}@`);

  // ---- the others

  // What is encoded in each part, and what the parser would leave out before all else.
  const control = /[\0-\x1f\x7f]|^ | $/;
  const inPath = /[^!$-;=@-\]_a-z|~]/;
  const inSpecialQuery = /[^!$-&(-;=?-~]/;
  const inQuery = /[^!$-;=?-~]/;
  const inFragment = /[^!#-;=?-_a-~]/;
  const inOpaque = /[^\x20-\x7e]/;
  // What is longer is not worth to be looked at letter by letter here.
  const LONGEST = 4096;
  const encoded = (text, bad) => {
    if (match(bad, text) === null) return text;
    let out = '';
    for (let i = 0; i < text.length; i++) {
      const unit = StringPrototypeCharCodeAt(text, i);
      const pair = unit >= 0xd800 && unit < 0xdc00;
      const letter = StringPrototypeSlice(text, i, pair ? i + 2 : i + 1);
      out += match(bad, letter) === null ? letter : letter === "'" ? '%27' : P.encodeURIComponent(letter);
      if (pair) i++;
    }
    return out;
  };

  const dots = /\/(?:\.|%2e){1,2}(?:\/|$)/i;
  const singleDot = /^(?:\.|%2e)$/i;
  const doubleDot = /^(?:\.|%2e){2}$/i;
  const withoutDots = (pathname) => {
    if (match(dots, pathname) === null) return pathname;
    let out = ''; // a slash before each segment
    for (let start = 1, end; start <= pathname.length; start = end + 1) {
      end = StringPrototypeIndexOf(pathname, '/', start);
      const last = end < 0;
      if (last) end = pathname.length;
      const segment = StringPrototypeSlice(pathname, start, end);
      const dotted = segment !== '' && (segment[0] === '.' || segment[0] === '%');
      if (dotted && match(doubleDot, segment) !== null) out = StringPrototypeSlice(out, 0, P.MathMax(0, StringPrototypeLastIndexOf(out, '/'))) + (last ? '/' : '');
      else if (dotted && match(singleDot, segment) !== null) out += last ? '/' : '';
      else out += '/' + segment;
    }
    return out;
  };

  // An authority, {protocol, username, password, hostname, port, host, origin}.
  const credentials = /^([\w~!$%&'()*+,.-]+)(?::([\w~!$%&'()*+,.-]*))?$/;
  const domain = /^(?:[a-z0-9_-]+\.)*[a-z_][a-z0-9_-]*$/;
  const quad = /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}$/;
  const opaqueHost = /^[\w~.-]+$/;
  const portNumber = /^[0-9]{1,5}$/;
  const authorityOf = (protocol, text) => {
    const special = isSpecial(protocol);
    let username = '', password = '', port = '';
    const at = StringPrototypeLastIndexOf(text, '@');
    if (at >= 0) {
      const found = match(credentials, StringPrototypeSlice(text, 0, at));
      if (found === null) return undefined;
      username = found[1];
      password = found[2] ?? '';
    }
    let hostname = StringPrototypeSlice(text, at + 1);
    const colon = StringPrototypeIndexOf(hostname, ':');
    if (colon >= 0) {
      port = StringPrototypeSlice(hostname, colon + 1);
      hostname = StringPrototypeSlice(hostname, 0, colon);
      if (port !== '' && (match(portNumber, port) === null || +port > 65535)) return undefined;
      if (port !== '') port = `${+port}`;
      if (port === ports[protocol]) port = '';
    }
    if (special) {
      hostname = StringPrototypeToLowerCase(hostname);
      if (match(domain, hostname) === null && match(quad, hostname) === null || StringPrototypeIndexOf(hostname, 'xn--') >= 0) return undefined;
    } else if (match(opaqueHost, hostname) === null) {
      return undefined;
    }
    const authority = port === '' ? hostname : `${hostname}:${port}`;
    return { __proto__: null, protocol, username, password, hostname, port, host: authority, origin: special ? `${protocol}//${authority}` : 'null' };
  };
  // The parts of a URL with an authority; query and fragment begin with their sign, or are undefined.
  const joined = ({ protocol, username, password, hostname, port, host: authority, origin }, path, query, fragment) => {
    const pathname = withoutDots(encoded(path, inPath));
    const search = query === undefined ? '' : '?' + encoded(StringPrototypeSlice(query, 1), isSpecial(protocol) ? inSpecialQuery : inQuery);
    const hash = fragment === undefined ? '' : '#' + encoded(StringPrototypeSlice(fragment, 1), inFragment);
    return {
      __proto__: null, href: `${protocol}//${loginOf(username, password)}${authority}${pathname}${search}${hash}`, origin, protocol, username, password,
      host: authority, hostname, port, pathname, search: search === '?' ? '' : search, hash: hash === '#' ? '' : hash,
    };
  };
  // A URL such as mailto:, whose path is but a text.
  const opaque = (protocol, path, query, fragment) => {
    if (path !== '' && path[0] === '/' || StringPrototypeIndexOf(path, ' ') >= 0) return undefined;
    const pathname = encoded(path, inOpaque);
    const search = query === undefined ? '' : '?' + encoded(StringPrototypeSlice(query, 1), inQuery);
    const hash = fragment === undefined ? '' : '#' + encoded(StringPrototypeSlice(fragment, 1), inFragment);
    return {
      __proto__: null, href: `${protocol}${pathname}${search}${hash}`, origin: 'null', protocol, username: '', password: '',
      host: '', hostname: '', port: '', pathname, search: search === '?' ? '' : search, hash: hash === '#' ? '' : hash,
    };
  };

  const absolute = /^([a-z][a-z0-9+.-]*:)(\/\/[^/?#\\]*)?([^?#]*)(\?[^#]*)?(#.*)?$/is;
  // parts for an absolute URL, null for what has no scheme.
  const absoluteParts = (input) => {
    if (input.length > LONGEST || match(control, input) !== null) return undefined;
    const found = match(absolute, input);
    if (found === null) return null;
    const protocol = StringPrototypeToLowerCase(found[1]);
    const special = isSpecial(protocol);
    const path = found[3];
    if (protocol === 'file:' || protocol === 'blob:' || special && (found[2] === undefined || StringPrototypeIndexOf(path, '\\') >= 0)) return undefined;
    if (found[2] === undefined) return opaque(protocol, path, found[4], found[5]);
    const authority = authorityOf(protocol, StringPrototypeSlice(found[2], 2));
    return authority === undefined || !special && path !== '' && path[0] !== '/' ? undefined : joined(authority, special && path === '' ? '/' : path, found[4], found[5]);
  };

  const takeApart = (input) => usualParts(input) ?? absoluteParts(input);

  const relative = /^([^?#]*)(\?[^#]*)?(#.*)?$/s;
  const takeApartOn = (base, input) => {
    const parts = usualParts(input) ?? absoluteParts(input);
    if (parts !== null) return parts;
    if (!isSpecial(base.protocol)) return undefined;
    const found = match(relative, input);
    const path = found[1];
    if (StringPrototypeIndexOf(path, '\\') >= 0) return undefined;
    if (P.StringPrototypeStartsWith(path, '//')) return absoluteParts(base.protocol + input) ?? undefined;
    if (P.StringPrototypeStartsWith(path, '/')) return joined(base, path, found[2], found[3]);
    if (path !== '') return joined(base, StringPrototypeSlice(base.pathname, 0, StringPrototypeLastIndexOf(base.pathname, '/') + 1) + path, found[2], found[3]);
    if (found[2] !== undefined) return joined(base, base.pathname, found[2], found[3]);
    // The base's query stays, also an empty one, which no part shows.
    return base.search === '' && StringPrototypeIndexOf(base.href, '?') >= 0 ? undefined : joined(base, base.pathname, base.search === '' ? undefined : base.search, found[3]);
  };

  // The parts with another query, which may begin with its sign.
  const withSearch = (parts, text) => {
    const { protocol, username, password, host: authority, pathname, hash } = parts;
    // An empty fragment stays, which no part shows.
    const hidden = hash === '' && P.StringPrototypeEndsWith(parts.href, '#');
    if (!isSpecial(protocol) || hidden || text.length > LONGEST || match(control, text) !== null) return undefined;
    const search = text === '' ? '' : '?' + encoded(text[0] === '?' ? StringPrototypeSlice(text, 1) : text, inSpecialQuery);
    const href = `${protocol}//${loginOf(username, password)}${authority}${pathname}${search}${hash}`;
    return { ...parts, __proto__: null, href, search: search === '?' ? '' : search };
  };
  return { __proto__: null, takeApart, takeApartOn, withSearch };
})
