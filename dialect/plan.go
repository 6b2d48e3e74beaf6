package dialect

import (
	"context"
	"encoding/json"

	"github.com/codemode-go/codemode/protocol"
)

// Func is a tool's implementation. Each argument is one value in protocol's encoding (protocol.DecodeValue reads it;
// plain JSON reads as itself). What it returns goes through protocol.EncodeValue: a json.RawMessage passes with its
// bytes as they are, as data: a binary argument handed back as it came is no longer bytes, decode it first.
// protocol.Undefined is undefined. An error is thrown in the program with the error's text. A Func
// returns when its context ends.
type Func func(ctx context.Context, args []json.RawMessage) (any, error)

// Function is one tool of a provider.
type Function struct {
	// Name is free-form; programs call the tool by SanitizeToolName(Name).
	Name string
	Call Func
}

// Provider is one namespace in the program's scope.
type Provider struct {
	Name string
	// Functions in declaration order, which is the order a collision of names is reported in. Of two with the same
	// name the later holds, as in a JavaScript record.
	Functions []Function
	// Prelude is JavaScript that runs once the namespaces exist (the dialect's own field).
	Prelude string
	// PositionalArgs and ProxySource extend the dialect; see protocol.ProviderDescriptor.
	PositionalArgs bool
	ProxySource    string
	// ExactNames exposes each function under its Name as it is. The host has then chosen the names itself.
	ExactNames bool
	// NotFound answers a call of a name that no function has; nil throws protocol.ToolNotFoundError's text.
	NotFound func(ctx context.Context, tool string, args []json.RawMessage) (any, error)
}

// toolName is the identifier a function is exposed under.
func (p *Provider) toolName(function Function) string {
	if p.ExactNames {
		return function.Name
	}
	return SanitizeToolName(function.Name)
}

// planExecution splits providers and connectors into the descriptors that cross to the executor and the handlers that
// stay here. Optional members that are unset stay unset, so a plain provider crosses as its name and tools alone.
func planExecution(providers []Provider, connectors []Connector) ([]protocol.ProviderDescriptor, map[string]protocol.Handler) {
	descriptors := make([]protocol.ProviderDescriptor, 0, len(providers)+len(connectors))
	handlers := make(map[string]protocol.Handler, len(providers)+len(connectors))
	for i := range providers {
		descriptor, handler := planProvider(&providers[i])
		descriptors = append(descriptors, descriptor)
		handlers[descriptor.Name] = handler
	}
	for _, c := range connectors {
		descriptors = append(descriptors, protocol.ProviderDescriptor{Name: c.Name, Tools: []string{}})
		handlers[c.Name] = c.handler()
	}
	return descriptors, handlers
}

func planProvider(p *Provider) (protocol.ProviderDescriptor, protocol.Handler) {
	tools := make([]string, 0, len(p.Functions))
	calls := make(map[string]Func, len(p.Functions))
	for _, f := range p.Functions {
		name := p.toolName(f)
		if _, known := calls[name]; !known {
			tools = append(tools, name)
		}
		calls[name] = f.Call
	}
	descriptor := protocol.ProviderDescriptor{
		Name: p.Name, Tools: tools, Prelude: p.Prelude, PositionalArgs: p.PositionalArgs, ProxySource: p.ProxySource,
	}
	notFound := p.NotFound
	return descriptor, func(ctx context.Context, tool, argsJSON string) (json.RawMessage, error) {
		args, err := parseArguments(argsJSON)
		if err != nil {
			return nil, err
		}
		var value any
		switch call := calls[tool]; {
		case call != nil:
			value, err = call(ctx, args)
		case notFound != nil:
			value, err = notFound(ctx, tool, args)
		default:
			err = &protocol.ToolNotFoundError{Tool: tool}
		}
		if err != nil {
			return nil, err
		}
		return protocol.EncodeValue(value)
	}
}
