package config

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/codemode-go/codemode/codetool"
)

// Policy is what happens at the moment of a call. Its zero value allows everything.
type Policy struct {
	// Rules are in the order of the file; of several files the later one's come first.
	Rules []codetool.Rule
	// Default is for calls that no rule matches; empty allows them.
	Default codetool.Action
	// ApproveCode asks before each program, with its text.
	ApproveCode bool
	// AskTimeout bounds the wait for a person; 0 is the server's default.
	AskTimeout time.Duration
}

// policyFields are the members of "codemode.policy", ruleFields those of a rule.
var (
	actions    = []string{string(codetool.Allow), string(codetool.Deny), string(codetool.Ask)}
	ruleFields = []field{
		{key: "action", shape: shapeString, values: actions, doc: "What happens to a call that matches: it is let through, refused, or put to a person."},
		{key: "server", shape: shapeCommand, standard: "every server", doc: "Globs over servers' names or namespaces. Case does not count."},
		{key: "tool", shape: shapeCommand, standard: "every tool", doc: "Globs over tools' names: the server's own (`get-sum`) or the one that programs call (`get_sum`). Case does not count."},
		{key: "readOnly", shape: shapeBool, doc: "The server says (true), or does not say (false), that the tool only reads."},
		{key: "destructive", shape: shapeBool, doc: "The tool may destroy (true): it does not say that it only reads, nor that it does not destroy."},
		{key: "when", shape: shapeString, doc: "CEL expression over `args`, `server` and `tool` (their own names: `get-sum`), `calledServer` and `calledTool` (what programs call them: `get_sum`), `readOnly` and `destructive`. Names are compared as they are. When it cannot be evaluated (an argument is missing: ask `has(args.path)` first), the rule matches if it denies or asks."},
		{key: "reason", shape: shapeString, doc: "What the program, and the person who is asked, are told."},
	}
	policyFields = []field{
		{key: "default", shape: shapeString, values: actions, standard: "allow", doc: "What happens to calls that no rule matches."},
		{key: "approve", shape: shapeString, values: []string{"calls", "code"}, standard: "calls", doc: "code shows each program to a person before it runs, too."},
		{key: "askTimeout", shape: shapeDuration, standard: "40s", doc: "How long a person may take; then the call is refused. The run's clock stands meanwhile."},
		{key: "rules", shape: shapeObjects, doc: "The first rule that matches a call decides. It is checked on the host, at the moment of the call.", fields: ruleFields},
	}
)

func (s *Settings) readPolicy(file string, in *node) error {
	return readFields(file, "codemode.policy", in, policyFields, func(key string, value *node) error {
		switch key {
		case "default":
			s.Policy.Default = codetool.Action(value.text)
		case "approve":
			s.Policy.ApproveCode = value.text == "code"
		case "askTimeout":
			s.Policy.AskTimeout = value.duration()
		case "rules":
			rules, err := readRules(file, value)
			if err != nil {
				return err
			}
			s.Policy.Rules = append(rules, s.Policy.Rules...)
		}
		return nil
	})
}

func readRules(file string, in *node) ([]codetool.Rule, error) {
	var rules []codetool.Rule
	for i, item := range in.items {
		var rule codetool.Rule
		path := fmt.Sprintf("codemode.policy.rules[%d]", i)
		err := readFields(file, path, item, ruleFields, func(key string, value *node) (err error) {
			switch key {
			case "action":
				rule.Action = codetool.Action(value.text)
			case "server":
				rule.Servers, err = patterns(value)
			case "tool":
				rule.Tools, err = patterns(value)
			case "readOnly":
				is := value.is("true")
				rule.ReadOnly = &is
			case "destructive":
				is := value.is("true")
				rule.Destructive = &is
			case "when":
				rule.When = value.text
			case "reason":
				rule.Reason = value.text
			}
			return err
		})
		if err != nil {
			return nil, placed{err}
		}
		if err := checkRule(file, path, item, rule); err != nil {
			return nil, placed{err}
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// placed is an error that has its place already.
type placed struct{ error }

// placedOrNil marks the error of a section, which has its place.
func placedOrNil(err error) error {
	if err == nil {
		return nil
	}
	return placed{err}
}

func checkRule(file, path string, item *node, rule codetool.Rule) error {
	_, err := codetool.NewPolicy([]codetool.Rule{rule}, "")
	wrong := (*codetool.RuleError)(nil)
	if !errors.As(err, &wrong) {
		return err
	}
	key := map[string]string{"servers": "server", "tools": "tool"}[wrong.Field]
	if key == "" {
		key = wrong.Field
	}
	at := item
	if value := item.get(key); value != nil {
		at = value
	}
	return fmt.Errorf("%s %s.%s %w", place(file, at.at), path, key, wrong.Err)
}

// patterns reads what is held against names; an empty one would match nothing.
func patterns(value *node) ([]string, error) {
	list, err := oneOrMany(value)
	if err == nil && slices.Contains(list, "") {
		err = errors.New("has an empty glob")
	}
	return list, err
}

// oneOrMany reads a text, or a list of them.
func oneOrMany(value *node) ([]string, error) {
	if value.kind == isString {
		return []string{value.text}, nil
	}
	if value.kind != isArray || len(value.items) == 0 {
		return nil, fmt.Errorf("must be a text or a list of them, is %s", value.kind)
	}
	var list []string
	for _, item := range value.items {
		if item.kind != isString {
			return nil, fmt.Errorf("must be a text or a list of them, has %s in it", item.kind)
		}
		list = append(list, item.text)
	}
	return list, nil
}
