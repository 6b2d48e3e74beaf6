// The URL Pattern standard's pattern strings: tokeniser, parser, regular expressions.
// Offers tokenize, compile, escapePattern, fail. Every failure is a thrown TypeError.
(function (host) {
  'use strict';
  const P = host.primordials;
  const { TypeError, RegExp, list, push, StringPrototypeSlice, StringPrototypeCodePointAt, StringPrototypeIndexOf } = P;

  const fail = () => new TypeError('Failed to construct URLPattern');
  const nameStart = new RegExp('^[$_\\p{ID_Start}]$', 'u');
  const namePart = new RegExp('^[$\\u200c\\u200d\\p{ID_Continue}]$', 'u');
  const matches = (expression, text) => P.RegExpPrototypeExec(expression, text) !== null;
  const isName = (character, first) => character !== '' && matches(first ? nameStart : namePart, character);
  const characterAt = (text, index) => (index < text.length ? P.StringFromCodePoint(StringPrototypeCodePointAt(text, index)) : '');
  const isASCII = (character) => StringPrototypeCodePointAt(character, 0) < 0x80;

  // ---- tokens: {type, index, value}

  // Cuts input into tokens; a lenient one takes what is wrong for the token "invalid-char".
  const tokenize = (input, lenient) => {
    const tokens = list();
    let index = 0;
    const add = (type, next, value) => {
      push(tokens, { __proto__: null, type, index, value });
      index = next;
    };
    const wrong = (next) => {
      if (!lenient) throw fail();
      add('invalid-char', next, StringPrototypeSlice(input, index, next));
    };
    while (index < input.length) {
      const character = characterAt(input, index);
      const next = index + character.length;
      switch (character) {
        case '*': add('asterisk', next, character); break;
        case '+': case '?': add('other-modifier', next, character); break;
        case '{': add('open', next, character); break;
        case '}': add('close', next, character); break;
        case '\\': {
          const escaped = characterAt(input, next);
          if (escaped === '') wrong(next);
          else add('escaped-char', next + escaped.length, escaped);
          break;
        }
        case ':': {
          let end = next;
          for (let c = characterAt(input, end); isName(c, end === next); c = characterAt(input, end)) end += c.length;
          if (end === next) wrong(next);
          else add('name', end, StringPrototypeSlice(input, next, end));
          break;
        }
        case '(': {
          const end = regexpEnd(input, next);
          if (end < 0) wrong(next);
          else add('regexp', end, StringPrototypeSlice(input, next, end - 1));
          break;
        }
        default: add('char', next, character);
      }
    }
    add('end', index, '');
    return tokens;
  };
  // The offset after the parenthesis that closes a group opened just before start; -1 when it is not valid.
  const regexpEnd = (input, start) => {
    let depth = 1;
    let at = start;
    while (at < input.length) {
      const character = characterAt(input, at);
      if (!isASCII(character) || at === start && character === '?') return -1;
      at++;
      if (character === '\\') {
        if (at === input.length || !isASCII(characterAt(input, at))) return -1;
        at++;
      } else if (character === ')') {
        if (--depth === 0) break;
      } else if (character === '(') {
        depth++;
        if (input[at] !== '?') return -1;
      }
    }
    return depth !== 0 || at - start - 1 === 0 ? -1 : at;
  };

  // ---- parts: {type, value, modifier, name, prefix, suffix}

  const escapeAll = (text, special) => {
    let out = '';
    for (let i = 0; i < text.length; i++) out += (StringPrototypeIndexOf(special, text[i]) >= 0 ? '\\' : '') + text[i];
    return out;
  };
  const escapeRegExp = (text) => escapeAll(text, '.+*?^${}()[]|/\\');
  const escapePattern = (text) => escapeAll(text, '+*?:{}()\\');
  const wildcardOf = (options) => `[^${escapeRegExp(options.delimiter)}]+?`;

  // Parses a pattern string into parts; options are {delimiter, prefix}, encode canonicalises fixed text.
  const parse = (input, options, encode) => {
    const tokens = tokenize(input, false);
    const parts = list();
    const names = { __proto__: null };
    const segment = wildcardOf(options);
    let index = 0;
    let pending = '';
    let number = 0;
    const take = (type) => (tokens[index].type === type ? tokens[index++] : undefined);
    const takeText = () => {
      let text = '';
      for (let token = take('char') ?? take('escaped-char'); token !== undefined; token = take('char') ?? take('escaped-char')) text += token.value;
      return text;
    };
    const takeWildcard = (name) => take('regexp') ?? (name === undefined ? take('asterisk') : undefined);
    const takeModifier = () => (take('other-modifier') ?? take('asterisk'))?.value ?? '';
    const part = (type, value, modifier, name = '', prefix = '', suffix = '') => push(parts, { __proto__: null, type, value, modifier, name, prefix, suffix });
    const flush = () => {
      if (pending === '') return;
      part('fixed', encode(pending), '');
      pending = '';
    };
    const addPart = (prefix, name, wildcard, suffix, modifier) => {
      if (name === undefined && wildcard === undefined && modifier === '') {
        pending += prefix;
        return;
      }
      flush();
      if (name === undefined && wildcard === undefined) {
        if (prefix !== '') part('fixed', encode(prefix), modifier);
        return;
      }
      let value = wildcard === undefined ? segment : wildcard.type === 'asterisk' ? '.*' : wildcard.value;
      let type = 'regexp';
      if (value === segment) type = 'segment';
      else if (value === '.*') type = 'full';
      if (type !== 'regexp') value = '';
      const key = name === undefined ? `${number++}` : name.value;
      if (names[key]) throw fail();
      names[key] = true;
      part(type, value, modifier, key, encode(prefix), encode(suffix));
    };
    while (index < tokens.length) {
      const character = take('char');
      const name = take('name');
      const wildcard = takeWildcard(name);
      if (name !== undefined || wildcard !== undefined) {
        let prefix = character?.value ?? '';
        if (prefix !== '' && prefix !== options.prefix) {
          pending += prefix;
          prefix = '';
        }
        flush();
        addPart(prefix, name, wildcard, '', takeModifier());
        continue;
      }
      const fixed = character ?? take('escaped-char');
      if (fixed !== undefined) {
        pending += fixed.value;
        continue;
      }
      if (take('open') !== undefined) {
        const prefix = takeText();
        const inner = take('name');
        const innerWildcard = takeWildcard(inner);
        const suffix = takeText();
        if (take('close') === undefined) throw fail();
        addPart(prefix, inner, innerWildcard, suffix, takeModifier());
        continue;
      }
      flush();
      if (take('end') === undefined) throw fail();
    }
    return parts;
  };

  // The regular expression of parts, and the names of its groups.
  const expressionOf = (parts, options) => {
    let source = '^';
    const names = list();
    for (let i = 0; i < parts.length; i++) {
      const { type, value, modifier, name, prefix, suffix } = parts[i];
      if (type === 'fixed') {
        source += modifier === '' ? escapeRegExp(value) : `(?:${escapeRegExp(value)})${modifier}`;
        continue;
      }
      push(names, name);
      const inner = type === 'segment' ? wildcardOf(options) : type === 'full' ? '.*' : value;
      const once = modifier === '' || modifier === '?';
      if (prefix === '' && suffix === '') {
        source += once ? `(${inner})${modifier}` : `((?:${inner})${modifier})`;
      } else if (once) {
        source += `(?:${escapeRegExp(prefix)}(${inner})${escapeRegExp(suffix)})${modifier}`;
      } else {
        source += `(?:${escapeRegExp(prefix)}((?:${inner})(?:${escapeRegExp(suffix)}${escapeRegExp(prefix)}(?:${inner}))*)${escapeRegExp(suffix)})${modifier === '*' ? '?' : ''}`;
      }
    }
    return { __proto__: null, source: `${source}$`, names };
  };

  const isDigit = (text) => text !== '' && text[0] >= '0' && text[0] <= '9';
  const lastCharacter = (text) => text[text.length - 1];

  // The normalised pattern string of parts.
  const patternOf = (parts, options) => {
    let out = '';
    for (let i = 0; i < parts.length; i++) {
      const { type, value, modifier, name, prefix, suffix } = parts[i];
      const previous = parts[i - 1];
      const next = parts[i + 1];
      if (type === 'fixed') {
        out += modifier === '' ? escapePattern(value) : `{${escapePattern(value)}}${modifier}`;
        continue;
      }
      const named = !isDigit(name);
      let grouped = suffix !== '' || prefix !== '' && prefix !== options.prefix;
      if (!grouped && named && type === 'segment' && modifier === '' && next !== undefined && next.prefix === '' && next.suffix === '') {
        grouped = next.type === 'fixed' ? isName(characterAt(next.value, 0), false) : isDigit(next.name);
      }
      if (!grouped && prefix === '' && previous !== undefined && previous.type === 'fixed' && lastCharacter(previous.value) === options.prefix) grouped = true;
      if (grouped) out += '{';
      out += escapePattern(prefix);
      if (named) out += `:${name}`;
      if (type === 'regexp') out += `(${value})`;
      else if (type === 'segment' && !named) out += `(${wildcardOf(options)})`;
      else if (type === 'full') {
        const bare = !named && (previous === undefined || previous.type === 'fixed' || previous.modifier !== '' || grouped || prefix !== '');
        out += bare ? '*' : '(.*)';
      }
      if (type === 'segment' && named && suffix !== '' && isName(characterAt(suffix, 0), false)) out += '\\';
      out += escapePattern(suffix);
      if (grouped) out += '}';
      out += modifier;
    }
    return out;
  };

  // Compiles a component into {pattern, expression, names, hasRegExp}.
  const compile = (input, encode, options) => {
    const parts = parse(input, options, encode);
    const { source, names } = expressionOf(parts, options);
    let expression;
    try {
      expression = new RegExp(source, options.ignoreCase ? 'vi' : 'v');
    } catch {
      throw fail();
    }
    let hasRegExp = false;
    for (let i = 0; i < parts.length; i++) if (parts[i].type === 'regexp') hasRegExp = true;
    return { __proto__: null, pattern: patternOf(parts, options), expression, names, hasRegExp };
  };
  return { __proto__: null, tokenize, compile, escapePattern, fail };
})
