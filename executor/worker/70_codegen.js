// Nothing makes code out of data. The engine's flag refuses strings; here eval refuses everything else too, and of
// WebAssembly what would compile refuses and the rest works, all as in the reference.
(function (host) {
  'use strict';
  const p = host.primordials;
  const { WebAssembly } = globalThis;

  const withLength = (fn, length) => p.setLength(p.hide(fn), length);
  const { eval: refuseEval } = {
    eval() { throw new p.EvalError('Code generation from strings disallowed for this context'); },
  };
  p.define(globalThis, 'eval', withLength(refuseEval, 1));

  if (WebAssembly === undefined) return; // an engine that compiles nothing has none
  const { Module, CompileError } = WebAssembly;
  const refusal = (what) => new CompileError(`WebAssembly.${what}(): Wasm code generation disallowed by embedder`);

  const methods = {
    compile: () => p.PromiseReject(refusal('compile')),
    instantiate: () => p.PromiseReject(refusal('instantiate')),
  };
  for (const name in methods) p.define(WebAssembly, name, withLength(methods[name], 1), true);

  // A class of its own in Module's place, with its statics and its prototype.
  function Refusing() {
    if (new.target === undefined) throw new p.TypeError("WebAssembly.Module(): WebAssembly.Module must be invoked with 'new'");
    throw refusal('Module');
  }
  const keys = p.ReflectOwnKeys(Module);
  for (let i = 0; i < keys.length; i++) {
    p.ObjectDefineProperty(Refusing, keys[i], p.ObjectGetOwnPropertyDescriptor(Module, keys[i]));
  }
  p.define(Module.prototype, 'constructor', p.hide(Refusing, 'Module'));
  p.define(WebAssembly, 'Module', Refusing);
})
