package executor

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/codemode-go/codemode/executor/internal/wire"
	"github.com/codemode-go/codemode/protocol"
)

var _ protocol.HandleExecutor = (*Pool)(nil)

// execution is a run whose isolate is kept, so that functions of its value stay callable. Its process serves nobody
// else. Pool.mu guards it.
type execution struct {
	id      string
	worker  *process
	plan    *plan
	granted int64
	users   int           // invocations that run or wait
	idle    *time.Timer   // closes it when nobody has used it for Options.RetainedIdle
	turn    chan struct{} // held by the invocation that runs: an isolate does one thing at a time
	gone    chan struct{} // closed with the worker
}

// reserve takes one of the places for retained executions.
func (p *Pool) reserve() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.executions)+p.reserved >= p.options.MaxRetained {
		return protocol.Errorf(protocol.CodeHandlesExhausted, "%d executions are retained, as many as may; close some with CloseHandles", p.options.MaxRetained)
	}
	p.reserved++
	return nil
}

// unreserve gives back the place of a run that nothing was retained of; retain took the place of any other.
func (p *Pool) unreserve(result *protocol.ExecuteResult) {
	if result != nil && result.ExecutionID != "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reserved--
}

// retain keeps a worker whose run granted handles. The caller is the process's reader, at the end of the run.
func (p *Pool) retain(w *process, r *run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.state != running {
		return
	}
	if w.execution == nil {
		e := &execution{id: rand.Text(), worker: w, plan: r.plan, turn: make(chan struct{}, 1), gone: make(chan struct{})}
		e.idle = time.AfterFunc(p.options.RetainedIdle, func() { p.expire(e) })
		w.execution = e
		p.executions[e.id] = e
		p.reserved--
	}
	w.execution.granted = r.granted
	r.executionID = w.execution.id
	p.move(w, retained)
	p.serve()
	p.replenish()
}

// forget drops a process's execution once the process is gone. The caller holds p.mu.
func (p *Pool) forget(w *process) {
	e := w.execution
	if e == nil || p.executions[e.id] == nil {
		return
	}
	delete(p.executions, e.id)
	e.idle.Stop()
	close(e.gone)
	kept := p.queue[:0]
	for _, waiting := range p.queue {
		if waiting.kept == w {
			waiting.ready <- handoff{err: unknownExecution(e.id)}
			continue
		}
		kept = append(kept, waiting)
	}
	p.queue = kept
}

// Why the worker of an execution is killed.
const (
	closedExecution  = "The execution was closed."
	expiredExecution = "The execution was not used any more."
)

func (p *Pool) expire(e *execution) {
	p.mu.Lock()
	used := e.users > 0
	p.mu.Unlock()
	if !used {
		e.worker.kill(expiredExecution)
	}
}

func unknownExecution(id string) error {
	return protocol.Errorf(protocol.CodeExecutionUnknown, "no execution %q is retained: it was closed, expired, or its worker is gone", clip(id, 64))
}

