package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestFormatsBesideJSON(t *testing.T) {
	env := environment("TOK", "t0ken-1", "ORG", "acme", "EMPTY", "")
	for name, tt := range map[string]struct {
		file, text string
		want       []Server
	}{
		"codex": {"config.toml", `
model = "o9"
[mcp_servers.z]
command = "npx"
args = ["-y", 'raw\n']
env_vars = ["ORG"]
startup_timeout_sec = 1_0
tool_timeout_sec = 90.0
enabled_tools = ["a", "b"]
disabled_tools = ["b"]
[mcp_servers.z.env]
A = "${ORG}"
[mcp_servers.a]
url = "https://h.example/mcp"
bearer_token_env_var = "TOK"
http_headers = { X = "1" }
env_http_headers = { Y = "ORG" }
[mcp_servers.off]
enabled = false
`, []Server{
			{Name: "z", Transport: TransportStdio, Command: "npx", Args: []string{"-y", `raw\n`}, Env: []Variable{{"ORG", "acme"}, {"A", "acme"}},
				StartTimeout: 10 * time.Second, CallTimeout: 90 * time.Second, IncludeTools: []string{"a", "b"}, ExcludeTools: []string{"b"}},
			{Name: "a", Transport: TransportHTTP, URL: "https://h.example/mcp", Headers: []Variable{{"X", "1"}, {"Y", "acme"}, {"Authorization", "Bearer t0ken-1"}}},
		}},
		"goose": {"config.yaml", `
GOOSE_PROVIDER: x
extensions:
  developer: {type: builtin, enabled: true, bundled: true, name: developer}
  gh: &gh
    type: stdio
    cmd: npx
    args: [-y, "pkg", 3]
    envs: {A: yes-text, PORT: 80, FLAG: true}
    env_keys: [TOK]
    timeout: 300
    enabled: true
    display_name: GitHub
  remote: {type: streamable_http, uri: "https://h/mcp", headers: {Authorization: "Bearer $TOK"}, enabled: true}
  copy: {<<: *gh, cmd: other}
`, []Server{
			{Name: "gh", Transport: TransportStdio, Command: "npx", Args: []string{"-y", "pkg", "3"}, Env: []Variable{{"TOK", "t0ken-1"}, {"A", "yes-text"}, {"PORT", "80"}, {"FLAG", "true"}}, CallTimeout: 5 * time.Minute},
			{Name: "remote", Transport: TransportHTTP, URL: "https://h/mcp", Headers: []Variable{{"Authorization", "Bearer t0ken-1"}}},
			{Name: "copy", Transport: TransportStdio, Command: "other", Args: []string{"-y", "pkg", "3"}, Env: []Variable{{"TOK", "t0ken-1"}, {"A", "yes-text"}, {"PORT", "80"}, {"FLAG", "true"}}, CallTimeout: 5 * time.Minute},
		}},
		"opencode": {"opencode.jsonc", `{"mcp": { // two
			"l": {"type": "local", "command": ["node", "s.js", "{env:ORG}", "{x}"], "environment": {"J": "{\"a\":1}"}, "enabled": true},
			"r": {"type": "remote", "url": "https://h/{env:ORG}", "enabled": true},
			"n": {"type": "remote", "url": "https://h/", "enabled": false},
		}}`, []Server{
			{Name: "l", Transport: TransportStdio, Command: "node", Args: []string{"s.js", "acme", "{x}"}, Env: []Variable{{"J", `{"a":1}`}}},
			{Name: "r", Transport: TransportHTTP, URL: "https://h/acme"},
		}},
		"vs code settings": {"settings.json", `{"editor.x": 1, "mcp": {"inputs": [{"id": "k", "type": "promptString", "default": "dflt"}], "servers": {"s": {"command": "c", "args": ["${input:k}"]}}}}`,
			[]Server{{Name: "s", Transport: TransportStdio, Command: "c", Args: []string{"dflt"}}}},
		"devcontainer": {"devcontainer.json", `{"customizations": {"vscode": {"mcp": {"servers": {"s": {"command": "c"}}}}}}`,
			[]Server{{Name: "s", Transport: TransportStdio, Command: "c"}}},
		"zed": {"settings.json", `{"context_servers": {"old": {"command": {"path": "p", "args": ["a"], "env": {"X": "1"}}, "settings": {}}, "fresh": {"source": "custom", "command": "c"}}}`,
			[]Server{
				{Name: "old", Transport: TransportStdio, Command: "p", Args: []string{"a"}, Env: []Variable{{"X", "1"}}},
				{Name: "fresh", Transport: TransportStdio, Command: "c"},
			}},
		"gemini": {".gemini/settings.json", `{"mcp": {"allowed": ["g"]}, "mcpServers": {"g": {"httpUrl": "https://h/", "headers": {"A": "$ORG ${ORG} $5 $$ORG"}, "trust": true, "timeout": 600}}}`,
			[]Server{{Name: "g", Transport: TransportHTTP, URL: "https://h/", Headers: []Variable{{"A", "acme acme $5 $ORG"}}, CallTimeout: 600 * time.Millisecond}}},
		"cursor oauth": {".cursor/mcp.json", `{"mcpServers": {"c": {"url": "https://h/", "auth": {"CLIENT_ID": "i", "CLIENT_SECRET": "${TOK}", "scopes": ["a", "b"]}}, "d": {"url": "https://h/", "headersHelper": "./tok.sh", "oauth": {"clientId": "j", "callbackPort": 80, "scopes": "x y"}}}}`,
			[]Server{
				{Name: "c", Transport: TransportHTTP, URL: "https://h/", OAuth: &OAuth{ClientID: "i", ClientSecret: "t0ken-1", Scopes: []string{"a", "b"}}},
				{Name: "d", Transport: TransportHTTP, URL: "https://h/", HeadersCommand: "./tok.sh", OAuth: &OAuth{ClientID: "j", CallbackPort: 80, Scopes: []string{"x", "y"}}},
			}},
		"openapi": {"mcp.yml", `{servers: {a: {openapi: ./api.yaml, url: "https://api.example/v1", headers: {K: "${TOK}"}}, b: {type: openapi, openapi: "https://h/openapi.json"}, c: {openapi: "${/}x.json", baseUrl: "https://h", security: {key: "${TOK}", login: "me:${TOK}"}}}}`,
			[]Server{
				{Name: "a", Transport: TransportOpenAPI, OpenAPI: "/etc/api.yaml", URL: "https://api.example/v1", Headers: []Variable{{"K", "t0ken-1"}}},
				{Name: "b", Transport: TransportOpenAPI, OpenAPI: "https://h/openapi.json"},
				{Name: "c", Transport: TransportOpenAPI, OpenAPI: "/x.json", URL: "https://h", Security: []Variable{{"key", "t0ken-1"}, {"login", "me:t0ken-1"}}},
			}},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("/etc", tt.file)
			c, err := Parse(file, []byte(tt.text), env)
			if err != nil {
				t.Fatal(err)
			}
			for i := range tt.want {
				tt.want[i].File, tt.want[i].Namespace = file, tt.want[i].Name
			}
			if d := cmp.Diff(tt.want, c.Servers, cmpopts.IgnoreUnexported(Server{}), cmpopts.EquateEmpty()); d != "" {
				t.Error(d)
			}
			if len(c.Problems) > 0 {
				t.Error(c.Problems)
			}
		})
	}
}

