package codetool

import (
	"fmt"
	"slices"
	"strings"
)

// CompactHead is within how many characters a compact description says what a model has to know: Claude Code shows no
// more than 2,048 of any description.
const CompactHead = 2000

const (
	// maxLine bounds the description of one search result, and a note in a description, in characters.
	maxLine = 200
	// minNames is the room that notes leave to names in the head of a compact description, in characters.
	minNames = 100
	// maxIndexLine bounds the words about one tool in the index.
	maxIndexLine = 44
)

// usage is how to write a program, for a description that has no room for a template.
const usage = `Runs one JavaScript program (TypeScript is fine) and returns its result. Write an async arrow function; await every call; combine as many calls as the task needs; return only what you need.
%s
A result is the tool's data, or text. A failed call throws; e.message says why. No imports, files or network.
`

const lookUp = `%d functions. What is not declared here, look up from inside a program:
  await %s("words") → [{ name, description, signature }], the best first
  await %s("%s") → its TypeScript declaration
`

// frame is the room for a compact text, in characters: in all (0 is no bound), and for its head. usage says that the text
// has to say how programs are written, since no template around it does.
type frame struct {
	total, head int
	usage       bool
}

// minHead is the least room that a head is given, however long the template above it is.
const minHead = 600

// compact is the description's compact form.
func (c *catalogue) compact(f frame) string {
	head := max(f.head, minHead)
	if f.total == 0 {
		return strings.TrimSuffix(c.head(head, f.usage)+"\n\n"+c.declarations(), "\n\n")
	}
	head = min(head, f.total)
	text := c.head(head, f.usage)
	left := f.total - characters(text) - len("\n\n")
	for _, body := range []func() string{c.declarations, c.index, c.allNames} {
		if left <= 0 {
			break
		}
		if more := body(); more != "" && characters(more) <= left {
			return text + "\n\n" + more
		}
	}
	if f.total > head { // there is room for more names than the head has
		return c.head(f.total, f.usage)
	}
	return text
}

// head is what stands first, in at most room characters: how to write a program and look tools up, every namespace with
// what its server says of itself, and as many names as fit, from every namespace alike.
func (c *catalogue) head(room int, withUsage bool) string {
	var b strings.Builder
	if withUsage {
		fmt.Fprintf(&b, usage, c.example)
	}
	fmt.Fprintf(&b, lookUp, len(c.tools), c.search, c.describe, c.firstName())
	left := room - characters(b.String())
	for _, ns := range c.namespaces {
		if note := commentLines(oneLine(ns.note, maxLine)); note != "" && characters(note)+minNames <= left {
			b.WriteString(note)
			left -= characters(note)
		}
	}
	lines, fit := c.namespaceLines(left)
	if !fit {
		b.WriteString(c.listNamespaces(left))
		return b.String()
	}
	b.WriteString(strings.Join(lines, "\n"))
	return b.String()
}

// firstName is a tool to look up as an example.
func (c *catalogue) firstName() string {
	if len(c.tools) == 0 {
		return "namespace.tool"
	}
	return c.tools[0].path()
}

// namespaceLines is a line for each namespace: its name, what its server says of itself, and as many names as fit. It
// does not fit when there is no room for the namespaces alone.
func (c *catalogue) namespaceLines(room int) (lines []string, fit bool) {
	listed := slices.DeleteFunc(slices.Clone(c.namespaces), func(ns *namespace) bool { return len(ns.tools) == 0 && ns.provider == "" })
	heads := make([]string, len(listed))
	for i, ns := range listed {
		heads[i] = ns.identifier + ": "
		room -= characters(heads[i]) + characters(moreNames(len(ns.tools), 0)) + 1
	}
	if room < 0 {
		return nil, false
	}
	about := make([]string, len(listed))
	for i, share := range shares(listed, room/3) {
		about[i] = shortly(listed[i].instructions, share)
		room -= characters(about[i])
	}
	shown := dealNames(listed, room)
	for i, ns := range listed {
		var names []string
		for _, tool := range ns.tools[:shown[i]] {
			names = append(names, tool.identifier)
		}
		if more := moreNames(len(ns.tools), shown[i]); more != "" {
			names = append(names, more)
		}
		lines = append(lines, heads[i]+about[i]+strings.Join(names, ", "))
	}
	return lines, true
}

// shares divides room among the namespaces that say something of themselves, the short ones first.
func shares(listed []*namespace, room int) []int {
	order := make([]int, 0, len(listed))
	for i, ns := range listed {
		if ns.instructions != "" {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(listed[a].instructions) - len(listed[b].instructions) })
	out := make([]int, len(listed))
	for done, i := range order {
		out[i] = min(room/(len(order)-done), maxLine, characters(listed[i].instructions)+len(" — "))
		room -= out[i]
	}
	return out
}

// shortly is what a server says of itself in at most room characters, with what parts it from the names; empty when that
// is too little to say anything.
func shortly(text string, room int) string {
	const least = 24
	if room -= len([]rune(" — ")); text == "" || room < least && characters(text) > room {
		return ""
	}
	return oneLine(text, room-1) + " — "
}

// dealNames deals room out for names, one to each namespace in turn.
func dealNames(listed []*namespace, room int) []int {
	shown := make([]int, len(listed))
	for dealt := true; dealt; {
		dealt = false
		for i, ns := range listed {
			if shown[i] == len(ns.tools) {
				continue
			}
			cost := characters(ns.tools[shown[i]].identifier) + len(", ") +
				characters(moreNames(len(ns.tools), shown[i]+1)) - characters(moreNames(len(ns.tools), shown[i]))
			if cost <= room {
				room -= cost
				shown[i]++
				dealt = true
			}
		}
	}
	return shown
}

// moreNames says how many names are not shown.
func moreNames(all, shown int) string {
	if all == shown {
		return ""
	}
	return fmt.Sprintf("… %d more", all-shown)
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

// declarations are the short declarations of every namespace.
func (c *catalogue) declarations() string {
	var texts []string
	for _, ns := range c.namespaces {
		switch {
		case ns.types != "":
			texts = append(texts, ns.types)
		case len(ns.tools) > 0:
			texts = append(texts, ns.compact().String())
		}
	}
	return strings.Join(texts, "\n\n")
}

// index is every name, with a few words about it.
func (c *catalogue) index() string {
	var texts []string
	for _, ns := range c.namespaces {
		if len(ns.tools) > 0 {
			texts = append(texts, ns.index())
		}
	}
	return strings.Join(texts, "\n")
}

func (ns *namespace) index() string {
	var b strings.Builder
	b.WriteString(ns.identifier + ":")
	for _, tool := range ns.tools {
		b.WriteString("\n" + tool.identifier)
		if words := oneLine(tool.summary(), maxIndexLine); words != "" {
			b.WriteString(" — " + words)
		}
	}
	return b.String()
}

// allNames is every name, a line for each namespace.
func (c *catalogue) allNames() string {
	var lines []string
	for _, ns := range c.namespaces {
		var names []string
		for _, tool := range ns.tools {
			names = append(names, tool.identifier)
		}
		if len(names) > 0 {
			lines = append(lines, ns.identifier+": "+strings.Join(names, ", "))
		}
	}
	return strings.Join(lines, "\n")
}

// oneLine is a text's first limit characters on one line, cut at a word.
func oneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	if characters(text) <= limit {
		return text
	}
	cut := string([]rune(text)[:max(limit, 0)])
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		cut = cut[:space]
	}
	return strings.TrimRight(cut, " ,;:.(") + "…"
}
