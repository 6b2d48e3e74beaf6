package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/codetool"
)

func TestPolicy(t *testing.T) {
	yes := true
	c := parse(t, `{"mcpServers": {"a": {"command": "a"}}, "codemode": {"policy": {"default": "ask", "approve": "code", "askTimeout": "9s", "rules": [
		{"action": "deny", "server": "fs", "tool": ["rm", "delete*"], "reason": "no"},
		{"action": "allow", "readOnly": true, "when": "args.n < 3"}]}}}`, nil)
	want := Policy{Default: codetool.Ask, ApproveCode: true, AskTimeout: 9 * time.Second, Rules: []codetool.Rule{
		{Action: codetool.Deny, Servers: []string{"fs"}, Tools: []string{"rm", "delete*"}, Reason: "no"},
		{Action: codetool.Allow, ReadOnly: &yes, When: "args.n < 3"},
	}}
	if d := cmp.Diff(want, c.Settings.Policy); d != "" || len(c.Warnings) > 0 {
		t.Error(d, c.Warnings)
	}
	for text, message := range map[string]string{
		`{"rules": [{"action": "never"}]}`:                 `1:86: codemode.policy.rules[0].action must be "allow", "deny" or "ask"`,
		`{"rules": [{"action": "deny", "tol": "x"}]}`:      `1:101: codemode.policy.rules[0].tol is not a setting`,
		`{"rules": [{"action": "deny", "tool": "["}]}`:     `1:102: codemode.policy.rules[0].tool "[" is not a pattern`,
		`{"rules": [{"action": "deny", "when": "args."}]}`: `1:102: codemode.policy.rules[0].when is no CEL expression: Syntax error: no viable alternative`,
		`{"rules": [{"tool": "x"}]}`:                       `1:75: codemode.policy.rules[0].action must be allow, deny or ask, is ""`,
		`{"rules": [{"action": "deny", "tool": []}]}`:      `codemode.policy.rules[0].tool must be a text or a list of them`,
		`{"rules": {}}`:       `codemode.policy.rules must be an array, is an object`,
		`{"default": "open"}`: `codemode.policy.default must be "allow", "deny" or "ask"`,
		`{"approve": true}`:   `codemode.policy.approve must be "calls" or "code"`,
		`[]`:                  `codemode.policy must be an object, is an array`,
	} {
		_, err := Parse("f.json", []byte(`{"mcpServers": {"a": {"command": "a"}}, "codemode": {"policy": `+text+`}}`), environment())
		if err == nil || !strings.Contains(err.Error(), message) || strings.Count(err.Error(), "f.json") != 1 {
			t.Errorf("%s: %v, want %s", text, err, message)
		}
	}
}
