// The module registry of one program, in the terms of the specification: link, then evaluate.
//
// records: name → {links, locals, stars, indirect, unnamed, async, body} or {error, at} for a text that
// does not parse. links = {requests: [[specifier, target, found]…], bindings: [[request, name, local]…]} where
// name "*" is the namespace; stars are the requests re-exported whole; indirect maps an exported name
// to [request, name]; unnamed is the local name of an anonymous default export. body makes a generator
// function: its first step hoists and announces the exports, its second evaluates.
// Returns (hooks, links) → Promise<{imports, dynamic, meta}> for the program itself.
(records) => {
  const { create, defineProperty, freeze, preventExtensions, hasOwn } = Object;
  const { apply } = Reflect;
  const ErrorClass = Error;
  const SyntaxErrorClass = SyntaxError;
  const TypeErrorClass = TypeError;
  const { next: nextOfGenerator } = (function* () {}).prototype.__proto__;
  const { next: nextOfAsyncGenerator } = (async function* () {}).prototype.__proto__;
  const split = Function.prototype.call.bind(String.prototype.split);
  const join = Function.prototype.call.bind(Array.prototype.join);
  const sort = Function.prototype.call.bind(Array.prototype.sort);
  const then = Function.prototype.call.bind(Promise.prototype.then);
  const bare = () => Object.setPrototypeOf([], null);
  const keysOf = Object.keys;
  let hooks;

  const normalise = (base, specifier) => {
    const out = bare();
    if (specifier[0] !== '/') for (let i = 0; i < base.length - 1; i++) out[out.length] = base[i];
    const parts = split(specifier, '/');
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i];
      if (part === '' || part === '.') continue;
      if (part !== '..') out[out.length] = part;
      else if (out.length === 0) return undefined;
      else out.length--;
    }
    return out.length === 0 ? '.' : join(out, '/');
  };
  const resolve = (from, specifier) => {
    const path = normalise(split(from, '/'), specifier);
    if (path === undefined) return [specifier, false];
    if (hasOwn(records, path)) return [path, true];
    if (specifier[0] !== '.') {
      const root = normalise([''], specifier);
      if (root !== undefined && hasOwn(records, root)) return [root, true];
    }
    if (hasOwn(records, specifier)) return [specifier, true];
    return [path, false];
  };

  // A module of the platform, as a record that is already evaluated.
  const builtins = { __proto__: null };
  const builtin = (specifier) => {
    if (builtins[specifier]) return builtins[specifier];
    const namespace = hooks?.builtin?.(specifier);
    if (namespace === undefined || typeof namespace === 'string') return namespace;
    return (builtins[specifier] = { name: specifier, state: 'evaluated', linked: true, namespace, builtin: true });
  };

  // A name that climbs out of the root has no full stop after it, in the reference and so here.
  const missing = (name, from) => new ErrorClass(`No such module "${name}"${name[0] === '.' && name[1] === '.' ? '' : '.'}` + (from === '' ? '' : `\n  imported from "${from}"`));

  const find = (specifier, target, found, from) => {
    const record = found ? records[target] : builtin(specifier);
    if (record === undefined || typeof record === 'string') throw missing(record ?? target, from);
    if (found) record.name = target;
    return record;
  };

  // Where an exported name comes from: [record, local name], '*' for a namespace, undefined when nowhere, null when ambiguous.
  const resolveExport = (record, name, seen) => {
    if (record.builtin) return name in record.namespace ? [record, name] : undefined;
    const key = `${record.name}\n${name}`;
    if (key in seen) return undefined;
    seen[key] = true;
    if (record.localSet[name]) return [record, name];
    const indirect = record.indirect[name];
    if (indirect) {
      const target = record.targets[indirect[0]];
      return indirect[1] === '*' ? [target, '*'] : resolveExport(target, indirect[1], seen);
    }
    if (name === 'default') return undefined;
    let result;
    for (let i = 0; i < record.stars.length; i++) {
      const other = resolveExport(record.targets[record.stars[i]], name, seen);
      if (other === null) return null;
      if (other === undefined) continue;
      if (result === undefined) result = other;
      else if (result[0] !== other[0] || result[1] !== other[1]) return null;
    }
    return result;
  };

  // The names of a module, stars included.
  const namesOf = (record, out, seen, star) => {
    if (record.builtin) {
      const keys = keysOf(record.namespace);
      for (let i = 0; i < keys.length; i++) if (!star || keys[i] !== 'default') out[keys[i]] = true;
      return out;
    }
    if (seen[record.name]) return out;
    seen[record.name] = true;
    for (const name in record.localSet) if (!star || name !== 'default') out[name] = true;
    for (const name in record.indirect) if (!star || name !== 'default') out[name] = true;
    for (let i = 0; i < record.stars.length; i++) namesOf(record.targets[record.stars[i]], out, seen, true);
    return out;
  };

  const getterOf = (found) => {
    const record = found[0];
    const name = found[1];
    if (name === '*') return () => namespaceOf(record);
    if (record.builtin) return () => record.namespace[name];
    return () => record.getters[name]();
  };

  const namespaceOf = (record) => {
    if (record.namespace) return record.namespace;
    const namespace = (record.namespace = create(null));
    const names = namesOf(record, { __proto__: null }, { __proto__: null }, false);
    const sorted = bare();
    for (const name in names) sorted[sorted.length] = name;
    sort(sorted);
    for (let i = 0; i < sorted.length; i++) {
      const name = sorted[i];
      const found = resolveExport(record, name, { __proto__: null });
      if (!found) continue;
      const fail = () => { throw new TypeErrorClass(`Cannot assign to property '${name}' of [object Module]`); };
      defineProperty(namespace, name, { __proto__: null, get: getterOf(found), set: fail, enumerable: true, configurable: false });
    }
    defineProperty(namespace, Symbol.toStringTag, { __proto__: null, value: 'Module', writable: false, enumerable: false, configurable: false });
    return preventExtensions(namespace);
  };

  const targetsOf = (links, from, order) => {
    const targets = bare();
    for (let i = 0; i < links.requests.length; i++) {
      const request = links.requests[i];
      const target = find(request[0], request[1], request[2], from);
      link(target, order);
      targets[i] = target;
    }
    return targets;
  };

  // Reads of an imported name go through an object of getters: bindings are live and keep their TDZ.
  const importsOf = (links, targets) => {
    const imports = create(null);
    const fail = () => { throw new TypeErrorClass('Assignment to constant variable.'); };
    for (let i = 0; i < links.bindings.length; i++) {
      const request = links.bindings[i][0];
      const name = links.bindings[i][1];
      const target = targets[request];
      const found = name === '*' ? [target, '*'] : resolveExport(target, name, { __proto__: null });
      if (found === null) {
        throw new SyntaxErrorClass(`The requested module '${links.requests[request][0]}' contains conflicting star exports for name '${name}'`);
      }
      if (found === undefined) {
        throw new SyntaxErrorClass(`The requested module '${links.requests[request][0]}' does not provide an export named '${name}'`);
      }
      defineProperty(imports, links.bindings[i][2], { __proto__: null, get: getterOf(found), set: fail, enumerable: true, configurable: false });
    }
    return freeze(imports);
  };

  // Loads and checks a module with all it imports; order collects what is new. A failure undoes it, so that the next import fails alike.
  const link = (record, order) => {
    if (record.error !== undefined) {
      const error = new SyntaxErrorClass(record.error);
      defineProperty(error, 'stack', { __proto__: null, value: `SyntaxError: ${record.error}\n    at ${record.at}`, writable: true, enumerable: false, configurable: true });
      throw error;
    }
    if (record.linked) return;
    record.linked = true;
    order[order.length] = record;
    record.localSet = { __proto__: null };
    for (let i = 0; i < record.locals.length; i++) record.localSet[record.locals[i]] = true;
    record.targets = targetsOf(record.links, record.name, order);
  };

  const linkGraph = (start) => {
    const order = bare();
    try {
      const out = start(order);
      for (let i = 0; i < order.length; i++) order[i].imports = importsOf(order[i].links, order[i].targets);
      for (let i = 0; i < order.length; i++) {
        const record = order[i];
        for (const name in record.indirect) {
          const request = record.indirect[name][0];
          const original = record.indirect[name][1];
          if (original !== '*' && !resolveExport(record.targets[request], original, { __proto__: null })) {
            throw new SyntaxErrorClass(`The requested module '${record.links.requests[request][0]}' does not provide an export named '${original}'`);
          }
        }
      }
      for (let i = 0; i < order.length; i++) instantiate(order[i]);
      return out;
    } catch (error) {
      for (let i = 0; i < order.length; i++) order[i].linked = false;
      throw error;
    }
  };

  const step = (record) => apply(record.async ? nextOfAsyncGenerator : nextOfGenerator, record.generator, []);

  const instantiate = (record) => {
    record.getters = { __proto__: null };
    const announce = (getters) => {
      for (const name in getters) if (hasOwn(getters, name)) record.getters[name] = getters[name];
    };
    record.generator = record.body(record.imports, (specifier) => dynamic(record.name, specifier), {}, announce)();
    const first = step(record);
    if (record.async) then(first, undefined, () => {});
    rename(record);
    record.state = 'linked';
  };

  // An anonymous default export is called "default"; its declaration had to be given another name.
  const rename = (record) => {
    if (record.unnamed === '') return;
    let value;
    try { value = record.getters.default(); } catch { return; }
    if (typeof value !== 'function' || !hasOwn(value, 'name') || value.name !== record.unnamed) return;
    defineProperty(value, 'name', { __proto__: null, value: 'default', writable: false, enumerable: false, configurable: true });
  };

  // Evaluates a module after what it imports; returns undefined when that is done, or a promise.
  const evaluate = (record) => {
    if (record.state !== 'linked') {
      if (record.state === 'failed') throw record.failure;
      return record.pending;
    }
    record.state = 'evaluating';
    try {
      const waits = evaluateAll(record.targets);
      if (waits.length === 0 && !record.async) {
        step(record);
        rename(record);
        record.state = 'evaluated';
        return undefined;
      }
      record.pending = evaluateLater(record, waits);
      then(record.pending, undefined, () => {});
      return record.pending;
    } catch (error) {
      record.state = 'failed';
      record.failure = error;
      throw error;
    }
  };

  const evaluateLater = async (record, waits) => {
    try {
      for (let i = 0; i < waits.length; i++) await waits[i];
      await step(record);
      rename(record);
      record.state = 'evaluated';
      record.pending = undefined;
    } catch (error) {
      record.state = 'failed';
      record.failure = error;
      throw error;
    }
  };

  const evaluateAll = (targets) => {
    const waits = bare();
    for (let i = 0; i < targets.length; i++) {
      const wait = evaluate(targets[i]);
      if (wait) waits[waits.length] = wait;
    }
    return waits;
  };

  const dynamic = async (from, specifier) => {
    specifier = `${specifier}`;
    const resolved = resolve(from, specifier);
    const record = linkGraph((order) => {
      const record = find(specifier, resolved[0], resolved[1], '');
      link(record, order);
      return record;
    });
    await evaluate(record);
    return namespaceOf(record);
  };

  return async (givenHooks, links) => {
    hooks = givenHooks;
    const unit = linkGraph((order) => {
      const targets = targetsOf(links, '', order);
      return { targets, imports: undefined };
    });
    unit.imports = importsOf(links, unit.targets);
    const waits = evaluateAll(unit.targets);
    for (let i = 0; i < waits.length; i++) await waits[i];
    return { imports: unit.imports, dynamic: (specifier) => dynamic('', specifier), meta: {} };
  };
}
