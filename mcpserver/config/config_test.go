package config

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/codemode-go/codemode/protocol"
)

func environment(pairs ...string) *Options {
	return &Options{LookupEnv: func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}}
}

func parse(t *testing.T, text string, options *Options) *Config {
	t.Helper()
	if options == nil {
		options = environment()
	}
	c, err := Parse("/etc/mcp.json", []byte(text), options)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFormatsOfTheHosts(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []Server
	}{
		"claude desktop": {
			`{"mcpServers": {"z": {"command": "npx", "args": ["-y", "pkg"], "env": {"A": "1", "PORT": 3000, "NO": null}}, "a": {"command": "/bin/a"}}}`,
			[]Server{
				{Name: "z", Namespace: "z", Transport: TransportStdio, Command: "npx", Args: []string{"-y", "pkg"}, Env: []Variable{{"A", "1"}, {"PORT", "3000"}}},
				{Name: "a", Namespace: "a", Transport: TransportStdio, Command: "/bin/a"},
			},
		},
		"claude code": {
			`{"mcpServers": {"h": {"type": "http", "url": "https://h.example/mcp", "headers": {"X-A": "b"}}}}`,
			[]Server{{Name: "h", Namespace: "h", Transport: TransportHTTP, URL: "https://h.example/mcp", Headers: []Variable{{"X-A", "b"}}}},
		},
		"vs code with comments": {
			"// mine\n{ /* all */ \"inputs\": [], \"servers\": {\"s\": {\"type\": \"stdio\", \"command\": \"x//y\", \"args\": [\"/*\", \",]\",],},},}",
			[]Server{{Name: "s", Namespace: "s", Transport: TransportStdio, Command: "/etc/x/y", Args: []string{"/*", ",]"}}},
		},
		"zed, windsurf, opencode spellings": {
			"\ufeff" + `{"context_servers": {"a": {"serverUrl": "http://localhost:1/x"}, "b": {"type": "Streamable_HTTP", "uri": "http://h/"}, "c": {"type": "local", "command": ["node", "s.js"], "environment": {"X": "y"}}}}`,
			[]Server{
				{Name: "a", Namespace: "a", Transport: TransportHTTP, URL: "http://localhost:1/x"},
				{Name: "b", Namespace: "b", Transport: TransportHTTP, URL: "http://h/"},
				{Name: "c", Namespace: "c", Transport: TransportStdio, Command: "node", Args: []string{"s.js"}, Env: []Variable{{"X", "y"}}},
			},
		},
		"switched off": {
			`{"mcpServers": {"a": {"command": 5, "disabled": true}, "b": {"enabled": false}, "c": {"command": "c", "disabled": false, "autoApprove": ["x"]}}}`,
			[]Server{{Name: "c", Namespace: "c", Transport: TransportStdio, Command: "c"}},
		},
		"times and tools": {
			`{"mcpServers": {"a": {"command": "a", "timeout": 1500, "startTimeout": "2m", "includeTools": ["get_*"], "excludeTools": ["x"], "namespace": "n", "inheritEnv": true}}}`,
			[]Server{{Name: "a", Namespace: "n", Transport: TransportStdio, Command: "a", CallTimeout: 1500 * time.Millisecond, StartTimeout: 2 * time.Minute,
				IncludeTools: []string{"get_*"}, ExcludeTools: []string{"x"}, InheritEnv: true}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := parse(t, tt.text, nil)
			for i := range tt.want {
				tt.want[i].File = "/etc/mcp.json"
			}
			if d := cmp.Diff(tt.want, c.Servers, cmpopts.IgnoreUnexported(Server{}), cmpopts.EquateEmpty()); d != "" {
				t.Error(d)
			}
			if len(c.Problems)+len(c.Warnings) > 0 {
				t.Error(c.Problems, c.Warnings)
			}
		})
	}
}

