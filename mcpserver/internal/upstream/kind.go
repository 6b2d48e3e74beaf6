package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
)

// ToolError is what a tool answered that calls its answer an error.
type ToolError struct {
	Text string
	// Data is the answer's structuredContent; nil when it had none.
	Data json.RawMessage
}

func (e *ToolError) Error() string { return e.Text }

// ErrorData is what programs find in the data of what they catch (protocol.DataError).
func (e *ToolError) ErrorData() json.RawMessage { return e.Data }

// timedOut is a call that its server did not answer within the bound of its entry.
type timedOut struct{ text string }

func (e *timedOut) Error() string { return e.text }

// Is makes it a kind of context.DeadlineExceeded.
func (e *timedOut) Is(target error) bool { return target == context.DeadlineExceeded }

// Kind is what a call failed with, in one word: tool_error, the code of a JSON-RPC error, timeout, canceled, lost when the
// server ended before it answered, or unavailable when nothing was sent.
func Kind(err error) string {
	var rpc *RPCError
	switch {
	case errors.As(err, new(*ToolError)):
		return "tool_error"
	case errors.As(err, &rpc):
		return strconv.Itoa(rpc.Code)
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.As(err, new(*lostAnswer)):
		return "lost"
	}
	return "unavailable"
}
