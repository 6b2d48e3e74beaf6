package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// lateDaemon is a daemon that is not there yet. Each run tries to reach it, and says why where it cannot: a server that ended
// instead would stay away from its client until somebody starts it again.
type lateDaemon struct {
	dial func(context.Context) (protocol.Executor, error)
	log  *slog.Logger
	turn chan struct{} // who has its one place dials

	mu      sync.Mutex
	reached protocol.Executor
	failed  error
	tried   time.Time
	closed  bool
}

// lateRetry is how long a failure answers for other runs, so that many of them do not wait for one address in turn.
const lateRetry = time.Second

// dialedOrLate dials a daemon, now or when the next run comes.
func dialedOrLate(ctx context.Context, log *slog.Logger, dial func(context.Context) (protocol.Executor, error)) (protocol.Executor, error) {
	reached, err := dial(ctx)
	if err == nil || !errors.Is(err, protocol.CodeConnectionRejected) || ctx.Err() != nil {
		return reached, err
	}
	log.Warn("no daemon is reached yet; every run tries again", "error", explain(err))
	return &lateDaemon{dial: dial, log: log, turn: make(chan struct{}, 1), failed: err, tried: time.Now()}, nil
}

// Execute implements protocol.Executor. Its error is that of dialing, too.
func (d *lateDaemon) Execute(ctx context.Context, request *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	daemon, err := d.reach(ctx)
	if err != nil {
		return nil, err
	}
	return daemon.Execute(ctx, request)
}

func (d *lateDaemon) reach(ctx context.Context) (protocol.Executor, error) {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	d.mu.Lock()
	reached, failed, tried := d.reached, d.failed, d.tried
	d.mu.Unlock()
	if reached != nil {
		return reached, nil
	}
	if time.Since(tried) < lateRetry {
		return nil, failed
	}
	reached, err := d.dial(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil { // else it is this run's end, and says nothing of the daemon
			d.failed, d.tried = err, time.Now()
		}
		return nil, err
	}
	d.reached = reached
	if d.closed {
		_ = reached.Close() // nothing of it has begun
		return nil, protocol.Errorf(protocol.CodePoolClosed, "The server is closed.")
	}
	d.log.Info("the daemon is reached")
	return reached, nil
}

// Close implements protocol.Executor.
func (d *lateDaemon) Close() error {
	d.mu.Lock()
	reached := d.reached
	d.closed = true
	d.mu.Unlock()
	if reached == nil {
		return nil
	}
	return reached.Close()
}
