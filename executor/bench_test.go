package executor_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// warmPool makes a pool with every process that it may have ready.
func warmPool(b *testing.B, workers int) *executor.Pool {
	pool := newPool(b, executor.Options{Workers: workers, SpareWorkers: workers})
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			mustValue(b, pool, &protocol.ExecuteRequest{Code: `async () => { await new Promise(r => setTimeout(r, 100)) }`})
		})
	}
	all.Wait()
	settle(b, pool)
	return pool
}

func settle(b *testing.B, pool *executor.Pool) {
	eventually(b, "every worker is warm", func() bool { s := pool.Status(); return s.Starting == 0 && s.Running == 0 })
}

var benchProviders = []protocol.ProviderDescriptor{{Name: "api", Tools: []string{"echo"}}}

func echo(context.Context, string, string, string) (string, error) { return `{"result":{"n":1}}`, nil }

// apart measures single runs as a client with one program at a time meets them: each finds a warm isolate. What it takes
// to warm the next is not part of ns/op, which b.N's timer leaves out.
func apart(b *testing.B, request *protocol.ExecuteRequest) {
	pool := warmPool(b, 2)
	times := make([]time.Duration, 0, b.N)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		settle(b, pool)
		b.StartTimer()
		began := time.Now()
		mustValue(b, pool, request)
		times = append(times, time.Since(began))
	}
	b.StopTimer()
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
}

func BenchmarkTrivial(b *testing.B) { apart(b, &protocol.ExecuteRequest{Code: "async () => 1"}) }

func BenchmarkTrivialBackToBack(b *testing.B) {
	pool := warmPool(b, 2)
	b.ReportAllocs()
	for b.Loop() {
		mustValue(b, pool, &protocol.ExecuteRequest{Code: "async () => 1"})
	}
}

func BenchmarkHundredSequentialCalls(b *testing.B) {
	apart(b, &protocol.ExecuteRequest{
		Code:      `async () => { let n = 0; for (let i = 0; i < 100; i++) n += (await api.echo({ i })).n; return n }`,
		Providers: benchProviders, Dispatch: echo,
	})
}

func BenchmarkHundredParallelCalls(b *testing.B) {
	apart(b, &protocol.ExecuteRequest{
		Code:      `async () => (await Promise.all(Array.from({ length: 100 }, (_, i) => api.echo({ i })))).length`,
		Providers: benchProviders, Dispatch: echo,
	})
}

func BenchmarkOneMegabyteResult(b *testing.B) {
	b.SetBytes(1 << 20)
	apart(b, &protocol.ExecuteRequest{Code: `async () => "x".repeat(1 << 20)`})
}

func BenchmarkOneMegabyteToolResult(b *testing.B) {
	b.SetBytes(1 << 20)
	answer := `{"result":"` + strings.Repeat("x", 1<<20) + `"}`
	apart(b, &protocol.ExecuteRequest{
		Code:      `async () => (await api.echo({})).length`,
		Providers: benchProviders, Dispatch: func(context.Context, string, string, string) (string, error) { return answer, nil },
	})
}

// BenchmarkThroughput8 keeps eight callers busy; ns/op is the time between two results.
func BenchmarkThroughput8(b *testing.B) {
	pool := warmPool(b, 4)
	var left atomic.Int64
	left.Store(int64(b.N))
	b.ResetTimer()
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for left.Add(-1) >= 0 {
				mustValue(b, pool, &protocol.ExecuteRequest{Code: "async () => 1"})
			}
		})
	}
	callers.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
}
