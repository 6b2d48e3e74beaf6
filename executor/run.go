package executor

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codemode-go/codemode/executor/internal/wire"
	"github.com/codemode-go/codemode/protocol"
)

// run is one program in one worker. Three goroutines meet in it: Execute supervises, the process's reader brings
// frames and the end, and each call has its own, or for a moment the reader's.
type run struct {
	pool     *Pool
	worker   *process
	plan     *plan
	caller   context.Context
	started  time.Time
	baseline sample
	clock    runClock
	peak     int64         // of memory; only supervise has it until the end
	reached  atomic.Int64  // the most of memory or data that was seen
	ended    chan struct{} // closed when the worker is done with the run, or gone
	// granted is the number of handles that the run's isolate has given out; executionID is set when it is kept. The
	// process's reader writes them before it closes ended.
	granted     int64
	executionID string

	mu     sync.Mutex
	over   bool // no later than ended
	reason *protocol.Failure
	logs   logBook
	calls  callBook
	finish finish
}

// finish is how a run ended: with a Done frame, or with its worker.
type finish struct {
	failure   *protocol.Failure // of the program
	value     json.RawMessage
	valueKind string
	unhandled []protocol.Rejection
	lost      *exit
	pending   []string // when it was lost
	usage     protocol.Usage
}

const (
	// terminateGrace is how long a worker has to stop its JavaScript before it is killed. The engine usually needs
	// well under a millisecond; only a thrashing heap and native loops need the kill.
	terminateGrace = 250 * time.Millisecond
	// admissionGrace bounds how long a result is held back until the calls that the program left behind have reached
	// their functions. It is only used up by a dispatch that neither answers nor says that it took a call on.
	admissionGrace = 100 * time.Millisecond
	// A run is looked at every few milliseconds while it computes, in which a program can fill some ten megabytes, and
	// less often while it does nothing.
	minLook, maxLook = 5 * time.Millisecond, 20 * time.Millisecond
)

func newRun(ctx context.Context, p *Pool, w *process, made *plan) *run {
	r := &run{pool: p, worker: w, plan: made, caller: ctx, baseline: w.baseline, ended: make(chan struct{})}
	r.clock.wall = made.request.CountHostWaits
	r.logs.limits = made.limits
	return r
}

// supervise watches the run from outside its JavaScript thread until it is over.
func (r *run) supervise() {
	look := minLook
	timer := time.NewTimer(min(look, r.plan.timeout))
	defer timer.Stop()
	var before sample
	for {
		select {
		case <-r.ended:
			if r.reason == nil && r.finish.lost == nil {
				r.awaitAdmissions()
			}
			return
		case <-r.caller.Done():
			r.stop(canceledFailure(fmt.Sprintf("The caller ended the run: %v.", context.Cause(r.caller))))
			return
		case <-timer.C:
		}
		r.worker.attend()
		now, remaining, failure := r.look()
		if failure != nil {
			r.stop(failure)
			return
		}
		if look = minLook; now == before {
			look = maxLook
		}
		before = now
		timer.Reset(max(min(look, remaining), time.Millisecond))
	}
}

// look samples the worker and reads the clocks. It returns what is left of the timeout, and the limit that was reached.
func (r *run) look() (now sample, remaining time.Duration, failure *protocol.Failure) {
	now, err := r.worker.sampler.read()
	if err == nil {
		now.memory -= r.baseline.memory
		now.data -= r.baseline.data
		now.cpu -= r.baseline.cpu
		r.peak = max(r.peak, now.memory)
		r.reached.Store(max(r.reached.Load(), now.memory, now.data))
	}
	limits, moment := r.plan.limits, time.Now()
	elapsed, standing := r.clock.read(moment, now.cpu)
	wall := moment.Sub(r.started)
	switch {
	case now.memory+r.held() > limits.Memory:
		return now, 0, memoryFailure(limits.Memory)
	case elapsed >= r.plan.timeout:
		return now, 0, r.timeoutFailure()
	case now.cpu >= limits.CPU:
		return now, 0, limitFailure("cpu", limits.CPU.Milliseconds(), "The program used up its %d ms of processor time. Compute less per run", limits.CPU.Milliseconds())
	case wall >= r.plan.maxWall:
		return now, 0, limitFailure("wall", r.plan.maxWall.Milliseconds(), "The run did not end within %d ms, calls included", r.plan.maxWall.Milliseconds())
	}
	remaining = r.plan.maxWall - wall
	if !standing {
		remaining = min(remaining, r.plan.timeout-elapsed)
	}
	return now, remaining, nil
}

func (r *run) timeoutFailure() *protocol.Failure {
	message := (&protocol.ExecutionTimeoutError{Timeout: r.plan.timeout}).Error()
	return &protocol.Failure{Kind: protocol.FailureTimeout, Message: message, Limit: "timeout", LimitValue: r.plan.timeout.Milliseconds()}
}

