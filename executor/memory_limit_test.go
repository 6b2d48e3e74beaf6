package executor_test

import (
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// needLinux ends a test of what is only sampled on linux.
func needLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "linux" {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatal("CI runs on linux")
	}
	t.Skip("memory and processor time are sampled on linux only")
}

func TestAWorkerOverItsMemoryIsKilledAndItsNeighboursAreNot(t *testing.T) {
	needLinux(t)
	pool := newFakePool(t, executor.Options{Workers: 3})
	var neighbours sync.WaitGroup
	for range 2 {
		neighbours.Go(func() { mustValue(t, pool, &protocol.ExecuteRequest{Code: "sleep:300"}) })
	}
	result := mustFail(t, pool, &protocol.ExecuteRequest{Code: "memory:80", Limits: protocol.Limits{Memory: 64 << 20}}, protocol.FailureMemory)
	// On a machine too busy to look, the kernel has ended it, and the last look was before that.
	if result.Failure.LimitValue != 64<<20 || result.Usage.PeakMemory < 16<<20 {
		t.Errorf("failure %+v, usage %+v", *result.Failure, result.Usage)
	}
	neighbours.Wait()
	mustValue(t, pool, &protocol.ExecuteRequest{Code: "value:1"})
}
