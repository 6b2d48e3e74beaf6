package dialect

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/codemode-go/codemode/protocol"
)

// run is one execution's side of the dispatch. It is alive until it has settled and its last call has returned.
type run struct {
	guard  protocol.CompletionGuard
	done   chan struct{}   // closed by settle
	unlink func() bool     // unties the calls from the caller's context
	values context.Context // the caller's context without its end: what the calls' contexts carry

	mu      sync.Mutex
	holders int // the execution itself, and each call
	calls   context.Context
	end     context.CancelFunc // ends calls
	free    func()             // tells the Executor that the run is gone
}

func (e *Executor) startRun(ctx context.Context) (*run, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, protocol.Errorf(protocol.CodePoolClosed, "the executor is closed")
	}
	e.runs.Add(1)
	r := &run{done: make(chan struct{}), values: context.WithoutCancel(ctx), holders: 1, free: e.runs.Done}
	r.calls, r.end = context.WithCancel(e.ctx)
	r.unlink = context.AfterFunc(ctx, r.end)
	return r, nil
}

// settle closes the guard, so that every later call is refused. Calls still in flight go on when the program ended by
// itself, and are cancelled when something ended it.
func (r *run) settle(result *protocol.ExecuteResult, err error) {
	r.guard.Complete()
	close(r.done)
	r.unlink()
	if err != nil || wasCutShort(result.Failure) {
		r.end()
	}
	r.releaseOne()
}

// hold keeps the run alive for one call; false once it is gone.
func (r *run) hold() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.holders == 0 {
		return false
	}
	r.holders++
	return true
}

func (r *run) releaseOne() {
	r.mu.Lock()
	r.holders--
	gone := r.holders == 0
	r.mu.Unlock()
	if gone {
		r.end()
		r.free()
	}
}

func wasCutShort(failure *protocol.Failure) bool {
	if failure == nil {
		return false
	}
	return failure.Kind != protocol.FailureThrown && failure.Kind != protocol.FailureSyntax
}

// dispatch makes the run's DispatchFunc over the plan's handlers.
func (r *run) dispatch(handlers map[string]protocol.Handler) protocol.DispatchFunc {
	envelope := protocol.NewEnvelopeDispatch(handlers, &r.guard)
	return func(ctx context.Context, provider, tool, argsJSON string) (string, error) {
		if !r.hold() {
			return envelope(ctx, provider, tool, argsJSON) // which refuses it
		}
		if protocol.Unhurried(ctx) {
			return r.call(ctx, envelope, provider, tool, argsJSON), nil
		}
		return r.callAside(ctx, envelope, provider, tool, argsJSON), nil
	}
}

// call makes a call of the run until its context or the run's calls are ended, and lets go of the run.
func (r *run) call(ctx context.Context, envelope protocol.DispatchFunc, provider, tool, argsJSON string) string {
	defer r.releaseOne()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.calls, cancel)()
	text, _ := envelope(ctx, provider, tool, argsJSON) // never an error
	return text
}

// callAside makes a call on a goroutine of its own, which the run and through it the Executor owns, so that neither the end of
// the run nor an executor that cancels its calls then cuts off a call that the program only forgot to await. Its context
// carries the values of the one given to Execute, wherever the native executor runs.
func (r *run) callAside(ctx context.Context, envelope protocol.DispatchFunc, provider, tool, argsJSON string) string {
	values := protocol.WithAdmission(r.values, func() { protocol.Admit(ctx) })
	values = protocol.WithClock(values, func() func() { return protocol.HoldClock(ctx) })
	answers := make(chan string, 1)
	go func() {
		var text string
		defer func() {
			if text == "" { // the function has ended the goroutine
				text = protocol.ErrorEnvelope(fmt.Sprintf("tool %q ended without an answer", tool)).Text()
			}
			answers <- text
		}()
		text = r.call(values, envelope, provider, tool, argsJSON)
	}()
	select {
	case text := <-answers:
		return text
	case <-r.done:
	case <-ctx.Done():
	}
	return protocol.ErrorEnvelope(protocol.CompletedMessage).Text()
}

// parseArguments splits an argument list. A proxy source of the host's own may send one value in place of a list; it
// is then the only argument.
func parseArguments(argsJSON string) ([]json.RawMessage, error) {
	args, err := protocol.SplitArguments(argsJSON)
	if err != nil && protocol.ValidJSON([]byte(argsJSON)) {
		return []json.RawMessage{json.RawMessage(argsJSON)}, nil
	}
	return args, err
}
