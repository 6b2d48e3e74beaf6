package dialect

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

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
	t.Run("where the native executor gives its calls up with the run", func(t *testing.T) { unawaitedCall(t, context.WithCancel) })
	t.Run("where it does not", func(t *testing.T) {
		unawaitedCall(t, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithoutCancel(ctx), func() {}
		})
	})
}

func unawaitedCall(t *testing.T, callContext func(context.Context) (context.Context, context.CancelFunc)) {
	started, finish, finished := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	slow := func(ctx context.Context, _ []json.RawMessage) (any, error) {
		close(started)
		<-finish
		finished <- ctx.Err()
		return 1, nil
	}
	answers := make(chan string, 1)
	native := &fakeNative{program: func(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		callCtx, cancel := callContext(ctx)
		defer cancel()
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

// An executor whose calls may take their time has them on its own goroutine, and with its own ends.
func TestUnhurriedCallStaysWhereItIs(t *testing.T) {
	for name, end := range map[string]func(cancel context.CancelFunc, executor *Executor){
		"by the native executor": func(cancel context.CancelFunc, _ *Executor) { cancel() },
		"by Close":               func(_ context.CancelFunc, executor *Executor) { go executor.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			var ran string
			started, ended := make(chan struct{}), make(chan error, 1)
			quick := func(context.Context, []json.RawMessage) (any, error) { ran = goroutine(); return 1, nil }
			slow := func(ctx context.Context, _ []json.RawMessage) (any, error) {
				close(started)
				<-ctx.Done()
				ended <- ctx.Err()
				return 1, nil
			}
			answers := make(chan string, 1)
			var cancelCall context.CancelFunc
			native := &fakeNative{program: func(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
				ctx, cancelCall = context.WithCancel(protocol.WithoutHurry(context.WithoutCancel(ctx)))
				if text, err := r.Dispatch(ctx, "api", "quick", "[]"); text != `{"result":1}` || err != nil || ran != goroutine() {
					t.Errorf("%s, %v; it ran on %s, not on %s", text, err, ran, goroutine())
				}
				go func() {
					text, _ := r.Dispatch(ctx, "api", "slow", "[]")
					answers <- text
				}()
				<-started
				return &protocol.ExecuteResult{Value: []byte("1")}, nil
			}}
			executor := New(native, nil)
			defer executor.Close()
			_, err := executor.Execute(t.Context(), "1", []Provider{{Name: "api", Functions: []Function{{"quick", quick}, {"slow", slow}}}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-ended:
				t.Fatalf("the normal end of the run ended the call: %v", err)
			default:
			}
			end(cancelCall, executor)
			if err := <-ended; err != context.Canceled {
				t.Errorf("the call ended with %v", err)
			}
			if text := <-answers; text != completedEnvelope {
				t.Errorf("the call that outlived its run read %s", text)
			}
			cancelCall()
		})
	}
}

// The native executor may wait for its dispatches, and gives them up first: a function that stands still must not keep it.
func TestACallThatIsGivenUpIsAnswered(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	stuck := func(context.Context, []json.RawMessage) (any, error) { close(started); <-release; return 1, nil }
	native := &fakeNative{program: func(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		ctx, cancel := context.WithCancel(ctx)
		go func() {
			<-started
			cancel()
		}()
		text, err := r.Dispatch(ctx, "api", "stuck", "[]")
		close(release)
		return &protocol.ExecuteResult{Value: []byte(text)}, err
	}}
	result := executeWith(t, native, []Provider{{Name: "api", Functions: []Function{{"stuck", stuck}}}}, nil)
	if string(result.Value) != completedEnvelope {
		t.Errorf("the call read %s", result.Value)
	}
}

func TestACallHoldsTheClockOfItsRun(t *testing.T) {
	held, released := 0, 0
	native := &fakeNative{program: func(_ context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		ctx := protocol.WithClock(t.Context(), func() func() { held++; return func() { released++ } })
		text, err := r.Dispatch(ctx, "api", "asks", "[]")
		return &protocol.ExecuteResult{Value: []byte(text)}, err
	}}
	asks := func(ctx context.Context, _ []json.RawMessage) (any, error) { protocol.HoldClock(ctx)(); return 1, nil }
	executeWith(t, native, []Provider{{Name: "api", Functions: []Function{{"asks", asks}}}}, nil)
	if held != 1 || released != 1 {
		t.Errorf("the clock was held %d times and released %d times", held, released)
	}
}

// A function may call on another executor with the context that it has, and that one need not be patient.
func TestHurryIsOfTheExecutorThatRunsTheProgram(t *testing.T) {
	var ran string
	inner := &fakeNative{program: func(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		text, err := r.Dispatch(ctx, "api", "where", "[]")
		if ran == goroutine() {
			t.Error("the call keeps an executor waiting that did not say that it may")
		}
		return &protocol.ExecuteResult{Value: []byte(text)}, err
	}}
	where := func(context.Context, []json.RawMessage) (any, error) { ran = goroutine(); return 1, nil }
	executor := New(inner, nil)
	defer executor.Close()
	ctx := protocol.WithoutHurry(t.Context())
	result, err := executor.Execute(ctx, "1", []Provider{{Name: "api", Functions: []Function{{"where", where}}}}, nil)
	if err != nil || string(result.Value) != `{"result":1}` {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestACallWhoseFunctionEndsItsGoroutineIsAnswered(t *testing.T) {
	exits := func(context.Context, []json.RawMessage) (any, error) { runtime.Goexit(); return 1, nil }
	result := executeWith(t, calling(t, "api", "exits", "[]"), []Provider{{Name: "api", Functions: []Function{{"exits", exits}}}}, nil)
	if got := string(result.Value); got != `{"error":"tool \"exits\" ended without an answer"}` {
		t.Errorf("the call read %s", got)
	}
}

// A function that does not return, as it may have called Close itself, has Close wait for a while and no longer.
func TestCloseFromWithinACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var executor *Executor
		closed := make(chan error, 1)
		closes := func(context.Context, []json.RawMessage) (any, error) { closed <- executor.Close(); return 1, nil }
		executor = New(calling(t, "api", "closes", "[]"), nil)
		result, err := executor.Execute(t.Context(), "1", []Provider{{Name: "api", Functions: []Function{{"closes", closes}}}}, nil)
		if err != nil || string(result.Value) != `{"result":1}` {
			t.Errorf("got %+v, %v", result, err)
		}
		if err := <-closed; err == nil || !strings.Contains(err.Error(), "tool calls did not return within 10s") {
			t.Errorf("it said %v", err)
		}
		if err := executor.Close(); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

// goroutine names the goroutine that calls it.
func goroutine() string {
	var stack [64]byte
	name, _, _ := strings.Cut(string(stack[:runtime.Stack(stack[:], false)]), " [")
	return name
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
