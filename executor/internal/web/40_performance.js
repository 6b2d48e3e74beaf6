// performance: the monotonic clock and user timing. Uses host.now and host.timeOrigin.
// Globals: performance
(function (host) {
  'use strict';
  const P = host.primordials;
  const { list, push, toArray } = P;
  const { expose, illegal, missing, string, isObject } = host.load('idl');

  let entries = list();
  const entry = (name, entryType, startTime, duration, detail) => {
    const made = { name, entryType, startTime, duration, detail: detail === undefined ? null : detail };
    push(entries, made);
    return made;
  };
  const select = (wanted) => {
    const out = list();
    for (let i = 0; i < entries.length; i++) if (wanted(entries[i])) push(out, entries[i]);
    return out;
  };
  // The time of a mark by its name, or a time itself.
  const timeOf = (mark) => {
    if (typeof mark === 'number') return mark;
    const name = string(mark);
    for (let i = entries.length - 1; i >= 0; i--) if (entries[i].entryType === 'mark' && entries[i].name === name) return entries[i].startTime;
    const { DOMException } = host.load('12_domexception');
    throw new DOMException(`The mark '${name}' does not exist.`, 'SyntaxError');
  };

  class Implementation {
    #brand;

    get timeOrigin() { #brand in this || illegal(); return host.timeOrigin; }
    now() { #brand in this || illegal(); return host.now(); }

    mark(name, options = undefined) {
      #brand in this || illegal();
      missing(arguments.length, 'mark', 'Performance', ['string']);
      return entry(string(name), 'mark', options?.startTime ?? host.now(), 0, options?.detail);
    }

    measure(name, start = undefined, end = undefined) {
      #brand in this || illegal();
      missing(arguments.length, 'measure', 'Performance', ['string']);
      const options = isObject(start) ? start : { __proto__: null, start, end };
      let to = options.end === undefined ? undefined : timeOf(options.end);
      let from = options.start === undefined ? undefined : timeOf(options.start);
      if (options.duration !== undefined) {
        if (from === undefined) from = (to ?? host.now()) - options.duration;
        else to ??= from + options.duration;
      }
      from ??= 0;
      to ??= host.now();
      return entry(string(name), 'measure', from, to - from, options.detail);
    }

    getEntries() { #brand in this || illegal(); return toArray(entries); }
    getEntriesByName(name, type = undefined) {
      #brand in this || illegal();
      return toArray(select((e) => e.name === string(name) && (type === undefined || e.entryType === type)));
    }
    getEntriesByType(type) { #brand in this || illegal(); return toArray(select((e) => e.entryType === string(type))); }
    clearMarks(name = undefined) { #brand in this || illegal(); entries = select((e) => e.entryType !== 'mark' || name !== undefined && e.name !== name); }
    clearMeasures(name = undefined) { #brand in this || illegal(); entries = select((e) => e.entryType !== 'measure' || name !== undefined && e.name !== name); }
  }
  expose('Performance', Implementation, { constructible: false });
  host.define('performance', new Implementation(), { enumerable: true });
})
