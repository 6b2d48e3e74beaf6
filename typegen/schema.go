package typegen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// kind is what a JSON value is.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

// node is one JSON value of a schema document. Objects keep the order of
// their members and numbers keep their digits, which is what encoding/json's
// own types lose.
type node struct {
	kind    kind
	truth   bool     // of kindBool
	text    string   // the decoded kindString, or the literal of kindNumber
	items   []*node  // of kindArray
	members []member // of kindObject, in JavaScript's order
	index   map[string]int
}

type member struct {
	key   string
	value *node
}

// indexedFrom is the number of members from which an object gets an index;
// below it a linear search is faster.
const indexedFrom = 16

// get returns the member called key, nil when n is no object or has none.
func (n *node) get(key string) *node {
	if i := n.find(key); i >= 0 {
		return n.members[i].value
	}
	return nil
}

func (n *node) find(key string) int {
	if n == nil || n.kind != kindObject {
		return -1
	}
	if n.index != nil {
		if i, ok := n.index[key]; ok {
			return i
		}
		return -1
	}
	for i := range n.members {
		if n.members[i].key == key {
			return i
		}
	}
	return -1
}

// str returns the member called key when it is a string, else "".
func (n *node) str(key string) string {
	if v := n.get(key); v != nil && v.kind == kindString {
		return v.text
	}
	return ""
}

// isTrue reports whether the member called key is the boolean true.
func (n *node) isTrue(key string) bool {
	v := n.get(key)
	return v != nil && v.kind == kindBool && v.truth
}

// array returns the member called key when it is an array that is not empty.
func (n *node) array(key string) []*node {
	if v := n.get(key); v != nil && v.kind == kindArray {
		return v.items
	}
	return nil
}

// object returns the members of the member called key when it is an object.
func (n *node) object(key string) []member {
	if v := n.get(key); v != nil && v.kind == kindObject {
		return v.members
	}
	return nil
}

// isSchema reports whether n may stand where a schema is expected.
func (n *node) isSchema() bool {
	return n != nil && (n.kind == kindObject || n.kind == kindBool)
}

// isFalse reports whether n is the schema nothing matches.
func (n *node) isFalse() bool { return n != nil && n.kind == kindBool && !n.truth }

// parseSchema decodes one JSON document. Absent schemas and null decode to nil.
func parseSchema(raw []byte) (*node, error) {
	if len(raw) > maxSchemaBytes {
		return nil, fmt.Errorf("the schema has %d bytes, more than the %d printed", len(raw), maxSchemaBytes)
	}
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if !json.Valid(raw) {
		var unused json.RawMessage
		return nil, fmt.Errorf("the schema is not valid JSON: %w", json.Unmarshal(raw, &unused))
	}
	text := string(raw)
	r := reader{src: text}
	return r.value(), nil
}

// reader decodes a document that is known to be valid JSON. Strings of the
// result share the document's memory, and nodes lie together: a schema lives
// and dies as a whole.
type reader struct {
	src     string
	pos     int
	members []member // of the objects being read, the innermost last
	items   []*node  // of the arrays being read, likewise

	nodes      slab[node]
	allMembers slab[member]
	allItems   slab[*node]
}

// slab hands out memory of one piece after another, each twice the last.
type slab[T any] struct {
	free  []T
	piece int
}

// take returns n zero values, with no room behind them.
func (s *slab[T]) take(n int) []T {
	if n > len(s.free) {
		s.piece = min(max(2*s.piece, 4), 64)
		if n > s.piece/2 {
			return make([]T, n)
		}
		s.free = make([]T, s.piece)
	}
	taken := s.free[:n:n]
	s.free = s.free[n:]
	return taken
}

func (r *reader) node(n node) *node {
	place := &r.nodes.take(1)[0]
	*place = n
	return place
}

func (r *reader) value() *node {
	r.space()
	switch c := r.src[r.pos]; c {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		return r.node(node{kind: kindString, text: r.string()})
	case 't', 'f', 'n':
		word := r.word()
		if word == "null" {
			return r.node(node{kind: kindNull})
		}
		return r.node(node{kind: kindBool, truth: word == "true"})
	default:
		return r.node(node{kind: kindNumber, text: r.word()})
	}
}

