// What a model wrote, as what the daemon runs: an arrow function expression, with static imports ahead of it if there are any.
import { parse } from 'acorn';

const FENCE = /^```(?:js|javascript|typescript|ts|tsx|jsx)?\s*\n([\s\S]*?)```\s*$/;

// How often a default export may turn out to export a default export.
const MAX_ROUNDS = 8;

/**
 * Text that no arrow makes legal is wrapped all the same: the engine then reports the error.
 * @param {string} code
 */
export function normalizeCode(code, rounds = MAX_ROUNDS) {
  const trimmed = code.trim();
  const source = (FENCE.exec(trimmed)?.[1] ?? trimmed).trim();
  const end = importsEnd(source);
  if (end === 0) return arrow(source, rounds);
  return source.slice(0, end).trim() + '\n' + arrow(source.slice(end).trim(), rounds);
}

function tryParse(source, options) {
  try {
    return parse(source, { ecmaVersion: 'latest', sourceType: 'module', ...options });
  } catch {
    return null;
  }
}

// importsEnd is where the static imports end that lead a program: they are legal at the top of a module alone.
function importsEnd(source) {
  if (!/^(\s|\/\*|\/\/|import\b)/.test(source)) return 0;
  const program = tryParse(source, { allowReturnOutsideFunction: true });
  let end = 0;
  for (const statement of program?.body ?? []) {
    if (statement.type !== 'ImportDeclaration') break;
    end = statement.end;
  }
  return end;
}

const wrap = (body) => `async () => {\n${body}\n}`;

function arrow(source, rounds) {
  if (source === '') return 'async () => {}';
  const body = tryParse(source)?.body;
  if (!body) return wrap(source);
  if (body.length === 1) {
    const only = alone(source, body[0], rounds);
    if (only !== null) return only;
  }
  const last = body.at(-1);
  if (last?.type !== 'ExpressionStatement') return wrap(source);
  const { start, end } = last.expression;
  return wrap(`${source.slice(0, last.start)}return (${source.slice(start, end)})`);
}

// alone is the arrow of a program of one statement, null when that is nothing special.
function alone(source, statement, rounds) {
  switch (statement.type) {
    case 'ExpressionStatement':
      return statement.expression.type === 'ArrowFunctionExpression' ? source : null;
    case 'FunctionDeclaration':
      return wrap(`${source}\nreturn ${statement.id.name}();`);
    case 'ExportDefaultDeclaration': {
      const { declaration } = statement;
      const inner = source.slice(declaration.start, declaration.end);
      if (declaration.type === 'FunctionDeclaration' && !declaration.id) return wrap(`return (${inner})();`);
      if (declaration.type === 'ClassDeclaration' && !declaration.id) return wrap(`return (${inner});`);
      return rounds > 0 ? normalizeCode(inner, rounds - 1) : null;
    }
  }
  return null;
}
