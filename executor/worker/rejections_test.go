//go:build cgo && (linux || darwin)

package worker_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// What a program did not await and nobody heard of is told beside its value, and is no failure.
func TestRejectionsThatNobodyTook(t *testing.T) {
	c := startChild(t, wire.Options{})
	fails := func(call) string { return `{"error":"no such id"}` }
	place := func(name, message string, line, column int) wire.Rejection {
		return wire.Rejection{Name: name, Message: message, Line: line, Column: column}
	}
	for _, test := range []struct {
		name string
		program
		want []wire.Rejection
	}{
		{"none", program{code: "async () => 1"}, nil},
		{"an async function", program{code: "async () => {\n  (async () => { null.x })();\n  return 1\n}"}, []wire.Rejection{place("TypeError", "Cannot read properties of null (reading 'x')", 2, 23)}},
		{"then", program{code: "async () => {\n  Promise.resolve().then(() => { throw new RangeError('far') });\n  return 1\n}"}, []wire.Rejection{place("RangeError", "far", 2, 40)}},
		{"a tool", program{code: "async () => { codemode.t(1); try { await codemode.t(2) } catch {} return 1 }", answer: fails}, []wire.Rejection{{Name: "Error", Message: "no such id", Call: "codemode.t"}}},
		{"a tool through a function", program{code: "async () => {\n  const f = async () => {\n    await codemode.t(1)\n  };\n  f(); try { await codemode.t(2) } catch {} return 1 }", answer: fails},
			[]wire.Rejection{{Name: "Error", Message: "no such id", Call: "codemode.t", Line: 3, Column: 5}}},
		{"what was thrown is no error", program{code: "async () => { Promise.reject('a'); Promise.reject(7n); Promise.reject(undefined); Promise.reject(Symbol('s')); Promise.reject({ message: 'm' }); Promise.reject([]) }"},
			[]wire.Rejection{{Message: "a"}, {Message: "7"}, {Message: "undefined"}, {Message: "Symbol(s)"}, {Message: "m"}, {Message: "an object that is no Error"}}},
		{"an aborted signal", program{code: "async () => { Promise.reject(AbortSignal.abort().reason) }"}, []wire.Rejection{{Name: "AbortError", Message: "The operation was aborted"}}},
		{"beside a failure", program{code: "async () => {\n  Promise.reject(new Error('first'));\n  throw new Error('second') }"}, []wire.Rejection{place("Error", "first", 2, 18)}},
		{"of a program that stalls", program{code: "async () => {\n  await new Promise(async () => { throw new Error('inside') }) }"}, []wire.Rejection{place("Error", "inside", 2, 41)}},
		{"many", program{code: "async () => { for (let i = 0; i < 5000; i++) Promise.reject(i) }"},
			[]wire.Rejection{{Message: "0"}, {Message: "1"}, {Message: "2"}, {Message: "3"}, {Message: "4"}, {Message: "5"}, {Message: "6"}, {Message: "7"}, {Message: "8"}, {Message: "9"}}},
		{"a long one", program{code: "async () => { Promise.reject(Object.assign(new Error('x'.repeat(1e6)), { stack: '' })) }"}, []wire.Rejection{{Name: "Error", Message: strings.Repeat("x", 2000) + "…"}}},

		{"a timer", program{code: "async () => { setTimeout(() => { throw new Error('late') }, 1); await new Promise((r) => setTimeout(r, 20)) }"}, []wire.Rejection{place("Error", "late", 1, 40)}},

		{"caught", program{code: "async () => { await Promise.reject(1).catch(() => {}) }"}, nil},
		{"caught later", program{code: "async () => { const p = codemode.t(1); try { await codemode.t(2) } catch {} try { await p } catch { return 1 } }", answer: fails}, nil},
		{"settled together", program{code: "async () => { await Promise.allSettled([codemode.t(1), codemode.t(2), Promise.reject(1)]) }", answer: fails}, nil},
		{"the others of one that failed", program{code: "async () => { try { await Promise.all([codemode.t(1), codemode.t(2)]) } catch {} }", answer: fails}, nil},
		{"raced", program{code: "async () => { await Promise.race([1, Promise.reject(2)]) }"}, nil},
		{"the program's own failure", program{code: "async () => { throw new Error('x') }"}, nil},
		{"a stream that failed", program{code: "async () => { const s = new ReadableStream({ start(c) { c.error(new Error('x')) } }); try { await s.getReader().read() } catch {} }"}, nil},
		{"a stream that was cancelled", program{code: "async () => { const t = new TransformStream(); t.writable.abort(new Error('x')).catch(() => {}); try { await t.readable.getReader().read() } catch {} }"}, nil},
		{"a fetch that is refused", program{code: "async () => { try { await fetch('https://example.com') } catch {} }"}, nil},
		{"a listener", program{code: "async () => { addEventListener('unhandledrejection', () => {}); Promise.reject(1); await new Promise((r) => setTimeout(r, 5)) }"}, nil},
		{"a listener that came late", program{code: "async () => { const p = Promise.reject(1); addEventListener('unhandledrejection', () => {}); p.catch(() => {}); await null }"}, nil},

		{"getters", program{code: "async () => { Promise.reject(Object.defineProperty(new Error('x'), 'message', { get() { for (;;); } })) }"}, []wire.Rejection{{Name: "Error", Line: 1, Column: 52}}},
		{"a proxy", program{code: "async () => { Promise.reject(new Proxy({}, { get() { for (;;); }, getOwnPropertyDescriptor() { for (;;); }, getPrototypeOf() { for (;;); } })) }"}, []wire.Rejection{{Message: "an object that is no Error"}}},
		{"a prototype that is a proxy", program{code: "async () => { Promise.reject(Object.setPrototypeOf(new Error('x'), new Proxy({}, { getOwnPropertyDescriptor() { for (;;); }, getPrototypeOf() { for (;;); } }))) }"}, []wire.Rejection{place("", "x", 1, 52)}},
		{"where the stack ends", program{code: "async () => { let n = 0; const f = () => { n++; Promise.reject(n); f() }; try { f() } catch (e) { return e.message } }"},
			[]wire.Rejection{{Message: "1"}, {Message: "2"}, {Message: "3"}, {Message: "4"}, {Message: "5"}, {Message: "6"}, {Message: "7"}, {Message: "8"}, {Message: "9"}, {Message: "10"}}},
	} {
		got := c.run(test.program)
		if diff := cmp.Diff(test.want, got.done.Unhandled); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.name, diff)
		}
	}
}

// A value that JSON has nothing for is undefined, and what it was is told.
func TestValuesThatAreUndefinedInJSON(t *testing.T) {
	c := startChild(t, wire.Options{})
	for code, want := range map[string]string{
		"async () => {}": "", "async () => undefined": "", "async () => null": "",
		"async () => () => 1": "function", "async () => class {}": "function", "async () => Symbol()": "symbol", "async () => ({ toJSON() {} })": "object",
		"async () => NaN": "NaN", "async () => -1 / 0": "-Infinity", "async () => [NaN]": "", "async () => 0": "",
	} {
		if got := c.run(program{code: code}).done; got.ValueKind != want || got.Failure != nil {
			t.Errorf("%s: %q, %+v; want %q", code, got.ValueKind, got.Failure, want)
		}
	}
}
