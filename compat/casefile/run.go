package casefile

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

// Call is one call that a tool saw.
type Call struct {
	Namespace string
	Tool      string
	// Args is the description of the argument list (see Describe).
	Args json.RawMessage
	// Done is set once a delayed tool has finished its wait.
	Done bool
}

// Recorder keeps the calls of one run in the order they arrived. The zero value is ready; it is safe for concurrent use.
type Recorder struct {
	mu    sync.Mutex
	calls []*Call
}

// Calls returns a copy of what has been recorded so far.
func (r *Recorder) Calls() []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	calls := make([]Call, len(r.calls))
	for i, c := range r.calls {
		calls[i] = *c
	}
	return calls
}

func (r *Recorder) add(c *Call) (done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, c)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		c.Done = true
	}
}

// Run runs a case through the dialect. calls may be nil. The error is ours: an option that the dialect cannot express
// (see IsUnsupported), or what the executor could not do.
func (c *Case) Run(ctx context.Context, executor *dialect.Executor, calls *Recorder) (*dialect.Result, error) {
	options, err := c.Options.forDialect()
	if err != nil {
		return nil, err
	}
	providers := c.DialectProviders(calls)
	if c.Legacy {
		return executor.ExecuteFunctions(ctx, c.Code, providers[0].Functions, options)
	}
	return executor.Execute(ctx, c.Code, providers, options)
}

// DialectProviders makes the described providers real. What the tools were called with goes to calls, which may be nil.
func (c *Case) DialectProviders(calls *Recorder) []dialect.Provider {
	if calls == nil {
		calls = &Recorder{}
	}
	providers := make([]dialect.Provider, 0, len(c.Providers))
	for i := range c.Providers {
		p := &c.Providers[i]
		functions := make([]dialect.Function, 0, len(p.Tools))
		for j := range p.Tools {
			functions = append(functions, dialect.Function{Name: p.Tools[j].Name, Call: p.Tools[j].function(p.Name, calls)})
		}
		sortIndexes(functions)
		providers = append(providers, dialect.Provider{
			Name: p.Name, Functions: functions, Prelude: p.Prelude,
			PositionalArgs: p.PositionalArgs, ProxySource: p.ProxySource,
		})
	}
	return providers
}

// sortIndexes puts names that are array indexes first and in numeric order, as a JavaScript record lists its keys.
func sortIndexes(functions []dialect.Function) {
	slices.SortStableFunc(functions, func(a, b dialect.Function) int {
		return CompareKeys(a.Name, b.Name)
	})
}

// function is the tool as the dialect calls it.
func (t *Tool) function(namespace string, calls *Recorder) dialect.Func {
	behave := t.Spec.behaviour()
	return func(ctx context.Context, args []json.RawMessage) (any, error) {
		c := call{raw: args, args: make([]any, len(args))}
		for i, arg := range args {
			v, err := protocol.DecodeValue(arg)
			if err != nil {
				return nil, err
			}
			c.args[i] = v
		}
		text, err := Describe(c.args)
		if err != nil {
			return nil, err
		}
		c.done = calls.add(&Call{Namespace: namespace, Tool: t.Name, Args: json.RawMessage(text)})
		return behave(ctx, c)
	}
}

// RunNative runs a case by the native contract: the code as it stands, and each tool under its own name. calls may be
// nil. The error is ours.
func (c *Case) RunNative(ctx context.Context, executor protocol.Executor, calls *Recorder) (*protocol.ExecuteResult, error) {
	request := &protocol.ExecuteRequest{Code: c.Code}
	if err := c.Options.forNative(request); err != nil {
		return nil, err
	}
	handlers := map[string]protocol.Handler{}
	for _, p := range c.DialectProviders(calls) {
		descriptor := protocol.ProviderDescriptor{
			Name: p.Name, Tools: []string{}, Prelude: p.Prelude, PositionalArgs: p.PositionalArgs, ProxySource: p.ProxySource,
		}
		for _, f := range p.Functions {
			descriptor.Tools = append(descriptor.Tools, f.Name)
		}
		request.Providers = append(request.Providers, descriptor)
		handlers[p.Name] = nativeHandler(p.Functions)
	}
	var guard protocol.CompletionGuard
	defer guard.Complete()
	request.Dispatch = protocol.NewEnvelopeDispatch(handlers, &guard)
	return executor.Execute(ctx, request)
}

func nativeHandler(functions []dialect.Function) protocol.Handler {
	return func(ctx context.Context, tool, argsJSON string) (json.RawMessage, error) {
		i := slices.IndexFunc(functions, func(f dialect.Function) bool { return f.Name == tool })
		if i < 0 {
			return nil, &protocol.ToolNotFoundError{Tool: tool}
		}
		args, err := protocol.SplitArguments(argsJSON)
		if err != nil {
			return nil, err
		}
		v, err := functions[i].Call(ctx, args)
		if err != nil {
			return nil, err
		}
		return protocol.EncodeValue(v)
	}
}
