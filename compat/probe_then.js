// Calls a program with a namespace that has no then of its own made into one that dispatches it like any tool, as the
// reference's namespaces do. A tool called then goes by then_is_a_tool here.
(namespace, program) =>
  program(
    new Proxy(namespace, {
      get: (target, key) => {
        if (key !== 'then') return target[key];
        return async (...args) => target.then_is_a_tool(...args);
      },
    }),
  )
