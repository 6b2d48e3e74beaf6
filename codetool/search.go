package codetool

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/typegen"
)

// When the declarations do not fit Options.DescriptionBudget, programs find them with two functions more in the
// namespace DefaultNamespace:
//
//	await codemode.search("open issues")          // → [{ name: "github.list_issues", description: "…" }, …]
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
	// maxLine bounds the description of one search result, and a note in a short description, in characters.
	maxLine = 200
	// minNames is the room that notes leave to names in a short description, in characters.
	minNames = 300
)

// catalogue is all that programs can look up.
type catalogue struct {
	namespaces       []*namespace
	entries          []entry
	search, describe string // how programs spell the two functions
}

type entry struct {
	name        string // "github.list_issues"
	text        string
	declaration string
	haystack    string
}

// addSearch makes the declarations findable from inside a program.
func (t *Tool) addSearch(blocks []typegen.Block) *catalogue {
	c := &catalogue{namespaces: slices.Clone(t.namespaces)}
	for i, ns := range t.namespaces {
		for j, tool := range ns.tools {
			single := typegen.Block{Namespace: ns.identifier, Tools: blocks[i].Tools[j : j+1]}
			e := entry{name: ns.identifier + "." + tool.identifier, text: oneLine(tool.summary()), declaration: single.String()}
			e.haystack = strings.ToLower(e.name + " " + tool.Name + " " + ns.provider + " " + tool.summary())
			c.entries = append(c.entries, e)
		}
	}
	home := t.homeNamespace()
	taken := make([]string, 0, len(home.tools)+2)
	for _, tool := range home.tools {
		taken = append(taken, tool.identifier)
	}
	search, describe := freeName(SearchName, taken), freeName(DescribeName, taken)
	c.search, c.describe = home.identifier+"."+search, home.identifier+"."+describe
	home.extra = []dialect.Function{{Name: search, Call: c.answerSearch}, {Name: describe, Call: c.answerDescribe}}
	return c
}

// homeNamespace is the namespace called DefaultNamespace, made when no provider has it.
func (t *Tool) homeNamespace() *namespace {
	for _, ns := range t.namespaces {
		if ns.identifier == DefaultNamespace {
			return ns
		}
	}
	home := &namespace{identifier: DefaultNamespace}
	all := append(slices.Clone(t.namespaces), home)
	home.suggest = func(name string) string { return suggestTool(name, home, all) }
	t.namespaces = all
	return home
}

func freeName(want string, taken []string) string {
	name := want
	for n := 2; slices.Contains(taken, name); n++ {
		name = fmt.Sprintf("%s_%d", want, n)
	}
	return name
}

// answerSearch ranks the tools by the words of the query; a query without words lists the first ones.
func (c *catalogue) answerSearch(_ context.Context, args []json.RawMessage) (any, error) {
	query, err := textArgument(args, "query")
	if err != nil {
		return nil, fmt.Errorf("%s takes the words to look for: %w", c.search, err)
	}
	words := strings.Fields(strings.ToLower(query))
	type hit struct {
		entry entry
		score int
	}
	var hits []hit
	for _, e := range c.entries {
		if score := e.score(words); score > 0 {
			hits = append(hits, hit{e, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	found := []any{}
	for _, h := range hits[:min(len(hits), maxFound)] {
		found = append(found, protocol.Object{{Key: "name", Value: h.entry.name}, {Key: "description", Value: h.entry.text}})
	}
	return found, nil
}

// score counts the words that a tool has, those in its name thrice. Plurals match their singular.
func (e *entry) score(words []string) int {
	if len(words) == 0 {
		return 1
	}
	name, score := strings.ToLower(e.name), 0
	for _, word := range words {
		for _, form := range []string{word, strings.TrimSuffix(word, "s")} {
			if strings.Contains(name, form) {
				score += 3
				break
			}
			if strings.Contains(e.haystack, form) {
				score++
				break
			}
		}
	}
	return score
}

// answerDescribe gives the declaration of a tool, or of each tool of a namespace.
func (c *catalogue) answerDescribe(_ context.Context, args []json.RawMessage) (any, error) {
	name, err := textArgument(args, "name")
	if err != nil {
		return nil, fmt.Errorf("%s takes a tool's name: %w", c.describe, err)
	}
	var texts, names []string
	for _, e := range c.entries {
		if e.name == name || strings.HasPrefix(e.name, name+".") {
			texts = append(texts, e.declaration)
		}
		names = append(names, e.name)
	}
	if len(texts) > 0 {
		return strings.Join(texts, "\n\n"), nil
	}
	if near := nearest(name, names); near != "" {
		return nil, fmt.Errorf("no tool is called %q; did you mean %q", name, near)
	}
	return nil, fmt.Errorf("no tool is called %q; %s finds one by words", name, c.search)
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

// summary is what stands in a description in place of the declarations, in at most room characters: how to look tools
// up, and as many names as fit, from every namespace alike.
func (c *catalogue) summary(room int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %d functions; their declarations are looked up from inside the program:\n", len(c.entries))
	fmt.Fprintf(&b, "//   await %s(\"words\") → [{ name, description }]\n", c.search)
	fmt.Fprintf(&b, "//   await %s(name) → its TypeScript declaration\n", c.describe)
	room -= characters(b.String())
	for _, ns := range c.namespaces {
		if note := commentLines(oneLine(ns.note)); characters(note)+minNames <= room {
			b.WriteString(note)
			room -= characters(note)
		}
	}
	shown, fits := c.namesThatFit(room)
	if !fits {
		b.WriteString(c.listNamespaces(room))
		return b.String()
	}
	for i, ns := range c.namespaces {
		b.WriteString(listNames(ns, shown[i]))
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// listNamespaces is one line with as many namespaces as fit, for when there is no room for a line each.
func (c *catalogue) listNamespaces(room int) string {
	const reserve = len("Namespaces: ") + len(", … 100000 more")
	var names []string
	for _, ns := range c.namespaces {
		if room -= len(ns.identifier) + len(", "); room < reserve {
			names = append(names, fmt.Sprintf("… %d more", len(c.namespaces)-len(names)))
			break
		}
		names = append(names, ns.identifier)
	}
	return "Namespaces: " + strings.Join(names, ", ")
}

// namesThatFit deals names out to the namespaces in turn until room is used up. It does not fit when there is no room
// for all namespaces by themselves.
func (c *catalogue) namesThatFit(room int) (shown []int, fits bool) {
	shown = make([]int, len(c.namespaces))
	for _, ns := range c.namespaces {
		room -= characters(listNames(ns, 0)) + 1
	}
	if room < 0 {
		return nil, false
	}
	for dealt := true; dealt; {
		dealt = false
		for i, ns := range c.namespaces {
			if shown[i] == len(ns.tools) {
				continue
			}
			cost := characters(listNames(ns, shown[i]+1)) - characters(listNames(ns, shown[i]))
			if cost <= room {
				room -= cost
				shown[i]++
				dealt = true
			}
		}
	}
	return shown, true
}

// listNames is the line of one namespace with its first count tools.
func listNames(ns *namespace, count int) string {
	var names []string
	for _, tool := range ns.tools[:count] {
		names = append(names, tool.identifier)
	}
	if rest := len(ns.tools) - count; rest > 0 {
		names = append(names, fmt.Sprintf("… %d more", rest))
	}
	return ns.identifier + ": " + strings.Join(names, ", ")
}

func oneLine(text string) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > maxLine {
		return string(line[:maxLine]) + "…"
	}
	return string(line)
}
