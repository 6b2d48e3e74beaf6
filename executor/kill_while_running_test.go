package executor_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// Programs that never end are given up soon; those that have to get somewhere first, later.
const (
	soon  = 50 * time.Millisecond
	later = 600 * time.Millisecond
)

func TestAProgramThatDoesNotStopIsKilledAtItsTimeout(t *testing.T) {
	pool := newFakePool(t, executor.Options{Workers: 1})
	for _, code := range []string{"obey", "hang", "spin", "late", "sleep:100000"} {
		t.Run(code, func(t *testing.T) {
			result := mustFail(t, pool, &protocol.ExecuteRequest{Code: code, Timeout: protocol.TimeoutOf(soon)}, protocol.FailureTimeout)
			want := "Execution timed out at its 50 ms bound. Do less work per run and return the part that is already finished."
			if result.Failure.Message != want {
				t.Errorf("message %q", result.Failure.Message)
			}
			if code == "obey" && (len(result.Logs) != 1 || result.Logs[0].Text != "waiting") {
				t.Errorf("logs %v", result.Logs)
			}
			if result.Usage.Run < soon || result.Usage.Wall < result.Usage.Run {
				t.Errorf("usage %+v", result.Usage)
			}
			if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: "value:1"}); got != "1" {
				t.Errorf("the next run has %s", got)
			}
		})
	}
}

func TestARunThatTimesOutNamesTheCallsItWaitedFor(t *testing.T) {
	pool := newFakePool(t, executor.Options{})
	ended := make(chan struct{}, 3)
	dispatch := func(ctx context.Context, _, tool, _ string) (string, error) {
		if tool != "t1" {
			<-ctx.Done()
		}
		ended <- struct{}{}
		return "{}", nil
	}
	result := mustFail(t, pool, &protocol.ExecuteRequest{
		Code: "calls:3", Dispatch: dispatch, Timeout: protocol.TimeoutOf(later), CountHostWaits: true,
	}, protocol.FailureTimeout)
	if got := strings.Join(result.Failure.Pending, " "); got != "api.t0 api.t2" {
		t.Errorf("pending %q", got)
	}
	var outcomes []protocol.CallOutcome
	for _, call := range result.Calls {
		outcomes = append(outcomes, call.Outcome)
	}
	if outcomes[0] != protocol.CallAbandoned || outcomes[1] != protocol.CallCompleted || outcomes[2] != protocol.CallAbandoned {
		t.Errorf("outcomes %v", outcomes)
	}
	for range 3 { // the contexts of the pending calls ended
		<-ended
	}
}

func TestAFunctionThatIgnoresItsContextDoesNotHoldTheResultBack(t *testing.T) {
	pool := newFakePool(t, executor.Options{})
	release := make(chan struct{})
	defer close(release)
	stuck := func(context.Context, string, string, string) (string, error) {
		<-release
		return "{}", nil
	}
	mustFail(t, pool, &protocol.ExecuteRequest{Code: "calls:1", Dispatch: stuck, Timeout: protocol.TimeoutOf(later), CountHostWaits: true}, protocol.FailureTimeout)
}

func TestACallerThatLeavesTakesItsRunAlong(t *testing.T) {
	pool := newFakePool(t, executor.Options{Workers: 1})
	for _, code := range []string{"obey", "hang", "spin"} {
		ctx, cancel := context.WithCancelCause(context.Background())
		done := make(chan *protocol.ExecuteResult)
		go func() {
			result, err := pool.Execute(ctx, &protocol.ExecuteRequest{Code: code})
			if err != nil {
				t.Errorf("%s: %v", code, err)
			}
			done <- result
		}()
		eventually(t, "the run has a worker", func() bool { return pool.Status().Running == 1 })
		cancel(errors.New("the user pressed stop"))
		result := <-done
		if result == nil || result.Failure == nil || result.Failure.Kind != protocol.FailureCanceled ||
			!strings.Contains(result.Failure.Message, "the user pressed stop") {
			t.Errorf("%s: result %+v", code, result)
		}
		mustValue(t, pool, &protocol.ExecuteRequest{Code: "value:1"})
	}
}

func TestAWorkerThatDiesUnderItsRunIsReportedWithTheLedger(t *testing.T) {
	pool := newFakePool(t, executor.Options{Workers: 1})
	for code, want := range map[string]string{
		"die:9": "killed", "die:6": "exit status 2", "die:0": "exit status 5", // Go's runtime makes a 2 of an abort
	} {
		result := mustFail(t, pool, &protocol.ExecuteRequest{Code: code}, protocol.FailureCrashed)
		if !strings.Contains(result.Failure.Message, want) {
			t.Errorf("%s: message %q, want %q in it", code, result.Failure.Message, want)
		}
		mustValue(t, pool, &protocol.ExecuteRequest{Code: "value:1"})
	}
}

func TestAWorkerKilledFromOutsideWhileItWaitsForACall(t *testing.T) {
	needLinux(t)
	pool := newFakePool(t, executor.Options{Workers: 1, SpareWorkers: -1})
	ended := make(chan struct{})
	dispatch := func(ctx context.Context, _, _, _ string) (string, error) {
		killChildren(t)
		<-ctx.Done()
		close(ended)
		return "{}", nil
	}
	result := mustFail(t, pool, &protocol.ExecuteRequest{Code: "calls:1", Dispatch: dispatch}, protocol.FailureCrashed)
	if len(result.Calls) != 1 || result.Calls[0].Outcome != protocol.CallAbandoned {
		t.Errorf("ledger %+v", result.Calls)
	}
	<-ended
	mustValue(t, pool, &protocol.ExecuteRequest{Code: "value:1"})
}

func TestTheProcessorTimeOfAProgramIsBounded(t *testing.T) {
	needLinux(t)
	pool := newFakePool(t, executor.Options{})
	result := mustFail(t, pool, &protocol.ExecuteRequest{Code: "spin", Limits: protocol.Limits{CPU: soon}}, protocol.FailureLimit)
	if result.Failure.Limit != "cpu" || result.Failure.LimitValue != 50 || result.Usage.CPU < soon {
		t.Errorf("failure %+v, usage %+v", *result.Failure, result.Usage)
	}
}

func TestWaitingCostsNoProcessorTime(t *testing.T) {
	pool := newFakePool(t, executor.Options{})
	mustValue(t, pool, &protocol.ExecuteRequest{Code: "sleep:300", Limits: protocol.Limits{CPU: 200 * time.Millisecond}})
}

func TestTheWallTimeOfARunIsBounded(t *testing.T) {
	pool := newFakePool(t, executor.Options{MaxWall: later})
	stuck := func(ctx context.Context, _, _, _ string) (string, error) {
		<-ctx.Done()
		return "{}", nil
	}
	result := mustFail(t, pool, &protocol.ExecuteRequest{Code: "calls:1", Dispatch: stuck}, protocol.FailureLimit)
	if result.Failure.Limit != "wall" || len(result.Failure.Pending) != 1 {
		t.Errorf("failure %+v", *result.Failure)
	}
	// The function was done before the worker was gone, and its answer was not sent any more.
	if len(result.Calls) != 1 || result.Calls[0].Outcome != protocol.CallAbandoned || !result.Calls[0].Unheard {
		t.Errorf("ledger %+v", result.Calls)
	}
}
