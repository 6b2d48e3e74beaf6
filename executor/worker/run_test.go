//go:build cgo && (linux || darwin)

package worker_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

func TestPrograms(t *testing.T) {
	c := startChild(t, wire.Options{})
	for _, test := range []struct{ code, want string }{
		{"async () => 42", "42"},
		{"() => 7", "7"},
		{"// first\nasync () => 42;", "42"},
		{"async () => { throw new Error('boom') }", "Error: boom"},
		{"async () => (await codemode.echo({a: 1})).a", "1"},
		{"async () => typeof this", `"object"`},
		{"async () => [Object.assign(new Error('a'), {code: 1}), Object.assign(new Map([[1, 2]]), {a: 1}), new Set([1]), Object.assign(/a/, {a: 1})]", "[{},{},{},{}]"},
		{"async () => Object.setPrototypeOf({a: 1}, Map.prototype)", `{"a":1}`},
		{"async () => { const {RpcTarget} = await import('cloudflare:workers'); return {a: new RpcTarget(), b: [new RpcTarget()]} }", `{"b":[null]}`},
		{"async () => structuredClone(codemode)", "DataCloneError: #<Object> could not be cloned."},
		{"async () => { throw new DOMException('', 'AbortError') }", "AbortError: AbortError"},
		{"async () => { throw new Uint8Array([1, 2]) }", `{"0":1,"1":2}`},
		{"async () => { throw {message: new Uint8Array([1])} }", `{"0":1}`},
		{"async () => { throw Object.assign(new Error('a'), {message: {a: 1}}) }", `Error: {"a":1}`},
		{"async () => typeof arguments", `"undefined"`},
		{"async () => { undeclared = 1 }", "ReferenceError: undeclared is not defined"},
		{"async () => { const x = ; }", "SyntaxError: Unexpected token ';'"},
		{"async () => { await new Promise(() => {}) }", "the program waits for a promise that nothing can settle any more: no tool call, request or timer is pending"},
		{"async () => new Promise(r => setTimeout((a,b) => r([a,b]), 1, 'x', 'y'))", `["x","y"]`},
		{"async () => { const x: number = 5; return x }", "5"},
		{"async () => 'a\\0b h\u00e9 \U0001F600 \\ud800'", "\"a\\u0000b h\u00e9 \U0001F600 \\ud800\""},
		{"async () => 'a\x00b'", `"a\u0000b"`},
		{"async () => new Uint16Array([1,2])", `{"__codemode_binary_v1__":"ArrayBufferView","view":"Uint16Array","data":"AQACAA=="}`},
		{"async () => codemode.echo(new Uint8Array([1,2,3]))", `{"__codemode_binary_v1__":"Uint8Array","data":"AQID"}`},
		{"async () => codemode", `{}`},
		{"async () => await codemode", `{}`},
	} {
		c.check(test.code, test.want)
	}
}

func BenchmarkTrivial(b *testing.B) {
	c := startChild(b, wire.Options{})
	for b.Loop() {
		c.run(program{code: "async () => 1"})
	}
}

func BenchmarkCall(b *testing.B) {
	c := startChild(b, wire.Options{})
	h := header("codemode")
	h.ToolCalls = 1 << 40
	for b.Loop() {
		o := c.run(program{code: "async () => { const t = Date.now(); for (let i = 0; i < 1000; i++) await codemode.echo(i); return Date.now() - t }", header: h})
		if o.done.Failure != nil {
			b.Fatal(o.summary())
		}
		b.ReportMetric(float64(o.done.WallMicros)/1000, "µs/call")
		b.ReportMetric(float64(o.done.CPUMicros)/1000, "cpu-µs/call")
	}
}

// Answers may come in one piece while the worker sleeps; what it has read it need not wait for.
func TestAnswersThatComeTogether(t *testing.T) {
	c := startChild(t, wire.Options{})
	answer := func(asked call) string {
		if asked.tool == "first" {
			return ""
		}
		time.Sleep(10 * time.Millisecond)
		for id := range 10 { // the first's is among them
			if err := c.in.Write(wire.Answer, []byte(strconv.Itoa(id)), []byte(`{"result":"together"}`)); err != nil {
				t.Fatal(err)
			}
		}
		return `{"result":"together"}` // which sends all
	}
	o := c.run(program{code: "async () => Promise.all([codemode.first(), codemode.second()])", answer: answer})
	if want := `["together","together"]`; o.summary() != want {
		t.Errorf("got %s", o.summary())
	}
}
