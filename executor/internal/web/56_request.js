// Request and Response.
// Globals: Request Response
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, RangeError, StringPrototypeToUpperCase, StringPrototypeCharCodeAt } = P;
  const { expose, receiver, illegal, missing, wrong, string, usvString, isObject } = host.load('idl');
  const { Body, extract, cloneBody, isUsed, bodyOf, setBody, headersOf, setHeaders } = host.load('55_body');
  const H = host.load('54_headers');
  const url = host.load('20_url');

  const methods = P.ObjectFreeze({
    __proto__: null, GET: 1, HEAD: 1, POST: 1, PUT: 1, DELETE: 1, PATCH: 1, PURGE: 1, OPTIONS: 1, TRACE: 1, COPY: 1, LOCK: 1, MKCOL: 1, MOVE: 1, PROPFIND: 1,
    PROPPATCH: 1, SEARCH: 1, UNLOCK: 1, ACL: 1, REPORT: 1, MKACTIVITY: 1, CHECKOUT: 1, MERGE: 1, MSEARCH: 1, NOTIFY: 1, SUBSCRIBE: 1, UNSUBSCRIBE: 1,
  });
  const methodOf = (value) => {
    const method = StringPrototypeToUpperCase(string(value));
    if (methods[method] === undefined) throw new TypeError(`Invalid HTTP method string: ${string(value)}`);
    return method;
  };
  const redirectOf = (value) => {
    const redirect = string(value);
    if (redirect !== 'follow' && redirect !== 'manual') {
      throw new TypeError('Invalid redirect value, must be one of "follow" or "manual" ("error" won\'t be implemented since it does not make sense at the edge; use "manual" and check the response status code).');
    }
    return redirect;
  };
  const cacheOf = (value) => {
    const cache = string(value);
    if (cache !== 'no-store' && cache !== 'no-cache' && cache !== 'reload') throw new TypeError(`Unsupported cache mode: ${cache}`);
    return cache;
  };
  const signalOf = (signal) => {
    if (signal === undefined || signal === null) return undefined;
    if (!host.load('32_abort').isSignal(signal)) {
      throw new TypeError("Incorrect type for the 'signal' field on 'RequestInitializerDict': the provided value is not of type 'AbortSignal'.");
    }
    return signal;
  };
  const headersFrom = (init, dictionary) => {
    if (init === undefined) return H.newHeaders();
    if (!isObject(init)) throw new TypeError(`Incorrect type for the 'headers' field on '${dictionary}': the provided value is not of type 'Headers or Sequence or object'.`);
    return H.newHeaders(init);
  };
  // Sets a body and the content type it brings.
  const adopt = (owner, init) => {
    const body = extract(init);
    setBody(owner, body);
    if (body.type !== undefined) H.setUnlessHas(headersOf(owner), 'content-type', body.type);
  };

  let stateOf; // {url, method, redirect, signal, cache, …} of a Request, undefined for anything else

  class RequestImplementation extends Body {
    #state;

    static { stateOf = (value) => (isObject(value) && #state in value ? value.#state : undefined); }

    constructor(input, init = undefined) {
      super();
      if (init !== undefined && init !== null && !isObject(init)) throw new TypeError("Failed to construct 'Request': constructor parameter 2 is not of type 'RequestInitializerDict or Request'.");
      const options = init ?? { __proto__: null };
      const other = stateOf(input);
      this.#state = other === undefined ? newState(input) : { __proto__: null, ...other };
      const state = this.#state;
      const { method, redirect, signal, cache, headers, body, integrity } = options;
      if (method !== undefined) state.method = methodOf(method);
      if (redirect !== undefined) state.redirect = redirectOf(redirect);
      if (cache !== undefined) state.cache = cacheOf(cache);
      if (integrity !== undefined) state.integrity = string(integrity);
      if (signal !== undefined) state.signal = signalOf(signal);
      setHeaders(this, headers === undefined && other !== undefined ? H.clone(headersOf(input)) : headersFrom(headers, 'RequestInitializerDict'));
      if (body !== undefined && body !== null) {
        if (state.method === 'GET' || state.method === 'HEAD') throw new TypeError('Request with a GET or HEAD method cannot have a body.');
        adopt(this, body);
      } else if (body === undefined && other !== undefined && bodyOf(input) !== null) {
        if (isUsed(bodyOf(input))) throw new TypeError('Cannot reconstruct a Request with a used body.');
        setBody(this, { __proto__: null, ...bodyOf(input) });
        bodyOf(input).used = true;
      }
    }

    clone() {
      #state in receiver(this) || illegal();
      const copy = new RequestImplementation(this.#state.url);
      copy.#state = { __proto__: null, ...this.#state };
      setHeaders(copy, H.clone(headersOf(this)));
      setBody(copy, cloneBody(bodyOf(this)));
      return copy;
    }

    get method() { #state in receiver(this) || illegal(); return this.#state.method; }
    get url() { #state in receiver(this) || illegal(); return this.#state.url; }
    get headers() { #state in receiver(this) || illegal(); return headersOf(this); }
    get redirect() { #state in receiver(this) || illegal(); return this.#state.redirect; }
    get fetcher() { #state in receiver(this) || illegal(); return null; }
    get signal() { #state in receiver(this) || illegal(); return (this.#state.signal ??= host.load('32_abort').newSignal()); }
    get cf() { #state in receiver(this) || illegal(); return undefined; }
    get integrity() { #state in receiver(this) || illegal(); return this.#state.integrity; }
    get keepalive() { #state in receiver(this) || illegal(); return false; }
    get cache() { #state in receiver(this) || illegal(); return this.#state.cache; }
  }
  const newState = (input) => {
    const text = url.hrefOf(input) ?? usvString(input);
    const parts = url.parse(text);
    if (parts === undefined) throw new TypeError(`Invalid URL: ${text}`);
    return { __proto__: null, url: parts.href, method: 'GET', redirect: 'follow', signal: undefined, cache: undefined, integrity: '' };
  };

  const statusOf = (value) => {
    const status = P.MathTrunc(+value) & 0xffff;
    if (!(status >= 200 && status <= 599)) throw new RangeError('Responses may only be constructed with status codes in the range 200 to 599, inclusive.');
    return status;
  };
  const statusTextOf = (value) => {
    const text = string(value);
    for (let i = 0; i < text.length; i++) {
      const unit = StringPrototypeCharCodeAt(text, i);
      if (unit < 0x20 && unit !== 0x09 || unit === 0x7f) throw new TypeError('Invalid statusText');
    }
    return text;
  };
  const redirects = P.ObjectFreeze({ __proto__: null, 301: 1, 302: 1, 303: 1, 307: 1, 308: 1 });

  let responseOf;   // the state of a response, undefined for anything else
  let makeResponse; // makeResponse({status, statusText, headers, bytes, url, redirected}): what a fetch got

  class ResponseImplementation extends Body {
    #state;

    static {
      responseOf = (value) => (isObject(value) && #state in value ? value.#state : undefined);
      makeResponse = ({ status, statusText, headers, bytes, url: from, redirected }) => {
        const response = new ResponseImplementation();
        response.#state = { __proto__: null, status, statusText, url: from, redirected, type: 'default' };
        setHeaders(response, H.makeImmutable(H.makeHeaders(headers)));
        if (bytes !== undefined) setBody(response, { __proto__: null, bytes, shared: true, stream: undefined, used: false });
        return response;
      };
    }

    static error() {
      const response = new ResponseImplementation();
      response.#state.status = 0;
      response.#state.type = 'error';
      H.makeImmutable(headersOf(response));
      return response;
    }

    static redirect(location, status = 302) {
      missing(arguments.length, 'redirect', 'Response', ['string']);
      const code = P.MathTrunc(+status) || 0;
      if (redirects[code] === undefined) throw new RangeError(`${code} is not a redirect status code. It must be one of: 301, 302, 303, 307, or 308.`);
      const parts = url.parse(usvString(location));
      if (parts === undefined) throw new TypeError(`Unable to parse URL: ${string(location)}`);
      const response = new ResponseImplementation(null, { __proto__: null, status: code });
      H.setUnlessHas(headersOf(response), 'location', parts.href);
      H.makeImmutable(headersOf(response));
      return response;
    }

    static json(data, init = undefined) {
      missing(arguments.length, 'json', 'Response', ['Value']);
      const text = P.JSONStringify(data);
      if (init !== undefined && init !== null && !isObject(init)) throw wrong('json', 'Response', 2, 'InitializerDict or Response');
      const response = new ResponseImplementation(null, init);
      response.#mayHaveBody();
      H.setUnlessHas(headersOf(response), 'content-type', 'application/json');
      adopt(response, `${text}`);
      return response;
    }

    constructor(body = undefined, init = undefined) {
      super();
      if (init !== undefined && init !== null && !isObject(init)) throw new TypeError("Failed to construct 'Response': constructor parameter 2 is not of type 'InitializerDict or Response'.");
      const { status, statusText, headers } = init ?? { __proto__: null };
      this.#state = {
        __proto__: null, status: status === undefined ? 200 : statusOf(status), statusText: statusText === undefined ? '' : statusTextOf(statusText),
        url: '', redirected: false, type: 'default',
      };
      setHeaders(this, headersFrom(headers, 'InitializerDict'));
      if (body === undefined || body === null) return;
      this.#mayHaveBody();
      adopt(this, body);
    }

    #mayHaveBody() {
      const { status } = this.#state;
      if (status === 204 || status === 205 || status === 304) throw new TypeError('Response with null body status (101, 204, 205, or 304) cannot have a body.');
    }

    clone() {
      #state in receiver(this) || illegal();
      const copy = new ResponseImplementation();
      copy.#state = { __proto__: null, ...this.#state };
      setHeaders(copy, H.clone(headersOf(this)));
      setBody(copy, cloneBody(bodyOf(this)));
      return copy;
    }

    get status() { #state in receiver(this) || illegal(); return this.#state.status; }
    get statusText() { #state in receiver(this) || illegal(); return this.#state.statusText; }
    get headers() { #state in receiver(this) || illegal(); return headersOf(this); }
    get ok() { #state in receiver(this) || illegal(); return this.#state.status >= 200 && this.#state.status <= 299; }
    get redirected() { #state in receiver(this) || illegal(); return this.#state.redirected; }
    get url() { #state in receiver(this) || illegal(); return this.#state.url; }
    get webSocket() { #state in receiver(this) || illegal(); return null; }
    get cf() { #state in receiver(this) || illegal(); return undefined; }
    get type() { #state in receiver(this) || illegal(); return this.#state.type; }
  }

  const cloneRequest = (request) => {
    const copy = new RequestImplementation(stateOf(request).url, stateOf(request));
    setHeaders(copy, H.clone(headersOf(request)));
    setBody(copy, cloneBody(bodyOf(request)));
    return copy;
  };
  host.define('Request', expose('Request', RequestImplementation, { required: ['Request or string'], clone: cloneRequest }), { enumerable: true });
  host.define('Response', expose('Response', ResponseImplementation, { refusal: 'ReadableStream can only be serialized for RPC.' }), { enumerable: true });
  return { __proto__: null, newRequest: (input, init) => new RequestImplementation(input, init), stateOf, makeResponse, responseOf };
})
