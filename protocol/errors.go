package protocol

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code names one kind of Error. Codes are append-only and cross the wire.
type Code string

// The codes. Retryable ones say so on the Error, since for some it depends on what had happened.
const (
	CodeInvalidRequest     Code = "INVALID_REQUEST"
	CodePoolClosed         Code = "POOL_CLOSED"
	CodeQueueFull          Code = "QUEUE_FULL"
	CodeQueueTimeout       Code = "QUEUE_TIMEOUT"
	CodeWorkerStartFailed  Code = "WORKER_START_FAILED"
	CodeWorkerLost         Code = "WORKER_LOST"
	CodeExecutionUnknown   Code = "EXECUTION_UNKNOWN"
	CodeHandleUnknown      Code = "HANDLE_UNKNOWN"
	CodeHandlesExhausted   Code = "HANDLES_EXHAUSTED"
	CodeConnectionRejected Code = "CONNECTION_REJECTED"
	CodeProtocolMismatch   Code = "PROTOCOL_MISMATCH"
	CodeConnectionBroken   Code = "CONNECTION_BROKEN"
	CodeUnauthorized       Code = "UNAUTHORIZED"
	CodePayloadTooLarge    Code = "PAYLOAD_TOO_LARGE"
)

// Codes lists every code, oldest first.
func Codes() []Code {
	return []Code{
		CodeInvalidRequest, CodePoolClosed, CodeQueueFull, CodeQueueTimeout, CodeWorkerStartFailed, CodeWorkerLost,
		CodeExecutionUnknown, CodeHandleUnknown, CodeHandlesExhausted, CodeConnectionRejected, CodeProtocolMismatch,
		CodeConnectionBroken, CodeUnauthorized, CodePayloadTooLarge,
	}
}

// Error is a failure of ours, not of the program. Two Errors are the same for errors.Is when their codes are:
//
//	errors.Is(err, protocol.CodeQueueFull)
type Error struct {
	Code    Code
	Message string
	// Retryable says that nothing of the request can have taken effect, so that trying again is safe.
	Retryable bool
	Cause     error
}

// Errorf makes an Error of a code. QUEUE_FULL, QUEUE_TIMEOUT and CONNECTION_BROKEN are retryable by their nature. An
// error among the arguments that is formatted with %w becomes the cause.
func Errorf(code Code, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, args...)
	retryable := code == CodeQueueFull || code == CodeQueueTimeout || code == CodeConnectionBroken
	return &Error{Code: code, Message: wrapped.Error(), Retryable: retryable, Cause: errors.Unwrap(wrapped)}
}

func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is compares by code, with another *Error or with a Code.
func (e *Error) Is(target error) bool {
	if other, ok := target.(*Error); ok {
		return e.Code == other.Code
	}
	code, ok := target.(Code)
	return ok && e.Code == code
}

// Explain is an error's text with that of an [Error]'s cause, if it has one that the text does not have already: some texts are
// fixed by the dialect, and say what failed and not why.
func Explain(err error) string {
	text := err.Error()
	var coded *Error
	if !errors.As(err, &coded) || coded.Cause == nil || strings.Contains(text, coded.Cause.Error()) {
		return text
	}
	return text + ": " + coded.Cause.Error()
}

// Error lets a Code be the target of errors.Is.
func (c Code) Error() string { return string(c) }

// ToolNotFoundError is the answer to a call of a tool, or of a namespace, that the host does not have.
type ToolNotFoundError struct{ Tool string }

func (e *ToolNotFoundError) Error() string { return `Tool "` + e.Tool + `" not found` }

// CompletedMessage answers any call after its run settled.
const CompletedMessage = "Execution has already completed"

// TimeoutMessage is the phrase that ExecutionTimeoutError opens with.
const TimeoutMessage = "Execution timed out"

const timeoutAdvice = " Do less work per run and return the part that is already finished."

// ExecutionTimeoutError composes the message of a run that reached its bound.
type ExecutionTimeoutError struct{ Timeout time.Duration }

func (e *ExecutionTimeoutError) Error() string {
	return fmt.Sprintf("%s at its %d ms bound.%s", TimeoutMessage, e.Timeout.Milliseconds(), timeoutAdvice)
}

// MatchesExecutionTimeout reports whether a message is an ExecutionTimeoutError's: it tests the whole first sentence,
// since a program may well throw "Execution timed out waiting for the vendor API".
func MatchesExecutionTimeout(message string) bool {
	rest, ok := strings.CutPrefix(message, TimeoutMessage+" at its ")
	if !ok {
		return false
	}
	digits := 0
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	return digits > 0 && strings.HasPrefix(rest[digits:], " ms bound.")
}

// CheckVersion compares the protocol versions of two sides by exact equality.
func CheckVersion(client, server int) error {
	if client == server {
		return nil
	}
	return Errorf(CodeProtocolMismatch, "Executor protocol mismatch: client speaks v%d, server speaks v%d", client, server)
}
