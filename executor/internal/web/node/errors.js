// The errors that Node's modules throw: classes by code, and checks of arguments.
(function (host) {
  'use strict';
  const { received, invalidType, outOfRange } = host.load('buffer_errors');

  // The class of an error has its code as its name.
  const classes = new Map();
  const classOf = (Base, code) => {
    if (!classes.has(code)) classes.set(code, { [code]: class extends Base {} }[code]);
    return classes.get(code);
  };
  const plain = ['ERR_MISSING_ARGS', 'ERR_UNKNOWN_ENCODING', 'ERR_INVALID_ARG_VALUE']; // whose class is the language's
  const withCode = (Base, code, message) => {
    const error = new (plain.includes(code) ? Base : classOf(Base, code))(message);
    Object.defineProperty(error, 'code', { value: code, writable: true, enumerable: true, configurable: true });
    error.stack = (error.stack ?? '').replace(/^(\w*Error)(?=:|$)/, `$1 [${code}]`);
    return error;
  };
  const checkFunction = (value, name) => {
    if (typeof value !== 'function') throw invalidType(name, 'of type function', value);
  };
  const checkString = (value, name) => {
    if (typeof value !== 'string') throw invalidType(name, 'of type string', value);
  };
  const checkObject = (value, name) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidType(name, 'of type object', value);
  };
  const checkNumber = (value, name, min = -Infinity, max = Infinity) => {
    if (typeof value !== 'number') throw invalidType(name, 'of type number', value);
    if (!(value >= min && value <= max)) throw outOfRange(name, max === Infinity ? `>= ${min}` : `>= ${min} && <= ${max}`, value);
  };
  // A class that can be called without new, as Node's older ones can.
  const callable = (Class, name = Class.name) => {
    const { [name]: Callable } = {
      [name]: function (...args) { return Reflect.construct(Class, args, new.target ?? Callable); },
    };
    Object.setPrototypeOf(Callable, Class);
    Object.defineProperty(Callable, 'length', { value: Class.length });
    Object.defineProperty(Callable, 'prototype', { value: Class.prototype });
    Object.defineProperty(Class.prototype, 'constructor', { value: Callable, writable: true, enumerable: false, configurable: true });
    return Callable;
  };
  const abortError = (reason) => {
    const error = new Error('The operation was aborted', reason === undefined ? undefined : { cause: reason });
    error.name = 'AbortError';
    error.code = 'ABORT_ERR';
    return error;
  };
  const checkSignal = (signal, name) => {
    if (signal !== undefined && (typeof signal !== 'object' || signal === null || !('aborted' in signal))) throw invalidType(name, 'an instance of AbortSignal', signal);
  };
  return { withCode, received, invalidType, outOfRange, checkFunction, checkString, checkObject, checkNumber, checkSignal, abortError, callable };
})
