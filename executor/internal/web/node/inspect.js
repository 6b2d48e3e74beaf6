// util.inspect: values as text, as Node writes them.
(function (host) {
  'use strict';
  const custom = Symbol.for('nodejs.util.inspect.custom');
  const defaults = {
    showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100, maxStringLength: 10000, breakLength: 80,
    compact: 3, sorted: false, getters: false, numericSeparator: false,
  };
  const { styles, colors } = host.load('node/colors');
  const plainStyle = (text) => text;
  const colorStyle = (text, kind) => {
    const code = colors[styles[kind]];
    return code === undefined ? text : `\u001b[${code[0]}m${text}\u001b[${code[1]}m`;
  };

  // ---- primitives

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
      else if (c.length === 1 && code >= 0xd800 && code < 0xe000) out += `\\u${code.toString(16).toUpperCase()}`;
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

  // ---- what a value is

  const { isMap, isSet, isDate, isArrayBuffer, isSharedArrayBuffer: isShared, isWeakSet, isWeakMap, isWeakRef, tagOfView, getter } = host.load('node/brands');
  const { interfaceOf, isList, attributesOf } = host.load('node/inspect_platform');
  const isRegExp = (value) => Object.prototype.toString.call(value) === '[object RegExp]' || value instanceof RegExp;
  const isPromise = (value) => value instanceof Promise;
  const boxes = { Number, String, Boolean, BigInt, Symbol };
  const boxOf = (value) => {
    for (const name in boxes) {
      try {
        return [name, boxes[name].prototype.valueOf.call(value)];
      } catch { /* not this one */ }
    }
    return undefined;
  };
  const iteratorTag = (value) => {
    const tag = value[Symbol.toStringTag];
    return tag === 'Map Iterator' || tag === 'Set Iterator' ? tag : undefined;
  };

  const constructorName = (value) => {
    for (let object = value, depth = 0; object !== null; object = Object.getPrototypeOf(object), depth++) {
      const own = Object.getOwnPropertyDescriptor(object, 'constructor');
      if (typeof own?.value === 'function' && own.value.name !== '' && (depth === 0 ? value instanceof own.value : true)) return String(own.value.name);
    }
    return null;
  };
  const prefixOf = (name, tag, fallback, size = '') => {
    const shown = tag !== '' && tag !== name ? `[${tag}] ` : '';
    if (name === null) return tag !== '' && tag !== fallback ? `[${fallback}${size}: null prototype] [${tag}] ` : `[${fallback}${size}: null prototype] `;
    return `${name}${size} ${shown}`;
  };
  const functionBase = (fn, name, tag) => {
    const source = Function.prototype.toString.call(fn);
    if (source.startsWith('class') && source.endsWith('}')) {
      let base = `[class ${Object.hasOwn(fn, 'name') && fn.name !== '' ? fn.name : '(anonymous)'}`;
      if (name !== 'Function' && name !== null) base += ` [${name}]`;
      if (tag !== '' && tag !== name) base += ` [${tag}]`;
      const parent = Object.getPrototypeOf(fn);
      if (parent === null) base += ' extends [null prototype]';
      else if (parent.name) base += ` extends ${parent.name}`;
      return `${base}]`;
    }
    const kind = /^async\s*\*|^async function\s*\*/.test(source) ? 'AsyncGeneratorFunction' : /^function\s*\*|^\*/.test(source) ? 'GeneratorFunction'
      : name === 'AsyncFunction' ? 'AsyncFunction' : name === 'GeneratorFunction' || name === 'AsyncGeneratorFunction' ? name : 'Function';
    let base = `[${kind}${name === null ? ' (null prototype)' : ''}${fn.name === '' ? ' (anonymous)' : `: ${typeof fn.name === 'string' ? fn.name : inspect(fn.name)}`}]`;
    if (name === null) base += ' Object';
    if (tag !== '' && tag !== name && tag !== kind) base += ` [${tag}]`;
    return base;
  };
  const errorBase = (error, keys, ctx) => {
    let stack = typeof error.stack === 'string' && error.stack !== '' ? error.stack : `[${Error.prototype.toString.call(error)}]`;
    const lines = stack.split('\n').filter((line) => !/^ {4}at .*codemode:/.test(line));
    stack = lines.join('\n');
    for (const hidden of ['name', 'message', 'stack']) {
      const at = keys.indexOf(hidden);
      if (at >= 0 && (typeof error[hidden] !== 'string' || stack.includes(error[hidden]))) keys.splice(at, 1);
    }
    if (Object.hasOwn(error, 'cause') && !keys.includes('cause')) keys.push('cause');
    if (Array.isArray(error.errors) && Object.hasOwn(error, 'errors') && !keys.includes('errors')) keys.push('errors');
    if (!/\n {4}at /.test(stack) && !stack.startsWith('[')) stack = `[${stack}]`;
    return ctx.indentation > 0 ? stack.replaceAll('\n', `\n${' '.repeat(ctx.indentation)}`) : stack;
  };

  // ---- members

  const keyText = (key, ctx) => {
    if (typeof key === 'symbol') return `[${ctx.stylize(Symbol.prototype.toString.call(key), 'symbol')}]`;
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
      text = valueText(own.value, ctx, times);
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
            : `${ctx.stylize(`[${label}]`, 'special')} ${valueText(value, ctx, times)}`;
          ctx.indentation -= 2;
        } catch (error) {
          text = `[${label}: <Inspection threw (${error?.message})>]`;
        }
      }
    } else text = own.set !== undefined ? ctx.stylize('[Setter]', 'special') : ctx.stylize('undefined', 'undefined');
    if (kind === 'item') return text;
    const name = keyText(key, ctx);
    return `${own.enumerable === false ? `[${typeof key === 'symbol' ? name.slice(1, -1) : key}]` : name}:${gap}${text}`;
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

  // shape is {base, open, close, items, keys, isList}: how an object of its kind is written.
  const shapeOf = (value, ctx, times) => {
    const name = constructorName(value, ctx);
    let tag = '';
    try {
      tag = value[Symbol.toStringTag];
    } catch { /* a getter's own business */ }
    if (typeof tag !== 'string' || tag === '' || tag === name || Object.hasOwn(value, Symbol.toStringTag) && !ctx.showHidden && Object.keys(value).includes(Symbol.toStringTag)) tag = '';
    const list = (prefix, items) => ({ open: `${prefix}[`, close: ']', items, keys: keysOf(value, ctx, true), isList: true, counted: true });
    const object = (prefix, items) => ({ open: `${prefix}{`, close: '}', items, keys: keysOf(value, ctx, false) });
    const collection = (prefix, items) => ({ ...object(prefix, items), counted: true });
    if (Array.isArray(value)) return list(name !== 'Array' || tag !== '' ? prefixOf(name, tag, 'Array', `(${value.length})`) : '', () => arrayItems(value, ctx, times));
    const view = ArrayBuffer.isView(value) ? tagOfView.call(value) : undefined;
    if (view !== undefined) return list(prefixOf(name, tag === view ? '' : tag, view, `(${value.length})`), () => viewItems(value, ctx));
    if (isSet(value)) {
      const size = getter(Set.prototype, 'size').call(value);
      return collection(prefixOf(name, tag, 'Set', `(${size})`), () => entryItems(Set.prototype.values.call(value), size, ctx, times, (v) => valueText(v, ctx, times)));
    }
    if (isMap(value)) {
      const size = getter(Map.prototype, 'size').call(value);
      return collection(prefixOf(name, tag, 'Map', `(${size})`), () => entryItems(Map.prototype.entries.call(value), size, ctx, times,
        ([k, v]) => `${valueText(k, ctx, times)} => ${valueText(v, ctx, times)}`));
    }
    const iterator = iteratorTag(value);
    if (iterator !== undefined) return object(`[${iterator}] `);
    const base = (text) => ({ ...object(name === 'Object' || name === null ? '' : ''), base: text });
    if (typeof value === 'function') return base(ctx.stylize(functionBase(value, name, tag), 'special'));
    if (tag === '' && Object.prototype.toString.call(value) === '[object Arguments]') return list('[Arguments] ', () => arrayItems(value, ctx, times));
    if (isRegExp(value)) return base(ctx.stylize((name === 'RegExp' ? '' : prefixOf(name, tag, 'RegExp')) + RegExp.prototype.toString.call(value), 'regexp'));
    if (isDate(value)) {
      const text = Number.isNaN(Date.prototype.getTime.call(value)) ? 'Invalid Date' : Date.prototype.toISOString.call(value);
      return base(ctx.stylize((name === 'Date' ? '' : prefixOf(name, tag, 'Date')) + text, 'date'));
    }
    if (Error.isError?.(value) || value instanceof Error) {
      const shape = object('');
      return { ...shape, base: errorBase(value, shape.keys, ctx) };
    }
    return restShape(value, ctx, times, name, tag, object);
  };
  const restShape = (value, ctx, times, name, tag, object) => {
    if (isArrayBuffer(value) || isShared(value)) {
      const kind = isShared(value) ? 'SharedArrayBuffer' : 'ArrayBuffer';
      return object(prefixOf(name, tag, kind), () => [
        ...value.detached ? [ctx.stylize('(detached)', 'special')] : [`[Uint8Contents]: <${bytesText(new Uint8Array(value), ctx)}>`],
        `byteLength: ${primitiveText(value.byteLength, ctx)}`,
      ]);
    }
    if (ArrayBuffer.isView(value)) {
      return object(prefixOf(name, tag, 'DataView'), () => ['byteLength', 'byteOffset', 'buffer'].map((key) => {
        ctx.indentation += 2;
        const text = `${key}: ${valueText(value[key], ctx, times)}`;
        ctx.indentation -= 2;
        return text;
      }));
    }
    if (isPromise(value)) return object(prefixOf(name, tag, 'Promise'), () => promiseItems(value, ctx, times));
    if (isWeakSet(value)) return object(prefixOf(name, tag, 'WeakSet'), () => [ctx.stylize('<items unknown>', 'special')]);
    if (isWeakMap(value)) return object(prefixOf(name, tag, 'WeakMap'), () => [ctx.stylize('<items unknown>', 'special')]);
    if (isWeakRef(value)) return object(prefixOf(name, tag, 'WeakRef'), () => [valueText(WeakRef.prototype.deref.call(value), ctx, times)]);
    const box = boxOf(value);
    if (box !== undefined) {
      const [kind, inner] = box;
      let text = `[${kind}`;
      if (kind !== name) text += name === null ? ' (null prototype)' : ` (${name})`;
      text += `: ${primitiveText(inner, { ...ctx, stylize: plainStyle, compact: true })}]`;
      if (tag !== '' && tag !== name) text += ` [${tag}]`;
      const shape = object('');
      if (kind === 'String') shape.keys = shape.keys.filter((key) => !/^\d+$/.test(String(key)));
      return { ...shape, base: ctx.stylize(text, kind.toLowerCase()) };
    }
    if (tag === 'Module') return object('[Module: null prototype] ');
    const platform = interfaceOf(Object.getPrototypeOf(value));
    if (platform !== undefined) return platformShape(value, ctx, times, name, platform, object);
    return object(name === 'Object' && tag === '' ? '' : prefixOf(name, tag, 'Object'));
  };
  const promiseItems = (value, ctx, times) => {
    const found = host.promiseOf?.(value);
    if (found === undefined) return [];
    if (found.state === 0) return [ctx.stylize('<pending>', 'special')];
    ctx.indentation += 2;
    const text = valueText(found.result, ctx, times);
    ctx.indentation -= 2;
    return [found.state === 2 ? `${ctx.stylize('<rejected>', 'special')} ${text}` : text];
  };
  const platformShape = (value, ctx, times, name, platform, object) => {
    const nested = (label, inner) => {
      ctx.indentation += 2;
      const text = `${label}${valueText(inner, ctx, times)}`;
      ctx.indentation -= 2;
      return text;
    };
    if (!isList(platform)) return object(prefixOf(name, '', platform), () => attributesOf(value).map((key) => nested(`${key}: `, value[key])));
    const pairs = [...value];
    return object(prefixOf(name, '', platform, `(${pairs.length})`), () => pairs.map(([key, item]) => nested(`${primitiveText(key, ctx)} => `, item)));
  };
  const bytesText = (bytes, ctx) => {
    const shown = [...bytes.subarray(0, Math.max(0, ctx.maxArrayLength))].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const rest = bytes.length - ctx.maxArrayLength;
    return rest > 0 ? `${shown} ... ${rest} more byte${rest > 1 ? 's' : ''}` : shown;
  };

  // ---- layout

  // Lists of more than six short items are set in columns.
  const columns = (out, ctx, value) => {
    let total = 0;
    let widest = 0;
    const hasMore = ctx.maxArrayLength < out.length || /^\.\.\. \d+ more item/.test(out[out.length - 1] ?? '');
    const count = hasMore ? out.length - 1 : out.length;
    const widths = [];
    for (let i = 0; i < count; i++) {
      widths[i] = ctx.colors ? out[i].replace(/\u001b\[\d+m/g, '').length : out[i].length;
      total += widths[i] + 2;
      if (widths[i] > widest) widest = widths[i];
    }
    const actual = widest + 2;
    if (!(actual * 3 + ctx.indentation < ctx.breakLength && (total / actual > 5 || widest <= 6))) return out;
    const bias = Math.sqrt(actual - total / out.length);
    const biased = Math.max(actual - 3 - bias, 1);
    const perRow = Math.min(Math.round(Math.sqrt(2.5 * biased * count) / biased), Math.floor((ctx.breakLength - ctx.indentation) / actual), ctx.compact * 4, 15);
    if (perRow <= 1) return out;
    const lengths = [];
    for (let i = 0; i < perRow; i++) {
      let width = 0;
      for (let j = i; j < count; j += perRow) if (widths[j] > width) width = widths[j];
      lengths.push(width + 2);
    }
    const numbers = value !== undefined && value.every?.((item) => typeof item === 'number' || typeof item === 'bigint');
    const rows = [];
    for (let i = 0; i < count; i += perRow) {
      const max = Math.min(i + perRow, count);
      let row = '';
      let j = i;
      for (; j < max - 1; j++) {
        const cell = `${out[j]}, `;
        const pad = ' '.repeat(Math.max(0, lengths[j - i] - widths[j] - 2));
        row += numbers ? pad + cell : cell + pad;
      }
      row += numbers ? ' '.repeat(Math.max(0, lengths[j - i] - 2 - widths[j])) + out[j] : out[j];
      rows.push(row);
    }
    if (hasMore) rows.push(out[count]);
    return rows;
  };
  const fits = (out, start, base, ctx) => {
    let total = out.length + start;
    if (total + out.length > ctx.breakLength) return false;
    for (const item of out) {
      total += ctx.colors ? item.replace(/\u001b\[\d+m/g, '').length : item.length;
      if (total > ctx.breakLength) return false;
    }
    return base === undefined || !base.includes('\n');
  };
  const layout = (out, shape, ctx, times, value) => {
    const { base, open, close, isList } = shape;
    const prefix = base === undefined ? '' : `${base} `;
    if (ctx.compact !== true) {
      let entries = out.length;
      if (isList && entries > 6 && typeof ctx.compact === 'number' && ctx.compact >= 1) out = columns(out, ctx, value);
      if (ctx.currentDepth - times < ctx.compact && entries === out.length) {
        const start = out.length + ctx.indentation + open.length + (base?.length ?? 0) + 10;
        if (fits(out, start, base, ctx)) {
          const text = out.join(', ');
          if (!text.includes('\n')) return `${prefix}${open} ${text} ${close}`;
        }
      }
      const indent = `\n${' '.repeat(ctx.indentation)}`;
      return `${prefix}${open}${indent}  ${out.join(`,${indent}  `)}${indent}${close}`;
    }
    if (fits(out, 0, base, ctx)) return `${open}${base ? ` ${base}` : ''} ${out.join(', ')} ${close}`;
    const indent = `\n${' '.repeat(ctx.indentation)}`;
    return `${base ? `${base} ` : ''}${open === '{' ? ' ' : `${open} `}${out.join(`,${indent}  `)} ${close}`;
  };

  const countOf = (value) => value.length ?? value.size;
  const rawText = (value, ctx, times) => {
    const shape = shapeOf(value, ctx, times);
    if (shape.keys.length === 0 && (shape.items === undefined || shape.counted && countOf(value) === 0)) return shape.base ?? `${shape.open}${shape.close}`;
    if (times > ctx.depth && ctx.depth !== null) {
      const name = constructorName(value, ctx);
      return ctx.stylize(Array.isArray(value) ? '[Array]' : `[${name === null ? '[Object: null prototype]'.slice(1, -1) : name}]`, 'special');
    }
    ctx.seen.push(value);
    ctx.currentDepth = times;
    let out;
    try {
      out = shape.items === undefined ? [] : shape.items();
      if (out.length === 0 && shape.keys.length === 0) return shape.base ?? `${shape.open}${shape.close}`;
      for (const key of shape.keys) out.push(memberText(value, key, ctx, times, shape.isList ? 'extra' : 'object'));
    } finally {
      ctx.seen.pop();
    }
    const reference = ctx.circular?.get(value);
    if (reference !== undefined) {
      const mark = ctx.stylize(`<ref *${reference}>`, 'special');
      if (ctx.compact !== true) shape.base = shape.base === undefined ? mark : `${mark} ${shape.base}`;
      else shape.open = `${mark} ${shape.open}`;
    }
    if (ctx.sorted) {
      const compare = ctx.sorted === true ? undefined : ctx.sorted;
      if (shape.isList) out = [...out.slice(0, out.length - shape.keys.length), ...out.slice(out.length - shape.keys.length).sort(compare)];
      else out.sort(compare);
    }
    return layout(out, shape, ctx, times, shape.isList ? value : undefined);
  };
  const valueText = (value, ctx, times, top = false) => {
    if (typeof value !== 'object' && typeof value !== 'function' || value === null) return primitiveText(value, ctx);
    if (ctx.customInspect) {
      const own = value[custom];
      if (typeof own === 'function' && own !== inspect && !(value.constructor?.prototype === value)) {
        const depth = ctx.depth === null ? null : ctx.depth - (top ? 0 : times + 1);
        const out = own.call(value, depth, { ...ctx.user, ...publicOptions(ctx), depth }, inspect);
        if (out !== value) return typeof out !== 'object' ? `${String(out)}` : valueText(out, ctx, times).replaceAll('\n', `\n${' '.repeat(ctx.indentation)}`);
      }
    }
    if (ctx.seen.includes(value)) {
      ctx.circular ??= new Map();
      if (!ctx.circular.has(value)) ctx.circular.set(value, ctx.circular.size + 1);
      return ctx.stylize(`[Circular *${ctx.circular.get(value)}]`, 'special');
    }
    const text = rawText(value, ctx, times + (top ? 0 : 1));
    return host.isProxy?.(value) ? `Proxy(${text})` : text;
  };
  const publicOptions = (ctx) => Object.fromEntries(Object.keys(defaults).map((key) => [key, ctx[key]]).concat([['stylize', ctx.stylize]]));

  function inspect(value, options = undefined, ...old) {
    const given = typeof options === 'boolean' ? { showHidden: options, depth: old[0], colors: old[1] } : options ?? {};
    const ctx = { ...inspect.defaultOptions, ...Object.fromEntries(Object.entries(given).filter(([key, v]) => v !== undefined || key === 'depth')), user: given, seen: [], indentation: 0, currentDepth: 0, circular: undefined };
    if (ctx.depth === undefined) ctx.depth = typeof options === 'boolean' ? 2 : Infinity;
    if (ctx.maxArrayLength === null) ctx.maxArrayLength = Infinity;
    if (ctx.maxStringLength === null) ctx.maxStringLength = Infinity;
    ctx.stylize = typeof given.stylize === 'function' ? given.stylize : ctx.colors ? colorStyle : plainStyle;
    return valueText(value, ctx, 0, true);
  }
  inspect.custom = custom;
  inspect.styles = styles;
  inspect.colors = colors;
  let defaultOptions = { ...defaults };
  Object.defineProperty(inspect, 'defaultOptions', {
    get: () => defaultOptions,
    set: (options) => { defaultOptions = { ...defaultOptions, ...options }; },
    configurable: true,
  });

  return { inspect, numberText, colors };
})
