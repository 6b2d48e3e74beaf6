// The reference behind HTTP: one execute of the real DynamicWorkerExecutor a request. The bundler resolves "codemode" to
// one release.
//
//   POST /run        a case                      → its outcome
//   POST /repeat     {case, times, concurrency}  → {} once the case has run so often, so many at a time
//   POST /normalize  a list of texts             → a list of {text} or {threw}
//   POST /sanitize   a list of tool names        → a list of identifiers
import { DynamicWorkerExecutor, normalizeCode, sanitizeToolName } from 'codemode';
import { describe } from './describe.js';
import { makeProviders, sleep } from './tools.js';

// A result whose JSON is longer is stood for by its length and its head.
const MAX_RESULT = 5000;
const RESULT_HEAD = 60;

function makeExecutor(env, { timeout, modules, outbound, bindings } = {}) {
  const options = { loader: env.LOADER };
  if (timeout !== undefined) options.timeout = timeout;
  if (modules) options.modules = modules;
  if (bindings) options.bindings = bindings;
  if (outbound === 'stub') options.globalOutbound = env.STUB;
  if (outbound === 'inherit') options.globalOutbound = undefined;
  if (outbound === 'null') options.globalOutbound = null;
  return new DynamicWorkerExecutor(options);
}

async function run(env, request) {
  const calls = [];
  const outcome = await execute(env, request, calls);
  if (request.options?.afterMs) await sleep(request.options.afterMs);
  return { ...outcome, calls };
}

async function execute(env, { code, providers, options }, calls) {
  try {
    const answer = await makeExecutor(env, options).execute(code, makeProviders(providers, calls));
    return { ...renderResult(answer.result), ...renderError(answer.error), logs: answer.logs, keys: Object.keys(answer) };
  } catch (error) {
    return { threw: renderThrown(error) };
  }
}

function renderResult(result) {
  const typed = describe(result);
  try {
    const json = JSON.stringify(result);
    if (json === undefined) return { typed, jsonUndefined: true };
    if (json.length > MAX_RESULT) return { typed, resultLen: json.length, resultHead: json.slice(0, RESULT_HEAD) };
    return { typed, result: JSON.parse(json) };
  } catch (error) {
    return { typed, jsonError: `${error.name}: ${error.message.split('\n')[0]}` };
  }
}

function renderError(error) {
  if (error === undefined || typeof error === 'string') return { error };
  const errorTyped = describe(error);
  try {
    JSON.stringify(error);
    return { error, errorTyped };
  } catch {
    return { errorTyped };
  }
}

function renderThrown(error) {
  if (!(error instanceof Error)) return { raw: describe(error) };
  const own = Object.fromEntries(Object.entries(error).filter(([key]) => !['name', 'message', 'stack'].includes(key)));
  return { name: error.name, message: error.message, ctor: error.constructor.name, own: describe(own) };
}

async function repeat(env, { case: request, times, concurrency }) {
  const executor = makeExecutor(env, request.options);
  let left = times;
  const lane = async () => {
    while (left-- > 0) {
      const { error } = await executor.execute(request.code, makeProviders(request.providers, []));
      if (error) throw new Error(error);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return {};
}

function normalize(code) {
  try {
    return { text: normalizeCode(code) };
  } catch (error) {
    return { threw: String(error) };
  }
}

const routes = {
  '/run': run,
  '/repeat': repeat,
  '/normalize': (_, texts) => texts.map(normalize),
  '/sanitize': (_, names) => names.map(sanitizeToolName),
};

export default {
  async fetch(request, env) {
    const route = routes[new URL(request.url).pathname];
    if (!route) return new Response('no such route', { status: 404 });
    return Response.json(await route(env, await request.json()));
  },
};
