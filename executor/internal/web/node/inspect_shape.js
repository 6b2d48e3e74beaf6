// How objects of each kind are written by util.inspect. ctx.show(value, times) writes a value.
(function (host) {
  'use strict';
  const { plainStyle, primitiveText } = host.load('node/inspect_primitive');
  const { arrayItems, viewItems, entryItems, keysOf } = host.load('node/inspect_members');
  const { constructorName, prefixOf, functionBase, errorBase } = host.load('node/inspect_name');
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

  // shape is {base, open, close, items, keys, isList}: how an object of its kind is written.
  const shapeOf = (value, ctx, times) => {
    const name = constructorName(value, ctx);
    let tag = '';
    try {
      tag = value[Symbol.toStringTag];
    } catch { /* a getter's own business */ }
    if (typeof tag !== 'string' || tag === name || (ctx.showHidden ? Object.hasOwn : (object, key) => Object.prototype.propertyIsEnumerable.call(object, key))(value, Symbol.toStringTag)) tag = '';
    const list = (prefix, items) => ({ open: `${prefix}[`, close: ']', items, keys: keysOf(value, ctx, true), isList: true, counted: true });
    const object = (prefix, items) => ({ open: `${prefix}{`, close: '}', items, keys: keysOf(value, ctx, false) });
    const collection = (prefix, items) => ({ ...object(prefix, items), counted: true });
    if (Array.isArray(value)) return list(name !== 'Array' || tag !== '' ? prefixOf(name, tag, 'Array', `(${value.length})`) : '', () => arrayItems(value, ctx, times));
    const view = ArrayBuffer.isView(value) ? tagOfView.call(value) : undefined;
    if (view !== undefined) return list(prefixOf(name, tag === view ? '' : tag, view, `(${value.length})`), () => viewItems(value, ctx));
    if (isSet(value)) {
      const size = getter(Set.prototype, 'size').call(value);
      return collection(prefixOf(name, tag, 'Set', `(${size})`), () => entryItems(Set.prototype.values.call(value), size, ctx, times, (v) => ctx.show(v, times)));
    }
    if (isMap(value)) {
      const size = getter(Map.prototype, 'size').call(value);
      return collection(prefixOf(name, tag, 'Map', `(${size})`), () => entryItems(Map.prototype.entries.call(value), size, ctx, times,
        ([k, v]) => `${ctx.show(k, times)} => ${ctx.show(v, times)}`));
    }
    if (iteratorTag(value) !== undefined) return iteratorShape(value, ctx, times, tag);
    const base = (text) => ({ ...object(name === 'Object' || name === null ? '' : ''), base: text });
    if (typeof value === 'function') return base(ctx.stylize(functionBase(value, name, tag), 'special'));
    if (tag === '' && Object.prototype.toString.call(value) === '[object Arguments]') return object('[Arguments] ');
    if (isRegExp(value)) return base(ctx.stylize((name === 'RegExp' ? '' : prefixOf(name, tag, 'RegExp')) + RegExp.prototype.toString.call(value), 'regexp'));
    if (isDate(value)) {
      const text = Number.isNaN(Date.prototype.getTime.call(value)) ? 'Invalid Date' : Date.prototype.toISOString.call(value);
      return base(ctx.stylize((name === 'Date' ? '' : prefixOf(name, tag, 'Date')) + text, 'date'));
    }
    if (Error.isError?.(value) || value instanceof Error) {
      const shape = object('');
      return { ...shape, base: errorBase(value, shape.keys, ctx, name, tag) };
    }
    return restShape(value, ctx, times, name, tag, object);
  };
  // Iterators of Map and Set show what they have not given yet. Only the engine can tell it without taking it.
  const iteratorShape = (value, ctx, times, tag) => {
    const preview = host.previewOf?.(value);
    const shape = { open: `[${tag}] {`, close: '}', keys: keysOf(value, ctx, false) };
    if (preview === undefined) return shape;
    const { entries, pairs } = preview;
    if (!pairs) return { ...shape, items: () => entryItems(entries, entries.length, ctx, times, (item) => ctx.show(item, times)), always: true };
    const count = entries.length / 2;
    const pairAt = (i) => `[ ${ctx.show(entries[2 * i], times)}, ${ctx.show(entries[2 * i + 1], times)} ]`;
    return { ...shape, open: `[${tag.replace(/ Iterator$/, ' Entries')}] {`, items: () => entryItems(Array(count).keys(), count, ctx, times, pairAt), always: true };
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
        const text = `${key}: ${ctx.show(value[key], times)}`;
        ctx.indentation -= 2;
        return text;
      }));
    }
    if (isPromise(value)) return object(prefixOf(name, tag, 'Promise'), () => promiseItems(value, ctx, times));
    if (isWeakSet(value)) return weakShape(value, ctx, times, object(prefixOf(name, tag, 'WeakSet')));
    if (isWeakMap(value)) return weakShape(value, ctx, times, object(prefixOf(name, tag, 'WeakMap')));
    if (isWeakRef(value)) return object(prefixOf(name, tag, 'WeakRef'), () => [ctx.show(WeakRef.prototype.deref.call(value), times)]);
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
  const weakShape = (value, ctx, times, shape) => {
    const preview = ctx.showHidden ? host.previewOf?.(value) : undefined;
    if (preview === undefined) return { ...shape, items: () => [ctx.stylize('<items unknown>', 'special')] };
    const { entries, pairs } = preview;
    const step = pairs ? 2 : 1;
    const textAt = (i) => ctx.show(entries[step * i], times) + (pairs ? ` => ${ctx.show(entries[2 * i + 1], times)}` : '');
    const count = entries.length / step;
    return { ...shape, items: () => entryItems(Array(count).keys(), count, ctx, times, textAt), always: true };
  };
  const promiseItems = (value, ctx, times) => {
    const found = host.promiseOf?.(value);
    if (found === undefined) return [];
    if (found.state === 0) return [ctx.stylize('<pending>', 'special')];
    ctx.indentation += 2;
    const text = ctx.show(found.result, times);
    ctx.indentation -= 2;
    return [found.state === 2 ? `${ctx.stylize('<rejected>', 'special')} ${text}` : text];
  };
  const platformShape = (value, ctx, times, name, platform, object) => {
    const nested = (label, inner) => {
      ctx.indentation += 2;
      const text = `${label}${ctx.show(inner, times)}`;
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
  return { shapeOf };
})
