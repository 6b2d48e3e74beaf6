package executor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// retain runs a program that must be retained, and returns its value and the execution's id.
func retain(t *testing.T, pool *executor.Pool, code string) (value, id string) {
	t.Helper()
	result := mustExecute(t, pool, &protocol.ExecuteRequest{
		Code: code, RetainHandles: true, Providers: []protocol.ProviderDescriptor{{Name: "api", Tools: []string{"t"}}},
	})
	if result.Failure != nil || result.ExecutionID == "" {
		t.Fatalf("value %s, failure %+v, execution %q", result.Value, result.Failure, result.ExecutionID)
	}
	return string(result.Value), result.ExecutionID
}

func invoke(t *testing.T, pool *executor.Pool, request protocol.InvokeRequest) *protocol.ExecuteResult {
	t.Helper()
	result, err := pool.InvokeHandle(context.Background(), &request)
	if err != nil {
		t.Fatalf("InvokeHandle: %v", err)
	}
	return result
}

func args(list ...any) (out []json.RawMessage) {
	for _, arg := range list {
		text, _ := json.Marshal(arg)
		out = append(out, text)
	}
	return out
}

func TestFunctionsOfARetainedRunStayCallable(t *testing.T) {
	pool := newPool(t, executor.Options{})
	value, id := retain(t, pool, `async () => {
		let n = 10;
		const add = (by = 1) => (n += by);
		return { add, again: add, more: { n: 100, inc() { return ++this.n }, make: (x) => () => x },
			tool: async (x) => await api.t(x), fake: { __codemode_handle__: 1 }, bytes: (b) => [b.length, b], boom() { throw new TypeError("no") } };
	}`)
	want := `{"add":{"__codemode_handle__":1},"again":{"__codemode_handle__":1},"more":{"n":100,"inc":{"__codemode_handle__":2},"make":{"__codemode_handle__":3}},` +
		`"tool":{"__codemode_handle__":4},"fake":{"__codemode_escaped_v1__":{"__codemode_handle__":1}},"bytes":{"__codemode_handle__":5},"boom":{"__codemode_handle__":6}}`
	if value != want {
		t.Fatalf("value %s\nwant  %s", value, want)
	}
	binary := json.RawMessage(`{"__codemode_binary_v1__":"Uint8Array","data":"AAEC"}`)
	for _, c := range []struct {
		handle int64
		args   []json.RawMessage
		want   string
	}{
		{1, nil, "11"}, {1, args(5), "16"}, {2, nil, "101"}, {2, nil, "102"},
		{3, args("kept"), `{"__codemode_handle__":7}`}, {7, nil, `"kept"`},
		{5, []json.RawMessage{binary}, `[3,{"__codemode_binary_v1__":"Uint8Array","data":"AAEC"}]`},
	} {
		result := invoke(t, pool, protocol.InvokeRequest{ExecutionID: id, HandleID: c.handle, Args: c.args})
		if string(result.Value) != c.want || result.ExecutionID != id {
			t.Errorf("handle %d: value %s, failure %+v, execution %q", c.handle, result.Value, result.Failure, result.ExecutionID)
		}
	}
	// Tool calls go to the dispatch of the invocation, and an invocation that throws leaves the execution as it is.
	dispatch := func(_ context.Context, provider, tool, args string) (string, error) {
		return fmt.Sprintf(`{"result":%q}`, provider+"."+tool+args), nil
	}
	result := invoke(t, pool, protocol.InvokeRequest{ExecutionID: id, HandleID: 4, Args: args("x"), Dispatch: dispatch})
	if string(result.Value) != `"api.t[\"x\"]"` || len(result.Calls) != 1 {
		t.Errorf("value %s, calls %v", result.Value, result.Calls)
	}
	result = invoke(t, pool, protocol.InvokeRequest{ExecutionID: id, HandleID: 4, Args: args("x")})
	if result.Failure == nil || result.Failure.Message != `Tool "t" not found` {
		t.Errorf("without a dispatch: %+v", result.Failure)
	}
	result = invoke(t, pool, protocol.InvokeRequest{ExecutionID: id, HandleID: 6})
	if f := result.Failure; f == nil || f.Name != "TypeError" || f.Position == nil || f.Position.Line != 5 || result.ExecutionID != id {
		t.Errorf("a function that throws: %+v, execution %q", result.Failure, result.ExecutionID)
	}
	if got := invoke(t, pool, protocol.InvokeRequest{ExecutionID: id, HandleID: 1}); string(got.Value) != "17" {
		t.Errorf("after it: %s", got.Value)
	}
}

func wantCode(t *testing.T, what string, err error, code protocol.Code) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

