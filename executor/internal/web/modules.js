// The modules of the platform by specifier. Offers builtin(specifier) and require(specifier), which throws.
//
// A script of node/ returns its module's default export; the named exports are that object's enumerable members, and
// those of a member whose key is Symbol.for('codemode.exports').
(function (host) {
  'use strict';
  const P = host.primordials;

  // Every name that Node has and the reference resolves without the "node:" in front.
  const known = 'node:_http_agent node:_http_client node:_http_common node:_http_incoming node:_http_outgoing node:_http_server node:_stream_duplex ' +
    'node:_stream_passthrough node:_stream_readable node:_stream_transform node:_stream_wrap node:_stream_writable node:_tls_common node:_tls_wrap ' +
    'node:assert node:assert/strict node:async_hooks node:buffer node:child_process node:cluster node:console node:constants node:crypto node:dgram ' +
    'node:diagnostics_channel node:dns node:dns/promises node:domain node:events node:fs node:fs/promises node:http node:http2 node:https node:inspector ' +
    'node:inspector/promises node:module node:net node:os node:path node:path/posix node:path/win32 node:perf_hooks node:process node:punycode ' +
    'node:querystring node:readline node:readline/promises node:repl node:stream node:stream/consumers node:stream/promises node:stream/web ' +
    'node:string_decoder node:sys node:timers node:timers/promises node:tls node:trace_events node:tty node:url node:util node:util/types node:v8 node:vm node:sqlite ' +
    'node:wasi node:worker_threads node:zlib';
  const names = P.words(known);
  const isKnown = { __proto__: null };
  for (let i = 0; i < names.length; i++) isKnown[names[i]] = true;

  // specifier → how its default export is got
  const from = (script, pick) => () => (pick === undefined ? host.load(script) : pick(host.load(script)));
  const modules = {
    __proto__: null,
    'node:_stream_duplex': from('node/stream', (stream) => stream.Duplex),
    'node:_stream_passthrough': from('node/stream', (stream) => stream.PassThrough),
    'node:_stream_readable': from('node/stream', (stream) => stream.Readable),
    'node:_stream_transform': from('node/stream', (stream) => stream.Transform),
    'node:_stream_writable': from('node/stream', (stream) => stream.Writable),
    'node:_tls_common': from('node/refused', (refused) => refused.tlsCommon),
    'node:_tls_wrap': from('node/refused', (refused) => refused.tlsWrap),
    'node:assert': from('node/assert'),
    'node:assert/strict': from('node/assert', (assert) => assert.strict),
    'node:async_hooks': from('node/async_hooks'),
    'node:buffer': from('node/buffer'),
    'node:constants': from('node/constants'),
    'node:crypto': from('node/crypto'),
    'node:diagnostics_channel': from('node/diagnostics_channel'),
    'node:dns': from('node/refused', (refused) => refused.dns),
    'node:dns/promises': from('node/refused', (refused) => refused.dns.promises),
    'node:events': from('node/events'),
    'node:fs/promises': from('node/refused', (refused) => refused.filesPromises),
    'node:module': from('node/module'),
    'node:net': from('node/refused', (refused) => refused.net),
    'node:path': from('node/path'),
    'node:path/posix': from('node/path', (path) => path.posix),
    'node:path/win32': from('node/path', (path) => path.win32),
    'node:process': () => globalThis.process,
    'node:querystring': from('node/querystring'),
    'node:stream': from('node/stream'),
    'node:stream/consumers': from('node/stream_more', (more) => more.consumers),
    'node:stream/promises': from('node/stream', (stream) => stream.promises),
    'node:stream/web': from('node/stream_more', (more) => more.web),
    'node:string_decoder': from('node/string_decoder'),
    'node:sys': from('node/util'),
    'node:test': from('node/module', (module) => module.testing),
    'node:timers': from('node/timers'),
    'node:timers/promises': from('node/timers', (timers) => timers.promises),
    'node:tls': from('node/refused', (refused) => refused.tls),
    'node:url': from('node/url'),
    'node:util': from('node/util'),
    'node:util/types': from('node/util', (util) => util.types),
    'node:zlib': from('node/zlib'),
    'cloudflare:node': from('cloudflare/workers', (workers) => workers.node),
    'cloudflare:pipelines': from('cloudflare/workers', (workers) => workers.pipelines),
    'cloudflare:sockets': from('cloudflare/sockets'),
    'cloudflare:vectorize': from('cloudflare/workers', (workers) => workers.vectorize),
    'cloudflare:workers': from('cloudflare/workers', (workers) => workers.workers),
    'cloudflare:workflows': from('cloudflare/workers', (workers) => workers.workflows),
  };
  const canonical = (specifier) => (isKnown[`node:${specifier}`] ? `node:${specifier}` : specifier);

  const extra = P.SymbolFor('codemode.exports');
  const namespaces = new P.SafeMap();
  const namespaceOf = (exports, hasDefault) => {
    const extras = P.ObjectGetOwnPropertyDescriptor(exports, extra)?.value ?? { __proto__: null };
    const keys = P.ObjectKeys(exports);
    const more = P.ObjectKeys(extras);
    for (let i = 0; i < more.length; i++) P.push(keys, more[i]);
    if (hasDefault) P.push(keys, 'default');
    P.ArrayPrototypeSort(keys);
    const namespace = { __proto__: null };
    for (let i = 0; i < keys.length; i++) {
      P.define(namespace, keys[i], hasDefault && keys[i] === 'default' ? exports : extras[keys[i]] ?? exports[keys[i]], true);
    }
    P.ObjectDefineProperty(namespace, P.SymbolToStringTag, { __proto__: null, value: 'Module' });
    return P.ObjectFreeze(namespace);
  };
  const builtin = (specifier) => {
    const name = canonical(specifier);
    if (namespaces.has(name)) return namespaces.get(name);
    if (name === 'cloudflare:email') return 'cloudflare-internal:email';
    if (modules[name] === undefined) return name === specifier ? undefined : name;
    const namespace = namespaceOf(modules[name](), P.StringPrototypeStartsWith(name, 'node:'));
    namespaces.set(name, namespace);
    return namespace;
  };
  const require = (specifier) => {
    const namespace = builtin(`${specifier}`);
    if (namespace === undefined || typeof namespace === 'string') throw new P.Error(`No such module "${namespace ?? specifier}".`);
    return P.ObjectHasOwn(namespace, 'default') ? namespace.default : namespace;
  };
  const builtinModules = () => {
    const list = [];
    for (let i = 0; i < names.length; i++) if (names[i] !== 'node:sqlite') P.push(list, P.StringPrototypeSlice(names[i], 5));
    return list;
  };
  return { __proto__: null, builtin, require, builtinModules, isBuiltin: (name) => isKnown[canonical(`${name}`)] === true || modules[name] !== undefined };
})
