package executor_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/internal/wire"
	"github.com/codemode-go/codemode/protocol"
)

// A host that forgot worker.Main, or whose binary fails, must read so at the first run, and not wait for ever.
func TestAWorkerThatNeverBecomesReadyIsNamed(t *testing.T) {
	for how, want := range map[string][]string{
		"silent":    {"not ready within 500ms", "worker.Main"},
		"talkative": {"worker.Main", "malformed"},
		"exit":      {"exit status 3", "worker.Main", "the license server is unreachable"},
	} {
		t.Run(how, func(t *testing.T) {
			options := executor.Options{Command: fakeCommand(t, how)}
			if how == "silent" {
				options.StartTimeout = 500 * time.Millisecond
			}
			pool := newPool(t, options)
			for range 2 { // the second request tries again, and fails alike
				_, err := pool.Execute(context.Background(), &protocol.ExecuteRequest{Code: "value:1"})
				if !errors.Is(err, protocol.CodeWorkerStartFailed) {
					t.Fatalf("error %v", err)
				}
				for _, text := range want {
					if !strings.Contains(err.Error(), text) {
						t.Errorf("%q does not say %q", err, text)
					}
				}
			}
		})
	}
}

func TestAMissingWorkerBinaryIsNamedByNew(t *testing.T) {
	_, err := executor.New(&executor.Options{Command: []string{"/nonexistent/codemode"}})
	if !errors.Is(err, protocol.CodeWorkerStartFailed) || !strings.Contains(err.Error(), "/nonexistent/codemode") {
		t.Errorf("error %v", err)
	}
}

func TestWorkersThatDieIdleAreReplacedByTheNextRunAndNotInALoop(t *testing.T) {
	needLinux(t)
	pool := newFakePool(t, executor.Options{Workers: 1})
	eventually(t, "a worker is idle", func() bool { return pool.Status().Idle == 1 })
	killChildren(t)
	eventually(t, "it is gone", func() bool { return pool.Status().Idle == 0 })
	for range 50 {
		if s := pool.Status(); s.Idle+s.Starting+s.Running > 0 {
			t.Fatalf("it was started again unasked: %+v", s)
		}
		time.Sleep(time.Millisecond)
	}
	if got := mustValue(t, pool, &protocol.ExecuteRequest{Code: "value:1"}); got != "1" {
		t.Errorf("value %s", got)
	}
}

func TestAProgramThatNoWorkerTookMayBeSentAgain(t *testing.T) {
	pool := newPool(t, executor.Options{Command: fakeCommand(t, "closed")})
	result, err := pool.Execute(context.Background(), &protocol.ExecuteRequest{Code: "value:1"})
	var lost *protocol.Error
	if !errors.As(err, &lost) || lost.Code != protocol.CodeWorkerLost || !lost.Retryable {
		t.Errorf("result %+v, error %+v", result, err)
	}
}

func TestAWorkerMayNotHaveWorkersOfItsOwn(t *testing.T) {
	name := os.Args[0]
	os.Args[0] = wire.ProcessName
	defer func() { os.Args[0] = name }()
	if _, err := executor.New(nil); !errors.Is(err, protocol.CodeWorkerStartFailed) || !strings.Contains(err.Error(), "worker.Main") {
		t.Errorf("error %v", err)
	}
}

func TestOptionsThatMakeNoSenseAreNamed(t *testing.T) {
	for want, options := range map[string]executor.Options{
		"Workers":      {Workers: -1},
		"QueueTimeout": {QueueTimeout: -1},
		"MaxTimeout":   {Timeout: time.Minute, MaxTimeout: time.Second},
		"memory":       {Limits: protocol.Limits{Memory: -1}},
	} {
		_, err := executor.New(&options)
		if !errors.Is(err, protocol.CodeInvalidRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
}
