//go:build unix

package executor_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// hammered are the programs of the soak, by what they must come to: "value", a failure's kind, or "any" of what is fair
// when a neighbour's fault may have hit them.
var hammered = []struct{ want, code string }{
	{"value", `async () => 1`},
	{"value", `async () => (await Promise.all(Array.from({ length: 20 }, (_, i) => api.echo(i)))).length`},
	{"value", `async () => { for (let i = 0; i < 2000; i++) console.log("line " + i); return "x".repeat(1e5) }`},
	{"value", `async () => { await new Promise((r) => setTimeout(r, 20)); api.echo("left behind"); return 2 }`},
	{"value", `async () => { let n = 0; for (let i = 0; i < 3e6; i++) n += i % 7; return n }`},
	{"thrown", `async () => { throw new TypeError("on purpose") }`},
	{"thrown", `async () => { await api.fail() }`},
	{"thrown", `async () => { Promise.prototype.then = JSON.stringify = null; await api.panic() }`},
	{"syntax", `async () => { const }`},
	{"stalled", `async () => { await new Promise(() => {}) }`},
	{"timeout", `async () => { for (;;); }`},
	{"timeout", `async () => { for (;;) await null }`},
	{"memory", `async () => { const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1)) }`},
	{"limit", `async () => { for (;;) setTimeout(() => {}, 1e6) }`},
	{"canceled", `async () => { await api.cancel() }`},
	{"retained", `async () => () => "kept"`},
}

// tally counts what became of runs.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
	wrong  []string
}

func (c *tally) add(kind, wrong string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[kind]++
	if wrong != "" && len(c.wrong) < 20 {
		c.wrong = append(c.wrong, wrong)
	}
}

// TestHammer runs everything at once for CODEMODE_HAMMER (a duration), with workers killed and stopped meanwhile, and
// prints what became of it. It is for make hammer, ten minutes long, and skips in CI too: a soak has no place in every run.
func TestHammer(t *testing.T) {
	text := os.Getenv("CODEMODE_HAMMER")
	if text == "" {
		t.Skip("CODEMODE_HAMMER is not set: a soak is for make hammer, and has no place in every run, CI's among them")
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("CODEMODE_HAMMER: %v", err)
	}
	needLinux(t)
	runs, m := &tally{counts: map[string]int{}}, new(meter)
	var before, after runtime.MemStats
	leavesNothing(t, func() {
		pool := newPool(t, executor.Options{Workers: 4, MaxRetained: 4, RetainedIdle: 200 * time.Millisecond, RecycleAfter: 100, Metrics: m, Limits: protocol.Limits{Memory: 48 << 20}})
		until, stop := context.WithTimeout(context.Background(), length)
		defer stop()
		var all sync.WaitGroup
		all.Go(func() { disturb(t, until, runs) })
		for range 8 {
			all.Go(func() {
				for until.Err() == nil {
					hammerOnce(pool, runs)
				}
			})
		}
		runtime.GC()
		runtime.ReadMemStats(&before)
		all.Wait()
		eventually(t, "the pool is at rest", func() bool { s := pool.Status(); return s.Running+s.Retained+s.Queued == 0 })
		if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: `async () => "still here"`}); got != `"still here"` {
			t.Errorf("at the end: %s", got)
		}
		pool.Close()
	})
	runtime.GC()
	runtime.ReadMemStats(&after)
	grown := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	if grown > 32<<20 {
		t.Errorf("the heap grew by %d KiB", grown>>10)
	}
	for _, wrong := range runs.wrong {
		t.Error(wrong)
	}
	fmt.Printf("hammer %s\n  runs    %s\n  workers %s\n  left    0 processes, descriptors and goroutines unless said above; heap %+d KiB\n", length, shownCounts(runs.counts), shownCounts(m.counts), grown>>10)
}

func shownCounts(counts map[string]int) string {
	var parts []string
	for kind, n := range counts {
		parts = append(parts, fmt.Sprintf("%s %d", kind, n))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// disturb kills a worker now and then, and stops another for a while.
func disturb(t *testing.T, until context.Context, runs *tally) {
	for until.Err() == nil {
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
		stats := children(t)
		if len(stats) == 0 {
			continue
		}
		var pid int
		fmt.Sscan(stats[rand.IntN(len(stats))], &pid)
		if rand.IntN(2) == 0 {
			runs.add("(killed from outside)", "")
			syscall.Kill(pid, syscall.SIGKILL)
			continue
		}
		runs.add("(stopped from outside)", "")
		syscall.Kill(pid, syscall.SIGSTOP)
		time.Sleep(20 * time.Millisecond)
		syscall.Kill(pid, syscall.SIGCONT)
	}
}

// hammerOnce runs one program at random and judges what became of it.
func hammerOnce(pool *executor.Pool, runs *tally) {
	p := hammered[rand.IntN(len(hammered))]
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	request := &protocol.ExecuteRequest{
		Code: p.code, Timeout: protocol.TimeoutOf(30 * time.Second), RetainHandles: p.want == "retained", Providers: []protocol.ProviderDescriptor{{Name: "api"}},
		Dispatch: func(callCtx context.Context, _, tool, args string) (string, error) {
			switch tool {
			case "cancel":
				cancel()
				<-callCtx.Done()
			case "panic":
				panic("on purpose")
			case "fail":
				return "", fmt.Errorf("on purpose")
			}
			return `{"result":` + args + `}`, nil
		},
	}
	if p.want == "timeout" {
		request.Timeout = protocol.TimeoutOf(100 * time.Millisecond)
	}
	result, err := pool.Execute(ctx, request)
	if err != nil { // a worker lost at its start, or all places for executions taken
		kind := "error"
		if ours, ok := err.(*protocol.Error); ok {
			kind = string(ours.Code)
		}
		fair := kind == string(protocol.CodeWorkerStartFailed) || kind == string(protocol.CodeWorkerLost) || p.want == "retained" && kind == string(protocol.CodeHandlesExhausted)
		runs.add(kind, unless(fair, fmt.Sprintf("%s: %v", p.code, err)))
		return
	}
	got := "value"
	if result.Failure != nil {
		got = string(result.Failure.Kind)
	}
	fair := got == p.want || got == "crashed" || p.want == "retained" && got == "value"
	runs.add(got, unless(fair, fmt.Sprintf("%s: %s, %+v", p.code, result.Value, result.Failure)))
	if result.ExecutionID != "" {
		kept, err := pool.InvokeHandle(context.Background(), &protocol.InvokeRequest{ExecutionID: result.ExecutionID, HandleID: 1})
		if err == nil && kept.Failure == nil {
			runs.add("invoked", unless(string(kept.Value) == `"kept"`, fmt.Sprintf("a handle gave %s", kept.Value)))
		}
		if rand.IntN(2) == 0 {
			pool.CloseHandles(context.Background(), result.ExecutionID)
		}
	}
}

func unless(fair bool, wrong string) string {
	if fair {
		return ""
	}
	return wrong
}
