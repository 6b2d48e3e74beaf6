//go:build cgo && (linux || darwin)

package worker_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/web"
)

// A script with a single character beyond ASCII costs every isolate twice its length and a slow decoding: a tenth of
// what it takes to make one. The scripts that each isolate runs have none.
func TestScriptsOfEveryIsolateAreASCII(t *testing.T) {
	eager := map[string]string{}
	for _, pattern := range []string{"[0-9]*.js", "scope.js", "boot.js"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v %v", pattern, names, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			eager[name] = string(text)
		}
	}
	for _, script := range web.Scripts() {
		if script.Name[0] == '0' && len(script.Globals) == 0 {
			eager[script.Name] = script.Source()
		}
	}
	for name, text := range eager {
		if at := strings.IndexFunc(text, func(r rune) bool { return r > 127 }); at >= 0 {
			t.Errorf("%s, line %d: %.20q", name, strings.Count(text[:at], "\n")+1, text[at:])
		}
	}
}
