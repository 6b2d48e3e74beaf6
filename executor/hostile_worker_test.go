package executor_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// A worker runs hostile code, so the pool believes nothing that it sends: it is killed, its run fails as crashed, and
// the next run finds another worker.
func TestAWorkerThatBreaksTheFrameProtocolIsKilled(t *testing.T) {
	pool := newFakePool(t, executor.Options{Workers: 1})
	block := func(ctx context.Context, _, _, _ string) (string, error) {
		<-ctx.Done()
		return "{}", nil
	}
	for _, how := range []string{
		"noise", "unknown-kind", "pool-kind", "few-fields", "bad-id", "same-id", "ready-early", "bad-json", "bad-header",
		"bad-kind", "unheard-of", "unheard-before", "unasked", "bad-level", "bad-time", "log-flood", "close-stdout",
	} {
		t.Run(how, func(t *testing.T) {
			result := mustFail(t, pool, &protocol.ExecuteRequest{Code: how, Dispatch: block}, protocol.FailureCrashed)
			if !strings.Contains(result.Failure.Message, "lost while the program ran") {
				t.Errorf("message %q", result.Failure.Message)
			}
			if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: "value:1"}); got != "1" {
				t.Errorf("the next run has %s", got)
			}
		})
	}
}

func TestAWorkerThatTalksAfterItsRunIsKilledButTheRunStands(t *testing.T) {
	pool := newFakePool(t, executor.Options{Workers: 1})
	for _, how := range []string{"done-twice", "call-after-done"} {
		c := new(counting)
		if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: how, Dispatch: c.dispatch}); got != "1" {
			t.Errorf("%s: value %s", how, got)
		}
		if n := c.calls.Load(); n != 0 {
			t.Errorf("%s: %d calls were dispatched after the end", how, n)
		}
		if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: "value:2"}); got != "2" {
			t.Errorf("%s: the next run has %s", how, got)
		}
	}
}

func TestAWorkerThatIgnoresTheLimitsOfCallsIsStopped(t *testing.T) {
	pool := newFakePool(t, executor.Options{Workers: 1})
	for _, c := range []struct {
		code, limit string
		limits      protocol.Limits
		value       int64
	}{
		{"call-flood", "toolCalls", protocol.Limits{ToolCalls: 50}, 50},
		{"call-flood", "callsInFlight", protocol.Limits{CallsInFlight: 20}, 20},
		{"arguments:5000", "argumentBytes", protocol.Limits{ArgumentBytes: 1000}, 1000},
		{"value:" + strings.Repeat("1", 2000), "resultBytes", protocol.Limits{ResultBytes: 1000}, 1000},
	} {
		t.Run(c.limit, func(t *testing.T) {
			block := func(ctx context.Context, _, _, _ string) (string, error) {
				if c.limit == "callsInFlight" {
					<-ctx.Done()
				}
				return "{}", nil
			}
			result := mustFail(t, pool, &protocol.ExecuteRequest{Code: c.code, Limits: c.limits, Dispatch: block}, protocol.FailureLimit)
			if result.Failure.Limit != c.limit || result.Failure.LimitValue != c.value {
				t.Errorf("failure %+v", *result.Failure)
			}
		})
	}
}

func TestAWorkerThatTakesNoAnswersLosesItsRunAndItsLife(t *testing.T) {
	pool := newFakePool(t, executor.Options{Workers: 1, StartTimeout: 5 * time.Second})
	big := `{"result":"` + strings.Repeat("x", 100<<10) + `"}`
	dispatch := func(context.Context, string, string, string) (string, error) { return big, nil }
	mustFail(t, pool, &protocol.ExecuteRequest{Code: "deaf", Dispatch: dispatch, Timeout: protocol.TimeoutOf(200 * time.Millisecond)}, protocol.FailureTimeout)
	if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: "value:2"}); got != "2" {
		t.Errorf("the next run has %s", got)
	}
}

func TestArgumentsInFlightCountAsMemory(t *testing.T) {
	pool := newFakePool(t, executor.Options{Workers: 1})
	block := func(ctx context.Context, _, _, _ string) (string, error) {
		<-ctx.Done()
		return "{}", nil
	}
	request := &protocol.ExecuteRequest{Code: "arguments:20000000", Limits: protocol.Limits{Memory: 10 << 20}, Dispatch: block}
	mustFail(t, pool, request, protocol.FailureMemory)
}

// The worker is killed, and something else writes frames to its stdout without end: there is always something to read.
func TestAnHeirOfAWorkersStdoutKeepsNobody(t *testing.T) {
	needLinux(t)
	leavesNothing(t, func() {
		pool, err := executor.New(&executor.Options{Workers: 1, Command: fakeCommand(t, "normal")})
		if err != nil {
			t.Fatal(err)
		}
		mustFail(t, pool, &protocol.ExecuteRequest{Code: "heir", Timeout: protocol.TimeoutOf(soon)}, protocol.FailureTimeout)
		if err := pool.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
}