// stop gives the run up: the worker is asked to stop its JavaScript, and killed if it does not. For memory it is killed
// at once, since an engine that thrashes does not listen.
func (r *run) stop(failure *protocol.Failure) {
	if r.giveUp(failure) {
		if failure.Kind == protocol.FailureMemory {
			r.worker.kill("memory")
		} else {
			r.worker.terminate()
		}
	}
	r.worker.relieve(r.worker.detour.Load())
	grace := time.NewTimer(terminateGrace)
	defer grace.Stop()
	select {
	case <-r.ended:
	case <-grace.C:
		r.worker.kill("it did not stop its program")
		<-r.ended
	}
}

// giveUp settles that the run fails for a reason of ours, and ends the contexts of its calls. It reports false when the
// run is over or was given up before.
func (r *run) giveUp(failure *protocol.Failure) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || r.reason != nil {
		return false
	}
	failure.Pending = r.calls.pending()
	r.reason = failure
	r.calls.cancel(errGivenUp)
	return true
}

// done takes the worker's report of the end. The worker is not reusable when a Terminate may still be on its way.
func (r *run) done(frame wire.Frame) (reusable bool, err error) {
	var header wire.DoneHeader
	if err := decodeHeader(frame, 2, &header); err != nil {
		return false, err
	}
	if err := r.checkGrant(header); err != nil {
		return false, err
	}
	terminated := header.Failure != nil && header.Failure.Kind == kindTerminated
	value := frame.Fields[1]
	var failure *protocol.Failure
	switch {
	case terminated:
	case header.Failure != nil && r.outgrown(header.Failure):
		r.giveUp(memoryFailure(r.plan.limits.Memory))
		return false, errGivenUp
	case header.Failure != nil:
		if failure, err = r.failure(header.Failure); err != nil {
			return false, err
		}
	case int64(len(value)) > r.plan.limits.ResultBytes:
		r.giveUp(limitFailure("resultBytes", r.plan.limits.ResultBytes, "The program's value has %d bytes, too many", len(value)))
		return false, errGivenUp
	case !header.Undefined && !protocol.ValidJSON(value):
		return false, fmt.Errorf("%w: a value that is no JSON", errMalformed)
	}
	if header.Undefined || header.Failure != nil {
		value = nil
	}
	end := finish{failure: failure, value: value, valueKind: clip(header.ValueKind, 16), unhandled: unhandled(header.Unhandled)}
	return r.close(end, terminated, header)
}

func (r *run) close(end finish, terminated bool, header wire.DoneHeader) (reusable bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if terminated && r.reason == nil {
		return false, fmt.Errorf("%w: it stopped a program unasked", errMalformed)
	}
	end.usage = r.usage(r.worker.sampler.cpu(), time.Duration(header.CPUMicros)*time.Microsecond)
	if !r.calls.unheard(header.Unheard) {
		return false, fmt.Errorf("%w: it had no answer of calls that it never made", errMalformed)
	}
	r.calls.refuse(header.Refused, end.usage.Wall)
	r.granted = header.Handles
	r.settle(end)
	broken := end.failure != nil && end.failure.Kind == protocol.FailureCrashed // the worker's own account of itself
	return terminated == (r.reason != nil) && !broken, nil
}

// crashed takes note that the worker is gone.
func (r *run) crashed(e exit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	end := finish{lost: &e, pending: r.calls.pending()}
	var cpu time.Duration
	if e.status != nil {
		cpu = e.status.UserTime() + e.status.SystemTime()
	}
	end.usage = r.usage(cpu, cpu)
	r.calls.cancel(errGivenUp)
	r.settle(end)
}

// settle marks the run as over; whoever reported the end closes r.ended next. The caller holds r.mu.
func (r *run) settle(end finish) {
	r.over = true
	r.finish = end
	r.calls.abandon(end.usage.Wall)
}

// usage measures the run at its end. cpu is that of the worker since its birth, and fallback that of the program where
// the former is not known.
func (r *run) usage(cpu, fallback time.Duration) protocol.Usage {
	now := time.Now()
	used := fallback
	if r.baseline.cpu > 0 {
		used = max(0, cpu-r.baseline.cpu)
	}
	onClock, _ := r.clock.read(now, used)
	return protocol.Usage{Wall: now.Sub(r.started), Run: onClock, CPU: used, ToolCalls: int(r.calls.dispatched)}
}

// result is the outcome of a run that is over.
func (r *run) result() *protocol.ExecuteResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	end := r.finish
	result := &protocol.ExecuteResult{
		Value: end.value, ValueKind: end.valueKind, Failure: end.failure, Logs: r.logs.lines, ExecutionID: r.executionID,
		Usage: end.usage, Calls: r.calls.ledger, Unhandled: end.unhandled,
	}
	result.Usage.PeakMemory = r.peak
	switch {
	case r.reason != nil:
		result.Value, result.ValueKind, result.Failure = nil, "", r.reason
	case end.lost != nil:
		result.Failure = r.lossFailure(*end.lost)
		result.Failure.Pending = end.pending
	}
	return result
}
