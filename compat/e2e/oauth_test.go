package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestClientsLogIn has the TypeScript SDK's clients log in to serve --http by what it tells them, run a program, and renew a token.
func TestClientsLogIn(t *testing.T) {
	needNode(t)
	t.Setenv("CODEMODE", codemode)
	upstream, err := json.Marshal(map[string]any{"command": "node", "args": server("everything")})
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"sdk1", "sdk2"} {
		t.Run(version, func(t *testing.T) {
			dir := t.TempDir()
			var seen struct {
				First, Resource          bool
				Scope, Program, Renewed  string
				Own, Stranger, Elsewhere int
				Asked                    []string
			}
			out := node(t, dir, "oauth.mjs", version, dir, string(upstream))
			if err := json.Unmarshal([]byte(out), &seen); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if !seen.First || !seen.Resource || seen.Scope != "mcp" || !slices.Equal(seen.Asked, []string{"authorization_code", "refresh_token"}) {
				t.Errorf("the login: %+v", seen)
			}
			if !strings.Contains(seen.Program, "42") || !strings.Contains(seen.Renewed, "42") {
				t.Errorf("the programs: %+v", seen)
			}
			if seen.Own != 200 || seen.Stranger != 403 || seen.Elsewhere != 401 {
				t.Errorf("the session of alice for others: %+v", seen)
			}
			file, err := os.Open(filepath.Join(dir, "runs.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			var runs int
			for lines := bufio.NewScanner(file); lines.Scan(); runs++ {
				var run struct{ View, Subject, Issuer string }
				if err := json.Unmarshal(lines.Bytes(), &run); err != nil || run.View != "people" || run.Subject != "alice" || run.Issuer == "" {
					t.Errorf("the audit file has %s", lines.Text())
				}
			}
			if runs != 2 {
				t.Errorf("%d runs were written down", runs)
			}
		})
	}
}
