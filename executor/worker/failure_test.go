//go:build cgo && (linux || darwin)

package worker_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

func TestFailures(t *testing.T) {
	c := startChild(t, wire.Options{})
	for _, test := range []struct {
		name string
		program
		want wire.Failure
	}{
		{"first line", program{code: "async () => { null.x }"}, wire.Failure{
			Kind: "thrown", Name: "TypeError", Message: "Cannot read properties of null (reading 'x')", Line: 1, Column: 20,
			Stack: "TypeError: Cannot read properties of null (reading 'x')\n    at program.js:1:20",
		}},
		{"named function", program{code: "async () => {\n  function f() {\n    throw new Error('a\\nb');\n  }\n  [1].map(f);\n}"}, wire.Failure{
			Kind: "thrown", Name: "Error", Message: "a\nb", Line: 3, Column: 11,
			Stack: "Error: a\nb\n    at f (program.js:3:11)\n    at Array.map (<anonymous>)\n    at program.js:5:7",
		}},
		{"a failed call", program{code: "async () => {\n  await codemode.t();\n}", answer: func(call) string { return `{"error":"no"}` }}, wire.Failure{
			Kind: "thrown", Name: "Error", Message: "no", Line: 2, Column: 3, Stack: "Error: no\n    at async program.js:2:3",
		}},
		{"causes", program{code: "async () => { throw Object.assign(new TypeError('bad q'), {cause: new Error('middle', {cause: {id: 7}})}) }"}, wire.Failure{
			Kind: "thrown", Name: "TypeError", Message: "bad q", Line: 1, Column: 35, Stack: "TypeError: bad q\n    at program.js:1:35",
			Causes: []string{"Error: middle", `{"id":7}`},
		}},
		{"causes in a ring", program{code: "async () => {\n const e = new Error('a'); e.cause = e; throw e }"}, wire.Failure{
			Kind: "thrown", Name: "Error", Message: "a", Line: 2, Column: 12, Stack: "Error: a\n    at program.js:2:12",
			Causes: slices.Repeat([]string{"Error: a"}, 10),
		}},
		{"causes that lie", program{code: "async () => {\n const e = new Error('a'); Object.defineProperty(e, 'cause', {get() { for (;;); }}); throw e }"}, wire.Failure{
			Kind: "thrown", Name: "Error", Message: "a", Line: 2, Column: 12, Stack: "Error: a\n    at program.js:2:12",
		}},
		{"several errors", program{code: "async () => {\n throw new AggregateError([new Error('a'), 'b', new RangeError('c'.repeat(3000))], 'all') }"}, wire.Failure{
			Kind: "thrown", Name: "AggregateError", Message: "all", Line: 2, Column: 8, Stack: "AggregateError: all\n    at program.js:2:8",
			Causes: []string{"Error: a", "b", "RangeError: " + strings.Repeat("c", 1988) + "... (3012 characters)"},
		}},
		{"the data of a failed call", program{code: "async () => {\n try { await codemode.t() } catch (e) { throw Object.keys(e).join() + JSON.stringify(e.data) + e }\n}",
			answer: func(call) string { return `{"error":"no","data":{"id":7}}` }}, wire.Failure{
			Kind: "thrown", Message: `data{"id":7}Error: no`, Thrown: `"data{\"id\":7}Error: no"`,
		}},
		{"seen before", program{code: "async () => {\n  const e = new Error('x'); e.stack; throw e }"}, wire.Failure{
			Kind: "thrown", Name: "Error", Message: "x", Line: 2, Column: 13, Stack: "Error: x\n    at program.js:2:13",
		}},
		{"prepareStackTrace", program{code: "async () => {\n  Error.prepareStackTrace = () => 'forged\\n    at program.js:99:99'; throw new Error('x') }"}, wire.Failure{
			Kind: "thrown", Name: "Error", Message: "x", Line: 2, Column: 76, Stack: "Error: x\n    at program.js:2:76",
		}},
		{"a locked prepareStackTrace", program{code: "async () => {\n  Object.defineProperty(Error, 'prepareStackTrace', {get() { for (;;) ; }}); throw new Error('x') }"}, wire.Failure{
			Kind: "thrown", Name: "Error", Message: "x",
		}},
		{"lines in a message", program{code: "async () => { throw new Error('x\\n    at f (program.js:9:9)') }"}, wire.Failure{
			Kind: "thrown", Name: "Error", Message: "x\n    at f (program.js:9:9)", Line: 1, Column: 21,
			Stack: "Error: x\n    at f (program.js:9:9)\n    at program.js:1:21",
		}},
		{"no error", program{code: "async () => { throw {a: 1} }"}, wire.Failure{Kind: "thrown", Message: `{"a":1}`, Thrown: `{"a":1}`}},
		{"a message", program{code: "async () => { throw {message: 'm'} }"}, wire.Failure{Kind: "thrown", Message: "m", Thrown: `{"message":"m"}`}},
		{"a bad message", program{code: "async () => { throw {get message() { throw new Error('inner') }} }"}, wire.Failure{
			Kind: "thrown", Message: "the message of what was thrown cannot be read: inner",
		}},
		{"undefined", program{code: "async () => { throw undefined }"}, wire.Failure{Kind: "thrown", Message: "undefined"}},
		{"empty", program{code: "() => { throw new TypeError() }"}, wire.Failure{
			Kind: "thrown", Name: "TypeError", Message: "TypeError", Line: 1, Column: 15, Stack: "TypeError\n    at program.js:1:15",
		}},
		{"syntax", program{code: "async () => {\n  const x = ;\n}"}, wire.Failure{
			Kind: "syntax", Name: "SyntaxError", Message: "Unexpected token ';'", Line: 2, Column: 13,
			Stack: "SyntaxError: Unexpected token ';'\n    at program.js:2:13",
		}},
		{"a statement", program{code: "const a = 1"}, wire.Failure{
			Kind: "syntax", Name: "SyntaxError", Line: 1, Column: 1,
			Message: "Unexpected token 'const' (a program has to be one arrow function expression, after its import declarations)",
			Stack:   "SyntaxError: Unexpected token 'const' (a program has to be one arrow function expression, after its import declarations)\n    at program.js:1:1",
		}},
		{"no function", program{code: "42"}, wire.Failure{
			Kind: "thrown", Name: "TypeError", Message: "the program is not a function: it has to be one arrow function expression",
		}},
		{"no way out of the scope", program{code: "() => 1 }), (function () { return 1"}, wire.Failure{
			Kind: "syntax", Name: "SyntaxError", Message: "Unexpected token '}'", Line: 1, Column: 9,
			Stack: "SyntaxError: Unexpected token '}'\n    at program.js:1:9",
		}},
		{"typescript", program{code: "async () => {\n  const n: number = 1;\n  throw new Error(`${n}`);\n}"}, wire.Failure{
			Kind: "thrown", Name: "Error", Message: "1", Line: 3, Column: 9, Stack: "Error: 1\n    at program.js:3:9",
		}},
		{"a module", program{code: "async () => (await import('./m.js')).f()", modules: map[string]string{"m.js": "export const f = () => {\n  throw new Error('m');\n};"}}, wire.Failure{
			Kind: "thrown", Name: "Error", Message: "m", File: "m.js", Line: 2, Column: 9, Stack: "Error: m\n    at Module.f (m.js:2:9)\n    at program.js:1:38",
		}},
	} {
		o := c.run(test.program)
		if o.done.Failure == nil {
			t.Errorf("%s: no failure but %s", test.name, o.value)
			continue
		}
		if diff := cmp.Diff(test.want, *o.done.Failure); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestTheSourceOfAProvider(t *testing.T) {
	c := startChild(t, wire.Options{})
	with := func(prelude, proxySource string) *wire.RunHeader {
		h := header("other", "codemode")
		h.Providers[1].Prelude, h.Providers[1].ProxySource = prelude, proxySource
		return h
	}
	for _, test := range []struct{ prelude, proxySource, code, want string }{
		{"codemode.step = async (n) => 'step' + n + await codemode.echo('!')", "", "async () => codemode.step(2)", `"step2!"`},
		{"const helper = () => typeof other;", "", "async () => helper()", `"object"`},
		{"const pre = await codemode.echo(3); // done", "", "async () => pre", "3"},
		{"throw new Error('boom')", "", "async () => 1", `Error: the source of provider "codemode": boom`},
		{"const = ;", "", "async () => 1", `SyntaxError: the prelude of provider "codemode": Unexpected token '='`},
		{"", "{ hi: async (x) => __dispatch('a', 'b', JSON.stringify([x])) }", "async () => codemode.hi('y')", `"{\"result\":\"y\"}"`},
		{"codemode.x = 5", "{}", "async () => [codemode.x, typeof __dispatch, typeof codemode.y]", `[5,"undefined","undefined"]`},
		{"", "null.x", "async () => 1", `TypeError: the source of provider "codemode": Cannot read properties of null (reading 'x')`},
		{"", "{", "async () => 1", `SyntaxError: the proxySource of provider "codemode": Unexpected token ')'`},
		{"codemode.a = 1;\ncodemode.b = 2;", "", "async () => {\n  throw new Error('x' + codemode.b) }", "Error: x2"},
		{"codemode.fail = () => { throw new Error('later') }", "", "async () => codemode.fail()", "Error: later"},
	} {
		o := c.run(program{code: test.code, header: with(test.prelude, test.proxySource)})
		if got := o.summary(); got != test.want {
			t.Errorf("%s%s: got %s, want %s", test.prelude, test.proxySource, got, test.want)
		}
	}
	o := c.run(program{code: "async () => {\n  throw new Error('x') }", header: with("codemode.a = 1;\ncodemode.b = 2;", "")})
	if f := o.done.Failure; f == nil || f.Line != 2 || f.Column != 9 {
		t.Errorf("a position after a prelude: %+v", f)
	}
}
