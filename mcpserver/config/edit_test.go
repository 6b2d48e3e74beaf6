package config

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReplaceKeepsTheRest: byte for byte, in every format and however the file is written.
func TestReplaceKeepsTheRest(t *testing.T) {
	hosts := (&Places{OS: "linux", Home: "/h", Config: "/h/.config", Codex: "/h/.codex"}).Hosts()
	for name, tt := range map[string]struct {
		host, before string
		taken        []string
		want         string
	}{
		"all": {"cursor", "{\n  // mine\n  \"x\": [1,  2],\n  \"mcpServers\": {\n    \"a\": {\"command\": \"a\"}, // why\n    \"b\": {\n      \"command\": \"b\"\n    }\n  },\n  \"y\": 1\n}\n", []string{"a", "b"},
			"{\n  // mine\n  \"x\": [1,  2],\n  \"mcpServers\": {\n    @\n     // why\n  },\n  \"y\": 1\n}\n"},
		"some, the last": {"zed", "{\"context_servers\": {\n\t\"a\": {\"command\": \"a\"},\n\t// about b\n\t\"b\": {\"command\": \"b\"}\n}}", []string{"b"},
			"{\"context_servers\": {\n\t@,\n\t\"a\": {\"command\": \"a\"}\n\t// about b\n}}"},
		"some, the first": {"zed", "{\"context_servers\": {\n\t\"a\": {\"command\": \"a\"},\n\t// about b\n\t\"b\": {\"command\": \"b\"},\n}}", []string{"a"},
			"{\"context_servers\": {\n\t@,\n\t// about b\n\t\"b\": {\"command\": \"b\"},\n}}"},
		"one line":      {"cursor", `{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}, "z": "}"}`, []string{"a"}, `{"mcpServers": {@,  "b": {"command": "b"}}, "z": "}"}`},
		"one line, all": {"cursor", `{"mcpServers": {"a": {"command": "a"}}}`, []string{"a"}, "{\"mcpServers\": {\n  @\n}}"},
		"windows lines": {"cursor", "{\r\n  \"mcpServers\": {\r\n    \"a\": {\"command\": \"a\"}\r\n  }\r\n}\r\n", []string{"a"}, "{\r\n  \"mcpServers\": {\r\n    @\r\n  }\r\n}\r\n"},
		"no key":        {"cursor", "{\n  \"k\": 1\n}\n", nil, "{\n  \"mcpServers\": {\n    @\n  },\n  \"k\": 1\n}\n"},
		"no file":       {"cursor", "", nil, "{\n  \"mcpServers\": {\n    @\n  }\n}\n"},
		"toml": {"codex", "model = \"x\" # m\n\n# about a\n[mcp_servers.a]\ncommand = \"a\"\n[mcp_servers.a.env]\nK = \"v\"\n\n# about b\n[mcp_servers.b]\ncommand = \"b\"\n\n# the rest\n[tui]\nx = 1\n", []string{"a", "b"},
			"model = \"x\" # m\n\n# about a\n@\n# about b\n\n# the rest\n[tui]\nx = 1\n"},
		"toml, none": {"codex", "model = \"x\"", nil, "model = \"x\"\n\n@"},
		"yaml": {"goose", "A: 1\nextensions:\n  # builtin\n  dev:\n    type: builtin\n\n  # about g\n  g:\n    cmd: g\n    args: []\n# the rest\nB: 2\n", []string{"g"},
			"A: 1\nextensions:\n  # builtin\n  dev:\n    type: builtin\n\n  # about g\n@# the rest\nB: 2\n"},
		"yaml, none": {"goose", "A: 1\n", nil, "A: 1\nextensions:\n@"},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := FindHost(hosts, tt.host)
			if err != nil {
				t.Fatal(err)
			}
			file := h.UserFile()
			entry, err := h.Entry("/bin/codemode", "/h/c.json")
			if err != nil {
				t.Fatal(err)
			}
			shown := entry
			if filepath.Ext(file) == ".yaml" {
				shown = shift(entry, 0, 2)
			}
			got, err := h.Replace(file, []byte(tt.before), tt.taken, entry)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(strings.ReplaceAll(tt.want, "@", shown), string(got)); d != "" {
				t.Error(d)
			}
			changed := append(append([]byte{}, got...), "\n"...)
			back, err := h.Restore(file, changed, []byte(tt.before), tt.taken)
			if err != nil {
				t.Fatal(err)
			}
			restored, err := parseOrEmpty(file, back)
			if err != nil {
				t.Fatal(err)
			}
			original, err := parseOrEmpty(file, []byte(tt.before))
			if err != nil {
				t.Fatal(err)
			}
			if !sameBut(original, restored, h.key, nil) {
				t.Errorf("restored:\n%s", back)
			}
			for _, name := range tt.taken {
				if !sameTree(original.get(h.key, name), restored.get(h.key, name)) {
					t.Errorf("%s is not as it was:\n%s", name, back)
				}
			}
		})
	}
}

// TestReplaceRefusesWhatItCannotKeep says so, and changes nothing.
func TestReplaceRefusesWhatItCannotKeep(t *testing.T) {
	hosts := (&Places{OS: "linux", Home: "/h", Config: "/h/.config", Codex: "/h/.codex"}).Hosts()
	for _, tt := range []struct{ host, text, want string }{
		{"codex", "[mcp_servers]\na = {command = \"a\"}\n", "not tables of their own"},
		{"codex", "mcp_servers.a.command = \"a\"\n", "not tables of their own"},
		{"goose", "extensions: {a: {cmd: a}}\n", "written in braces, line 1"},
		{"goose", "%YAML 1.2\n---\n# x\nextensions:\n  a:\n    cmd: a\n---\nother: 1\n", "more than one document, line 7"},
		{"goose", "extensions:\r\n  a:\r\n    cmd: a\r\n...\r\n# end\r\n", "more than one document, line 4"},
		{"goose", "text: |\n  ---\nextensions:\n  a:\n    cmd: a\n--- # y\n", "more than one document, line 6"},
		{"cursor", "{\"mcpServers\": []}", "must be an object of servers"},
		{"cursor", "{", "not JSON"},
	} {
		h, err := FindHost(hosts, tt.host)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := h.Replace(h.UserFile(), []byte(tt.text), []string{"a"}, "x"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %q, %v, want %q", tt.text, out, err, tt.want)
		}
	}
	if _, err := FindHost(hosts, "emacs"); err == nil || !strings.Contains(err.Error(), "claude-desktop, claude-code") {
		t.Error(err)
	}
}
