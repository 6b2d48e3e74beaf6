package dialect

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/codemode-go/codemode/protocol"
)

const completedEnvelope = `{"error":"Execution has already completed"}`

func TestCallAfterTheRunIsRefused(t *testing.T) {
	var dispatch protocol.DispatchFunc
	native := &fakeNative{program: func(_ context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		dispatch = r.Dispatch
		return &protocol.ExecuteResult{Value: []byte("1")}, nil
	}}
	called := 0
	count := func(context.Context, []json.RawMessage) (any, error) { called++; return 1, nil }
	executeWith(t, native, []Provider{{Name: "api", Functions: []Function{{"count", count}}}}, nil)
	for _, provider := range []string{"api", "other"} {
		text, err := dispatch(t.Context(), provider, "count", "[]")
		if err != nil || text != completedEnvelope || called != 0 {
			t.Errorf("%s: late call answered %s, %v; the function ran %d times", provider, text, err, called)
		}
	}
}

// A program that forgets to await gets its result; the call goes on, its caller reads the completion text.
func TestUnawaitedCallOutlivesItsRun(t *testing.T) {
	started, finish, finished := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	slow := func(ctx context.Context, _ []json.RawMessage) (any, error) {
		close(started)
		<-finish
		finished <- ctx.Err()
		return 1, nil
	}
	answers := make(chan string, 1)
	native := &fakeNative{program: func(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		callCtx, cancel := context.WithCancel(ctx)
		defer cancel() // the native executor gives its calls up with the run
		go func() {
			text, _ := r.Dispatch(callCtx, "api", "slow", "[]")
			answers <- text
		}()
		<-started
		return &protocol.ExecuteResult{Value: []byte(`"early"`)}, nil
	}}
	executor := New(native, nil)
	result, err := executor.Execute(t.Context(), "1", []Provider{{Name: "api", Functions: []Function{{"slow", slow}}}}, nil)
	if err != nil || string(result.Value) != `"early"` {
		t.Fatalf("got %+v, %v", result, err)
	}
	if text := <-answers; text != completedEnvelope {
		t.Errorf("the abandoned call read %s", text)
	}
	close(finish)
	if err := <-finished; err != nil {
		t.Errorf("the abandoned call was cancelled: %v", err)
	}
	if err := executor.Close(); err != nil {
		t.Error(err)
	}
}

func TestCallsEndWithWhatCutTheirRunShort(t *testing.T) {
	for name, end := range map[string]struct {
		result *protocol.ExecuteResult
		err    error
	}{
		"timeout":  {&protocol.ExecuteResult{Failure: &protocol.Failure{Kind: protocol.FailureTimeout}}, nil},
		"memory":   {&protocol.ExecuteResult{Failure: &protocol.Failure{Kind: protocol.FailureMemory, Message: "m"}}, nil},
		"lost":     {nil, protocol.Errorf(protocol.CodeWorkerLost, "lost")},
		"closed":   {&protocol.ExecuteResult{Value: []byte("1")}, nil}, // cancelled by Close
		"canceled": {&protocol.ExecuteResult{Failure: &protocol.Failure{Kind: protocol.FailureCanceled}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			started, ended := make(chan struct{}), make(chan struct{})
			never := func(ctx context.Context, _ []json.RawMessage) (any, error) {
				close(started)
				<-ctx.Done()
				close(ended)
				return nil, ctx.Err()
			}
			native := &fakeNative{program: func(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
				go r.Dispatch(ctx, "api", "never", "[]")
				<-started
				return end.result, end.err
			}}
			executor := New(native, nil)
			_, err := executor.Execute(t.Context(), "1", []Provider{{Name: "api", Functions: []Function{{"never", never}}}}, nil)
			if (err != nil) != (end.err != nil) {
				t.Fatal(err)
			}
			if name != "closed" {
				<-ended
			}
			executor.Close()
			<-ended
		})
	}
}

func TestCallsEndWithTheCallersContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	never := func(ctx context.Context, _ []json.RawMessage) (any, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	executor := New(calling(t, "api", "never", "[]"), nil)
	defer executor.Close()
	result, err := executor.Execute(ctx, "1", []Provider{{Name: "api", Functions: []Function{{"never", never}}}}, nil)
	if err != nil || result.Value == nil {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestCallsCarryTheCallersValues(t *testing.T) {
	type key struct{}
	value := func(ctx context.Context, _ []json.RawMessage) (any, error) { return ctx.Value(key{}), nil }
	native := &fakeNative{program: func(_ context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		text, err := r.Dispatch(t.Context(), "api", "value", "[]") // as from a remote session's context
		return &protocol.ExecuteResult{Value: []byte(text)}, err
	}}
	executor := New(native, nil)
	defer executor.Close()
	ctx := context.WithValue(t.Context(), key{}, "session 1")
	result, err := executor.Execute(ctx, "1", []Provider{{Name: "api", Functions: []Function{{"value", value}}}}, nil)
	if err != nil || string(result.Value) != `{"result":"session 1"}` {
		t.Errorf("got %+v, %v", result, err)
	}
}

// An executor may start the next call, or settle the run, once a call was admitted: by then it must be held.
func TestAdmissionComesFromTheCallItself(t *testing.T) {
	admitted, called := make(chan struct{}), make(chan struct{})
	native := &fakeNative{program: func(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		callCtx := protocol.WithAdmission(ctx, func() { close(admitted) })
		go r.Dispatch(callCtx, "api", "note", "[]")
		<-admitted
		return &protocol.ExecuteResult{Value: []byte("1")}, nil
	}}
	note := func(context.Context, []json.RawMessage) (any, error) { close(called); return nil, nil }
	executor := New(native, nil)
	defer executor.Close()
	if _, err := executor.Execute(t.Context(), "1", []Provider{{Name: "api", Functions: []Function{{"note", note}}}}, nil); err != nil {
		t.Fatal(err)
	}
	<-called
}
