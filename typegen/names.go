package typegen

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/codemode-go/codemode/dialect"
)

// names are the type names in use.
type names struct {
	taken map[string]bool
	last  map[string]int // the highest counter given out, by the name without one
}

// claim takes stem plus every ending, with the first counter between them for
// which all are free: GetUserInput, GetUser_2Input, ….
func (n names) claim(stem string, endings ...string) []string {
	plain := stem + endings[0]
	for {
		n.last[plain]++
		numbered := stem
		if count := n.last[plain]; count > 1 {
			numbered += "_" + strconv.Itoa(count)
		}
		if slices.ContainsFunc(endings, func(ending string) bool { return n.taken[numbered+ending] }) {
			continue
		}
		claimed := make([]string, len(endings))
		for i, ending := range endings {
			claimed[i] = numbered + ending
			n.taken[claimed[i]] = true
		}
		return claimed
	}
}

// entry is a tool with everything it is called.
type entry struct {
	tool          Tool
	namespace     string
	identifier    string
	input, output string
	before        *printed // what was printed of it another time

	inputSchema, outputSchema decoded
	printed                   printed
}

// decoded is a schema that was read, or why it was not.
type decoded struct {
	root *node
	err  error
}

// nameTypes gives every entry its two type names. Of several tools that want
// the same ones the first by identifier gets them, whatever the order of the
// list, and no tool loses its own to another's number.
func nameTypes(entries []*entry) names {
	used := names{taken: map[string]bool{"Promise": true, "Record": true}, last: map[string]int{}} // which declarations use
	order := slices.Clone(entries)
	slices.SortStableFunc(order, func(a, b *entry) int {
		return cmp.Or(strings.Compare(a.identifier, b.identifier), strings.Compare(a.namespace, b.namespace))
	})
	var late []*entry
	for _, e := range order {
		stem := typeStem(e.identifier)
		if used.taken[stem+"Input"] {
			late = append(late, e)
			continue
		}
		e.claim(used, stem)
	}
	for _, e := range late {
		e.claim(used, typeStem(e.identifier))
	}
	return used
}

func (e *entry) claim(used names, stem string) {
	claimed := used.claim(stem, "Input", "Output")
	e.input, e.output = claimed[0], claimed[1]
}

// typeStem returns what the type names of a tool start with.
func typeStem(identifier string) string {
	if !isIdentifier(identifier) {
		identifier = dialect.SanitizeToolName(identifier)
	}
	return pascalCase(identifier)
}

// pascalCase puts a capital in place of "_" and a small ASCII letter, and at
// the start.
func pascalCase(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '_' && i+1 < len(s) && isLower(s[i+1]) {
			i++
			c = s[i] - ('a' - 'A')
		} else if i == 0 && isLower(c) {
			c -= 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String()
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// helperName returns what the alias of a $ref target is called after: the last
// segment of the reference in Pascal case, and those before it until there is
// a letter.
func helperName(ref string) string {
	segments := strings.FieldsFunc(ref, func(r rune) bool { return r == '/' || r == '#' })
	name := ""
	for _, segment := range slices.Backward(segments) {
		words := strings.FieldsFunc(unescapePointer(percentDecoded(segment)), func(r rune) bool {
			return r >= 0x80 || r == '$' || r == '_' || !isIdentifierByte(byte(r))
		})
		for _, word := range slices.Backward(words) {
			name = pascalCase(word) + name
		}
		if strings.Trim(name, "0123456789") != "" {
			return name[:min(len(name), maxHelperName)]
		}
	}
	return "Part" + name
}