func TestVariables(t *testing.T) {
	options := environment("TOK", "s3cret", "EMPTY", "", "CODEMODE_INPUT_api_key", "typed", "A", "a")
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"${TOK}":               "s3cret",
		"x${TOK}y${A}":         "xs3crety" + "a",
		"${env:TOK}":           "s3cret",
		"${NO:-d}":             "d",
		"${NO:-}":              "",
		"${EMPTY}":             "",
		"${EMPTY:-d}":          "d",
		"${NO:-${A}-${NO:-z}}": "a-z",
		"${env:NO:-http://h}":  "http://h",
		"${input:api-key}":     "typed",
		"$$":                   "$",
		"$${TOK}":              "${TOK}",
		"$TOK":                 "$TOK",
		"5$":                   "5$",
		"a${TOK":               "a${TOK",
		"${workspaceFolder}":   "/etc",
		"${/}":                 "/",
		"${userHome}":          home,
	} {
		c := parse(t, `{"mcpServers": {"s": {"command": "c", "args": ["`+in+`"]}}}`, options)
		if len(c.Servers) != 1 || c.Servers[0].Args[0] != want {
			t.Errorf("%s: got %+v %v, want %q", in, c.Servers, c.Problems, want)
		}
	}
}

func TestVariablesReachEveryField(t *testing.T) {
	dir := t.TempDir()
	c := parse(t, `{"mcpServers": {
		"a": {"command": "${V}", "args": ["${V}"], "env": {"E": "${V}"}, "cwd": "${DIR}"},
		"b": {"url": "http://${V}/", "headers": {"H": "Bearer ${NO:-none}"}}}}`, environment("V", "v", "DIR", dir))
	want := []Server{
		{Name: "a", Namespace: "a", File: "/etc/mcp.json", Transport: TransportStdio, Command: "v", Args: []string{"v"}, Env: []Variable{{"E", "v"}}, Dir: dir},
		{Name: "b", Namespace: "b", File: "/etc/mcp.json", Transport: TransportHTTP, URL: "http://v/", Headers: []Variable{{"H", "Bearer none"}}},
	}
	if d := cmp.Diff(want, c.Servers, cmpopts.IgnoreUnexported(Server{})); d != "" {
		t.Error(d)
	}
}

