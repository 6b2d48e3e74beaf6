package codetool

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/codemode-go/codemode/protocol"
)

// DefaultDescription is the template that createCodeTool of @cloudflare/codemode uses, word for word.
const DefaultDescription = `Execute code to achieve a goal.

Available:
{{types}}

Write an async arrow function in JavaScript that returns the result.
Do NOT use TypeScript syntax — no type annotations, interfaces, or generics.
Do NOT define named functions then call them — just write the arrow function body directly.

Example: async () => { const r = await codemode.searchWeb({ query: "test" }); return r; }`

// ServerDescription is the template that codeMcpServer of @cloudflare/codemode uses, word for word: its example is a
// call of the first tool there is.
const ServerDescription = `Execute code to achieve a goal.

Available:
{{types}}

Write an async arrow function in JavaScript that returns the result.
Do NOT use TypeScript syntax — no type annotations, interfaces, or generics.
Do NOT define named functions then call them — just write the arrow function body directly.

{{example}}`

// Form is how much of the declarations a description shows.
type Form string

// The forms of Options.Form.
const (
	// FormAuto is the full form where it fits the budget, else the compact one.
	FormAuto Form = "auto"
	// FormFull is every declaration as @cloudflare/codemode prints it, whatever the budget.
	FormFull Form = "full"
	// FormCompact says in its first CompactHead characters how to write a program, which namespaces there are and as
	// many names as fit; after them come short declarations, or names with a few words each, as the budget allows.
	FormCompact Form = "compact"
	// FormIndex is every name with a few words, a line each. It is no form of a whole description.
	FormIndex Form = "index"
)

// Description is what the model reads about the tool, within Options.DescriptionBudget.
func (t *Tool) Description() string { return t.DescriptionWithin(t.options.DescriptionBudget) }

// DescriptionWithin is the description for a client that shows budget characters of it; 0 is no bound. In the compact
// form when Options.Form asks for it, or when the declarations do not fit and programs can look them up (see
// Options.Search).
func (t *Tool) DescriptionWithin(budget int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text, ok := t.described[budget]; ok {
		return text
	}
	text := t.describeWithin(budget)
	if t.described == nil || len(t.described) >= maxDescribed {
		t.described = map[int]string{}
	}
	t.described[budget] = text
	return text
}

// maxDescribed bounds the budgets whose description is kept.
const maxDescribed = 8

func (t *Tool) describeWithin(budget int) string {
	if t.options.Form != FormCompact {
		full := t.full()
		if t.catalogue == nil || t.options.Form == FormFull || fits(full, budget) {
			return full
		}
	}
	return t.compactWithin(budget)
}

// compactWithin is the description in the compact form. A template that ends as a default one keeps only what stands
// above that; any other stays around the compact text.
func (t *Tool) compactWithin(budget int) string {
	for _, known := range [...]string{DefaultDescription, ServerDescription, ""} {
		preamble, ok := strings.CutSuffix(t.options.Description, known)
		if ok && (known != "" || preamble == "") {
			room := frame{total: budget, head: CompactHead - characters(preamble), usage: true}
			if budget > 0 {
				room.total = max(1, budget-characters(preamble))
			}
			return preamble + t.catalogue.compact(room)
		}
	}
	around := characters(t.fill(t.options.Description, ""))
	room := frame{total: budget, head: CompactHead - around}
	if budget > 0 {
		room.total = max(1, budget-around)
	}
	return t.fill(t.options.Description, t.catalogue.compact(room))
}

// full is the description with the declarations.
func (t *Tool) full() string {
	texts := make([]string, len(t.namespaces))
	for i, d := range t.declared() {
		texts[i] = commentLines(t.namespaces[i].note) + d.Text
	}
	return t.fill(t.template(), strings.Join(texts, "\n\n"))
}

// template is the text around the declarations. The default's example calls a namespace that need not be there; then
// the other's stands in, which calls a tool that is.
func (t *Tool) template() string {
	if t.options.Description != "" {
		return t.options.Description
	}
	for _, ns := range t.namespaces {
		if ns.identifier == DefaultNamespace || len(t.namespaces) == 0 {
			return DefaultDescription
		}
	}
	if t.example() == "" {
		return strings.TrimSuffix(ServerDescription, "\n\n{{example}}")
	}
	return ServerDescription
}

