// Package recorded compares expressions with what they came to on workerd.
//
// A recording is a file of testdata with lines "expression  =>  outcome"; lines that start with # say something. Beside it
// may be differences.txt, with the outcomes here that differ on purpose: one that is listed must differ.
//
//	recorded.Check(t, "workerd.txt", "differences.txt", func(expression string) string {
//		return run("(" + recorded.Show + ")(async () => { " + recorded.Body(expression) + " })")
//	})
package recorded

import (
	_ "embed" // show.js
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Show is a function that runs an expression's function and renders its outcome as the recording has it.
//
//go:embed show.js
var Show string

// Body is an expression, or statements with a return, as the body of a function.
func Body(expression string) string {
	if strings.Contains(expression, "return ") || strings.HasPrefix(expression, "const ") {
		return expression
	}
	return "return (" + expression + ")"
}

// Check runs every expression of a recording in its order and compares the outcomes. differences is "" for a recording
// that has none.
func Check(t *testing.T, recording, differences string, outcome func(expression string) string) {
	t.Helper()
	expressions, reference := read(t, recording)
	ours := map[string]string{}
	if differences != "" {
		_, ours = read(t, differences)
	}
	for _, expression := range expressions {
		want := reference[expression]
		if own, listed := ours[expression]; listed {
			if own == want {
				t.Errorf("%s\n is listed as a difference and is none", expression)
			}
			want = own
		}
		if got := outcome(expression); got != want {
			t.Errorf("%s\n got  %s\n want %s", expression, got, want)
		}
	}
	for expression := range ours {
		if _, known := reference[expression]; !known {
			t.Errorf("%s\n is listed as a difference and was not recorded", expression)
		}
	}
}

func read(t *testing.T, name string) (expressions []string, outcomes map[string]string) {
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
