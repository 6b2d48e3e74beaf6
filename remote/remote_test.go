package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/codemode-go/codemode/protocol"
	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"
)

// fake is an executor made of functions.
type fake struct {
	execute func(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error)
	invoke  func(ctx context.Context, r *protocol.InvokeRequest) (*protocol.ExecuteResult, error)
	closed  func(id string) error
}

func (f *fake) Execute(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	return f.execute(ctx, r)
}
func (f *fake) InvokeHandle(ctx context.Context, r *protocol.InvokeRequest) (*protocol.ExecuteResult, error) {
	return f.invoke(ctx, r)
}
func (f *fake) CloseHandles(_ context.Context, id string) error { return f.closed(id) }
func (f *fake) Close() error                                    { return nil }

// only hides that an executor retains runs.
type only struct{ protocol.Executor }

func value(text string) *protocol.ExecuteResult {
	return &protocol.ExecuteResult{Value: json.RawMessage(text)}
}

// echo runs no program: it answers the code as the value.
func echo(_ context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	text, err := json.Marshal(r.Code)
	return value(string(text)), err
}

// leftover fails the test when goroutines of this module's sessions outlive it.
func leftover(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		var stacks string
		for range 6000 {
			buffer := make([]byte, 1<<20)
			stacks = string(buffer[:runtime.Stack(buffer, true)])
			if !strings.Contains(stacks, "capnweb.(*") && !strings.Contains(stacks, "remote.(*Client)") && !strings.Contains(stacks, "remote.(*Balancer)") {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("goroutines are left:\n%s", stacks)
	})
}

// daemon serves an executor until the end of the test.
func daemon(t testing.TB, executor protocol.Executor, options *HandlerOptions) (string, *Handler) {
	t.Helper()
	handler, err := NewHandler(executor, options)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		if err := handler.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return "ws" + strings.TrimPrefix(server.URL, "http"), handler
}

