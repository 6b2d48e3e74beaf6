// The Executor dialect of @cloudflare/codemode over a native executor.
import { refusal, sanitizeToolName } from './names.js';
import { normalizeCode } from './normalize.js';
import { decode, encode } from './values.js';

const COMPLETED = 'Execution has already completed';
const TIMED_OUT = 'Execution timed out';
const DEPRECATED =
  '[@supolka/cloudflare-codemode-executor] Passing a bare functions record to execute() is deprecated. Pass an array of providers instead.';

/**
 * @typedef {{name: string, fns: Record<string, (...args: unknown[]) => Promise<unknown>>, prelude?: string,
 *   positionalArgs?: boolean, proxySource?: string}} Provider
 * @typedef {{name: string, binding: {callTool(tool: string, argument: unknown): Promise<unknown>}}} Connector
 * @typedef {{connectors?: Connector[], modules?: Record<string, string>, timeout?: number | null,
 *   outbound?: null | 'inherit' | 'blocked' | Function}} ExecuteOptions
 * @typedef {{result: unknown, error?: string, logs?: string[]}} ExecuteResult
 */

/** What createCodeTool takes as its executor. */
export class CodemodeExecutor {
  #native;

  constructor(native) {
    this.#native = native;
  }

  /**
   * A refused request and a failed program are both a result with an error. It rejects when the executor failed.
   * @param {string} code
   * @param {Provider[] | Provider['fns']} providersOrFns
   * @param {ExecuteOptions} [options]
   * @returns {Promise<ExecuteResult>}
   */
  async execute(code, providersOrFns, { connectors = [], modules, timeout, outbound } = {}) {
    const providers = asProviders(providersOrFns);
    const refused = refusal(providers, connectors);
    if (refused !== null) return { result: undefined, error: refused };
    const guard = { active: true };
    const normalized = normalizeCode(code);
    try {
      const answer = await this.#native.execute({
        code: normalized,
        providers: [...providers.map(describe), ...connectors.map(({ name }) => ({ name, tools: [] }))],
        dispatch: dispatchTo(handlers(providers, connectors), guard),
        countHostWaits: true, // the dialect measures wall time
        modules,
        timeout,
        outbound,
      });
      return render(answer, normalized === code);
    } finally {
      guard.active = false;
    }
  }

  /** Closes the session. The dialect's interface has execute alone. */
  dispose() {
    this.#native.dispose();
  }
}

function asProviders(providersOrFns) {
  if (Array.isArray(providersOrFns)) return providersOrFns;
  console.warn(DEPRECATED);
  return [{ name: 'codemode', fns: providersOrFns }];
}

// describe is what crosses of a provider: names, and what source it brings. Optional members that are unset stay unset.
function describe({ name, fns, prelude, positionalArgs, proxySource }) {
  const descriptor = { name, tools: Object.keys(fns).map(sanitizeToolName) };
  for (const [key, value] of Object.entries({ prelude, positionalArgs, proxySource })) if (value !== undefined) descriptor[key] = value;
  return descriptor;
}

// handlers answer a namespace's calls, in this process.
function handlers(providers, connectors) {
  const byName = new Map();
  for (const { name, fns } of providers) {
    const tools = new Map(Object.entries(fns).map(([tool, fn]) => [sanitizeToolName(tool), fn]));
    byName.set(name, (tool, args) => {
      const fn = tools.get(tool);
      if (!fn) throw notFound(tool);
      return fn(...args);
    });
  }
  for (const { name, binding } of connectors) byName.set(name, async (tool, args) => control(await binding.callTool(tool, args[0])));
  return byName;
}

const notFound = (tool) => new Error(`Tool "${tool}" not found`);

// control turns a connector's marker back into the throw that it stands for.
function control(value) {
  switch (value?.__codemode_control__) {
    case 'pause':
      throw new Error('__CODEMODE_PAUSE__');
    case 'error':
      throw new Error(String(value.message));
  }
  return value;
}

// dispatchTo makes the function that the daemon calls for each tool call. It answers an envelope and never rejects.
function dispatchTo(byName, guard) {
  return async (provider, tool, argsJson) => {
    if (!guard.active) return JSON.stringify({ error: COMPLETED });
    try {
      const handler = byName.get(provider);
      if (!handler) throw notFound(tool);
      const text = encode(await handler(tool, decode(JSON.parse(argsJson))));
      if (!guard.active) return JSON.stringify({ error: COMPLETED });
      return text === undefined ? '{}' : `{"result":${text}}`;
    } catch (error) {
      return JSON.stringify({ error: String(error?.message ?? error) });
    }
  };
}

function render(answer, asGiven) {
  const { failure } = answer;
  const logs = answer.logs.filter(({ level }) => ['log', 'warn', 'error'].includes(level)).map(({ level, text }) => (level === 'log' ? text : `[${level}] ${text}`));
  if (failure) return { result: undefined, error: renderFailure(failure, asGiven), logs };
  return { result: decode(answer.resultJson === undefined ? answer.result : JSON.parse(answer.resultJson)), logs };
}

// The message of a timeout is known by its whole first sentence: a program may throw one that begins like it.
const TIMEOUT_SENTENCE = /^Execution timed out at its \d+(\.\d+)? ms bound\./;

function renderFailure(failure, asGiven) {
  const { kind, name, message, position } = failure;
  if (kind === 'timeout' || kind === 'stalled' || TIMEOUT_SENTENCE.test(message)) return TIMED_OUT;
  if (kind === 'syntax') return `${name || 'SyntaxError'}: ${message}${place(position, asGiven)}`;
  const thrown = failure.thrownJson === undefined ? failure.thrown : JSON.parse(failure.thrownJson);
  if (kind === 'thrown' && thrown?.message && typeof thrown.message !== 'string') return thrown.message; // as it is: {message: 404}
  return message || thrownText(thrown) || name || 'the program threw a value without a message';
}

// place says where a syntax error is: in a module or prelude, or in the program when it ran as it was given.
function place(position, asGiven) {
  if (!position || !(position.file || asGiven)) return '';
  const { file, line, column } = position;
  return file ? ` (${file}:${line}:${column})` : ` (line ${line}:${column})`;
}

// thrownText renders what was thrown and is no Error: its message when it has one, else its JSON.
function thrownText(thrown) {
  return thrown?.message || (thrown === undefined ? '' : JSON.stringify(thrown));
}
