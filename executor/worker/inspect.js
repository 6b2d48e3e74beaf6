// Readable text for the console's "inspect" format, near to what Node prints, bounded in depth, breadth and length.
//
//   format(args)            one console call: a format string with its specifiers, or values side by side
//   table(data, columns)    what console.table draws
//   indent(text, prefix)    text with every line indented
//
// Getters are shown, not called. A value that resists (a revoked proxy, a trap that throws) is shown as such.
(function (host) {
  'use strict';
  const p = host.primordials;
  const DEPTH = 5;
  const ITEMS = 100;
  const WIDTH = 76;
  const BUDGET = 40_000;
  const STRING = 10_000;

  const { join, slice, includes, replaceAll, padEnd, repeat, split, startsWith } = {
    __proto__: null,
    join: p.ArrayPrototypeJoin,
    slice: p.StringPrototypeSlice,
    includes: p.StringPrototypeIncludes,
    replaceAll: p.uncurryThis(p.String.prototype.replaceAll),
    padEnd: p.StringPrototypePadEnd,
    repeat: p.StringPrototypeRepeat,
    split: p.uncurryThis(p.String.prototype.split),
    startsWith: p.StringPrototypeStartsWith,
  };
  const add = (list, value) => { list[list.length] = value; };
  const indent = (text, prefix) => prefix + replaceAll(text, '\n', `\n${prefix}`);
  const attempt = (fn) => {
    try {
      return fn();
    } catch {
      return undefined;
    }
  };
  // Runs a brand-checking getter or method; undefined when value is not of the brand.
  const brand = (fn, value) => attempt(() => fn(value));

  const shortKey = /^[A-Za-z_$][\w$]*$/;
  const quote = (text) => {
    const mark = !includes(text, "'") ? "'" : !includes(text, '"') ? '"' : !includes(text, '`') ? '`' : "'";
    const json = p.JSONStringify(text);
    let inner = replaceAll(slice(json, 1, json.length - 1), '\\"', '"');
    if (mark === "'") inner = replaceAll(inner, "'", "\\'");
    return mark + inner + mark;
  };
  const showKey = (key) => {
    if (typeof key === 'symbol') return `[${p.SymbolPrototypeToString(key)}]`;
    return p.RegExpPrototypeExec(shortKey, key) === null ? quote(key) : key;
  };
  const showString = (text) => {
    if (text.length <= STRING) return quote(text);
    return `${quote(slice(text, 0, STRING))}... ${text.length - STRING} more characters`;
  };
  const showNumber = (n) => (p.ObjectIs(n, -0) ? '-0' : `${n}`);
  const showPrimitive = (value) => {
    switch (typeof value) {
      case 'string': return showString(value);
      case 'number': return showNumber(value);
      case 'bigint': return `${value}n`;
      case 'symbol': return p.SymbolPrototypeToString(value);
      default: return `${value}`;
    }
  };

  // The name of the constructor that a value comes from; null for an object without any.
  const constructorName = (value) => {
    for (let object = value; object !== null; object = p.ObjectGetPrototypeOf(object)) {
      const own = p.ObjectGetOwnPropertyDescriptor(object, 'constructor');
      if (typeof own?.value === 'function') {
        const name = p.ObjectGetOwnPropertyDescriptor(own.value, 'name')?.value;
        if (typeof name === 'string' && name !== '') return name;
      }
    }
    return null;
  };
  const tagOf = (value, name) => {
    const tag = attempt(() => value[p.SymbolToStringTag]);
    return typeof tag === 'string' && tag !== '' && tag !== name ? ` [${tag}]` : '';
  };
  const prefixOf = (value, fallback, size) => {
    const name = constructorName(value);
    const count = size === undefined ? '' : `(${size})`;
    if (name === null) return `[${fallback}${count}: null prototype]${tagOf(value, fallback)}`;
    return `${name}${count}${tagOf(value, name)}`;
  };

  const functionText = p.uncurryThis(p.Function.prototype.toString);
  const showFunction = (fn) => {
    const name = attempt(() => fn.name);
    const named = typeof name === 'string' && name !== '';
    if (startsWith(functionText(fn), 'class')) {
      const parent = p.ObjectGetPrototypeOf(fn);
      const from = typeof parent === 'function' && attempt(() => parent.name);
      return `[class ${named ? name : '(anonymous)'}${from ? ` extends ${from}` : ''}]`;
    }
    const kind = constructorName(fn) ?? 'Function';
    return named ? `[${kind}: ${name}]` : `[${kind} (anonymous)]`;
  };

  // The stack of an error without the lines of this worker's own scripts.
  const showError = (error) => {
    const stack = attempt(() => error.stack);
    if (typeof stack !== 'string' || stack === '') return `[${attempt(() => p.ErrorPrototypeToString(error)) ?? 'Error'}]`;
    const kept = p.list();
    const lines = split(stack, '\n');
    for (let i = 0; i < lines.length; i++) {
      if (!startsWith(lines[i], '    at ') || !includes(lines[i], 'codemode:')) add(kept, lines[i]);
    }
    return join(kept, '\n');
  };

  const isIndex = (key, length) => {
    const n = +key;
    return n >= 0 && n < length && `${n}` === key;
  };
  const member = (object, key, context) => {
    const own = p.ObjectGetOwnPropertyDescriptor(object, key);
    if (own === undefined) return 'undefined';
    if (own.get !== undefined) return own.set !== undefined ? '[Getter/Setter]' : '[Getter]';
    if (own.set !== undefined) return '[Setter]';
    return show(own.value, context);
  };
  // Appends the enumerable own members. Of an array, whose items are shown already, only what comes after its indices.
  const addMembers = (object, out, context, length = -1) => {
    const keys = p.ReflectOwnKeys(object);
    let first = 0;
    if (length >= 0) {
      first = keys.length;
      while (first > 0 && !(typeof keys[first - 1] === 'string' && isIndex(keys[first - 1], length))) first--;
    }
    let count = 0;
    for (let i = first; i < keys.length; i++) {
      const key = keys[i];
      if (!p.ObjectPrototypePropertyIsEnumerable(object, key)) continue;
      if (++count > ITEMS || context.room <= 0) {
        add(out, '...');
        return;
      }
      add(out, `${showKey(key)}: ${member(object, key, context)}`);
    }
  };
  const more = (out, rest) => {
    if (rest > 0) add(out, `... ${rest} more item${rest > 1 ? 's' : ''}`);
  };
  const addItems = (array, length, out, context) => {
    let i = 0;
    let looked = 0;
    while (i < length && out.length < ITEMS && looked < 10 * ITEMS && context.room > 0) {
      const start = i;
      while (i < length && looked < 10 * ITEMS && !p.ObjectHasOwn(array, i)) {
        i++;
        looked++;
      }
      if (i > start) add(out, `<${i - start} empty item${i - start > 1 ? 's' : ''}>`);
      else add(out, member(array, i++, context));
    }
    more(out, length - i);
  };
  const addCollection = (forEach, collection, size, isMap, out, context) => {
    forEach(collection, (value, key) => {
      if (out.length >= ITEMS || context.room <= 0) return;
      add(out, isMap ? `${show(key, context)} => ${show(value, context)}` : show(value, context));
    });
    more(out, size - out.length);
  };

  const brackets = (prefix, open, out, close) => {
    const head = prefix === '' ? open : `${prefix} ${open}`;
    if (out.length === 0) return head + close;
    let width = head.length;
    let broken = false;
    for (let i = 0; i < out.length; i++) {
      width += out[i].length + 2;
      broken ||= includes(out[i], '\n');
    }
    if (!broken && width <= WIDTH) return `${head} ${join(out, ', ')} ${close}`;
    return `${head}\n${indent(join(out, ',\n'), '  ')}\n${close}`;
  };
  // Items of a long list of short ones go side by side.
  const wrap = (out) => {
    if (out.length <= 6) return out;
    const lines = p.list();
    let line = '';
    for (let i = 0; i < out.length; i++) {
      if (out[i].length > 16 || includes(out[i], '\n')) return out;
      if (line !== '' && line.length + out[i].length + 2 > WIDTH) {
        add(lines, line);
        line = '';
      }
      line += line === '' ? out[i] : `, ${out[i]}`;
    }
    add(lines, line);
    return lines;
  };

  const showObject = (value, context) => {
    const out = p.list();
    if (p.ArrayIsArray(value)) {
      const name = constructorName(value);
      addItems(value, value.length, out, context);
      const items = wrap(out);
      addMembers(value, items, context, value.length);
      return brackets(name === 'Array' ? '' : prefixOf(value, 'Array', value.length), '[', items, ']');
    }
    if (p.ArrayBufferIsView(value)) {
      const type = p.TypedArrayPrototypeGetTag(value);
      if (type === undefined) return `DataView { byteLength: ${p.DataViewPrototypeGetByteLength(value)} }`;
      const length = p.TypedArrayPrototypeGetLength(value);
      for (let i = 0; i < length && i < ITEMS; i++) add(out, showPrimitive(value[i]));
      more(out, length - ITEMS);
      return brackets(`${constructorName(value) ?? type}(${length})`, '[', wrap(out), ']');
    }
    if (p.Error.isError(value)) {
      const text = showError(value);
      addMembers(value, out, context);
      if (p.ObjectHasOwn(value, 'cause')) add(out, `[cause]: ${member(value, 'cause', context)}`);
      if (p.ObjectHasOwn(value, 'errors')) add(out, `[errors]: ${member(value, 'errors', context)}`);
      return out.length === 0 ? text : brackets(text, '{', out, '}');
    }
    const size = brand(p.MapPrototypeGetSize, value);
    if (size !== undefined) {
      addCollection(p.MapPrototypeForEach, value, size, true, out, context);
      return brackets(prefixOf(value, 'Map', size), '{', out, '}');
    }
    return showRest(value, out, context);
  };

  const showRest = (value, out, context) => {
    const size = brand(p.SetPrototypeGetSize, value);
    if (size !== undefined) {
      addCollection(p.SetPrototypeForEach, value, size, false, out, context);
      return brackets(prefixOf(value, 'Set', size), '{', out, '}');
    }
    const time = brand(p.DatePrototypeGetTime, value);
    if (time !== undefined) return time !== time ? 'Invalid Date' : p.DatePrototypeToISOString(value);
    if (brand(p.RegExpPrototypeGetSource, value) !== undefined && value !== p.RegExp.prototype) return p.RegExpPrototypeToString(value);
    const bytes = brand(p.ArrayBufferPrototypeGetByteLength, value);
    if (bytes !== undefined) return `ArrayBuffer { byteLength: ${bytes} }`;
    const boxed = boxedOf(value);
    if (boxed !== undefined) return boxed;
    const iterator = showIterator(value, out, context);
    if (iterator !== undefined) return iterator;
    addMembers(value, out, context);
    const name = constructorName(value);
    const plain = name === 'Object' && tagOf(value, name) === '';
    return brackets(plain ? '' : prefixOf(value, 'Object'), '{', out, '}');
  };
  // What an iterator of a Map or Set has still to give; undefined for anything else.
  const showIterator = (value, out, context) => {
    const tag = value[p.SymbolToStringTag];
    if (tag !== 'Map Iterator' && tag !== 'Set Iterator') return undefined;
    const preview = host.previewOf(value);
    if (preview === undefined) return undefined;
    const { entries, pairs } = preview;
    const step = pairs ? 2 : 1;
    const count = entries.length / step;
    for (let i = 0; i < count && i < ITEMS && context.room > 0; i++) {
      add(out, pairs ? `[ ${show(entries[2 * i], context)}, ${show(entries[2 * i + 1], context)} ]` : show(entries[i], context));
    }
    more(out, count - out.length);
    return brackets(pairs ? `[${p.StringPrototypeSlice(tag, 0, 3)} Entries]` : `[${tag}]`, '{', out, '}');
  };
  const boxedOf = (value) => {
    const kinds = ['Number', 'String', 'Boolean', 'BigInt', 'Symbol'];
    for (let i = 0; i < kinds.length; i++) {
      const inner = brand(p[`${kinds[i]}PrototypeValueOf`], value);
      if (inner !== undefined) return `[${kinds[i]}: ${showPrimitive(inner)}]`;
    }
    return undefined;
  };

  const show = (value, context) => {
    if (typeof value === 'function') return spend(showFunction(value), context);
    if (typeof value !== 'object' || value === null) return spend(showPrimitive(value), context);
    if (context.seen.has(value)) return '[Circular]';
    if (context.depth >= DEPTH) return spend(p.ArrayIsArray(value) ? '[Array]' : `[${attempt(() => constructorName(value)) ?? 'Object'}]`, context);
    context.seen.add(value);
    context.depth++;
    const text = attempt(() => showObject(value, context)) ?? '[an object that cannot be inspected]';
    context.depth--;
    context.seen.delete(value);
    return text;
  };
  const spend = (text, context) => {
    context.room -= text.length + 2;
    return text;
  };
  const inspect = (value) => show(value, { __proto__: null, seen: new p.SafeSet(), depth: 0, room: BUDGET });

  const asText = (value) => (typeof value === 'string' ? value : inspect(value));
  const asNumber = (value, parse) => {
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'symbol' || typeof value === 'object') return 'NaN';
    return showNumber(parse(value));
  };
  const asJSON = (value) => {
    try {
      return p.JSONStringify(value);
    } catch {
      return '[Circular]';
    }
  };
  const specifiers = {
    __proto__: null,
    s: (value) => {
      if (typeof value === 'bigint') return `${value}n`;
      if (typeof value === 'object' && value !== null) return inspect(value);
      return typeof value === 'number' ? showNumber(value) : p.String(value);
    },
    d: (value) => asNumber(value, p.Number),
    i: (value) => asNumber(value, p.parseInt),
    f: (value) => asNumber(value, p.parseFloat),
    j: asJSON,
    o: inspect,
    O: inspect,
    c: () => '',
  };
  const expand = (template, args) => {
    let out = '';
    let used = 1;
    let from = 0;
    for (let at = p.StringPrototypeIndexOf(template, '%'); at >= 0; at = p.StringPrototypeIndexOf(template, '%', from)) {
      out += slice(template, from, at);
      const letter = template[at + 1];
      from = at + 2;
      if (letter === '%') out += '%';
      else if (specifiers[letter] !== undefined && used < args.length) out += specifiers[letter](args[used++]);
      else {
        out += '%';
        from = at + 1;
      }
    }
    return { text: out + slice(template, from), used };
  };
  const format = (args) => {
    let text = '';
    let used = 0;
    if (args.length > 1 && typeof args[0] === 'string' && includes(args[0], '%')) ({ text, used } = expand(args[0], args));
    for (let i = used; i < args.length; i++) text += i === 0 ? asText(args[i]) : ` ${asText(args[i])}`;
    return text;
  };

  const isObject = (value) => typeof value === 'object' && value !== null;
  const table = (data, only) => {
    if (!isObject(data)) return asText(data);
    const columns = p.list();
    const position = new p.SafeMap();
    const column = (name) => {
      if (!position.has(name)) {
        position.set(name, columns.length);
        add(columns, name);
      }
      return position.get(name);
    };
    column('(index)');
    if (p.ArrayIsArray(only)) for (let i = 0; i < only.length; i++) column(p.String(only[i]));
    const rows = p.list();
    const keys = p.ObjectKeys(data);
    let values = false;
    for (let r = 0; r < keys.length && r < ITEMS; r++) {
      const row = p.list();
      row[0] = keys[r];
      const value = data[keys[r]];
      if (isObject(value)) {
        const names = p.ObjectKeys(value);
        for (let i = 0; i < names.length && columns.length < ITEMS; i++) {
          if (p.ArrayIsArray(only) && !position.has(names[i])) continue;
          row[column(names[i])] = inspect(value[names[i]]);
        }
      } else {
        values = true;
        row.value = inspect(value);
      }
      add(rows, row);
    }
    if (values) {
      const at = columns.length;
      add(columns, 'Values');
      for (let r = 0; r < rows.length; r++) rows[r][at] = rows[r].value;
    }
    return draw(columns, rows);
  };
  const draw = (columns, rows) => {
    const widths = p.list();
    for (let c = 0; c < columns.length; c++) {
      widths[c] = columns[c].length;
      for (let r = 0; r < rows.length; r++) {
        const cell = rows[r][c] ?? '';
        if (cell.length > widths[c]) widths[c] = cell.length;
      }
    }
    const rule = (left, middle, right) => {
      const parts = p.list();
      for (let c = 0; c < widths.length; c++) add(parts, repeat('─', widths[c] + 2));
      return left + join(parts, middle) + right;
    };
    const line = (cells) => {
      const parts = p.list();
      for (let c = 0; c < widths.length; c++) add(parts, ` ${padEnd(cells[c] ?? '', widths[c])} `);
      return `│${join(parts, '│')}│`;
    };
    const out = p.list();
    add(out, rule('┌', '┬', '┐'));
    add(out, line(columns));
    add(out, rule('├', '┼', '┤'));
    for (let r = 0; r < rows.length; r++) add(out, line(rows[r]));
    add(out, rule('└', '┴', '┘'));
    return join(out, '\n');
  };
  return { __proto__: null, format, table, indent };
})
