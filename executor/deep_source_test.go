package executor_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// TestDeepSourceIsBounded has programs and modules nest deeper than parsers like: each runs, or fails under a limit or as
// a syntax error, and the pool serves the next.
func TestDeepSourceIsBounded(t *testing.T) {
	pool := newPool(t, executor.Options{})
	const depth = 10_000
	for _, nest := range [][2]string{{"[", "]"}, {"()=>", ""}, {"1?", ":1"}} {
		deep := strings.Repeat(nest[0], depth) + "1" + strings.Repeat(nest[1], depth)
		for what, request := range map[string]*protocol.ExecuteRequest{
			"program": {Code: "async () => typeof (" + deep + ")"},
			"program with an import": {
				Code: `import { v } from "m"; async () => typeof (v, ` + deep + ")", Modules: map[string]string{"m": "export const v = 1"},
			},
			"module": {Code: `import { v } from "m"; async () => typeof v`, Modules: map[string]string{"m": "export const v = " + deep}},
		} {
			if failure := mustExecute(t, pool, request).Failure; failure != nil {
				switch failure.Kind {
				case protocol.FailureMemory, protocol.FailureSyntax, protocol.FailureStack, protocol.FailureThrown:
				default:
					t.Errorf("%s of %q: %+v", what, nest[0], failure)
				}
			}
		}
	}
	if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: "async () => 1"}); got != "1" {
		t.Error(got)
	}
}

// TestNoTemporaryFileIsNeeded runs where there is no place for one, as on a full disk: neither we nor a worker writes any.
func TestNoTemporaryFileIsNeeded(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	pool := newPool(t, executor.Options{})
	got := mustValue(t, pool, &protocol.ExecuteRequest{
		Code:    `import { big } from "./m.ts"; async (): Promise<number> => big.length`,
		Modules: map[string]string{"./m.ts": `export const big: string = "x".repeat(1 << 20)`},
	})
	if got != fmt.Sprint(1<<20) {
		t.Error(got)
	}
}
