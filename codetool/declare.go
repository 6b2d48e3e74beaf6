package codetool

import (
	"fmt"
	"strings"

	"github.com/codemode-go/codemode/typegen"
)

// declareAll generates the full declarations of all namespaces together, so that no type name occurs twice.
func (t *Tool) declareAll() []Declarations {
	namespaces := make([]typegen.Namespace, len(t.namespaces))
	for i, ns := range t.namespaces {
		namespaces[i] = ns.forTypegen()
		namespaces[i].Before = ns.full.Load()
	}
	printed := make([]Declarations, len(t.namespaces))
	for i, block := range typegen.GenerateAll(namespaces...) {
		ns := t.namespaces[i]
		ns.full.Store(&block)
		printed[i] = Declarations{Provider: ns.provider, Namespace: ns.identifier, Text: ns.types, Warnings: warningTexts(block.Warnings)}
		if printed[i].Text == "" {
			printed[i].Text = block.String()
		}
		for _, w := range block.Warnings {
			t.options.Logger.Warn("a schema is not declared as it stands", "provider", ns.provider,
				"tool", w.Tool, "path", w.Path, "reason", w.Message)
		}
	}
	return printed
}

func warningTexts(warnings []typegen.Warning) []string {
	var texts []string
	for _, w := range warnings {
		texts = append(texts, fmt.Sprintf("tool %q, %s: %s", w.Tool, w.Path, w.Message))
	}
	return texts
}

// forTypegen is the namespace as its declarations are generated from.
func (ns *namespace) forTypegen() typegen.Namespace {
	out := typegen.Namespace{Name: ns.identifier, Tools: make([]typegen.Tool, 0, len(ns.tools))}
	for _, tool := range ns.tools {
		out.Tools = append(out.Tools, tool.forTypegen())
	}
	return out
}

func (t *boundTool) forTypegen() typegen.Tool {
	declared := typegen.Tool{
		Name: t.Name, Identifier: t.identifier, Description: t.summary(),
		InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
	}
	if t.observed != nil {
		declared.OutputSchema, declared.Observed = t.observed, true
	}
	return declared
}

// declaration is the tool's own full declaration.
func (t *boundTool) declaration() string {
	return typegen.GenerateTool(t.namespace, t.forTypegen()).String()
}

// summary is what is known about a tool in words.
func (t *boundTool) summary() string {
	if strings.TrimSpace(t.Description) == "" {
		return t.Title
	}
	return t.Description
}

// FunctionDeclaration is one function as a reader looks it up.
type FunctionDeclaration struct {
	// Namespace and Identifier are what programs call it: Namespace.Identifier.
	Namespace, Identifier string
	// Description is what its provider says of it.
	Description string
	// Text is its full declaration in TypeScript, with the types that it needs.
	Text string
}

// Functions declares every function for itself, in the order of the namespaces and their tools.
func (t *Tool) Functions() []FunctionDeclaration {
	var list []FunctionDeclaration
	for _, ns := range t.namespaces {
		for _, tool := range ns.tools {
			list = append(list, FunctionDeclaration{ns.identifier, tool.identifier, tool.summary(), tool.declaration()})
		}
	}
	return list
}
