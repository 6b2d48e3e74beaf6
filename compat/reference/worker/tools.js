// The tools of a case: each spec becomes a function of the host that records its calls.
import { decodeValue, define } from './values.js';
import { describe } from './describe.js';

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const errors = { TypeError, RangeError, SyntaxError };

function failure(spec) {
  if ('raw' in spec) return decodeValue(spec.raw);
  const error = new (errors[spec.name] ?? Error)(spec.message);
  if (spec.name && !errors[spec.name]) error.name = spec.name;
  if (spec.code) error.code = spec.code;
  return error;
}

const typeOf = (value) => (value === null ? 'null' : typeof value);

// One entry for each kind: (spec, args, record) to what the tool returns.
const kinds = {
  value: (spec) => decodeValue(spec.value),
  echo: (_, args) => args[0],
  echoAll: (_, args) => args,
  argc: (_, args) => ({ argc: args.length, types: args.map(typeOf), args: describe(args) }),
  describe: (_, args) => JSON.stringify(describe(args)),
  delay: async (spec, _, record) => {
    await sleep(spec.ms);
    record.done = true;
    return decodeValue(spec.value);
  },
  delayEcho: async (_, args) => {
    await sleep(args[0]?.ms || 0);
    return args[0];
  },
  never: () => new Promise(() => {}),
  throw: async (spec) => {
    if (spec.ms) await sleep(spec.ms);
    throw failure(spec);
  },
  counter: (spec) => (spec.n = (spec.n ?? 0) + 1),
  args0keys: (_, args) => (typeof args[0] === 'object' && args[0] !== null ? Object.keys(args[0]) : null),
};

function makeFunctions(namespace, tools, calls) {
  const functions = {};
  for (const [name, spec] of Object.entries(tools ?? {})) {
    define(functions, name, async (...args) => {
      const record = { ns: namespace, tool: name, args: describe(args) };
      calls.push(record);
      return kinds[spec.kind](spec, args, record);
    });
  }
  return functions;
}

// Makes what execute takes: a list of providers, or the bare record of the deprecated shape.
export function makeProviders(providers, calls) {
  if (providers === undefined) return [];
  if (!Array.isArray(providers)) return makeFunctions('codemode', providers.tools, calls);
  return providers.map(({ name, tools, prelude, positionalArgs }) => ({
    name,
    fns: makeFunctions(name, tools, calls),
    ...(prelude && { prelude }),
    ...(positionalArgs && { positionalArgs }),
  }));
}
