// The members of an object and the items of a list as util.inspect writes them. ctx.show(value, times) writes a value.
(function (host) {
  'use strict';
  const { identifier, quote, primitiveText } = host.load('node/inspect_primitive');

  const keyText = (key, ctx) => {
    if (typeof key === 'symbol') return ctx.stylize(Symbol.prototype.toString.call(key), 'symbol');
    if (key === '__proto__') return "['__proto__']";
    return identifier.test(key) ? ctx.stylize(key, 'name') : ctx.stylize(quote(key), 'string');
  };
  const memberText = (object, key, ctx, times, kind) => {
    const own = Object.getOwnPropertyDescriptor(object, key) ?? { value: object[key], enumerable: true };
    let text;
    let gap = ' ';
    if ('value' in own) {
      const more = ctx.compact !== true || kind !== 'object' ? 2 : 3;
      ctx.indentation += more;
      text = ctx.show(own.value, times);
      if (more === 3 && ctx.breakLength < text.length) gap = `\n${' '.repeat(ctx.indentation)}`;
      ctx.indentation -= more;
    } else if (own.get !== undefined) {
      const label = own.set !== undefined ? 'Getter/Setter' : 'Getter';
      text = ctx.stylize(`[${label}]`, 'special');
      if (ctx.getters === true || ctx.getters === 'get' && own.set === undefined || ctx.getters === 'set' && own.set !== undefined) {
        try {
          const value = own.get.call(object);
          ctx.indentation += 2;
          text = value === null || typeof value !== 'object' ? `${ctx.stylize(`[${label}:`, 'special')} ${primitiveText(value, ctx)}${ctx.stylize(']', 'special')}`
            : `${ctx.stylize(`[${label}]`, 'special')} ${ctx.show(value, times)}`;
          ctx.indentation -= 2;
        } catch (error) {
          text = `[${label}: <Inspection threw (${error?.message})>]`;
        }
      }
    } else text = own.set !== undefined ? ctx.stylize('[Setter]', 'special') : ctx.stylize('undefined', 'undefined');
    if (kind === 'item') return text;
    const name = keyText(key, ctx);
    return `${own.enumerable === false ? `[${typeof key === 'symbol' ? name : key}]` : name}:${gap}${text}`;
  };
  const more = (rest) => `... ${rest} more item${rest > 1 ? 's' : ''}`;
  const arrayItems = (array, ctx, times) => {
    const out = [];
    const limit = Math.min(Math.max(0, ctx.maxArrayLength), array.length);
    let i = 0;
    while (i < array.length && out.length < limit) {
      if (Object.hasOwn(array, i)) out.push(memberText(array, `${i++}`, ctx, times, 'item'));
      else {
        const start = i;
        while (i < array.length && !Object.hasOwn(array, i)) i++;
        out.push(ctx.stylize(`<${i - start} empty item${i - start > 1 ? 's' : ''}>`, 'undefined'));
      }
    }
    if (i < array.length) out.push(more(array.length - i));
    return out;
  };
  const viewItems = (view, ctx) => {
    const length = Math.min(Math.max(0, ctx.maxArrayLength), view.length);
    const out = [];
    for (let i = 0; i < length; i++) out.push(primitiveText(view[i], ctx));
    if (view.length > length) out.push(more(view.length - length));
    return out;
  };
  const entryItems = (iterable, size, ctx, times, text) => {
    const out = [];
    ctx.indentation += 2;
    for (const entry of iterable) {
      if (out.length >= Math.max(0, ctx.maxArrayLength)) break;
      out.push(text(entry));
    }
    ctx.indentation -= 2;
    if (size > out.length) out.push(more(size - out.length));
    return out;
  };

  const keysOf = (value, ctx, isList) => {
    let keys = ctx.showHidden ? Object.getOwnPropertyNames(value) : Object.keys(value);
    if (isList) keys = keys.filter((key) => !/^(0|[1-9]\d*)$/.test(key) && !(ctx.showHidden && key === 'length' && !Array.isArray(value)));
    const symbols = Object.getOwnPropertySymbols(value);
    return keys.concat(ctx.showHidden ? symbols : symbols.filter((key) => Object.prototype.propertyIsEnumerable.call(value, key)));
  };
  return { memberText, more, arrayItems, viewItems, entryItems, keysOf };
})
