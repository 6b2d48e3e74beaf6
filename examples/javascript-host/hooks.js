export function resolve(specifier, context, next) {
  if (specifier !== 'cloudflare:workers') return next(specifier, context);
  return { url: 'data:text/javascript,export class WorkerEntrypoint {}', shortCircuit: true };
}
