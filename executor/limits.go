package executor

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// The defaults of Options, whose comments have the reasons.
const (
	minWorkers           = 4
	defaultSpareWorkers  = 1
	defaultRecycleAfter  = 1_000
	defaultRecycleAge    = time.Hour
	defaultRecycleGrowth = 32 << 20
	defaultStartTimeout  = 10 * time.Second
	defaultMaxQueue      = 256
	defaultQueueTimeout  = 30 * time.Second
	defaultMaxTimeout    = 30 * time.Minute
	defaultMaxRetained   = 16
	defaultRetainedIdle  = 5 * time.Minute
)

// resolve fills in the defaults, or says which option makes no sense.
func resolve(given *Options) (Options, error) {
	var o Options
	if given != nil {
		o = *given
	}
	var err error
	if o.Limits, err = resolveLimits(o.Limits); err != nil {
		return o, err
	}
	o.Workers = cmp.Or(o.Workers, max(minWorkers, runtime.GOMAXPROCS(0)))
	o.SpareWorkers = orNone(o.SpareWorkers, defaultSpareWorkers)
	o.RecycleAfter = cmp.Or(o.RecycleAfter, defaultRecycleAfter)
	o.RecycleAge = cmp.Or(o.RecycleAge, defaultRecycleAge)
	o.RecycleGrowth = cmp.Or(o.RecycleGrowth, defaultRecycleGrowth)
	if o.Metrics == nil {
		o.Metrics = silent{}
	}
	o.StartTimeout = cmp.Or(o.StartTimeout, defaultStartTimeout)
	o.MaxQueue = orNone(o.MaxQueue, defaultMaxQueue)
	o.QueueTimeout = cmp.Or(o.QueueTimeout, defaultQueueTimeout)
	o.MaxRetained = orNone(o.MaxRetained, defaultMaxRetained)
	o.RetainedIdle = cmp.Or(o.RetainedIdle, defaultRetainedIdle)
	if o.Timeout == 0 {
		o.Timeout = min(protocol.DefaultTimeout, cmp.Or(o.MaxTimeout, protocol.DefaultTimeout))
	}
	o.MaxTimeout = cmp.Or(o.MaxTimeout, max(defaultMaxTimeout, o.Timeout))
	o.MaxWall = cmp.Or(o.MaxWall, 2*o.MaxTimeout)
	o.Modules = maps.Clone(o.Modules)
	o.AllowAddresses = slices.Clone(o.AllowAddresses)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if o.Outbound.Mode() == protocol.OutboundUnset {
		o.Outbound = protocol.InheritOutbound()
	}
	if err := checkOptions(o); err != nil {
		return o, err
	}
	o.Command, err = resolveCommand(o.Command)
	return o, err
}

// orNone reads an option whose zero value is a default, and whose negative values mean none.
func orNone(n, fallback int) int { return max(0, cmp.Or(n, fallback)) }

func checkOptions(o Options) error {
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"Workers", int64(o.Workers)}, {"RecycleAfter", int64(o.RecycleAfter)}, {"StartTimeout", int64(o.StartTimeout)},
		{"QueueTimeout", int64(o.QueueTimeout)}, {"Timeout", int64(o.Timeout)}, {"MaxTimeout", int64(o.MaxTimeout)},
		{"MaxWall", int64(o.MaxWall)}, {"RetainedIdle", int64(o.RetainedIdle)}, {"RecycleAge", int64(o.RecycleAge)},
		{"RecycleGrowth", o.RecycleGrowth},
	} {
		if f.value < 0 {
			return protocol.Errorf(protocol.CodeInvalidRequest, "executor.Options.%s must not be negative", f.name)
		}
	}
	if o.Timeout > o.MaxTimeout {
		return protocol.Errorf(protocol.CodeInvalidRequest, "executor.Options.Timeout is %s, above MaxTimeout, %s", o.Timeout, o.MaxTimeout)
	}
	return nil
}

// resolveLimits gives the zero fields of l the values of protocol.DefaultLimits. An operator may loosen those.
func resolveLimits(l protocol.Limits) (protocol.Limits, error) {
	most := protocol.Limits{
		SourceBytes: maxFrame, ModulesBytes: maxFrame, ArgumentBytes: maxFrame, ToolResultBytes: maxFrame, ResultBytes: maxFrame, LogBytes: maxFrame,
		Memory: math.MaxInt64, CPU: math.MaxInt64, LogLines: math.MaxInt64, ToolCalls: math.MaxInt64, CallsInFlight: math.MaxInt64,
		Timers: math.MaxInt64, Handles: math.MaxInt64,
	}
	return most.Tighten(l.Or(protocol.DefaultLimits()))
}

// maxFrame is the most that one text may measure, whatever an operator says: what a string of the engine can hold.
const maxFrame = 1<<29 - 24

// resolveCommand finds what workers are started from.
func resolveCommand(command []string) ([]string, error) {
	if len(command) > 0 {
		path, err := exec.LookPath(command[0])
		if err == nil {
			path, err = filepath.Abs(path)
		}
		if err != nil {
			return nil, protocol.Errorf(protocol.CodeWorkerStartFailed, "executor.Options.Command: %w", err)
		}
		return append([]string{path}, command[1:]...), nil
	}
	if !hasEngine {
		return nil, protocol.Errorf(protocol.CodeWorkerStartFailed,
			"this build has no JavaScript engine: it needs cgo, and linux or darwin on amd64 or arm64 (this is %s/%s); a remote executor works everywhere", runtime.GOOS, runtime.GOARCH)
	}
	path, err := ownExecutable()
	if err != nil {
		return nil, protocol.Errorf(protocol.CodeWorkerStartFailed, "the running executable, which workers are started from, has no path: %w", err)
	}
	return []string{path}, nil
}

// limitFailure is a run that reached a limit of protocol.Limits.
func limitFailure(name string, value int64, format string, args ...any) *protocol.Failure {
	return &protocol.Failure{
		Kind: protocol.FailureLimit, Limit: name, LimitValue: value,
		Message: fmt.Sprintf(format, args...) + fmt.Sprintf(" (limit %s: %d).", name, value),
	}
}

func memoryFailure(limit int64) *protocol.Failure {
	return &protocol.Failure{
		Kind: protocol.FailureMemory, Limit: "memory", LimitValue: limit,
		Message: fmt.Sprintf("The program used more than its %d MiB of memory and was stopped. Hold less data at a time.", limit>>20),
	}
}

func canceledFailure(message string) *protocol.Failure {
	return &protocol.Failure{Kind: protocol.FailureCanceled, Message: message}
}

// clip cuts a text to at most n bytes, at a character.
func clip(text string, n int64) string {
	if int64(len(text)) <= n {
		return text
	}
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:n]
}

// sumBytes adds up the sizes of texts.
func sumBytes(texts map[string]string) (sum int64) {
	for name, text := range texts {
		sum += int64(len(name) + len(text))
	}
	return sum
}
