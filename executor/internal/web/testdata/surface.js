// Describes a constructor the way the recorded surface does.
(f) => {
  const flags = (d) => (d.writable === undefined ? '' : d.writable ? 'w' : '-') + (d.enumerable ? 'e' : '-') + (d.configurable ? 'c' : '-');
  const member = (object, key) => {
    const d = Object.getOwnPropertyDescriptor(object, key);
    if (d.get || d.set) return { flags: flags(d), kind: 'accessor', get: !!d.get, set: !!d.set };
    const out = { flags: flags(d), kind: typeof d.value };
    if (typeof d.value === 'function') out.length = d.value.length;
    return out;
  };
  const members = (object, skip = []) => {
    const out = {};
    for (const key of Reflect.ownKeys(object)) if (!skip.includes(key)) out[typeof key === 'symbol' ? key.toString() : key] = member(object, key);
    return out;
  };
  const attempt = (run) => {
    try {
      run();
      return 'ok';
    } catch (e) {
      return e.name + ': ' + e.message.slice(0, 160);
    }
  };
  const parent = Object.getPrototypeOf(f.prototype);
  return {
    length: f.length,
    statics: members(f, ['length', 'name', 'prototype']),
    prototype: members(f.prototype),
    tag: Object.getOwnPropertyDescriptor(f.prototype, Symbol.toStringTag)?.value,
    protoExtends: parent && parent !== Object.prototype && parent.constructor ? parent.constructor.name : undefined,
    newNoArgs: attempt(() => new f()),
    callNoArgs: attempt(() => f()),
  };
}
