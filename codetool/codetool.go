// Package codetool is the one tool that a model gets in place of many: it takes a JavaScript program, runs it with every
// function of its providers callable, and says how the outcome reads.
//
// Five nouns are enough to read it. A [RawTool] is one function with the JSON Schemas of what it takes and returns;
// [Func] makes one of a Go function. A [Provider] is a list of them under one namespace. A [Tool] is what the model
// sees, a [Tool.Description] with the declarations of them all, and what runs its programs, [Tool.Call]. An [Outcome]
// is what became of one program.
//
//	add := codetool.Func("add", "Adds two numbers.", func(ctx context.Context, in struct{ A, B float64 }) (float64, error) {
//		return in.A + in.B, nil
//	})
//	tool := codetool.NewTool(pool, []codetool.Provider{{Name: "math", Tools: []codetool.RawTool{add}}}, nil)
//	defer tool.Close()
//	fmt.Println(tool.Description()) // … declare const math: { add: (input: AddInput) => Promise<AddOutput>; } …
//	outcome, err := tool.Call(ctx, "async () => math.add({A: 40, B: 2})")
//	// err: we failed.  outcome.Failure: the program failed.  outcome.Value: 42
//
// # Names
//
// A tool keeps its name where JavaScript allows it. Otherwise white space, "-" and "." become "_", other characters that
// no identifier has are dropped, and a reserved word gains a "_": every printed identifier can be called. Where two
// names meet on one identifier, the tool that is called exactly so keeps it, else the first by name; the others are
// numbered from _2. None of it depends on the order of the list. The name as it was is callable too, as
// ns["original-name"], except "then", which no namespace has. Namespaces are named alike, in ASCII.
//
// # Arguments
//
// A function takes one object. It is checked against the tool's input schema before the call, and what is wrong with it
// is thrown at the call site. No argument, undefined and null count as {}. Bytes arrive as base64 text. A schema that
// does not compile lets every call through, with a warning.
//
// # Lifetime
//
// A Tool is immutable and safe for concurrent use. When the tools behind it change, [Tool.With] makes another over the
// same executor; running programs keep theirs. [Tool.Close] closes the executor.
package codetool

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

// Options adjusts a Tool. The zero value of every field is its documented default.
type Options struct {
	// Timeout bounds a run in wall time, tool calls included; 0 is the executor's default.
	Timeout time.Duration
	// Limits tightens the executor's limits.
	Limits protocol.Limits
	// Outbound is what programs may reach over the network; unset blocks everything.
	Outbound protocol.Outbound
	// Modules maps a specifier to the source that programs may import; nil is the executor's default.
	Modules map[string]string
	// LosslessIntegers makes integers beyond ±(2^53−1) arrive as BigInt and leave digit for digit.
	LosslessIntegers bool
	// ConsoleFormat says how console arguments read; empty is protocol.ConsoleInspect.
	ConsoleFormat protocol.ConsoleFormat
	// Description is the template of the tool's description. "{{types}}" stands for the declarations, "{{example}}" for a
	// call of the first tool; each is filled in once. Empty is DefaultDescription, or ServerDescription when no namespace
	// is called as its example has it; the compact form then brings words of its own.
	Description string
	// Form is how much of the declarations the description shows; empty is FormAuto.
	Form Form
	// DescriptionBudget bounds the description's length in characters, but for FormFull. When the full declarations do
	// not fit, the description has the compact form and programs look the rest up, see SearchName. 0 is no bound.
	DescriptionBudget int
	// Search makes the two functions of SearchName callable whatever the budget, for a host whose clients show
	// descriptions of different lengths (see Tool.DescriptionWithin).
	Search bool
	// Approve is asked before each call of a tool that needs approval; an error is thrown at the call site in place of
	// the call. Nil leaves such tools out: they are neither declared nor callable.
	Approve func(ctx context.Context, call Call) error
	// Authorize is asked before each call of any tool, after its arguments were checked; an error is thrown at the
	// call site in place of the call. Nil allows every call.
	Authorize func(ctx context.Context, call Call) error
	// RunUnchecked runs every program. Otherwise one that will surely fail, because it calls a tool or reads a variable that
	// does not exist, is answered without a run; see Failure.Foreseen.
	RunUnchecked bool
	// Check has programs checked against the declarations before they run; see FindChecker. Nil runs them unchecked.
	Check *Checker
	// Shapes learns what results of tools without an output schema look like, for the declarations of the next Tool that
	// With makes, and of the next process; nil learns nothing.
	Shapes *Shapes
	// Logger receives warnings about schemas and names. Nil discards.
	Logger *slog.Logger
}