func fits(text string, budget int) bool { return budget <= 0 || characters(text) <= budget }

// fill replaces each placeholder of the template where it first occurs. What is filled in is literal: a placeholder or a
// "$" in it stays what it is.
func (t *Tool) fill(template, types string) string {
	var b strings.Builder
	done := map[string]bool{}
	for {
		at, name := nextPlaceholder(template, done)
		if at < 0 {
			b.WriteString(template)
			return b.String()
		}
		b.WriteString(template[:at])
		if name == "{{types}}" {
			b.WriteString(types)
		} else {
			b.WriteString(t.example())
		}
		done[name] = true
		template = template[at+len(name):]
	}
}

func nextPlaceholder(template string, done map[string]bool) (at int, name string) {
	at = -1
	for _, candidate := range []string{"{{types}}", "{{example}}"} {
		if i := strings.Index(template, candidate); i >= 0 && !done[candidate] && (at < 0 || i < at) {
			at, name = i, candidate
		}
	}
	return at, name
}

// Declarations is what TypeScript knows of one namespace.
type Declarations struct {
	// Provider and Namespace are the names as the host gave them and as programs use them.
	Provider, Namespace string
	// Text is the block that the model reads, without a line end after the last line.
	Text string
	// Warnings say what of the tools' schemas is not declared as it stands.
	Warnings []string
}

// Declare prints the declarations of providers that are read together, as a Tool of them would. Nothing is called, so that the tools need no Call.
func Declare(providers []Provider, form Form) []Declarations {
	return describeOnly(providers).DeclarationsIn(form)
}

// describeOnly is a Tool that runs nothing.
func describeOnly(providers []Provider) *Tool {
	declared := slices.Clone(providers)
	for i := range declared {
		declared[i].Tools = slices.Clone(declared[i].Tools)
		for j := range declared[i].Tools {
			declared[i].Tools[j].Call = func(context.Context, json.RawMessage) (any, error) { return nil, nil }
		}
	}
	return build(nil, declared, Options{Logger: slog.New(slog.DiscardHandler)}, nil)
}

// Declarations are the full declarations of the tool's namespaces, in their order, whatever fits into the description.
func (t *Tool) Declarations() []Declarations { return t.DeclarationsIn(FormFull) }

// DeclarationsIn is Declarations in one of the forms; FormAuto is the full one.
func (t *Tool) DeclarationsIn(form Form) []Declarations {
	if form != FormCompact && form != FormIndex {
		return slices.Clone(t.declared())
	}
	list := make([]Declarations, 0, len(t.namespaces))
	for _, ns := range t.namespaces {
		d := Declarations{Provider: ns.provider, Namespace: ns.identifier}
		switch {
		case form == FormIndex:
			d.Text = ns.index()
		case ns.types != "":
			d.Text = ns.types
		default:
			block := ns.compact()
			d.Text, d.Warnings = block.String(), warningTexts(block.Warnings)
		}
		list = append(list, d)
	}
	return list
}

// commentLines is a text as line comments, each with a line end.
func commentLines(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' })
	return "// " + strings.Join(lines, "\n// ") + "\n"
}

// example is a call of the first tool, with a value of about the right type for each property; empty without a tool.
func (t *Tool) example() string {
	for _, ns := range t.namespaces {
		if len(ns.tools) > 0 {
			first := ns.tools[0]
			return "Example: async () => { const r = await " + ns.identifier + "." + first.identifier + "(" +
				exampleArguments(first.InputSchema) + "); return r; }"
		}
	}
	return ""
}

func exampleArguments(schema []byte) string {
	decoded, err := protocol.DecodeValue(schema)
	if err != nil {
		return "{}"
	}
	properties, _ := member(decoded, "properties").(protocol.Object)
	var parts []string
	for _, property := range properties {
		key := property.Key
		if toolIdentifier(key) != key {
			key = show(key)
		}
		value := `"..."`
		switch member(property.Value, "type") {
		case "number", "integer":
			value = "0"
		case "boolean":
			value = "true"
		}
		parts = append(parts, key+": "+value)
	}
	if len(parts) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

func member(v any, key string) any {
	if object, ok := v.(protocol.Object); ok {
		value, _ := object.Get(key)
		return value
	}
	return nil
}

func characters(text string) int { return utf8.RuneCountInString(text) }
