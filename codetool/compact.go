package codetool

import (
	"fmt"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/protocol"
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
	if body := c.body(f.total - characters(text) - len("\n\n")); body != "" {
		return text + "\n\n" + body
	}
	if f.total > head { // there is room for more names than the head has
		return c.head(f.total, f.usage)
	}
	return text
}

// body is what follows the head in at most room characters: all declarations; else the index, or just the names, and
// after it the declarations of the namespaces that fit, the shortest first. Empty when there is no room for the names.
func (c *catalogue) body(room int) string {
	if room <= 0 {
		return ""
	}
	if text := c.declarations(); characters(text) <= room {
		return text
	}
	for _, text := range []string{c.index(), c.allNames()} {
		if left := room - characters(text); text != "" && left >= 0 {
			return strings.TrimSuffix(text+"\n\n"+c.shortestDeclarations(left-len("\n\n")), "\n\n")
		}
	}
	return ""
}

func (c *catalogue) shortestDeclarations(room int) string {
	type sized struct {
		text string
		at   int
	}
	var blocks []sized
	for i, ns := range c.namespaces {
		if ns.types == "" && len(ns.tools) > 0 {
			blocks = append(blocks, sized{ns.compact().String(), i})
		}
	}
	slices.SortStableFunc(blocks, func(a, b sized) int { return len(a.text) - len(b.text) })
	fitting := 0
	for ; fitting < len(blocks); fitting++ {
		if room -= characters(blocks[fitting].text) + len("\n\n"); room < 0 {
			break
		}
	}
	blocks = blocks[:fitting]
	slices.SortFunc(blocks, func(a, b sized) int { return a.at - b.at })
	texts := make([]string, len(blocks))
	for i, b := range blocks {
		texts[i] = b.text
	}
	return strings.Join(texts, "\n\n")
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
	var listed []*namespace
	for _, ns := range c.namespaces {
		shown := false
		if note := commentLines(oneLine(ns.note, maxLine)); note != "" && characters(note)+minNames <= left {
			b.WriteString(note)
			left -= characters(note)
			shown = true
		}
		if len(ns.tools) > 0 || ns.provider != "" && !shown { // a note says all there is of one without functions
			listed = append(listed, ns)
		}
	}
	lines, fit := namespaceLines(listed, left)
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

// namespaceLines is a line for each namespace: its name, what its server says of itself, and as many names as fit, with
// their parameters where there is room for those too. It does not fit when there is no room for the namespaces alone.
func namespaceLines(listed []*namespace, room int) (lines []string, fit bool) {
	for _, ns := range listed {
		room -= characters(ns.identifier) + len(": ") + characters(moreNames(len(ns.tools), 0)) + len("\n")
	}
	if room < 0 {
		return nil, false
	}
	about := make([]string, len(listed))
	for i, share := range shares(listed, room/3) {
		about[i] = shortly(listed[i].instructions, share)
		room -= characters(about[i])
	}
	names, room := dealNames(listed, room)
	addParameters(listed, names, room)
	for i, ns := range listed {
		if more := moreNames(len(ns.tools), len(names[i])); more != "" {
			names[i] = append(names[i], more)
		}
		if len(ns.tools) == 0 {
			names[i] = []string{"no functions"}
		}
		lines = append(lines, ns.identifier+about[i]+": "+strings.Join(names[i], ", "))
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
		out[i] = min(room/(len(order)-done), maxLine, characters(listed[i].instructions)+characters(aboutMark))
		room -= out[i]
	}
	return out
}

// aboutMark stands between a namespace and what its server says of itself.
const aboutMark = " — "

// shortly is what a server says of itself in at most room characters; empty when that is too little to say anything.
func shortly(text string, room int) string {
	const least = 24
	if room -= characters(aboutMark); text == "" || room < least && characters(text) > room {
		return ""
	}
	if characters(text) > room {
		text = oneLine(text, room-1)
	}
	return aboutMark + strings.TrimRight(text, ".")
}

// aboutOf is the first thing that instructions say, without Markdown's marks and its headings.
func aboutOf(instructions string) string {
	for line := range strings.Lines(instructions) {
		line = strings.TrimSpace(strings.NewReplacer("**", "", "`", "", "<", "", ">", "").Replace(line))
		if line != "" && !strings.HasPrefix(line, "#") && strings.Trim(line, "-=*_|: ") != "" {
			return strings.TrimLeft(line, "-*• ")
		}
	}
	return ""
}

// dealNames deals room out for names, one to each namespace in turn, and returns what is left of it.
func dealNames(listed []*namespace, room int) (names [][]string, left int) {
	names = make([][]string, len(listed))
	for dealt := true; dealt; {
		dealt = false
		for i, ns := range listed {
			shown := len(names[i])
			if shown == len(ns.tools) {
				continue
			}
			name := ns.tools[shown].identifier
			cost := characters(name) + len(", ") +
				characters(moreNames(len(ns.tools), shown+1)) - characters(moreNames(len(ns.tools), shown))
			if cost <= room {
				room -= cost
				names[i] = append(names[i], name)
				dealt = true
			}
		}
	}
	return names, room
}

// addParameters puts the parameters behind names as long as there is room, one of each namespace in turn, once there is
// no name that has none.
func addParameters(listed []*namespace, names [][]string, room int) {
	for i, ns := range listed {
		if len(names[i]) < len(ns.tools) {
			return
		}
	}
	for j, more := 0, true; more; j++ {
		more = false
		for i, ns := range listed {
			if j >= len(names[i]) {
				continue
			}
			more = true
			if p := ns.tools[j].parameters(); characters(p) <= room {
				room -= characters(p)
				names[i][j] += p
			}
		}
	}
}

// maxParameters bounds the parameters that stand behind a name.
const maxParameters = 8

// parameters are the names of a tool's parameters, the required ones first: "({ owner, repo, state? })".
func (t *boundTool) parameters() string {
	schema, err := protocol.DecodeValue(t.InputSchema)
	if err != nil {
		return ""
	}
	required, _ := member(schema, "required").([]any)
	properties, _ := member(schema, "properties").(protocol.Object)
	var needed, optional []string
	for _, p := range properties {
		key := p.Key
		if toolIdentifier(key) != key {
			key = show(key)
		}
		if slices.Contains(required, any(p.Key)) {
			needed = append(needed, key)
		} else {
			optional = append(optional, key+"?")
		}
	}
	all := append(needed, optional...)
	if len(all) == 0 {
		return "()"
	}
	if len(all) > maxParameters {
		all = append(all[:maxParameters], "…")
	}
	return "({ " + strings.Join(all, ", ") + " })"
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