// Tool is the one tool. Make it with NewTool.
type Tool struct {
	executor   *dialect.Executor
	options    Options
	namespaces []*namespace
	callable   []*namespace // the same, and the one of search and describe
	providers  []dialect.Provider
	declared   func() []Declarations
	catalogue  *catalogue // what programs can look up; nil when they cannot

	mu        sync.Mutex
	described map[int]string // descriptions by budget
}

// NewTool makes the tool over executor, which it owns from then on.
func NewTool(executor protocol.Executor, providers []Provider, options *Options) *Tool {
	var o Options
	if options != nil {
		o = *options
	}
	if o.Outbound.Mode() == protocol.OutboundUnset {
		o.Outbound = protocol.BlockOutbound()
	}
	if o.ConsoleFormat == "" {
		o.ConsoleFormat = protocol.ConsoleInspect
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return build(dialect.New(executor, nil), providers, o, nil)
}

// With makes a Tool of other providers over the same executor and options. Closing either closes the executor of both.
func (t *Tool) With(providers []Provider) *Tool {
	return build(t.executor, providers, t.options, t.namespaces)
}

// build makes a Tool. What it says of its tools is worked out when it is asked for; of namespaces that are the same as
// before, not again.
func build(executor *dialect.Executor, providers []Provider, options Options, before []*namespace) *Tool {
	t := &Tool{executor: executor, options: options}
	t.namespaces = bindAll(providers, &t.options, before)
	t.callable = t.namespaces
	t.declared = sync.OnceValue(t.declareAll)
	if t.needsSearch() {
		t.catalogue = t.newCatalogue()
	}
	for _, ns := range t.callable {
		t.providers = append(t.providers, ns.forDialect())
	}
	return t
}

// needsSearch reports whether some description of the tool leaves declarations out.
func (t *Tool) needsSearch() bool {
	switch {
	case t.options.Search, t.options.Form == FormCompact:
		return true
	case t.options.Form == FormFull:
		return false
	}
	return t.options.DescriptionBudget > 0 && !fits(t.full(), t.options.DescriptionBudget)
}

// Close ends what runs and closes the executor. It is idempotent.
func (t *Tool) Close() error { return t.executor.Close() }

// CallOptions adjusts one call. Its zero value leaves the Tool's options as they are.
type CallOptions struct {
	// Timeout replaces Options.Timeout when it is set.
	Timeout protocol.Timeout
	// Limits replaces Options.Limits when any field of it is set.
	Limits protocol.Limits
}

// Call runs one program, as the model wrote it. A program that fails is no error, see Outcome.Failure. The error is
// the executor's own or the context's.
func (t *Tool) Call(ctx context.Context, code string) (*Outcome, error) {
	return t.CallWith(ctx, code, CallOptions{})
}

// CallWith is Call with bounds of its own.
func (t *Tool) CallWith(ctx context.Context, code string, options CallOptions) (*Outcome, error) {
	if foreseen := t.foresee(code); foreseen != nil {
		return foreseen, nil
	}
	if checked := t.checked(ctx, code); checked != nil {
		return checked, nil
	}
	result, err := t.execute(ctx, code, options)
	if err != nil {
		return nil, err
	}
	ran := retry{code: code}
	if again, ok := rereadings(result, code); ok {
		if foreseen := t.foresee(again.code); foreseen != nil && isSyntaxFailure(result) {
			foreseen.Failure.Position = again.inCallersText(foreseen.Failure.Position)
			foreseen.Failure.Frame = frameOf(code, foreseen.Failure.Position)
			return foreseen, nil
		}
		second, err := t.execute(ctx, again.code, options)
		if err != nil {
			return nil, err
		}
		if !isSyntaxFailure(second) {
			result, ran = second, again
			result.Position = again.inCallersText(result.Position)
		}
	}
	if t.options.Shapes != nil {
		if err := t.options.Shapes.Save(); err != nil {
			t.options.Logger.Warn("what results look like cannot be kept", "error", err)
		}
	}
	return t.outcome(result, code, ran), nil
}

func (t *Tool) execute(ctx context.Context, code string, options CallOptions) (*dialect.Result, error) {
	execute := dialect.ExecuteOptions{
		Modules:          t.options.Modules,
		Timeout:          options.Timeout,
		Outbound:         t.options.Outbound,
		Limits:           options.Limits,
		LosslessIntegers: t.options.LosslessIntegers,
		ConsoleFormat:    t.options.ConsoleFormat,
		AllLevels:        true,
	}
	if !execute.Timeout.IsSet() && t.options.Timeout != 0 {
		execute.Timeout = protocol.TimeoutOf(t.options.Timeout)
	}
	if execute.Limits == (protocol.Limits{}) {
		execute.Limits = t.options.Limits
	}
	return t.executor.Execute(ctx, code, t.providers, &execute)
}
