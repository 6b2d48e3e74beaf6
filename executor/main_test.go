package executor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/internal/wire"
	"github.com/codemode-go/codemode/executor/worker"
	"github.com/codemode-go/codemode/protocol"
)

// TestMain makes the test binary its own worker: the fake one when Options.Command names a way to be one.
func TestMain(m *testing.M) {
	if how := os.Args[len(os.Args)-1]; os.Args[0] == wire.ProcessName && !strings.HasPrefix(how, "-") {
		runFake(how)
	}
	worker.Main()
	if os.Args[0] == ownerName {
		runOwner()
	}
	os.Exit(m.Run())
}

// newPool makes a pool that the test closes.
func newPool(t testing.TB, options executor.Options) *executor.Pool {
	t.Helper()
	pool, err := executor.New(&options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return pool
}

// newFakePool makes a pool of fake workers.
func newFakePool(t testing.TB, options executor.Options) *executor.Pool {
	t.Helper()
	options.Command = fakeCommand(t, "normal")
	return newPool(t, options)
}

func fakeCommand(t testing.TB, how string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{self, how}
}

// mustExecute runs a program that must have a result.
func mustExecute(t testing.TB, pool protocol.Executor, request *protocol.ExecuteRequest) *protocol.ExecuteResult {
	t.Helper()
	result, err := pool.Execute(context.Background(), request)
	if err != nil {
		t.Fatalf("Execute: %v", err)
	}
	return result
}

// mustValue runs a program that must have a value.
func mustValue(t testing.TB, pool protocol.Executor, request *protocol.ExecuteRequest) string {
	t.Helper()
	result := mustExecute(t, pool, request)
	if result.Failure != nil {
		t.Fatalf("the program failed: %+v", result.Failure)
	}
	return string(result.Value)
}

// mustFail runs a program that must fail with a kind.
func mustFail(t testing.TB, pool protocol.Executor, request *protocol.ExecuteRequest, kind protocol.FailureKind) *protocol.ExecuteResult {
	t.Helper()
	result := mustExecute(t, pool, request)
	if result.Failure == nil {
		t.Fatalf("the program has a value, %.200s; want a failure of kind %s", result.Value, kind)
	}
	if result.Failure.Kind != kind {
		t.Fatalf("failure is %+v, want kind %s", *result.Failure, kind)
	}
	if result.Value != nil {
		t.Errorf("a failed run has the value %s", result.Value)
	}
	return result
}

// eventually waits for a condition that has to come true; only a test that fails ever waits long.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never came true: %s", what)
		}
	}
}

// children lists the child processes of this process, dead ones that nobody waited for included.
func children(t testing.TB) []string {
	t.Helper()
	var found []string
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it ended
		}
		_, after, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(after)
		if len(fields) > 1 && fields[1] == fmt.Sprint(os.Getpid()) {
			found = append(found, string(text))
		}
	}
	return found
}

// killChildren kills every child of this process.
func killChildren(t testing.TB) {
	t.Helper()
	for _, stat := range children(t) {
		pid, err := strconv.Atoi(strings.Fields(stat)[0])
		if err != nil {
			t.Fatal(err)
		}
		if child, err := os.FindProcess(pid); err == nil {
			child.Kill()
		}
	}
}

func openFiles(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// leavesNothing fails the test if goroutines, children or descriptors outlive what f makes.
func leavesNothing(t *testing.T, f func()) {
	t.Helper()
	if runtime.GOOS != "linux" {
		if os.Getenv("CI") != "" {
			t.Fatal("CI runs on linux")
		}
		t.Log("children and descriptors are counted on linux only")
		f()
		return
	}
	// The runtime makes its poller with the first pipe.
	if read, write, err := os.Pipe(); err == nil {
		read.Close()
		write.Close()
	}
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	f()
	if left := children(t); len(left) > 0 {
		t.Errorf("children are left: %q", left)
	}
	if maps, err := os.ReadFile("/proc/self/maps"); err != nil || strings.Contains(string(maps), "codemode-mailbox") {
		t.Errorf("a mailbox is left in memory (%v)", err)
	}
	if now := openFiles(t); now > files {
		t.Errorf("%d descriptors are open, %d were before", now, files)
	}
	// A goroutine that has done its work may still be on its way out.
	eventually(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= goroutines })
}

// counting is a dispatch that answers every call with what it was called with, and counts.
type counting struct{ calls atomic.Int64 }

func (c *counting) dispatch(ctx context.Context, provider, tool, args string) (string, error) {
	protocol.Admit(ctx)
	c.calls.Add(1)
	text, _ := json.Marshal(provider + "." + tool + args)
	return `{"result":` + string(text) + `}`, nil
}

// stuckDispatch is a dispatch whose functions wait until release is closed, whatever their context says.
func stuckDispatch(release <-chan struct{}) protocol.DispatchFunc {
	return func(ctx context.Context, _, _, _ string) (string, error) {
		protocol.Admit(ctx)
		<-release
		return "{}", nil
	}
}
