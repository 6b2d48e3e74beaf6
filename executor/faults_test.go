//go:build unix

package executor_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// signalChildren sends a signal to every child of this process, and returns their numbers.
func signalChildren(t testing.TB, signal syscall.Signal) (pids []string) {
	t.Helper()
	for _, stat := range children(t) {
		number := strings.Fields(stat)[0]
		pid, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		if syscall.Kill(pid, signal) == nil {
			pids = append(pids, number)
		}
	}
	return pids
}

// killAll kills every worker, and waits until the pool has noticed: a program that is given to a worker in the moment of
// its death is lost with it.
func killAll(t testing.TB) {
	t.Helper()
	killed := signalChildren(t, syscall.SIGKILL)
	eventually(t, "the pool has noticed", func() bool {
		for _, stat := range children(t) {
			if slices.Contains(killed, strings.Fields(stat)[0]) {
				return false
			}
		}
		return true
	})
}

// A worker may be killed in any state of its life: the run that it had fails or is given to another, and the pool goes on.
func TestAWorkerMayBeKilledInEveryState(t *testing.T) {
	needLinux(t)
	pool := newPool(t, executor.Options{Workers: 2})
	next := func(what string) {
		t.Helper()
		if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: `async () => 1`}); got != "1" {
			t.Errorf("after one was killed %s: %s", what, got)
		}
	}
	eventually(t, "one is on its way", func() bool { return len(children(t)) > 0 })
	killAll(t)
	next("at its start")
	eventually(t, "one is idle", func() bool { return pool.Status().Idle > 0 })
	killAll(t)
	next("idle")

	ran := make(chan *protocol.ExecuteResult)
	calling := make(chan struct{})
	go func() {
		result, _ := pool.Execute(context.Background(), &protocol.ExecuteRequest{
			Code: `async () => { console.log("here"); await api.t() }`, Providers: []protocol.ProviderDescriptor{{Name: "api"}},
			Dispatch: func(ctx context.Context, _, _, _ string) (string, error) {
				close(calling)
				<-ctx.Done()
				return "{}", nil
			},
		})
		ran <- result
	}()
	<-calling
	killAll(t)
	result := <-ran
	if f := result.Failure; f == nil || f.Kind != protocol.FailureCrashed || len(f.Pending) != 1 || f.Pending[0] != "api.t" || len(result.Logs) != 1 || result.Calls[0].Outcome != protocol.CallAbandoned {
		t.Errorf("failure %+v, logs %v, calls %v", result.Failure, result.Logs, result.Calls)
	}
	next("with a program")

	_, id := retain(t, pool, `async () => () => 1`)
	killAll(t)
	eventually(t, "the execution is gone", func() bool {
		_, err := pool.InvokeHandle(context.Background(), &protocol.InvokeRequest{ExecutionID: id, HandleID: 1})
		return errors.Is(err, protocol.CodeExecutionUnknown)
	})
	if n := pool.Status().Retained; n != 0 {
		t.Errorf("%d executions are kept without a worker", n)
	}
	next("retained")
	for range 5 { // as it warms its next isolate, sooner or later
		_, err := pool.Execute(context.Background(), &protocol.ExecuteRequest{Code: `async () => 1`})
		if err != nil && !errors.Is(err, protocol.CodeWorkerStartFailed) && !errors.Is(err, protocol.CodeWorkerLost) {
			t.Error(err)
		}
		killAll(t)
	}
	next("over and over")
}

func TestAStoppedWorkerIsKilledAtItsTimeout(t *testing.T) {
	needLinux(t)
	pool := newPool(t, executor.Options{Workers: 1, SpareWorkers: -1})
	mustValue(t, pool, &protocol.ExecuteRequest{Code: `async () => 1`})
	eventually(t, "it is idle", func() bool { return pool.Status().Idle == 1 })
	if len(signalChildren(t, syscall.SIGSTOP)) == 0 {
		t.Fatal("nobody was stopped")
	}
	mustFail(t, pool, &protocol.ExecuteRequest{Code: `async () => 1`, Timeout: protocol.TimeoutOf(100 * time.Millisecond)}, protocol.FailureTimeout)
	if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: `async () => 2`}); got != "2" {
		t.Errorf("the next run has %s", got)
	}
}

