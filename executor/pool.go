package executor

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// Pool is a [protocol.Executor] over worker processes of this machine. It is safe for concurrent use.
type Pool struct {
	options Options // resolved, read-only
	modules []byte  // Options.Modules as a Run frame carries them
	log     *slog.Logger
	inherit *http.Transport // performs the requests of OutboundInherit

	// lifetime ends with Close; the contexts of calls hang on it.
	lifetime context.Context
	end      context.CancelCauseFunc
	starter  *starter
	// processes has the goroutines of worker processes, calls those of dispatched calls.
	processes, calls sync.WaitGroup
	closeOnce        sync.Once
	closeErr         error

	mu     sync.Mutex
	closed bool
	all    map[*process]struct{} // every process that is not dead
	idle   []*process            // the last one was used last
	count  [dead + 1]int         // processes by state
	queue  []*waiter             // in the order they are served, see line

	active  int           // Executes and InvokeHandles under way
	drained chan struct{} // made by Drain, closed when active is none

	executions map[string]*execution // retained runs by id
	reserved   int                   // runs that may become one

	engine string
	jail   []string
	caches [][]byte // the fields of a Prime frame

	underWay       atomic.Int64  // calls whose function has not returned
	atOnce, heldUp time.Duration // those of inline.go, but for tests, whose machine may be slow
}

var _ protocol.Executor = (*Pool)(nil)

// state is where a process is in its life. Only move changes it.
//
//	           Ready            acquire            Done             Ready
//	starting ────────► idle ──────────────► running ────────► warming ────────► idle
//	   │                 │                     │                 │
//	   │ exit,           │ died                │ killed, died,   │ exit,
//	   │ no Ready        │                     │ retired         │ no Ready
//	   └─────────────────┴─────────► dead ◄────┴─────────────────┘
//
// A process that is handed to a request is running before the Run frame is sent. One whose run granted handles goes from
// running to retained, and back for each call on them; it is nobody else's any more, and dies with its execution.
type state int

const (
	unborn state = iota
	starting
	idle
	running
	warming
	retained
	dead
)

// waiter is one request that waits for a worker: any, or the one that keeps its execution.
type waiter struct {
	ready   chan handoff
	kept    *process
	session string // the client's, see protocol.WithSession
}

// handoff is a worker in state running, or the reason why there is none.
type handoff struct {
	worker *process
	err    error
}

func (p *Pool) open() {
	p.lifetime, p.end = context.WithCancelCause(context.Background())
	p.all = make(map[*process]struct{})
	p.executions = make(map[string]*execution)
	p.inherit = newTransport(p.options.AllowAddresses)
	p.starter = newStarter()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replenish()
}

// move changes a process's state. The caller holds p.mu, and calls serve or replenish when it has moved all it wants.
func (p *Pool) move(w *process, to state) {
	if w.state == idle {
		p.idle = slices.DeleteFunc(p.idle, func(other *process) bool { return other == w })
	}
	p.count[w.state]--
	w.state = to
	p.count[to]++
	switch to {
	case starting:
		p.all[w] = struct{}{}
	case idle:
		p.idle = append(p.idle, w)
	case dead:
		delete(p.all, w)
	}
}

// serve hands workers to waiting requests. One that waits for a process to start keeps its place to run. The caller
// holds p.mu.
func (p *Pool) serve() {
	free := p.options.Workers - p.count[running]
	left := p.queue[:0]
	for i, waiting := range p.queue {
		if free <= 0 {
			left = append(left, p.queue[i:]...)
			break
		}
		free--
		w := waiting.kept
		if w == nil && len(p.idle) > 0 {
			w = p.idle[len(p.idle)-1]
		}
		if w == nil {
			left = append(left, waiting)
			continue
		}
		p.move(w, running)
		waiting.ready <- handoff{worker: w}
	}
	clear(p.queue[len(left):])
	p.queue = left
}

// pooled counts the processes that serve whoever comes. The caller holds p.mu.
func (p *Pool) pooled() int { return len(p.all) - len(p.executions) }