func dial(t testing.TB, url string, options *DialOptions) *Client {
	t.Helper()
	client, err := Dial(t.Context(), url, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return client
}

func TestARequestArrivesAsItWasSet(t *testing.T) {
	leftover(t)
	var got *protocol.ExecuteRequest
	url, _ := daemon(t, &fake{execute: func(_ context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		got = r
		return value("null"), nil
	}}, nil)
	client := dial(t, url, nil)
	for name, r := range map[string]*protocol.ExecuteRequest{
		"nothing set": {Code: "async () => 1"},
		"everything": {
			Code: "c\u2028\n", Modules: map[string]string{"a.js": "export {}"}, Timeout: protocol.TimeoutOf(1500 * time.Microsecond),
			Outbound: protocol.BlockOutbound(), CountHostWaits: true, RetainHandles: true, LosslessIntegers: true,
			Limits: protocol.Limits{Memory: 1 << 20, CPU: 2 * time.Second}, ConsoleFormat: protocol.ConsoleInspect,
			Providers: []protocol.ProviderDescriptor{{Name: "a", Tools: []string{"constructor"}, Prelude: "p", PositionalArgs: true, ProxySource: "({})"}, {Name: "b", Tools: []string{}}},
		},
		"the maximum":   {Timeout: protocol.MaximumTimeout(), Outbound: protocol.InheritOutbound(), Modules: map[string]string{}},
		"an odd module": {Modules: map[string]string{"toString": "export {}", "__proto__": ""}},
	} {
		if _, err := client.Execute(t.Context(), r); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(got, r) {
			t.Errorf("%s arrives as %+v, want %+v", name, got, r)
		}
	}
}

func TestAResultArrivesAsItWas(t *testing.T) {
	leftover(t)
	deep := strings.Repeat("[", 400) + strings.Repeat("]", 400)
	var answer *protocol.ExecuteResult
	url, _ := daemon(t, &fake{execute: func(context.Context, *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		return answer, nil
	}}, nil)
	client := dial(t, url, nil)
	full := &protocol.ExecuteResult{
		Failure: &protocol.Failure{
			Causes: []string{"Error: a", "Error: é"},
			Kind:   protocol.FailureThrown, Name: "TypeError", Message: "m", Stack: "at x", Position: &protocol.Position{File: "a.js", Line: 1, Column: 2},
			Thrown: json.RawMessage(`{"toString":[1]}`), Limit: "cpu", LimitValue: 3, Pending: []string{"a.b"},
		},
		Logs:  []protocol.LogLine{{Level: protocol.LevelWarn, Text: "w", Elapsed: 1234567}},
		Usage: protocol.Usage{Wall: 1, Run: 2, CPU: 3, PeakMemory: 4, ToolCalls: 5},
		Calls: []protocol.Call{{Provider: "a", Tool: "b", Start: 1, Duration: 2, Outcome: protocol.CallRefused, Unheard: true}},
		Unhandled: []protocol.Rejection{
			{Name: "Error", Message: "é", Call: "a.b", Position: &protocol.Position{File: "a.js", Line: 1, Column: 2}}, {Message: ""},
		},
	}
	for _, want := range []*protocol.ExecuteResult{
		{}, {ValueKind: "function"}, value("null"), value(`{"b":[1,[2]],"a":12345678901234567890,"s":"\ud800"}`), value(`{"constructor":1,"toString":{"__proto__":2}}`), value(deep), full,
	} {
		answer = want
		got, err := client.Execute(t.Context(), &protocol.ExecuteRequest{})
		if err != nil {
			t.Errorf("%+v: %v", want, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the result changed:\n%s", diff)
		}
	}
}

func TestToolCallsReachTheCaller(t *testing.T) {
	leftover(t)
	url, _ := daemon(t, &fake{execute: func(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		var texts []string
		for _, tool := range []string{"echo", "fail", "panic"} {
			admitted := false
			envelope, err := r.Dispatch(protocol.WithAdmission(ctx, func() { admitted = true }), "api", tool, `["\ud800",{"constructor":[1]}]`)
			texts = append(texts, fmt.Sprint(envelope, err, admitted))
		}
		text, err := json.Marshal(texts)
		return value(string(text)), err
	}}, nil)
	client := dial(t, url, nil)
	result, err := client.Execute(t.Context(), &protocol.ExecuteRequest{Dispatch: func(_ context.Context, provider, tool, args string) (string, error) {
		switch tool {
		case "fail":
			return "", errors.New("no such id")
		case "panic":
			panic("boom")
		}
		return `{"result":` + args + `}`, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := `["{\"result\":[\"\\ud800\",{\"constructor\":[1]}]}\u003cnil\u003etrue"," no such idtrue"," tool \"panic\" panicked: boomtrue"]`
	var got, wanted []string
	_ = json.Unmarshal(result.Value, &got)
	_ = json.Unmarshal([]byte(want), &wanted)
	for i := range got {
		got[i] = strings.ReplaceAll(got[i], " <nil> ", "<nil>")
	}
	if len(got) != 3 || !strings.Contains(got[0], `{"result":["\ud800",{"constructor":[1]}]}`) || !strings.Contains(got[1], "no such id") || !strings.Contains(got[2], `tool "panic" panicked: boom`) || !strings.HasSuffix(got[0], "true") {
		t.Errorf("answers %q", got)
	}
}

// TestACallLeftBehindReachesItsFunction: the program returned without awaiting it, and the result follows at once.
func TestACallLeftBehindReachesItsFunction(t *testing.T) {
	leftover(t)
	release := make(chan struct{})
	var answered sync.WaitGroup
	url, _ := daemon(t, &fake{execute: func(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		admitted := make(chan struct{})
		answered.Go(func() {
			_, err := r.Dispatch(protocol.WithAdmission(context.WithoutCancel(ctx), func() { close(admitted) }), "api", "x", "[]")
			if err != nil {
				t.Errorf("the call left behind fails: %v", err)
			}
		})
		<-admitted
		return value("1"), nil
	}}, nil)
	client := dial(t, url, &DialOptions{RotateAfterExecutions: 1}) // its session is retired, and has to wait for the call
	guard := new(protocol.CompletionGuard)
	var called atomic.Bool
	dispatch := protocol.NewEnvelopeDispatch(map[string]protocol.Handler{"api": func(ctx context.Context, _, _ string) (json.RawMessage, error) {
		called.Store(true)
		select {
		case <-release:
		case <-ctx.Done():
			t.Error("its context ended with the run")
		}
		return nil, nil
	}}, guard)
	if _, err := client.Execute(t.Context(), &protocol.ExecuteRequest{Dispatch: dispatch}); err != nil {
		t.Fatal(err)
	}
	guard.Complete()
	if !called.Load() {
		t.Error("the result overtook the call")
	}
	close(release)
	answered.Wait()
}

func TestErrorsKeepTheirCodeOrTheirShape(t *testing.T) {
	leftover(t)
	var failure error
	url, _ := daemon(t, &fake{execute: func(context.Context, *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) { return nil, failure }}, nil)
	client := dial(t, url, nil)
	for _, code := range protocol.Codes() {
		for _, retryable := range []bool{true, false} {
			failure = &protocol.Error{Code: code, Message: "m", Retryable: retryable}
			_, err := client.Execute(t.Context(), &protocol.ExecuteRequest{})
			var got *protocol.Error
			if !errors.As(err, &got) || got.Code != code || got.Message != "m" || got.Retryable != retryable {
				t.Errorf("%s arrives as %#v", code, err)
			}
		}
	}
	failure = &RejectionError{Name: "VendorError", Message: "no", Props: map[string]json.RawMessage{"code": json.RawMessage(`"E_VENDOR"`), "status": json.RawMessage(`429`)}}
	_, err := client.Execute(t.Context(), &protocol.ExecuteRequest{})
	if diff := cmp.Diff(failure, err); diff != "" {
		t.Errorf("a rejection changed its shape:\n%s", diff)
	}
}

func TestBadRequestsAreNamed(t *testing.T) {
	leftover(t)
	url, _ := daemon(t, only{&fake{execute: echo}}, nil)
	conn, _, err := websocket.DefaultDialer.Dial(url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	push := 0
	for expression, want := range map[string]string{
		`["execute"],[]`:                                       "execute takes a request",
		`["execute"],["x"]`:                                    "request must be an object",
		`["execute"],[{"code":5}]`:                             "request.code must be a string, got a number",
		`["execute"],[{"code":"","timeout":"1"}]`:              `timeout must be a number of milliseconds, or null for the maximum, got \"1\"`,
		`["execute"],[{"code":"","outbound":"open"}]`:          `outbound must be \"inherit\", \"blocked\" or \"stub\", got \"open\"`,
		`["execute"],[{"code":"","outbound":"stub"},null]`:     `outbound is \"stub\", and there is no function beside it`,
		`["execute"],[{"code":"","limits":{"frob":1}}]`:        "limits.frob is no limit",
		`["execute"],[{"code":""},"dispatch"]`:                 "dispatch must be a function or null",
		`["execute"],[{"code":""},null,{}]`:                    "outbound must be a function or null",
		`["execute"],[{"code":"","modules":{"a":["date",5]}}]`: "request: a capnweb.Date is no JSON",
		`["invokeHandle"],[{}]`:                                "retainHandles is not supported by this executor",
		`["closeHandles"],["x"]`:                               "retainHandles is not supported by this executor",
	} {
		push++
		_ = conn.WriteMessage(websocket.TextMessage, []byte(`["push",["pipeline",0,`+expression+`]]`))
		_ = conn.WriteMessage(websocket.TextMessage, []byte(fmt.Sprintf(`["pull",%d]`, push)))
		_, answer, err := conn.ReadMessage()
		wanted := fmt.Sprintf(`["reject",%d,["error","Error","%s",null,{"code":"INVALID_REQUEST","retryable":false}]]`, push, want)
		if err != nil || string(answer) != wanted {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", expression, answer, err, wanted)
		}
	}
}

func TestACanceledRunEndsAtTheOtherEndAndHasItsLedger(t *testing.T) {
	leftover(t)
	ended := make(chan struct{})
	url, _ := daemon(t, &fake{execute: func(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		if _, err := r.Dispatch(ctx, "api", "quick", "[]"); err != nil {
			t.Error(err)
		}
		if text, err := r.Dispatch(ctx, "api", "exits", "[]"); err == nil {
			t.Errorf("a call whose function ends its goroutine is answered %s", text)
		}
		_, err := r.Dispatch(ctx, "api", "slow", "[]")
		<-ctx.Done()
		close(ended)
		return nil, err
	}}, nil)
	client := dial(t, url, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := make(chan struct{})
	result, err := client.Execute(ctx, &protocol.ExecuteRequest{Dispatch: func(ctx context.Context, _, tool, _ string) (string, error) {
		switch tool {
		case "exits":
			runtime.Goexit()
		case "slow":
			cancel(errors.New("enough"))
			<-ctx.Done()
			close(stopped)
		}
		return "{}", nil
	}})
	<-ended
	<-stopped
	if err != nil || result.Failure == nil || result.Failure.Kind != protocol.FailureCanceled || result.Failure.Message != "The caller ended the run: enough." {
		t.Fatalf("%+v, %v", result, err)
	}
	var ledger []string
	for _, call := range result.Calls {
		ledger = append(ledger, fmt.Sprint(call.Tool, " ", call.Outcome, " ", call.Unheard))
	}
	if want := []string{"quick completed false", "exits failed false", "slow abandoned true"}; !reflect.DeepEqual(ledger, want) {
		t.Errorf("the ledger is %q", ledger)
	}
	if !reflect.DeepEqual(result.Failure.Pending, []string{"api.slow"}) {
		t.Errorf("pending is %v", result.Failure.Pending)
	}
	if _, err := client.Execute(ctx, &protocol.ExecuteRequest{}); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("a call whose context has ended: %v", err)
	}
}

func TestHandlesGoThroughAnySession(t *testing.T) {
	leftover(t)
	var closedID string
	inner := &fake{
		execute: func(context.Context, *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
			return &protocol.ExecuteResult{Value: json.RawMessage(`{"__codemode_handle__":1}`), ExecutionID: "e.1"}, nil
		},
		invoke: func(ctx context.Context, r *protocol.InvokeRequest) (*protocol.ExecuteResult, error) {
			if r.ExecutionID != "e.1" || r.HandleID != 1 {
				return nil, protocol.Errorf(protocol.CodeHandleUnknown, "%+v", r)
			}
			envelope, err := r.Dispatch(ctx, "api", "x", "[]")
			if err != nil {
				return nil, err
			}
			args, _ := json.Marshal(r.Args)
			return &protocol.ExecuteResult{Value: json.RawMessage(`{"args":` + string(args) + `,"called":` + envelope + `}`), ExecutionID: "e.1"}, nil
		},
		closed: func(id string) error { closedID = id; return nil },
	}
	tokens := tokenFile(t, "one first\ntwo second\n")
	url, handler := daemon(t, inner, &HandlerOptions{Tokens: tokens})
	client := dial(t, url, &DialOptions{Token: "first", RotateAfterExecutions: 1})
	result, err := client.Execute(t.Context(), &protocol.ExecuteRequest{RetainHandles: true})
	if err != nil || result.ExecutionID == "" {
		t.Fatal(result, err)
	}
	invoke := &protocol.InvokeRequest{ExecutionID: result.ExecutionID, HandleID: 1, Args: []json.RawMessage{json.RawMessage(`[1]`), json.RawMessage(`{"toString":2}`)},
		Dispatch: func(context.Context, string, string, string) (string, error) { return `{"result":5}`, nil }}
	before := handler.metrics.sessions.Load()
	for range 3 { // none of them counts for rotation
		answer, err := client.InvokeHandle(t.Context(), invoke)
		if err != nil || string(answer.Value) != `{"args":[[1],{"toString":2}],"called":{"result":5}}` || answer.ExecutionID != result.ExecutionID {
			t.Fatalf("%s, %v", answer.Value, err)
		}
	}
	if opened := handler.metrics.sessions.Load() - before; opened != 1 {
		t.Errorf("%d sessions were opened for calls that do not count", opened)
	}
	other := dial(t, url, &DialOptions{Token: "second"})
	if _, err := other.InvokeHandle(t.Context(), invoke); !errors.Is(err, protocol.CodeExecutionUnknown) {
		t.Errorf("another token's call: %v", err)
	}
	if err := other.CloseHandles(t.Context(), result.ExecutionID); err != nil || closedID != "" {
		t.Errorf("another token's close: %v, and %q is closed", err, closedID)
	}
	if err := client.CloseHandles(t.Context(), result.ExecutionID); err != nil || closedID != "e.1" {
		t.Errorf("closing: %v, and %q is closed", err, closedID)
	}
}
