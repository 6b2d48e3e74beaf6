package executor

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/codemode-go/codemode/executor/internal/wire"
	"github.com/codemode-go/codemode/protocol"
)

// callBook is a run's account of what its program asked of the host: tool calls, which the ledger lists, and outbound
// requests, which it does not. The run's mutex guards it.
type callBook struct {
	ledger     []protocol.Call
	dispatched int64
	inFlight   map[string]*call
	order      int             // of the last one
	held       int64           // bytes of arguments in flight
	left       []*call         // in flight when the run ended
	last       <-chan struct{} // closed when the call before has set off
	quick      map[string]bool // the tools that answered at once the last time

	ctx         context.Context // of every tool call
	stop        context.CancelCauseFunc
	free        func() bool     // unhooks ctx from the pool
	requests    context.Context // of every outbound request: ends with the run, too
	endRequests context.CancelFunc
}

// call is one call or request in flight.
type call struct {
	id, name string
	entry    int // in the ledger; -1 for an outbound request
	order    int
	size     int64
	waits    bool // it stops the run clock
	standing bool // it does now
	outbound *outbound

	detour *detour         // of a call on the reader's goroutine
	began  time.Time       // when its function did
	before <-chan struct{} // closed when the call before has set off
	after  chan struct{}   // closed when this one has
	taken  chan struct{}   // closed when a function has it, or it is over
	once   sync.Once
}

func (c *call) admit() { c.once.Do(func() { close(c.taken) }) }

// nameBytes bounds a name in the ledger.
const nameBytes = 256

// call takes a Call frame: a tool call of the program.
func (r *run) call(frame wire.Frame) error {
	if len(frame.Fields) != 4 {
		return fmt.Errorf("%w: %d fields of a call", errMalformed, len(frame.Fields))
	}
	provider, tool := string(frame.Fields[1]), string(frame.Fields[2])
	c, err := r.accept(frame, protocol.Call{Provider: clip(provider, nameBytes), Tool: clip(tool, nameBytes)}, true)
	if c == nil {
		return err
	}
	arguments := string(frame.Fields[3])
	serve := func() { r.serve(c, func(ctx context.Context) { r.dispatch(ctx, c, provider, tool, arguments) }) }
	if c.detour == nil {
		r.pool.goCall(serve)
		return nil
	}
	return r.worker.inline(c.detour, func() {
		defer r.pool.uncountCall()
		serve()
	})
}

// accept books a call or request, or ends the run when the worker let one through that it should have turned down. A
// call that arrives when the run was given up is refused: nil, nil.
func (r *run) accept(frame wire.Frame, line protocol.Call, waits bool) (*call, error) {
	id := string(frame.Fields[0])
	if _, err := strconv.ParseUint(id, 10, 64); err != nil {
		return nil, fmt.Errorf("%w: a call with id %.20q", errMalformed, id)
	}
	c := &call{id: id, entry: -1, waits: waits, after: make(chan struct{}), taken: make(chan struct{})}
	for _, field := range frame.Fields[1:] {
		c.size += int64(len(field))
	}
	isTool := frame.Kind == wire.Call
	c.name = line.Tool
	if isTool {
		c.name = line.Provider + "." + line.Tool
	}
	booked, failure, err := r.book(c, line, isTool)
	switch {
	case err != nil:
		return nil, err
	case failure != nil:
		r.giveUp(failure)
		return nil, errGivenUp
	case !booked:
		return nil, nil
	}
	r.stand(c, true)
	return c, nil
}

// book enters a call, unless the run was given up, or the call is over a limit.
func (r *run) book(c *call, line protocol.Call, isTool bool) (booked bool, failure *protocol.Failure, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b, limits := &r.calls, r.plan.limits
	line.Start = time.Since(r.started)
	if r.reason != nil {
		if isTool && int64(len(b.ledger)) < limits.ToolCalls {
			line.Outcome = protocol.CallRefused
			b.ledger = append(b.ledger, line)
		}
		return false, nil, nil
	}
	if b.inFlight[c.id] != nil {
		return false, nil, fmt.Errorf("%w: two calls with id %s", errMalformed, c.id)
	}
	if failure := b.overLimit(c, limits, isTool); failure != nil {
		return false, failure, nil
	}
	if b.ctx == nil {
		b.open(r)
	}
	if isTool {
		b.dispatched++
		c.entry = len(b.ledger)
		b.ledger = append(b.ledger, line)
	}
	b.held += c.size
	b.inFlight[c.id] = c
	b.order++
	c.order = b.order
	c.before, b.last = b.last, c.after
	if isTool && b.quick[c.name] {
		r.pool.countCall() // before this goroutine may be relieved: Close waits for the reader and for calls
		c.detour = &detour{time.Now()}
		r.worker.detour.Store(c.detour) // under the lock: a run that is given up finds it, or refuses the call
	}
	return true, nil, nil
}

