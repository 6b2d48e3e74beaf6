package executor

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/codemode-go/codemode/executor/internal/wire"
	"github.com/codemode-go/codemode/protocol"
)

// kindTerminated is a worker's answer to Terminate; every other kind it may report is one of the contract.
const kindTerminated = "terminated"

// failure reads a worker's account of a program's failure. The texts are the program's, so their size is the only
// thing that is bounded.
func (r *run) failure(f *wire.Failure) (*protocol.Failure, error) {
	kind := protocol.FailureKind(f.Kind)
	switch kind {
	case protocol.FailureSyntax, protocol.FailureThrown, protocol.FailureStalled, protocol.FailureStack,
		protocol.FailureLimit, protocol.FailureMemory, protocol.FailureCrashed:
	default:
		return nil, fmt.Errorf("%w: a failure of kind %q", errMalformed, f.Kind)
	}
	const leastText = 64 << 10 // so that a tight limit leaves its own message whole
	most := max(r.plan.limits.ResultBytes, leastText)
	out := &protocol.Failure{
		Kind: kind, Name: clip(f.Name, 256), Message: clip(f.Message, most), Stack: clip(f.Stack, most),
		Limit: clip(f.Limit, 256), LimitValue: f.LimitValue,
	}
	if f.Line > 0 {
		out.Position = &protocol.Position{File: f.File, Line: f.Line, Column: f.Column}
	}
	const mostCauses, longestCause = 10, 16 << 10
	for _, cause := range f.Causes[:min(len(f.Causes), mostCauses)] {
		out.Causes = append(out.Causes, clip(cause, longestCause))
	}
	if f.Thrown != "" && int64(len(f.Thrown)) <= most {
		if !json.Valid([]byte(f.Thrown)) {
			return nil, fmt.Errorf("%w: a thrown value that is no JSON", errMalformed)
		}
		out.Thrown = json.RawMessage(f.Thrown)
	}
	return out, nil
}

// unhandled reads a worker's account of promises that nobody took.
func unhandled(list []wire.Rejection) []protocol.Rejection {
	const most, longest = 10, 16 << 10
	var out []protocol.Rejection
	for _, one := range list[:min(len(list), most)] {
		rejection := protocol.Rejection{Name: clip(one.Name, 256), Message: clip(one.Message, longest), Call: clip(one.Call, 600)}
		if one.Line > 0 {
			rejection.Position = &protocol.Position{File: one.File, Line: one.Line, Column: one.Column}
		}
		out = append(out, rejection)
	}
	return out
}

// lossFailure is the failure of a run whose worker died under it.
func (r *run) lossFailure(e exit) *protocol.Failure {
	if e.killed == closedMessage { // before it was this worker's run
		return canceledFailure(closedMessage)
	}
	if r.outOfMemory(e) {
		return memoryFailure(r.plan.limits.Memory)
	}
	how := e.describe()
	switch {
	case e.killed != "":
		how = e.killed
	case isMalformed(e.cause):
		how = e.cause.Error()
	}
	return &protocol.Failure{Kind: protocol.FailureCrashed, Message: fmt.Sprintf("The worker process was lost while the program ran: %s.", how)}
}

func isMalformed(err error) bool {
	return errors.Is(err, errMalformed) || errors.Is(err, wire.ErrMalformed)
}
