package codetool

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestPolicyFirstMatchDecides(t *testing.T) {
	yes, no := true, false
	p, err := NewPolicy([]Rule{
		{Action: Deny, Servers: []string{"fs"}, Tools: []string{"delete*", "rm"}, Reason: "nothing is deleted here"},
		{Action: Allow, ReadOnly: &yes},
		{Action: Deny, Servers: []string{"fs"}, When: `args.path.startsWith("/etc/")`},
		{Action: Allow, Servers: []string{"db"}, When: `args.limit <= 100 && args.limit >= 1.5`},
		{Action: Ask, Destructive: &yes},
	}, Allow)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		server, tool, args string
		hints              Hints
		want               Action
		rule               int
	}{
		{"fs", "delete_file", `{}`, Hints{}, Deny, 0},
		{"FS", "Delete/all", `{}`, Hints{}, Deny, 0}, // case is no way around
		{"fs", "read", `{}`, Hints{ReadOnly: &yes}, Allow, 1},
		{"fs", "write", `{"path": "/etc/passwd"}`, Hints{Destructive: &no}, Deny, 2},
		{"fs", "write", `{"path": "/tmp/x"}`, Hints{Destructive: &no}, Allow, -1},
		{"fs", "write", `{}`, Hints{}, Deny, 2},          // no path: a denial counts
		{"fs", "write", `{"path": 5}`, Hints{}, Deny, 2}, // of the wrong type as well
		{"db", "query", `{"limit": 100}`, Hints{}, Allow, 3},
		{"db", "query", `{"limit": 101}`, Hints{}, Ask, 4},
		{"db", "query", `{}`, Hints{}, Ask, 4}, // an allowance does not count
		{"web", "get", `{}`, Hints{}, Ask, 4},  // a tool that says nothing may destroy
		{"web", "get", `{}`, Hints{ReadOnly: &no, Destructive: &no}, Allow, -1},
	} {
		got := p.Decide(context.Background(), &Call{Provider: tt.server, Tool: tt.tool, Arguments: json.RawMessage(tt.args)}, tt.hints)
		if got.Action != tt.want || got.Rule != tt.rule {
			t.Errorf("%s.%s(%s): %+v, want %s by %d", tt.server, tt.tool, tt.args, got, tt.want, tt.rule)
		}
	}
	call := &Call{Provider: "fs", Tool: "rm", Arguments: json.RawMessage(`{}`)}
	denied := p.Decide(context.Background(), call, Hints{}).Denied(call)
	if want := "fs.rm was not called: the policy denies it: nothing is deleted here"; denied.Error() != want {
		t.Error(denied)
	}
	read := &Call{Provider: "fs", Tool: "read", Arguments: json.RawMessage(`{}`)}
	if err := p.Decide(context.Background(), read, Hints{ReadOnly: &yes}).Denied(read); err != nil {
		t.Error(err)
	}
	get := &Call{Provider: "web", Tool: "get", Arguments: json.RawMessage(`{}`)}
	if err := p.Decide(context.Background(), get, Hints{}).Denied(get); err == nil {
		t.Error("a call that a person is to be asked about was let through")
	}
}

func TestPolicyRefusesBadRules(t *testing.T) {
	for _, tt := range []struct {
		rule        Rule
		field, want string
	}{
		{Rule{Action: "maybe"}, "action", "must be allow, deny or ask"},
		{Rule{Action: Deny, Tools: []string{"["}}, "tools", "is not a pattern"},
		{Rule{Action: Deny, When: "args."}, "when", "Syntax error"},
		{Rule{Action: Deny, When: "1 + 1"}, "when", "must be true or false"},
		{Rule{Action: Deny, When: "nothing == 1"}, "when", "undeclared reference"},
	} {
		_, err := NewPolicy([]Rule{{Action: Allow}, tt.rule}, "")
		wrong := (*RuleError)(nil)
		if !errors.As(err, &wrong) || wrong.Index != 1 || wrong.Field != tt.field || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v", tt.rule, err)
		}
	}
}

// TestPolicyExpressionsKnowBothNames: a condition can mean a tool by its own name, or by the one that programs call.
func TestPolicyExpressionsKnowBothNames(t *testing.T) {
	call := &Call{Provider: "my.server", Tool: "get-sum", Namespace: "my_server", Identifier: "get_sum", Arguments: json.RawMessage(`{}`)}
	for when, want := range map[string]Action{
		`tool == "get-sum" && server == "my.server"`:             Deny,
		`calledTool == "get_sum" && calledServer == "my_server"`: Deny,
		`tool == "get_sum" || calledTool == "get-sum"`:           Allow,
	} {
		p, err := NewPolicy([]Rule{{Action: Deny, When: when}}, Allow)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Decide(t.Context(), call, Hints{}); got.Action != want {
			t.Errorf("%s: %+v", when, got)
		}
	}
	p, err := NewPolicy([]Rule{{Action: Deny, When: `calledServer == "s" && calledTool == "t"`}}, Allow)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Decide(t.Context(), &Call{Provider: "s", Tool: "t", Arguments: json.RawMessage(`{}`)}, Hints{}); got.Action != Deny {
		t.Errorf("without names of programs: %+v", got)
	}
}

// TestPolicyExpressionsAreBounded: arguments are the model's, and may be made to keep a condition busy.
func TestPolicyExpressionsAreBounded(t *testing.T) {
	p, err := NewPolicy([]Rule{{Action: Deny, When: `args.a.exists(x, args.a.exists(y, args.a.exists(z, x + y + z == -1)))`}}, Allow)
	if err != nil {
		t.Fatal(err)
	}
	args := json.RawMessage(`{"a": [` + strings.Repeat("1,", 2000) + `1]}`)
	got := p.Decide(context.Background(), &Call{Arguments: args}, Hints{})
	if got.Action != Deny || !strings.Contains(got.Reason, "cost limit") {
		t.Errorf("%+v", got)
	}
}
