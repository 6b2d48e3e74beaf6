package executor_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// meter is a Metrics that counts.
type meter struct {
	mu     sync.Mutex
	counts map[string]int
}

func (m *meter) count(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts == nil {
		m.counts = map[string]int{}
	}
	m.counts[what]++
}

func (m *meter) RunEnded(kind string, queued, wall time.Duration) {
	m.count(kind)
	if queued < 0 || wall < 0 || kind == "value" && wall == 0 {
		m.count("impossible")
	}
}
func (m *meter) WorkerReady(took time.Duration) { m.count("ready") }
func (m *meter) WorkerEnded(how string)         { m.count(how) }

func TestMetricsLearnOfRunsAndWorkers(t *testing.T) {
	m := new(meter)
	pool, err := executor.New(&executor.Options{Command: fakeCommand(t, "normal"), Workers: 1, SpareWorkers: -1, RecycleAfter: 2, Metrics: m})
	if err != nil {
		t.Fatal(err)
	}
	run := func(code string, timeout time.Duration) {
		pool.Execute(context.Background(), &protocol.ExecuteRequest{Code: code, Timeout: protocol.TimeoutOf(timeout)})
	}
	run("value:1", time.Minute)
	run("value:1", time.Minute) // the worker has served its time
	run("hang", 10*time.Millisecond)
	run("die:0", time.Minute)
	run("", time.Minute) // never gets to a worker
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	pool.Execute(ended, &protocol.ExecuteRequest{Code: "value:1"})
	run("value:1", time.Minute)
	pool.Close()
	want := map[string]int{"value": 3, "timeout": 1, "crashed": 1, "context": 1, "ready": 4, "retired": 1, "killed": 1, "lost": 1, "closed": 1}
	if diff := cmp.Diff(want, m.counts); diff != "" {
		t.Error(diff)
	}
}

func TestDrainLetsWhatRunsAndWaitsComeToItsEnd(t *testing.T) {
	pool := newFakePool(t, executor.Options{Workers: 1})
	var runs sync.WaitGroup
	for range 3 {
		runs.Go(func() { mustValue(t, pool, &protocol.ExecuteRequest{Code: "sleep:100"}) })
	}
	eventually(t, "one runs and two wait", func() bool { s := pool.Status(); return s.Running == 1 && s.Queued == 2 })
	drained := make(chan error)
	go func() { drained <- pool.Drain(context.Background()) }()
	eventually(t, "intake has stopped", func() bool {
		_, err := pool.Execute(context.Background(), &protocol.ExecuteRequest{Code: "value:1"})
		return errors.Is(err, protocol.CodePoolClosed)
	})
	if err := <-drained; err != nil {
		t.Error(err)
	}
	runs.Wait()
	if err := pool.Drain(context.Background()); err != nil {
		t.Errorf("again: %v", err)
	}
}

func TestDrainEndsWithItsContext(t *testing.T) {
	pool := newFakePool(t, executor.Options{Workers: 1})
	ctx, cancel := context.WithCancel(context.Background())
	var run sync.WaitGroup
	run.Go(func() { mustFail(t, pool, &protocol.ExecuteRequest{Code: "obey"}, protocol.FailureCanceled) })
	eventually(t, "it runs", func() bool { return pool.Status().Running == 1 })
	cancel()
	if err := pool.Drain(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Drain: %v", err)
	}
	run.Wait()
}

func TestAWorkerIsReplacedByAge(t *testing.T) {
	m := new(meter)
	pool := newFakePool(t, executor.Options{Workers: 1, SpareWorkers: -1, RecycleAge: time.Nanosecond, Metrics: m})
	for range 3 {
		mustValue(t, pool, &protocol.ExecuteRequest{Code: "value:1"})
	}
	eventually(t, "three have retired", func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.counts["retired"] == 3 })
}

func TestAHardenedPoolRunsPrograms(t *testing.T) {
	pool := newPool(t, executor.Options{Hardened: true})
	code := `async () => { let n = 0; for (let i = 0; i < 1e5; i++) n += i; return [n, /a+/.test("caat"), typeof WebAssembly, await (new Response("x")).text()] }`
	got := mustValue(t, pool, &protocol.ExecuteRequest{Code: code})
	if !strings.HasPrefix(got, `[4999950000,true,`) || !strings.HasSuffix(got, `"x"]`) {
		t.Errorf("value %s", got)
	}
}
