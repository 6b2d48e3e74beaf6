//go:build cgo && (linux || darwin)

package worker_test

import (
	"slices"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// BenchmarkStart is a process from its start to Ready; its metric is what it holds then.
func BenchmarkStart(b *testing.B) {
	var held []int64
	for b.Loop() {
		held = append(held, startChild(b, wire.Options{Memory: 192 << 20}).ready.Anonymous)
	}
	b.ReportMetric(float64(slices.Max(held))/(1<<20), "MiB-idle")
}

// cycle is a program, and the isolate for the next. The metric is the program's own processor time.
func cycle(b *testing.B, code string) {
	c := startChild(b, wire.Options{Memory: 192 << 20})
	c.run(program{code: code})
	var micros []int64
	for b.Loop() {
		micros = append(micros, c.run(program{code: code}).done.CPUMicros)
	}
	slices.Sort(micros)
	b.ReportMetric(float64(micros[len(micros)/2]), "p50-cpu-µs")
}

func BenchmarkCycle(b *testing.B) { cycle(b, "async () => 1") }

func BenchmarkCycleHundredCalls(b *testing.B) {
	cycle(b, "async () => { let n = 0; for (let i = 0; i < 100; i++) n += await codemode.echo(i); return n }")
}

func BenchmarkCycleThirtyMegabytes(b *testing.B) {
	b.SetBytes(30 << 20)
	cycle(b, `async () => "x".repeat(30 << 20)`)
}
