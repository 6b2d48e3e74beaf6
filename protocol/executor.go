package protocol

import (
	"context"
	"encoding/json"
)

// Executor runs programs. A local pool of worker processes and a client of a remote daemon are two implementations;
// a caller may wrap one to watch or change requests.
type Executor interface {
	// Execute runs one program to its end. A program that fails is no error: it is result.Failure. The error is
	// ours, an *Error with a code, or the context's own error when ctx ends before the program was given to a worker.
	Execute(ctx context.Context, request *ExecuteRequest) (*ExecuteResult, error)
	// Close stops intake, ends what runs, and waits until nothing of the executor is left. It is idempotent.
	Close() error
}

// HandleExecutor is an Executor that can keep a run after its end, so that functions in its result stay callable.
type HandleExecutor interface {
	Executor
	// InvokeHandle calls a retained function; its result may hold further handles of the same execution.
	InvokeHandle(ctx context.Context, request *InvokeRequest) (*ExecuteResult, error)
	// CloseHandles frees what a retained execution holds. Closing an unknown execution is no error.
	CloseHandles(ctx context.Context, executionID string) error
}

// InvokeRequest names one retained function and what it is called with.
type InvokeRequest struct {
	// ExecutionID is the id that ExecuteResult.ExecutionID granted.
	ExecutionID string
	// HandleID is the number in the function's {"__codemode_handle__": id}.
	HandleID int64
	// Args is the argument list, each in the encoding of values (see values.go).
	Args []json.RawMessage
	// Dispatch answers the tool calls made under this call; nil refuses them all.
	Dispatch DispatchFunc
	// Timeout bounds this call like ExecuteRequest.Timeout.
	Timeout Timeout
}

// DispatchFunc answers one tool call of a running program, in the caller's process.
//
// argsJSON is the argument list as one JSON array. The answer is an envelope's JSON text: {"result": …}, {} for
// undefined, or {"error": "message"}. A returned Go error reaches the program as that error's text. The context ends
// when the run is given up (its timeout, a limit, its caller's context, a crash) or the executor closes; a call that the
// program left behind at its normal end runs on. Calls of one run arrive concurrently, and set off in their order.
//
// A goroutine may serve several calls, one after the other: one that locks it to its thread (runtime.LockOSThread) unlocks it again.
type DispatchFunc func(ctx context.Context, provider, tool, argsJSON string) (envelopeJSON string, err error)