func TestBadServerIsAProblemOfItsOwn(t *testing.T) {
	for in, want := range map[string]string{
		`{"command": 5}`:                                            `command must be a string, is a number`,
		`{"command": ""}`:                                           `command is empty`,
		`{"command": "c", "args": "x"}`:                             `args must be an array of strings, is a string`,
		`{"command": "c", "args": ["a", {}]}`:                       `args[1] must be a string, is an object`,
		`{"command": "c", "args": ["${MISSING}"]}`:                  `args[0] uses ${MISSING}, but the environment variable MISSING is not set; set it or write ${MISSING:-default}`,
		`{"command": "c", "env": {"T": "${MISSING}"}}`:              `env.T uses ${MISSING}, but the environment variable MISSING is not set; set it or write ${MISSING:-default}`,
		`{"command": "c", "env": ["x"]}`:                            `env must be an object of strings, is an array`,
		`{"command": "c", "env": {"T": [1]}}`:                       `env.T must be a string, is an array`,
		`{"command": "c", "args": ["${HOME%/}"]}`:                   `args[0] uses ${HOME%/}, which is not the name of a variable; write $${ for a literal ${`,
		`{"command": "c", "args": ["${user_config.x}"]}`:            `args[0] uses ${user_config.x}, which is not the name of a variable; write $${ for a literal ${`,
		`{"command": "c", "args": ["${file:x}"]}`:                   `args[0] uses ${file:x}, which is no kind of variable that is known here; write $${ for a literal ${`,
		`{"command": "c", "args": ["${command:exit 3}"]}`:           `args[0] uses ${command:…}, and that command failed (exit status 3); run it in a terminal to see why`,
		`{"command": "c", "args": ["${command:true}"]}`:             `args[0] uses ${command:…}, and that command printed nothing`,
		`{"command": "c", "args": ["${keychain:}"]}`:                `args[0] uses ${keychain:}, which names no service; write ${keychain:service/account}`,
		`{"command": "c", "envKeys": ["NOT_SET"]}`:                  `envKeys names the environment variable NOT_SET, which is not set`,
		`{"url": "http://h", "bearer_token_env_var": "NOT_SET"}`:    `bearerTokenEnv names the environment variable NOT_SET, which is not set`,
		`{"url": "http://h", "env_http_headers": {"X": "NOT_SET"}}`: `envHeaders.X names the environment variable NOT_SET, which is not set`,
		`{"url": "http://h", "oauth": {"callbackPort": 70000}}`:     `oauth.callbackPort must be between 1 and 65535, is 70000`,
		`{"url": "http://h", "oauth": "yes"}`:                       `oauth must be an object, is a string`,
		`{"command": "c", "args": ["${input:k}"]}`:                  `args[0] asks for the input "k", and nobody can be asked here; set the environment variable CODEMODE_INPUT_k`,
		`{"command": "c", "cwd": "/no/such/place"}`:                 `cwd is not a directory: /no/such/place`,
		`{"command": "c", "envFile": "/no/such"}`:                   `envFile cannot be read: open /no/such: no such file or directory`,
		`{"command": "c", "timeout": 0}`:                            `timeout must be between 1 and 9223372036854, is 0`,
		`{"command": "c", "timeout": 1.5}`:                          `timeout must be a whole number, is 1.5`,
		`{"command": "c", "timeout": "-1s"}`:                        `timeout must be greater than 0`,
		`{"command": "c", "startTimeout": "10"}`:                    `startTimeout must be a duration such as "30s" or a whole number of milliseconds`,
		`{"command": "c", "namespace": "a-b"}`:                      `namespace must be an identifier (ASCII letters, digits, _ and $) that programs do not already have; a_b would do`,
		`{"command": "c", "namespace": 5}`:                          `namespace must be a string, is a number`,
		`{"command": "c", "disabled": "true"}`:                      `disabled must be true or false, is a string`,
		`{"command": "c", "disabled": 1}`:                           `disabled must be true or false, is a number`,
		`{"command": "c", "enabled": "no"}`:                         `enabled must be true or false, is a string`,
		`{"command": "c", "excludeTools": ["["]}`:                   `excludeTools[0] is not a pattern: syntax error in pattern`,
		`{"url": "ftp://secret:pw@h"}`:                              `url is not an http or https URL`,
		`{"url": "http://h", "headers": {"A": "x\ny"}}`:             `headers.A holds a line break`,
		`{"type": "sse", "url": "http://h"}`:                        `type is "sse", the HTTP+SSE transport of 2024: write "http", which falls back to it for a server that has no Streamable HTTP`,
		`{"type": "grpc", "url": "http://h"}`:                       `type is not one of stdio, http, streamable-http, openapi`,
		`{"type": "http", "command": "c"}`:                          `url is missing; a server of type http needs it`,
		`{"type": "stdio", "url": "http://h"}`:                      `command is missing; a stdio server needs it`,
		`{"type": 5}`:                                               `type must be a string, is a number`,
		`{}`:                                                        `needs either "command" (a local server) or "url" (a remote one), has neither`,
		`{"command": "c", "url": "http://h"}`:                       `needs either "command" (a local server) or "url" (a remote one), has both`,
		`"npx"`:                                                     `must be an object, is a string`,
	} {
		c := parse(t, `{"mcpServers": {"bad": `+in+`, "good": {"command": "g"}}}`, nil)
		if len(c.Servers) != 1 || c.Servers[0].Name != "good" {
			t.Errorf("%s: the good server is gone: %+v", in, c.Servers)
		}
		if len(c.Problems) != 1 || c.Problems[0].At.Line != 1 || c.Problems[0].Error() != fmt.Sprintf("/etc/mcp.json:1:%d: server \"bad\": %s", c.Problems[0].At.Column, want) {
			t.Errorf("%s:\n got %v\nwant %s", in, c.Problems, want)
		}
	}
}

func TestFileErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":                                    "/etc/mcp.json: not JSON: line 1, column 1: the file is empty",
		"{\n  \"mcpServers\": {\n    é x\n}}": "/etc/mcp.json: not JSON: line 3, column 5: invalid character 'é'",
		"{\"mcpServers\": {\"é\": tru}}":      "/etc/mcp.json: not JSON: line 1, column 25: invalid character '}' in literal true (expecting 'e')",
		"{\"mcpServers\": {":                  "/etc/mcp.json: not JSON: line 1, column 17: the JSON text ends too early",
		"{\"a\": 1}\n}":                       "/etc/mcp.json: not JSON: line 2, column 1: text follows the end of the JSON value",
		"{\n/* x":                             "/etc/mcp.json: not JSON: line 2, column 1: the comment that starts here is not closed",
		`[]`:                                  "/etc/mcp.json: must hold an object, holds an array",
		`{"other": {}}`:                       `/etc/mcp.json: has no servers: there is no "mcpServers" object (nor another key that holds servers: servers, context_servers, mcp_servers, extensions, mcp)`,
		`{"mcpservers": {"a": {"command": "x"}}}`: `/etc/mcp.json: has no servers: there is no "mcpServers" object (nor another key that holds servers: servers, context_servers, mcp_servers, extensions, mcp); "mcpservers" holds servers, and is to be called "mcpServers"`,
		`{"gh": {"url": "http://h"}}`:             `/etc/mcp.json: has no servers: there is no "mcpServers" object (nor another key that holds servers: servers, context_servers, mcp_servers, extensions, mcp); "gh" looks like a server, and belongs into it: {"mcpServers": {"gh": {…}}}`,
		`{"command": "npx", "args": []}`:          `/etc/mcp.json: has no servers: there is no "mcpServers" object (nor another key that holds servers: servers, context_servers, mcp_servers, extensions, mcp); this one server belongs into it under a name: {"mcpServers": {"NAME": {…}}}`,
		"\xff\xfe{\x00}\x00":                      "/etc/mcp.json: is written in UTF-16 or UTF-32; save it as UTF-8",
		"\xfe\xff\x00{\x00}":                      "/etc/mcp.json: is written in UTF-16 or UTF-32; save it as UTF-8",
		"{\x00}\x00":                              "/etc/mcp.json: is written in UTF-16 or UTF-32; save it as UTF-8",
		"{\"mcpServers\":\n {\"caf\xe9\": {}}}":   "/etc/mcp.json: line 2, column 7: a byte that is not UTF-8 (0xe9); save the file as UTF-8",
		`{"mcpServers": {}}`:                      `/etc/mcp.json: has no servers: "mcpServers" is empty`,
		`{"mcpServers": []}`:                      `/etc/mcp.json:1:16: "mcpServers" must be an object of servers, is an array`,
		`{"codemode": {"timeout": 0}, "mcpServers": {"a": {"command": "a"}}}`:        `/etc/mcp.json:1:26: codemode.timeout must be between 1 and 9223372036854, is 0`,
		`{"codemode": {"outbound": "open"}, "mcpServers": {"a": {"command": "a"}}}`:  `/etc/mcp.json:1:27: codemode.outbound must be "inherit" or "blocked"`,
		`{"codemode": {"toolCalls": "many"}, "mcpServers": {"a": {"command": "a"}}}`: `/etc/mcp.json:1:28: codemode.toolCalls must be a whole number, is a string`,
		`{"codemode": {"resultChars": -1}, "mcpServers": {"a": {"command": "a"}}}`:   `/etc/mcp.json:1:30: codemode.resultChars must be between 1 and 2147483647, is -1`,
		`{"codemode": 3, "mcpServers": {"a": {"command": "a"}}}`:                     `/etc/mcp.json:1:14: codemode must be an object, is a number`,
	} {
		if c, err := Parse("/etc/mcp.json", []byte(in), environment()); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %+v, %v\nwant %s", in, c, err, want)
		}
	}
	if _, err := Load([]string{filepath.Join(t.TempDir(), "none.json")}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	t.Chdir(t.TempDir())
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	want := "none.json: the configuration cannot be read: no such file or directory (in " + dir + "; the full path is right wherever a client starts this)"
	if _, err := Load([]string{"none.json"}, nil); err == nil || err.Error() != want {
		t.Errorf("a missing file:\n got %v\nwant %s", err, want)
	}
	if _, err := Load([]string{"."}, nil); err == nil || !strings.HasSuffix(err.Error(), "is a directory; name the file in it") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := Load(nil, nil); err == nil {
		t.Error("no files: no error")
	}
}

