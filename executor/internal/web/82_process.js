// process, as small as the reference has it: nothing of the host is in it. Uses host.exit(message), which ends the run.
// Globals: process
(function (host) {
  'use strict';
  const P = host.primordials;

  const env = new P.Proxy({}, {
    __proto__: null,
    set(target, key, value) {
      if (typeof key === 'symbol') throw new P.TypeError('Cannot convert a symbol value to a string');
      P.define(target, key, `${value}`, true);
      return true;
    },
    defineProperty(target, key, descriptor) {
      if (typeof key === 'symbol') throw new P.TypeError('Cannot convert a symbol value to a string');
      P.define(target, key, `${descriptor.value}`, true);
      return true;
    },
  });
  const methods = {
    nextTick: function nextTick(callback, ...args) {
      host.queueMicrotask(() => callback(...args));
    },
    exit: function exit(code) {
      host.exit(`The Node.js process.exit(${code ?? 0}) API was called. Canceling the request.`);
    },
    getBuiltinModule: function getBuiltinModule(id) {
      const namespace = host.load('modules').builtin(`${id}`);
      return namespace === undefined || typeof namespace === 'string' ? undefined : namespace.default ?? namespace;
    },
  };
  host.define('process', {
    nextTick: methods.nextTick,
    env,
    exit: methods.exit,
    getBuiltinModule: methods.getBuiltinModule,
    platform: 'linux',
    features: {
      cached_builtins: true, debug: false, inspector: false, ipv6: true, openssl_is_boringssl: true, require_module: false, tls: true, tls_alpn: true, tls_ocsp: true,
      tls_sni: true, typescript: false, uv: true,
    },
  }, { enumerable: true });
})
