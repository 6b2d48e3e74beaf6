package codetool

import (
	"context"
	"testing"
)

func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		names   []string
		want    bool
	}{
		{"get-sum", []string{"get-sum", "get_sum"}, true},
		{"get_sum", []string{"get-sum", "get_sum"}, true},
		{"get_*", []string{"get-sum", "get_sum"}, true},
		{"get.sum", []string{"get-sum", "get_sum"}, false},
		{"GET_sum", []string{"get-sum", "get_sum"}, true},
		{"delete*", []string{"Delete/all", "Deleteall"}, true},
		{"a/*", []string{"A/b", "Ab"}, true},
		{"*", []string{"", ""}, false},
		{"", []string{""}, false},
		{"[", []string{"["}, false},
	} {
		if got := Matches([]string{"nothing-else", tt.pattern}, tt.names...); got != tt.want {
			t.Errorf("%q of %q: %v", tt.pattern, tt.names, got)
		}
	}
	if Matches(nil, "x") {
		t.Error("no pattern matches")
	}
}

// TestPolicyKnowsBothNames: a rule holds for what the server calls a tool and for what programs do, whatever its action.
func TestPolicyKnowsBothNames(t *testing.T) {
	call := &Call{Provider: "my.files", Tool: "get-sum", Namespace: "my_files", Identifier: "get_sum"}
	for _, action := range []Action{Allow, Deny, Ask} {
		for _, rule := range []Rule{
			{Tools: []string{"get_sum"}}, {Tools: []string{"get_sum_2"}}, {Tools: []string{"get-sum"}}, {Servers: []string{"my_files"}}, {Servers: []string{"my.files"}, Tools: []string{"GET_*"}},
		} {
			rule.Action = action
			p, err := NewPolicy([]Rule{rule}, Ask)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Decide(context.Background(), call, Hints{Names: []string{"get_sum_2"}}); got.Action != action || got.Rule != 0 {
				t.Errorf("%+v: %+v", rule, got)
			}
		}
	}
}
