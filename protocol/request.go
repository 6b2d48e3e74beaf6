package protocol

import (
	"context"
	"net/http"
	"time"
)

// ExecuteRequest is one program and everything it may reach. The zero value of every optional field means "the
// executor's default".
type ExecuteRequest struct {
	// Code is an arrow function expression, optionally preceded by static import declarations. Nothing rewrites it
	// on the way in; positions in failures are positions in this text.
	Code string
	// Providers are the namespaces in the program's scope. Only names and source cross, never functions.
	Providers []ProviderDescriptor
	// Dispatch answers the program's tool calls; nil refuses every one with ToolNotFoundError's text.
	Dispatch DispatchFunc
	// Modules maps a specifier to its source: JavaScript, TypeScript (.ts, .tsx, .mts) or JSON (.json). Nil means
	// the executor's own default, an empty map means none.
	Modules map[string]string
	// Timeout bounds the run clock.
	Timeout Timeout
	// Outbound is the network policy of the program.
	Outbound Outbound
	// CountHostWaits makes the run clock wall time. Otherwise it stops while a tool call, or an outbound request
	// that the caller performs, is in flight and the program itself does nothing.
	CountHostWaits bool
	// RetainHandles keeps the isolate after the run so that functions in the result stay callable. Only a
	// HandleExecutor grants it.
	RetainHandles bool
	// Limits tightens the executor's limits for this run; a looser value than the executor's is an error.
	Limits Limits
	// LosslessIntegers makes integers beyond ±(2^53−1) in tool results arrive as BigInt, and BigInt in arguments
	// and results leave as a digit-exact JSON integer. Off, a BigInt there is a TypeError, as JSON.stringify has it.
	LosslessIntegers bool
	// ConsoleFormat says how console arguments become text.
	ConsoleFormat ConsoleFormat
}

// ConsoleFormat says how console arguments become the text of a LogLine.
type ConsoleFormat string

const (
	// ConsoleString renders each argument through String and joins them with a space; the default.
	ConsoleString ConsoleFormat = "string"
	// ConsoleInspect renders objects readably, bounded in depth and size, and knows format specifiers.
	ConsoleInspect ConsoleFormat = "inspect"
)

// Timeout is unset (the executor's default), a duration, or the executor's maximum. The zero value is unset.
type Timeout struct {
	duration time.Duration
	kind     timeoutKind
}

type timeoutKind uint8

const (
	timeoutUnset timeoutKind = iota
	timeoutDuration
	timeoutMaximum
)

// TimeoutOf bounds a run at d. Zero, negative and above-maximum durations are refused by the executor with an error
// that names the field.
func TimeoutOf(d time.Duration) Timeout { return Timeout{duration: d, kind: timeoutDuration} }

// MaximumTimeout asks for the executor's own upper bound.
func MaximumTimeout() Timeout { return Timeout{kind: timeoutMaximum} }

// IsSet reports whether the caller chose anything.
func (t Timeout) IsSet() bool { return t.kind != timeoutUnset }

// IsMaximum reports whether the caller asked for the executor's upper bound.
func (t Timeout) IsMaximum() bool { return t.kind == timeoutMaximum }

// Duration returns the chosen duration, and false when none was chosen.
func (t Timeout) Duration() (time.Duration, bool) { return t.duration, t.kind == timeoutDuration }

// Resolve returns the bound that holds: the fallback when unset, the maximum when that was asked for. A duration that
// is not positive, or above the maximum, is an INVALID_REQUEST naming the field.
func (t Timeout) Resolve(fallback, maximum time.Duration) (time.Duration, error) {
	switch t.kind {
	case timeoutMaximum:
		return maximum, nil
	case timeoutDuration:
		if t.duration <= 0 {
			return 0, Errorf(CodeInvalidRequest, "timeout must be greater than 0 ms, got %s", t.duration)
		}
		if t.duration > maximum {
			return 0, Errorf(CodeInvalidRequest, "timeout must be at most %d ms, got %d ms", maximum.Milliseconds(), t.duration.Milliseconds())
		}
		return t.duration, nil
	}
	return min(fallback, maximum), nil
}

// OutboundFunc performs one HTTP request of a program in the caller's process. The caller closes nothing: the executor
// closes the response's body.
type OutboundFunc func(ctx context.Context, request *http.Request) (*http.Response, error)

// OutboundMode is how a program reaches the network.
type OutboundMode string

const (
	// OutboundUnset is the executor's default.
	OutboundUnset OutboundMode = ""
	// OutboundInherit lets the executor perform the request from the machine it runs on.
	OutboundInherit OutboundMode = "inherit"
	// OutboundBlocked refuses every request.
	OutboundBlocked OutboundMode = "blocked"
	// OutboundStub hands every request to a function of the caller.
	OutboundStub OutboundMode = "stub"
)

// Outbound is the network policy of one run. The zero value is the executor's default.
type Outbound struct {
	mode OutboundMode
	fn   OutboundFunc
}

// InheritOutbound lets the executor perform the program's requests itself.
func InheritOutbound() Outbound { return Outbound{mode: OutboundInherit} }

// BlockOutbound refuses every request of the program.
func BlockOutbound() Outbound { return Outbound{mode: OutboundBlocked} }

// OutboundVia hands every request of the program to fn. A nil fn blocks.
func OutboundVia(fn OutboundFunc) Outbound {
	if fn == nil {
		return BlockOutbound()
	}
	return Outbound{mode: OutboundStub, fn: fn}
}

// Mode returns the mode, OutboundUnset for the zero value.
func (o Outbound) Mode() OutboundMode { return o.mode }

// Func returns the caller's function; nil unless the mode is OutboundStub.
func (o Outbound) Func() OutboundFunc { return o.fn }
