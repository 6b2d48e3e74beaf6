//go:build cgo && (linux || darwin)

package worker

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/codemode-go/codemode/executor/internal/v8"
	"github.com/codemode-go/codemode/executor/internal/wire"
)

// run is one program in its sandbox.
type run struct {
	box     *sandbox
	header  wire.RunHeader
	program *program
	start   time.Time
	cpu     time.Duration
	logs    logs
	calls   calls
	done    wire.DoneHeader
	value   []byte
	settled bool
	invoked bool  // it is a call on a handle
	before  int64 // how many handles there were before it
	err     error // of the pipe to the pool
}

// execute runs the program of a Run frame and answers Done. An error is the end of the worker.
func (s *sandbox) execute(frame wire.Frame) error {
	r := &run{box: s, start: time.Now(), cpu: threadTime()}
	if len(frame.Fields) != 3 {
		return fmt.Errorf("a Run of %d fields", len(frame.Fields))
	}
	if err := json.Unmarshal(frame.Fields[0], &r.header); err != nil {
		return fmt.Errorf("the header of a Run: %w", err)
	}
	modules := map[string]string{}
	if len(frame.Fields[2]) > 0 {
		if err := json.Unmarshal(frame.Fields[2], &modules); err != nil {
			return fmt.Errorf("the modules of a Run: %w", err)
		}
	}
	s.run = r
	s.worker.control.begin(s.isolate, s.worker.pipes)
	defer s.worker.control.end()
	if err := r.begin(textOf(frame.Fields[1]), modules, frame.Fields[0]); err != nil {
		r.broken(err)
	}
	if err := r.conclude(); err != nil || r.done.Handles == 0 {
		return err
	}
	return s.retain()
}

// conclude waits for the program's end and answers Done.
func (r *run) conclude() error {
	if err := r.loop(); err != nil {
		return err
	}
	return r.finish()
}

// begin compiles the program and starts it.
func (r *run) begin(source string, modules map[string]string, header []byte) error {
	s := r.box
	program, failure := compile(s, r.header.Providers, source, modules)
	if failure != nil {
		r.fail(*failure)
		return nil
	}
	r.program = program
	for _, provider := range r.header.Providers {
		replacement, failure := proxySource(s.isolate, provider)
		if failure != nil {
			r.fail(*failure)
			return nil
		}
		if err := s.call("provide", s.isolate.String(provider.Name), replacement); err != nil {
			return err
		}
	}
	return s.call("start", program.make, s.isolate.String(textOf(header)), s.isolate.Number(float64(s.worker.lastID)))
}

// loop gives the program what it waits for until it has settled: answers, then timers, one callback a turn.
func (r *run) loop() error {
	s := r.box
	for !r.settled && r.err == nil {
		if s.worker.control.isTerminated() {
			r.fail(wire.Failure{Kind: "terminated", Message: "the program was terminated"})
			break
		}
		due := s.get(stateDue)
		idle := math.IsInf(due, 1)
		wait := -1
		if !idle {
			wait = max(0, int(math.Ceil(due-s.now())))
		}
		if idle && s.get(statePending) == 0 {
			r.stalled()
			break
		}
		if wait != 0 {
			if err := r.flush(); err != nil {
				return err
			}
		}
		ready, err := s.worker.pipes.wait(s.worker.reader, wait)
		if err != nil {
			return err
		}
		if ready {
			if err := r.receive(); err != nil {
				return err
			}
		}
		if !r.settled && s.get(stateDue) <= s.now() {
			if err := s.call("fire"); err != nil {
				r.broken(err)
			}
		}
	}
	return r.err
}

// receive hands one answer to the program.
func (r *run) receive() error {
	s := r.box
	frame, err := s.worker.reader.Read()
	if err != nil {
		return err
	}
	switch {
	case frame.Kind == wire.Answer && len(frame.Fields) == 2:
		id, err := strconv.ParseInt(string(frame.Fields[0]), 10, 64)
		if err != nil {
			return err
		}
		text := v8.Value{} // fromGo of 10_host.js asks for it
		if s.incoming = frame.Fields[1]; len(s.incoming) < longText {
			text = s.isolate.String(textOf(s.incoming))
		}
		r.calls.answered(id)
		s.set(stateID, float64(id))
		err = s.call("answer", text)
		if err != nil {
			r.broken(err)
		}
	case frame.Kind == wire.Fetched && len(frame.Fields) == 3:
		id, err := strconv.ParseInt(string(frame.Fields[0]), 10, 64)
		if err != nil {
			return err
		}
		s.leave(frame.Fields[2])
		err = s.call("fetched", s.isolate.Number(float64(id)), s.isolate.String(textOf(frame.Fields[1])))
		if err != nil {
			r.broken(err)
		}
	default:
		return fmt.Errorf("a frame of kind %d with %d fields during a run", frame.Kind, len(frame.Fields))
	}
	return nil
}

