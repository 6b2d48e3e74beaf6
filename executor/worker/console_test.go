//go:build cgo && (linux || darwin)

package worker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

func TestConsoleInspect(t *testing.T) {
	c := startChild(t, wire.Options{})
	h := header("codemode")
	h.ConsoleFormat = "inspect"
	for _, test := range []struct{ call, want string }{
		{`log('a', 1, true, null, undefined)`, "log a 1 true null undefined"},
		{`log({a: {b: [1, 'x']}, 'c-d': -0})`, "log { a: { b: [ 1, 'x' ] }, 'c-d': -0 }"},
		{`log([1,,3], [])`, "log [ 1, <1 empty item>, 3 ] []"},
		{`log(new Map([['a', 1]]), new Set([1, 'b']))`, "log Map(1) { 'a' => 1 } Set(2) { 1, 'b' }"},
		{`log(new (class Foo { x = 1 })())`, "log Foo { x: 1 }"},
		{`log(Object.assign(Object.create(null), {a: 1}))`, "log [Object: null prototype] { a: 1 }"},
		{`log({get a() { return 1 }, set b(v) {}})`, "log { a: [Getter], b: [Setter] }"},
		{`log(() => 1, function f() {}, class A {}, class B extends Map {}, async () => 1)`,
			"log [Function (anonymous)] [Function: f] [class A] [class B extends Map] [AsyncFunction (anonymous)]"},
		{`log(new Date(0), /a/g, Symbol('s'), 5n, new Uint8Array(2))`, "log 1970-01-01T00:00:00.000Z /a/g Symbol(s) 5n Uint8Array(2) [ 0, 0 ]"},
		{`log('%s is %d and %i, %j %o %%', 'x', 4.5, 4.5, {a: 1}, [2], 'rest')`, `log x is 4.5 and 4, {"a":1} [ 2 ] % rest`},
		{`log('100%', 'sure')`, "log 100% sure"},
		{`warn(codemode)`, "warn {}"},
		{`log((() => { const o = {a: 1}; o.o = o; return o })())`, "log { a: 1, o: [Circular] }"},
		{`log({a: {b: {c: {d: {e: {f: 1}}}}}})`, "log { a: { b: { c: { d: { e: [Object] } } } } }"},
		{`log(((i) => { i.next(); return i })(new Map([[1, {a: 2}], ['b', 3], ['c', 4]]).entries()))`, "log [Map Entries] { [ 'b', 3 ], [ 'c', 4 ] }"},
		{`log(new Map([[1, 2]]).keys(), new Set([3]).values(), new Set([3]).entries())`, "log [Map Iterator] { 1 } [Set Iterator] { 3 } [Set Entries] { [ 3, 3 ] }"},
		{`log({[Symbol.toStringTag]: 'Map Iterator'})`, "log Object [Map Iterator] { [Symbol(Symbol.toStringTag)]: 'Map Iterator' }"},
		{`log(new Proxy({}, {ownKeys() { throw 1 }}))`, "log [an object that cannot be inspected]"},
		{`log(Object.assign(new Error('e'), {code: 5, stack: 'Error: e'}))`, "log Error: e { code: 5 }"},
		{`log([new Number(1), new String('s')])`, "log [ [Number: 1], [String: 's'] ]"},
		{`error('x'.repeat(3), ["it's"])`, `error xxx [ "it's" ]`},
		{`assert(1 === 2, 'no')`, "error Assertion failed: no"},
		{`count(), console.count('x'), console.count()`, "log default: 1|log x: 1|log default: 2"},
		{`group('g'), console.log('a\nb'), console.groupEnd(), console.log('c')`, "log g|log   a\n  b|log c"},
		{`table([{a: 1, b: 'x'}, {a: 2}])`,
			"log ┌─────────┬───┬─────┐\n│ (index) │ a │ b   │\n├─────────┼───┼─────┤\n│ 0       │ 1 │ 'x' │\n│ 1       │ 2 │     │\n└─────────┴───┴─────┘"},
	} {
		o := c.run(program{code: "async () => { console." + test.call + " }", header: h})
		if diff := cmp.Diff(test.want, strings.Join(o.logs, "|")); diff != "" || o.done.Failure != nil {
			t.Errorf("%s: %s %+v", test.call, diff, o.done.Failure)
		}
	}
}

func TestConsoleInspectIsBounded(t *testing.T) {
	c := startChild(t, wire.Options{})
	h := header("codemode")
	h.ConsoleFormat = "inspect"
	for _, value := range []string{
		"Array(1e6).fill('abcdefghij')", "'x'.repeat(1e6).split('')", "Object.fromEntries(Array.from({length: 1e5}, (_, i) => ['k' + i, i]))",
		"new Map(Array.from({length: 1e5}, (_, i) => [i, {i}]))", "new Array(4e9)", "new Uint8Array(1e6)",
		"(() => { const wide = (n) => n === 0 ? 'leaf' : Array.from({length: 60}, () => wide(n - 1)); return wide(3) })()",
	} {
		o := c.run(program{code: "async () => { console.log(" + value + ") }", header: h})
		if o.done.Failure != nil || len(o.logs) != 1 || len(o.logs[0]) > 100_000 {
			t.Errorf("%s: %d lines, %+v", value, len(o.logs), o.done.Failure)
		}
	}
}

func TestConsoleCut(t *testing.T) {
	c := startChild(t, wire.Options{})
	h := header("codemode")
	h.LogLines = 5
	o := c.run(program{code: "async () => { for (let i = 0; i < 1e6; i++) console.log('line', i); return 'done' }", header: h})
	want := []string{"log line 0", "log line 1", "log line 2", "log line 3", "log line 4", "warn [the console is cut here: at most 5 lines in a run]"}
	if diff := cmp.Diff(want, o.logs); diff != "" || o.value != `"done"` {
		t.Errorf("lines: %s, %s", diff, o.summary())
	}
	h = header("codemode")
	h.LogBytes = 10
	o = c.run(program{code: "async () => { console.log('abcdef'); console.error('ghi\u00e9\u00e9'); console.log('more') }", header: h})
	want = []string{"log abcdef", "error ghi", "warn [the console is cut here: at most 10 bytes in a run]"}
	if diff := cmp.Diff(want, o.logs); diff != "" {
		t.Errorf("bytes: %s", diff)
	}
}

func TestConsoleIsHeardWhileTheProgramRuns(t *testing.T) {
	c := startChild(t, wire.Options{})
	o := c.run(program{
		code:  "async () => { console.log('first'); for (;;) ; }",
		onLog: func(string) { fmt.Fprint(c.control, string(wire.Terminate)) },
	})
	if o.done.Failure == nil || o.done.Failure.Kind != "terminated" {
		t.Errorf("got %+v", o.done)
	}
}
