// {snippets, names} on standard input, as the dialect has them on standard output.
import { readFileSync } from 'node:fs';
import { normalizeCode } from '../normalize.js';
import { sanitizeToolName } from '../names.js';

const { snippets, names } = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify({ snippets: snippets.map((text) => normalizeCode(text)), names: names.map(sanitizeToolName) }));