// A worker that is stopped costs its own run its time, in whichever state it is, and nobody else anything.
func TestAWorkerMayBeStoppedInEveryState(t *testing.T) {
	needLinux(t)
	const timeout = 300 * time.Millisecond
	pool := newPool(t, executor.Options{Workers: 2, SpareWorkers: -1, StartTimeout: 5 * time.Second})
	next := func(when string) {
		t.Helper()
		// The one that was stopped may be what a request meets first: it is given up at its bound then.
		eventually(t, "a program runs after one was stopped "+when, func() bool {
			result, err := pool.Execute(context.Background(), &protocol.ExecuteRequest{Code: `async () => 1`, Timeout: protocol.TimeoutOf(timeout)})
			return err == nil && string(result.Value) == "1"
		})
	}
	go pool.Execute(context.Background(), &protocol.ExecuteRequest{Code: `async () => 0`})
	eventually(t, "one is on its way", func() bool { return len(children(t)) > 0 })
	signalChildren(t, syscall.SIGSTOP)
	next("at its start")

	stopped := func(program string, dispatch protocol.DispatchFunc) *protocol.ExecuteResult {
		return mustFail(t, pool, &protocol.ExecuteRequest{
			Code: program, Dispatch: dispatch, Providers: []protocol.ProviderDescriptor{{Name: "api"}}, Timeout: protocol.TimeoutOf(timeout),
		}, protocol.FailureTimeout)
	}
	result := stopped(`async () => { console.log("here"); await api.stop() }`, func(context.Context, string, string, string) (string, error) {
		signalChildren(t, syscall.SIGSTOP)
		return `{"result":1}`, nil
	})
	if len(result.Logs) != 1 || len(result.Calls) != 1 || result.Calls[0].Outcome != protocol.CallCompleted {
		t.Errorf("logs %v, calls %v", result.Logs, result.Calls)
	}
	next("as it waited for an answer")

	result = stopped(`async () => { api.stop(); for (;;); }`, func(context.Context, string, string, string) (string, error) {
		signalChildren(t, syscall.SIGSTOP)
		return `{"result":1}`, nil
	})
	if len(result.Calls) != 1 {
		t.Errorf("calls %v", result.Calls)
	}
	next("as it computed")

	_, id := retain(t, pool, `async () => () => 1`)
	signalChildren(t, syscall.SIGSTOP)
	kept, err := pool.InvokeHandle(context.Background(), &protocol.InvokeRequest{ExecutionID: id, HandleID: 1, Timeout: protocol.TimeoutOf(timeout)})
	if err != nil || kept.Failure == nil || kept.Failure.Kind != protocol.FailureTimeout {
		t.Errorf("a call on one that was stopped: %+v, %v", kept, err)
	}
	next("retained")
}

func TestPartialFramesAreNoFrames(t *testing.T) {
	pool := newFakePool(t, executor.Options{Workers: 1})
	for _, how := range []string{"half-head", "half-body"} {
		mustFail(t, pool, &protocol.ExecuteRequest{Code: how, Timeout: protocol.TimeoutOf(100 * time.Millisecond)}, protocol.FailureTimeout)
		mustFail(t, pool, &protocol.ExecuteRequest{Code: how + "-exit"}, protocol.FailureCrashed)
		mustValue(t, pool, &protocol.ExecuteRequest{Code: "value:1"})
	}
}

