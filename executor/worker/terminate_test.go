//go:build cgo && (linux || darwin)

package worker_test

import (
	"testing"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// Each program says that it is about to do something without end; the test then asks for its end.
func TestTerminateStops(t *testing.T) {
	c := startChild(t, wire.Options{})
	for name, code := range map[string]string{
		"a loop":                 "async () => { console.log('now'); for (;;) ; }",
		"a loop after an await":  "async () => { await codemode.t(); console.log('now'); for (;;) ; }",
		"a regular expression":   "async () => { console.log('now'); /^(a+)+$/.test('a'.repeat(60) + 'b') }",
		"a loop in a catch":      "async () => { console.log('now'); for (;;) try { for (;;) ; } catch {} finally { for (;;) ; } }",
		"a loop in a timer":      "async () => { setTimeout(() => { console.log('now'); for (;;) ; }, 1); await new Promise(() => {}) }",
		"microtasks":             "async () => { console.log('now'); for (;;) await 1 }",
		"a getter of the result": "async () => ({ get a() { console.log('now'); for (;;) ; } })",
		"a toJSON of the result": "async () => ({ toJSON() { console.log('now'); for (;;) ; } })",
		"a trap of the result":   "async () => new Proxy({}, { ownKeys() { console.log('now'); for (;;) ; } })",
		"a thrown getter":        "async () => { throw { get message() { console.log('now'); for (;;) ; } } }",
		"a toString for console": "async () => { console.log('now'); console.log({ toString() { for (;;) ; } }) }",
		"an argument's getter":   "async () => { await codemode.t({ get a() { console.log('now'); for (;;) ; } }) }",
		"a wait for memory":      "async () => { console.log('now'); Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0) }",
		"waiting for a call":     "async () => { console.log('now'); await codemode.never() }",
		"waiting for a timer":    "async () => { console.log('now'); await new Promise((r) => setTimeout(r, 1e9)) }",
		"a prelude":              "async () => 1",
	} {
		h := header("codemode")
		if name == "a prelude" {
			h.Providers[0].Prelude = "console.log('now'); for (;;) ;"
		}
		o := c.run(program{
			code: code, header: h,
			answer: func(made call) string {
				if made.tool == "never" {
					return ""
				}
				return "{}"
			},
			onLog: func(string) {
				if _, err := c.control.Write([]byte{wire.Terminate}); err != nil {
					t.Error(err)
				}
			},
		})
		if o.done.Failure == nil || o.done.Failure.Kind != "terminated" || len(o.logs) != 1 {
			t.Errorf("%s: %+v %v", name, o.done, o.logs)
		}
		c.check("async () => await codemode.echo('fine')", `"fine"`)
	}
}

func TestTerminateBetweenRunsIsForgotten(t *testing.T) {
	c := startChild(t, wire.Options{})
	for range 3 {
		if _, err := c.control.Write([]byte{wire.Terminate}); err != nil {
			t.Fatal(err)
		}
		c.check("async () => { await codemode.echo(1); return 'fine' }", `"fine"`)
	}
}

func TestTheProgramEndsWithItsValue(t *testing.T) {
	c := startChild(t, wire.Options{})
	for _, code := range []string{
		"async () => { (async () => { for (;;) await 1 })(); return 'done' }",
		"async () => { setInterval(() => { for (;;) ; }, 0); return 'done' }",
		"async () => { codemode.never(); return 'done' }",
	} {
		o := c.run(program{code: code, answer: func(call) string { return "" }})
		if o.value != `"done"` {
			t.Errorf("%s: %s", code, o.summary())
		}
	}
	// The reference hears a line up to three microtasks after the arrow returned, and no later.
	o := c.run(program{code: `async () => {
		Promise.resolve().then(() => console.log(1)).then(() => console.log(2)).then(() => console.log(3)).then(() => console.log(4)); return 0 }`})
	if len(o.logs) != 3 {
		t.Errorf("lines after the end: %v", o.logs)
	}
	o = c.run(program{code: `async () => { Promise.resolve().then(() => 0).then(() => 0).then(() => console.log(3)).then(() => console.log(4)); throw 1 }`})
	if len(o.logs) != 1 {
		t.Errorf("lines after a throw: %v", o.logs)
	}
}

func TestStalled(t *testing.T) {
	c := startChild(t, wire.Options{})
	for _, code := range []string{
		"async () => { await new Promise(() => {}) }",
		"async () => { await codemode.t(); setTimeout(() => {}, 5); clearTimeout(setTimeout(() => {}, 1e6)); await new Promise(() => {}) }",
	} {
		o := c.run(program{code: code})
		if f := o.done.Failure; f == nil || f.Kind != "stalled" {
			t.Errorf("%s: %s", code, o.summary())
		}
	}
}
