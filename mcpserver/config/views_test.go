package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/codetool"
)

func parseViews(t *testing.T, views string) (*Config, error) {
	t.Helper()
	lookup := func(name string) (string, bool) { return "of " + name, name == "VIEW_TOKEN" }
	return Parse("f.json", []byte(`{"mcpServers": {"a": {"command": "a"}}, "codemode": {"views": `+views+`}}`), &Options{LookupEnv: lookup})
}

func TestViews(t *testing.T) {
	c, err := parseViews(t, `[{"name": "one", "token": "${VIEW_TOKEN}", "servers": "git*", "tools": ["get_*", "fs.read"], "readOnly": true}, {"name": "two", "token": "${MISSING}"}]`)
	if err != nil {
		t.Fatal(err)
	}
	want := []View{{Name: "one", Token: "of VIEW_TOKEN", Servers: []string{"git*"}, Tools: []string{"get_*", "fs.read"}, ReadOnly: true}, {Name: "two"}}
	if d := cmp.Diff(want, c.Settings.Views); d != "" {
		t.Error(d)
	}
	if w := c.ViewWarnings; len(c.Warnings) != 0 || len(w) != 1 || !strings.Contains(w[0], `nobody has the view "two" by its token`) || !strings.Contains(w[0], "MISSING is not set") {
		t.Errorf("%q %q", c.Warnings, w)
	}
}

func TestViewsThatAreWrong(t *testing.T) {
	for views, want := range map[string]string{
		`{}`:               "must be an array",
		`[{"token": "x"}]`: "has no name",
		`[{"name": "a"}]`:  "has no token and no claims",
		`[{"name": "a", "token": "x", "tool": "y"}]`:                       "codemode.views[0].tool is not a setting",
		`[{"name": "a", "token": "x", "tools": []}]`:                       "must be a text or a list",
		`[{"name": "a", "token": "x", "tools": "["}]`:                      "is no glob",
		`[{"name": "a", "token": "x", "servers": ""}]`:                     "empty glob",
		`[{"name": "a", "token": "x"}, {"name": "a", "token": "y"}]`:       "name of another view",
		`[{"name": "a", "token": "same"}, {"name": "b", "token": "same"}]`: "token is that of another view",
	} {
		_, err := parseViews(t, views)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "f.json:1:") {
			t.Errorf("%s: %v", views, err)
		}
		if err != nil && strings.Contains(err.Error(), "same") {
			t.Errorf("a token is in a message: %v", err)
		}
	}
}

func TestViewHas(t *testing.T) {
	for _, tt := range []struct {
		view         View
		server, tool string
		reads        bool
		want         bool
	}{
		{View{}, "fs", "write", false, true},
		{View{Servers: []string{"git*"}}, "github", "x", false, true},
		{View{Servers: []string{"git*"}}, "fs", "x", false, false},
		{View{Tools: []string{"read*"}}, "fs", "read_file", false, true},
		{View{Tools: []string{"read*"}}, "fs", "write", false, false},
		{View{Tools: []string{"fs.read*"}}, "fs", "read_file", false, true},
		{View{Tools: []string{"fs.read*"}}, "other", "read_file", false, false},
		{View{Tools: []string{"fs.read"}}, "other", "fs.read", false, false},
		{View{Tools: []string{"my.server.get"}}, "my.server", "get", false, true},
		{View{Tools: []string{"fs.read"}, Servers: []string{"other"}}, "fs", "read", false, false},
		{View{Tools: []string{"get_sum"}}, "my.server", "get-sum", false, true},
		{View{Tools: []string{"get-sum"}}, "my.server", "get-sum", false, true},
		{View{Tools: []string{"my_server.get_sum"}}, "my.server", "get-sum", false, true},
		{View{Tools: []string{"my_server.get-sum"}}, "my.server", "get-sum", false, true},
		{View{Tools: []string{"my.server.get_sum"}}, "my.server", "get-sum", false, true},
		{View{Servers: []string{"my_server"}}, "my.server", "x", false, true},
		{View{Servers: []string{"my-server"}}, "my.server", "x", false, false},
		{View{ReadOnly: true}, "fs", "read", true, true},
		{View{ReadOnly: true}, "fs", "write", false, false},
	} {
		if got := tt.view.HasTool([]string{tt.server, Namespace(tt.server)}, append([]string{tt.tool}, codetool.ToolIdentifiers([]string{tt.tool})...), tt.reads); got != tt.want {
			t.Errorf("%+v has %s.%s: %v", tt.view, tt.server, tt.tool, got)
		}
	}
	only := View{Tools: []string{"fs.read"}}
	if !only.HasServer("fs") || only.HasServer("other") {
		t.Error("a view of one server's tools has another server")
	}
}
