// node:util and node:util/types.
(function (host) {
  'use strict';
  const { withCode, invalidType, checkFunction, checkString, checkNumber } = host.load('node/errors');
  const { inspect, colors } = host.load('node/inspect');
  const { format, formatWithOptions } = host.load('node/format');
  const { isDeepEqual } = host.load('node/comparisons');

  // ---- types

  const { brand, tagOfView, ...brands } = host.load('node/brands');
  const tagOf = (value) => Object.prototype.toString.call(value);
  const isObject = (value) => typeof value === 'object' && value !== null;
  const isView = (tag) => (value) => ArrayBuffer.isView(value) && tagOfView.call(value) === tag;
  const boxed = (Class) => {
    const check = brand(Class.prototype.valueOf);
    return (value) => isObject(value) && check(value);
  };
  const tagged = (tag) => (value) => isObject(value) && tagOf(value) === `[object ${tag}]`;
  const source = (fn) => Function.prototype.toString.call(fn);
  const { isArrayBuffer, isSharedArrayBuffer } = brands;
  const boxes = { isBigIntObject: boxed(BigInt), isBooleanObject: boxed(Boolean), isNumberObject: boxed(Number), isStringObject: boxed(String), isSymbolObject: boxed(Symbol) };
  const types = {
    isAnyArrayBuffer: (value) => isArrayBuffer(value) || isSharedArrayBuffer(value),
    isArgumentsObject: tagged('Arguments'),
    isArrayBuffer,
    isArrayBufferView: (value) => ArrayBuffer.isView(value),
    isAsyncFunction: (value) => typeof value === 'function' && /^async\b/.test(source(value)),
    ...boxes,
    isBoxedPrimitive: (value) => Object.values(boxes).some((check) => check(value)),
    isCryptoKey: (value) => value instanceof globalThis.CryptoKey,
    isDataView: (value) => ArrayBuffer.isView(value) && tagOfView.call(value) === undefined,
    isDate: brands.isDate,
    isExternal: () => false,
    isGeneratorFunction: (value) => typeof value === 'function' && /^(?:async\s+)?(?:function\s*)?\*/.test(source(value)),
    isGeneratorObject: (value) => isObject(value) && /^\[object (?:Async)?Generator\]$/.test(tagOf(value)),
    isKeyObject: (value) => value instanceof host.load('node/crypto').KeyObject,
    isMap: brands.isMap,
    isMapIterator: tagged('Map Iterator'),
    isModuleNamespaceObject: tagged('Module'),
    isNativeError: (value) => Error.isError(value),
    isPromise: (value) => value instanceof Promise,
    isProxy: (value) => host.isProxy?.(value) ?? false,
    isRegExp: tagged('RegExp'),
    isSet: brands.isSet,
    isSetIterator: tagged('Set Iterator'),
    isSharedArrayBuffer,
    isTypedArray: (value) => ArrayBuffer.isView(value) && tagOfView.call(value) !== undefined,
    isWeakMap: brands.isWeakMap,
    isWeakSet: brands.isWeakSet,
  };
  for (const tag of 'Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array Float64Array BigInt64Array BigUint64Array'.split(' ')) {
    types[`is${tag}`] = isView(tag);
  }

  // ---- callbacks and promises

  const customPromise = Symbol.for('nodejs.util.promisify.custom');
  function promisify(original) {
    checkFunction(original, 'original');
    if (original[customPromise]) {
      checkFunction(original[customPromise], 'util.promisify.custom');
      return Object.defineProperty(original[customPromise], customPromise, { value: original[customPromise], configurable: true });
    }
    const promised = function (...args) {
      return new Promise((resolve, reject) => {
        Reflect.apply(original, this, [...args, (error, ...values) => (error ? reject(error) : resolve(values[0]))]);
      });
    };
    Object.setPrototypeOf(promised, Object.getPrototypeOf(original));
    Object.defineProperty(promised, customPromise, { value: promised, configurable: true });
    return Object.defineProperties(promised, Object.getOwnPropertyDescriptors(original));
  }
  promisify.custom = customPromise;
  function callbackify(original) {
    checkFunction(original, 'original');
    const callbackified = function (...args) {
      const callback = args.pop();
      checkFunction(callback, 'last argument');
      Reflect.apply(original, this, args).then((value) => queueMicrotask(() => callback(null, value)), (reason) => queueMicrotask(() => {
        if (reason) callback(reason);
        else callback(Object.assign(withCode(Error, 'ERR_FALSY_VALUE_REJECTION', 'Promise was rejected with falsy value'), { reason }));
      }));
    };
    const descriptors = Object.getOwnPropertyDescriptors(original);
    if (typeof descriptors.length.value === 'number') descriptors.length.value++;
    if (typeof descriptors.name.value === 'string') descriptors.name.value += 'Callbackified';
    return Object.defineProperties(callbackified, descriptors);
  }
  const aborted = (signal, resource) => {
    if (signal === undefined) throw invalidType('signal', 'an instance of AbortSignal', signal);
    if (!isObject(resource)) throw invalidType('resource', 'of type object', resource);
    return signal.aborted ? Promise.resolve() : new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  };

  // ---- odds and ends

  const deprecate = (fn, _message, _code) => {
    const deprecated = function (...args) { return new.target ? Reflect.construct(fn, args, new.target) : Reflect.apply(fn, this, args); };
    Object.setPrototypeOf(deprecated, fn);
    if (fn.prototype) deprecated.prototype = fn.prototype;
    return deprecated;
  };
  const inherits = (constructor, parent) => {
    if (constructor === undefined || constructor === null) checkFunction(constructor, 'ctor');
    if (parent === undefined || parent === null) checkFunction(parent, 'superCtor');
    if (parent.prototype === undefined) throw invalidType('superCtor.prototype', 'of type object', parent.prototype);
    Object.defineProperty(constructor, 'super_', { value: parent, writable: true, configurable: true });
    Object.setPrototypeOf(constructor.prototype, parent.prototype);
  };
  const debuglog = () => Object.defineProperty(function logger() {}, 'enabled', { value: false, configurable: true, enumerable: true });
  const ansi = /[\u001b\u009b][[\]()#;?]*(?:(?:(?:(?:;[-a-zA-Z\d/#&.:=?%@~_]+)*|[a-zA-Z\d]+(?:;[-a-zA-Z\d/#&.:=?%@~_]*)*)?(?:\u0007|\u001b\u005c|\u009c))|(?:(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]))/g;
  const stripVTControlCharacters = (text) => {
    checkString(text, 'str');
    return text.replace(ansi, '');
  };
  const styleText = (names, text) => {
    checkString(text, 'text');
    let left = '';
    let right = '';
    for (const name of Array.isArray(names) ? names : [names]) {
      if (name === 'none') continue;
      const code = colors[name];
      if (code === undefined) throw withCode(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'format' must be one of: ${Object.keys(colors).map((c) => `'${c}'`).join(', ')}. Received ${inspect(name)}`);
      left += `\u001b[${code[0]}m`;
      right = `\u001b[${code[1]}m${right}`;
    }
    return left + text + right;
  };
  const parseEnv = (content) => {
    checkString(content, 'content');
    const out = {};
    const line = /^\s*(?:export\s+)?([\w.-]+)\s*=[^\S\n]*(?:"((?:[^"\\]|\\[^])*)"|'([^']*)'|`([^`]*)`|([^#\n]*))/gm;
    for (const [, key, double, single, back, bare] of content.matchAll(line)) {
      out[key] = double !== undefined ? double.replaceAll('\\n', '\n') : single ?? back ?? bare.trim();
    }
    return out;
  };
  const systemErrors = [['E2BIG', 7, 'argument list too long'], ['EACCES', 13, 'permission denied'], ['EADDRINUSE', 98, 'address already in use'],
    ['EAGAIN', 11, 'resource temporarily unavailable'], ['EBADF', 9, 'bad file descriptor'], ['ECONNREFUSED', 111, 'connection refused'],
    ['ECONNRESET', 104, 'connection reset by peer'], ['EEXIST', 17, 'file already exists'], ['EINVAL', 22, 'invalid argument'], ['EIO', 5, 'i/o error'],
    ['EISDIR', 21, 'illegal operation on a directory'], ['EMFILE', 24, 'too many open files'], ['ENOENT', 2, 'no such file or directory'],
    ['ENOMEM', 12, 'not enough memory'], ['ENOTDIR', 20, 'not a directory'], ['ENOTEMPTY', 39, 'directory not empty'], ['EPERM', 1, 'operation not permitted'],
    ['EPIPE', 32, 'broken pipe'], ['ETIMEDOUT', 110, 'connection timed out']];
  const systemError = (number) => systemErrors.find(([, errno]) => -errno === number);
  const _errnoException = (number, syscall, original) => {
    const code = systemError(number)?.[0] ?? `Unknown system error ${number}`;
    return Object.assign(new Error(`${syscall} ${code}${original ? ` ${original}` : ''}`), { errno: number, code, syscall });
  };
  const diff = (actual, expected) => {
    // What is neither a list nor a text has nothing to compare.
    const [a, b] = [actual, expected].map((value) => (typeof value === 'string' || Array.isArray(value) ? [...value] : []));
    if (typeof actual === 'string' ? actual === expected : a.length === b.length && a.every((item, i) => item === b[i])) return [];
    return host.load('node/comparisons').diff(a, b);
  };
  const frames = (count = 8) => {
    const before = Error.prepareStackTrace;
    try {
      Error.prepareStackTrace = (_, sites) => sites.map((site) => ({
        functionName: site.getFunctionName() ?? '', scriptId: '0', scriptName: site.getFileName() ?? '', lineNumber: site.getLineNumber(), columnNumber: site.getColumnNumber(), column: site.getColumnNumber(),
      }));
      const { stack } = new Error();
      return Array.isArray(stack) ? stack.filter(({ scriptName }) => !scriptName.startsWith('codemode:')).slice(0, count) : [];
    } finally {
      Error.prepareStackTrace = before;
    }
  };

  const util = {
    _errnoException,
    _exceptionWithHostPort: (number, syscall, address, port) => Object.assign(_errnoException(number, syscall, port > 0 ? `${address}:${port}` : address), { address, port }),
    _extend: (target, source) => (isObject(source) ? Object.assign(target, source) : target),
    aborted,
    callbackify,
    convertProcessSignalToExitCode: (signal) => 128 + (host.load('node/constants')[signal] ?? 0),
    debug: debuglog,
    debuglog,
    deprecate,
    diff,
    format,
    formatWithOptions,
    getCallSite: frames,
    getCallSites: frames,
    getSystemErrorMap: () => new Map(systemErrors.map(([name, errno, text]) => [-errno, [name, text]])),
    getSystemErrorMessage: (number) => {
      checkNumber(number, 'err');
      return systemError(number)?.[2];
    },
    getSystemErrorName: (number) => {
      checkNumber(number, 'err');
      return systemError(number)?.[0] ?? `Unknown system error ${number}`;
    },
    inherits,
    inspect,
    isArray: Array.isArray,
    isBoolean: (value) => typeof value === 'boolean',
    isBuffer: (value) => Buffer.isBuffer(value),
    isDate: types.isDate,
    isDeepStrictEqual: (a, b) => isDeepEqual(a, b, true),
    isError: (value) => types.isNativeError(value) || value instanceof Error,
    isFunction: (value) => typeof value === 'function',
    isNull: (value) => value === null,
    isNullOrUndefined: (value) => value === null || value === undefined,
    isNumber: (value) => typeof value === 'number',
    isObject,
    isPrimitive: (value) => !isObject(value) && typeof value !== 'function',
    isRegExp: types.isRegExp,
    isString: (value) => typeof value === 'string',
    isSymbol: (value) => typeof value === 'symbol',
    isUndefined: (value) => value === undefined,
    log: (...args) => console.log(format(...args)),
    MIMEParams: undefined,
    MIMEType: undefined,
    parseArgs: (config) => host.load('node/parse_args').parseArgs(config),
    parseEnv,
    promisify,
    setTraceSigInt: () => {},
    stripVTControlCharacters,
    styleText,
    TextDecoder: globalThis.TextDecoder,
    TextEncoder: globalThis.TextEncoder,
    toUSVString: (value) => String(value).toWellFormed(),
    transferableAbortController: () => new AbortController(),
    transferableAbortSignal: (signal) => signal,
    types,
  };
  Object.assign(util, host.load('node/mime'));
  return util;
})
