// The codec: what of JavaScript's values JSON has no word for, in the encoding of protocol/values.go.
//
//   encode(value, result, grants)  JSON text, undefined when JSON has none; result selects the encoding of the run's value,
//                          in which views keep their type, over that of arguments, where every view is a Uint8Array;
//                          with grants, functions become handles
//   encodeArguments(list)  encode of a list without a prototype
//   decode(text)           the value of a JSON text
//   decodeEnvelope(text)   the result of a call, or its error, thrown
(function (host) {
  'use strict';
  const p = host.primordials;
  const BINARY = '__codemode_binary_v1__';
  const HANDLE = '__codemode_handle__';
  const ESCAPE = '__codemode_escaped_v1__';
  const isInstance = p.uncurryThis(Function.prototype[Symbol.hasInstance]);
  const { ArrayBuffer, Uint8Array } = p;

  const tag = (kind, view, bytes) => {
    const out = { __proto__: null, [BINARY]: kind };
    if (view !== '') out.view = view;
    out.data = host.native.toBase64(host.putBytes(bytes));
    return out;
  };
  const tagView = (view, result) => {
    const type = p.TypedArrayPrototypeGetTag(view);
    if (type === 'Uint8Array') return tag(type, '', view);
    const bytes = type === undefined
      ? new Uint8Array(p.DataViewPrototypeGetBuffer(view), p.DataViewPrototypeGetByteOffset(view), p.DataViewPrototypeGetByteLength(view))
      : new Uint8Array(p.TypedArrayPrototypeGetBuffer(view), p.TypedArrayPrototypeGetByteOffset(view), p.TypedArrayPrototypeGetByteLength(view));
    return result ? tag('ArrayBufferView', type ?? 'DataView', bytes) : tag('Uint8Array', '', bytes);
  };
  const tagBuffer = (value) => {
    try {
      return tag('ArrayBuffer', '', new Uint8Array(value, 0, p.ArrayBufferPrototypeGetByteLength(value)));
    } catch {
      return value; // only its prototype is ArrayBuffer's
    }
  };
  // What structured clone takes to the host without its own members: there it is an object of its kind, and {} in JSON.
  const bare = p.list();
  const bareKind = (Class, check) => { bare[bare.length] = { __proto__: null, Class, check }; };
  bareKind(p.Map, p.MapPrototypeGetSize);
  bareKind(p.Set, p.SetPrototypeGetSize);
  bareKind(p.RegExp, p.RegExpPrototypeGetSource);
  const crossesBare = (value) => {
    if (p.ErrorIsError(value)) return true;
    if (p.ObjectGetPrototypeOf(value) === p.ObjectPrototype) return false;
    for (let i = 0; i < bare.length; i++) {
      if (!isInstance(bare[i].Class, value)) continue;
      try {
        bare[i].check(value);
        return true;
      } catch {
        return false; // only its prototype is of that kind
      }
    }
    return false;
  };
  const hasMarker = (value) => p.ObjectHasOwn(value, BINARY) || p.ObjectHasOwn(value, HANDLE) || p.ObjectHasOwn(value, ESCAPE);

  const replacer = (result, grants) => {
    let escaped; // the wrappers made here
    let top = true; // where what holds the value is not the program's
    return function (key, value) {
      const self = top ? undefined : this;
      top = false;
      if (typeof value !== 'object') {
        if (grants && typeof value === 'function') return { __proto__: null, [HANDLE]: host.load('worker/handles').grant(value, self) };
        return typeof value === 'bigint' && host.options.losslessIntegers ? p.JSONRawJSON(p.BigIntPrototypeToString(value)) : value;
      }
      if (value === null || p.ArrayIsArray(value)) return value;
      if (p.ArrayBufferIsView(value)) return tagView(value, result);
      if (isInstance(ArrayBuffer, value)) return tagBuffer(value);
      if (result && crossesBare(value)) return { __proto__: null };
      if (result && host.RpcTarget !== undefined && isInstance(host.RpcTarget, value)) return undefined; // a stub, as functions are
      // Node's Buffer has become {type, data} by its toJSON: so it crosses as an argument, but a result is bytes.
      if (result && value.type === 'Buffer' && p.ArrayBufferIsView(this[key])) return tagView(this[key], result);
      if (!hasMarker(value) || (key === ESCAPE && escaped?.has(this))) return value;
      const wrapper = { __proto__: null, [ESCAPE]: value };
      escaped ??= new p.SafeWeakSet();
      escaped.add(wrapper);
      return wrapper;
    };
  };
  // encodeArguments(list) is encode of a list of arguments, for which primitives, most often all there is, need no encoding. A
  // function, which JSON has no word for, may have a toJSON.
  host.encodeArguments = (list) => {
    for (let i = 0; i < list.length; i++) {
      const type = typeof list[i];
      if (type === 'object' ? list[i] !== null : type === 'function' || type === 'bigint') return host.encode(list, false);
    }
    return p.JSONStringify(list);
  };

  // While it runs, a namespace has no toJSON tool. A toJSON or getter of the program may make a call, with arguments of its own.
  const serialise = (value, replace) => {
    const before = host.serialising;
    host.serialising = true;
    try {
      return p.JSONStringify(value, replace);
    } finally {
      host.serialising = before;
    }
  };
  host.encode = (value, result, grants) => serialise(value, replacer(result, grants));

  // What JSON.stringify makes of a value, without any encoding.
  host.plain = (value) => serialise(value);

  const longNumber = /\d{16}/;
  const integer = /^-?\d+$/;
  const restoreIntegers = (key, value, context) => {
    if (typeof value !== 'number' || p.NumberIsSafeInteger(value)) return value;
    return p.RegExpPrototypeExec(integer, context.source) === null ? value : p.BigInt(context.source);
  };
  const parse = (text) => {
    if (!host.options.losslessIntegers || p.RegExpPrototypeExec(longNumber, text) === null) return p.JSONParse(text);
    return p.JSONParse(text, restoreIntegers);
  };

  const unmarkMembers = (value) => {
    const keys = p.ObjectKeys(value);
    for (let i = 0; i < keys.length; i++) {
      const before = value[keys[i]];
      const after = unmark(before);
      if (after !== before) p.define(value, keys[i], after, true);
    }
    return value;
  };
  const unmark = (value) => {
    if (typeof value !== 'object' || value === null) return value;
    if (p.ArrayIsArray(value) || !hasMarker(value)) return unmarkMembers(value);
    if (p.ObjectHasOwn(value, ESCAPE) && p.ObjectKeys(value).length === 1) {
      const inner = value[ESCAPE];
      return typeof inner === 'object' && inner !== null ? unmarkMembers(inner) : value;
    }
    if (!p.ObjectHasOwn(value, BINARY) || !p.ObjectHasOwn(value, 'data') || typeof value.data !== 'string') return unmarkMembers(value);
    if (host.native.fromBase64(value.data) === false) return unmarkMembers(value);
    const bytes = host.takeBytes();
    return value[BINARY] === 'ArrayBuffer' ? p.TypedArrayPrototypeGetBuffer(bytes) : bytes;
  };
  const holdsMarkers = (text) => p.StringPrototypeIncludes(text, '__codemode_');

  host.decode = (text) => {
    const value = parse(text);
    return holdsMarkers(text) ? unmark(value) : value;
  };
  host.decodeEnvelope = (text) => {
    const envelope = parse(text);
    if (p.ObjectHasOwn(envelope, 'error')) {
      const error = new p.Error(envelope.error);
      if (p.ObjectHasOwn(envelope, 'data')) p.define(error, 'data', holdsMarkers(text) ? unmark(envelope.data) : envelope.data, true);
      throw error;
    }
    if (!p.ObjectHasOwn(envelope, 'result')) return undefined;
    return holdsMarkers(text) ? unmark(envelope.result) : envelope.result;
  };
})
