// Body: what Request and Response share. A body is bytes in memory until the program asks for its
// stream, or a stream that the program gave.
// Globals: Body
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, PromiseResolve, PromiseReject, then, StringPrototypeToLowerCase, StringPrototypeIndexOf, StringPrototypeSlice, StringPrototypeTrim } = P;
  const { expose, receiver, illegal, string, isObject, bytesOf, copyOf, usvString } = host.load('idl');
  const { encode, decodeUtf8 } = host.load('16_encoding');
  const headersModule = host.load('54_headers');

  const isStream = (value) => isObject(value) && host.load('60_readable_stream').isReadable(value);

  // Reads a BodyInit into {bytes or stream, shared, type}: whether others have the bytes, and the content type it brings, or
  // undefined.
  const extract = (init) => {
    const body = { __proto__: null, bytes: undefined, shared: false, stream: undefined, used: false, type: undefined };
    if (typeof init === 'object' || typeof init === 'function') {
      const bytes = bytesOf(init);
      if (bytes !== undefined) {
        body.bytes = copyOf(bytes);
        return body;
      }
      const blob = host.load('50_blob').stateOf(init);
      if (blob !== undefined) {
        body.bytes = blob.bytes;
        body.shared = true;
        if (blob.type !== '') body.type = blob.type;
        return body;
      }
      const pairs = host.load('20_url').pairsOf(init);
      if (pairs !== undefined) {
        body.bytes = encode(host.load('20_url').serialiseForm(pairs));
        body.type = 'application/x-www-form-urlencoded;charset=UTF-8';
        return body;
      }
      const forms = host.load('52_formdata');
      if (forms.entriesOf(init) !== undefined) {
        const { bytes: multipart, boundary } = forms.toMultipart(init);
        body.bytes = multipart;
        body.type = `multipart/form-data; boundary=${boundary}`;
        return body;
      }
      if (isStream(init)) {
        const streams = host.load('60_readable_stream');
        if (streams.isDisturbed(init)) throw new TypeError('This ReadableStream is disturbed (has already been read from), and cannot be used as a body.');
        if (streams.isLocked(init)) throw new TypeError('This ReadableStream is locked to a reader, and cannot be used as a body.');
        body.stream = init;
        return body;
      }
    }
    body.bytes = encode(usvString(string(init)));
    body.type = 'text/plain;charset=UTF-8';
    return body;
  };

  // The bytes of a body for somebody who may change them: copied where a blob or a clone has them, too.
  const ownBytes = (body) => (body.shared ? copyOf(body.bytes) : body.bytes);
  const isUsed = (body) => body.used || body.stream !== undefined && host.load('60_readable_stream').isDisturbed(body.stream);

  // The stream of a body; from then on the stream is the body.
  const streamOf = (body) => {
    if (body.stream === undefined) {
      const streams = host.load('60_readable_stream');
      body.stream = host.load('stream_tools').streamOfBytes(body.used ? undefined : ownBytes(body));
      if (body.used) streams.lock(body.stream);
      body.bytes = undefined;
    }
    return body.stream;
  };

  // Everything in a body, once: a promise of its bytes, which the caller may keep.
  const consume = (body) => {
    if (body === null) return PromiseResolve(new P.Uint8Array(0));
    if (isUsed(body)) return PromiseReject(new TypeError('Body has already been used. It can only be used once. Use tee() first if you need to read it twice.'));
    if (body.stream !== undefined) {
      const streams = host.load('60_readable_stream');
      if (streams.isLocked(body.stream)) return PromiseReject(new TypeError('This ReadableStream is currently locked to a reader.'));
      body.used = true;
      return host.load('stream_tools').readAll(body.stream);
    }
    body.used = true;
    const bytes = ownBytes(body);
    body.bytes = undefined; // nobody needs them any more
    return PromiseResolve(bytes);
  };

  // Two bodies out of one.
  const cloneBody = (body) => {
    if (body === null) return null;
    if (isUsed(body)) throw new TypeError('This ReadableStream is currently locked to a reader,');
    body.shared = true;
    const copy = { __proto__: null, bytes: body.bytes, shared: true, stream: undefined, used: false, type: body.type };
    if (body.stream !== undefined) {
      const streams = host.load('60_readable_stream');
      if (streams.isLocked(body.stream)) throw new TypeError('This ReadableStream is currently locked to a reader.');
      const branches = host.load('stream_tools').tee(body.stream);
      body.stream = branches[0];
      copy.stream = branches[1];
    }
    return copy;
  };

  const formTypes = 'Unrecognized Content-Type header value. FormData can only parse the following MIME types: multipart/form-data, application/x-www-form-urlencoded';
  const essence = (type) => StringPrototypeToLowerCase(StringPrototypeTrim(StringPrototypeIndexOf(type, ';') < 0 ? type : StringPrototypeSlice(type, 0, StringPrototypeIndexOf(type, ';'))));
  const boundaryOf = (type) => {
    const at = StringPrototypeIndexOf(StringPrototypeToLowerCase(type), 'boundary=');
    if (at < 0) throw new TypeError('No boundary string in Content-Type header. The multipart/form-data MIME type requires a boundary parameter, e.g. \'Content-Type: multipart/form-data; boundary="abcd"\'. See RFC 7578, section 4.');
    const rest = StringPrototypeSlice(type, at + 9);
    if (P.StringPrototypeStartsWith(rest, '"')) return StringPrototypeSlice(rest, 1, StringPrototypeIndexOf(rest, '"', 1));
    const end = StringPrototypeIndexOf(rest, ';');
    return StringPrototypeTrim(end < 0 ? rest : StringPrototypeSlice(rest, 0, end));
  };

  let bodyOf;     // the body of a Request or Response, null when it has none
  let setBody;
  let headersOf;
  let setHeaders;

  class Implementation {
    #body = null;
    #headers;

    static {
      bodyOf = (owner) => owner.#body;
      setBody = (owner, body) => { owner.#body = body; };
      headersOf = (owner) => owner.#headers;
      setHeaders = (owner, headers) => { owner.#headers = headers; };
    }

    // Consumes the body of a receiver and maps its bytes; every failure is a rejection.
    static #read(self, map) {
      try {
        #body in receiver(self) || illegal();
        return then(consume(self.#body), (bytes) => map(bytes, self));
      } catch (error) {
        return PromiseReject(error);
      }
    }

    get body() {
      #body in receiver(this) || illegal();
      return this.#body === null ? null : streamOf(this.#body);
    }
    get bodyUsed() { #body in receiver(this) || illegal(); return this.#body !== null && isUsed(this.#body); }
    arrayBuffer() { return Implementation.#read(this, (bytes) => P.TypedArrayPrototypeGetBuffer(bytes)); }
    bytes() { return Implementation.#read(this, (bytes) => bytes); }
    text() { return Implementation.#read(this, decodeUtf8); }
    json() { return Implementation.#read(this, (bytes) => P.JSONParse(decodeUtf8(bytes))); }
    blob() {
      return Implementation.#read(this, (bytes, self) => {
        const type = headersModule.get(self.#headers, 'content-type') ?? '';
        return host.load('50_blob').makeBlob(bytes, type === 'text/plain;charset=UTF-8' ? type : StringPrototypeToLowerCase(type));
      });
    }
    formData() {
      return Implementation.#read(this, (bytes, self) => {
        const type = headersModule.get(self.#headers, 'content-type');
        const forms = host.load('52_formdata');
        if (type !== null && essence(type) === 'application/x-www-form-urlencoded') return forms.fromPairs(host.load('20_url').parseForm(decodeUtf8(bytes)));
        if (type !== null && essence(type) === 'multipart/form-data') return forms.fromMultipart(bytes, boundaryOf(type));
        throw new TypeError(formTypes);
      });
    }
  }
  host.define('Body', expose('Body', Implementation, { constructible: false }), { enumerable: true });
  return { __proto__: null, Body: Implementation, extract, consume, cloneBody, isUsed, streamOf, bodyOf, setBody, headersOf, setHeaders };
})