// overLimit is the failure of a run whose worker let a call through that it should have turned down.
func (b *callBook) overLimit(c *call, limits protocol.Limits, isTool bool) *protocol.Failure {
	switch {
	case isTool && b.dispatched >= limits.ToolCalls:
		return limitFailure("toolCalls", limits.ToolCalls, "The program made too many tool calls")
	case int64(len(b.inFlight)) >= limits.CallsInFlight:
		return limitFailure("callsInFlight", limits.CallsInFlight, "The program has too many calls in flight at one time")
	case c.size > limits.ArgumentBytes+nameBytes:
		return limitFailure("argumentBytes", limits.ArgumentBytes, "The arguments of a call have %d bytes, too many", c.size)
	case b.held+c.size > limits.Memory:
		return memoryFailure(limits.Memory)
	}
	return nil
}

// open makes the contexts of the run's calls. They end when the run is given up or the pool closes, not with the
// caller's: a tool call that was left behind at a normal end runs on.
func (b *callBook) open(r *run) {
	b.inFlight = make(map[string]*call)
	b.quick = make(map[string]bool)
	b.ctx, b.stop = context.WithCancelCause(protocol.WithoutHurry(protocol.WithClock(context.WithoutCancel(r.caller), r.holdClocks)))
	b.free = context.AfterFunc(r.pool.lifetime, func() { b.stop(errClosed) })
	b.requests, b.endRequests = context.WithCancel(b.ctx)
	first := make(chan struct{})
	close(first)
	b.last = first
}

// holdClocks stops the run's clock, and that of the run whose call waits for this one, where the caller is one.
func (r *run) holdClocks() (release func()) {
	ours, callers := r.clock.hold(), protocol.HoldClock(r.caller)
	return func() {
		callers()
		ours()
	}
}

// serve runs one call on the goroutine that it has. Calls set off in the order in which the program made them.
func (r *run) serve(c *call, perform func(context.Context)) {
	<-c.before
	close(c.after)
	c.began = time.Now()
	perform(protocol.WithAdmission(r.calls.ctx, c.admit))
	c.admit()
}

// dispatch performs a tool call and answers it, also when its function ends the goroutine.
func (r *run) dispatch(ctx context.Context, c *call, provider, tool, arguments string) {
	var text string
	answered := false
	defer func() {
		if !answered {
			text = protocol.ErrorEnvelope(fmt.Sprintf("tool %q ended without an answer", clip(tool, nameBytes))).Text()
		}
		r.answer(c, bytesOf(text))
	}()
	text = r.ask(ctx, provider, tool, arguments)
	answered = true
}

// bytesOf is a text's bytes in place, for those who only read them.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// answer gives the program the envelope of a call.
func (r *run) answer(c *call, text []byte) {
	outcome, problem := judge(text)
	if most := r.plan.limits.ToolResultBytes; int64(len(text)) > most {
		outcome, problem = protocol.CallFailed,
			fmt.Sprintf("The result of %s has %d bytes, too many (limit toolResultBytes: %d). Ask for less at a time.", c.name, len(text), most)
	}
	if problem != "" {
		text = []byte(protocol.ErrorEnvelope(problem).Text())
	}
	if r.finished(c, outcome) {
		r.worker.send(r, wire.Answer, []byte(c.id), text)
	}
}

// judge tells what an envelope says of its call, or what is wrong with it.
func judge(text []byte) (outcome protocol.CallOutcome, problem string) {
	// What a dispatch usually answers needs no second look.
	if bytes.HasPrefix(text, []byte(`{"result":`)) && !bytes.Contains(text, []byte(`"error"`)) && protocol.ValidJSON(text) {
		return protocol.CallCompleted, ""
	}
	envelope, err := protocol.ParseEnvelope(string(text))
	switch {
	case err != nil:
		return protocol.CallFailed, err.Error()
	case envelope.Error != nil:
		return protocol.CallFailed, ""
	}
	return protocol.CallCompleted, ""
}