// TestPlacesInEveryFormat: what is wrong is found on the line it stands on, and the position is the value's.
func TestPlacesInEveryFormat(t *testing.T) {
	for file, tt := range map[string]struct{ text, want string }{
		"a.json":  {"{\n  // é\n  \"mcpServers\": {\"x\": {\n    \"command\": \"c\",\n    \"args\": [\"é\", {}]}}}", `5:19`},
		"a.toml":  {"[mcp_servers.x]\ncommand = \"c\"\nargs = [\"a\",\n  {}]\n", `4:3`},
		"a.yaml":  {"extensions:\n  x:\n    cmd: c\n    args:\n      - é\n      - {}\n", `6:9`},
		"b.toml":  {"[mcp_servers.x]\ncommand = \"c\"\n[mcp_servers.x.args]\na = 1\n", `3:16`},
		"b.yaml":  {"mcpServers:\n  x: {command: 5}\n", `2:16`},
		"c.jsonc": {"{\"mcpServers\": {\"x\":\r\n\t{\"command\": \"c\", \"env\": {\"é\": []}}}}", `2:32`},
	} {
		c, err := Parse(file, []byte(tt.text), environment())
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if len(c.Problems) != 1 {
			t.Fatalf("%s: %v", file, c.Problems)
		}
		if at := c.Problems[0].At; fmt.Sprintf("%d:%d", at.Line, at.Column) != tt.want {
			t.Errorf("%s: at %v, want %s (%v)", file, at, tt.want, c.Problems[0])
		}
	}
	for file, tt := range map[string]struct{ text, want string }{
		"a.toml": {"[mcp_servers.x]\ncommand = \"c\"\ncommand = \"d\"\n", "a.toml: not TOML: line 3, column 1:"},
		"b.toml": {"[mcp_servers.x\n", "b.toml: not TOML: line 1, column"},
		"a.yaml": {"extensions:\n  x: [\n", "a.yaml: not YAML: line "},
		"b.yaml": {"", "b.yaml: not YAML: line 1, column 1: the file is empty"},
		"c.yaml": {"- a\n", "c.yaml: must hold an object, holds an array"},
		"d.yaml": {"a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n", "aliases unfold to more than"},
		"e.yaml": {"extensions: {x: {cmd: c}}\ncodemode:\n  timeout: -1\n", "e.yaml:3:12: codemode.timeout must be between"},
	} {
		if _, err := Parse(file, []byte(tt.text), environment()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", file, err, tt.want)
		}
	}
}

