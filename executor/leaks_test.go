//go:build linux

package executor_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// everyday are programs that end by themselves and leave their worker as good as new, with what they must come to.
var everyday = []struct{ code, value string }{
	{`async () => 1`, `1`},
	{`async () => { const all = await Promise.all([1, 2, 3].map((n) => api.echo(n))); return all.length }`, `3`},
	{`async () => { for (let i = 0; i < 50; i++) console.log("line", i); return "x".repeat(1e4).length }`, `10000`},
	{`async () => { await new Promise((r) => setTimeout(r, 1)); api.echo("left behind"); return 2 }`, `2`},
	{`import { n } from "m.js"` + "\n" + `async () => n`, `7`},
	{`async () => { const text = JSON.stringify(Array.from({ length: 1000 }, (_, i) => ({ i }))); return JSON.parse(text).length }`, `1000`},
	{`async () => { const d = await crypto.subtle.digest("SHA-256", new TextEncoder().encode("x")); return new Uint8Array(d).length }`, `32`},
	{`async () => { try { await api.fail() } catch (e) { return e.message } }`, `"on purpose"`},
	{`async () => { const r = await fetch("https://a.example/1"); return (await r.text()).length }`, `1048576`},
}

// footprint is what a pool and its workers hold at one moment.
type footprint struct {
	goroutines, descriptors, processes int
	heap, workers                      int64 // bytes
}

func (f footprint) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %d workers; heap %d KiB, the largest worker %d KiB of its own", f.goroutines, f.descriptors, f.processes, f.heap>>10, f.workers>>10)
}

func takeFootprint(t *testing.T, pool *executor.Pool) footprint {
	t.Helper()
	eventually(t, "the pool is at rest", func() bool { s := pool.Status(); return s.Running+s.Starting+s.Queued == 0 })
	time.Sleep(2 * time.Second) // in which workers at rest give back what programs have left
	runtime.GC()
	runtime.GC() // what the first has finalized
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	f := footprint{goroutines: runtime.NumGoroutine(), descriptors: openFiles(t), heap: int64(heap.HeapAlloc)}
	for _, stat := range children(t) {
		f.processes++
		if file, err := os.Open("/proc/" + strings.Fields(stat)[0] + "/status"); err == nil {
			own, _, _ := (&watched{status: file}).read()
			f.workers = max(f.workers, own)
			file.Close()
		}
	}
	return f
}

// TestHammerLeaks makes CODEMODE_HAMMER_RUNS runs in a pool whose workers are never replaced, and compares what there is at
// the end with what there was after a tenth of them. It is for make hammer and skips in CI too, as TestHammer does.
func TestHammerLeaks(t *testing.T) {
	text := os.Getenv("CODEMODE_HAMMER_RUNS")
	if text == "" {
		t.Skip("CODEMODE_HAMMER_RUNS is not set: a soak is for make hammer, and has no place in every run, CI's among them")
	}
	runs, err := strconv.Atoi(text)
	if err != nil || runs < 100 {
		t.Fatalf("CODEMODE_HAMMER_RUNS: %q is no number of at least 100", text)
	}
	pool := newPool(t, executor.Options{
		Workers: 2, RecycleAfter: math.MaxInt, RecycleAge: 24 * time.Hour, RecycleGrowth: math.MaxInt32,
		Modules: map[string]string{"m.js": "export const n = 7"}, Outbound: protocol.OutboundVia(endlessBody),
	})
	makeRuns(t, pool, runs/10)
	early := takeFootprint(t, pool)
	began := time.Now()
	makeRuns(t, pool, runs-runs/10)
	took := time.Since(began)
	late := takeFootprint(t, pool)
	fmt.Printf("%d runs, %.0f a second\n  early  %v\n  late   %v\n", runs, float64(runs-runs/10)/took.Seconds(), early, late)
	if late.goroutines > early.goroutines || late.descriptors > early.descriptors || late.processes > early.processes {
		t.Errorf("there were %v, there are %v", early, late)
	}
	if grown := late.heap - early.heap; grown > 1<<20 {
		t.Errorf("the heap grew by %d KiB", grown>>10)
	}
	if grown := late.workers - early.workers; grown > 4<<20 {
		t.Errorf("a worker grew by %d KiB", grown>>10)
	}
}

// makeRuns has a few callers make so many runs together.
func makeRuns(t *testing.T, pool *executor.Pool, runs int) {
	t.Helper()
	var taken atomic.Int64
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for i := taken.Add(1); i <= int64(runs) && !t.Failed(); i = taken.Add(1) {
				p := everyday[i%int64(len(everyday))]
				result, err := pool.Execute(context.Background(), &protocol.ExecuteRequest{
					Code: p.code, Providers: []protocol.ProviderDescriptor{{Name: "api"}},
					Dispatch: func(_ context.Context, _, tool, args string) (string, error) {
						if tool == "fail" {
							return `{"error":"on purpose"}`, nil
						}
						return `{"result":` + args + `}`, nil
					},
				})
				if err != nil || result.Failure != nil || string(result.Value) != p.value {
					t.Errorf("%s: %+v, %v", p.code, result, err)
				}
			}
		})
	}
	callers.Wait()
}
