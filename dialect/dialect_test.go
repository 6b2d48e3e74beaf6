package dialect

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/codemode-go/codemode/protocol"
	"github.com/google/go-cmp/cmp"
)

func echo(_ context.Context, args []json.RawMessage) (any, error) {
	if len(args) == 0 {
		return protocol.Undefined{}, nil
	}
	return args[0], nil
}

func TestPlainProviderCrossesAsNameAndTools(t *testing.T) {
	native := returns(&protocol.ExecuteResult{Value: []byte("1")}, nil)
	providers := []Provider{{Name: "api", Functions: []Function{{"list-issues", echo}, {"delete", echo}, {"x", nil}, {"x", echo}}}}
	executeWith(t, native, providers, &ExecuteOptions{Connectors: []Connector{{Name: "mail"}}})
	request := native.requests[0]
	want := []protocol.ProviderDescriptor{
		{Name: "api", Tools: []string{"list_issues", "delete_", "x"}},
		{Name: "mail", Tools: []string{}},
	}
	if diff := cmp.Diff(want, request.Providers); diff != "" {
		t.Errorf("descriptors (-want +got):\n%s", diff)
	}
	text, err := json.Marshal(request.Providers[0])
	if err != nil || string(text) != `{"name":"api","tools":["list_issues","delete_","x"]}` {
		t.Errorf("descriptor JSON %s, %v", text, err)
	}
}

func TestOptionsLeftOutStayUnset(t *testing.T) {
	native := returns(&protocol.ExecuteResult{}, nil)
	executeWith(t, native, nil, nil)
	r := native.requests[0]
	if !r.CountHostWaits || r.Dispatch == nil {
		t.Errorf("host waits count and a dispatch rides every request: %v, %v", r.CountHostWaits, r.Dispatch != nil)
	}
	if r.Modules != nil || r.Timeout.IsSet() || r.Outbound.Mode() != protocol.OutboundUnset || r.Limits != (protocol.Limits{}) ||
		r.LosslessIntegers || r.ConsoleFormat != "" || r.RetainHandles {
		t.Errorf("unset options must leave the request's fields unset: %+v", r)
	}
}

func TestOptionsCrossUnchanged(t *testing.T) {
	native := returns(&protocol.ExecuteResult{}, nil)
	executeWith(t, native, []Provider{{Name: "p", Prelude: "p.x = 1", PositionalArgs: true, ProxySource: "({})"}}, &ExecuteOptions{
		Modules: map[string]string{"a.js": "export default 1"}, Timeout: protocol.TimeoutOf(time.Second),
		Outbound: protocol.BlockOutbound(), Limits: protocol.Limits{ToolCalls: 3}, LosslessIntegers: true,
		ConsoleFormat: protocol.ConsoleInspect,
	})
	r := native.requests[0]
	if d, _ := r.Timeout.Duration(); d != time.Second || r.Outbound.Mode() != protocol.OutboundBlocked || r.Limits.ToolCalls != 3 ||
		!r.LosslessIntegers || r.ConsoleFormat != protocol.ConsoleInspect || r.Modules["a.js"] == "" {
		t.Errorf("options were changed: %+v", r)
	}
	want := []protocol.ProviderDescriptor{{Name: "p", Tools: []string{}, Prelude: "p.x = 1", PositionalArgs: true, ProxySource: "({})"}}
	if diff := cmp.Diff(want, r.Providers); diff != "" {
		t.Errorf("descriptor (-want +got):\n%s", diff)
	}
}

func TestBareFunctionsWarnOnce(t *testing.T) {
	native := returns(&protocol.ExecuteResult{Value: []byte("1")}, nil)
	var lines []string
	executor := New(native, &Options{Warn: func(line string) { lines = append(lines, line) }})
	defer executor.Close()
	if _, err := executor.ExecuteFunctions(t.Context(), "1", []Function{{"add", echo}}, nil); err != nil {
		t.Fatal(err)
	}
	want := []string{"[@supolka/cloudflare-codemode-executor] Passing a bare functions record to execute() is deprecated. Pass an array of providers instead."}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if p := native.requests[0].Providers[0]; p.Name != "codemode" || p.Tools[0] != "add" {
		t.Errorf("wrapped as %+v", p)
	}
}

func TestCodeIsNormalized(t *testing.T) {
	native := returns(&protocol.ExecuteResult{}, nil)
	executor := New(native, nil)
	defer executor.Close()
	if _, err := executor.Execute(t.Context(), "return 6 * 7", nil, nil); err != nil {
		t.Fatal(err)
	}
	if got := native.requests[0].Code; got != "async () => {\nreturn 6 * 7\n}" {
		t.Errorf("the executor got %q", got)
	}
}

