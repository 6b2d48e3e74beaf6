package web_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/web/webtest"
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

// TestModules runs what was recorded there of the modules of node: and cloudflare:, of the globals beside the web's and
// of the language's newest members.
func TestModules(t *testing.T) {
	show, err := os.ReadFile(filepath.Join("testdata", "show.js"))
	if err != nil {
		t.Fatal(err)
	}
	expressions, reference := recorded(t, "modules.txt")
	var h *webtest.Host
	for i, expression := range expressions {
		if i%40 == 0 {
			h = webtest.New(t, nil)
		}
		if got, want := outcome(h, string(show), expression), reference[expression]; got != want {
			t.Errorf("%s\n got  %s\n want %s", expression, got, want)
		}
	}
}

// outcome runs an expression, or statements with a return, as the recording did.
func outcome(h *webtest.Host, show, expression string) string {
	body := strings.ReplaceAll(expression, "import(", "importModule(")
	if !strings.Contains(body, "return ") && !strings.HasPrefix(body, "const ") {
		body = "return (" + body + ")"
	}
	text := h.Await("(" + show + ")(async () => { 'use strict'; " + body + "\n})")
	var got string
	if json.Unmarshal([]byte(text), &got) != nil {
		return text
	}
	return got
}

// TestWorkerd runs what was recorded on workerd 1.20261117.1, inside a dynamic worker with the
// reference's flags, and compares the outcomes. A difference must be in differences.txt, and one that
// is listed must differ.
func TestWorkerd(t *testing.T) {
	show, err := os.ReadFile(filepath.Join("testdata", "show.js"))
	if err != nil {
		t.Fatal(err)
	}
	expressions, reference := recorded(t, "workerd.txt")
	_, ours := recorded(t, "differences.txt")
	const batch = 40 // expressions that share an isolate
	var h *webtest.Host
	for i, expression := range expressions {
		if i%batch == 0 {
			h = webtest.New(t, nil)
		}
		got := outcome(h, string(show), expression)
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
