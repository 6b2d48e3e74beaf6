package codetool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

// When the declarations do not fit Options.DescriptionBudget, programs find them with two functions more in the
// namespace DefaultNamespace:
//
//	await codemode.search("open issues")          // → [{ name: "github.list_issues", description: "…", signature: "…" }, …]
//	await codemode.describe("github.list_issues") // → its declaration, as text
//
// A tool of the same name keeps it; the function is then numbered.
const (
	SearchName   = "search"
	DescribeName = "describe"
)

const (
	// maxFound bounds what one search answers with.
	maxFound = 20
	// maxSignature bounds the signature of one search result, in characters; longer ones are left to describe.
	maxSignature = 400
)

// catalogue is all that programs can look up.
type catalogue struct {
	namespaces       []*namespace
	tools            []*boundTool
	search, describe string // how programs spell the two functions
	example          string
	ranked           func() *ranking
}

// newCatalogue makes the tools findable from inside a program.
func (t *Tool) newCatalogue() *catalogue {
	c := &catalogue{namespaces: slices.Clone(t.namespaces), example: t.example()}
	for _, ns := range t.namespaces {
		c.tools = append(c.tools, ns.tools...)
	}
	c.ranked = sync.OnceValue(func() *ranking { return newRanking(c.tools) })
	home := t.homeNamespace()
	taken := make([]string, 0, len(home.tools)+2)
	for _, tool := range home.tools {
		taken = append(taken, tool.identifier)
	}
	for _, withheld := range home.extra {
		taken = append(taken, withheld.Name)
	}
	search, describe := freeName(SearchName, taken), freeName(DescribeName, taken)
	c.search, c.describe = home.identifier+"."+search, home.identifier+"."+describe
	home.extra = append(home.extra, dialect.Function{Name: search, Call: c.answerSearch}, dialect.Function{Name: describe, Call: c.answerDescribe})
	return c
}

// homeNamespace is the namespace called DefaultNamespace, made when no provider has it.
func (t *Tool) homeNamespace() *namespace {
	for _, ns := range t.namespaces {
		if ns.identifier == DefaultNamespace {
			return ns
		}
	}
	home := newNamespace("", DefaultNamespace)
	all := append(slices.Clone(t.namespaces), home)
	home.suggest = func(name string) string { return suggestTool(name, home, all) }
	t.callable = all
	return home
}

func freeName(want string, taken []string) string {
	name := want
	for n := 2; slices.Contains(taken, name); n++ {
		name = fmt.Sprintf("%s_%d", want, n)
	}
	return name
}

// path is how programs reach a tool: "github.list_issues".
func (t *boundTool) path() string { return t.namespace + "." + t.identifier }

// answerSearch ranks the tools by the words of the query; a query without words lists the first ones.
func (c *catalogue) answerSearch(_ context.Context, args []json.RawMessage) (any, error) {
	query, err := textArgument(args, "query")
	if err != nil {
		return nil, fmt.Errorf("%s takes the words to look for: %w", c.search, err)
	}
	found := []any{}
	for _, tool := range c.ranked().find(query, maxFound) {
		hit := protocol.Object{{Key: "name", Value: tool.path()}, {Key: "description", Value: oneLine(tool.summary(), maxLine)}}
		if signature := tool.signature(); characters(signature) <= maxSignature {
			hit = append(hit, protocol.Member{Key: "signature", Value: signature})
		}
		found = append(found, hit)
	}
	return found, nil
}

// answerDescribe gives the declaration of a tool, or of each tool of a namespace.
func (c *catalogue) answerDescribe(_ context.Context, args []json.RawMessage) (any, error) {
	name, err := textArgument(args, "name")
	if err != nil {
		return nil, fmt.Errorf("%s takes a tool's name: %w", c.describe, err)
	}
	var texts []string
	for _, tool := range c.tools {
		if tool.path() == name || tool.namespace+"."+tool.Name == name || tool.namespace == name {
			texts = append(texts, tool.declaration())
		}
	}
	if len(texts) == 0 { // a name alone will do where it is the only one
		for _, tool := range c.tools {
			if tool.identifier == name || tool.Name == name {
				texts = append(texts, tool.declaration())
			}
		}
		if len(texts) > 1 {
			texts = nil
		}
	}
	if len(texts) > 0 {
		return strings.Join(texts, "\n\n"), nil
	}
	if near := c.nearestPath(name); near != "" {
		return nil, fmt.Errorf("no tool is called %q; did you mean %q?", name, near)
	}
	return nil, fmt.Errorf("no tool is called %q; %s finds one by words", name, c.search)
}

// nearestPath is the tool, or the namespace, that a name most likely means; a bare tool name means the first of its kind.
func (c *catalogue) nearestPath(name string) string {
	var paths []string
	for _, tool := range c.tools {
		if tool.identifier == name || tool.Name == name {
			return tool.path()
		}
		paths = append(paths, tool.path())
	}
	for _, ns := range c.namespaces {
		paths = append(paths, ns.identifier)
	}
	return nearest(name, paths)
}

// textArgument reads a text given alone or as one member of an object; no argument is the empty text.
func textArgument(args []json.RawMessage, member string) (string, error) {
	if len(args) == 0 {
		return "", nil
	}
	var text string
	if json.Unmarshal(args[0], &text) == nil {
		return text, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(args[0], &object); err != nil || json.Unmarshal(object[member], &text) != nil {
		return "", fmt.Errorf("expected a string, got %.60s", args[0])
	}
	return text, nil
}
