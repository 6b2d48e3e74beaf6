package codetool

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/typegen"
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

// describe prints the declarations and, when they may not fit somewhere, prepares what is shown in their place.
func (t *Tool) describe() {
	blocks := t.declare()
	t.declarations = t.printBlocks(blocks)
	texts := make([]string, len(t.declarations))
	for i, d := range t.declarations {
		texts[i] = commentLines(t.namespaces[i].note) + d.Text
	}
	t.full = t.fill(strings.Join(texts, "\n\n"))
	if t.options.Search || !fits(t.full, t.options.DescriptionBudget) {
		t.catalogue = t.addSearch(blocks)
	}
}

// Description is what the model reads about the tool, within Options.DescriptionBudget.
func (t *Tool) Description() string { return t.DescriptionWithin(t.options.DescriptionBudget) }

// DescriptionWithin is the description for a client that shows budget characters of it; 0 is no bound. With the
// declarations when they fit; else, when programs can search (see Options.Search), with names and the means to look the
// rest up.
func (t *Tool) DescriptionWithin(budget int) string {
	if t.catalogue == nil || fits(t.full, budget) {
		return t.full
	}
	return t.fill(t.catalogue.summary(budget - characters(t.fill(""))))
}

func fits(text string, budget int) bool { return budget <= 0 || characters(text) <= budget }

// fill replaces each placeholder of the template where it first occurs. What is filled in is literal: a placeholder or a
// "$" in it stays what it is.
func (t *Tool) fill(types string) string {
	template := t.options.Description
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

// declare generates the declarations of all namespaces together, so that no type name occurs twice.
func (t *Tool) declare() []typegen.Block {
	namespaces := make([]typegen.Namespace, len(t.namespaces))
	for i, ns := range t.namespaces {
		namespaces[i].Name = ns.identifier
		for _, tool := range ns.tools {
			namespaces[i].Tools = append(namespaces[i].Tools, typegen.Tool{
				Name: tool.Name, Identifier: tool.identifier, Description: tool.summary(),
				InputSchema: tool.InputSchema, OutputSchema: tool.OutputSchema,
			})
		}
	}
	blocks := typegen.GenerateAll(namespaces...)
	for i, block := range blocks {
		for _, w := range block.Warnings {
			t.options.Logger.Warn("a schema is not declared as it stands", "provider", t.namespaces[i].provider,
				"tool", w.Tool, "path", w.Path, "reason", w.Message)
		}
	}
	return blocks
}

// summary is what is known about a tool in words.
func (t *boundTool) summary() string {
	if strings.TrimSpace(t.Description) == "" {
		return t.Title
	}
	return t.Description
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

// Declare prints the declarations of providers that are read together, as a Tool of them would. Nothing is called, so
// that the tools need no Call.
func Declare(providers []Provider) []Declarations {
	declared := slices.Clone(providers)
	for i := range declared {
		declared[i].Tools = slices.Clone(declared[i].Tools)
		for j := range declared[i].Tools {
			declared[i].Tools[j].Call = func(context.Context, json.RawMessage) (any, error) { return nil, nil }
		}
	}
	return build(nil, declared, Options{Logger: slog.New(slog.DiscardHandler)}).declarations
}

// Declarations are the declarations of the tool's namespaces, in their order, whatever fits into the description.
func (t *Tool) Declarations() []Declarations { return slices.Clone(t.declarations) }

func (t *Tool) printBlocks(blocks []typegen.Block) []Declarations {
	printed := make([]Declarations, 0, len(blocks))
	for i, block := range blocks {
		ns := t.namespaces[i]
		d := Declarations{Provider: ns.provider, Namespace: ns.identifier, Text: ns.types}
		if d.Text == "" {
			d.Text = block.String()
		}
		for _, w := range block.Warnings {
			d.Warnings = append(d.Warnings, fmt.Sprintf("tool %q, %s: %s", w.Tool, w.Path, w.Message))
		}
		printed = append(printed, d)
	}
	return printed
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

func characters(text string) int { return len([]rune(text)) }
