// node:querystring.
(function () {
  'use strict';
  const unreserved = /[^A-Za-z0-9\-_.!~*'()]/g;
  const escape = (text) => {
    if (typeof text !== 'string') text = typeof text === 'object' ? String(text) : `${text}`;
    if (!text.isWellFormed()) throw Object.assign(new URIError('URI malformed'), { code: 'ERR_INVALID_URI' });
    return text.replace(unreserved, encodeURIComponent);
  };
  // The bytes of a text in which %xx stands for a byte; what is no such triple stays as it is.
  const unescapeBuffer = (text, spaces = false) => {
    const bytes = [];
    for (const byte of Buffer.from(text)) bytes.push(byte);
    const out = [];
    for (let i = 0; i < bytes.length; i++) {
      const hex = bytes[i] === 37 ? String.fromCharCode(bytes[i + 1], bytes[i + 2]) : '';
      if (/^[0-9a-fA-F]{2}$/.test(hex)) {
        out.push(parseInt(hex, 16));
        i += 2;
      } else out.push(spaces && bytes[i] === 43 ? 32 : bytes[i]);
    }
    return Buffer.from(out);
  };
  const unescape = (text, spaces) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return unescapeBuffer(text, spaces).toString();
    }
  };

  const primitive = (value) => {
    switch (typeof value) {
      case 'string': return value;
      case 'number': return Number.isFinite(value) ? `${value}` : '';
      case 'bigint': case 'boolean': return `${value}`;
      default: return '';
    }
  };
  const stringify = (object, separator = '&', equals = '=', options = undefined) => {
    if (object === null || typeof object !== 'object') return '';
    const encode = options?.encodeURIComponent ?? querystring.escape;
    const out = [];
    for (const key of Object.keys(object)) {
      const name = encode(primitive(key)) + (equals || '=');
      for (const value of Array.isArray(object[key]) ? object[key] : [object[key]]) out.push(name + encode(primitive(value)));
    }
    return out.join(separator || '&');
  };
  const parse = (text, separator = '&', equals = '=', options = undefined) => {
    const out = { __proto__: null };
    if (typeof text !== 'string' || text.length === 0) return out;
    const limit = typeof options?.maxKeys === 'number' ? options.maxKeys : 1000;
    const custom = options?.decodeURIComponent;
    const decode = (part) => {
      const spaced = part.replaceAll('+', ' ');
      if (typeof custom !== 'function') return querystring.unescape(spaced, true);
      try {
        return custom(spaced);
      } catch {
        return querystring.unescape(spaced, true);
      }
    };
    let pairs = text.split(separator || '&').filter((pair) => pair !== '');
    if (limit > 0) pairs = pairs.slice(0, limit);
    for (const pair of pairs) {
      const at = pair.indexOf(equals || '=');
      const key = decode(at < 0 ? pair : pair.slice(0, at));
      const value = at < 0 ? '' : decode(pair.slice(at + (equals || '=').length));
      if (!(key in out)) out[key] = value;
      else if (Array.isArray(out[key])) out[key].push(value);
      else out[key] = [out[key], value];
    }
    return out;
  };
  const querystring = { unescapeBuffer, unescape, escape, stringify, encode: stringify, parse, decode: parse };
  return querystring;
})