func TestHandlesThatAreNotThere(t *testing.T) {
	pool := newPool(t, executor.Options{MaxRetained: 2, Limits: protocol.Limits{Handles: 3, ArgumentBytes: 100}})
	ctx := context.Background()
	ask := func(request protocol.InvokeRequest) error {
		_, err := pool.InvokeHandle(ctx, &request)
		return err
	}
	_, id := retain(t, pool, `async () => () => 1`)
	wantCode(t, "no execution", ask(protocol.InvokeRequest{ExecutionID: "x", HandleID: 1}), protocol.CodeExecutionUnknown)
	wantCode(t, "handle 0", ask(protocol.InvokeRequest{ExecutionID: id}), protocol.CodeHandleUnknown)
	wantCode(t, "handle 2", ask(protocol.InvokeRequest{ExecutionID: id, HandleID: 2}), protocol.CodeHandleUnknown)
	wantCode(t, "no JSON", ask(protocol.InvokeRequest{ExecutionID: id, HandleID: 1, Args: []json.RawMessage{[]byte("{")}}), protocol.CodeInvalidRequest)
	wantCode(t, "long", ask(protocol.InvokeRequest{ExecutionID: id, HandleID: 1, Args: args(strings.Repeat("x", 200))}), protocol.CodeInvalidRequest)
	wantCode(t, "timeout", ask(protocol.InvokeRequest{ExecutionID: id, HandleID: 1, Timeout: protocol.TimeoutOf(-1)}), protocol.CodeInvalidRequest)
	if err := ask(protocol.InvokeRequest{ExecutionID: id, HandleID: 1}); err != nil {
		t.Errorf("the handle itself: %v", err)
	}

	// Nothing is retained of a run without functions, of one that fails, of one with too many, and of one that did not ask.
	for _, code := range []string{`async () => 1`, `async () => { throw () => 1 }`, `async () => [() => 1, () => 2, () => 3, () => 4]`} {
		result := mustExecute(t, pool, &protocol.ExecuteRequest{Code: code, RetainHandles: true})
		if result.ExecutionID != "" {
			t.Errorf("%s: execution %q", code, result.ExecutionID)
		}
		if strings.Contains(code, "4") && (result.Failure == nil || result.Failure.Limit != "handles" || result.Failure.LimitValue != 3) {
			t.Errorf("%s: %+v", code, result.Failure)
		}
	}
	if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: `async () => [() => 1]`}); got != "[null]" {
		t.Errorf("not asked for: %s", got)
	}
	// So they hold no place either.
	_, second := retain(t, pool, `async () => () => 2`)
	_, err := pool.Execute(ctx, &protocol.ExecuteRequest{Code: `async () => () => 1`, RetainHandles: true})
	wantCode(t, "a third", err, protocol.CodeHandlesExhausted)
	if err := pool.CloseHandles(ctx, second); err != nil {
		t.Error(err)
	}
	if err := pool.CloseHandles(ctx, second); err != nil {
		t.Error(err)
	}
	wantCode(t, "closed", ask(protocol.InvokeRequest{ExecutionID: second, HandleID: 1}), protocol.CodeExecutionUnknown)
	retain(t, pool, `async () => () => 3`)
}

func TestARetainedRunStarvesNobody(t *testing.T) {
	pool := newPool(t, executor.Options{Workers: 1, SpareWorkers: -1, MaxRetained: 3})
	var ids []string
	for range 3 {
		_, id := retain(t, pool, `async () => { let n = 0; return async () => { await new Promise(r => setTimeout(r, 1)); return ++n } }`)
		ids = append(ids, id)
	}
	if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: `async () => 5`}); got != "5" {
		t.Errorf("beside three retained runs: %s", got)
	}
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() { invoke(t, pool, protocol.InvokeRequest{ExecutionID: ids[i%3], HandleID: 1}) })
		all.Go(func() { mustValue(t, pool, &protocol.ExecuteRequest{Code: `async () => 1`}) })
	}
	all.Wait()
	for _, id := range ids {
		if got := invoke(t, pool, protocol.InvokeRequest{ExecutionID: id, HandleID: 1}); string(got.Value) != "5" {
			t.Errorf("calls on %s: %s", id, got.Value)
		}
	}
	if s := pool.Status(); s.Retained != 3 || s.Running != 0 {
		t.Errorf("status %+v", s)
	}
}

