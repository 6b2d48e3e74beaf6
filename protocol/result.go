package protocol

import (
	"encoding/json"
	"time"
)

// ExecuteResult is what became of a program. Exactly one of Value and Failure speaks: with a Failure, Value is nil.
type ExecuteResult struct {
	// Value is the program's value as JSON, key order kept, in the encoding of values.go; nil means undefined.
	Value json.RawMessage
	// ValueKind is what a value was that JSON has nothing for: of one that is undefined here its type, "function", "symbol" or
	// "object" (whose toJSON gave undefined); of one that is null here the number, "NaN", "Infinity" or "-Infinity". Empty
	// otherwise.
	ValueKind string
	// Failure says why the program has no value; nil when it has one.
	Failure *Failure
	// Logs are the console lines in the order they were written, also of a program that failed.
	Logs []LogLine
	// ExecutionID is set when handles were granted and the isolate is kept.
	ExecutionID string
	// Usage is what the run took.
	Usage Usage
	// Calls is the ledger of tool calls in the order they arrived, without payloads.
	Calls []Call
	// Unhandled are promises that rejected and that nobody had taken by the end, and timers that threw, of a program that ended
	// by itself: at most ten, the first first. They are no failure: the program's value stands.
	Unhandled []Rejection
}

// Rejection is an error that nobody heard of: a promise's that rejected, or a timer's.
type Rejection struct {
	// Name is the error's name ("TypeError"), empty when what it rejected with is no Error.
	Name string
	// Message is the error's message, or a rendering of what it rejected with, cut at 2,000 characters.
	Message string
	// Call is the tool call whose failure it is ("provider.tool"); empty when it is no call's.
	Call string
	// Position is where the error was made, in the text that was sent; nil when unknown.
	Position *Position
}

// Level is a console level, as the method of console that wrote the line is called.
type Level string

// The levels of a LogLine. Methods without a level of their own (table, dir, group, count, time…) write LevelLog.
const (
	LevelLog   Level = "log"
	LevelDebug Level = "debug"
	LevelInfo  Level = "info"
	LevelWarn  Level = "warn"
	LevelError Level = "error"
	LevelTrace Level = "trace"
)

// LogLine is one console call.
type LogLine struct {
	Level Level
	Text  string
	// Elapsed is the time since the run started.
	Elapsed time.Duration
}

// FailureKind says what kind of thing ended a program without a value.
type FailureKind string

const (
	// FailureSyntax: the text is no program.
	FailureSyntax FailureKind = "syntax"
	// FailureThrown: the program threw, or its value cannot be expressed.
	FailureThrown FailureKind = "thrown"
	// FailureTimeout: the run clock reached its bound.
	FailureTimeout FailureKind = "timeout"
	// FailureStalled: the program waits for something that can no longer happen.
	FailureStalled FailureKind = "stalled"
	// FailureMemory: the worker outgrew its memory bound and was killed.
	FailureMemory FailureKind = "memory"
	// FailureStack: the value is nested too deeply to be expressed.
	FailureStack FailureKind = "stack"
	// FailureLimit: another limit was reached; Limit and LimitValue say which.
	FailureLimit FailureKind = "limit"
	// FailureCanceled: the caller's context ended.
	FailureCanceled FailureKind = "canceled"
	// FailureCrashed: the worker process died under the program.
	FailureCrashed FailureKind = "crashed"
)

// Failure says why a program has no value. It is data about the program, not a Go error.
type Failure struct {
	Kind FailureKind
	// Name is the thrown error's name ("TypeError"), empty when what was thrown is no Error.
	Name string
	// Message is the error's message, or a rendering of the thrown value.
	Message string
	// Stack has the program's own frames, positions in the text that was sent; empty when there is none.
	Stack string
	// Position is where it happened in the text that was sent; nil when unknown.
	Position *Position
	// Thrown is the thrown value as JSON when it was no Error, so that it is not lost; nil otherwise.
	Thrown json.RawMessage
	// Limit names the limit that was reached (a Limits field in its documented spelling); empty otherwise.
	Limit string
	// LimitValue is that limit's value, in its own unit.
	LimitValue int64
	// Causes are the errors that the thrown one was made with, each as "Name: message" in one line or more, the nearest
	// first: its cause, that one's cause, and what an AggregateError holds. Nil when there is none.
	Causes []string
	// Pending lists the calls ("provider.tool") that were in flight when a clock or the caller ended the run.
	Pending []string
}

// Position is a place in a source text, lines and columns from 1, columns in UTF-16 code units as the engine counts.
type Position struct {
	// File is the module's specifier; empty for the program itself.
	File   string
	Line   int
	Column int
}

// Usage is what a run took.
type Usage struct {
	// Wall is the time from the program's start to its end.
	Wall time.Duration
	// Run is the time on the run clock: Wall, without host waits unless they count.
	Run time.Duration
	// CPU is the processor time of the worker process.
	CPU time.Duration
	// PeakMemory is the largest memory of the worker process that was seen, in bytes; 0 when not measured.
	PeakMemory int64
	// ToolCalls is the number of tool calls that reached the host.
	ToolCalls int
}

// CallOutcome says what became of one tool call.
type CallOutcome string

const (
	// CallCompleted: the envelope carried a result.
	CallCompleted CallOutcome = "completed"
	// CallFailed: the envelope carried an error.
	CallFailed CallOutcome = "failed"
	// CallAbandoned: the run ended while the call was in flight, so its answer reached nobody.
	CallAbandoned CallOutcome = "abandoned"
	// CallRefused: the call was turned down before any dispatch.
	CallRefused CallOutcome = "refused"
)

// Call is one line of the ledger, so that "it ran, then the output was lost" can be told from "it never ran".
type Call struct {
	Provider string
	Tool     string
	// Start is the time since the run started.
	Start    time.Duration
	Duration time.Duration
	Outcome  CallOutcome
	// Unheard says that the run ended before the program had the answer, as it does with every call that was abandoned. The
	// function may have been done long before.
	Unheard bool
}