func TestDispatchedCalls(t *testing.T) {
	fail := func(context.Context, []json.RawMessage) (any, error) { return nil, errors.New("no such id") }
	empty := func(context.Context, []json.RawMessage) (any, error) { return nil, errors.New("") }
	panics := func(context.Context, []json.RawMessage) (any, error) { panic("oh") }
	all := func(_ context.Context, args []json.RawMessage) (any, error) { return args, nil }
	object := func(context.Context, []json.RawMessage) (any, error) {
		return json.RawMessage(`{"n": 9007199254740993, "a": 1}`), nil
	}
	control := func(context.Context, []json.RawMessage) (any, error) {
		return json.RawMessage(`{"__codemode_control__":"pause"}`), nil
	}
	providers := []Provider{{Name: "api", Functions: []Function{
		{"list-issues", echo}, {"fail", fail}, {"empty", empty}, {"panics", panics}, {"all", all}, {"object", object},
		{"missing", nil}, {"control", control},
	}}}
	for _, c := range []struct{ provider, tool, args, want string }{
		{"api", "list_issues", `[{"repo":"x"}]`, `{"result":{"repo":"x"}}`},
		{"api", "list_issues", `[]`, `{}`},
		{"api", "list_issues", ``, `{}`},
		{"api", "list-issues", `[{"repo":"x"}]`, `{"error":"Tool \"list-issues\" not found"}`},
		{"api", "nope", `[]`, `{"error":"Tool \"nope\" not found"}`},
		{"api", "missing", `[]`, `{"error":"Tool \"missing\" not found"}`},
		{"other", "nope", `[]`, `{"error":"Tool \"nope\" not found"}`},
		{"api", "fail", `[]`, `{"error":"no such id"}`},
		{"api", "empty", `[]`, `{"error":""}`},
		{"api", "panics", `[]`, `{"error":"tool \"panics\" panicked: oh"}`},
		{"api", "all", `[1,"a",null]`, `{"result":[1,"a",null]}`},
		{"api", "all", `{"a":1}`, `{"result":[{"a":1}]}`},
		{"api", "object", `[]`, `{"result":{"n": 9007199254740993, "a": 1}}`},
		{"api", "control", `[]`, `{"result":{"__codemode_control__":"pause"}}`},
	} {
		result := executeWith(t, calling(t, c.provider, c.tool, c.args), providers, nil)
		if got := string(result.Value); got != c.want {
			t.Errorf("%s.%s(%s) answered %s, want %s", c.provider, c.tool, c.args, got, c.want)
		}
	}
}

func TestHostNamesAndNotFound(t *testing.T) {
	providers := []Provider{{
		Name: "api", ExactNames: true, Functions: []Function{{"get-user", echo}, {"天气", echo}},
		NotFound: func(_ context.Context, tool string, args []json.RawMessage) (any, error) {
			return nil, errors.New("no " + tool)
		},
	}}
	for _, c := range []struct{ tool, want string }{
		{"get-user", `{"result":1}`}, {"天气", `{"result":1}`}, {"get_user", `{"error":"no get_user"}`},
	} {
		native := calling(t, "api", c.tool, "[1]")
		if got := string(executeWith(t, native, providers, nil).Value); got != c.want {
			t.Errorf("%s answered %s, want %s", c.tool, got, c.want)
		}
		if diff := cmp.Diff([]string{"get-user", "天气"}, native.requests[0].Providers[0].Tools); diff != "" {
			t.Errorf("tools (-want +got):\n%s", diff)
		}
	}
}

func TestHostErrorsAreGoErrors(t *testing.T) {
	executor := New(returns(nil, protocol.Errorf(protocol.CodeQueueFull, "full")), nil)
	defer executor.Close()
	result, err := executor.Execute(t.Context(), "1", nil, nil)
	if result != nil || !errors.Is(err, protocol.CodeQueueFull) {
		t.Errorf("got %v, %v", result, err)
	}
}

func TestCloseClosesTheNativeExecutor(t *testing.T) {
	native := returns(&protocol.ExecuteResult{}, nil)
	executor := New(native, nil)
	if err := executor.Close(); err != nil || native.closed != 1 {
		t.Errorf("Close: %v, native closed %d times", err, native.closed)
	}
	if _, err := executor.Execute(t.Context(), "1", nil, nil); !errors.Is(err, protocol.CodePoolClosed) {
		t.Errorf("after Close: %v", err)
	}
}
