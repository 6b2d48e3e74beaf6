// util.parseArgs.
(function (host) {
  'use strict';
  const { withCode, checkObject, invalidType } = host.load('node/errors');
  const fail = (code, text) => withCode(TypeError, code, text);

  const longOf = (options, letter) => Object.keys(options).find((name) => options[name].short === letter) ?? letter;
  const isValued = (options, name) => options[name]?.type === 'string';

  // The arguments as tokens: {kind, name, rawName, value, inlineValue, index}.
  const tokenise = (args, options) => {
    const tokens = [];
    const rest = args.map((arg, index) => ({ arg, index }));
    while (rest.length > 0) {
      const { arg, index } = rest.shift();
      const option = (name, rawName, value, inlineValue) => {
        if (value === undefined && isValued(options, name) && rest.length > 0) {
          value = rest.shift().arg;
          inlineValue = false;
        }
        tokens.push({ kind: 'option', name, rawName, index, value, inlineValue: value === undefined ? undefined : inlineValue });
      };
      if (arg === '--') {
        tokens.push({ kind: 'option-terminator', index });
        for (const { arg: value, index: at } of rest.splice(0)) tokens.push({ kind: 'positional', index: at, value });
      } else if (arg.startsWith('--') && arg.length > 2) {
        const equals = arg.indexOf('=', 3);
        if (equals < 0) option(arg.slice(2), arg, undefined, undefined);
        else option(arg.slice(2, equals), arg.slice(0, equals), arg.slice(equals + 1), true);
      } else if (arg[0] === '-' && arg.length > 1) {
        const name = longOf(options, arg[1]);
        if (arg.length === 2) option(name, arg, undefined, undefined);
        else if (isValued(options, name)) option(name, arg.slice(0, 2), arg.slice(2), true);
        else rest.unshift(...[...arg.slice(1)].map((letter) => ({ arg: `-${letter}`, index })));
      } else tokens.push({ kind: 'positional', index, value: arg });
    }
    return tokens;
  };
  const checkOption = (token, options, strict, allowNegative) => {
    const { name, rawName, value } = token;
    const config = options[name];
    if (config === undefined) {
      if (allowNegative && name.startsWith('no-') && options[name.slice(3)]?.type === 'boolean') return;
      if (strict) throw fail('ERR_PARSE_ARGS_UNKNOWN_OPTION', `Unknown option '${rawName}'. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- "${rawName}"`);
      return;
    }
    if (!strict) return;
    const shown = `${config.short ? `-${config.short}, ` : ''}--${name}`;
    if (config.type === 'string' && typeof value !== 'string') throw fail('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${shown} <value>' argument missing`);
    if (config.type === 'boolean' && value !== undefined && value !== null) throw fail('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${shown}' does not take an argument`);
  };
  const parseArgs = (config = {}) => {
    checkObject(config, 'config');
    const { args = [], strict = true, allowPositionals = !strict, allowNegative = false, options = {}, tokens: wantsTokens = false } = config;
    if (!Array.isArray(args)) throw invalidType('args', 'an instance of Array', args);
    for (const name of Object.keys(options)) {
      if (options[name].type !== 'string' && options[name].type !== 'boolean') throw invalidType(`options.${name}.type`, "one of: 'string', 'boolean'", options[name].type);
    }
    const tokens = tokenise(args, options);
    const values = { __proto__: null };
    const positionals = [];
    for (const token of tokens) {
      if (token.kind === 'positional') {
        if (!allowPositionals) throw fail('ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL', `Unexpected argument '${token.value}'. This command does not take positional arguments`);
        positionals.push(token.value);
      }
      if (token.kind !== 'option') continue;
      checkOption(token, options, strict, allowNegative);
      let { name, value = true } = token;
      if (allowNegative && options[name] === undefined && name.startsWith('no-')) [name, value] = [name.slice(3), false];
      if (name === '__proto__') continue;
      if (options[name]?.multiple) (values[name] ??= []).push(value);
      else values[name] = value;
    }
    for (const name of Object.keys(options)) if (options[name].default !== undefined && !(name in values)) values[name] = options[name].default;
    return wantsTokens ? { values, positionals, tokens } : { values, positionals };
  };
  return { parseArgs };
})