func TestWhatAHostToolMayDo(t *testing.T) {
	pool := newPool(t, executor.Options{})
	huge := `{"result":"` + strings.Repeat("x", 100<<20) + `"}`
	release := make(chan struct{})
	defer close(release)
	dispatch := func(_ context.Context, _, tool, _ string) (string, error) {
		switch tool {
		case "panics":
			panic("boom")
		case "huge":
			return huge, nil
		case "garbage":
			return "\x00\xff not an envelope", nil
		case "empty":
			return "", nil
		case "exits":
			runtime.Goexit()
		case "stuck":
			<-release
		}
		return `{"result":1}`, nil
	}
	request := func(code string) *protocol.ExecuteRequest {
		return &protocol.ExecuteRequest{Code: code, Dispatch: dispatch, Providers: []protocol.ProviderDescriptor{{Name: "api"}}, Timeout: protocol.TimeoutOf(20 * time.Second)}
	}
	got := mustValue(t, pool, request(`async () => { const out = {}; for (const t of ["panics", "huge", "garbage", "empty", "exits", "fine"]) out[t] = await api[t]().catch((e) => e.message); return out }`))
	want := `{"panics":"tool \"panics\" panicked: boom","huge":"The result of api.huge has 104857613 bytes, too many (limit toolResultBytes: 33554432). Ask for less at a time.",` +
		`"garbage":"the dispatch answered no envelope: invalid character '\\x00' looking for beginning of value","empty":"the dispatch answered no envelope: unexpected end of JSON input","exits":"tool \"exits\" ended without an answer","fine":1}`
	if got != want {
		t.Errorf("value %s\nwant  %s", got, want)
	}
	// One that never returns costs its run its time, and nobody else.
	stuck := request(`async () => { await Promise.race([api.stuck(), new Promise((r) => setTimeout(r, 20))]); return "left" }`)
	if got := mustValue(t, pool, stuck); got != `"left"` {
		t.Errorf("value %s", got)
	}
	stuck = request(`async () => { await api.stuck() }`)
	stuck.CountHostWaits, stuck.Timeout = true, protocol.TimeoutOf(50*time.Millisecond)
	eventually(t, "a run comes to its call before its time is over", func() bool {
		f := mustFail(t, pool, stuck, protocol.FailureTimeout).Failure
		return len(f.Pending) == 1 && f.Pending[0] == "api.stuck"
	})
}

func TestWithoutDescriptorsAPoolSaysSoAndRecovers(t *testing.T) {
	needLinux(t)
	pool := newPool(t, executor.Options{SpareWorkers: -1})
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	tight := old
	tight.Cur = uint64(openFiles(t)) + 2
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &tight); err != nil {
		t.Fatal(err)
	}
	_, err := pool.Execute(context.Background(), &protocol.ExecuteRequest{Code: `async () => 1`})
	if restored := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old); restored != nil {
		t.Fatal(restored)
	}
	wantCode(t, "without descriptors", err, protocol.CodeWorkerStartFailed)
	if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: `async () => 1`}); got != "1" {
		t.Errorf("afterwards: %s", got)
	}
}

func TestPoolsKeepApartAndCloseDuringEverything(t *testing.T) {
	leavesNothing(t, func() {
		one := newPool(t, executor.Options{Workers: 2})
		two, err := executor.New(&executor.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		var runs sync.WaitGroup
		for i := range 16 {
			runs.Go(func() {
				code := []string{`async () => { for (;;); }`, `async () => 1`, `async () => await api.t()`, `async () => () => 1`}[i%4]
				result, err := two.Execute(context.Background(), &protocol.ExecuteRequest{
					Code: code, RetainHandles: i%4 == 3, Providers: []protocol.ProviderDescriptor{{Name: "api"}},
					Dispatch: func(ctx context.Context, _, _, _ string) (string, error) { <-ctx.Done(); return "{}", nil },
				})
				switch {
				case err != nil:
					wantCode(t, code, err, protocol.CodePoolClosed)
				case result.Failure != nil && result.Failure.Kind != protocol.FailureCanceled:
					t.Errorf("%s: %+v", code, *result.Failure)
				}
			})
		}
		time.Sleep(time.Duration(time.Now().UnixNano()%200) * time.Millisecond)
		if err := two.Close(); err != nil {
			t.Error(err)
		}
		runs.Wait()
		if got := mustValue(t, one, &protocol.ExecuteRequest{Code: `async () => 1`}); got != "1" {
			t.Errorf("the other pool: %s", got)
		}
		one.Close()
	})
}
