package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// hostFiles writes files below a home directory.
func hostFiles(t *testing.T, files map[string]string) *Places {
	t.Helper()
	home := t.TempDir()
	for name, text := range files {
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, file, text)
	}
	return &Places{OS: "linux", Home: home, Config: filepath.Join(home, ".config"), Codex: filepath.Join(home, ".codex")}
}

// What a host writes though it says nothing makes no other server, and no address of the web that nobody serves is named.
func TestServersThatDifferInNothing(t *testing.T) {
	p := hostFiles(t, map[string]string{
		".cursor/mcp.json":           `{"mcpServers": {"a": {"command": "a", "args": ["x"]}, "h": {"url": "https://h/"}}}`,
		".config/Code/User/mcp.json": `{"servers": {"a": {"type": "stdio", "command": "a", "args": ["x"], "env": {}}, "h": {"url": "https://h/", "headers": {}}}}`,
	})
	c := NewCollection("")
	for _, h := range p.Hosts() {
		if _, err := os.Stat(h.UserFile()); err != nil {
			continue
		}
		if _, err := c.Add(h.Title, h.UserFile()); err != nil {
			t.Fatal(err)
		}
	}
	text, err := c.File()
	if err != nil || len(c.Servers()) != 2 || len(c.Notes) > 0 || strings.Contains(string(text), "$schema") {
		t.Errorf("%v, %v\n%s", c.Notes, err, text)
	}
}

// TestCollectedServersMeanTheSame: what import writes starts the same servers as the hosts' own files.
func TestCollectedServersMeanTheSame(t *testing.T) {
	p := hostFiles(t, map[string]string{
		".cursor/mcp.json":               `{"mcpServers": {"a": {"command": "./a", "args": ["$5", "$${X}", "${env:ORG}"], "envFile": "e.env"}, "same": {"command": "s"}}}`,
		".cursor/e.env":                  "K=v\n",
		".codex/config.toml":             "[mcp_servers.c]\ncommand = \"c\"\ntool_timeout_sec = 7\nenv = { A = \"x\" }\n[mcp_servers.same]\ncommand = \"s\"\n",
		".config/goose/config.yaml":      "extensions:\n  dev: {type: builtin, enabled: true}\n  g: {type: stdio, cmd: g, args: [], timeout: 9, enabled: true}\n  h: {type: streamable_http, uri: 'https://h/', headers: {A: 'Bearer $TOK'}}\n",
		".config/opencode/opencode.json": `{"mcp": {"o": {"type": "local", "command": ["o", "{env:ORG}", "{file:k.txt}"], "enabled": true}}}`,
		".config/opencode/k.txt":         "from-file\n",
		".config/Code/User/mcp.json":     `{"inputs": [{"id": "k", "type": "promptString", "default": "d"}], "servers": {"v": {"command": "v", "args": ["${input:k}"]}, "same": {"command": "other"}, "sse": {"type": "sse", "url": "http://x/"}}}`,
	})
	env := environment("ORG", "acme", "TOK", "t0ken-1")
	c := NewCollection("")
	want := map[string]Server{}
	for _, h := range p.Hosts() {
		file := h.UserFile()
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if _, err := c.Add(h.Title, file); err != nil {
			t.Fatal(err)
		}
		own, err := Parse(file, data, env)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range own.Servers {
			if s.Name == "same" && s.Command == "other" {
				s.Name = "same-vs-code"
			}
			want[s.Name] = s
		}
	}
	text, err := c.File()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse("/elsewhere/codemode.json", text, env)
	if err != nil || len(got.Problems) > 0 {
		t.Fatal(err, got.Problems, string(text))
	}
	if len(got.Servers) != len(want) || len(want) != 8 {
		t.Errorf("got %v, want %d of them", c.Servers(), len(want))
	}
	for _, s := range got.Servers {
		if d := cmp.Diff(want[s.Name], s, cmpopts.IgnoreUnexported(Server{}), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Server{}, "File", "Namespace", "Name")); d != "" {
			t.Errorf("%s: %s\n%s", s.Name, d, text)
		}
	}
	notes := strings.Join(c.Notes, "\n")
	for _, want := range []string{`server "dev": is codemode, or a part of its host`, `server "same": is another one in`, `server "sse": type is "sse"`} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note %q in\n%s", want, notes)
		}
	}
	if strings.Contains(string(text), "t0ken-1") {
		t.Error("a secret was written")
	}
}
