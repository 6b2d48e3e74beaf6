package protocol

import "time"

// DefaultTimeout bounds a run that names no timeout: a minute is what the dialect's own executor allows, and a host
// that moves here must not find its runs cut earlier.
const DefaultTimeout = 60 * time.Second

// Limits bounds one run. A zero field means the executor's own; a request may tighten, never loosen. Sizes are bytes of
// UTF-8 text. RunLimits has the default of each field and the reason for it.
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
	// Handles bounds the functions that a retained run keeps callable.
	Handles int64
}

// Unit is what a limit counts.
type Unit string

// The units of limits.
const (
	UnitBytes        Unit = "bytes"
	UnitMilliseconds Unit = "ms"
	UnitCount        Unit = "count"
)

// LimitInfo describes one limit, for documents and for those who show a limit to people.
type LimitInfo struct {
	// Name is the limit's documented spelling, as Failure.Limit has it.
	Name string
	// Default is the value that holds when nobody says otherwise, in Unit.
	Default int64
	Unit    Unit
	// Reason says why the default is what it is; Failure what a program or a caller sees that reaches the limit.
	Reason, Failure string
}

// limit is a LimitInfo and the field of Limits that it is about.
type limit struct {
	LimitInfo
	field func(*Limits) *int64
}

// limits is the one table of the fields of Limits.
func limits() []limit {
	const throws = "the call throws; uncaught, the run fails as `limit`"
	return []limit{
		{LimitInfo{"memory", 128 << 20, UnitBytes, "what the reference platform grants an isolate; growth of the worker process under the program, ArrayBuffers and arguments that the host holds included", "`memory`; the worker is killed and replaced"},
			func(l *Limits) *int64 { return &l.Memory }},
		{LimitInfo{"cpu", 30_000, UnitMilliseconds, "half a default timeout of pure computing is a program gone wrong", "`limit`"},
			func(l *Limits) *int64 { return (*int64)(&l.CPU) }},
		{LimitInfo{"sourceBytes", 4 << 20, UnitBytes, "a model's turn is a few kB; a bundle pasted in fits", "`limit`, before a worker is asked for"},
			func(l *Limits) *int64 { return &l.SourceBytes }},
		{LimitInfo{"modulesBytes", 32 << 20, UnitBytes, "a bundler's graph; preludes and proxy sources count", "`limit`, before a worker is asked for"},
			func(l *Limits) *int64 { return &l.ModulesBytes }},
		{LimitInfo{"argumentBytes", 32 << 20, UnitBytes, "the reference's bound on one RPC value; also of the body of a request that is no stream", throws + "; `refused` in the ledger"},
			func(l *Limits) *int64 { return &l.ArgumentBytes }},
		{LimitInfo{"toolResultBytes", 32 << 20, UnitBytes, "likewise; the body of a response is a stream, and only memory bounds what a program keeps of it", "the call throws"},
			func(l *Limits) *int64 { return &l.ToolResultBytes }},
		{LimitInfo{"resultBytes", 32 << 20, UnitBytes, "likewise", "`limit`"},
			func(l *Limits) *int64 { return &l.ResultBytes }},
		{LimitInfo{"logBytes", 1 << 20, UnitBytes, "more than a model's context", "none: the console is cut, with a marker line"},
			func(l *Limits) *int64 { return &l.LogBytes }},
		{LimitInfo{"logLines", 10_000, UnitCount, "likewise", "none: the console is cut, with a marker line"},
			func(l *Limits) *int64 { return &l.LogLines }},
		{LimitInfo{"toolCalls", 10_000, UnitCount, "a runaway loop over an API stops before its bill hurts", throws + "; `refused` in the ledger"},
			func(l *Limits) *int64 { return &l.ToolCalls }},
		{LimitInfo{"callsInFlight", 1_000, UnitCount, "`Promise.all` over a long list stays legal; requests count", throws + "; `refused` in the ledger"},
			func(l *Limits) *int64 { return &l.CallsInFlight }},
		{LimitInfo{"timers", 10_000, UnitCount, "of those set at one time; no honest program has as many", "`setTimeout` throws; uncaught, the run fails as `limit`"},
			func(l *Limits) *int64 { return &l.Timers }},
		{LimitInfo{"handles", 1_000, UnitCount, "functions that one retained run keeps callable; an API of a few hundred methods fits", "`limit`; nothing is retained"},
			func(l *Limits) *int64 { return &l.Handles }},
	}
}

// RunLimits lists the fields of Limits with their defaults and the reasons for them.
func RunLimits() []LimitInfo {
	var list []LimitInfo
	for _, l := range limits() {
		list = append(list, l.LimitInfo)
	}
	return list
}

// scale is how many of a field's own units make one of the limit's.
func (l limit) scale() int64 {
	if l.Unit == UnitMilliseconds {
		return int64(time.Millisecond)
	}
	return 1
}

// DefaultLimits returns the limits an executor applies when it is told nothing.
func DefaultLimits() Limits {
	var out Limits
	for _, l := range limits() {
		*l.field(&out) = l.Default * l.scale()
	}
	return out
}

// Or returns l with the zero fields taken from fallback.
func (l Limits) Or(fallback Limits) Limits {
	for _, entry := range limits() {
		if field := entry.field(&l); *field == 0 {
			*field = *entry.field(&fallback)
		}
	}
	return l
}

// Tighten returns the stricter of base and request field by field, or an INVALID_REQUEST naming the first field that
// is negative or looser than base.
func (base Limits) Tighten(request Limits) (Limits, error) {
	out := base
	for _, l := range limits() {
		have, want := l.field(&out), *l.field(&request)
		if want == 0 {
			continue
		}
		if want < 0 {
			return Limits{}, Errorf(CodeInvalidRequest, "limits.%s must be positive, got %d", l.Name, want)
		}
		if want > *have {
			return Limits{}, Errorf(CodeInvalidRequest, "limits.%s can only tighten the executor's %d, got %d", l.Name, *have, want)
		}
		*have = want
	}
	return out, nil
}

// ByName gives the fields that are set, each in its limit's unit, by their documented spelling.
func (l Limits) ByName() map[string]int64 {
	named := map[string]int64{}
	for _, entry := range limits() {
		if value := *entry.field(&l); value != 0 {
			named[entry.Name] = value / entry.scale()
		}
	}
	return named
}

// LimitsByName is the way back from ByName. A name that is none is an INVALID_REQUEST.
func LimitsByName(named map[string]int64) (Limits, error) {
	var l Limits
	known := map[string]bool{}
	for _, entry := range limits() {
		known[entry.Name] = true
		*entry.field(&l) = named[entry.Name] * entry.scale()
	}
	for name := range named {
		if !known[name] {
			return Limits{}, Errorf(CodeInvalidRequest, "limits.%s is no limit", name)
		}
	}
	return l, nil
}
