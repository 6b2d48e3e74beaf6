package capnweb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Session is one connection: what each side has lent the other, and three kinds of goroutines. The reader takes
// messages in their order, the writer sends what is queued, and each call of the peer that runs has its own. The
// reader never waits for the writer, or two peers that both write would hang.
type Session struct {
	transport transport
	limits    Limits
	main      *Stub

	ctx    context.Context // ends with the session
	cancel context.CancelFunc
	broken chan struct{} // closed once err is set

	mu      sync.Mutex
	err     error
	exports map[int64]*export
	imports map[int64]*imported
	// lastPush counts the peer's pushes, lastImport ours, lastExport downward what we pass by reference.
	lastPush, lastImport, lastExport int64
	calls                            int   // of the peer, that run or wait for their arguments
	held                             int64 // bytes of calls that are not released
	retired                          bool  // to end with the last of calls
	out                              queue
	// hurry closes the transport when the farewell, or what the writer was at before it, takes too long.
	hurry atomic.Pointer[time.Timer]

	loops sync.WaitGroup // reader, writer and pings
	runs  sync.WaitGroup // calls of the peer
}

// export is an object or the result of a call that we keep for the peer.
type export struct {
	id      int64
	promise *promise
	refs    int64
	pulled  bool
	// stream releases itself once it has been answered.
	stream bool
	// owns: stubs of the peer's in the value are given back with it.
	owns bool
	// dispose is told that the peer has given the object back; nil when nobody wants to know.
	dispose func()
	// cancel ends the context of the call behind it; nil before it runs, and when there is none.
	cancel context.CancelFunc
	// size is what it counts for in held, until it is released and its call is over.
	size               int64
	released, finished bool
}

// imported is an object or the result of a call that the peer keeps for us.
type imported struct {
	// introduced counts what a release has to give back, stubs those of ours that are not disposed of.
	introduced int64
	stubs      int
	// promise is set for the result of a call and for a promise of the peer.
	promise *promise
	// holder is whose value waits for the peer's promise, and counts what that comes to.
	holder *payload
}

// start begins a session over a transport.
func start(t transport, main Target, limits Limits) *Session {
	s := &Session{
		transport: t, limits: limits.resolve(),
		broken:  make(chan struct{}),
		exports: map[int64]*export{}, imports: map[int64]*imported{},
	}
	s.out.wake = make(chan struct{}, 1)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	var ours any = Undefined{}
	if main != nil {
		ours = main
	}
	s.exports[0] = &export{promise: resolved(ours), refs: 1, finished: true}
	if main == nil {
		s.exports[0].promise = rejected(newError("Error", "", "This connection has no main object."))
	}
	s.imports[0] = &imported{introduced: 1, stubs: 1}
	s.main = &Stub{session: s}
	s.loops.Go(s.read)
	s.loops.Go(s.write)
	s.loops.Go(s.ping)
	return s
}

// Main is the peer's main object. It needs no Dispose.
func (s *Session) Main() *Stub { return s.main }

// Broken is closed when the session has ended.
func (s *Session) Broken() <-chan struct{} { return s.broken }

// Context ends with the session.
func (s *Session) Context() context.Context { return s.ctx }

// Err is why the session ended; nil while it lives.
func (s *Session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Stats counts what the session holds.
type Stats struct {
	// Imports is what the peer keeps for us, Exports what we keep for the peer, the main objects included.
	Imports, Exports int
	// Calls is how many calls of the peer run.
	Calls int
	// Held is the bytes of the peer's calls that it has not released.
	Held int64
	// Queued is the bytes that wait to be written.
	Queued int64
}

// Stats counts what the session holds now.
func (s *Session) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stats{len(s.imports), len(s.exports), s.calls, s.held, s.out.bytes}
}

// errDisposed is the reason with which npm capnweb closes a session whose main stub is disposed of.
var errDisposed = errors.New("RPC session was shut down by disposing the main stub")

// End ends the session in the orderly way, without an abort. Wait says when it is over.
func (s *Session) End() {
	s.fail(errDisposed, farewell{code: closeDisposed, reason: errDisposed.Error()})
}

