package executor

import (
	"strings"
	"testing"
)

// TestTheReasonOfADeathIsKept: Go's runtime writes many stacks behind it.
func TestTheReasonOfADeathIsKept(t *testing.T) {
	var dump tail
	dump.add([]byte(strings.Repeat("a warning\n", 1000)))
	dump.add([]byte("# Fatal JavaScript out of memory: CALL_AND_RETRY_LAST\nSIGTRAP: trace trap\n\ngorou"))
	dump.add([]byte("tine 1 [syscall]:\n" + strings.Repeat("main.main()\n", 1000)))
	dump.add([]byte("\ngoroutine 2 [running]:\n" + strings.Repeat("x\n", 3000)))
	got := string(dump.kept)
	if !strings.Contains(got, "out of memory: CALL_AND_RETRY_LAST") || !strings.Contains(got, "goroutine 1 [syscall]") || strings.Contains(got, "goroutine 2") || len(got) > tailBytes {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	var plain tail
	plain.add([]byte(strings.Repeat("x", 2*tailBytes)))
	plain.add([]byte("the end"))
	if got := string(plain.kept); len(got) != tailBytes || !strings.HasSuffix(got, "the end") {
		t.Errorf("%d bytes", len(got))
	}
}
