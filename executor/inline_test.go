package executor_test

import (
	"context"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// onReader reports whether it is called on the goroutine that reads the worker's frames.
func onReader() bool { return strings.Contains(string(debug.Stack()), ".(*process).inline(") }

// quickRequest is a program that has called api.quick before, and goes on with more. The tool's other calls come to a function,
// on the goroutine that reads the worker's frames.
func quickRequest(t *testing.T, pool *executor.Pool, more string, other func(context.Context) string) *protocol.ExecuteRequest {
	pool.TakeToolsForQuick()
	return &protocol.ExecuteRequest{
		Code:      `async () => { await api.quick('warm'); ` + more + ` }`,
		Providers: []protocol.ProviderDescriptor{{Name: "api", Tools: []string{"quick"}}},
		Dispatch: func(ctx context.Context, _, _, arguments string) (string, error) {
			if arguments == `["warm"]` {
				return `{"result":"warm"}`, nil
			}
			if !onReader() {
				t.Errorf("the call with %.20s is not on the reader's goroutine, so the test shows nothing", arguments)
			}
			return `{"result":` + other(ctx) + `}`, nil
		},
	}
}

func TestAQuickToolThatWaitsForAnotherCallHoldsNothingUp(t *testing.T) {
	pool := newPool(t, executor.Options{})
	came := make(chan struct{})
	request := quickRequest(t, pool, `return Promise.all([api.quick('wait'), api.late('go')])`, func(context.Context) string {
		<-came
		return `"waited"`
	})
	quick := request.Dispatch
	request.Dispatch = func(ctx context.Context, provider, tool, arguments string) (string, error) {
		if tool == "late" {
			close(came)
			return `{"result":"came"}`, nil
		}
		return quick(ctx, provider, tool, arguments)
	}
	request.Providers[0].Tools = append(request.Providers[0].Tools, "late")
	if got := mustValue(t, pool, request); got != `["waited","came"]` {
		t.Errorf("value %s", got)
	}
}

func TestAToolThatTookItsTimeHasAGoroutineOfItsOwn(t *testing.T) {
	pool := newPool(t, executor.Options{})
	request := &protocol.ExecuteRequest{
		Code:      `async () => { for (let i = 0; i < 5; i++) await api.slow() }`,
		Providers: []protocol.ProviderDescriptor{{Name: "api", Tools: []string{"slow"}}},
		Dispatch: func(context.Context, string, string, string) (string, error) {
			if onReader() {
				t.Error("it keeps the reader")
			}
			time.Sleep(time.Millisecond)
			return "{}", nil
		},
	}
	mustExecute(t, pool, request)
}

func TestAQuickToolMayEndItsGoroutine(t *testing.T) {
	pool := newPool(t, executor.Options{})
	request := quickRequest(t, pool, `return [await api.quick('end').catch(e => e.message), await api.quick("warm")]`, func(context.Context) string {
		runtime.Goexit()
		return ""
	})
	got := mustValue(t, pool, request)
	if !strings.HasPrefix(got, `["tool \"quick\" ended without an answer",`) {
		t.Errorf("value %s", got)
	}
}

// readers counts the goroutines of this process that read a worker's frames.
func readers() int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), ".(*process).read(")
}

// Who comes back from a call that took its time is not the reader any more.
func TestAWorkerHasOneReaderAfterOneWasRelieved(t *testing.T) {
	pool := newPool(t, executor.Options{Workers: 1, SpareWorkers: -1})
	release := make(chan struct{})
	request := quickRequest(t, pool, `const held = api.quick('stand'); await api.release(); return [await held, await api.count()]`, func(context.Context) string {
		<-release
		return `"stood"`
	})
	request.CountHostWaits, request.Timeout = true, protocol.TimeoutOf(10*time.Second)
	quick := request.Dispatch
	request.Dispatch = func(ctx context.Context, provider, tool, arguments string) (string, error) {
		switch tool {
		case "release": // which another reader has read
			close(release)
			return "{}", nil
		case "count":
			for ctx.Err() == nil && readers() != 1 {
				time.Sleep(time.Millisecond)
			}
			return `{"result":"one"}`, nil
		}
		return quick(ctx, provider, tool, arguments)
	}
	if got := mustValue(t, pool, request); got != `["stood","one"]` {
		t.Errorf("value %s", got)
	}
}

// A tool that was quick and then ignores the end of its run must not keep the run, the worker or Close.
func TestAQuickToolThatStandsStillIsLeftBehind(t *testing.T) {
	pool := newPool(t, executor.Options{})
	stands, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	request := quickRequest(t, pool, `await api.quick('stand')`, func(context.Context) string {
		close(stands)
		<-release
		return "1"
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-stands
		cancel()
	}()
	result, err := pool.Execute(ctx, request)
	if err != nil || result.Failure == nil || result.Failure.Kind != protocol.FailureCanceled {
		t.Fatalf("result %+v, error %v", result, err)
	}
	if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: "async () => 1"}); got != "1" {
		t.Errorf("value %s", got)
	}
}

func TestAQuickToolThatStandsStillDoesNotStopTheClock(t *testing.T) {
	pool := newPool(t, executor.Options{})
	release := make(chan struct{})
	defer close(release)
	request := quickRequest(t, pool, `await Promise.race([api.quick('stand'), new Promise(r => setTimeout(r, 5))]); return 'went on'`, func(context.Context) string {
		<-release
		return "1"
	})
	if got := mustValue(t, pool, request); got != `"went on"` {
		t.Errorf("value %s", got)
	}
}

