//go:build cgo && (linux || darwin)

package worker_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// recorded reads lines "expression  =>  outcome" of a file in testdata.
func recorded(t *testing.T, name string) (expressions []string, outcomes map[string]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	outcomes = map[string]string{}
	for line := range strings.Lines(string(data)) {
		expression, outcome, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  =>  ")
		if ok && !strings.HasPrefix(line, "#") {
			expressions = append(expressions, expression)
			outcomes[expression] = outcome
		}
	}
	return expressions, outcomes
}

// TestRecorded runs what was recorded on workerd of the global scope, of timers and of what follows promises, each a
// program of its own. A difference must be in differences.txt, and one that is listed must differ.
func TestRecorded(t *testing.T) {
	show, err := os.ReadFile(filepath.Join("testdata", "show.js"))
	if err != nil {
		t.Fatal(err)
	}
	expressions, reference := recorded(t, "recorded.txt")
	_, ours := recorded(t, "differences.txt")
	c := startChild(t, wire.Options{})
	for _, expression := range expressions {
		body := expression
		if !strings.Contains(body, "return ") && !strings.HasPrefix(body, "const ") {
			body = "return (" + body + ")"
		}
		got := c.run(program{code: "async () => (\n" + string(show) + ")(async () => { " + body + "\n})"}).summary()
		var text string
		if json.Unmarshal([]byte(got), &text) == nil {
			got = text
		}
		want := reference[expression]
		if own, listed := ours[expression]; listed {
			if own == want {
				t.Errorf("%s\n is listed as a difference and is none", expression)
			}
			want = own
		}
		if got != want {
			t.Errorf("%s\n got  %s\n want %s", expression, got, want)
		}
	}
	for expression := range ours {
		if _, known := reference[expression]; !known {
			t.Errorf("%s\n is listed as a difference and was not recorded", expression)
		}
	}
}
