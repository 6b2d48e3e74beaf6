package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
)

// Envelope is the answer to one tool call: a result, an error, or neither for undefined.
type Envelope struct {
	// Result is the value in the encoding of values.go; nil is undefined.
	Result json.RawMessage `json:"result,omitempty"`
	// Error is the message of the Error that the program sees thrown; nil when there is none. An empty message is
	// still an error.
	Error *string `json:"error,omitempty"`
	// Data is what that Error has as its member data, in the encoding of values.go; nil when it has none.
	Data json.RawMessage `json:"data,omitempty"`
}

// DataError is an error of a tool with more to say than its text: the program finds it in the member data of what it
// catches.
type DataError interface {
	error
	// ErrorData is JSON, or nil.
	ErrorData() json.RawMessage
}

// ParseEnvelope reads an envelope's JSON text.
func ParseEnvelope(text string) (Envelope, error) {
	var e Envelope
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return Envelope{}, fmt.Errorf("the dispatch answered no envelope: %w", err)
	}
	return e, nil
}

// Text renders the envelope as the JSON text that crosses. A result's bytes pass as they are.
func (e Envelope) Text() string {
	if e.Error != nil {
		message, _ := marshal(*e.Error) // a string always has a rendering
		if e.Data != nil && ValidJSON(e.Data) {
			return `{"error":` + string(message) + `,"data":` + string(e.Data) + `}`
		}
		return `{"error":` + string(message) + `}`
	}
	if e.Result == nil {
		return `{}`
	}
	if !ValidJSON(e.Result) {
		return ErrorEnvelope("the tool's result is no JSON").Text()
	}
	return `{"result":` + string(e.Result) + `}`
}

// ErrorEnvelope is the envelope of a failed call.
func ErrorEnvelope(message string) Envelope { return Envelope{Error: &message} }

// Handler answers the calls of one provider: the tool's name and the argument list as one JSON array, to a result in
// the encoding of values.go (nil is undefined). A handler that does not know the tool returns *ToolNotFoundError.
type Handler func(ctx context.Context, tool, argsJSON string) (json.RawMessage, error)

// CompletionGuard is the one switch that turns calls away once their run has settled.
type CompletionGuard struct{ completed atomic.Bool }

// Complete closes the guard for good.
func (g *CompletionGuard) Complete() { g.completed.Store(true) }

// Completed reports whether the guard is closed.
func (g *CompletionGuard) Completed() bool { return g.completed.Load() }

// NewEnvelopeDispatch makes the DispatchFunc that owns the {result} and {error} envelope. A call on a provider without
// a handler reads like a call of an unknown tool, a panicking handler fails its own call alone, and after guard has
// completed every call is refused. The returned function never returns a Go error.
func NewEnvelopeDispatch(handlers map[string]Handler, guard *CompletionGuard) DispatchFunc {
	return func(ctx context.Context, provider, tool, argsJSON string) (string, error) {
		if guard.Completed() {
			return ErrorEnvelope(CompletedMessage).Text(), nil
		}
		admit(ctx)
		result, err := callHandler(ctx, handlers[provider], tool, argsJSON)
		if guard.Completed() {
			return ErrorEnvelope(CompletedMessage).Text(), nil
		}
		if err != nil {
			failed := ErrorEnvelope(err.Error())
			if more := DataError(nil); errors.As(err, &more) {
				failed.Data = more.ErrorData()
			}
			return failed.Text(), nil
		}
		return Envelope{Result: result}.Text(), nil
	}
}

func callHandler(ctx context.Context, handler Handler, tool, argsJSON string) (result json.RawMessage, err error) {
	if handler == nil {
		return nil, &ToolNotFoundError{Tool: tool}
	}
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, fmt.Errorf("tool %q panicked: %v", tool, p)
		}
	}()
	return handler(ctx, tool, argsJSON)
}

type admissionKey struct{}

// WithAdmission lets an executor learn that a dispatch took a call on. A program may start a call and return without
// awaiting it; the call still has to reach its function, so an executor holds its result back until every call it
// handed out was either taken on or answered. A DispatchFunc of a caller's own need not know about it.
func WithAdmission(ctx context.Context, admitted func()) context.Context {
	return context.WithValue(ctx, admissionKey{}, admitted)
}

// Admit tells the executor behind ctx, if any, that the call has been taken on. Envelope dispatch does it; a dispatch
// that forwards calls elsewhere does it once the call is on its way.
func Admit(ctx context.Context) { admit(ctx) }

func admit(ctx context.Context) {
	if admitted, ok := ctx.Value(admissionKey{}).(func()); ok {
		admitted()
	}
}
