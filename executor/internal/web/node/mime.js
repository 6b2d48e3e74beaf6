// MIMEType and MIMEParams of node:util.
(function (host) {
  'use strict';
  const { withCode } = host.load('node/errors');
  const token = /^[!#$%&'*+\-.^_`|~A-Za-z0-9]+$/;
  const quotable = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;
  const invalid = (what, text, at) => withCode(TypeError, 'ERR_INVALID_MIME_SYNTAX', `The MIME syntax for a ${what} in ${JSON.stringify(text)} is invalid${at < 0 ? '' : ` at ${at}`}`);

  class MIMEParams {
    #data = new Map();
    delete(name) { this.#data.delete(`${name}`); }
    get(name) { return this.#data.get(`${name}`) ?? null; }
    has(name) { return this.#data.has(`${name}`); }
    set(name, value) {
      [name, value] = [`${name}`, `${value}`];
      if (!token.test(name)) throw invalid('parameter name', name, -1);
      if (!quotable.test(value)) throw invalid('parameter value', value, -1);
      this.#data.set(name, value);
    }
    *entries() { yield* this.#data.entries(); }
    *keys() { yield* this.#data.keys(); }
    *values() { yield* this.#data.values(); }
    toString() {
      return [...this.#data].map(([name, value]) => `${name}=${value !== '' && token.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`}`).join(';');
    }
    toJSON() { return this.toString(); }
  }
  Object.defineProperty(MIMEParams.prototype, Symbol.iterator, { value: MIMEParams.prototype.entries, writable: true, configurable: true });

  class MIMEType {
    #type;
    #subtype;
    #params = new MIMEParams();
    constructor(text) {
      text = `${text}`.trim();
      const slash = text.indexOf('/');
      const end = text.indexOf(';') < 0 ? text.length : text.indexOf(';');
      const type = text.slice(0, Math.max(slash, 0));
      if (!token.test(type)) throw invalid('type', text, slash < 0 ? -1 : 0);
      const subtype = text.slice(slash + 1, end).trimEnd();
      if (!token.test(subtype)) throw invalid('subtype', text, slash + 1);
      this.#type = type.toLowerCase();
      this.#subtype = subtype.toLowerCase();
      for (const [, name, quoted, bare] of text.slice(end).matchAll(/;\s*([^;=]+?)\s*(?:=(?:"((?:[^"\\]|\\[^])*)"?[^;]*|([^;]*)))?(?=;|$)/g)) {
        const value = quoted !== undefined ? quoted.replace(/\\([^])/g, '$1') : bare?.trimEnd();
        if (value === undefined || bare !== undefined && value === '' || !token.test(name) || !quotable.test(value) || this.#params.has(name.toLowerCase())) continue;
        this.#params.set(name.toLowerCase(), value);
      }
    }
    get type() { return this.#type; }
    set type(value) {
      if (!token.test(`${value}`)) throw invalid('type', `${value}`, 0);
      this.#type = `${value}`.toLowerCase();
    }
    get subtype() { return this.#subtype; }
    set subtype(value) {
      if (!token.test(`${value}`)) throw invalid('subtype', `${value}`, 0);
      this.#subtype = `${value}`.toLowerCase();
    }
    get essence() { return `${this.#type}/${this.#subtype}`; }
    get params() { return this.#params; }
    toString() {
      const params = this.#params.toString();
      return params === '' ? this.essence : `${this.essence};${params}`;
    }
    toJSON() { return this.toString(); }
  }
  return { MIMEParams, MIMEType };
})
