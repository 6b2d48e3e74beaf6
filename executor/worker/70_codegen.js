// Nothing makes code out of data. The engine's flag refuses strings; here eval refuses everything else too, and of
// WebAssembly what would compile refuses and the rest works, all as in the reference.
(function (host) {
  'use strict';
  const p = host.primordials;
  const { WebAssembly } = globalThis;

  const { eval: refuseEval } = {
    eval(x) { throw new p.EvalError('Code generation from strings disallowed for this context'); },
  };
  p.define(globalThis, 'eval', p.hide(refuseEval));

  const { Module, CompileError } = WebAssembly;
  const refusal = (what) => new CompileError(`WebAssembly.${what}(): Wasm code generation disallowed by embedder`);

  const methods = {
    compile: async (bytes) => { throw refusal('compile'); },
    instantiate: async (source) => { throw refusal('instantiate'); },
  };
  for (const name in methods) p.define(WebAssembly, name, p.hide(methods[name]), true);

  // A class of its own in Module's place, with its statics and its prototype.
  function Refusing(bytes) {
    if (new.target === undefined) throw new p.TypeError("WebAssembly.Module must be invoked with 'new'");
    throw refusal('Module');
  }
  const keys = p.ReflectOwnKeys(Module);
  for (let i = 0; i < keys.length; i++) {
    p.ObjectDefineProperty(Refusing, keys[i], { __proto__: null, ...p.ObjectGetOwnPropertyDescriptor(Module, keys[i]) });
  }
  p.define(Module.prototype, 'constructor', p.hide(Refusing, 'Module'));
  p.define(WebAssembly, 'Module', Refusing);
})