// replenish starts the processes that waiting requests and the spare ones call for. The caller holds p.mu.
func (p *Pool) replenish() {
	if p.closed {
		return
	}
	servable := min(len(p.queue), p.options.Workers-p.count[running])
	for p.count[idle]+p.count[warming]+p.count[starting] < servable+p.options.SpareWorkers &&
		p.pooled() < p.options.Workers+p.options.SpareWorkers {
		w := newProcess(p)
		p.move(w, starting)
		p.processes.Go(w.live)
	}
}

// acquire waits for a worker in state running: kept, which keeps the request's execution, or any when that is nil.
func (p *Pool) acquire(ctx context.Context, kept *process) (*process, error) {
	if ctx.Err() != nil {
		return nil, notStarted(ctx)
	}
	me := &waiter{ready: make(chan handoff, 1), kept: kept, session: protocol.SessionOf(ctx)}
	if err := p.enqueue(me); err != nil {
		return nil, err
	}
	select {
	case h := <-me.ready:
		return h.worker, h.err
	default:
	}
	timer := time.NewTimer(p.options.QueueTimeout)
	defer timer.Stop()
	for {
		select {
		case h := <-me.ready:
			return h.worker, h.err
		case <-ctx.Done():
			p.withdraw(me)
			return nil, notStarted(ctx)
		case <-timer.C:
		}
		if p.withdrawUnplaced(me) {
			return nil, protocol.Errorf(protocol.CodeQueueTimeout, "no worker became free within %s; %d programs may run at one time", p.options.QueueTimeout, p.options.Workers)
		}
		timer.Reset(p.options.QueueTimeout)
	}
}

// notStarted is the error of a request whose context ended before a worker had it.
func notStarted(ctx context.Context) error {
	return fmt.Errorf("the request ended while it waited for a worker: %w", ctx.Err())
}

func (p *Pool) enqueue(me *waiter) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed
	}
	if me.kept != nil && me.kept.state != retained {
		return unknownExecution(me.kept.execution.id)
	}
	// Requests that only wait for a process to start do not count: their place to run is free.
	if free := p.options.Workers - p.count[running]; len(p.queue)-free >= p.options.MaxQueue {
		return protocol.Errorf(protocol.CodeQueueFull, "%d programs run and %d wait, as many as may", p.count[running], len(p.queue))
	}
	p.line(me)
	p.serve()
	p.replenish()
	return nil
}

// line puts a request into the queue. Clients are served in turn: the first request of each that waits, in the order they
// came, then the second of each, and so on. Places count from those that still wait, so that a request moves up with each
// of its client's that is served, and newcomers do not pass it for ever. The caller holds p.mu.
func (p *Pool) line(me *waiter) {
	seen := map[string]int{}
	for _, waiting := range p.queue {
		seen[waiting.session]++
	}
	mine := seen[me.session] + 1
	clear(seen)
	at := slices.IndexFunc(p.queue, func(waiting *waiter) bool {
		seen[waiting.session]++
		return seen[waiting.session] > mine
	})
	if at < 0 {
		at = len(p.queue)
	}
	p.queue = slices.Insert(p.queue, at, me)
}

// withdrawUnplaced takes a request out of the queue unless its place to run is free, and only a process is still on its
// way: that has a time limit of its own.
func (p *Pool) withdrawUnplaced(me *waiter) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.queue, me)
	if i < p.options.Workers-p.count[running] {
		return false
	}
	p.queue = slices.Delete(p.queue, i, i+1)
	return true
}

// withdraw takes a request out of the queue, and gives back the worker it may have been handed at the same moment.
func (p *Pool) withdraw(me *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.queue, me); i >= 0 {
		p.queue = slices.Delete(p.queue, i, i+1)
		return
	}
	if h := <-me.ready; h.worker != nil && h.worker.state == running {
		back := idle
		if me.kept != nil {
			back = retained
		}
		p.move(h.worker, back)
		p.serve()
	}
}

// ready takes note of a worker whose isolate is warm. It reports false when the worker had no business to say so.
func (p *Pool) ready(w *process, engine string, jail []string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.state != starting && w.state != warming {
		return false
	}
	p.engine, p.jail = engine, jail
	p.move(w, idle)
	p.serve()
	return true
}

