package codetool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/typegen"
)

// namespace is a provider whose tools have their identifiers.
type namespace struct {
	provider     string
	identifier   string
	types        string
	note         string
	instructions string
	tools        []*boundTool
	byName       map[string]*boundTool
	suggest      func(name string) string // see NotFound in forDialect
	extra        []dialect.Function
	withheld     map[string]func(ctx context.Context, args []json.RawMessage) (any, error)
	compact      func() typegen.Compact        // the short declarations
	full         atomic.Pointer[typegen.Block] // the full ones as they were printed last; nil before
}

func newNamespace(provider, identifier string) *namespace {
	ns := &namespace{provider: provider, identifier: identifier, byName: map[string]*boundTool{},
		withheld: map[string]func(context.Context, []json.RawMessage) (any, error){}}
	ns.compact = sync.OnceValue(func() typegen.Compact { return typegen.GenerateCompact(ns.forTypegen()) })
	return ns
}

// boundTool is a tool that programs can call.
type boundTool struct {
	RawTool
	provider   string
	namespace  string
	identifier string
	observed   json.RawMessage // what results looked like so far, as a schema; nil when unknown or declared
	validator  *validator
	options    *Options
	signature  func() string // its short declaration
}

// bindAll names everything. Tools that nobody can approve are not there at all. A namespace whose tools have not changed
// since before takes over what was worked out about them.
func bindAll(providers []Provider, options *Options, before []*namespace) []*namespace {
	names := make([]string, len(providers))
	for i, p := range providers {
		names[i] = p.Name
	}
	namespaces := make([]*namespace, len(providers))
	for i, identifier := range assignIdentifiers(names, NamespaceName) {
		namespaces[i] = bind(&providers[i], identifier, options)
		for _, old := range before {
			namespaces[i].takeOver(old)
		}
	}
	for _, ns := range namespaces {
		ns.suggest = func(name string) string { return suggestTool(name, ns, namespaces) }
	}
	return namespaces
}

func bind(p *Provider, identifier string, options *Options) *namespace {
	ns := newNamespace(p.Name, identifier)
	ns.types, ns.note, ns.instructions = p.Types, p.Note, aboutOf(p.Instructions)
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
	for _, withheld := range p.Withheld {
		names = append(names, withheld.Name)
	}
	identifiers := assignIdentifiers(names, toolIdentifier)
	ns.refuse(p.Withheld, identifiers[len(ns.tools):])
	for i, tool := range ns.tools {
		identifier := identifiers[i]
		tool.identifier = identifier
		if len(tool.OutputSchema) == 0 {
			tool.observed = options.Shapes.schema(tool)
		}
		tool.validator = newValidator(tool)
		tool.signature = sync.OnceValue(func() string { return typegen.GenerateCompactTool(tool.namespace, tool.forTypegen()) })
	}
	return ns
}

// refuse has calls of withheld tools be refused, by their identifiers and by the names that the host gave.
func (ns *namespace) refuse(list []Withheld, identifiers []string) {
	for i, withheld := range list {
		call := func(ctx context.Context, args []json.RawMessage) (any, error) {
			arguments, err := argumentObject(args)
			if err != nil {
				return nil, err
			}
			return nil, withheld.Refuse(ctx, arguments)
		}
		ns.extra = append(ns.extra, dialect.Function{Name: identifiers[i], Call: call})
		ns.withheld[withheld.Name] = call
	}
}

// takeOver keeps what is known about the tools of old when ns has the same: its declarations and compiled schemas.
func (ns *namespace) takeOver(old *namespace) {
	if old.identifier != ns.identifier || len(old.tools) != len(ns.tools) {
		return
	}
	for i, tool := range ns.tools {
		if !tool.sameAs(old.tools[i]) {
			return
		}
	}
	ns.compact = old.compact
	ns.full.Store(old.full.Load())
	for i, tool := range ns.tools {
		tool.validator, tool.signature = old.tools[i].validator, old.tools[i].signature
	}
}

// sameAs reports whether two tools are described alike.
func (t *boundTool) sameAs(other *boundTool) bool {
	return t.Name == other.Name && t.Title == other.Title && t.Description == other.Description && t.identifier == other.identifier &&
		bytes.Equal(t.InputSchema, other.InputSchema) && bytes.Equal(t.OutputSchema, other.OutputSchema) &&
		bytes.Equal(t.observed, other.observed)
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
		if refuse := ns.withheld[name]; refuse != nil {
			return refuse(ctx, args)
		}
		err := &protocol.ToolNotFoundError{Tool: name}
		if near := ns.suggest(name); near != "" {
			return nil, errors.New(err.Error() + `; did you mean "` + near + `"?`)
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
	if t.options.Shapes != nil && err == nil && len(t.OutputSchema) == 0 {
		t.options.Shapes.learn(t, value)
	}
	if raw, ok := value.(json.RawMessage); ok && raw == nil {
		value = protocol.Undefined{}
	}
	return value, err
}

// argumentObject is the first argument as plain JSON; a missing one, and undefined, which crosses as null, are {}. A vast one
// is refused: it is held against a schema and a policy.
func argumentObject(args []json.RawMessage) (json.RawMessage, error) {
	if len(args) == 0 || string(args[0]) == "null" {
		return json.RawMessage("{}"), nil
	}
	if IsVast(args[0]) {
		return nil, fmt.Errorf("the argument has more than %d values in it (limit maxShaped)", maxShaped)
	}
	return plainJSON(args[0])
}
