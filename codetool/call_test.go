package codetool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/protocol"
	"github.com/google/go-cmp/cmp"
)

func TestRequest(t *testing.T) {
	tool, executor := newTestTool(t, nil, []Provider{{Tools: echoTools("a-b", "x")}}, ends(protocol.ExecuteResult{Value: []byte("1")}))
	if _, err := tool.Call(t.Context(), "async () => 1"); err != nil {
		t.Fatal(err)
	}
	r := executor.requests[0]
	want := []protocol.ProviderDescriptor{{Name: "codemode", Tools: []string{"a_b", "x"}}}
	if diff := cmp.Diff(want, r.Providers); diff != "" {
		t.Errorf("descriptors (-want +got):\n%s", diff)
	}
	if r.Outbound.Mode() != protocol.OutboundBlocked || r.ConsoleFormat != protocol.ConsoleInspect || r.Timeout.IsSet() || r.LosslessIntegers {
		t.Errorf("defaults: %+v", r)
	}
}

func TestOptionsReachTheRequest(t *testing.T) {
	options := &Options{Timeout: time.Second, Limits: protocol.Limits{ToolCalls: 5}, Outbound: protocol.InheritOutbound(),
		LosslessIntegers: true, ConsoleFormat: protocol.ConsoleString, Modules: map[string]string{"a.js": ""}}
	tool, executor := newTestTool(t, options, nil, ends(protocol.ExecuteResult{}))
	if _, err := tool.Call(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	_, err := tool.CallWith(t.Context(), "1", CallOptions{Timeout: protocol.MaximumTimeout(), Limits: protocol.Limits{ToolCalls: 2}})
	if err != nil {
		t.Fatal(err)
	}
	first, second := executor.requests[0], executor.requests[1]
	if d, _ := first.Timeout.Duration(); d != time.Second || first.Limits.ToolCalls != 5 || first.Outbound.Mode() != protocol.OutboundInherit ||
		!first.LosslessIntegers || first.ConsoleFormat != protocol.ConsoleString || first.Modules == nil {
		t.Errorf("options: %+v", first)
	}
	if !second.Timeout.IsMaximum() || second.Limits.ToolCalls != 2 {
		t.Errorf("call options: %+v", second)
	}
}

// withheld are tools that say so.
func withheld(names ...string) (list []Withheld) {
	for _, name := range names {
		list = append(list, Withheld{Name: name, Refuse: func(_ context.Context, args json.RawMessage) error {
			return fmt.Errorf("%s is withheld from %s", name, args)
		}})
	}
	return list
}

func TestCalls(t *testing.T) {
	fail := RawTool{Name: "fail", Call: func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("no such id") }}
	nothing := RawTool{Name: "nothing", Call: func(context.Context, json.RawMessage) (any, error) { return json.RawMessage(nil), nil }}
	exact := RawTool{Name: "exact", Call: func(context.Context, json.RawMessage) (any, error) {
		return json.RawMessage(`{"b": 9007199254740993, "a":1}`), nil
	}}
	gated := echoTool("gated", "")
	gated.NeedsApproval = true
	providers := []Provider{
		{Name: "my server", Tools: append(echoTools("get-user", "a-b", "a_b", "天气", "then", "__proto__", "list_issues"), fail, nothing, exact, gated), Withheld: withheld("held-back", "a.b")},
		{Name: "other", Tools: echoTools("elsewhere", "what-ever")},
	}
	for _, c := range []struct{ namespace, tool, args, want, wantErr string }{
		{"my_server", "get_user", `[{"id":1}]`, `{"id":1}`, ""},
		{"my_server", "get-user", `[{"id":1}]`, `{"id":1}`, ""},
		{"my_server", "天气", `[]`, `{}`, ""},
		{"my_server", "a_b_2", `[null]`, `{}`, ""},
		{"my_server", "then_", `[{}]`, `{}`, ""},
		{"my_server", "__proto__", `[{}, 2]`, `{}`, ""},
		{"my_server", "get_user", `[{"b":{"__codemode_binary_v1__":"Uint8Array","data":"AP+A"}}]`, `{"b":"AP+A"}`, ""},
		{"my_server", "get_user", `[{"id":7960607143101464576}]`, `{"id":7960607143101464576}`, ""},
		{"my_server", "fail", `[]`, ``, "no such id"},
		{"my_server", "nothing", `[]`, ``, ""},
		{"my_server", "exact", `[]`, `{"b": 9007199254740993, "a":1}`, ""},
		{"my_server", "gated", `[]`, ``, `Tool "gated" not found`},
		{"my_server", "held_back", `[{"id":1}]`, ``, `held-back is withheld from {"id":1}`},
		{"my_server", "held-back", `[]`, ``, `held-back is withheld from {}`},
		{"my_server", "a_b_3", `[]`, ``, `a.b is withheld from {}`},
		{"my_server", "lst_isues", `[]`, ``, `Tool "lst_isues" not found; did you mean "list_issues"?`},
		{"my_server", "listIssues", `[]`, ``, `Tool "listIssues" not found; did you mean "list_issues"?`},
		{"my_server", "what-ever", `[]`, ``, `Tool "what-ever" not found; did you mean "other.what_ever"?`},
		{"my_server", "listInvoices", `[]`, ``, `Tool "listInvoices" not found`},
		{"my_server", "toString", `[]`, ``, `Tool "toString" not found`},
		{"my_server", "constructor", `["return 1"]`, ``, `Tool "constructor" not found`},
		{"nowhere", "x", `[]`, ``, `Tool "x" not found`},
	} {
		got, err := callOnce(t, nil, providers, c.namespace, c.tool, c.args)
		if got != c.want || errorText(err) != c.wantErr {
			t.Errorf("%s[%q](%s): got %s, %v; want %s, %s", c.namespace, c.tool, c.args, got, err, c.want, c.wantErr)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestEveryPrintedIdentifierIsCallable(t *testing.T) {
	names := []string{"get-user", "a.b", "x y", "1st", "delete", "class", "constructor", "then", "toString", "__proto__", "a-b", "a_b",
		"List", "list", "天气", "気象", "émoji", "🔍", "code", "search"}
	providers := []Provider{{Name: "s", Tools: echoTools(names...)}}
	tool, executor := newTestTool(t, nil, providers, ends(protocol.ExecuteResult{}))
	if _, err := tool.Call(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	tools := executor.requests[0].Providers[0].Tools
	if len(tools) != len(names) {
		t.Fatalf("%d tools of %d names: %v", len(tools), len(names), tools)
	}
	for i, identifier := range tools {
		if !strings.Contains(tool.Description(), "\t"+identifier+": (input: ") {
			t.Errorf("%q is not declared as %q", names[i], identifier)
		}
		for _, spelled := range []string{identifier, names[i]} {
			if _, err := callOnce(t, nil, providers, "s", spelled, "[]"); err != nil {
				t.Errorf("%q: %v", spelled, err)
			}
		}
	}
}

func TestAuthorizeAndApprove(t *testing.T) {
	write := echoTool("write", `{"type":"object","properties":{"a":{"type":"integer"}}}`)
	write.NeedsApproval = true
	providers := []Provider{{Name: "x", Tools: []RawTool{echoTool("read", ""), write}}}
	var asked []string
	options := &Options{
		Authorize: func(_ context.Context, call Call) error {
			asked = append(asked, "authorize "+call.Provider+"."+call.Tool)
			if call.Tool == "read" {
				return errors.New("denied by policy")
			}
			return nil
		},
		Approve: func(_ context.Context, call Call) error {
			asked = append(asked, "approve "+call.Namespace+"."+call.Identifier+string(call.Arguments))
			return nil
		},
	}
	if _, err := callOnce(t, options, providers, "x", "read", "[]"); errorText(err) != "denied by policy" {
		t.Errorf("read: %v", err)
	}
	if got, err := callOnce(t, options, providers, "x", "write", `[{"a":1}]`); got != `{"a":1}` || err != nil {
		t.Errorf("write: %s, %v", got, err)
	}
	if _, err := callOnce(t, options, providers, "x", "write", `[{"a":"1"}]`); err == nil {
		t.Error("a call with invalid arguments must be refused before anybody is asked")
	}
	want := []string{"authorize x.read", "authorize x.write", `approve x.write{"a":1}`}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestToolsWithoutApprovalAreNotDeclared(t *testing.T) {
	gated := echoTool("wipe", "")
	gated.NeedsApproval = true
	tool, _ := newTestTool(t, nil, []Provider{{Tools: []RawTool{gated, echoTool("read", "")}}}, ends(protocol.ExecuteResult{}))
	if strings.Contains(tool.Description(), "wipe") || !strings.Contains(tool.Description(), "read") {
		t.Errorf("declared:\n%s", tool.Description())
	}
}

func TestWithMakesAnotherTool(t *testing.T) {
	tool, executor := newTestTool(t, nil, []Provider{{Tools: echoTools("old")}}, ends(protocol.ExecuteResult{}))
	next := tool.With([]Provider{{Tools: echoTools("fresh")}})
	for _, tool := range []*Tool{tool, next} {
		if _, err := tool.Call(t.Context(), "1"); err != nil {
			t.Fatal(err)
		}
	}
	if old, fresh := executor.requests[0].Providers[0].Tools[0], executor.requests[1].Providers[0].Tools[0]; old != "old" || fresh != "fresh" {
		t.Errorf("tools %q and %q", old, fresh)
	}
}

func TestFunctionLeftUncalled(t *testing.T) {
	nothing, value := ends(protocol.ExecuteResult{}), ends(protocol.ExecuteResult{Value: []byte("42")})
	tool, executor := newTestTool(t, nil, nil, nothing, value)
	outcome, err := tool.Call(t.Context(), "(async function(){ return 42 });")
	want := "async () => {\nconst program = (\n(async function(){ return 42 })\n)\nreturn typeof program === 'function' ? program() : program\n}"
	if err != nil || string(outcome.Value) != "42" || executor.requests[1].Code != want {
		t.Errorf("got %+v, %v, ran %q", outcome, err, executor.requests[1].Code)
	}
	tool, executor = newTestTool(t, nil, nil, nothing, value)
	if outcome, err := tool.Call(t.Context(), "async (x: string): Promise<number> => { return 42 as number }"); err != nil || string(outcome.Value) != "42" {
		t.Errorf("an annotated arrow: %+v, %v, ran %q", outcome, err, executor.requests[len(executor.requests)-1].Code)
	}
	logged := ends(protocol.ExecuteResult{Logs: lines("log:x")})
	called := ends(protocol.ExecuteResult{Calls: []protocol.Call{{Tool: "x"}}})
	for _, first := range []program{logged, called, value} {
		tool, executor := newTestTool(t, nil, nil, first)
		if _, err := tool.Call(t.Context(), "(function(){})"); err != nil || len(executor.requests) != 1 {
			t.Errorf("a program that had an effect ran %d times, %v", len(executor.requests), err)
		}
	}
	for _, code := range []string{"async () => {}", "(async () => {})", "let x = 1", ""} {
		tool, executor := newTestTool(t, nil, nil, nothing)
		if _, err := tool.Call(t.Context(), code); err != nil || len(executor.requests) != 1 {
			t.Errorf("%q has been called already; it ran %d times, %v", code, len(executor.requests), err)
		}
	}
	syntax := ends(protocol.ExecuteResult{Failure: &protocol.Failure{Kind: protocol.FailureSyntax, Message: "bad"}})
	tool, _ = newTestTool(t, nil, nil, nothing, syntax)
	if outcome, err := tool.Call(t.Context(), "(1); /* function */ 2"); err != nil || outcome.Failure != nil {
		t.Errorf("a second reading that is none must not count: %+v, %v", outcome, err)
	}
}

func TestPlacesInReadingsAreTheModels(t *testing.T) {
	thrown := func(line int) program {
		return ends(protocol.ExecuteResult{Failure: &protocol.Failure{Kind: protocol.FailureThrown, Name: "ReferenceError",
			Message: "codemod is not defined", Position: &protocol.Position{Line: line, Column: 13}}})
	}
	syntax := ends(protocol.ExecuteResult{Failure: &protocol.Failure{Kind: protocol.FailureSyntax, Message: "bad"}})
	for _, c := range []struct {
		code     string
		first    program
		line     int
		wantLine int
	}{
		{"Here:\n\n```js\nasync () => codemod.x()\n```\n", syntax, 1, 4},
		{"\n(function(){ codemod.x() })", ends(protocol.ExecuteResult{}), 3, 2},
	} {
		tool, _ := newTestTool(t, nil, []Provider{{Tools: echoTools("x")}}, c.first, thrown(c.line))
		outcome, err := tool.Call(t.Context(), c.code)
		if err != nil || outcome.Failure == nil || outcome.Failure.Position == nil || outcome.Failure.Position.Line != c.wantLine {
			t.Errorf("%q: %+v, %v", c.code, outcome.Failure, err)
		}
	}
}

func TestProgramInProse(t *testing.T) {
	syntax := ends(protocol.ExecuteResult{Failure: &protocol.Failure{Kind: protocol.FailureSyntax, Message: "bad"}})
	one := ends(protocol.ExecuteResult{Value: []byte("1")})
	tool, executor := newTestTool(t, nil, nil, syntax, one)
	outcome, err := tool.Call(t.Context(), "Here you go:\n```js\nasync () => 1\n```\nDone")
	if err != nil || string(outcome.Value) != "1" || executor.requests[1].Code != "async () => 1" {
		t.Errorf("got %+v, %v", outcome, err)
	}
	for _, code := range []string{"a b", "```js\n1\n```\nor\n```js\n2\n```"} {
		tool, executor := newTestTool(t, nil, nil, syntax)
		outcome, err := tool.Call(t.Context(), code)
		if err != nil || outcome.Failure == nil || len(executor.requests) != 1 {
			t.Errorf("%q: %+v, %v, %d runs", code, outcome, err, len(executor.requests))
		}
	}
}
