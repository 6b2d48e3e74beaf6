//go:build cgo && (linux || darwin)

package web_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/web/webtest"
)

// TestHostileProgram uses the platform after the program has replaced every builtin it could reach:
// each line is an expression that must be true, run in an isolate of its own.
func TestHostileProgram(t *testing.T) {
	patch, err := os.ReadFile(filepath.Join("testdata", "hostile.js"))
	if err != nil {
		t.Fatal(err)
	}
	expressions, err := os.ReadFile(filepath.Join("testdata", "hostile.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for expression := range strings.Lines(string(expressions)) {
		expression = strings.TrimSpace(expression)
		h := webtest.New(t, nil)
		// The harness of the test needs builtins too: it has them from before.
		h.Await(`globalThis.keep = { getOwnPropertyDescriptor: Object.getOwnPropertyDescriptor, defineProperty: Object.defineProperty, then: Function.prototype.call.bind(Promise.prototype.then), bytes: (n) => new U8(n) }, globalThis.U8 = Uint8Array, 1`)
		h.Await("(" + string(patch) + ")()")
		// The outcome is left in a global: to await it would be to use the program's promises.
		h.Await("(() => { globalThis.outcome = 'pending'; try { const p = (() => (" + expression + "))(); if (typeof p === 'object') keep.then(p, (v) => { outcome = v }, (e) => { outcome = 'rejected: ' + e.message }); else outcome = p } catch (e) { outcome = 'thrown: ' + e.message + e.stack } })()")
		h.Settle()
		if got := h.Await("outcome === true ? 'ok' : outcome"); got != `"ok"` {
			t.Errorf("%s\n  %s", expression, got)
		}
	}
}
