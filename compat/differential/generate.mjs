// Makes snippets from the grammar, by category. The same seed makes the same snippets.
import { tokenizer } from 'acorn';
import { grammar, odd } from './grammar.mjs';

// mulberry32: a small random generator with a good spread.
function makeRandom(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const LIST = { '*': '«sep»', ',': '«_»,«_»' };
// A snippet that grows past this takes the shortest way to its end.
const MAX_PARTS = 400;

export class Generator {
  constructor(seed) {
    this.random = makeRandom(seed);
    this.noise = 0;
    this.oddity = 0;
  }

  int(n) { return Math.floor(this.random() * n); }

  pick(list) { return list[this.int(list.length)]; }

  // make returns a text of a rule. Noise (0 to 1) says how often there is something in a gap, oddity how often a rule
  // comes to something odd.
  make(rule, { depth = 1 + this.int(5), noise = this.pick([0, 0, 0.05, 0.3]), oddity = this.pick([0, 0, 0, 0.02, 0.1]) } = {}) {
    Object.assign(this, { noise, oddity });
    this.parts = 0;
    return this.expand(rule, depth);
  }

  expand(rule, depth) {
    if (rule === '_') return this.random() < this.noise ? this.pick(grammar.gap) : '';
    const done = depth <= 0 || ++this.parts > MAX_PARTS;
    const alternatives = odd[rule] && this.random() < this.oddity ? odd[rule] : grammar[rule];
    return this.fill(done ? this.pickLeaf(alternatives) : this.pick(alternatives), depth - 1);
  }

  pickLeaf(alternatives) {
    const leaves = alternatives.filter((text) => !text.includes('«'));
    return this.pick(leaves.length ? leaves : alternatives.slice(0, 1));
  }

  fill(text, depth) {
    return text.replace(/«(\w+)([*,]?)»/g, (_, rule, list) => {
      if (!list) return this.expand(rule, depth);
      const items = Array.from({ length: this.int(4) }, () => this.expand(rule, depth));
      return items.reduce((all, item) => (all === '' ? item : all + this.fill(LIST[list], depth) + item), '');
    });
  }

  statements(last) {
    const list = Array.from({ length: 1 + this.int(3) }, () => this.make('stmt'));
    return [...list, ...(last ? [this.make(last)] : [])].join(this.pick(grammar.sep));
  }

  program() {
    return this.pick([
      () => this.make('arrow'),
      () => this.statements('expr'),
      () => this.statements(),
      () => this.make('fn'),
      () => this.make('export'),
      () => this.make('expr'),
    ])();
  }

  // fence puts a program where a model puts it: in a fence, in prose, behind a mark.
  fence(code) {
    const tag = this.pick(['js', 'javascript', 'ts', 'typescript', 'tsx', 'jsx', '', 'JS', 'mjs', 'json', ' js', 'js ', 'js title="x"', 'jsx2']);
    const eol = this.pick(['\n', '\n', '\n', '\r\n', '\n\n', ' ', '', '\r', '\n \n']);
    const block = '```' + tag + eol + code + eol + '```';
    return this.pick([
      block, block, block, '```' + tag + eol + code + '```', '```' + tag + '\n' + code, `  ${block}  \n`, `Here is the code:\n${block}`, `${block}\nDone.`,
      '````' + tag + '\n' + code + '\n````', '~~~js\n' + code + '\n~~~', `${block}\n${block}`, '`' + code + '`', `<code>${code}</code>`, '\ufeff' + code, '\u00a0\u2003' + code + '\u3000',
    ]);
  }

  // mutate breaks a program: it drops, repeats, swaps or adds a token, or cuts the text.
  mutate(code) {
    const tokens = tokensOf(code);
    if (tokens.length < 2) return code.slice(0, this.int(code.length + 1));
    const [start, end] = this.pick(tokens);
    const [otherStart, otherEnd] = this.pick(tokens);
    const other = code.slice(otherStart, otherEnd);
    const extra = this.pick(['(', ')', '{', '}', '[', ']', ';', ',', '.', '?.', '=>', '=', '...', ':', '*', '/', '/=', '`', '\n', 'async', 'await', 'yield', 'let', 'of', 'static', 'new', 'class', 'function', 'return', 'super', '#p', '${', '++', 'import', 'export', 'default', '??', '||', 'new.target', '\u2028', 'break', '<!--', '-->', '@', '//', '/*']);
    return this.pick([
      code.slice(0, start) + code.slice(end),
      code.slice(0, end) + code.slice(start),
      code.slice(0, start) + other + code.slice(end),
      code.slice(0, start) + ` ${extra} ` + code.slice(start),
      code.slice(0, start) + extra + code.slice(end),
      code.slice(0, start) + '\n' + code.slice(start),
      code.slice(0, start),
      code.slice(start),
    ]);
  }
}

function tokensOf(code) {
  const tokens = [];
  try {
    for (const token of tokenizer(code, { ecmaVersion: 'latest', sourceType: 'module' })) tokens.push([token.start, token.end]);
  } catch {
    // what was read until then will do
  }
  return tokens;
}

// One entry for each category of snippets.
export const categories = {
  'arrow functions': (g) => g.make('arrow') + g.pick(['', '', ';', '\n// done', ' /* x */']),
  'statements and an expression': (g) => g.statements('expr'),
  'statements': (g) => g.statements(),
  'functions': (g) => g.make('fn') + g.pick(['', '', '\nf()', '()', ';']),
  'classes': (g) => g.pick(['', 'const q = ']) + g.make('klass') + g.pick(['', '\nnew a()', ';']),
  'automatic semicolons': (g) => [g.make('declaration'), g.make('expr'), g.make('expr')].join(g.pick(['\n', '\n', '\r\n', '\u2028', ' ', '\n\n'])),
  'comments in every gap': (g) => g.fill('«_»', 1) + g.make(g.pick(['arrow', 'stmt', 'fn', 'klass', 'export']), { noise: 1 }) + g.pick(['', ' // end', '\n/* end */']),
  'template literals': (g) => g.pick(['', 'const t = ', 'async () => ', 'f(']) + g.make('template') + g.pick(['', '\n', ')']),
  'regular expressions': (g) => g.pick(['', 'x = ', 'a\n', 'return ', '() => ']) + g.make('regexes', { noise: 0 }) + g.pick(['', '.test(s)', '\n/g']),
  'modules': (g) => g.pick(['', g.make('import'), g.make('import') + g.make('import')]) + g.pick([g.make('export'), g.make('arrow'), g.statements('expr'), g.statements('export')]),
  'TypeScript': (g) => g.make('typed'),
  'fences': (g) => g.fence(g.program()),
  'prose': (g) => g.pick([g.make('prose'), g.fence(g.make('prose')), `${g.make('prose')}\n${g.program()}`]),
  'broken code': (g) => g.mutate(g.program()),
  'twice broken code': (g) => g.fence(g.mutate(g.mutate(g.program()))),
};

// The places in which a snippet written for another is tried as well.
export const contexts = [
  (s) => `async () => {\n${s}\n}`, (s) => `export default ${s}`, (s) => `const q = 1;\n${s}`, (s) => `${s}\n;q`, (s) => `function* g() { ${s} }`, (s) => `class Q { m() { ${s} } }`,
  (s) => `(${s})`, (s) => `[${s}]`, (s) => `class Q { x = ${s} }`, (s) => `({ x: ${s} })`, (s) => `(${s}) => 1`, (s) => `[${s}] = 1`, (s) => '`${' + s + '}`', (s) => `for (${s} of q) ;`, (s) => `import x from 'x'; ${s}`,
];