func TestSettings(t *testing.T) {
	c := parse(t, `{"mcpServers": {"a": {"command": "a", "timeout": "2m"}}, "codemode": {"timeout": "50s", "outbound": "inherit", "memoryMB": 64,
		"hardened": true, "workers": 3, "allowAddresses": ["10.1.0.0/16", "::1"],
		"toolCalls": 7, "cpu": 1000, "resultChars": 9, "descriptionChars": 8, "preamble": "p", "startTimeout": "5s"}}`, nil)
	want := Settings{Timeout: 50 * time.Second, StartTimeout: 5 * time.Second, Outbound: protocol.OutboundInherit,
		Hardened: true, Workers: 3, AllowAddresses: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("::1/128")},
		Limits: protocol.Limits{Memory: 64 << 20, ToolCalls: 7, CPU: time.Second}, ResultChars: 9, DescriptionChars: 8, Preamble: "p"}
	if d := cmp.Diff(want, c.Settings, cmpopts.EquateComparable(netip.Prefix{})); d != "" {
		t.Error(d)
	}
	wantWarnings := []string{
		`/etc/mcp.json: server "a": timeout (2m0s) is longer than a whole run may take (codemode.timeout, 50s), so the run's always ends first`,
	}
	if d := cmp.Diff(wantWarnings, c.Warnings); d != "" {
		t.Error(d)
	}
}

func TestUnknownSettingsAreErrors(t *testing.T) {
	for settings, want := range map[string]string{
		`"polcy": {"default": "deny"}`: "/etc/mcp.json:1:42: codemode.polcy is not a setting", `"policy": {"rule": []}`: "codemode.policy.rule is not a setting",
		`"policy": {"default": "deny"}, "timeout": "5s", "policy": {}`: "codemode.policy is there twice",
		`"policy": {"rules": [{"action": "deny", "action": "allow"}]}`: "codemode.policy.rules[0].action is there twice",
		`"policy": {"rules": [{"action": "deny", "tool": ""}]}`:        "codemode.policy.rules[0].tool has an empty glob",
		`"audit": {"payload": true}`:                                   "codemode.audit.payload is not a setting", `"pins": {"server": "a"}`: "codemode.pins.server is not a setting",
	} {
		_, err := Parse("/etc/mcp.json", []byte(`{"mcpServers": {}, "codemode": {`+settings+`}}`), environment())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", settings, err)
		}
	}
}

