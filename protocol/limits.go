package protocol

import "time"

// DefaultTimeout bounds a run that names no timeout: a minute is what the dialect's own executor allows, and a host
// that moves here must not find its runs cut earlier.
const DefaultTimeout = 60 * time.Second

// Limits bounds one run. A zero field means the executor's own; a request may tighten, never loosen. Sizes are bytes of
// UTF-8 text.
type Limits struct {
	// Memory bounds the worker process's growth under the program, ArrayBuffers included.
	Memory int64
	// CPU bounds the processor time of the program.
	CPU time.Duration
	// SourceBytes bounds Code, ModulesBytes the sum of Modules, preludes and proxy sources.
	SourceBytes, ModulesBytes int64
	// ArgumentBytes bounds one call's argument list, ToolResultBytes one call's envelope, ResultBytes the value.
	ArgumentBytes, ToolResultBytes, ResultBytes int64
	// LogBytes and LogLines bound what is kept of the console; what is past them is cut with a marker line.
	LogBytes, LogLines int64
	// ToolCalls bounds the calls of a run, CallsInFlight those unanswered at one time.
	ToolCalls, CallsInFlight int64
	// Timers bounds the timers that are set at one time.
	Timers int64
}

// DefaultLimits returns the limits an executor applies when it is told nothing, each with its reason.
func DefaultLimits() Limits {
	return Limits{
		Memory:          128 << 20, // what the reference platform grants an isolate
		CPU:             30 * time.Second,
		SourceBytes:     4 << 20,  // a model's turn is a few kB; a bundle pasted in fits
		ModulesBytes:    32 << 20, // a module graph of a bundler
		ArgumentBytes:   32 << 20, // the reference's bound on one RPC value
		ToolResultBytes: 32 << 20, // likewise
		ResultBytes:     32 << 20, // likewise
		LogBytes:        1 << 20,  // more than a model's context
		LogLines:        10_000,
		ToolCalls:       10_000, // a runaway loop over an API is stopped before its bill hurts
		CallsInFlight:   1_000,  // Promise.all over a long list stays legal
		Timers:          10_000,
	}
}

// Tighten returns the stricter of base and request field by field, or an INVALID_REQUEST naming the first field that
// is negative or looser than base.
func (base Limits) Tighten(request Limits) (Limits, error) {
	out := base
	for _, f := range []struct {
		name string
		have *int64
		want int64
	}{
		{"memory", &out.Memory, request.Memory},
		{"cpu", (*int64)(&out.CPU), int64(request.CPU)},
		{"sourceBytes", &out.SourceBytes, request.SourceBytes},
		{"modulesBytes", &out.ModulesBytes, request.ModulesBytes},
		{"argumentBytes", &out.ArgumentBytes, request.ArgumentBytes},
		{"toolResultBytes", &out.ToolResultBytes, request.ToolResultBytes},
		{"resultBytes", &out.ResultBytes, request.ResultBytes},
		{"logBytes", &out.LogBytes, request.LogBytes},
		{"logLines", &out.LogLines, request.LogLines},
		{"toolCalls", &out.ToolCalls, request.ToolCalls},
		{"callsInFlight", &out.CallsInFlight, request.CallsInFlight},
		{"timers", &out.Timers, request.Timers},
	} {
		if f.want == 0 {
			continue
		}
		if f.want < 0 {
			return Limits{}, Errorf(CodeInvalidRequest, "limits.%s must be positive, got %d", f.name, f.want)
		}
		if f.want > *f.have {
			return Limits{}, Errorf(CodeInvalidRequest, "limits.%s can only tighten the executor's %d, got %d", f.name, *f.have, f.want)
		}
		*f.have = f.want
	}
	return out, nil
}
