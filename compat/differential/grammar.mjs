// A grammar of JavaScript as models write it. A rule is a list of alternatives; one that stands more than once is taken
// more often. In an alternative «name» is another rule, «name*» up to three of it with the rule sep between them, and
// «name,» up to three with commas. «_» is a gap between tokens, which may hold a comment or a line break.
//
// Where the depth is used up, an alternative without rules is taken, or one of the rule's first.
const words = (text) => text.split(' ');

export const grammar = {
  gap: ['', ' ', '  ', '\n', '\t', ' /* c */ ', ' /* two\nlines */ ', ' // c\n', '\r\n', '\u00a0', '\u2028', '\ufeff', '/**/', '/* `${ */', ' // "\n', "/* ' */"],
  sep: ['\n', '\n', '; ', ';\n', '\n\n', ' ', '\r\n'],

  id: [
    ...words('a b c x y i res data items codemode github result $ _ $el été 名前 \\u0061b \\u{63} undefined a1 constructor __proto__'),
    ...words('async of get set from as type target using meta accessor defer source'),
  ],
  word: ['«id»', '«id»', '«id»', ...words('if class new default delete in function get set static async await v\\u0061r typeof')],
  num: [...words('0 1 42 7 3.14 .5 5. 1e3 1E-5 0xFF 0b101 0o17 1_000 10n 0n 0xfn')],
  str: ["'s'", '"s"', "''", '"it\'s"', "'\\n\\x41\\u0041\\u{1F600}\\\n\\0'", '"// no"', "'```'", "'use strict'", '"\u2028"', "'é😀'", "'</script>'"],
  template: ['`t`', '`${a}`', '`«chunk*»`', '`«chunk*»${«_»«expr»«_»}«chunk*»`', '`${`${«expr»}`}`', '«id»`«chunk*»${«expr»}`'],
  chunk: ['text', '\n', '\\`', '$', '{', '}', '$$', '\\n', '//', '/*', "'", '\\\n', '"', '\\u{61}'],
  regex: words('/a/ /a/gi /[/]/ /\\//g /(?<n>a)\\k<n>/ /^\\s*$/m /[\\w-]+/u /\\p{L}+/u /[\\p{L}--a]/v /(?:x|y){1,2}?/ /(?=a)b(?!c)/ /(?<=a)b(?<!c)/ /\\u{61}/u /=/ /{/ /a{,2}/ /]/ /(?i:a)b/ /(?<a>x)|(?<a>y)/ /[^]/s /\\1(a)/ /`/ /[😀]/u /x*?y+?/d /[[a]&&[b]]/v /[\\q{ab|c}]/v'),
  pattern: ['a', 'b', '.', '^', '$', '\\d', '\\w', '\\b', '\\1', '\\u{41}', '\\u0041', '\\x4', '\\cA', '\\c', '\\k<n>', '\\p{L}', '\\p{Script=Greek}', '\\q{a}', '😀', '&&', '--', '-', '(?<n>«pattern*»)', '(«pattern*»)', '(?:«pattern*»|«pattern»)', '(?=«pattern»)', '(?i-s:«pattern»)', '[«pattern*»]', '[^«pattern»]', '«pattern»*', '«pattern»{1,2}?', '«pattern»+', '{', ']', ')', '(?<', '\\'],
  flags: ['', '', 'g', 'i', 'u', 'u', 'v', 'v', 'dgimsuy', 'uv', 'gg', 'x'],
  regexes: ['/«pattern»«pattern*»/«flags»', '/[«pattern»«pattern*»]/«flags»', '/(?<n>«pattern»)|«pattern*»/«flags»'],

  params: ['()', '(«_»«param,»«_»)', '(«_»«param,»«_»)', '(«param», ...«binding»)', '(«param»,)'],
  param: ['«binding»', '«binding»', '«binding»', '«binding»«_»=«_»«expr»'],
  binding: ['«id»', '«id»', '«id»', '[«param,»]', '[, «param», ...«binding»]', '{«_»«property,»«_»}', '{«property,», ...«id»}'],
  property: ['«id»', '«id»=«expr»', '«word»:«param»', '[«expr»]:«param»', '«str»:«param»'],
  object: ['{}', '{«_»«member,»«_»}', '{«member,»,}'],
  member: ['«id»', '«word»«_»:«_»«expr»', '«str»: «expr»', '«num»:«expr»', '[«expr»]: «expr»', '...«expr»', '«method»', 'get «word»()«body»', 'set «word»(«param»)«body»', '«id»()«body»'],
  method: ['«id»()«body»', '«word»«_»«params»«_»«body»', 'async «word»«params»«body»', '*«word»«params»«body»', 'async *[«expr»]()«body»', 'async\n«id»()«body»'],
  body: ['{}', '{«_»«inner*»«_»}', '{«_»«inner*»«_»}', '{ return «expr» }', '{ "use strict"; «inner»}'],
  inner: ['«stmt»', '«stmt»', '«stmt»', 'return', 'return «expr»', 'return\n«expr»'],

  fn: ['function «id»() {}', 'function «id»«_»«params»«_»«body»', 'async function «id»«params»«body»', 'function* «id»«params»«body»', 'async function* «id»«params»«body»', 'async«_» function «id»«params»«body»'],
  fnExpr: ['function () {}', '«fn»', 'function «params»«body»', 'async function«_»«params»«body»', 'function*«params»«body»'],
  arrow: ['() => 1', '«arrowHead»«_»=>«_»«body»', '«arrowHead»«_»=>«_»«body»', '«arrowHead» => «expr»', '«arrowHead» => («object»)', 'async () => «body»', 'async () => «body»'],
  arrowHead: ['()', '«params»', '«id»', 'async «params»', 'async«_»«params»', 'async «id»'],
  klass: ['class «id» {}', 'class «id»«heritage»«_» {«_»«element*»«_»}', 'class «id» {\n«element»\n«element»\n}', 'class «id»«heritage» { constructor(«param») { super(); this.x = 1 } }'],
  klassExpr: ['class {}', '«klass»', 'class«heritage» {«element*»}'],
  heritage: ['', '', ' extends «id»', ' extends («expr»)', ' extends Map', ' extends «call»'],
  element: ['«id»', 'static «method»', '«method»', '«word» = «expr»', 'static «id» = «expr»', '#p = «expr»', '#p;', 'get g()«body»', 'set #g(v)«body»', '#p = 1; «element»', 'static { «stmt» }', 'async', 'static\n«method»', 'get\n*x() {}', 'x = super.y', 'constructor() { super.x(); new.target }'],

  call: ['f()', '«primary»«_»(«_»«expr,»«_»)', '«primary»(...«expr»)', '«primary»(«expr»,)', 'codemode.«id»({ «id»: «expr» })', 'await codemode.«id»({ «id»: «expr» })'],
  primary: [
    '«id»', '«num»', '«str»', 'this', 'null', 'true', '«regex»', '«template»', '«id»', '«id»', '(«_»«expr»«_»)', '(«expr»,«expr»)', '[«_»«expr,»«_»]', '[, «expr», ...«expr»]',
    '«object»', '(«object»)', '«fnExpr»', '(«fnExpr»)', '«klassExpr»', 'new «primary»', 'new «primary»(«expr»)', '«call»', '«call»', '«primary»«_»«dot»«_»«word»', '«primary»[«expr»]',
    '«primary»?.[«expr»]', '«primary»?.(«expr»)', '«primary»«template»', 'import.meta.url', 'import(«str»)', '(«arrow»)', '(«arrow»)()',
  ],
  dot: ['.', '.', '?.'],
  op: ['+', '-', '*', '/', '%', '**', '<', '>', '<=', '==', '===', '!==', '&&', '||', '??', '&', '|', '^', '<<', '>>>', ' in ', ' instanceof ', ' + ', ' / '],
  unary: ['!', '-', '+', '~', 'typeof ', 'void ', 'delete ', 'await '],
  assign: ['=', '=', '=', '+=', '??=', '&&=', '**=', '>>>='],
  target: ['«id»', '«id»', '«id».x', '[«param,»]'],
  expr: ['«primary»', '«primary»', '«primary»', '«primary»', '«expr»«_»«op»«_»«expr»', '«expr» «op» «expr»', '«unary»«_»«expr»', '«id»«_»++', '++«id».x', '«primary» ? «expr» : «expr»', '«target»«_»«assign»«_»«expr»', '«arrow»', '«arrow»'],

  kind: ['const', 'let', 'var', 'const', 'let', 'using', 'await using'],
  declaration: ['«kind» «id» = 1', '«kind» «id»«_» =«_» «expr»', '«kind» «binding»«_» =«_» «expr»', '«kind» «id» = «expr»«_»,«_»«binding» = «expr»', 'let «id»', 'var «id»', 'let «id»,«_»«id»'],
  stmt: [
    '«expr»', '«expr»', '«expr»', '«declaration»', '«declaration»', '«declaration»', '«fn»', '«klass»', 'if«_»(«expr»)«_»«sub»', 'if («expr») «sub» else «sub»', 'for (const «binding» of «expr») «sub»', 'for await (const «id» of «expr») «sub»',
    'for («target» in «expr») «sub»', 'for (let «binding» = «expr»; «expr»; «expr») «sub»', 'for («declaration»;;) «sub»', 'while («expr») «sub»', 'do «sub» while («expr»)', 'try «body» catch (e) «body»', 'try «body» catch «body» finally «body»',
    'switch («expr») { case «expr»: «stmt»\ndefault: «stmt» }', '{ «stmt*» }', '«id»: «stmt»', 'throw «expr»', 'debugger', ';', '"use strict"', 'console.log(«expr,»)',
  ],
  sub: ['{}', '«body»', '«body»', ' «stmt»', '{ break }', '{ a: for (;;) continue a }'],

  import: ["import 'lib.js'«end»", 'import «id» from «source»«end»', 'import * as«_» «id» from«_»«source»«end»', 'import {«_»«specifier,»«_»} from «source»«end»', 'import «id», { «specifier,» } from «source»«end»', "import «id» from './d.json' with { type: 'json' }«end»"],
  specifier: ['«id»', '«id»', '«word» as «id»', '«str» as «id»', 'default as d'],
  source: ["'lib.js'", '"node:fs"', "'./x.js'"],
  end: [';\n', ';', '\n', ' // c\n', ''],
  export: ['export default «arrow»', 'export default «arrow»;', 'export default «fnExpr»', 'export default «klassExpr»', 'export default «expr»', 'export default («object»)', 'export «declaration»', 'export «fn»', 'export «klass»', 'export { «id» as «word» }', "export * from 'x'", 'export default «expr»; «stmt»', 'export { «specifier,» } from «source»'],

  typed: [
    'const «id»: «tsType» = «expr»\n«id»', 'interface A { b: «tsType» }\n«stmt»', 'async («id»: «tsType»): Promise<«tsType»> => «body»', 'enum E { A, B = 2 }\nE.A', '«primary» as «tsType»', 'type T = «tsType»\n«expr»', 'function f<T>(x: T): T «body»', 'let v!: «tsType»\nv', '«primary»!.«id»', '<T>(x: T) => «expr»',
    '(«object») satisfies «tsType»', 'abstract class A { private x = «expr»; m(): «tsType» «body» }', 'declare const a: «tsType»\n«expr»', '@dec class A {}', 'namespace N { export «declaration» }', 'const a = <div>{«expr»}</div>', 'f<«tsType»>(«expr»)', 'class A { constructor(private x: «tsType») {} }', 'for (const x: any of «expr») {}', 'import type { A } from «source»\n«expr»',
  ],
  tsType: ['string', 'number[]', '{ a: string; b?: number }', 'Record<string, «tsType»>', "'a' | 'b'", '[«tsType», «tsType»]', '() => void', 'typeof x', 'any'],

  prose: ['I will call the tool now.', 'Sure! Here you go:', '# Title\n«expr»', '- item', '1. item', '$ node x.js', '{"code": "1"}', '{ "a": [«num», null] }', '', ' ', '\n', 'null', '...', '<script>«stmt»</script>', 'const', '=>', '```', '``````', '```\n```', '```js\n\n```', '"', '`', '/', '/*', '#!', '@', '\0', '\u200b', '-->', '<!-- x\n«expr»', 'x\n--> y', 'Result: «expr»', 'def f():\n    return 1', 'let x = “quoted”', 'The answer is «num».\n\n«stmt»'],
};

