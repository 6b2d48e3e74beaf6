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
	keep, err := os.ReadFile(filepath.Join("testdata", "hostile_keep.js"))
	if err != nil {
		t.Fatal(err)
	}
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
		h.Await("(" + string(keep) + ")()")
		h.Await("(" + string(patch) + ")()")
		if got := h.Await("patched"); got != "true" {
			t.Fatalf("the program has not patched everything: %s", got)
		}
		// The outcome is left in a global: to await it would be to use the program's promises.
		h.Await("(() => { globalThis.outcome = 'pending'; try { const p = (() => (" + expression + "))(); if (typeof p === 'object') keep.then(p, (v) => { outcome = v }, (e) => { outcome = 'rejected: ' + e.message }); else outcome = p } catch (e) { outcome = 'thrown: ' + e.message + e.stack } })()")
		h.Settle()
		if got := h.Await("outcome === true ? 'ok' : outcome"); got != `"ok"` {
			t.Errorf("%s\n  %s", expression, got)
		}
	}
}
