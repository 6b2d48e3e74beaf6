//go:build cgo

package executor

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/protocol"
)

// What a quick call and its answer hold goes by the mailbox, both ways: most of it passes no read and no write of this process.
func TestQuickCallsPassByThePipes(t *testing.T) {
	pool, err := New(&Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	pool.TakeToolsForQuick()
	const calls, size = 2000, 3000
	text := strings.Repeat("x", size)
	readBefore, writtenBefore := transferred(t)
	result, err := pool.Execute(t.Context(), &protocol.ExecuteRequest{
		Code:      fmt.Sprintf("async () => { for (let i = 0; i < %d; i++) await api.f('x'.repeat(%d)) }", calls, size),
		Providers: []protocol.ProviderDescriptor{{Name: "api", Tools: []string{"f"}}},
		Dispatch:  func(context.Context, string, string, string) (string, error) { return `{"result":"` + text + `"}`, nil },
		Limits:    protocol.Limits{ToolCalls: calls},
	})
	if err != nil || result.Failure != nil {
		t.Fatal(err, result)
	}
	read, written := transferred(t)
	if read -= readBefore; read > calls*size {
		t.Errorf("%d bytes were read, and the calls have %d", read, calls*size)
	}
	if written -= writtenBefore; written > calls*size {
		t.Errorf("%d bytes were written, and the answers have %d", written, calls*size)
	}
}

// transferred is how many bytes this process has read and written by calls of the kernel.
func transferred(t *testing.T) (read, written int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(string(text), "rchar: %d\nwchar: %d\n", &read, &written); err != nil {
		t.Fatal(err)
	}
	return read, written
}
