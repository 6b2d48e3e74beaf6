// Node's errors, for Buffer.
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, RangeError } = P;

  // "Received …", as Node describes a value.
  const received = (value) => {
    if (value === undefined || value === null) return `Received ${value}`;
    if (typeof value === 'function') return `Received type function ([Function${value.name ? `: ${value.name}` : ' (anonymous)'}])`;
    if (typeof value === 'object') {
      const name = value.constructor?.name;
      return typeof name === 'string' && name !== '' ? `Received an instance of ${name}` : 'Received an object';
    }
    if (typeof value === 'string') return `Received type string ('${value.length > 28 ? `${P.StringPrototypeSlice(value, 0, 25)}...` : value}')`;
    return `Received type ${typeof value} (${typeof value === 'symbol' ? P.SymbolPrototypeToString(value) : value}${typeof value === 'bigint' ? 'n' : ''})`;
  };
  const invalidType = (name, expected, value) => {
    const what = P.StringPrototypeIncludes(name, '.') ? 'property' : 'argument';
    const error = new TypeError(`The "${name}" ${what} must be ${expected}. ${received(value)}`);
    P.define(error, 'code', 'ERR_INVALID_ARG_TYPE');
    return error;
  };

  class ERR_OUT_OF_RANGE extends RangeError {
    constructor(message) {
      super(message);
      P.define(this, 'code', 'ERR_OUT_OF_RANGE');
    }
  }
  P.hide(ERR_OUT_OF_RANGE);
  // A large integer has its thousands apart.
  const number = (value) => {
    let text = `${value}${typeof value === 'bigint' ? 'n' : ''}`;
    if (!(typeof value === 'bigint' || P.NumberIsInteger(value)) || value <= 2 ** 32 && value >= -(2 ** 32)) return text;
    const last = typeof value === 'bigint' ? 4 : 3;
    let out = '';
    for (let size = last; text.length > size + (text[0] === '-' ? 1 : 0); size = 3) {
      out = `_${P.StringPrototypeSlice(text, -size)}${out}`;
      text = P.StringPrototypeSlice(text, 0, -size);
    }
    return text + out;
  };
  const outOfRange = (name, range, value) => new ERR_OUT_OF_RANGE(`The value of "${name}" is out of range. It must be ${range}. Received ${number(value)}`);
  return { __proto__: null, received, invalidType, outOfRange };
})