// The program computes while a quick tool stands still, and the run's processor time ends it.
func TestAProgramBesideAQuickToolThatStandsStillIsEnded(t *testing.T) {
	pool := newPool(t, executor.Options{})
	release := make(chan struct{})
	defer close(release)
	request := quickRequest(t, pool, `api.quick('stand'); await null; await new Promise(r => setTimeout(r, 1)); for (;;);`, func(context.Context) string {
		<-release
		return "1"
	})
	request.Limits.CPU = 200 * time.Millisecond
	mustFail(t, pool, request, protocol.FailureLimit)
}

// Nobody would relieve its reader any more.
func TestAQuickToolIsNotCalledOnceTheRunIsGivenUp(t *testing.T) {
	pool := newFakePool(t, executor.Options{Workers: 1})
	pool.TakeToolsForQuick()
	c := new(counting)
	result := mustFail(t, pool, &protocol.ExecuteRequest{Code: "call-late", Timeout: protocol.TimeoutOf(later), Dispatch: c.dispatch}, protocol.FailureTimeout)
	if n := c.calls.Load(); n != 1 {
		t.Errorf("%d calls were dispatched", n)
	}
	if len(result.Calls) != 2 || result.Calls[0].Outcome != protocol.CallCompleted || result.Calls[1].Outcome != protocol.CallRefused {
		t.Errorf("calls %+v", result.Calls)
	}
}

func TestClosingAPoolWhoseQuickToolStandsStill(t *testing.T) {
	pool, err := executor.New(&executor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	stands := make(chan struct{})
	request := quickRequest(t, pool, `await api.quick('stand')`, func(ctx context.Context) string {
		close(stands)
		<-ctx.Done()
		return "1"
	})
	ended := make(chan *protocol.ExecuteResult, 1)
	go func() {
		result, _ := pool.Execute(context.Background(), request)
		ended <- result
	}()
	<-stands
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
	if result := <-ended; result == nil || result.Failure == nil || result.Failure.Kind != protocol.FailureCanceled {
		t.Errorf("result %+v", result)
	}
}

// Neither side reads: the worker has more calls to send than its pipe takes, and the answers to the first fill the other.
func TestAnswersOfQuickToolsMeetCallsThatFillThePipe(t *testing.T) {
	pool := newPool(t, executor.Options{})
	long := `"` + strings.Repeat("y", 3<<20) + `"`
	request := quickRequest(t, pool, `const x = 'x'.repeat(1 << 18); return (await Promise.all(Array.from({ length: 16 }, () => api.quick(x)))).length`,
		func(context.Context) string { return long })
	if got := mustValue(t, pool, request); got != "16" {
		t.Errorf("value %s", got)
	}
}

// What a program has no answer of when it ends is unheard, also when the tool was done before its end was known here: the program
// makes its last calls in one turn with its end, and they are over before the pool reads of that.
func TestCallsAnsweredTooLateAreUnheard(t *testing.T) {
	pool := newPool(t, executor.Options{})
	pool.KeepReaders()
	for more, want := range map[string][]string{
		`api.quick(1); return 1`:                                             {"completed", "completed unheard"},
		`await api.quick(1); api.quick(2); api.quick(3); throw 1`:            {"completed", "completed", "completed unheard", "completed unheard"},
		`const a = api.quick(1); await api.quick(2); return 1`:               {"completed", "completed", "completed"},
		`return Promise.race([api.quick(1), api.quick(2)])`:                  {"completed", "completed", "completed unheard"},
		`await api.quick('bad').catch(() => {}); api.quick('bad'); return 1`: {"completed", "failed", "failed unheard"},
	} {
		request := quickRequest(t, pool, more, func(context.Context) string { return "1" })
		quick := request.Dispatch
		request.Dispatch = func(ctx context.Context, provider, tool, arguments string) (string, error) {
			if arguments == `["bad"]` {
				return `{"error":"bad"}`, nil
			}
			return quick(ctx, provider, tool, arguments)
		}
		var got []string
		for _, call := range mustExecute(t, pool, request).Calls {
			text := string(call.Outcome)
			if call.Unheard {
				text += " unheard"
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n%s", more, diff)
		}
	}
}

// A program that makes one quick call after the other has a reader that never waits. Everybody else in the process has a turn all
// the same, every few calls and not when Go's scheduler takes a goroutine off by force, after some hundred.
func TestQuickCallsInTurnGiveWay(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	pool := newPool(t, executor.Options{})
	var streak, longest, calls atomic.Int64
	over, others := make(chan struct{}), sync.WaitGroup{}
	others.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
				streak.Store(0)
				runtime.Gosched()
			}
		}
	})
	request := quickRequest(t, pool, `for (let i = 0; i < 1000; i++) await api.quick(i)`, func(context.Context) string {
		calls.Add(1)
		longest.Store(max(longest.Load(), streak.Add(1)))
		return "1"
	})
	request.Timeout = protocol.MaximumTimeout()
	mustExecute(t, pool, request)
	close(over)
	others.Wait()
	if calls.Load() != 1000 || longest.Load() > 100 {
		t.Errorf("of %d calls %d were made in a row", calls.Load(), longest.Load())
	}
}
