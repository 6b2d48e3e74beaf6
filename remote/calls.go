package remote

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/remote/internal/capnweb"
)

// calls is what a program on another machine asks of this one during one run: its tool calls and outbound requests.
type calls struct {
	ctx      context.Context // the caller's, for its values
	dispatch protocol.DispatchFunc
	began    time.Time

	mu sync.Mutex
	// waiting counts the calls that have not reached their functions; the result that follows them is held back until
	// there is none, when idle is closed.
	waiting int
	idle    chan struct{}
	ledger  []protocol.Call
}

func newCalls(ctx context.Context, dispatch protocol.DispatchFunc) *calls {
	return &calls{ctx: ctx, dispatch: dispatch, began: time.Now()}
}

// dispatchArgument is the function the daemon calls for each tool call, null when there is none.
func (c *calls) dispatchArgument() any {
	if c.dispatch == nil {
		return nil
	}
	return capnweb.Func(c.begin)
}

// begin takes a call in its place in the order: before the result that follows it.
func (c *calls) begin(args []any) capnweb.Run {
	var name [3]string
	var err error
	for i, what := range []string{"the provider", "the tool", "the argument list"} {
		if i >= len(args) {
			err = fmt.Errorf("%s is missing", what)
		} else if err == nil {
			name[i], err = text(what, args[i])
		}
	}
	if err != nil {
		return func(context.Context) (any, error) { return nil, wireError(invalid("%v", err)) }
	}
	admitted := c.arrived()
	place := c.note(name[0], name[1])
	return func(ctx context.Context) (any, error) {
		defer admitted()
		ctx, cancel := c.context(ctx)
		defer cancel()
		var envelope string
		var err error
		defer func() { c.noteEnd(place, envelope, err) }() // also of one that ends its goroutine
		envelope, err = c.answer(protocol.WithAdmission(ctx, admitted), name[0], name[1], name[2])
		if err != nil {
			return nil, wireError(err)
		}
		return envelope, nil
	}
}

// answer calls the dispatch; its panic fails the call alone.
func (c *calls) answer(ctx context.Context, provider, tool, argsJSON string) (envelope string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("tool %q panicked: %v", tool, p)
		}
	}()
	return c.dispatch(ctx, provider, tool, argsJSON)
}

// context has the caller's values and the end of what the daemon asked for: a call that the program left behind goes on
// after the caller has its result.
func (c *calls) context(asked context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(c.ctx))
	stop := context.AfterFunc(asked, func() { cancel(context.Cause(asked)) })
	return ctx, func() { stop(); cancel(nil) }
}

// admissionGrace is how long a dispatch that never says that it took a call on can hold a result back, as in executor.
const admissionGrace = 100 * time.Millisecond

// arrived counts a call until what it returns says that its function has it.
func (c *calls) arrived() (admitted func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting++
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.waiting--; c.waiting == 0 && c.idle != nil {
			close(c.idle)
			c.idle = nil
		}
	})
}

// awaitAdmissions waits until the calls of a run that has its result have been taken on.
func (c *calls) awaitAdmissions() {
	c.mu.Lock()
	if c.waiting == 0 {
		c.mu.Unlock()
		return
	}
	idle := make(chan struct{})
	c.idle = idle
	c.mu.Unlock()
	select {
	case <-idle:
	case <-time.After(admissionGrace):
	}
}

// ledgerLength bounds the ledger of a run whose context ends: the default of the limit on tool calls.
const ledgerLength = 10_000

// note writes a call into the ledger and returns its place, -1 when that is full.
func (c *calls) note(provider, tool string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ledger) >= ledgerLength {
		return -1
	}
	c.ledger = append(c.ledger, protocol.Call{Provider: provider, Tool: tool, Start: time.Since(c.began), Outcome: protocol.CallAbandoned})
	return len(c.ledger) - 1
}

func (c *calls) noteEnd(place int, envelope string, err error) {
	outcome := protocol.CallCompleted
	if e, parseErr := protocol.ParseEnvelope(envelope); err != nil || parseErr != nil || e.Error != nil {
		outcome = protocol.CallFailed
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if place >= 0 {
		c.ledger[place].Outcome = outcome
		c.ledger[place].Duration = time.Since(c.began) - c.ledger[place].Start
	}
}

// canceled is the result of a run whose context ended, as far as this side knows it.
func (c *calls) canceled(cause error) *protocol.ExecuteResult {
	c.mu.Lock()
	defer c.mu.Unlock()
	took := time.Since(c.began)
	result := &protocol.ExecuteResult{
		Failure: &protocol.Failure{Kind: protocol.FailureCanceled, Message: fmt.Sprintf("The caller ended the run: %v.", cause)},
		Calls:   append([]protocol.Call(nil), c.ledger...),
		Usage:   protocol.Usage{Wall: took, ToolCalls: len(c.ledger)},
	}
	for i := range result.Calls {
		if call := &result.Calls[i]; call.Outcome == protocol.CallAbandoned {
			call.Duration, call.Unheard = took-call.Start, true
			result.Failure.Pending = append(result.Failure.Pending, call.Provider+"."+call.Tool)
		}
	}
	return result
}