// Retire is End once none of the peer's calls runs.
func (s *Session) Retire() {
	s.mu.Lock()
	s.retired = true
	idle := s.calls == 0
	s.mu.Unlock()
	if idle {
		s.End()
	}
}

// Close is End and Wait.
func (s *Session) Close() {
	s.End()
	s.Wait()
}

// Abort ends the session with an error that the peer's calls fail with, after what is queued has been sent. Wait says
// when it is over.
func (s *Session) Abort(err error) {
	s.fail(err, farewell{abort: err, code: closeDisposed, reason: err.Error()})
}

// patience bounds the wait for calls that ignore the end of their context, as executor.Pool has it.
const patience = 10 * time.Second

// Wait returns when nothing of an ended session is left; it waits for calls of the peer that ignore the end of their
// context, but not for more than ten seconds.
func (s *Session) Wait() {
	s.loops.Wait()
	over := make(chan struct{})
	go func() { s.runs.Wait(); close(over) }() // outlives Wait only beside a call that does
	select {
	case <-over:
	case <-time.After(patience):
	}
}

// farewell is what is still sent at the end; the zero value is nothing.
type farewell struct {
	abort  error
	code   int
	reason string
}

// fail ends the session once: everything that waits for the peer gets err.
func (s *Session) fail(err error, last farewell) {
	s.mu.Lock()
	if s.err != nil {
		s.mu.Unlock()
		return
	}
	s.err = err
	imports, exports := s.imports, s.exports
	s.imports, s.exports = map[int64]*imported{}, map[int64]*export{}
	s.out.last = last
	s.mu.Unlock()
	for _, e := range exports {
		s.disposed(e)
	}
	s.hurry.Store(time.AfterFunc(s.limits.CloseTimeout, s.transport.close))
	s.cancel()
	close(s.broken)
	for _, i := range imports {
		if i.promise != nil {
			i.promise.settle(nil, err)
		}
	}
	for _, e := range exports {
		e.promise.settle(nil, err)
	}
}

// read takes the peer's messages until the session ends, and then waits for the end of the transport.
func (s *Session) read() {
	defer s.transport.drain()
	for {
		text, err := s.transport.read()
		if err != nil {
			s.readFailed(err)
			return
		}
		m, err := parseMessage(text)
		if err == nil {
			err = s.receive(m, len(text))
		}
		if err != nil {
			s.Abort(err)
			return
		}
		select {
		case <-s.broken:
			return
		default:
		}
	}
}

func (s *Session) readFailed(err error) {
	if abort := new(Error); errors.As(err, &abort) { // the transport found fault with what it read
		s.Abort(abort)
		return
	}
	s.fail(err, farewell{})
}

// receive acts on one message. An error ends the session.
func (s *Session) receive(m message, size int) error {
	switch m.kind {
	case "push", "stream":
		return s.push(m, size)
	case "pipe":
		return s.pipe()
	case "pull":
		return s.pull(m.id)
	case "release":
		return s.release(m.id, m.n)
	case "resolve":
		return s.settleImport(m, size, false)
	case "reject":
		return s.settleImport(m, size, true)
	}
	return s.aborted(m.expr)
}

// aborted ends the session with the peer's error; nothing more is sent.
func (s *Session) aborted(expr any) error {
	s.mu.Lock()
	value, err := s.evaluate(expr)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	s.fail(asError(value.value), farewell{code: closeDisposed, reason: "aborted"})
	return nil
}

// asError makes a Go error of a value the peer rejected or aborted with.
func asError(v any) error {
	if e, ok := v.(*Error); ok {
		return e
	}
	return Thrown{v}
}

// errLimit ends a session whose peer went over a limit.
func errLimit(format string, args ...any) error {
	return newError("Error", CodeLimit, "%s", fmt.Sprintf(format, args...))
}

func isLimit(err error) bool {
	limit := new(Error)
	return errors.As(err, &limit) && limit.Code() == CodeLimit
}
