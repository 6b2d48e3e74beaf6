//go:build cgo && (linux || darwin)

package worker

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// retain keeps the sandbox of a run that granted handles, and serves calls on them until the pool ends the process, or
// one ends badly. Between them nothing of the program runs.
func (s *sandbox) retain() error {
	invoke, err := s.host.Get("invoke")
	if err != nil {
		return err
	}
	s.entries["invoke"] = invoke
	for kept := true; kept; {
		frame, err := s.worker.reader.Read()
		if err != nil {
			return err
		}
		switch frame.Kind {
		case wire.Invoke:
			if kept, err = s.invoke(frame); err != nil {
				return err
			}
		case wire.Answer, wire.Fetched: // to a call of the last run
		default:
			return fmt.Errorf("a frame of kind %d where a call on a handle was expected", frame.Kind)
		}
	}
	return nil
}

// invoke calls the function of a handle, as a run of its own. It reports whether the sandbox is still good.
func (s *sandbox) invoke(frame wire.Frame) (kept bool, err error) {
	before := s.run
	r := &run{box: s, header: before.header, program: before.program, invoked: true, before: before.done.Handles, start: time.Now(), cpu: threadTime()}
	if len(frame.Fields) != 2 {
		return false, fmt.Errorf("an Invoke of %d fields", len(frame.Fields))
	}
	var header wire.InvokeHeader
	if err := json.Unmarshal(frame.Fields[0], &header); err != nil {
		return false, fmt.Errorf("the header of an Invoke: %w", err)
	}
	s.run = r
	s.worker.control.begin(s.isolate, s.worker.pipes)
	defer s.worker.control.end()
	if err := s.call("invoke", s.isolate.Number(float64(header.Handle)), s.isolate.String(textOf(frame.Fields[1]))); err != nil {
		r.broken(err)
	}
	if err := r.conclude(); err != nil {
		return false, err
	}
	return r.done.Handles > 0, nil
}
