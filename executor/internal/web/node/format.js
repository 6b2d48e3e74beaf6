// util.format: a template with its values, as Node writes them.
(function (host) {
  'use strict';
  const { inspect, numberText } = host.load('node/inspect');

  const hasOwnToString = (value) => {
    if (typeof value.toString !== 'function') return false;
    if (Object.hasOwn(value, 'toString')) return true;
    let object = value;
    do object = Object.getPrototypeOf(object); while (object !== null && !Object.hasOwn(object, 'toString'));
    const { constructor } = object ?? {};
    return typeof constructor === 'function' && !/^(?:Object|Array|Error|Date|Map|Set|RegExp|Function|Promise)$/.test(constructor.name) && !Function.prototype.toString.call(constructor).includes('[native code]');
  };
  const numeric = (value, parse) => (typeof value === 'bigint' ? `${value}n` : typeof value === 'symbol' ? 'NaN' : numberText(parse(value), {}));
  const specifiers = {
    __proto__: null,
    s: (value, options) => {
      if (typeof value === 'number') return numberText(value, {});
      if (typeof value === 'bigint') return `${value}n`;
      if (typeof value !== 'object' || value === null || hasOwnToString(value)) return String(value);
      return inspect(value, { ...options, depth: 0, colors: false, compact: 3 });
    },
    d: (value) => (typeof value === 'object' && value !== null ? numberText(Number(value), {}) : numeric(value, Number)),
    i: (value) => numeric(value, parseInt),
    f: (value) => (typeof value === 'symbol' ? 'NaN' : numberText(parseFloat(value), {})),
    j: (value) => {
      try {
        return JSON.stringify(value);
      } catch (error) {
        if (String(error?.message).includes('circular structure')) return '[Circular]';
        throw error;
      }
    },
    o: (value, options) => inspect(value, { ...options, showHidden: true, showProxy: true, depth: 4 }),
    O: (value, options) => inspect(value, options),
    c: () => '',
  };
  const formatWithOptions = (options, ...args) => {
    let text = '';
    let used = 0;
    if (typeof args[0] === 'string') {
      used = 1;
      text = args.length === 1 ? args[0] : args[0].replace(/%([%sdifjoOc])/g, (whole, letter) => {
        if (letter === '%') return '%';
        return used < args.length ? specifiers[letter](args[used++], options) : whole;
      });
    }
    for (let i = used; i < args.length; i++) text += `${i > 0 ? ' ' : ''}${typeof args[i] === 'string' ? args[i] : inspect(args[i], { ...options, compact: 3 })}`;
    return text;
  };
  return { formatWithOptions, format: (...args) => formatWithOptions({}, ...args) };
})
