//go:build cgo && (linux || darwin)

package link_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/link"
	"github.com/codemode-go/codemode/executor/internal/web/webtest"
)

// run links and runs a program in a fresh isolate.
func run(t *testing.T, code string, modules map[string]string) string {
	t.Helper()
	l, err := link.Link(link.Program{Source: code, Modules: modules})
	if err != nil {
		return err.Error()
	}
	return webtest.New(t, nil).Await("(" + l.Script + ")(undefined).then((make) => make()())")
}

type files = map[string]string

// TestModules has one row for each property of module semantics; want is JSON or the error.
func TestModules(t *testing.T) {
	for _, test := range []struct {
		name, code string
		modules    files
		want       string
	}{
		{"plain", "async () => 1", nil, "1"},
		{"semicolon", "async () => 1;", nil, "1"},
		{"semicolon and comment", "async () => 1; // done", nil, "1"},
		{"typescript", "async (): Promise<number> => { const a: number = 1; return a as any }", nil, "1"},
		{"text kept", "async () => (function  important()  {  }).toString()", nil, `"function  important()  {  }"`},
		{"strict", "async () => { undeclared = 1 }", nil, "ReferenceError: undeclared is not defined"},
		{"harness out of reach", "async () => [typeof $link, typeof arguments]", nil, `["undefined","object"]`},
		{"static import", "import { g } from 'a.js';\nasync () => g('w')", files{"a.js": "export const g = (n) => 'hi ' + n"}, `"hi w"`},
		{"static default and namespace", "import d, * as ns from './a.js'\nasync () => [d, ns.x]", files{"a.js": "export default 1; export let x = 2"}, "[1,2]"},
		{"import alone", "import './a.js'\nasync () => globalThis.seen", files{"a.js": "globalThis.seen = 1"}, "1"},
		{"live binding", "import { n, bump } from 'a.js'\nasync () => { bump(); return n }", files{"a.js": "export let n = 0; export const bump = () => { n++ }"}, "1"},
		{"call without receiver", "import { f } from 'a.js'\nasync () => f()", files{"a.js": "export function f() { return this === undefined }"}, "true"},
		{"dynamic import", "async () => (await import('./a.js')).g", files{"a.js": "export const g = 2"}, "2"},
		{"computed import", "async () => { const n = 'a'; return (await import(n + '.js')).g }", files{"a.js": "export const g = 2"}, "2"},
		{"one namespace", "async () => { const a = await import('a.js'), b = await import('./a.js'); return a === b }", files{"a.js": "export let x"}, "true"},
		{"concurrent", "async () => { const [a, b] = await Promise.all([import('a.js'), import('a.js')]); return [a === b, globalThis.n] }", files{"a.js": "globalThis.n = (globalThis.n ?? 0) + 1; await 0; export let x"}, "[true,1]"},
		{"top-level await", "async () => (await import('t.js')).v", files{"t.js": "export const v = await Promise.resolve('tla');"}, `"tla"`},
		{"await of an awaiting dependency", "async () => (await import('a.js')).v", files{"a.js": "import { v as w } from 'b.js'; export const v = w + 1", "b.js": "export let v = 0; await null; v = 5"}, "6"},
		{"order", "async () => { await import('o.js'); return globalThis.o }", files{"o.js": "import 'p.js'; import 'q.js'; globalThis.o.push('o')", "p.js": "(globalThis.o ??= []).push('p')", "q.js": "(globalThis.o ??= []).push('q')"}, `["p","q","o"]`},
		{"cycle", "async () => (await import('x.js')).a", files{"x.js": "import { b } from 'y.js'; export const a = 'a' + b", "y.js": "import * as x from 'x.js'; export const b = 'b' + typeof x"}, `"abobject"`},
		{"cycle with hoisting", "async () => (await import('x.js')).r", files{"x.js": "import { b } from 'y.js'; export function a() { return 'hoisted' }; export const r = b", "y.js": "import { a } from 'x.js'; export const b = a()"}, `"hoisted"`},
		{"cycle before initialisation", "async () => import('x.js')", files{"x.js": "import { b } from 'y.js'; export const a = 1", "y.js": "import { a } from 'x.js'; export const b = a"}, "ReferenceError: Cannot access 'a' before initialization"},
		{"re-exports", "async () => { const m = await import('m.js'); return [m.a, m.b, m.ns.c, m.d, Object.keys(m)] }", files{"m.js": "export { x as a } from 'n.js'; export * from 'n.js'; export * as ns from 'n.js'; import { c } from 'n.js'; export { c as d }", "n.js": "export const x = 1, b = 2, c = 3; export default 4"}, `[1,2,3,3,["a","b","c","d","ns","x"]]`},
		{"string names", "async () => (await import('m.js'))['a b']", files{"m.js": "const x = 1; export { x as 'a b' }"}, "1"},
		{"proto name", "async () => Object.keys(await import('m.js'))", files{"m.js": "export let constructor = 1; const x = 2; export { x as '__proto__' }"}, `["__proto__","constructor"]`},
		{"conflicting stars", "async () => { const m = await import('m.js'); return Object.keys(m) }", files{"m.js": "export * from 'a.js'; export * from 'b.js'", "a.js": "export let x = 1", "b.js": "export let x = 1, y"}, `["y"]`},
		{"import of a conflict", "async () => import('l.js')", files{"l.js": "import { x } from 'm.js'", "m.js": "export * from 'a.js'; export * from 'b.js'", "a.js": "export let x = 1", "b.js": "export let x = 1"}, "SyntaxError: The requested module 'm.js' contains conflicting star exports for name 'x'"},
		{"names of anonymous defaults", "async () => Promise.all(['a', 'b', 'c', 'd', 'e'].map(async (n) => (await import(n + '.js')).default.name))", files{"a.js": "export default () => 1", "b.js": "export default class {}", "c.js": "export default function () {}", "d.js": "export default function named() {}", "e.js": "const f = () => {}; export default f"}, `["default","default","default","named","f"]`},
		{"namespace object", "async () => { const m = await import('a.js'); return [String(m), Object.prototype.toString.call(m), Object.isExtensible(m), 'x' in m] }", files{"a.js": "export let x = 1; export const toString = () => 'str'"}, `["str","[object Module]",false,true]`},
		{"assignment to a namespace", "async () => { (await import('a.js')).x = 2 }", files{"a.js": "export let x = 1"}, "TypeError: Cannot assign to property 'x' of [object Module]"},
		{"assignment to an import", "async () => import('b.js')", files{"a.js": "export let x = 1", "b.js": "import { x } from 'a.js'; x = 5"}, "TypeError: Assignment to constant variable."},
		{"this and arguments", "async () => (await import('a.js')).v", files{"a.js": "export const v = [typeof this, typeof arguments, (function () { return arguments.length })(1, 2)]"}, `["undefined","undefined",2]`},
		{"import.meta", "async () => { const { meta, own } = await import('a.js'); return [typeof import.meta, Object.keys(import.meta), Object.keys(meta), meta === own] }", files{"a.js": "export const meta = import.meta, own = import.meta"}, `["object",[],[],true]`},
		{"json", "async () => (await import('d.json')).default", files{"d.json": `{"a":1,"__proto__":2}`}, `{"a":1,"__proto__":2}`},
		{"json statically, with attributes", "import d from './d.json' with { type: 'json' }\nasync () => d.a", files{"d.json": `{"a":1}`}, `1`},
		{"bad json", "async () => import('d.json')", files{"d.json": `{bad`}, `SyntaxError: Expected property name or '}' in JSON at position 1 (line 1 column 2)`},
		{"typescript modules", "async () => [(await import('a.ts')).default, (await import('b.mts')).default, (await import('c.tsx')).default]", files{"a.ts": "enum E { A = 5 }; const x: number = E.A; export default x; export type T = string", "b.mts": "import type { T } from 'gone.js'; export default 1 satisfies number", "c.tsx": "export default <T,>(x: T) => x"}, `[5,1,null]`},
		{"names without ending", "async () => [(await import('lodash')).default, (await import('lib/a.js')).default]", files{"lodash": "export default 'L'", "lib/a.js": "import l from 'lodash'; export default l"}, `["L","L"]`},
		{"subdirectories", "async () => { const m = await import('lib/a.js'); return [m.b, m.c, m.d] }", files{"lib/a.js": "export { v as b } from 'b.js'; export { v as c } from '../c.js'; export { v as d } from '/lib//deep/d.js'", "lib/b.js": "export let v = 'b'", "c.js": "export let v = 'c'", "lib/deep/d.js": "export let v = 'd'"}, `["b","c","d"]`},
		{"special characters", "async () => (await import('a b?x#y.js')).default", files{"a b?x#y.js": "export default 's'"}, `"s"`},
		{"missing", "async () => import('x')", nil, `Error: No such module "x".`},
		{"missing with a scheme", "async () => import('https://example.com/x.js')", nil, `Error: No such module "https:/example.com/x.js".`},
		{"missing in a chain", "async () => import('m.js')", files{"m.js": "import 'gone.js'; export const v = 1"}, "Error: No such module \"gone.js\".\n  imported from \"m.js\""},
		{"missing statically", "import x from 'gone.js'\nasync () => x", nil, `Error: No such module "gone.js".`},
		{"missing is catchable", "async () => import('x').catch((e) => e.constructor === Error)", nil, `true`},
		{"symbol", "async () => import(Symbol('x'))", nil, `TypeError: Cannot convert a Symbol value to a string`},
		{"missing export", "async () => (await import('m.js')).nope === undefined", files{"m.js": "export const a = 1"}, "true"},
		{"missing named", "async () => import('m.js')", files{"m.js": "import { nope } from 'n.js'; export const v = 1", "n.js": "export const a = 1"}, "SyntaxError: The requested module 'n.js' does not provide an export named 'nope'"},
		{"missing default", "import d from 'n.js'\nasync () => d", files{"n.js": "export const a = 1"}, "SyntaxError: The requested module 'n.js' does not provide an export named 'default'"},
		{"missing re-export", "async () => import('m.js')", files{"m.js": "export { nope } from './n.js'", "n.js": "export const a = 1"}, "SyntaxError: The requested module './n.js' does not provide an export named 'nope'"},
		{"nothing runs before the graph links", "async () => { await import('m.js').catch(() => 0); return typeof globalThis.ran }", files{"m.js": "import 'n.js'; import { nope } from 'n.js'", "n.js": "globalThis.ran = 1"}, `"undefined"`},
		{"throws", "async () => import('th.js')", files{"th.js": "throw new Error('module threw')"}, "Error: module threw"},
		{"throws once", "async () => { const r = []; for (let i = 0; i < 2; i++) await import('x.js').catch((e) => r.push(e)); return [r[0] === r[1], r[0].message] }", files{"x.js": "globalThis.n = (globalThis.n || 0) + 1; throw new Error('n' + n)"}, `[true,"n1"]`},
		{"syntax error unused", "async () => (await import('a.js')).default", files{"a.js": "export default 1", "s.js": "export const = 5;"}, "1"},
		{"syntax error imported", "async () => import('s.js').catch((e) => [e instanceof SyntaxError, e.message, e.stack])", files{"s.js": "\nexport const = 5;"}, `[true,"Unexpected token '='","SyntaxError: Unexpected token '='\n    at s.js:2:14"]`},
		{"module cannot see the program", "async () => (await import('a.js')).v", files{"a.js": "export const v = [typeof $unit, typeof $registry, typeof provider]"}, `["undefined","function","undefined"]`},
		{"regular expressions and templates", "async () => (await import('a.js')).v", files{"a.js": "const s = `\nexport let no = ${`import(\"x\")`}`; let a = 4, g = 2; if (a) /import\\('\"/.test(s); export const v = [s.length, a / g / 1, /\\/import.meta/.source, ({ import() { return 7 } }).import()]"}, `[28,2,"\\/import.meta",7]`},
		{"patched builtins", "async () => { Array.prototype[Symbol.iterator] = null; String.prototype.split = null; Object.keys = null; Promise.resolve = null; return (await import('a.js')).x }", files{"a.js": "import { x as y } from './b.js'; export const x = y", "b.js": "export const x = 3"}, "3"},
		{"name of ours in use", "async () => { const $mport = 3; return [$mport, (await import('a.js')).x] }", files{"a.js": "const $xport = 4; export const x = $xport"}, "[3,4]"},
		{"shadowed import", "import { x } from 'a.js'\nasync () => [x, ((x) => x)(5), { x }, (() => { let x = 6; return x })()]", files{"a.js": "export const x = 4"}, `[4,5,{"x":4},6]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := run(t, test.code, test.modules); got != test.want {
				t.Errorf("%s\n got  %s\n want %s", test.code, got, test.want)
			}
		})
	}
}

// TestProgramSyntax pins what is refused, where, and that Check is a text V8 refuses as well.
func TestProgramSyntax(t *testing.T) {
	for _, test := range []struct{ code, want string }{
		{"async () => { const = 5 }", "SyntaxError: Unexpected token '=' (program:1:21)"},
		{"async () => {\n  let é = 1, a a\n}", "SyntaxError: Unexpected identifier 'a' (program:2:16)"},
		{"async () => {", "SyntaxError: Unexpected end of input (program:1:14)"},
		{"async () => { let a; let a }", "SyntaxError: Identifier 'a' has already been declared (program:1:26)"},
		{"async () => 1), evil(), (async () => 2", "SyntaxError: Unexpected token ')' (program:1:14)"},
		{"async () => 1; evil(); async () => 2", "SyntaxError: The program must be one async arrow function (program:1:1)"},
		{"import x from 'y'", "SyntaxError: The program must be one async arrow function (program:1:1)"},
		{"", "SyntaxError: The program must be one async arrow function (program:1:1)"},
	} {
		_, err := link.Link(link.Program{Source: test.code})
		syntax, ok := errors.AsType[*link.SyntaxError](err)
		if !ok {
			t.Errorf("%q: no syntax error but %v", test.code, err)
			continue
		}
		if syntax.Error() != test.want {
			t.Errorf("%q\n got  %s\n want %s", test.code, syntax, test.want)
		}
	}
}

func TestPrelude(t *testing.T) {
	l, err := link.Link(link.Program{
		Source: "async () => [ns.a, typeof $p, (await import('m.js')).v]", Params: []string{"$p"}, Prelude: "const ns = $p.ns;",
		Modules: files{"m.js": "export const v = [typeof ns, typeof $p]"},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := webtest.New(t, nil).Await("(" + l.Script + ")(undefined, {ns: {a: 1}}).then((make) => make.call('this')())")
	if want := `[1,"undefined",["undefined","undefined"]]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestPreludeImports: what runs before a program may import, with modules that it shares with the program, and whether or
// not the program imports as well.
func TestPreludeImports(t *testing.T) {
	cache := link.NewCache(1 << 20)
	for source, want := range map[string]string{
		"() => [ns, typeof $primp]":                             `[["import(x)",6],"undefined"]`,
		"async () => [ns, (await import('m.js')).next()]":       `[["import(x)",6],7]`,
		"import { next } from 'm.js'\nasync () => [ns, next()]": `[["import(x)",6],7]`,
	} {
		prelude, name := cache.Imports("const m = 'm', ns = ['import(x)', (await import(m + '.js')).next()]; // import('n')")
		if name != "$primp" {
			t.Errorf("name = %q", name)
		}
		l, err := cache.Link(link.Program{
			Source: source, Prelude: prelude, Imports: []string{name}, Modules: files{"m.js": "let n = 5; export const next = () => ++n"},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := webtest.New(t, nil).Await("(" + l.Script + ")(undefined).then((make) => make()())")
		if got != want {
			t.Errorf("%s: got %s, want %s", source, got, want)
		}
	}
	for _, source := range []string{"ns.a = 'import(x)'", "// import(x)", "import.meta", "import x from 'y'", "ns.import = 1", "import("} {
		if code, name := cache.Imports(source); code != source || name != "" {
			t.Errorf("%q became %q, %q", source, code, name)
		}
	}
}

func TestBuiltinModules(t *testing.T) {
	l, err := link.Link(link.Program{
		Source:  "import { join } from 'node:path'\nasync () => [join, (await import('m.js')).p, (await import('node:path')).join, await import('node:nope').catch((e) => e.message)]",
		Modules: files{"m.js": "export { join as p } from 'node:path'"},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := webtest.New(t, nil).Await("(" + l.Script + ")({builtin: (n) => n === 'node:path' ? {join: 'j'} : undefined}).then((make) => make()())")
	if want := `["j","j","j","No such module \"node:nope\"."]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestPosition throws at a marked place of every kind of unit and maps the first frame back.
func TestPosition(t *testing.T) {
	for _, test := range []struct {
		name, code string
		modules    files
		want       string
	}{
		{"plain", "async () => {\n  1;\n    boom()\n}", nil, ":3:5"},
		{"prelude and first line", "async () => boom()", nil, ":1:13"},
		{"dynamic import", "async () => {\n  await import('a.js');\n\n\n  boom()\n}", files{"a.js": "0"}, ":5:3"},
		{"static import", "import { a } from 'a.js'\nimport { b } from 'a.js'\n\nasync () => {\n  a(); b()\n  boom()\n}", files{"a.js": "export const a = () => {}, b = a"}, ":6:3"},
		{"typescript", "async () => {\n  const a: {\n  x: number } = { x: 1 }\n  boom()\n}", nil, ":4:3"},
		{"module", "async () => import('lib/a.js')", files{"lib/a.js": "\n\nexport const x = 1; boom()"}, "lib/a.js:3:21"},
		{"module with imports", "async () => import('a.js')", files{"a.js": "import { b } from 'b.js'\n\n  boom(b)", "b.js": "export const b = 1"}, "a.js:3:3"},
		{"module that shares a transform", "async () => { await import('a.js'); await import('c.js') }", files{"a.js": "import { b } from 'b.js'\n\nexport const a = b", "b.js": "export const b = 1", "c.js": "import { b } from 'b.js'\nexport function c() {\n  return b\n}\n  boom(c())"}, "c.js:5:3"},
		{"typescript module", "async () => import('a.ts')", files{"a.ts": "interface A {\n}\n\n const a: A = boom()"}, "a.ts:4:15"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, err := link.Link(link.Program{Source: test.code, Modules: test.modules, Prelude: "const\nx = 1;"})
			if err != nil {
				t.Fatal(err)
			}
			// The script starts on line 3 of what runs: "(" by Await, two line breaks here.
			frame := webtest.New(t, nil).Await("(\n\n" + l.Script + ")(undefined).then((make) => make()()).catch((e) => e.stack.split('\\n')[1].match(/(\\d+):(\\d+)\\)?$/).slice(1).join(' '))")
			var line, column int
			if _, err := fmt.Sscanf(strings.Trim(frame, `"`), "%d %d", &line, &column); err != nil {
				t.Fatalf("no position in %s: %v", frame, err)
			}
			file, sourceLine, sourceColumn, ok := l.Position(line-2, column)
			if got := fmt.Sprintf("%s:%d:%d", file, sourceLine, sourceColumn); !ok || got != test.want {
				t.Errorf("got %s (%v), want %s", got, ok, test.want)
			}
		})
	}
}

// BenchmarkLink200 links a program with a chain of 200 modules, cold and from the cache.
func BenchmarkLink200(b *testing.B) {
	modules := files{}
	for i := range 200 {
		modules[fmt.Sprintf("m%d.js", i)] = fmt.Sprintf("import { f as g } from './m%d.js';\nexport function f(x) { return x > 0 ? g(x - 1) + %d : x }\nexport const table = [1, 2, 3].map((n) => ({ n, s: `${n}` }));\n", (i+1)%200, i)
	}
	for name, cache := range map[string]*link.Cache{"cold": nil, "cached": link.NewCache(1 << 24)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := cache.Link(link.Program{Source: "import { f } from 'm0.js'\nasync () => f(10)", Modules: modules}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("plain program", func(b *testing.B) {
		for b.Loop() {
			if _, err := link.Link(link.Program{Source: "async () => { const a = await codemode.list({ x: 1 }); return a.map((b) => b.id) }"}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Modules of one program share a transform where that changes nothing: where a name that one imports is another's own, it
// stays what it is.
func TestManyModulesKeepTheirNames(t *testing.T) {
	modules := files{
		"value.js":  "export const a = 1, b = 2, Math = 3; export default 'd'",
		"user1.js":  "import { a } from './value.js'; export const one = () => { const b = 10; return [a, b] }",
		"user2.js":  "import { b as a } from './value.js'; export const two = () => [a, Math.max(1, 2)]",
		"user3.js":  "import { Math } from './value.js'; export const three = () => [Math, typeof a]",
		"user4.js":  "import d, { a as b } from './value.js'; export function four() { return [d, b, four.name] }",
		"user5.js":  "import * as a from './value.js'; export const five = async () => { const { b } = a; function d() {} return [b, d.name] }; await null",
		"unused.js": "import { a } from './value.js'; export const six = 6",
		"chain1.js": "export { one as first } from './user1.js'; import { eight } from './chain2.js'; export const seven = () => eight + 1",
		"chain2.js": "import { six } from\n'./unused.js'; export const eight = six + 2",
	}
	for i := range 40 {
		modules[fmt.Sprintf("many%d.js", i)] = fmt.Sprintf("import { a as n%d } from './value.js'; export const m%d = () => n%d + %d", i, i, i, i)
	}
	source := "import { one } from 'user1.js'; import { two } from 'user2.js'; import { three } from 'user3.js'; import { four } from 'user4.js'; import { five } from 'user5.js'; import { seven, first } from 'chain1.js';\n"
	sum := ""
	for i := range 40 {
		source += fmt.Sprintf("import { m%d } from 'many%d.js';\n", i, i)
		sum += fmt.Sprintf(" + m%d()", i)
	}
	source += "async () => [one(), two(), three(), four(), await five(), seven(), first === one, 0" + sum + "]"
	want := `[[1,10],[2,2],[3,"undefined"],["d",1,"four"],[2,"d"],9,true,820]`
	if got := run(t, source, modules); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
