package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// oneDaemon is there once it is up.
type oneDaemon struct {
	up             bool
	dialed, closed int
}

func (d *oneDaemon) dial(ctx context.Context) (protocol.Executor, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	d.dialed++
	if !d.up {
		return nil, &protocol.Error{Code: protocol.CodeConnectionRejected, Message: "Failed to open WebSocket to ws://x", Cause: errors.New("refused")}
	}
	return d, nil
}

func (d *oneDaemon) Execute(context.Context, *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	return &protocol.ExecuteResult{}, nil
}

func (d *oneDaemon) Close() error {
	d.closed++
	return nil
}

func TestADaemonThatComesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		daemon := &oneDaemon{}
		late, err := dialedOrLate(t.Context(), slog.New(slog.NewTextHandler(&log, nil)), daemon.dial)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := late.Execute(t.Context(), nil); err == nil || protocol.Explain(err) != "Failed to open WebSocket to ws://x: refused" {
				t.Error(err)
			}
		}
		if daemon.dialed != 1 {
			t.Errorf("dialed %d times in no time", daemon.dialed)
		}
		time.Sleep(lateRetry)
		gone, end := context.WithCancel(t.Context())
		end()
		for range 20 { // one that is given up is no failure of the daemon's, whether it dialed or not
			late.Execute(gone, nil)
		}
		daemon.up = true
		for range 3 {
			if _, err := late.Execute(t.Context(), nil); err != nil {
				t.Error(err)
			}
		}
		if daemon.dialed != 2 || strings.Count(log.String(), "\n") != 2 || !strings.Contains(log.String(), "refused") {
			t.Errorf("dialed %d times; the log:\n%s", daemon.dialed, &log)
		}
		if err := late.Close(); err != nil || daemon.closed != 1 {
			t.Errorf("%v, closed %d times", err, daemon.closed)
		}
	})
}

// What will not pass ends the command, and a daemon that is there stands for itself.
func TestADaemonThatIsThereOrNeverIs(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	daemon := &oneDaemon{up: true}
	if got, err := dialedOrLate(t.Context(), log, daemon.dial); got != protocol.Executor(daemon) || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	never := func(context.Context) (protocol.Executor, error) {
		return nil, protocol.Errorf(protocol.CodeProtocolMismatch, "another version")
	}
	if got, err := dialedOrLate(t.Context(), log, never); got != nil || !errors.Is(err, protocol.CodeProtocolMismatch) {
		t.Errorf("%v, %v", got, err)
	}
}
