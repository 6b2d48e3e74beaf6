// Tool names as servers give them, and as they should not.
import { Generator } from './generate.mjs';

const reserved =
  'abstract arguments await boolean break byte case catch char class const continue debugger default delete do double else enum eval export extends false final finally float for function goto if implements import in instanceof int interface let long native new null package private protected public return short static super switch synchronized this throw throws transient true try typeof undefined var void volatile while with yield async of NaN Infinity'.split(' ');
const pieces = [...reserved, 'list', 'issues', 'A', 'z9', '0', '42', '$', '_', '-', '.', ' ', '\t', '\n', '\r\n', '\v', '\f', '\u00a0', '\u0085', '\u180e', '\u200b', '\u2028', '\u3000', '\ufeff', '\u1680', '/', ':', '!', '#', 'é', 'ß', 'поиск', '🔍', '名前', 'ª', '٣', '\0'];

export function toolNames(count) {
  const generator = new Generator(7);
  const names = new Set(['', ...reserved, ...reserved.map((word) => `-${word}`), ...reserved.map((word) => `${word}!`)]);
  while (names.size < count) names.add(Array.from({ length: 1 + generator.int(5) }, () => generator.pick(pieces)).join(''));
  return names;
}
