// The console: lines of text for Go, formatted as the run asks.
//
// "string" renders each argument through String, as the dialect's reference does, whose other methods than log, warn
// and error are silent: theirs become level "info" here, and only the levels of their own name keep it. "inspect"
// shows objects and knows format specifiers, groups and tables.
(function (host) {
  'use strict';
  const p = host.primordials;
  const { native } = host;
  const inspecting = () => host.options.consoleFormat === 'inspect';

  let closed = false;
  let indent = '';
  const write = (level, text) => {
    if (closed) return;
    if (indent !== '' && inspecting()) text = host.load('worker/inspect').indent(text, indent);
    // What is past the limit need not cross to be cut.
    if (text.length > host.limits.logBytes) text = p.StringPrototypeSlice(text, 0, host.limits.logBytes + 1);
    closed = native.log(level, text) === true;
  };
  host.reopenConsole = () => { closed = false; };
  const format = (args) => {
    if (inspecting()) return closed ? '' : host.load('worker/inspect').format(args);
    let text = '';
    for (let i = 0; i < args.length; i++) {
      if (i > 0) text += ' ';
      text += p.String(args[i]);
    }
    return text;
  };
  const aside = (level) => (inspecting() ? level : 'info');
  const label = (value) => (value === undefined ? 'default' : p.String(value));

  const counts = new p.SafeMap();
  const clocks = new p.SafeMap();
  const elapsed = (name, args) => {
    const start = clocks.get(name);
    if (start === undefined) return;
    let text = `${name}: ${p.NumberPrototypeToFixed(native.now() - start, 3)}ms`;
    if (args.length > 0) text += ` ${format(args)}`;
    write(aside('log'), text);
  };
  const methods = {
    log(...data) { write('log', format(data)); },
    debug(...data) { write('debug', format(data)); },
    info(...data) { write('info', format(data)); },
    warn(...data) { write('warn', format(data)); },
    error(...data) { write('error', format(data)); },
    trace(...data) { write('trace', format(data)); },
    dir(item) { write(aside('log'), format([item])); },
    dirxml(...data) { write(aside('log'), format(data)); },
    table(data, properties) {
      if (!inspecting()) write('info', format([data]));
      else if (!closed) write('log', host.load('worker/inspect').table(data, properties));
    },
    assert(condition, ...data) {
      if (condition) return;
      write(aside('error'), data.length > 0 ? `Assertion failed: ${format(data)}` : 'Assertion failed');
    },
    group(...data) {
      if (data.length > 0) write(aside('log'), format(data));
      if (indent.length < 40) indent += '  ';
    },
    groupCollapsed(...data) { methods.group(...data); },
    groupEnd() { indent = p.StringPrototypeSlice(indent, 2); },
    count(name) {
      name = label(name);
      const n = (counts.get(name) ?? 0) + 1;
      counts.set(name, n);
      write(aside('log'), `${name}: ${n}`);
    },
    countReset(name) { counts.delete(label(name)); },
    time(name) {
      name = label(name);
      if (!clocks.has(name)) clocks.set(name, native.now());
    },
    timeLog(name, ...data) { elapsed(label(name), data); },
    timeEnd(name) {
      name = label(name);
      elapsed(name, []);
      clocks.delete(name);
    },
    clear() {},
  };
  const { console } = globalThis;
  // These have no name in the reference.
  const unnamed = ['debug', 'error', 'info', 'log', 'warn'];
  for (let i = 0; i < unnamed.length; i++) p.ObjectDefineProperty(methods[unnamed[i]], 'name', { __proto__: null, value: '' });
  const names = p.ObjectKeys(methods);
  for (let i = 0; i < names.length; i++) {
    const method = methods[names[i]];
    if (method.length > 0) p.setLength(method, 0);
    p.define(console, names[i], p.hide(method), true);
  }
})
