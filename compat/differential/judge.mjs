// Judges snippets: what the real normalizeCode answers, and what it takes to explain another answer.
import { SourceTextModule } from 'node:vm';
import { Parser, tokTypes } from 'acorn';
import { normalizeCode } from 'codemode-0.5.6';

// Reads the imports that lead a program. Whether their names may be bound is the engine's to say.
class ImportReader extends Parser {
  checkUnreserved() {}

  checkLValSimple() {}

  // leadingImports is the offset behind the last leading import, null where one is broken.
  leadingImports() {
    let end = 0;
    try {
      this.nextToken();
    } catch {
      return 0;
    }
    try {
      while (this.type === tokTypes._import) {
        const statement = this.parseStatement(null, true, Object.create(null));
        if (statement.type !== 'ImportDeclaration') break;
        end = statement.end;
      }
    } catch {
      return null;
    }
    return end;
  }
}

const fence = /^```(?:js|javascript|typescript|ts|tsx|jsx)?\s*\n([\s\S]*?)```\s*$/;
const exportedFence = /^export\s+default\s*```/;

function isLegal(code) {
  try {
    new SourceTextModule(code);
    return true;
  } catch {
    return false;
  }
}

// judge returns
//   text      what normalizeCode answers; with leading imports, they and what it answers for the rest
//   imports   whether there are such imports
//   open      whether nobody can say what the answer should be: an import is broken, so that how far the imports go is
//             open, or a fence follows them that normalizeCode would take off
//   wrapped   what it answers for text that is no program
//   legal     whether the engine takes the code for a program. Where normalizeCode's parser, acorn, thinks otherwise, an
//             answer that sides with the engine is right.
export function judge(code) {
  const trimmed = code.trim();
  const source = (trimmed.match(fence)?.[1] ?? trimmed).trim();
  const end = new ImportReader({ ecmaVersion: 'latest', sourceType: 'module' }, source).leadingImports();
  if (end === null) return { text: normalizeCode(code), open: true };
  const head = source.slice(0, end) + (end ? '\n' : '');
  const rest = source.slice(end).trim();
  return {
    text: end ? head + normalizeCode(rest) : normalizeCode(code),
    imports: end > 0,
    open: exportedFence.test(rest) || (end > 0 && fence.test(rest)),
    wrapped: `${head}async () => {\n${rest}\n}`,
    legal: isLegal(rest),
  };
}
