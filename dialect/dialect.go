// Package dialect speaks the Executor interface of npm @cloudflare/codemode over any native executor, so that a host
// written against that package keeps every convention it relies on while its code runs somewhere else.
//
// Four nouns are enough to read it. A [Provider] is one namespace of functions that a program may call; a [Connector]
// is one whose tool names only its far side knows. An [Executor] runs one program against them. A [Result] is what the
// dialect's execute resolves to: a value or an error text, and the console lines as flat strings.
//
//	executor := dialect.New(pool, nil)
//	defer executor.Close()
//	result, err := executor.Execute(ctx, "const r = await api.add({a: 40, b: 2})\nr.sum", []dialect.Provider{{
//		Name: "api",
//		Functions: []dialect.Function{{Name: "add", Call: add}},
//	}}, nil)
//	// err: we failed, the program is not to blame.  result.Error: the program failed, or its request was refused.
//
// What a tool is called inside the sandbox, what a console line looks like, which provider names are refused, what a
// call to an undeclared tool answers and what a timed-out run reports: nothing of that is in the native contract, all
// of it is here, and nothing outside this package words any of it.
//
// # Lifetime
//
// Functions run in this process. A call that a program started and did not await goes on after its run has settled, as
// in the reference; its answer reaches nobody. A run that was cut short (by a clock, a limit or its context) cancels the
// contexts of its calls, and so does [Executor.Close], which waits for them.
package dialect

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// legacyProvider is the namespace that a bare list of functions goes under.
const legacyProvider = "codemode"

// legacyWarning is the one line about the deprecated call shape (seed document, "Arguments the call accepts").
const legacyWarning = "[@supolka/cloudflare-codemode-executor] Passing a bare functions record to execute() is deprecated. Pass an array of providers instead."

// Executor is the dialect over one native executor. It is safe for concurrent use.
type Executor struct {
	native protocol.Executor
	warn   func(line string)

	mu     sync.Mutex
	closed bool
	runs   sync.WaitGroup
	ctx    context.Context // ends with Close, and with it every call that outlived its run
	cancel context.CancelFunc
}

// Options adjusts an Executor. The zero value is the dialect.
type Options struct {
	// Warn receives the dialect's deprecation line, without a newline. Nil writes it to standard error, which is where
	// console.warn goes.
	Warn func(line string)
}

// New puts the dialect over native and owns it from then on: Close closes it.
func New(native protocol.Executor, options *Options) *Executor {
	e := &Executor{native: native, warn: func(line string) { fmt.Fprintln(os.Stderr, line) }}
	if options != nil && options.Warn != nil {
		e.warn = options.Warn
	}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	return e
}

// ExecuteOptions are the options of one call. Connectors are the dialect's own; the rest extends it and crosses to the
// native request unchanged. An option left out leaves the request's field unset, so that the native executor's default
// applies.
type ExecuteOptions struct {
	Connectors []Connector

	Modules          map[string]string
	Timeout          protocol.Timeout
	Outbound         protocol.Outbound
	Limits           protocol.Limits
	LosslessIntegers bool
	ConsoleFormat    protocol.ConsoleFormat
	// AllLevels keeps console.debug, info and trace, each with its level as a prefix. The dialect drops them.
	AllLevels bool
}

// Result is what the dialect's execute resolves to.
type Result struct {
	// Value is the program's value as JSON in the encoding of protocol's values.go (see JSONView for plain JSON); nil
	// is undefined.
	Value json.RawMessage
	// Error is the text of a failure, never empty for one; empty when the program has a value.
	Error string
	// Logs are the rendered console lines; nil, not empty, when the request was refused before anything ran.
	Logs []string
	// Position is where the program failed, in the text that Execute was given; nil when unknown or not in that text.
	Position *protocol.Position
	// Native is the native result underneath, with its positions in the normalised text; nil when the request was
	// refused.
	Native *protocol.ExecuteResult
}

// Execute runs code, which may be raw model output, with providers' and connectors' functions callable.
//
// A refused request and a failed program are both a Result with an Error. The returned error is the native executor's
// own (a *protocol.Error such as QUEUE_FULL, or the context's).
func (e *Executor) Execute(ctx context.Context, code string, providers []Provider, options *ExecuteOptions) (*Result, error) {
	var opts ExecuteOptions
	if options != nil {
		opts = *options
	}
	if text, refused := ValidateExecution(providers, opts.Connectors); refused {
		return &Result{Error: text}, nil
	}
	descriptors, handlers := planExecution(providers, opts.Connectors)
	ctx = protocol.WithHurry(ctx) // it may be that of another executor's call
	run, err := e.startRun(ctx)
	if err != nil {
		return nil, err
	}
	normalized := NormalizeCode(code)
	stripped, isTypeScript := typeScriptArrow(code)
	if isTypeScript {
		normalized = stripped
	}
	native, err := e.native.Execute(ctx, &protocol.ExecuteRequest{
		Code:             normalized,
		Providers:        descriptors,
		Dispatch:         run.dispatch(handlers),
		Modules:          opts.Modules,
		Timeout:          opts.Timeout,
		Outbound:         opts.Outbound,
		Limits:           opts.Limits,
		LosslessIntegers: opts.LosslessIntegers,
		ConsoleFormat:    opts.ConsoleFormat,
		// The dialect measures wall time: a tool slower than the timeout times the run out.
		CountHostWaits: true,
	})
	run.settle(native, err)
	if err != nil {
		return nil, err
	}
	result := &Result{Value: native.Value, Logs: renderLogs(native.Logs, opts.AllLevels), Native: native}
	if native.Failure != nil {
		result.Value = nil
		if !isTypeScript { // else the places are those of the code without its types
			result.Position = callerPosition(native.Failure.Position, code)
		}
		result.Error = renderError(native.Failure, result.Position)
	}
	return result, nil
}

// ExecuteFunctions is Execute in the dialect's older shape, a bare list of functions in place of providers. It warns
// once per call and wraps them as one provider named "codemode".
func (e *Executor) ExecuteFunctions(ctx context.Context, code string, functions []Function, options *ExecuteOptions) (*Result, error) {
	e.warn(legacyWarning)
	return e.Execute(ctx, code, []Provider{{Name: legacyProvider, Functions: functions}}, options)
}

// closeGrace bounds how long Close waits for the functions of calls, as in executor.
const closeGrace = 10 * time.Second

// Close closes the native executor, cancels the calls that outlived their runs and waits for them. A function that ignores the
// end of its context, or has called Close itself, is waited for ten seconds, and then told of in the error. It is the dialect's
// dispose, and idempotent.
func (e *Executor) Close() error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	err := e.native.Close()
	e.cancel()
	gone := make(chan struct{})
	go func() {
		e.runs.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-time.After(closeGrace):
		err = cmp.Or(err, error(protocol.Errorf(protocol.CodePoolClosed, "the executor is closed, but tool calls did not return within %s of the end of their context", closeGrace)))
	}
	return err
}
