// node --experimental-vm-modules --import ./register.mjs normalize.mjs COUNT SEED < extra.jsonl
//
// Asks the real normalizeCode and sanitizeToolName. Prints a JSON line for each question, {category, code, …} with what
// judge.mjs says, or {category, name, identifier}.
//
// COUNT snippets are generated from SEED, as many of each category; standard input adds {category, code, everywhere} lines,
// which are asked as they are and, everywhere, in every context.
import { readFileSync } from 'node:fs';
import { sanitizeToolName } from 'codemode-0.5.6';
import { Generator, categories, contexts } from './generate.mjs';
import { judge } from './judge.mjs';
import { toolNames } from './names.mjs';

const [count, seed] = process.argv.slice(2).map(Number);
const lines = readFileSync(0, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));

const snippets = new Map();
const add = (category, code) => {
  if (code.isWellFormed() && !snippets.has(code)) snippets.set(code, category);
};
for (const { category, code } of lines) add(category, code);
for (const { category, code, everywhere } of lines) {
  for (const context of everywhere ? contexts : []) add(`${category}, in other contexts`, context(code));
}
const each = Math.ceil(count / Object.keys(categories).length);
for (const [category, make] of Object.entries(categories)) {
  const generator = new Generator(seed + category.length);
  const before = snippets.size;
  while (snippets.size < before + each) add(category, make(generator));
}

const out = Array.from(snippets, ([code, category]) => ({ category, code, ...judge(code) }));
for (const name of toolNames(5000)) out.push({ category: 'tool names', name, identifier: sanitizeToolName(name) });
process.stdout.write(out.map((line) => JSON.stringify(line)).join('\n') + '\n');
