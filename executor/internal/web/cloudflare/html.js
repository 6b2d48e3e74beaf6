// HTML as HTMLRewriter sees it: tokens, and the selectors that choose elements.
//
//   tokens(text)      {kind: 'text' | 'start' | 'end' | 'comment' | 'doctype', raw, …}; a start has name, tag (as written),
//                     attributes [{name, value, raw}] and selfClosing
//   parseSelector(s)  a function of an element {name, attributes, parent, index, typeIndex}
(function () {
  'use strict';
  const rawText = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript']);
  const attribute = /[\s/]*([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/y;

  function* tokens(text) {
    let at = 0;
    let raw; // the element whose end tag is looked for
    while (at < text.length) {
      let open = text.indexOf('<', at);
      if (raw !== undefined) {
        const end = new RegExp(`</${raw}(?=[\\s/>])`, 'ig');
        end.lastIndex = at;
        open = end.exec(text)?.index ?? -1;
        raw = undefined;
      } else while (open >= 0 && !/^<(?:[a-zA-Z!?]|\/[^\s])/.test(text.slice(open, open + 3))) open = text.indexOf('<', open + 1);
      if (open < 0) open = text.length;
      if (open > at) yield { kind: 'text', raw: text.slice(at, open) };
      if (open === text.length) return;
      const token = tagAt(text, open);
      yield token;
      at = open + token.raw.length;
      if (token.kind === 'start' && rawText.has(token.name)) raw = token.name;
    }
  }
  const tagAt = (text, at) => {
    if (text.startsWith('<!--', at)) {
      const end = /--!?>|^-?>/g;
      end.lastIndex = at + 4;
      const close = end.exec(text);
      const stop = close?.index ?? text.length;
      return { kind: 'comment', raw: text.slice(at, close === null ? text.length : end.lastIndex), text: text.slice(at + 4, stop) };
    }
    if (/^<[!?]/.test(text.slice(at, at + 2)) || /^<\/[^a-zA-Z]/.test(text.slice(at, at + 3))) {
      const close = text.indexOf('>', at);
      const raw = text.slice(at, close < 0 ? text.length : close + 1);
      const parts = /^<!doctype\s*([^\s>]*)\s*(?:(public|system)\s*(?:"([^"]*)"|'([^']*)')?\s*(?:"([^"]*)"|'([^']*)')?)?/i.exec(raw);
      if (parts === null) return { kind: 'comment', raw, text: raw.slice(2, -1) };
      const isPublic = parts[2]?.toLowerCase() === 'public';
      const first = parts[3] ?? parts[4] ?? null;
      return { kind: 'doctype', raw, name: parts[1].toLowerCase() || null, publicId: isPublic ? first : null, systemId: isPublic ? parts[5] ?? parts[6] ?? null : first };
    }
    const isEnd = text[at + 1] === '/';
    const tag = /^[^\s/>]+/.exec(text.slice(at + (isEnd ? 2 : 1), at + 300))[0];
    let end = at + (isEnd ? 2 : 1) + tag.length;
    const attributes = [];
    for (;;) {
      attribute.lastIndex = end;
      const found = attribute.exec(text);
      if (found === null) break;
      const name = found[1].toLowerCase();
      if (!attributes.some((other) => other.name === name)) attributes.push({ name, value: found[2] ?? found[3] ?? found[4] ?? '', raw: found[0].replace(/^[\s/]+/, '') });
      end = attribute.lastIndex;
    }
    const close = text.indexOf('>', end);
    if (close < 0) return { kind: 'text', raw: text.slice(at) }; // a tag that never ends is left as it is
    const raw = text.slice(at, close + 1);
    const name = tag.toLowerCase();
    return isEnd ? { kind: 'end', raw, name, tag } : { kind: 'start', raw, name, tag, attributes, selfClosing: /\/\s*>$/.test(raw) };
  };

  // ---- selectors

  const fail = (text) => { throw new TypeError(`Parser error: ${text}`); };
  const identifier = /-?(?:[a-zA-Z_\u0080-\uffff]|\\.)(?:[\w\u0080-\uffff-]|\\.)*/y;
  const attributeTest = /\[\s*([\w-]+)\s*(?:([~|^$*]?=)\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*([isIS])?\s*)?\]/y;
  const nth = /\(\s*(?:(odd|even)|([+-]?\d*)n\s*(?:([+-])\s*(\d+))?|([+-]?\d+))\s*\)/y;
  const read = (pattern, text, at) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  const attributeOf = (element, name) => element.attributes.find((attribute) => attribute.name === name)?.value;
  const operations = {
    '=': (a, b) => a === b, '~=': (a, b) => a.split(/\s+/).includes(b), '|=': (a, b) => a === b || a.startsWith(`${b}-`),
    '^=': (a, b) => b !== '' && a.startsWith(b), '$=': (a, b) => b !== '' && a.endsWith(b), '*=': (a, b) => b !== '' && a.includes(b),
  };
  const nthTest = (found) => {
    const [, word, step, sign, offset, fixed] = found;
    const a = word !== undefined ? 2 : fixed !== undefined ? 0 : step === '' || step === '+' ? 1 : step === '-' ? -1 : Number(step);
    const b = word !== undefined ? Number(word === 'odd') : fixed !== undefined ? Number(fixed) : Number(`${sign ?? ''}${offset ?? 0}`);
    return (index) => (a === 0 ? index === b : (index - b) / a >= 0 && (index - b) % a === 0);
  };

  // One compound selector at a position: its tests, and where it ends.
  const compound = (text, at) => {
    const tests = [];
    const start = at;
    for (; at < text.length;) {
      const c = text[at];
      if (c === '*') at++;
      else if (c === '.' || c === '#') {
        const name = read(identifier, text, at + 1)?.[0] ?? fail('Unexpected token in selector.');
        at += 1 + name.length;
        tests.push(c === '#' ? (e) => attributeOf(e, 'id') === name : (e) => (attributeOf(e, 'class') ?? '').split(/\s+/).includes(name));
      } else if (c === '[') {
        const found = read(attributeTest, text, at) ?? fail(text.includes(']', at) ? 'Unexpected token in the attribute selector.' : 'Unexpected end of selector.');
        at += found[0].length;
        const [, name, operator, double, single, bare, flag] = found;
        const fold = flag?.toLowerCase() === 'i' ? (s) => s.toLowerCase() : (s) => s;
        const wanted = double ?? single ?? bare;
        tests.push((e) => {
          const value = attributeOf(e, name.toLowerCase());
          return value !== undefined && (operator === undefined || operations[operator](fold(value), fold(wanted)));
        });
      } else if (c === ':') {
        const [test, end] = pseudo(text, at);
        tests.push(test);
        at = end;
      } else {
        const name = read(identifier, text, at)?.[0];
        if (name === undefined || at > start) break;
        at += name.length;
        tests.push((e) => e.name === name.toLowerCase());
      }
    }
    if (at === start) fail(at >= text.length ? 'Unexpected end of selector.' : 'Unexpected token in selector.');
    return [(e) => tests.every((test) => test(e)), at];
  };
  const pseudo = (text, at) => {
    const name = /^:[\w-]+/.exec(text.slice(at))?.[0] ?? fail('Unexpected token in selector.');
    const end = at + name.length;
    if (name === ':first-child') return [(e) => e.index === 1, end];
    if (name === ':first-of-type') return [(e) => e.typeIndex === 1, end];
    if (name === ':nth-child' || name === ':nth-of-type') {
      const found = read(nth, text, end) ?? fail('Unexpected token in selector.');
      const test = nthTest(found);
      return [name === ':nth-child' ? (e) => test(e.index) : (e) => test(e.typeIndex), end + found[0].length];
    }
    if (name === ':not' && text[end] === '(') {
      const [inner, stop] = compound(text, end + 1);
      if (text[stop] !== ')') fail('Unexpected token in selector.');
      return [(e) => !inner(e), stop + 1];
    }
    return fail('Unsupported pseudo-class or pseudo-element in selector.');
  };
  const complex = (text) => {
    text = text.trim();
    const steps = []; // {test, child}: child says that the step before must be the parent
    let child = false;
    for (let at = 0; ;) {
      const [test, end] = compound(text, at);
      steps.push({ test, child });
      const gap = /^\s*([>+~])?\s*/.exec(text.slice(end));
      at = end + gap[0].length;
      if (at >= text.length && gap[1] === undefined) break;
      if (gap[1] === '+' || gap[1] === '~') fail(`Unsupported combinator \`${gap[1]}\` in selector.`);
      if (gap[0] === '') fail('Unexpected token in selector.');
      child = gap[1] === '>';
    }
    const matches = (element, i) => {
      if (element === undefined || !steps[i].test(element)) return false;
      if (i === 0) return true;
      if (steps[i].child) return matches(element.parent, i - 1);
      for (let parent = element.parent; parent !== undefined; parent = parent.parent) if (matches(parent, i - 1)) return true;
      return false;
    };
    return (element) => matches(element, steps.length - 1);
  };
  const parseSelector = (text) => {
    if (text.trim() === '') fail('The selector is empty.');
    const alternatives = text.split(/,(?![^[(]*[\])])/).map(complex);
    return (element) => alternatives.some((matches) => matches(element));
  };
  return { tokens, parseSelector };
})
