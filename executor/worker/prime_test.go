//go:build cgo && (linux || darwin)

package worker_test

import (
	"bytes"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// What the first worker learned is of use to the next, and what is no cache does no harm.
func TestCodeCachesServeTheNextWorker(t *testing.T) {
	first := startChild(t, wire.Options{Memory: 192 << 20})
	if len(first.learned) == 0 || len(first.learned)%2 != 0 {
		t.Fatalf("the first worker learned %d fields", len(first.learned))
	}
	learned := first.learned
	first.check("async () => 1", "1")
	if len(first.learned) > 0 {
		t.Error("a worker passes something on after a program ran in it")
	}
	second := startChild(t, wire.Options{Memory: 192 << 20}, learned...)
	if len(second.learned) > 0 {
		t.Error("the caches of the first worker were of no use to the second")
	}
	second.check("async () => (await codemode.echo(2)) + new URL('https://a.b/c').pathname.length", "4")

	broken := make([][]byte, len(learned))
	for i, field := range learned {
		broken[i] = field
		if i%2 == 1 {
			broken[i] = bytes.Repeat([]byte{0xA5}, len(field))
		}
	}
	third := startChild(t, wire.Options{Memory: 192 << 20}, broken...)
	if len(third.learned) == 0 {
		t.Error("broken caches were taken")
	}
	third.check("async () => 1", "1")
}

// BenchmarkStartPrimed is the start of every worker but the first.
func BenchmarkStartPrimed(b *testing.B) {
	learned := startChild(b, wire.Options{Memory: 192 << 20}).learned
	for b.Loop() {
		startChild(b, wire.Options{Memory: 192 << 20}, learned...)
	}
}
