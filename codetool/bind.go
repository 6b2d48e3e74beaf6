package codetool

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

// namespace is a provider whose tools have their identifiers.
type namespace struct {
	provider   string
	identifier string
	types      string
	note       string
	tools      []*boundTool
	byName     map[string]*boundTool
	suggest    func(name string) string // see NotFound in forDialect
	extra      []dialect.Function
}

// boundTool is a tool that programs can call.
type boundTool struct {
	RawTool
	provider   string
	namespace  string
	identifier string
	validator  *validator
	options    *Options
}

// bindAll names everything. Tools that nobody can approve are not there at all.
func bindAll(providers []Provider, options *Options) []*namespace {
	names := make([]string, len(providers))
	for i, p := range providers {
		names[i] = p.Name
	}
	namespaces := make([]*namespace, len(providers))
	for i, identifier := range assignIdentifiers(names, namespaceIdentifier) {
		namespaces[i] = bind(&providers[i], identifier, options)
	}
	for _, ns := range namespaces {
		ns.suggest = func(name string) string { return suggestTool(name, ns, namespaces) }
	}
	return namespaces
}

func bind(p *Provider, identifier string, options *Options) *namespace {
	ns := &namespace{provider: p.Name, identifier: identifier, types: p.Types, note: p.Note, byName: map[string]*boundTool{}}
	var names []string
	for _, tool := range p.Tools {
		if tool.Call == nil || tool.NeedsApproval && options.Approve == nil {
			continue
		}
		if ns.byName[tool.Name] != nil {
			options.Logger.Warn("a tool is listed twice; the first holds", "provider", p.Name, "tool", tool.Name)
			continue
		}
		bound := &boundTool{RawTool: tool, provider: p.Name, namespace: identifier, options: options}
		ns.byName[tool.Name] = bound
		ns.tools = append(ns.tools, bound)
		names = append(names, tool.Name)
	}
	for i, identifier := range assignIdentifiers(names, toolIdentifier) {
		tool := ns.tools[i]
		tool.identifier = identifier
		tool.validator = newValidator(tool)
	}
	return ns
}

// forDialect is the namespace as the dialect runs it: identifiers as they are, and a call of another name looked up
// among the names that the host gave.
func (ns *namespace) forDialect() dialect.Provider {
	p := dialect.Provider{Name: ns.identifier, ExactNames: true}
	for _, tool := range ns.tools {
		p.Functions = append(p.Functions, dialect.Function{Name: tool.identifier, Call: tool.call})
	}
	p.Functions = append(p.Functions, ns.extra...)
	p.NotFound = func(ctx context.Context, name string, args []json.RawMessage) (any, error) {
		if tool := ns.byName[name]; tool != nil {
			return tool.call(ctx, args)
		}
		err := &protocol.ToolNotFoundError{Tool: name}
		if near := ns.suggest(name); near != "" {
			return nil, errors.New(err.Error() + `; did you mean "` + near + `"`)
		}
		return nil, err
	}
	return p
}

// call answers one call of a program.
func (t *boundTool) call(ctx context.Context, args []json.RawMessage) (any, error) {
	arguments, err := argumentObject(args)
	if err != nil {
		return nil, err
	}
	if err := t.validator.check(arguments); err != nil {
		return nil, err
	}
	call := Call{Provider: t.provider, Tool: t.Name, Namespace: t.namespace, Identifier: t.identifier, Arguments: arguments}
	if t.options.Authorize != nil {
		if err := t.options.Authorize(ctx, call); err != nil {
			return nil, err
		}
	}
	if t.NeedsApproval {
		if err := t.options.Approve(ctx, call); err != nil {
			return nil, err
		}
	}
	value, err := t.Call(ctx, arguments)
	if raw, ok := value.(json.RawMessage); ok && raw == nil {
		value = protocol.Undefined{}
	}
	return value, err
}

// argumentObject is the first argument as plain JSON; a missing one, and undefined, which crosses as null, are {}.
func argumentObject(args []json.RawMessage) (json.RawMessage, error) {
	if len(args) == 0 || string(args[0]) == "null" {
		return json.RawMessage("{}"), nil
	}
	return plainJSON(args[0])
}
