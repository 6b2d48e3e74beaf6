package codetool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// MaxResponse is the length at which codeMcpServer of @cloudflare/codemode cuts what a model reads of a result, in
// UTF-16 code units: about 6,000 tokens.
const MaxResponse = 24_000

const (
	charsPerToken    = 4
	truncationMarker = "--- TRUNCATED ---"
	// maxShaped bounds the values within one value that is cut down from its largest parts: a node for each takes thirty times
	// the memory of the shortest values' text.
	maxShaped = 500_000
	// minSlot is the least that a string or container is worth keeping at. One that would get less is dropped in
	// favour of its siblings.
	minSlot = 128
)

// ResponseText is the text of a result that a model reads, at most maxLength UTF-16 code units and a marker long; the
// rules, and with MaxResponse the bytes, are those of codeMcpServer in @cloudflare/codemode 0.5.6. A string is itself,
// cut with a marker at its end. Any other value is JSON, indented when that fits; one that is too long is cut down from
// its largest parts and stays JSON of the same shape, with a marker in each place; one that IsVast is cut like a string. Nil
// reads "undefined". No character is cut in two.
//
// cut reports whether anything is missing.
func ResponseText(value json.RawMessage, maxLength int) (text string, cut bool, err error) {
	if value == nil {
		return "undefined", false, nil
	}
	if !json.Valid(value) {
		return "", false, fmt.Errorf("a value is no JSON: %.60q", value)
	}
	if trimmed := bytes.TrimSpace(value); trimmed[0] == '"' {
		var text string
		if err := json.Unmarshal(trimmed, &text); err != nil { // half a surrogate pair becomes U+FFFD
			return "", false, err
		}
		text, cut := truncateText(text, maxLength)
		return text, cut, nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, value); err != nil {
		return "", false, err
	}
	plain := compact.String()
	if utf16Length(plain) <= maxLength {
		return indented(compact.Bytes(), maxLength), false, nil
	}
	if !IsVast(compact.Bytes()) {
		whole, err := parseTree(compact.Bytes())
		if err != nil {
			return "", false, err
		}
		if shrunk := shrink(whole, maxLength); shrunk.length <= maxLength {
			return indented(shrunk.appendJSON(nil), maxLength), true, nil
		}
	}
	text, _ = truncateText(plain, maxLength)
	return text, true, nil
}

// IsVast reports whether so many values are within a value, given as JSON, that to hold each of them costs many times its
// text: a program can make them of a few that it repeats.
func IsVast(value json.RawMessage) bool {
	if len(value) <= maxShaped { // what opens a value, or ends one, is a byte at least
		return false
	}
	values, inString := 0, false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case !inString && (c == ',' || c == '[' || c == '{'):
			values++
		}
	}
	return values > maxShaped
}

// indented is compact JSON with two spaces a level, if it then still fits.
func indented(compact []byte, maxLength int) string {
	var b bytes.Buffer
	if err := json.Indent(&b, compact, "", "  "); err == nil && utf16Length(b.String()) <= maxLength {
		return b.String()
	}
	return string(compact)
}

// truncateText cuts a text and says how long it was.
func truncateText(text string, maxLength int) (short string, cut bool) {
	length := utf16Length(text)
	if length <= maxLength {
		return text, false
	}
	tokens := (length + charsPerToken - 1) / charsPerToken
	return beginning(text, maxLength) + "\n\n" + truncationMarker + "\nResponse was ~" + grouped(tokens) +
		" tokens (limit: " + grouped(maxLength/charsPerToken) + "). Narrow the request to reduce response size.", true
}

// beginning is as much of a text as is whole within count code units.
func beginning(text string, count int) string {
	for i, r := range text {
		if count -= utf16.RuneLen(r); count < 0 {
			return text[:i]
		}
	}
	return text
}

// head is the first count code units, one less where that would cut a character in two.
func head(units []uint16, count int) []uint16 {
	if count > 0 && count < len(units) && pairAt(units, count-1) {
		count--
	}
	return units[:min(count, len(units))]
}

// floorOf is the least of a value's length that is kept. It never exceeds half of the room there is, so that little
// room still keeps something.
func floorOf(length, room int) int { return min(length, minSlot, max(2, room/2)) }

func floorSize(t *tree, room int) int {
	if t.kind == scalarTree { // it has nothing to give up
		return t.length
	}
	return floorOf(t.length, room)
}

// shrink cuts a value down to room, or as near as it gets.
func shrink(t *tree, room int) *tree {
	if t.length <= room {
		return t
	}
	switch t.kind {
	case stringTree:
		return shrinkString(t, room)
	case arrayTree:
		return shrinkArray(t, room)
	case objectTree:
		return shrinkObject(t, room)
	}
	return t
}

func shrinkString(t *tree, room int) *tree {
	suffix := utf16.Encode([]rune(" " + truncationMarker + " " + grouped(len(t.text)) + " chars"))
	keep := max(0, room-len(suffix)-2)
	length := func() int { return quotedLength(t.text[:min(keep, len(t.text))]) + len(suffix) } // of a cut anywhere, as the reference cuts
	for keep > 0 && length() > room {
		keep = max(0, keep-(length()-room))
	}
	if length() <= room {
		return newString(slices.Concat(head(t.text, keep), suffix))
	}
	return newText(truncationMarker[:min(max(0, room-2), len(truncationMarker))])
}

