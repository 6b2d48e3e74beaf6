// node:assert.
(function (host) {
  'use strict';
  const { withCode, invalidType, received, checkFunction } = host.load('node/errors');
  const { inspect } = host.load('node/inspect');
  const { isDeepEqual, diff } = host.load('node/comparisons');

  const headers = {
    __proto__: null,
    deepStrictEqual: 'Expected values to be strictly deep-equal:',
    partialDeepStrictEqual: 'Expected values to be partially and strictly deep-equal:',
    strictEqual: 'Expected values to be strictly equal:',
    strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
    deepEqual: 'Expected values to be loosely deep-equal:',
    notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
    notStrictEqual: 'Expected "actual" to be strictly unequal to:',
    notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
    notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
    notIdentical: 'Values identical but not reference-equal:',
  };
  const show = (value) => inspect(value, {
    compact: false, customInspect: false, depth: 1000, maxArrayLength: Infinity, showHidden: false, showProxy: false, sorted: true, getters: true, breakLength: Infinity,
  });
  const isPrimitive = (value) => typeof value !== 'object' && typeof value !== 'function' || value === null;

  const differenceOf = (actual, expected, operator) => {
    const [a, b] = [show(actual), show(expected)];
    const short = isPrimitive(actual) && isPrimitive(expected) && a.length + b.length <= 60 && !`${a}${b}`.includes('\n') && (actual !== 0 || expected !== 0);
    if (operator === 'strictEqual' && short) return `${headers.strictEqual}\n\n${a} !== ${b}\n`;
    if (a === b && operator !== 'partialDeepStrictEqual') return `${headers.notIdentical}\n\n${a}\n`;
    const key = operator === 'strictEqual' && !isPrimitive(actual) && !isPrimitive(expected) ? 'strictEqualObject' : operator;
    const lines = diff(a.split('\n'), b.split('\n')).map(([kind, line]) => `${kind === 0 ? ' ' : kind > 0 ? '+' : '-'} ${line}`);
    return `${headers[key]}\n+ actual - expected\n\n${lines.join('\n')}\n`;
  };
  const generated = ({ actual, expected, operator }) => {
    if (headers[operator] === undefined) return `${inspect(actual)} ${operator} ${inspect(expected)}`;
    if (operator === 'deepEqual') return `${headers.deepEqual}\n\n${show(actual)}\n\nshould loosely deep-equal\n\n${show(expected)}`;
    if (!operator.startsWith('not')) return differenceOf(actual, expected, operator);
    const text = show(actual);
    if (operator === 'notStrictEqual' && !isPrimitive(actual)) return `${headers.notStrictEqualObject}\n\n${text}\n`;
    if (operator === 'notDeepEqual') return `${headers.notDeepEqual}\n\n${text}\n\nshould not loosely deep-equal\n\n${show(expected)}`;
    return text.includes('\n') ? `${headers[operator]}\n\n${text}\n` : `${headers[operator]} ${text}`;
  };

  class AssertionError extends Error {
    constructor(options) {
      if (options === null || typeof options !== 'object') throw invalidType('options', 'of type object', options);
      const { message, operator, actual, expected, stackStartFn, stackStartFunction, generatedMessage } = options;
      super(message === undefined || message === null ? generated(options) : String(message));
      this.generatedMessage = generatedMessage ?? (message === undefined || message === null);
      Object.defineProperty(this, 'name', { value: 'AssertionError [ERR_ASSERTION]', writable: true, configurable: true });
      this.code = 'ERR_ASSERTION';
      this.actual = actual;
      this.expected = expected;
      this.operator = operator;
      Error.captureStackTrace(this, stackStartFn ?? stackStartFunction);
      void this.stack; // is made while the name has the code in it
      this.name = 'AssertionError';
      Object.defineProperty(this, 'name', { enumerable: false });
    }
    toString() { return `${this.name} [${this.code}]: ${this.message}`; }
  }

  const fail = (operator, actual, expected, message, stackStartFn) => {
    if (message instanceof Error) throw message;
    throw new AssertionError({ actual, expected, message, operator, stackStartFn });
  };
  const needs = (given, ...names) => {
    if (given.length < names.length) throw withCode(TypeError, 'ERR_MISSING_ARGS', `The ${names.map((name) => `"${name}"`).join(' and ')} argument${names.length > 1 ? 's' : ''} must be specified`);
  };
  const comparison = (operator, holds) => {
    const check = {
      [operator](actual, expected, message) {
        if (arguments.length < 2) needs([], 'actual', 'expected');
        if (!holds(actual, expected)) fail(operator, actual, expected, message, check);
      },
    }[operator];
    return check;
  };
  const truthy = (name) => {
    const check = {
      [name](value, message) {
        if (value) return;
        if (message instanceof Error) throw message;
        const none = arguments.length === 0;
        const text = none ? 'No value argument passed to `assert.ok()`' : message ?? `${inspect(value)} == true`;
        throw new AssertionError({ actual: value, expected: true, message: text, operator: '==', stackStartFn: check, generatedMessage: message === undefined });
      },
    }[name];
    return check;
  };

  // ---- what a function throws

  const matches = (error, expected, message, check) => {
    if (expected === undefined) return;
    if (typeof expected === 'function') {
      if (expected.prototype !== undefined && error instanceof expected) return;
      if (Error.isPrototypeOf(expected)) {
        fail(check.name, error, expected, message ?? `The error is expected to be an instance of "${expected.name}". Received ${error instanceof Error ? `"${error.name}"\n\nError message:\n\n${error.message}` : `"${inspect(error)}"`}`, check);
      }
      const verdict = Reflect.apply(expected, {}, [error]);
      if (verdict !== true) {
        fail(check.name, error, expected, message ?? `The ${expected.name ? `"${expected.name}" ` : ''}validation function is expected to return "true". Received ${inspect(verdict)}${error instanceof Error ? `\n\nCaught error:\n\n${error}` : ''}`, check);
      }
      return;
    }
    if (expected instanceof RegExp) {
      if (RegExp.prototype.exec.call(expected, String(error)) !== null) return;
      fail(check.name, error, expected, message ?? `The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(String(error))}\n`, check);
    }
    if (isPrimitive(error)) fail(check.name, error, expected, message, check);
    const keys = Object.keys(expected);
    if (expected instanceof Error) keys.push('name', 'message');
    else if (keys.length === 0) throw withCode(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'error' may not be an empty object. Received {}`);
    for (const key of keys) {
      const same = typeof error[key] === 'string' && expected[key] instanceof RegExp ? RegExp.prototype.exec.call(expected[key], error[key]) !== null : key in error && isDeepEqual(error[key], expected[key], true);
      if (same) continue;
      if (message === undefined) {
        const [a, b] = [error, expected].map((object) => Object.fromEntries(keys.filter((k) => k in object).map((k) => [k, object[k]])));
        message = differenceOf(a, b, 'deepStrictEqual');
      }
      fail(check.name, error, expected, message, check);
    }
  };
  const expectation = (expected, message) => {
    if (typeof expected === 'string') return [undefined, expected];
    if (expected !== undefined && expected !== null && typeof expected !== 'object' && typeof expected !== 'function') throw invalidType('error', 'of type function or an instance of Error, RegExp, or Object', expected);
    return [expected ?? undefined, message];
  };
  const mustThrow = (check, outcome, expected, message) => {
    [expected, message] = expectation(expected, message);
    if (outcome === undefined) {
      const what = check.name === 'rejects' ? 'rejection' : 'exception';
      fail(check.name, undefined, expected, message instanceof Error ? message : `Missing expected ${what}${expected?.name ? ` (${expected.name})` : ''}${message ? `: ${message}` : '.'}`, check);
    }
    matches(outcome.error, expected, message, check);
  };
  const mustNot = (check, outcome, expected, message) => {
    if (outcome === undefined) return;
    [expected, message] = expectation(expected, message);
    const { error } = outcome;
    const expectedOne = expected === undefined || typeof expected === 'function' && error instanceof expected || expected instanceof RegExp && expected.test(String(error));
    if (!expectedOne) throw error;
    fail(check.name, error, expected, `Got unwanted ${check.name === 'doesNotReject' ? 'rejection' : 'exception'}${message ? `: ${message}` : '.'}\nActual message: "${error?.message}"`, check);
  };
  const run = (fn) => {
    checkFunction(fn, 'fn');
    try {
      fn();
    } catch (error) {
      return { error };
    }
    return undefined;
  };
  const settle = async (promise) => {
    if (typeof promise === 'function') {
      promise = promise();
      if (typeof promise?.then !== 'function') throw withCode(TypeError, 'ERR_INVALID_RETURN_VALUE', `Expected instance of Promise to be returned from the "promiseFn" function but got ${received(promise).replace('Received ', '')}.`);
    } else if (typeof promise?.then !== 'function') throw invalidType('promiseFn', 'of type function or an instance of Promise', promise);
    try {
      await promise;
    } catch (error) {
      return { error };
    }
    return undefined;
  };
  const matching = (name, wanted) => {
    const check = {
      [name](text, pattern, message) {
        if (!(pattern instanceof RegExp)) throw invalidType('regexp', 'an instance of RegExp', pattern);
        if (typeof text === 'string' && RegExp.prototype.exec.call(pattern, text) !== null === wanted) return;
        const words = typeof text !== 'string' ? `The "string" argument must be of type string. ${received(text)}`
          : `actual: "${text}" expected to ${wanted ? '' : 'not '}match: "${pattern}"`;
        fail(name, text, pattern, message ?? words, check);
      },
    }[name];
    return check;
  };

  const equality = {
    equal: comparison('==', (a, b) => a == b || Number.isNaN(a) && Number.isNaN(b)), // eslint-disable-line eqeqeq -- the loose comparison is what it is for
    notEqual: comparison('!=', (a, b) => !(a == b || Number.isNaN(a) && Number.isNaN(b))), // eslint-disable-line eqeqeq
    strictEqual: comparison('strictEqual', Object.is),
    notStrictEqual: comparison('notStrictEqual', (a, b) => !Object.is(a, b)),
    deepEqual: comparison('deepEqual', (a, b) => isDeepEqual(a, b, false)),
    notDeepEqual: comparison('notDeepEqual', (a, b) => !isDeepEqual(a, b, false)),
    deepStrictEqual: comparison('deepStrictEqual', (a, b) => isDeepEqual(a, b, true)),
    notDeepStrictEqual: comparison('notDeepStrictEqual', (a, b) => !isDeepEqual(a, b, true)),
    partialDeepStrictEqual: comparison('partialDeepStrictEqual', (a, b) => isDeepEqual(a, b, 'partial')),
  };
  const others = {
    ok: truthy('ok'),
    fail(message = 'Failed') {
      if (message instanceof Error) throw message;
      throw new AssertionError({ message, operator: 'fail', stackStartFn: others.fail, generatedMessage: arguments.length === 0 });
    },
    ifError(value) {
      if (value === null || value === undefined) return;
      const text = typeof value === 'object' && typeof value.message === 'string' ? value.message || value.constructor?.name : inspect(value);
      throw new AssertionError({ actual: value, expected: null, operator: 'ifError', message: `ifError got unwanted exception: ${text}`, stackStartFn: others.ifError });
    },
    throws(fn, expected, message) { mustThrow(others.throws, run(fn), expected, message); },
    doesNotThrow(fn, expected, message) { mustNot(others.doesNotThrow, run(fn), expected, message); },
    async rejects(promise, expected, message) { mustThrow(others.rejects, await settle(promise), expected, message); },
    async doesNotReject(promise, expected, message) { mustNot(others.doesNotReject, await settle(promise), expected, message); },
    match: matching('match', true),
    doesNotMatch: matching('doesNotMatch', false),
    AssertionError,
  };
  const assert = truthy('assert');
  const strict = Object.defineProperty(truthy('strict'), 'name', { value: 'strict' });
  class Assert {
    constructor() { Object.assign(this, equality, others); }
  }
  Object.assign(assert, equality, others, { Assert });
  Object.assign(strict, equality, others, {
    Assert, equal: equality.strictEqual, notEqual: equality.notStrictEqual, deepEqual: equality.deepStrictEqual, notDeepEqual: equality.notDeepStrictEqual,
  });
  assert.strict = strict.strict = strict;
  return assert;
})