func TestSecretsOfCommands(t *testing.T) {
	dir := t.TempDir()
	counter := filepath.Join(dir, "n")
	text := `{"mcpServers": {
		"a": {"command": "c", "env": {"K": "${command:echo x >> ` + counter + `; echo s3cret-1}"}, "args": ["--k=${command:echo x >> ` + counter + `; echo s3cret-1}"]},
		"b": {"command": "c", "args": ["${command:echo leaked-1; echo leaked-2 >&2; exit 1}"]},
		"c": {"command": "c", "args": ["${input:pw}"]},
		"d": {"command": "c", "disabled": true, "args": ["${command:echo x >> ` + counter + `}"]}},
		"inputs": [{"id": "pw", "description": "the password", "password": true}]}`
	c := parse(t, text, environment("CODEMODE_INPUT_pw", "typed-1"))
	if len(c.Servers) != 2 || c.Servers[0].Args[0] != "--k=s3cret-1" || c.Servers[0].Env[0].Value != "s3cret-1" {
		t.Fatalf("%+v %v", c.Servers, c.Problems)
	}
	if got := c.Servers[0].Redact("a s3cret-1 b"); got != "a [redacted] b" {
		t.Errorf("not redacted: %q", got)
	}
	if got := c.Servers[1].Redact("typed-1"); got != "[redacted]" {
		t.Errorf("not redacted: %q", got)
	}
	if len(c.Problems) != 1 || strings.Contains(c.Problems[0].Error(), "leaked") {
		t.Errorf("%v", c.Problems)
	}
	if data, err := os.ReadFile(counter); err != nil || string(data) != "x\n" {
		t.Errorf("the command ran %q times, %v", data, err)
	}
}

func TestSettingsOfTheirOwnFile(t *testing.T) {
	dir := t.TempDir()
	servers, settings := filepath.Join(dir, "s.json"), filepath.Join(dir, "own.toml")
	write(t, servers, `{"mcpServers": {"a": {"command": "a"}}}`)
	write(t, settings, "[codemode]\ntimeout = \"7s\"\n")
	c, err := Load([]string{settings, servers}, nil)
	if err != nil || c.Settings.Timeout != 7*time.Second || len(c.Servers) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := Load([]string{settings}, nil); err == nil || !strings.Contains(err.Error(), "has settings and no servers") {
		t.Error(err)
	}
}

func TestOtherCodemodesAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	exe := filepath.Join(dir, "bin", "codemode")
	old := filepath.Join(dir, "old", "codemode")
	for _, file := range []string{exe, old} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("#!/bin/sh\n# "+file), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Dir(exe))
	options := environment()
	options.Executable = exe
	c := parse(t, `{"mcpServers": {
		"byName": {"command": "codemode", "args": ["serve", "--config", "x"]},
		"other": {"command": "`+old+`", "args": ["serve"]},
		"wrapped": {"command": "`+old+`", "args": ["wrap", "--", "x"]}}}`, options)
	want := []string{
		`/etc/mcp.json: server "byName": would start codemode itself again; it is left out`,
		`/etc/mcp.json: server "other": would start another codemode, ` + old + `, which may start this one again; it is left out`,
	}
	if d := cmp.Diff(want, c.Warnings); d != "" || len(c.Servers) != 1 {
		t.Error(d, c.Servers)
	}
}