// InvokeHandle calls a function that a retained run handed out, as a run of its own: under the limits of the request that
// retained it, on a clock of its own, in the same queue as any other run. Calls on one execution run one after the other.
//
// The result's ExecutionID is set while the execution lives on: a call that throws leaves it as it is, one that had to
// be stopped (its timeout, its context, a limit that ends runs) takes it along. Beside the errors of Execute there are
// EXECUTION_UNKNOWN and HANDLE_UNKNOWN.
func (p *Pool) InvokeHandle(ctx context.Context, request *protocol.InvokeRequest) (result *protocol.ExecuteResult, err error) {
	if request == nil {
		return nil, protocol.Errorf(protocol.CodeInvalidRequest, "the request is nil")
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	e, err := p.use(request)
	if err != nil {
		return nil, err
	}
	defer p.unuse(e)
	made, err := p.prepareInvocation(e, request)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	var queued time.Duration
	defer func() { p.ended(result, err, queued) }()
	if err := p.takeTurn(ctx, e); err != nil {
		return nil, err
	}
	defer func() { <-e.turn }()
	w, err := p.acquire(ctx, e.worker)
	queued = time.Since(began)
	if err != nil {
		return nil, err
	}
	r := newRun(ctx, p, w, made)
	r.baseline.cpu = w.sampler.cpu()
	if w.begin(r) != nil {
		return nil, unknownExecution(e.id)
	}
	r.supervise()
	return r.result(), nil
}

// use finds what a request names, and keeps it from expiring.
func (p *Pool) use(request *protocol.InvokeRequest) (*execution, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.executions[request.ExecutionID]
	if e == nil {
		return nil, unknownExecution(request.ExecutionID)
	}
	if request.HandleID < 1 || request.HandleID > e.granted {
		return nil, protocol.Errorf(protocol.CodeHandleUnknown, "execution %q has no handle %d", e.id, request.HandleID)
	}
	e.users++
	e.idle.Stop()
	return e, nil
}

func (p *Pool) unuse(e *execution) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.users--; e.users == 0 && p.executions[e.id] == e {
		e.idle.Reset(p.options.RetainedIdle)
	}
}

func (p *Pool) takeTurn(ctx context.Context, e *execution) error {
	timer := time.NewTimer(p.options.QueueTimeout)
	defer timer.Stop()
	select {
	case e.turn <- struct{}{}:
		return nil
	case <-e.gone:
		return unknownExecution(e.id)
	case <-ctx.Done():
		return notStarted(ctx)
	case <-timer.C:
		return protocol.Errorf(protocol.CodeQueueTimeout, "the calls before this one on the execution did not end within %s", p.options.QueueTimeout)
	}
}

// prepareInvocation checks the request of a call on a handle, and makes its plan of the program's.
func (p *Pool) prepareInvocation(e *execution, request *protocol.InvokeRequest) (*plan, error) {
	made := *e.plan
	var err error
	if made.timeout, err = request.Timeout.Resolve(p.options.Timeout, p.options.MaxTimeout); err != nil {
		return nil, err
	}
	args := bytes.NewBufferString("[")
	for i, arg := range request.Args {
		if !protocol.ValidJSON(arg) {
			return nil, protocol.Errorf(protocol.CodeInvalidRequest, "args[%d] is no JSON", i)
		}
		if i > 0 {
			args.WriteByte(',')
		}
		args.Write(arg)
	}
	args.WriteByte(']')
	if n, most := int64(args.Len()), made.limits.ArgumentBytes; n > most {
		return nil, protocol.Errorf(protocol.CodeInvalidRequest, "args have %d bytes, more than limits.argumentBytes, %d", n, most)
	}
	header, err := encodeJSON("handleID", wire.InvokeHeader{Handle: request.HandleID})
	if err != nil {
		return nil, err
	}
	made.kind, made.fields = wire.Invoke, [][]byte{header, args.Bytes()}
	made.request = &protocol.ExecuteRequest{Dispatch: request.Dispatch, CountHostWaits: e.plan.request.CountHostWaits, RetainHandles: true}
	return &made, nil
}

// CloseHandles ends the process of a retained execution; a call on one of its handles that still runs is canceled. An
// execution that is not known, any more or yet, is no error.
func (p *Pool) CloseHandles(_ context.Context, executionID string) error {
	p.mu.Lock()
	e := p.executions[executionID]
	p.mu.Unlock()
	if e == nil {
		return nil
	}
	if r := e.worker.current.Load(); r != nil {
		r.giveUp(canceledFailure(closedExecution))
	}
	e.worker.kill(closedExecution)
	<-e.gone
	return nil
}

// checkGrant is what a worker may say of handles at the end of a run.
func (r *run) checkGrant(header wire.DoneHeader) error {
	if n := header.Handles; n != 0 && (!r.plan.request.RetainHandles || n < 0 || n > r.plan.limits.Handles) {
		return fmt.Errorf("%w: it granted %d handles", errMalformed, n)
	}
	return nil
}