// What a rule may come to where the snippet is an odd one: mostly mistakes, and what only some places allow.
export const odd = {
  id: words('let static yield await eval arguments enum implements package new in class l\\u0065t v\\u0061r \\u0061wait'),
  num: words('010 08 1__0 1_ 0x 1.5n 3in 0_1 1e 0b2 5.toString 1_000_ 00'),
  str: ["'\\01'", "'\\9'", "'\\x4'", "'\\u{110000}'", "'a\nb'", "'open"],
  chunk: ['\\1', '\\x', '\\u{', '\\u'],
  regex: words('/(/ /)/ /[b-a]/ /a**/ /+/ /\\u{110000}/u /\\p{Nope}/u /a/gg /a/uv /a/x /{1}/ /a{2,1}/ /(?<a>x)(?<a>y)/ /\\k<n>/u /[/ /\\1/u /(?a/ /[\\d-x]/u /(?=a)*/u /(?<=a)*/ /a{1/u /(?ii:a)/ /[😀-😎]/ /[(]/v /\\P{RGI_Emoji}/v /\\-/u'),
  dot: ['.#'],
  unary: ['++', '--', 'yield ', 'yield* '],
  primary: ['new.target', 'super.x', 'super()', '#p in «id»', '«arrow»', '«primary»++'],
  target: ['«primary»', '{«property,»}', '«object»', '(«target»)'],
  member: ['«id» = «expr»', '__proto__: «expr», __proto__: «expr»'],
  element: ['x = arguments', 'x = () => this.#q', 'get constructor() {}', '#«id»() { return this.#p }', 'has(o) { return #p in o }'],
  inner: ['yield «expr»', 'break', 'super()', 'let a, a'],
  declaration: ['const «id»', 'let «binding»', 'let let', 'const «id» = 1, «id»'],
  stmt: ['break', 'continue «id»', 'return «expr»', 'a: continue a', 'a: a: ;', 'if (1) function f() {}', 'if (1) let x', 'import «id» from «source»', 'export «declaration»', 'with (a) b', 'let\n«id»'],
};
