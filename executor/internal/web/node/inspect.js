// util.inspect: values as text, as Node writes them.
(function (host) {
  'use strict';
  const custom = Symbol.for('nodejs.util.inspect.custom');
  const defaults = {
    showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100, maxStringLength: 10000, breakLength: 80,
    compact: 3, sorted: false, getters: false, numericSeparator: false,
  };
  const { styles, colors } = host.load('node/colors');
  const { plainStyle, colorStyle, numberText, primitiveText } = host.load('node/inspect_primitive');
  const { memberText } = host.load('node/inspect_members');
  const { constructorName } = host.load('node/inspect_name');
  const { shapeOf } = host.load('node/inspect_shape');
  const { layout } = host.load('node/inspect_layout');

  const kindOf = (value) => (Array.isArray(value) ? 'Array' : constructorName(value) ?? 'Object: null prototype');
  const isOverflow = (error) => error instanceof RangeError && error.message === 'Maximum call stack size exceeded';
  const countOf = (value) => value.length ?? value.size;
  const rawText = (value, ctx, times) => {
    const shape = shapeOf(value, ctx, times);
    if (shape.keys.length === 0 && (shape.items === undefined || shape.counted && countOf(value) === 0)) return shape.base ?? `${shape.open}${shape.close}`;
    if (times > ctx.depth && ctx.depth !== null) return ctx.stylize(`[${kindOf(value)}]`, 'special');
    ctx.seen.push(value);
    ctx.currentDepth = times;
    let out;
    try {
      out = shape.items === undefined ? [] : shape.items();
      if (out.length === 0 && shape.keys.length === 0 && !shape.always) return shape.base ?? `${shape.open}${shape.close}`;
      for (const key of shape.keys) out.push(memberText(value, key, ctx, times, shape.isList ? 'extra' : 'object'));
    } catch (error) {
      if (!isOverflow(error)) throw error;
      return ctx.stylize(`[${kindOf(value)}: Inspection interrupted prematurely. Maximum call stack size exceeded.]`, 'special');
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
    if (host.isProxy?.(value)) return proxyText(value, ctx, times, top);
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
    return rawText(value, ctx, times + (top ? 0 : 1));
  };
  // A proxy's target is shown without asking its traps.
  const proxyText = (value, ctx, times, top) => {
    const { target, handler } = host.proxyParts(value);
    if (target === undefined) return `Proxy(${rawText(value, ctx, times + (top ? 0 : 1))})`;
    if (target === null) return ctx.stylize('<Revoked Proxy>', 'special');
    if (!ctx.showProxy) return `Proxy(${valueText(target, ctx, times, top)})`;
    const depth = times + (top ? 0 : 1);
    if (depth > ctx.depth && ctx.depth !== null) return ctx.stylize('Proxy [Array]', 'special');
    ctx.indentation += 2;
    const out = [target, handler].map((part) => valueText(part, ctx, depth));
    ctx.indentation -= 2;
    ctx.currentDepth = depth;
    return layout(out, { open: 'Proxy [', close: ']', isList: true }, ctx, depth);
  };
  const publicOptions = (ctx) => Object.fromEntries(Object.keys(defaults).map((key) => [key, ctx[key]]).concat([['stylize', ctx.stylize]]));

  function inspect(value, options = undefined, ...old) {
    const given = typeof options === 'boolean' ? { showHidden: options, depth: old[0], colors: old[1] } : options ?? {};
    const ctx = { ...inspect.defaultOptions, ...Object.fromEntries(Object.entries(given).filter(([key, v]) => v !== undefined || key === 'depth')), user: given, seen: [], indentation: 0, currentDepth: 0, circular: undefined };
    if (ctx.depth === undefined) ctx.depth = typeof options === 'boolean' ? 2 : Infinity;
    if (ctx.maxArrayLength === null) ctx.maxArrayLength = Infinity;
    if (ctx.maxStringLength === null) ctx.maxStringLength = Infinity;
    ctx.show = (inner, times) => valueText(inner, ctx, times);
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
