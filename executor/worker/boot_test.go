//go:build cgo && (linux || darwin)

package worker

import (
	"runtime"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor/internal/v8"
	"github.com/codemode-go/codemode/executor/internal/wire"
)

// mostHeap bounds what the whole platform takes of a fresh isolate's heap over what a bare one does.
const mostHeap = 2 << 20

// TestHeapOfAFreshSandbox: everything is available, and next to nothing of it is there before it is touched.
func TestHeapOfAFreshSandbox(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	bare, err := v8.NewIsolate(0)
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Dispose()
	w := newWorker(&pipes{}, wire.Options{})
	box, err := newSandbox(w)
	if err != nil {
		t.Fatal(err)
	}
	if box, err = box.next(); err != nil { // the first has compiled the scripts
		t.Fatal(err)
	}
	defer box.dispose()
	over := int64(box.isolate.HeapUsed()) - int64(bare.HeapUsed())
	t.Logf("%d KB over the %d KB of a bare isolate", over>>10, bare.HeapUsed()>>10)
	if over > mostHeap {
		t.Errorf("a fresh sandbox takes %d bytes over a bare isolate, more than %d", over, mostHeap)
	}
}

// BenchmarkBoot is the making and the end of a sandbox and of a bare isolate in turns; its metrics are processor time.
func BenchmarkBoot(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	v8.SetFlags("--use-strict", "--single-threaded-gc", "--no-sparkplug") // as settleProcess has them
	v8.KeepPages(keepPages)
	w := newWorker(&pipes{}, wire.Options{})
	box, err := newSandbox(w)
	if err != nil {
		b.Fatal(err)
	}
	var whole, bare time.Duration
	for b.Loop() {
		start := threadTime()
		isolate, err := v8.NewIsolate(0)
		if err != nil {
			b.Fatal(err)
		}
		isolate.Dispose()
		between := threadTime()
		if box, err = box.next(); err != nil {
			b.Fatal(err)
		}
		bare += between - start
		whole += threadTime() - between
	}
	box.dispose()
	b.ReportMetric(float64(bare.Microseconds())/float64(b.N), "bare-cpu-µs")
	b.ReportMetric(float64((whole-bare).Microseconds())/float64(b.N), "over-bare-cpu-µs")
}