// allocate shares available out by water-filling: the smallest first, each the lesser of its length and an equal share
// of what is left. It expects available to cover every floor.
func allocate(values []*tree, available int) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return values[a].length - values[b].length })
	allocation := make([]int, len(values))
	for done, i := range order {
		allocation[i] = min(values[i].length, floorDivide(available, len(values)-done))
		available -= allocation[i]
	}
	return allocation
}

// floorDivide rounds down, also below zero.
func floorDivide(a, b int) int {
	quotient := a / b
	if a%b < 0 {
		quotient--
	}
	return quotient
}

func shrinkArray(t *tree, room int) *tree {
	marker := func(dropped int) *tree {
		return newText(truncationMarker + " " + grouped(dropped) + " more items")
	}
	keep := itemsToKeep(t.items, room, marker(len(t.items)).length)
	kept := t.items[:keep]
	dropped := len(t.items) - keep
	tail := 0
	if dropped > 0 {
		tail = marker(dropped).length
		if keep > 0 {
			tail++
		}
	}
	allocation := allocate(kept, room-2-max(0, keep-1)-tail)
	out := make([]*tree, keep, keep+1)
	for i, item := range kept {
		out[i] = shrink(item, allocation[i])
	}
	if dropped > 0 {
		if marked := newArray(append(slices.Clone(out), marker(dropped))); marked.length <= room {
			return marked
		}
	}
	return newArray(out)
}

// itemsToKeep counts the items from the front whose floors fit, with room for a marker when not all do.
func itemsToKeep(items []*tree, room, marker int) int {
	floors := 0
	for _, item := range items {
		floors += floorSize(item, room)
	}
	if floors+2+max(0, len(items)-1) <= room {
		return len(items)
	}
	used, keep := 2+marker+1, 0
	for keep < len(items) && used+floorSize(items[keep], room)+1 <= room {
		used += floorSize(items[keep], room) + 1
		keep++
	}
	return keep
}

func shrinkObject(t *tree, room int) *tree {
	markerKey := quoteKey(truncationMarker)
	for slices.Contains(t.keys, markerKey) {
		markerKey = markerKey[:len(markerKey)-1] + ` "`
	}
	s := objectShrinker{tree: t, room: room, markerKey: markerKey, dropped: make([]bool, len(t.keys))}
	s.dropLargest()
	note := newString(s.note())
	if s.cost() > room {
		left := room - 2 - keyCost(markerKey)
		if left < 2 {
			return newObject(nil, nil)
		}
		return newObject([]string{markerKey}, []*tree{shrink(note, left)})
	}
	keys, values := s.kept()
	if s.count > 0 {
		keys, values = append(keys, markerKey), append(values, note)
	}
	fixed := 2 + max(0, len(keys)-1)
	for _, key := range keys {
		fixed += keyCost(key)
	}
	for i, room := range allocate(values, room-fixed) {
		values[i] = shrink(values[i], room)
	}
	return newObject(keys, values)
}

// objectShrinker decides which entries of an object have to go.
type objectShrinker struct {
	tree      *tree
	room      int
	markerKey string
	dropped   []bool
	count     int // of the dropped entries
	floors    int // of the others, with their keys
	names     int // the length of the dropped keys
}

// dropLargest drops the largest values until the floors of the rest, and the note about the dropped, fit.
func (s *objectShrinker) dropLargest() {
	order := make([]int, len(s.tree.keys))
	for i, value := range s.tree.items {
		order[i] = i
		s.floors += s.floor(i, value)
	}
	slices.SortStableFunc(order, func(a, b int) int { return s.tree.items[b].length - s.tree.items[a].length })
	for _, i := range order {
		if s.cost() <= s.room {
			return
		}
		s.dropped[i] = true
		s.count++
		s.floors -= s.floor(i, s.tree.items[i])
		s.names += utf16Length(s.tree.keys[i]) - 2
	}
}

func (s *objectShrinker) floor(i int, value *tree) int {
	return keyCost(s.tree.keys[i]) + floorSize(value, s.room)
}

// cost is the least length the object can have as things stand.
func (s *objectShrinker) cost() int {
	entries := len(s.tree.keys) - s.count
	cost := 2 + s.floors
	if s.count > 0 {
		entries++
		noteLength := len(grouped(s.count)+" keys omitted: ") + s.names + 2*(s.count-1)
		cost += keyCost(s.markerKey) + floorOf(noteLength+2, s.room)
	}
	return cost + max(0, entries-1)
}

func (s *objectShrinker) kept() (keys []string, values []*tree) {
	for i, key := range s.tree.keys {
		if !s.dropped[i] {
			keys = append(keys, key)
			values = append(values, s.tree.items[i])
		}
	}
	return keys, values
}

// note names the dropped keys.
func (s *objectShrinker) note() []uint16 {
	note := utf16.Encode([]rune(grouped(s.count) + " keys omitted: "))
	first := true
	for i, key := range s.tree.keys {
		if !s.dropped[i] {
			continue
		}
		if !first {
			note = append(note, ',', ' ')
		}
		first = false
		note = append(note, unquote([]byte(key[1:len(key)-1]))...)
	}
	return note
}

// grouped is a number with a comma between each three digits, as toLocaleString writes it in English.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	var parts []string
	for len(digits) > 3 {
		parts = append([]string{digits[len(digits)-3:]}, parts...)
		digits = digits[:len(digits)-3]
	}
	return strings.Join(append([]string{digits}, parts...), ",")
}
