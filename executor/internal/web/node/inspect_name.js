// What util.inspect calls a value: its constructor's name and tag, the heads of functions, classes and errors.
(function () {
  'use strict';
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
    let base = `[${kind}${name === null ? ' (null prototype)' : ''}${fn.name === '' ? ' (anonymous)' : `: ${String(fn.name)}`}]`;
    if (name !== kind && name !== null) base += ` ${name}`;
    if (tag !== '' && tag !== name && tag !== kind) base += ` [${tag}]`;
    return base;
  };
  // A stack says of what class an error is, where its first words do not.
  const named = (stack, error, name, tag) => {
    const known = name;
    if (known === null) {
      const first = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at)/.exec(stack) ?? /^([a-z_A-Z0-9-]*Error)$/.exec(stack);
      const fallback = first?.[1] ?? '';
      return prefixOf(null, tag, fallback || 'Error').slice(0, -1) + stack.slice(fallback.length);
    }
    const own = typeof error.name === 'string' ? error.name : String(error.name);
    if (own === 'Error' || !stack.includes(own)) {
      if (/^Error(?=[:\n]|$)/.test(stack) && known !== 'Error' && !known.includes('Error')) return stack.replace('Error', `${known} [Error]`);
      const first = /^([A-Z]\w*)(?=[:\n]|$)/.exec(stack);
      if (first !== null && first[1] !== known && known.endsWith('Error') && first[1] === 'Error') return known + stack.slice(first[1].length);
    }
    return stack;
  };
  const errorBase = (error, keys, ctx, name, tag) => {
    let stack = typeof error.stack === 'string' && error.stack !== '' ? error.stack : `[${Error.prototype.toString.call(error)}]`;
    const lines = stack.split('\n').filter((line) => !/^ {4}at .*codemode:/.test(line));
    stack = lines.join('\n');
    for (const hidden of ['name', 'message', 'stack']) {
      const at = keys.indexOf(hidden);
      if (at >= 0 && (typeof error[hidden] !== 'string' || stack.includes(error[hidden]))) keys.splice(at, 1);
    }
    if (Object.hasOwn(error, 'cause') && !keys.includes('cause')) keys.push('cause');
    if (Array.isArray(error.errors) && Object.hasOwn(error, 'errors') && !keys.includes('errors')) keys.push('errors');
    stack = named(stack, error, name, tag);
    if (!/\n {4}at /.test(stack) && !stack.startsWith('[')) stack = `[${stack}]`;
    return ctx.indentation > 0 ? stack.replaceAll('\n', `\n${' '.repeat(ctx.indentation)}`) : stack;
  };
  return { constructorName, prefixOf, functionBase, errorBase };
})