// mostCodeCaches bounds what is kept of the first worker's code caches, which are some fifty kilobytes.
const mostCodeCaches = 4 << 20

// keepCodeCaches takes what the first worker learned for those that start after it, which are ready in half the time.
func (p *Pool) keepCodeCaches(fields [][]byte) {
	size := 0
	for _, field := range fields {
		size += len(field)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if size <= mostCodeCaches {
		p.caches = fields
	}
}

func (p *Pool) codeCaches() [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.caches
}

// finished takes note of a worker whose program ended: its place is free, and its next isolate on the way.
func (p *Pool) finished(w *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.state == running {
		p.move(w, warming)
		p.serve()
		p.replenish()
	}
}

// gone takes note of a process that ended, for err when it never was ready. Requests that no process is left to serve
// fail with it. A process that dies idle or at its start is replaced by the next request only, so that a worker that
// cannot live is not started over and over.
func (p *Pool) gone(w *process, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	from := w.state
	if from == dead {
		return
	}
	p.move(w, dead)
	p.forget(w)
	p.serve()
	if from == running || from == warming {
		p.replenish()
		return
	}
	if from != starting || p.pooled() > 0 {
		return
	}
	if len(p.queue) == 0 && !p.closed { // nobody is there to be told
		p.log.Warn("a worker did not start", "error", err)
	}
	p.failQueue(err)
}

func (p *Pool) failQueue(err error) {
	for _, waiting := range p.queue {
		waiting.ready <- handoff{err: err}
	}
	p.queue = nil
}

// closedMessage ends the runs of a pool that closes.
const closedMessage = "The executor was closed."

// closeGrace bounds how long Close waits for the functions of calls.
const closeGrace = 10 * time.Second

// Close refuses new requests, fails the waiting ones with POOL_CLOSED, ends the running ones as canceled, kills the
// workers and waits until all of them and every call's function are gone. A function that ignores the end of its
// context is waited for ten seconds, and then counted in the error. Close is idempotent.
func (p *Pool) Close() error {
	p.closeOnce.Do(p.shutdown)
	return p.closeErr
}

func (p *Pool) shutdown() {
	p.mu.Lock()
	p.closed = true
	p.failQueue(errClosed)
	workers := slices.Collect(maps.Keys(p.all))
	p.mu.Unlock()
	for _, w := range workers {
		if r := w.current.Load(); r != nil {
			r.giveUp(canceledFailure(closedMessage))
		}
		w.kill(closedMessage)
	}
	p.end(errClosed)
	p.processes.Wait()
	p.starter.stop()
	p.closeErr = p.awaitCalls()
	p.inherit.CloseIdleConnections()
}

func (p *Pool) awaitCalls() error {
	done := make(chan struct{})
	go func() {
		p.calls.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-time.After(closeGrace):
		return protocol.Errorf(protocol.CodePoolClosed, "the executor is closed, but %d tool calls did not return within %s of the end of their context", p.underWay.Load(), closeGrace)
	}
}

// goCall runs a call's function in a goroutine that Close waits for.
func (p *Pool) goCall(f func()) {
	p.countCall()
	go func() {
		defer p.uncountCall()
		f()
	}()
}

// countCall has Close wait for a call, until uncountCall.
func (p *Pool) countCall() {
	p.calls.Add(1)
	p.underWay.Add(1)
}

func (p *Pool) uncountCall() {
	p.underWay.Add(-1)
	p.calls.Done()
}

// Status is a glance at a pool.
type Status struct {
	// Running, Idle, Starting and Queued count workers with a program, warm workers, workers on their way (a new
	// process, or a new isolate), and requests that wait.
	Running, Idle, Starting, Queued int
	// Retained counts the executions that are kept for their handles, and that no call runs in.
	Retained int
	// Engine and Jail are what the last worker that became ready said of itself; empty before the first.
	Engine string
	Jail   []string
}

// Status returns what the pool is doing at this moment.
func (p *Pool) Status() Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Status{
		Running: p.count[running], Idle: p.count[idle], Starting: p.count[starting] + p.count[warming], Queued: len(p.queue), Retained: p.count[retained],
		Engine: p.engine, Jail: slices.Clone(p.jail),
	}
}
