package typegen

import (
	"net/url"
	"strconv"
	"strings"
)

// document is one schema with its references resolved.
type document struct {
	root     *node
	refs     map[string]*node // by the text of the reference
	ids      map[string]*node // by $id or id as written
	anchors  map[string]*node // by $anchor and its relatives
	targets  map[*node]string // what a $ref leads to, with the first text that does
	circular map[*node]int    // components of the graph that hold a cycle
	eager    map[*node]int    // the same over edges TypeScript resolves at once
	kinds    map[*node]kinds
}

// newDocument resolves every reference below root, which may be nil.
func newDocument(root *node) *document {
	d := &document{root: root, kinds: map[*node]kinds{}}
	if !mentionsRef(root) {
		return d
	}
	d.refs = map[string]*node{}
	d.ids = map[string]*node{}
	d.anchors = map[string]*node{}
	d.targets = map[*node]string{}
	d.index(root)
	reached := &tarjan{edges: d.edges, state: map[*node]*visit{}, cycles: map[*node]int{}}
	reached.visit(root)
	d.circular = reached.cycles
	direct := &tarjan{edges: d.eagerEdges, state: map[*node]*visit{}, cycles: map[*node]int{}}
	for n := range d.circular {
		if direct.state[n] == nil {
			direct.visit(n)
		}
	}
	d.eager = direct.cycles
	d.nameRests()
	return d
}

// nameRests makes the items at a tuple's end a target when they lead back to
// the tuple. TypeScript resolves such items early, unless an alias stands for
// them.
func (d *document) nameRests() {
	for n := range d.circular {
		first, rest := tupleOf(n)
		if len(first) > 0 && d.circular[rest] != 0 && refOf(rest) == "" && d.targets[rest] == "" {
			d.targets[rest] = "#/rest"
		}
	}
}

// refOf returns the text of n's reference, "" without one.
func refOf(n *node) string {
	for _, key := range [...]string{"$ref", "$dynamicRef", "$recursiveRef"} {
		if ref := n.str(key); ref != "" {
			return ref
		}
	}
	return ""
}

func mentionsRef(n *node) bool {
	if n == nil {
		return false
	}
	if refOf(n) != "" {
		return true
	}
	for _, item := range n.items {
		if mentionsRef(item) {
			return true
		}
	}
	for _, m := range n.members {
		if mentionsRef(m.value) {
			return true
		}
	}
	return false
}

// index notes the names under which a part of the document can be reached.
func (d *document) index(n *node) {
	if id := strings.TrimSuffix(n.str("$id"), "#"); id != "" {
		addOnce(d.ids, id, n)
	}
	if id := strings.TrimSuffix(n.str("id"), "#"); id != "" {
		addOnce(d.ids, id, n)
	}
	for _, key := range [...]string{"$anchor", "$dynamicAnchor"} {
		if anchor := n.str(key); anchor != "" {
			addOnce(d.anchors, anchor, n)
		}
	}
	for _, item := range n.items {
		d.index(item)
	}
	for _, m := range n.members {
		switch m.key {
		case "const", "enum", "default", "examples", "example":
		default:
			d.index(m.value)
		}
	}
}

func addOnce(to map[string]*node, key string, n *node) {
	if _, ok := to[key]; !ok {
		to[key] = n
	}
}

// resolve returns the schema ref leads to, nil when it leads nowhere or out of
// the document.
func (d *document) resolve(ref string) *node {
	if n, ok := d.refs[ref]; ok {
		return n
	}
	n := d.lookup(ref)
	if !n.isSchema() {
		n = nil
	}
	d.refs[ref] = n
	if n != nil {
		if _, ok := d.targets[n]; !ok {
			d.targets[n] = ref
		}
	}
	return n
}

func (d *document) lookup(ref string) *node {
	if n, ok := d.ids[strings.TrimSuffix(ref, "#")]; ok {
		return n
	}
	base, fragment, _ := strings.Cut(ref, "#")
	from := d.root
	if base != "" {
		from = d.ids[base]
	}
	if from == nil || fragment == "" {
		return from
	}
	if !strings.HasPrefix(fragment, "/") {
		return d.anchors[fragment]
	}
	for segment := range strings.SplitSeq(fragment[1:], "/") {
		if from = step(from, segment); from == nil {
			return nil
		}
	}
	return from
}

// step follows one segment of a JSON pointer. The segment is tried as it
// stands and then percent-decoded, since servers write both.
func step(from *node, segment string) *node {
	if next := child(from, unescapePointer(segment)); next != nil {
		return next
	}
	return child(from, unescapePointer(percentDecoded(segment)))
}

func percentDecoded(segment string) string {
	if decoded, err := url.PathUnescape(segment); err == nil {
		return decoded
	}
	return segment
}

func child(from *node, key string) *node {
	if from.kind != kindArray {
		return from.get(key)
	}
	if i, err := strconv.Atoi(key); err == nil && isArrayIndex(key) && i < len(from.items) {
		return from.items[i]
	}
	return nil
}

func unescapePointer(segment string) string {
	return strings.ReplaceAll(strings.ReplaceAll(segment, "~1", "/"), "~0", "~")
}

// edges returns the schemas that printing n leads to.
func (d *document) edges(n *node) []*node {
	out := d.eagerEdges(n)
	for _, key := range [...]string{"properties", "patternProperties"} {
		for _, m := range n.object(key) {
			out = append(out, m.value)
		}
	}
	for _, key := range [...]string{"items", "additionalItems", "additionalProperties"} {
		if v := n.get(key); v.isSchema() {
			out = append(out, v)
		}
	}
	out = append(out, n.array("prefixItems")...)
	return append(out, n.array("items")...)
}

// eagerEdges returns those of the edges that TypeScript follows while it
// resolves an alias. What stands in a property or an item it follows later,
// and only there may an alias name itself.
func (d *document) eagerEdges(n *node) []*node {
	var out []*node
	if ref := refOf(n); ref != "" {
		if target := d.resolve(ref); target != nil {
			out = append(out, target)
		}
	}
	for _, key := range combinators {
		out = append(out, n.array(key)...)
	}
	return out
}

var combinators = [...]string{"anyOf", "oneOf", "allOf"}

// tarjan finds the nodes that lie on a cycle of edges, each with the number of
// its strongly connected component.
type tarjan struct {
	edges  func(*node) []*node
	state  map[*node]*visit
	stack  []*node
	cycles map[*node]int
	count  int
}

type visit struct {
	order, low int
	onStack    bool
}

func (t *tarjan) visit(n *node) *visit {
	v := &visit{order: len(t.state), low: len(t.state), onStack: true}
	t.state[n] = v
	t.stack = append(t.stack, n)
	loops := false
	for _, next := range t.edges(n) {
		loops = loops || next == n
		switch w := t.state[next]; {
		case w == nil:
			v.low = min(v.low, t.visit(next).low)
		case w.onStack:
			v.low = min(v.low, w.order)
		}
	}
	if v.low != v.order {
		return v
	}
	t.count++
	for {
		last := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.state[last].onStack = false
		if last != n {
			loops = true
		}
		if loops {
			t.cycles[last] = t.count
		}
		if last == n {
			return v
		}
	}
}
