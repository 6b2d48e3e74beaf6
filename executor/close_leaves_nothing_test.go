package executor_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

func TestCloseLeavesNoProcessGoroutineOrDescriptor(t *testing.T) {
	for name, use := range map[string]func(*testing.T, *executor.Pool){
		"unused": func(*testing.T, *executor.Pool) {},
		"used": func(t *testing.T, pool *executor.Pool) {
			var runs sync.WaitGroup
			for range 20 {
				runs.Go(func() {
					mustValue(t, pool, &protocol.ExecuteRequest{Code: "calls:5", Dispatch: new(counting).dispatch})
				})
			}
			runs.Wait()
		},
		"crashed": func(t *testing.T, pool *executor.Pool) {
			mustFail(t, pool, &protocol.ExecuteRequest{Code: "die:9"}, protocol.FailureCrashed)
			mustFail(t, pool, &protocol.ExecuteRequest{Code: "noise"}, protocol.FailureCrashed)
		},
		"timed out": func(t *testing.T, pool *executor.Pool) {
			mustFail(t, pool, &protocol.ExecuteRequest{Code: "hang", Timeout: protocol.TimeoutOf(10 * time.Millisecond)}, protocol.FailureTimeout)
		},
	} {
		t.Run(name, func(t *testing.T) {
			leavesNothing(t, func() {
				pool, err := executor.New(&executor.Options{Command: fakeCommand(t, "normal")})
				if err != nil {
					t.Fatal(err)
				}
				use(t, pool)
				for range 2 {
					if err := pool.Close(); err != nil {
						t.Errorf("Close: %v", err)
					}
				}
			})
		})
	}
}

func TestCloseAfterFailedStartsLeavesNothing(t *testing.T) {
	for _, how := range []string{"silent", "exit", "talkative", "closed"} {
		leavesNothing(t, func() {
			pool, err := executor.New(&executor.Options{Command: fakeCommand(t, how)})
			if err != nil {
				t.Fatal(err)
			}
			if how == "closed" {
				pool.Execute(context.Background(), &protocol.ExecuteRequest{Code: "value:1"})
			}
			if err := pool.Close(); err != nil {
				t.Errorf("%s: Close: %v", how, err)
			}
		})
	}
}

func TestCloseEndsWhatRunsAndWaits(t *testing.T) {
	leavesNothing(t, func() {
		pool, err := executor.New(&executor.Options{Command: fakeCommand(t, "normal"), Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		called, ended := make(chan struct{}), make(chan error, 1)
		dispatch := func(ctx context.Context, _, _, _ string) (string, error) {
			close(called)
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return "{}", nil
		}
		var both sync.WaitGroup
		both.Go(func() {
			result := mustFail(t, pool, &protocol.ExecuteRequest{Code: "calls:1", Dispatch: dispatch}, protocol.FailureCanceled)
			if result.Failure.Message != "The executor was closed." {
				t.Errorf("failure %+v", *result.Failure)
			}
		})
		<-called
		both.Go(func() {
			if _, err := pool.Execute(context.Background(), &protocol.ExecuteRequest{Code: "value:1"}); !errors.Is(err, protocol.CodePoolClosed) {
				t.Errorf("the waiting request has error %v", err)
			}
		})
		eventually(t, "a request waits", func() bool { return pool.Status().Queued == 1 })
		if err := pool.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		both.Wait()
		if cause := <-ended; cause == nil {
			t.Error("the call's context did not end")
		}
		if _, err := pool.Execute(context.Background(), &protocol.ExecuteRequest{Code: "value:1"}); !errors.Is(err, protocol.CodePoolClosed) {
			t.Errorf("after Close: error %v", err)
		}
	})
}

func TestCloseEndsACallThatWasLeftBehind(t *testing.T) {
	leavesNothing(t, func() {
		pool, err := executor.New(&executor.Options{Command: fakeCommand(t, "normal")})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		dispatch := func(ctx context.Context, _, _, _ string) (string, error) {
			protocol.Admit(ctx)
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return "{}", nil
		}
		mustValue(t, pool, &protocol.ExecuteRequest{Code: "leave:1", Dispatch: dispatch})
		if err := pool.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if cause := <-ended; !errors.Is(cause, protocol.CodePoolClosed) {
			t.Errorf("the call's context ended with %v", cause)
		}
	})
}