func TestWhatEndsARetainedRun(t *testing.T) {
	pool := newPool(t, executor.Options{Workers: 2})
	forgetful := newPool(t, executor.Options{Workers: 1, RetainedIdle: 100 * time.Millisecond})
	ctx := context.Background()
	goneFrom := func(t *testing.T, pool *executor.Pool, id string) {
		t.Helper()
		_, err := pool.InvokeHandle(ctx, &protocol.InvokeRequest{ExecutionID: id, HandleID: 1})
		wantCode(t, "afterwards", err, protocol.CodeExecutionUnknown)
	}
	gone := func(t *testing.T, id string) { t.Helper(); goneFrom(t, pool, id) }
	retained := func() int { s := forgetful.Status(); return s.Retained + s.Running }

	t.Run("idle time", func(t *testing.T) {
		_, id := retain(t, forgetful, `async () => () => 1`)
		eventually(t, "it expired", func() bool { return retained() == 0 })
		goneFrom(t, forgetful, id)
	})
	t.Run("not while it is used", func(t *testing.T) {
		eventually(t, "one that is used in time stays", func() bool {
			_, id := retain(t, forgetful, `async () => async () => { await new Promise(r => setTimeout(r, 300)); return 2 }`)
			got, err := forgetful.InvokeHandle(ctx, &protocol.InvokeRequest{ExecutionID: id, HandleID: 1})
			return err == nil && string(got.Value) == "2"
		})
	})
	t.Run("timeout", func(t *testing.T) {
		_, id := retain(t, pool, `async () => () => { for (;;); }`)
		result := invoke(t, pool, protocol.InvokeRequest{ExecutionID: id, HandleID: 1, Timeout: protocol.TimeoutOf(50 * time.Millisecond)})
		if result.Failure == nil || result.Failure.Kind != protocol.FailureTimeout || result.ExecutionID != "" {
			t.Errorf("failure %+v, execution %q", result.Failure, result.ExecutionID)
		}
		gone(t, id)
	})
	t.Run("its context", func(t *testing.T) {
		_, id := retain(t, pool, `async () => async () => await api.t()`)
		short, cancel := context.WithCancel(ctx)
		result, err := pool.InvokeHandle(short, &protocol.InvokeRequest{ExecutionID: id, HandleID: 1, Dispatch: func(ctx context.Context, _, _, _ string) (string, error) {
			cancel()
			<-ctx.Done()
			return "{}", nil
		}})
		if err != nil || result.Failure == nil || result.Failure.Kind != protocol.FailureCanceled {
			t.Errorf("%+v, %v", result, err)
		}
		gone(t, id)
	})
	t.Run("memory", func(t *testing.T) {
		needLinux(t)
		_, id := retain(t, pool, `async () => () => { const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1)) }`)
		if result := invoke(t, pool, protocol.InvokeRequest{ExecutionID: id, HandleID: 1}); result.Failure == nil || result.Failure.Kind != protocol.FailureMemory {
			t.Errorf("failure %+v", result.Failure)
		}
		gone(t, id)
	})
	t.Run("CloseHandles under a call", func(t *testing.T) {
		_, id := retain(t, pool, `async () => async () => await api.t()`)
		result := invoke(t, pool, protocol.InvokeRequest{ExecutionID: id, HandleID: 1, Dispatch: func(ctx context.Context, _, _, _ string) (string, error) {
			if err := pool.CloseHandles(ctx, id); err != nil {
				t.Error(err)
			}
			return "{}", nil
		}})
		if result.Failure == nil || result.Failure.Kind != protocol.FailureCanceled {
			t.Errorf("failure %+v", result.Failure)
		}
		gone(t, id)
	})
}

// What a run left unfinished neither hangs the next call on it nor reaches its dispatch.
func TestACallThatARetainedRunLeftIsOver(t *testing.T) {
	pool := newPool(t, executor.Options{})
	release := make(chan struct{})
	defer close(release)
	result := mustExecute(t, pool, &protocol.ExecuteRequest{
		Code:          `async () => { const left = api.t(); left.catch(() => {}); return () => left }`,
		RetainHandles: true, Dispatch: stuckDispatch(release), Providers: []protocol.ProviderDescriptor{{Name: "api"}},
	})
	got := invoke(t, pool, protocol.InvokeRequest{ExecutionID: result.ExecutionID, HandleID: 1})
	if got.Failure == nil || got.Failure.Message != protocol.CompletedMessage {
		t.Errorf("value %s, failure %+v", got.Value, got.Failure)
	}
	// One that waits for what cannot come is stalled, and stays.
	_, id := retain(t, pool, `async () => () => new Promise(() => {})`)
	got = invoke(t, pool, protocol.InvokeRequest{ExecutionID: id, HandleID: 1})
	if got.Failure == nil || got.Failure.Kind != protocol.FailureStalled || got.ExecutionID != id {
		t.Errorf("value %s, failure %+v", got.Value, got.Failure)
	}
}

func TestCloseEndsRetainedRuns(t *testing.T) {
	leavesNothing(t, func() {
		pool, err := executor.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		_, id := retain(t, pool, `async () => () => 1`)
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
		_, err = pool.InvokeHandle(context.Background(), &protocol.InvokeRequest{ExecutionID: id, HandleID: 1})
		wantCode(t, "after Close", err, protocol.CodePoolClosed)
	})
}
