package codetool

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

// Action is what a policy does with a call.
type Action string

const (
	// Allow lets the call through.
	Allow Action = "allow"
	// Deny throws at the call site.
	Deny Action = "deny"
	// Ask leaves it to a person.
	Ask Action = "ask"
)

// Hints are what a server says of a tool, as annotations of MCP. What it does not say is assumed as the specification does: a
// tool may write, and may destroy.
type Hints struct {
	ReadOnly, Destructive *bool
	// Names are further names by which rules may mean the tool, such as what it is called beside tools that this caller has not.
	Names []string
}

// readOnly and destructive are the hints with the specification's defaults; a tool that only reads destroys nothing.
func (h Hints) readOnly() bool { return h.ReadOnly != nil && *h.ReadOnly }
func (h Hints) destructive() bool {
	return !h.readOnly() && (h.Destructive == nil || *h.Destructive)
}

// Rule says what happens to calls that match all of its conditions. A condition that is not set matches every call.
type Rule struct {
	Action Action
	// Servers and Tools are patterns of path.Match over the names as the host gave them and as programs use them, see
	// Matches; one of each has to match.
	Servers, Tools []string
	// ReadOnly and Destructive are what the tool's hints have to be.
	ReadOnly, Destructive *bool
	// When is an expression of CEL, the Common Expression Language, over args (the argument object), server and tool (as the host gave
	// them), calledServer and calledTool (as programs use them), readOnly and destructive. Where it cannot be evaluated, because an argument is missing for example, the rule counts as matching
	// if it denies or asks and as not matching if it allows: has(args.path) asks first.
	When string
	// Reason is told to the program, and to the person who is asked.
	Reason string
}

// RuleError is a rule that cannot be used.
type RuleError struct {
	// Index is its place in the list, Field what of it is wrong: action, servers, tools or when.
	Index int
	Field string
	Err   error
}

func (e *RuleError) Error() string { return fmt.Sprintf("rule %d: %s %v", e.Index+1, e.Field, e.Err) }
func (e *RuleError) Unwrap() error { return e.Err }

// Policy decides about calls. It is immutable and safe for concurrent use.
type Policy struct {
	rules    []compiledRule
	standard Action
}

type compiledRule struct {
	Rule
	when expression
}

// expression decides whether a rule's condition holds.
type expression func(ctx context.Context, call *Call, hints Hints) (bool, error)

// NewPolicy makes a policy of rules, of which the first that matches decides, and of what happens to other calls; empty is
// Allow. The error is a *RuleError.
func NewPolicy(rules []Rule, standard Action) (*Policy, error) {
	if standard == "" {
		standard = Allow
	}
	p := &Policy{standard: standard}
	for i, rule := range rules {
		compiled, field, err := compileRule(rule)
		if err != nil {
			return nil, &RuleError{i, field, err}
		}
		p.rules = append(p.rules, compiled)
	}
	return p, nil
}

func compileRule(rule Rule) (c compiledRule, field string, err error) {
	switch rule.Action {
	case Allow, Deny, Ask:
	default:
		return c, "action", fmt.Errorf("must be allow, deny or ask, is %q", rule.Action)
	}
	for _, of := range []struct {
		field    string
		patterns []string
	}{{"servers", rule.Servers}, {"tools", rule.Tools}} {
		for _, pattern := range of.patterns {
			if _, err := path.Match(pattern, ""); err != nil {
				return c, of.field, fmt.Errorf("%q is not a pattern: %w", pattern, err)
			}
		}
	}
	c.Rule = rule
	if rule.When != "" {
		if c.when, err = compileExpression(rule.When); err != nil {
			return c, "when", err
		}
	}
	return c, "", nil
}

// Decision is what a policy says of one call.
type Decision struct {
	Action Action
	// Rule is the place of the rule that decided, from 0; -1 when none did.
	Rule int
	// Reason is that rule's, or why its expression could not be evaluated.
	Reason string
}

// Decide finds the first rule that matches.
func (p *Policy) Decide(ctx context.Context, call *Call, hints Hints) Decision {
	for i := range p.rules {
		rule := &p.rules[i]
		if !rule.matches(call, hints) {
			continue
		}
		if rule.when == nil {
			return Decision{rule.Action, i, rule.Reason}
		}
		holds, err := rule.when(ctx, call, hints)
		switch {
		case err != nil && rule.Action != Allow:
			return Decision{rule.Action, i, strings.TrimSpace(fmt.Sprintf("%s (its condition could not be evaluated: %v)", rule.Reason, err))}
		case err == nil && holds:
			return Decision{rule.Action, i, rule.Reason}
		}
	}
	return Decision{Action: p.standard, Rule: -1}
}

func (r *Rule) matches(call *Call, hints Hints) bool {
	return (len(r.Servers) == 0 || Matches(r.Servers, call.Provider, call.Namespace)) &&
		(len(r.Tools) == 0 || Matches(r.Tools, append([]string{call.Tool, call.Identifier}, hints.Names...)...)) &&
		(r.ReadOnly == nil || *r.ReadOnly == hints.readOnly()) && (r.Destructive == nil || *r.Destructive == hints.destructive())
}

// DeniedError is a call that was not made.
type DeniedError struct {
	Server, Tool string
	// Why is a sentence without its full stop.
	Why string
}

func (e *DeniedError) Error() string {
	return fmt.Sprintf("%s.%s was not called: %s", e.Server, e.Tool, e.Why)
}

// Denied is the error that keeps a call from being made: a *DeniedError, or nil when the decision is Allow. A host that asks
// nobody refuses so what is to be asked about; one that does looks at Action first.
func (d Decision) Denied(call *Call) error {
	if d.Action == Allow {
		return nil
	}
	why := "the policy denies it"
	if d.Reason != "" {
		why += ": " + d.Reason
	}
	return &DeniedError{call.Provider, call.Tool, why}
}

// argumentsOf are a call's arguments as CEL sees them: whole numbers are integers, others are floating.
func argumentsOf(raw json.RawMessage) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return celValue(value), nil
}

func celValue(value any) any {
	switch v := value.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, _ := v.Float64() // what is too large is infinite, as in JavaScript
		return f
	case map[string]any:
		for key := range v {
			v[key] = celValue(v[key])
		}
	case []any:
		for i := range v {
			v[i] = celValue(v[i])
		}
	}
	return value
}