func (r *reader) object() *node {
	start := len(r.members)
	r.pos++
	for r.space(); r.src[r.pos] != '}'; r.space() {
		if r.src[r.pos] == ',' {
			r.pos++
			r.space()
		}
		key := r.string()
		r.space()
		r.pos++ // the colon
		value := r.value()
		r.members = append(r.members, member{key, value})
	}
	r.pos++
	n := r.node(node{})
	n.setMembers(r.members[start:], r.allMembers.take(len(r.members)-start))
	r.members = r.members[:start]
	return n
}

func (r *reader) array() *node {
	start := len(r.items)
	r.pos++
	for r.space(); r.src[r.pos] != ']'; r.space() {
		if r.src[r.pos] == ',' {
			r.pos++
		}
		item := r.value()
		r.items = append(r.items, item)
	}
	r.pos++
	n := r.node(node{kind: kindArray, items: r.allItems.take(len(r.items) - start)})
	copy(n.items, r.items[start:])
	r.items = r.items[:start]
	return n
}

func (r *reader) string() string {
	start := r.pos
	escaped := false
	for r.pos++; r.src[r.pos] != '"'; r.pos++ {
		if r.src[r.pos] == '\\' {
			escaped = true
			r.pos++
		}
	}
	r.pos++
	if !escaped {
		return r.src[start+1 : r.pos-1]
	}
	var s string
	if err := json.Unmarshal([]byte(r.src[start:r.pos]), &s); err != nil {
		panic(fmt.Sprintf("typegen: a checked JSON string does not decode: %v", err))
	}
	return s
}

func (r *reader) word() string {
	start := r.pos
	for r.pos < len(r.src) && strings.IndexByte(" \t\r\n,]}", r.src[r.pos]) < 0 {
		r.pos++
	}
	return r.src[start:r.pos]
}

func (r *reader) space() {
	for r.pos < len(r.src) && strings.IndexByte(" \t\r\n", r.src[r.pos]) >= 0 {
		r.pos++
	}
}

// newObject returns an object with a copy of members.
func newObject(members []member) *node {
	n := &node{}
	n.setMembers(members, make([]member, len(members)))
	return n
}

// setMembers makes n an object of members, which are copied into place. Of
// members with one key the first gives the place and the last the value, as in
// JavaScript.
func (n *node) setMembers(members, place []member) {
	n.kind, n.members = kindObject, place[:0]
	if len(members) >= indexedFrom {
		n.index = make(map[string]int, len(members))
	}
	for _, m := range members {
		if i := n.find(m.key); i >= 0 {
			n.members[i].value = m.value
			continue
		}
		if n.index != nil {
			n.index[m.key] = len(n.members)
		}
		n.members = append(n.members, m)
	}
	n.order()
}

// order moves the keys that are array indexes in front, ascending, because
// that is where a JavaScript object has them.
func (n *node) order() {
	if !slices.ContainsFunc(n.members, func(m member) bool { return isArrayIndex(m.key) }) {
		return
	}
	slices.SortStableFunc(n.members, func(a, b member) int {
		x, y := isArrayIndex(a.key), isArrayIndex(b.key)
		switch {
		case x && y && len(a.key) != len(b.key):
			return len(a.key) - len(b.key)
		case x && y:
			return strings.Compare(a.key, b.key)
		case x:
			return -1
		case y:
			return 1
		}
		return 0
	})
	if n.index == nil {
		return
	}
	for i, m := range n.members {
		n.index[m.key] = i
	}
}

// isArrayIndex reports whether key is a canonical number below 2³²-1.
func isArrayIndex(key string) bool {
	const largest = "4294967294"
	if key == "" || len(key) > len(largest) || key[0] == '0' && key != "0" {
		return false
	}
	if strings.Trim(key, "0123456789") != "" {
		return false
	}
	return len(key) < len(largest) || key <= largest
}
