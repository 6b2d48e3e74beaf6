// Names: what a tool is called inside the sandbox, and which namespaces are refused. Hosts compare these texts.

const words = (list) => new Set(list.split(' '));

// Bound in every program's scope, and names that the dialect's own executor binds in the worker it generates.
const RESERVED = words(
  '__dispatch Promise setTimeout Error console ' +
    '__dispatchers __connectors __logs __CODEMODE_BINARY_TAG __bytesToBase64 __base64ToBytes __encodeCodemodeValue ' +
    '__decodeCodemodeValue __stringifyForCodemode __parseForCodemode WorkerEntrypoint CodeExecutor',
);

const KEYWORDS = words(
  'break case catch class const continue debugger default delete do else enum export extends false finally for function if ' +
    'import in instanceof new null return super switch this throw true try typeof var void while with await implements ' +
    'interface let package private protected public static yield async eval arguments',
);

// Every edition's reserved words, which a tool never gets as its name: what the type generator showed the model is what
// is looked up.
const TOOL_KEYWORDS = words(
  'abstract arguments await boolean break byte case catch char class const continue debugger default delete do double else ' +
    'enum eval export extends false final finally float for function goto if implements import in instanceof int interface let ' +
    'long native new null package private protected public return short static super switch synchronized this throw throws ' +
    'transient true try typeof undefined var void volatile while with yield',
);

/**
 * The identifier under which a program calls a tool.
 * @param {string} name
 */
export function sanitizeToolName(name) {
  let id = name.replace(/[-.\s]/g, '_').replace(/[^a-zA-Z0-9_$]/g, '');
  if (id === '') return '_';
  if (/^[0-9]/.test(id)) id = '_' + id;
  return TOOL_KEYWORDS.has(id) ? id + '_' : id;
}

/**
 * The text that refuses a request because of its names, or null.
 * @param {{name: string, fns: Record<string, Function>}[]} providers
 * @param {{name: string}[]} connectors
 */
export function refusal(providers, connectors) {
  const taken = new Set();
  for (const { name } of providers) {
    const text = refusedName('Provider', name);
    if (text !== null) return text;
    if (taken.has(name)) return `Duplicate provider name "${name}"`;
    taken.add(name);
  }
  for (const { name } of connectors) {
    const text = refusedName('Connector', name);
    if (text !== null) return text;
    if (taken.has(name)) return `Duplicate name "${name}" (connector clashes with provider)`;
    taken.add(name);
  }
  return collision(providers);
}

function refusedName(kind, name) {
  if (RESERVED.has(name)) return `${kind} name "${name}" is reserved`;
  if (!/^[a-zA-Z_$][a-zA-Z0-9_$]*$/.test(name)) return `${kind} name "${name}" is not a valid JavaScript identifier`;
  if (KEYWORDS.has(name)) return `${kind} name "${name}" is a JavaScript reserved word`;
  return null;
}

function collision(providers) {
  for (const { name, fns } of providers) {
    const taken = new Map();
    for (const tool of Object.keys(fns)) {
      const id = sanitizeToolName(tool);
      if (taken.has(id)) return `Tool names "${taken.get(id)}" and "${tool}" both sanitize to "${id}" in provider "${name}"`;
      taken.set(id, tool);
    }
  }
  return null;
}
