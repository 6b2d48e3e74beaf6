package executor_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// ownerName is argv[0] of this test binary as a program that owns a pool and is about to be killed.
const ownerName = "codemode-test-owner"

// runOwner owns a pool with an idle worker and one that spins, names its children, and waits for its end.
func runOwner() {
	pool, err := executor.New(nil)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	started := make(chan struct{})
	go pool.Execute(context.Background(), &protocol.ExecuteRequest{
		Code:      `async () => { await api.started(); for (;;); }`,
		Providers: []protocol.ProviderDescriptor{{Name: "api"}},
		Dispatch: func(context.Context, string, string, string) (string, error) {
			close(started)
			return "{}", nil
		},
	})
	<-started
	for pool.Status().Idle == 0 {
		time.Sleep(time.Millisecond)
	}
	var t testing.T
	for _, stat := range children(&t) {
		fmt.Println(strings.Fields(stat)[0])
	}
	fmt.Println("ready")
	time.Sleep(time.Hour)
}

func TestWorkersDoNotOutliveAPoolThatIsKilled(t *testing.T) {
	needLinux(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	owner := &exec.Cmd{Path: self, Args: []string{ownerName}, Stderr: os.Stderr}
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	var workers []int
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "ready" {
		pid, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatalf("the owner says %q", lines.Text())
		}
		workers = append(workers, pid)
	}
	if len(workers) < 2 {
		t.Errorf("workers %v", workers)
	}
	owner.Process.Kill()
	owner.Wait()
	for _, pid := range workers {
		eventually(t, "the worker is gone", func() bool {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			return err != nil || strings.Contains(string(stat), ") Z ")
		})
	}
}

func TestCloseLeavesNothingOfRealWorkers(t *testing.T) {
	leavesNothing(t, func() {
		pool, err := executor.New(&executor.Options{Workers: 2, RecycleAfter: 2})
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			mustValue(t, pool, &protocol.ExecuteRequest{Code: `async () => 1`})
		}
		mustFail(t, pool, &protocol.ExecuteRequest{Code: `async () => { for (;;); }`, Timeout: protocol.TimeoutOf(soon)}, protocol.FailureTimeout)
		if err := pool.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
}

func TestAPoolSaysWhatItRunsOn(t *testing.T) {
	pool := newPool(t, executor.Options{})
	mustValue(t, pool, &protocol.ExecuteRequest{Code: `async () => 1`})
	if s := pool.Status(); !strings.HasPrefix(s.Engine, "V8 ") || len(s.Jail) == 0 {
		t.Errorf("status %+v", s)
	}
}