// ask gets the envelope of a call from the request's dispatch. A dispatch that panics fails its own call alone.
func (r *run) ask(ctx context.Context, provider, tool, arguments string) (text string) {
	dispatch := r.plan.request.Dispatch
	if dispatch == nil {
		return protocol.ErrorEnvelope((&protocol.ToolNotFoundError{Tool: tool}).Error()).Text()
	}
	defer func() {
		if p := recover(); p != nil {
			text = protocol.ErrorEnvelope(fmt.Sprintf("tool %q panicked: %v", clip(tool, nameBytes), p)).Text()
		}
	}()
	text, err := dispatch(ctx, provider, tool, arguments)
	if err != nil {
		return protocol.ErrorEnvelope(err.Error()).Text()
	}
	return text
}

// stand stops the run clock for a call that the program waits for, or lets it run on. A call that is over does not stop it any
// more: a pull may come just then, and whoever sends a body may read it later still.
func (r *run) stand(c *call, still bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls.inFlight[c.id] == c {
		r.setStanding(c, still)
	}
}

// setStanding is stand for who holds r.mu.
func (r *run) setStanding(c *call, still bool) {
	switch {
	case !c.waits || c.standing == still:
		return
	case still:
		r.clock.wait()
	default:
		r.clock.resume()
	}
	c.standing = still
}

// finished books the end of a call, and reports whether the run still wants the answer.
func (r *run) finished(c *call, outcome protocol.CallOutcome) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := &r.calls
	r.setStanding(c, false)
	delete(b.inFlight, c.id)
	if r.over {
		b.settle()
		return false
	}
	b.held -= c.size
	if r.reason != nil {
		outcome = protocol.CallAbandoned
	}
	if c.entry >= 0 {
		b.quick[c.name] = time.Since(c.began) < r.pool.atOnce
		line := &b.ledger[c.entry]
		line.Duration, line.Outcome, line.Unheard = time.Since(r.started)-line.Start, outcome, outcome == protocol.CallAbandoned
	}
	return r.reason == nil
}

// abandon closes the book at the run's end.
func (b *callBook) abandon(wall time.Duration) {
	for _, c := range b.sorted() {
		b.left = append(b.left, c)
		if c.entry >= 0 {
			line := &b.ledger[c.entry]
			line.Duration, line.Outcome, line.Unheard = wall-line.Start, protocol.CallAbandoned, true
		}
	}
	b.held = 0
	b.settle()
}

// settle frees the calls' context once the run is over and none is left.
func (b *callBook) settle() {
	if b.ctx != nil && len(b.inFlight) == 0 {
		b.free()
		b.stop(context.Canceled)
	}
}

func (b *callBook) cancel(cause error) {
	if b.ctx != nil {
		b.stop(cause)
	}
}

// unheard takes the worker's word for the calls, by their places, whose answer came too late for the program, though it may have
// been sent before the end was known here; false when there are no such calls.
func (b *callBook) unheard(places []int) bool {
	for _, i := range places {
		if i < 0 || i >= len(b.ledger) {
			return false
		}
		b.ledger[i].Unheard = true
	}
	return true
}

// refuse enters the calls that the worker turned down by itself.
func (b *callBook) refuse(names []string, at time.Duration) {
	const most = 1000
	for _, name := range names[:min(len(names), most)] {
		provider, tool := splitName(name)
		b.ledger = append(b.ledger, protocol.Call{Provider: provider, Tool: tool, Start: at, Outcome: protocol.CallRefused})
	}
}

// pending names the calls in flight, oldest first.
func (b *callBook) pending() []string {
	var names []string
	for _, c := range b.sorted() {
		names = append(names, c.name)
	}
	return names
}

func (b *callBook) sorted() []*call {
	var calls []*call
	for _, c := range b.inFlight {
		calls = append(calls, c)
	}
	slices.SortFunc(calls, func(a, b *call) int { return a.order - b.order })
	return calls
}

// held is the bytes of arguments that the host holds for the program.
func (r *run) held() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls.held
}

// awaitAdmissions holds the result back until the calls that the program left behind have reached their functions. Its
// outbound requests end then.
func (r *run) awaitAdmissions() {
	if len(r.calls.left) == 0 {
		return
	}
	defer r.calls.endRequests()
	timer := time.NewTimer(admissionGrace)
	defer timer.Stop()
	for _, c := range r.calls.left {
		select {
		case <-c.taken:
		case <-timer.C:
			return
		}
	}
}

// splitName takes "provider.tool" apart. A provider's name has no dot.
func splitName(name string) (provider, tool string) {
	provider, tool, _ = strings.Cut(clip(name, 2*nameBytes), ".")
	return provider, tool
}
