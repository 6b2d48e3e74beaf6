package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parseOwn(own string) (*Config, error) {
	return Parse("f.json", []byte(`{"mcpServers": {"a": {"command": "a"}}, "codemode": `+own+`}`), nil)
}

func TestResourceServer(t *testing.T) {
	c, err := parseOwn(`{
		"http": {"oauth": {"issuers": ["https://a.example/t", "http://127.0.0.1:9"], "resource": "https://mcp.example/mcp", "audiences": "api://x", "scopes": ["mcp", "mcp:run"], "keys": {"https://a.example/t": "https://a.example/keys"}}},
		"views": [{"name": "v", "claims": {"groups": "eng", "level": 3, "on": true}}]
	}`)
	if err != nil {
		t.Fatal(err)
	}
	want := &ResourceServer{
		Issuers:  []Issuer{{URL: "https://a.example/t", Keys: "https://a.example/keys"}, {URL: "http://127.0.0.1:9"}},
		Resource: "https://mcp.example/mcp", Audiences: []string{"api://x"}, Scopes: []string{"mcp", "mcp:run"},
	}
	if d := cmp.Diff(want, c.Settings.ResourceServer); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]View{{Name: "v", Claims: map[string]string{"groups": "eng", "level": "3", "on": "true"}}}, c.Settings.Views); d != "" {
		t.Error(d)
	}
	if len(c.Warnings) != 0 {
		t.Errorf("%q", c.Warnings)
	}
}

func TestClaimsWithoutOAuthAreTold(t *testing.T) {
	c, err := parseOwn(`{"views": [{"name": "v", "claims": {"groups": "eng"}}]}`)
	if err != nil || len(c.ViewWarnings) != 1 || !strings.Contains(c.ViewWarnings[0], `"v" by its claims: there is no codemode.http.oauth`) {
		t.Errorf("%+v %v", c, err)
	}
}

func TestResourceServersThatAreWrong(t *testing.T) {
	oauth := func(members string) string {
		for _, standard := range []string{`"issuers": "https://a.example"`, `"resource": "https://m.example/mcp"`} {
			if key, _, _ := strings.Cut(standard, ":"); !strings.HasPrefix(members, key+":") {
				members += ", " + standard
			}
		}
		return `{"http": {"oauth": {` + members + `}}}`
	}
	for own, want := range map[string]string{
		`{"http": {"oauth": {"resource": "https://m.example/mcp"}}}`:     "codemode.http.oauth has no issuers",
		`{"http": {"oauth": {"issuers": "https://a.example"}}}`:          "codemode.http.oauth has no resource",
		`{"http": {"oauth": true}}`:                                      "must be an object",
		`{"http": {"oath": {}}}`:                                         "codemode.http.oath is not a setting",
		oauth(`"issuer": "x"`):                                           "codemode.http.oauth.issuer is not a setting",
		oauth(`"issuers": "http://a.example"`):                           "no https address",
		oauth(`"issuers": "https://a.example?x=1"`):                      "no user, query or fragment",
		oauth(`"issuers": ["https://a.example", "https://a.example/"]`):  "twice",
		oauth(`"resource": "mcp"`):                                       "must be the address of the endpoint",
		oauth(`"resource": "https://m.example/mcp#x"`):                   "without user, query and fragment",
		oauth(`"scopes": ["a b"]`):                                       "a character that it may not have",
		oauth(`"scopes": ["a\"b"]`):                                      "a character that it may not have",
		oauth(`"audiences": [""]`):                                       "is empty",
		oauth(`"keys": {"https://b.example": "https://b.example/keys"}`): "none of the issuers",
		oauth(`"keys": {"https://a.example": "http://b.example/keys"}`):  "no https address for",
		`{"views": [{"name": "v", "claims": {}}]}`:                       "names no claim",
		`{"views": [{"name": "v", "claims": {"a": []}}]}`:                "a value for each claim",
		`{"views": [{"name": "v", "claims": "a"}]}`:                      "must be an object",
	} {
		_, err := parseOwn(own)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "f.json:1:") {
			t.Errorf("%s: %v", own, err)
		}
	}
}
