// Module hooks: packages are those of compat/reference, and what only the Workers runtime has is stubbed. Run node with
// --import ./register.mjs.
const reference = new URL('../reference/', import.meta.url).href;
const stub = 'export class WorkerEntrypoint {}\nexport class RpcTarget {}\nexport class DurableObject {}';

export function resolve(specifier, context, next) {
  if (specifier === 'cloudflare:workers') return { url: `data:text/javascript,${encodeURIComponent(stub)}`, shortCircuit: true };
  const isPackage = !/^[./]|^\w+:/.test(specifier);
  return next(specifier, isPackage ? { ...context, parentURL: reference } : context);
}
