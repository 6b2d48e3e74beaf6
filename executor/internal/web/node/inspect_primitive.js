// Primitive values as util.inspect writes them.
(function (host) {
  'use strict';
  const { styles, colors } = host.load('node/colors');
  const plainStyle = (text) => text;
  const colorStyle = (text, kind) => {
    const code = colors[styles[kind]];
    return code === undefined ? text : `\u001b[${code[0]}m${text}\u001b[${code[1]}m`;
  };

  const identifier = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
  const escapes = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\' };
  const quote = (text) => {
    const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes('`') && !text.includes('${') ? '`' : "'";
    let out = '';
    for (const c of text) {
      const code = c.charCodeAt(0);
      if (escapes[c] !== undefined) out += escapes[c];
      else if (c === mark) out += `\\${c}`;
      else if (code < 32 || code >= 127 && code < 160) out += `\\x${code.toString(16).toUpperCase().padStart(2, '0')}`;
      else if (c.length === 1 && code >= 0xd800 && code < 0xe000) out += `\\u${code.toString(16)}`;
      else out += c;
    }
    return mark + out + mark;
  };
  const separate = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, '_');
  const numberText = (n, ctx) => {
    if (Object.is(n, -0)) return '-0';
    if (!ctx.numericSeparator || !Number.isFinite(n) || String(n).includes('e')) return `${n}`;
    const [whole, part] = String(n).split('.');
    return separate(whole) + (part === undefined ? '' : `.${part.replace(/(\d{3})(?=\d)/g, '$1_')}`);
  };
  const stringText = (text, ctx) => {
    let trailer = '';
    if (text.length > ctx.maxStringLength) {
      const rest = text.length - ctx.maxStringLength;
      text = text.slice(0, ctx.maxStringLength);
      trailer = `... ${rest} more character${rest > 1 ? 's' : ''}`;
    }
    if (ctx.compact !== true && text.length > 16 && text.length > ctx.breakLength - ctx.indentation - 4) {
      const lines = text.match(/.*\n|.+$/gs) ?? [text];
      return lines.map((line) => ctx.stylize(quote(line), 'string')).join(` +\n${' '.repeat(ctx.indentation + 2)}`) + trailer;
    }
    return ctx.stylize(quote(text), 'string') + trailer;
  };
  const primitiveText = (value, ctx) => {
    switch (typeof value) {
      case 'string': return stringText(value, ctx);
      case 'number': return ctx.stylize(numberText(value, ctx), 'number');
      case 'bigint': return ctx.stylize(`${ctx.numericSeparator ? separate(`${value}`) : value}n`, 'bigint');
      case 'boolean': return ctx.stylize(`${value}`, 'boolean');
      case 'undefined': return ctx.stylize('undefined', 'undefined');
      case 'symbol': return ctx.stylize(Symbol.prototype.toString.call(value), 'symbol');
      default: return ctx.stylize('null', 'null');
    }
  };
  return { plainStyle, colorStyle, identifier, quote, numberText, primitiveText };
})