// Settings outside of "codemode" do nothing, and a policy that does nothing lets everything through.
func TestMisplacedSettingsAreTold(t *testing.T) {
	c, err := Parse("f.json", []byte(`{"codeMode": {"other": "1s"}, "codemod": {}, "policy": {"default": "deny"}, "theme": "dark", "mcpServers": {"a": {"command": "x"}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`f.json: "codeMode" is not read; settings belong under "codemode"`, `f.json: "codemod" is not read; settings belong under "codemode"`, `f.json: "policy" is not read; settings belong under "codemode"`}
	if d := cmp.Diff(want, c.Warnings); d != "" {
		t.Error(d)
	}
}

func TestAllowedAddressesAreRanges(t *testing.T) {
	for list, want := range map[string]string{
		`"10.0.0.0/8"`: "must be an array", `["localhost"]`: `has "localhost"`, `[["10.0.0.0/8"]]`: `has ""`, `["10.0.0.0/33"]`: `has "10.0.0.0/33"`,
	} {
		_, err := Parse("/etc/mcp.json", []byte(`{"mcpServers": {}, "codemode": {"allowAddresses": `+list+`}}`), environment())
		if err == nil || !strings.Contains(err.Error(), "codemode.allowAddresses must be a") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", list, err)
		}
	}
}

func TestAllowedAddressesNeedOutbound(t *testing.T) {
	for settings, warned := range map[string]bool{
		`{"allowAddresses": ["10.0.0.0/8"]}`: true, `{"allowAddresses": ["10.0.0.0/8"], "outbound": "blocked"}`: true,
		`{"allowAddresses": ["10.0.0.0/8"], "outbound": "inherit"}`: false, `{"allowAddresses": []}`: false,
	} {
		got, err := Parse("/etc/mcp.json", []byte(`{"mcpServers": {"a": {"command": "sh"}}, "codemode": `+settings+`}`), environment())
		if err != nil {
			t.Fatal(err)
		}
		if warnings := strings.Join(got.Warnings, "\n"); strings.Contains(warnings, "codemode.allowAddresses opens nothing") != warned {
			t.Errorf("%s: %q", settings, warnings)
		}
	}
}

func TestAShortRunIsTold(t *testing.T) {
	for timeout, warned := range map[string]bool{`5`: true, `"99ms"`: true, `5000`: false, `"5s"`: false} {
		got, err := Parse("/etc/mcp.json", []byte(`{"mcpServers": {"a": {"command": "sh"}}, "codemode": {"timeout": `+timeout+`}}`), environment())
		if err != nil {
			t.Fatal(err)
		}
		if warnings := strings.Join(got.Warnings, "\n"); strings.Contains(warnings, `"5s" is five seconds`) != warned {
			t.Errorf("%s: %q", timeout, warnings)
		}
	}
}

func TestNamespaces(t *testing.T) {
	for in, want := range map[string]string{
		"github": "github", "my server": "my_server", "my-server": "my_server", "1st": "_1st", "delete": "delete_", "console": "console_",
		"constructor": "constructor", "天気": "u5929_u6c17", "地図": "u5730_u56f3", "a.b/c": "a_b_c", "": "server", "JSON": "JSON_", "fetch": "fetch", "__x": "__x_", "-": "u002d",
	} {
		if got := Namespace(in); got != want || !protocol.IsProviderName(got) {
			t.Errorf("Namespace(%q) = %q, want %q", in, got, want)
		}
	}
	c := parse(t, `{"mcpServers": {"my server": {"command": "a"}, "my-server": {"command": "b"}, "my_server": {"command": "c", "namespace": "mine"}}}`, nil)
	want := `/etc/mcp.json:1:61: server "my-server": would be called my_server in programs, and so is server "my server"; rename one of them or give it a "namespace"`
	if len(c.Servers) != 2 || len(c.Problems) != 1 || c.Problems[0].Error() != want {
		t.Errorf("got %+v %v", c.Servers, c.Problems)
	}
}

func TestSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "1.json"), filepath.Join(dir, "2.json")
	write(t, first, `{"mcpServers": {"a": {"command": "a1"}, "b": {"command": "./b", "envFile": ".env"}}, "codemode": {"timeout": "1s"}}`)
	write(t, second, `{"mcpServers": {"c": {"command": "c"}, "a": {"command": "a2", "weird": 1}}, "codemode": {"timeout": "2s"}}`)
	write(t, filepath.Join(dir, ".env"), "# c\nexport X=1\nAPI_KEY = \"abcdef 1\"\n\n")
	c, err := Load([]string{first, second}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []Server{
		{Name: "a", Namespace: "a", File: second, Transport: TransportStdio, Command: "a2"},
		{Name: "b", Namespace: "b", File: first, Transport: TransportStdio, Command: filepath.Join(dir, "b"), Env: []Variable{{"X", "1"}, {"API_KEY", "abcdef 1"}}},
		{Name: "c", Namespace: "c", File: second, Transport: TransportStdio, Command: "c"},
	}
	if d := cmp.Diff(want, c.Servers, cmpopts.IgnoreUnexported(Server{}), cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
	if c.Settings.Timeout != 2*time.Second {
		t.Error(c.Settings)
	}
	if d := cmp.Diff([]string{second + `: server "a": "weird" is not known here; it is ignored`, second + `: server "a" was already read from ` + first + `; this later entry counts`}, c.Warnings); d != "" {
		t.Error(d)
	}
}

func TestItselfIsLeftOut(t *testing.T) {
	dir := t.TempDir()
	exe, link := filepath.Join(dir, "codemode"), filepath.Join(dir, "link")
	write(t, exe, "")
	if err := os.Symlink(exe, link); err != nil {
		t.Fatal(err)
	}
	options := environment()
	options.Executable = exe
	c := parse(t, `{"mcpServers": {"codemode": {"command": "`+link+`", "args": ["serve"]}, "x": {"command": "x"}}}`, options)
	if len(c.Servers) != 1 || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "codemode itself") {
		t.Errorf("%+v %v", c.Servers, c.Warnings)
	}
}

func TestSecretsAreRedacted(t *testing.T) {
	c := parse(t, `{"mcpServers": {
		"a": {"command": "c", "args": ["--key=${API_KEY}"], "env": {"GITHUB_TOKEN": "ghp_123456", "MODE": "production", "MONKEY": "bananas"}},
		"b": {"url": "https://h/?api_key=q1w2e3r4", "headers": {"Authorization": "Bearer abcdefgh"}}}}`, environment("API_KEY", "k-987654"))
	text := "k-987654 ghp_123456 production bananas Bearer abcdefgh q1w2e3r4"
	if got, want := c.Servers[0].Redact(text), "[redacted] [redacted] production bananas Bearer abcdefgh q1w2e3r4"; got != want {
		t.Errorf("got %q", got)
	}
	if got, want := c.Servers[1].Redact(text), "k-987654 ghp_123456 production bananas [redacted] [redacted]"; got != want {
		t.Errorf("got %q", got)
	}
}

// TestSecretsAreRedactedAsTheyAreWritten: servers escape what they answer with, each in its way.
func TestSecretsAreRedactedAsTheyAreWritten(t *testing.T) {
	const secret = `p/a+s"s<w>&\ört`
	c := parse(t, `{"mcpServers": {"a": {"command": "c", "env": {"MY_TOKEN": "${MY_TOKEN}"}}}}`, environment("MY_TOKEN", secret))
	for _, text := range []string{
		secret, `p/a+s\"s<w>&\\ört`, `p/a+s\\\"s<w>&\\\\ört`, `p/a+s\"s\u003cw\u003e\u0026\\ört`, `p/a+s\\\"s\\u003cw\\u003e\\u0026\\\\ört`,
		`p/a+s\"s<w>&\\\u00f6rt`, "p%2Fa%2Bs%22s%3Cw%3E%26%5C%C3%B6rt", "p%2Fa+s%22s%3Cw%3E&%5C%C3%B6rt",
	} {
		if got := c.Servers[0].Redact("a " + text + " b"); got != "a [redacted] b" {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSettingsInTwoPlacesOrUnderAnotherNameAreNoSettings: nobody would know that the policy there is none.
func TestSettingsInTwoPlacesOrUnderAnotherNameAreNoSettings(t *testing.T) {
	const servers = `"mcpServers": {"a": {"command": "a"}}`
	for text, want := range map[string]string{
		`{"codemode": {"policy": {"default": "deny"}}, ` + servers + `, "codemode": {}}`: "codemode is there twice",
		`{"Codemode": {"policy": {"default": "deny"}}, ` + servers + `}`:                 `"Codemode" is not read; our settings are called "codemode"`,
		`{` + servers + `, "code-mode": {"timeout": "5s"}}`:                              `"code-mode" is not read`,
		`{"code_mode": {"enabled": true}, ` + servers + `, "codeMode": true}`:            "", // a host's own
	} {
		_, err := Parse("/etc/mcp.json", []byte(text), nil)
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What is written twice, or does nothing, is told: it was meant to do something.
func TestWhatHasNoEffectIsTold(t *testing.T) {
	for in, want := range map[string][]string{
		`{"a": {"command": "x"}, "a": {"command": "y"}}`:               {`f.json:1:45: server "a" is there twice; this later entry counts`},
		`{"a": {"command": "x", "command": "y"}}`:                      {`f.json: server "a": command is there twice; the later one counts`},
		`{"a": {"command": "x", "cmd": "y"}}`:                          {`f.json: server "a": command and cmd are the same; the later one counts`},
		`{"a": {"command": "x", "headers": {"A": "b"}}}`:               {`f.json: server "a": headers goes with "url"; it is ignored`},
		`{"a": {"command": "x", "security": {"k": "v"}}}`:              {`f.json: server "a": security goes with "openapi"; it is ignored`},
		`{"a": {"url": "http://h", "cwd": "/tmp", "args": ["x"]}}`:     {`f.json: server "a": args goes with "command"; it is ignored`, `f.json: server "a": cwd goes with "command"; it is ignored`},
		`{"a": {"type": "http", "url": "http://h", "command": "x"}}`:   {`f.json: server "a": command is ignored, since the server is one of type http`},
		`{"a": {"url": "http://h", "env": {}, "args": [], "cwd": ""}}`: nil,
		`{"a": {"command": "x", "url": null, "headers": {}}}`:          nil,
	} {
		c, err := Parse("f.json", []byte(`{"mcpServers": `+in+`}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, c.Warnings); d != "" || len(c.Servers) != 1 {
			t.Errorf("%s: %v\n%s", in, c.Problems, d)
		}
	}
	c, err := Parse("f.json", []byte(`{"mcpServers": {"a": {"command": "x"}}, "mcpServers": {"b": {"command": "x"}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{`f.json:1:55: "mcpServers" is there twice; the later one counts`}, c.Warnings); d != "" {
		t.Error(d)
	}
}