// longText is how long a text is, in bytes, that crosses by the engine's extras, and that memory is kept for.
const longText = 1 << 16

// settle takes what 60_run.js made of the program.
func (r *run) settle(kind string, text []byte, refused string, granted int64, unhandled, valueKind string) {
	if r.settled {
		return
	}
	r.settled = true
	r.done.Unhandled, r.done.ValueKind = r.rejections(unhandled), valueKind
	if err := json.Unmarshal([]byte(refused), &r.done.Refused); err != nil {
		r.done.Refused = nil
	}
	if r.header.Retain && (r.invoked || kind != "failure") {
		r.done.Handles = granted
	}
	switch {
	case kind == "failure":
		failure := r.program.failure(textOf(text))
		r.done.Failure = &failure
	case kind == "undefined":
		r.done.Undefined = true
	case int64(len(text)) > r.header.ResultBytes:
		failure := resultTooLarge(r.header.ResultBytes)
		r.done.Failure = &failure
		if !r.invoked {
			r.done.Handles = 0
		}
	default:
		r.value = text
		r.box.worker.long = nil // it may be that, and what is kept may send more
	}
}

func (r *run) fail(failure wire.Failure) {
	r.settled = true
	r.done.Failure = &failure
}

// broken is a script that did not return. When nobody asked for its end, it was the engine, at the limit of the heap.
func (r *run) broken(err error) {
	switch {
	case r.settled:
	case r.box.worker.control.isTerminated():
		r.fail(wire.Failure{Kind: "terminated", Message: "the program was terminated"})
	case r.outgrown():
		r.fail(outOfMemory())
	default:
		r.fail(wire.Failure{Kind: "crashed", Message: "the worker's own script failed: " + err.Error()})
	}
}

// stalled is a program that waits for nothing that could come, or one whose turn the engine cut short at the limit of
// the heap.
func (r *run) stalled() {
	if r.outgrown() {
		r.fail(outOfMemory())
		return
	}
	r.done.Handles = r.before // nothing of it runs any more
	r.done.Unhandled = r.untaken()
	r.fail(wire.Failure{Kind: "stalled", Message: "the program waits for a promise that nothing can settle any more: no tool call, request or timer is pending"})
}

// outgrown reports whether the heap has reached its limit: the engine doubles it then.
func (r *run) outgrown() bool { return r.box.isolate.HeapLimit() > r.box.heapLimit }

func outOfMemory() wire.Failure {
	return wire.Failure{Kind: "memory", Message: "the program needs more memory than it may have"}
}

func resultTooLarge(limit int64) wire.Failure {
	return wire.Failure{Kind: "limit", Limit: "resultBytes", LimitValue: limit, Message: fmt.Sprintf("the result is too large: at most %d bytes of JSON", limit)}
}

// flush sends everything that the program has said so far.
func (r *run) flush() error {
	r.logs.write(r)
	if r.err != nil {
		return r.err
	}
	return r.box.worker.writer.Flush()
}

// finish answers Done.
func (r *run) finish() error {
	r.logs.write(r)
	r.done.WallMicros = time.Since(r.start).Microseconds()
	r.done.CPUMicros = (threadTime() - r.cpu).Microseconds()
	r.done.Unheard = r.calls.unheard()
	header, err := json.Marshal(r.done)
	if err != nil {
		return err
	}
	r.write(wire.Done, header, r.value)
	if len(r.value) >= longText {
		r.box.worker.long = r.value
	}
	err = r.flush()
	// The kernel takes who writes to a pipe for one that is about to sleep, and may put the reader behind it on this processor;
	// the making of the next isolate would come first.
	yield()
	return err
}
