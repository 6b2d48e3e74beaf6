package config

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// identityOf reads an entry in dir with a variable X.
func identityOf(t *testing.T, dir, x, entry string) string {
	t.Helper()
	file := filepath.Join(dir, "mcp.json")
	if err := os.WriteFile(file, fmt.Appendf(nil, `{"mcpServers": {"srv": %s}}`, entry), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load([]string{file}, &Options{LookupEnv: func(name string) (string, bool) { return x, name == "X" }})
	if err != nil || len(c.Servers) != 1 {
		t.Fatalf("%s: %v %v", entry, err, c)
	}
	return c.Servers[0].Identity()
}

func TestIdentity(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	entries := []string{
		`{"command": "x", "args": ["--token", "${X}"]}`, `{"command": "x", "args": ["--token", "${env:X}"], "cwd": "."}`, `{"command": "./x", "args": ["${X}"]}`,
		`{"command": ["x", "${X}"]}`, `{"url": "https://api.example/mcp?k=${X}"}`, `{"url": "https://${X}.example/mcp"}`,
		`{"openapi": "https://api.example/${X}.json"}`, `{"openapi": "api.json", "url": "https://api.example/${X}"}`, `{"command": "x", "args": ["${workspaceFolder}"]}`,
	}
	seen := map[string]string{}
	for i, entry := range entries {
		before, after := identityOf(t, one, "a", entry), identityOf(t, one, "b", entry)
		if before != after {
			t.Errorf("%s: another value is another server:\n%s\n%s", entry, before, after)
		}
		if other := seen[before]; other != "" {
			t.Errorf("%s is %s", entry, other)
		}
		seen[before] = entry
		atHome := i == 1 || i == 2 || i >= 7 // what is relative to the file
		if elsewhere := identityOf(t, two, "a", entry); (elsewhere != before) != atHome {
			t.Errorf("%s in another directory: %s", entry, elsewhere)
		}
	}
	env := identityOf(t, one, "a", `{"command": "x", "env": {"TOKEN": "1"}}`)
	if env != identityOf(t, one, "a", `{"command": "x", "env": {"TOKEN": "2"}}`) || env == identityOf(t, one, "a", `{"command": "y"}`) {
		t.Error(env)
	}
	if made := (&Server{Transport: TransportStdio, Command: "x"}).Identity(); made == (&Server{Transport: TransportStdio, Command: "y"}).Identity() {
		t.Error(made)
	}
}
