package typegen

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/codemode-go/codemode/dialect"
)

// names is the set of type names in use.
type names map[string]bool

// claim returns the first free of base+suffix, base+suffix+"_2", … and takes it.
func (n names) claim(base, suffix string) string {
	return n.claimAll(base+suffix, "")[0]
}

// claimAll takes stem plus every ending, with the first counter between them
// for which all are free.
func (n names) claimAll(stem string, endings ...string) []string {
	for count := 1; ; count++ {
		numbered := stem
		if count > 1 {
			numbered += "_" + strconv.Itoa(count)
		}
		taken := slices.ContainsFunc(endings, func(ending string) bool { return n[numbered+ending] })
		if taken {
			continue
		}
		claimed := make([]string, len(endings))
		for i, ending := range endings {
			claimed[i] = numbered + ending
			n[claimed[i]] = true
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
}

// nameTypes gives every entry its two type names. Of several tools that want
// the same ones the first by identifier gets them, whatever the order of the
// list, and no tool loses its own to another's number.
func nameTypes(entries []*entry) names {
	taken := names{}
	order := slices.Clone(entries)
	slices.SortStableFunc(order, func(a, b *entry) int {
		return cmp.Or(strings.Compare(a.identifier, b.identifier), strings.Compare(a.namespace, b.namespace))
	})
	var late []*entry
	for _, e := range order {
		stem := typeStem(e.identifier)
		if taken[stem+"Input"] {
			late = append(late, e)
			continue
		}
		e.claim(taken, stem)
	}
	for _, e := range late {
		e.claim(taken, typeStem(e.identifier))
	}
	return taken
}

func (e *entry) claim(taken names, stem string) {
	claimed := taken.claimAll(stem, "Input", "Output")
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
// segment of the reference that has a letter, in Pascal case.
func helperName(ref string) string {
	segments := strings.FieldsFunc(ref, func(r rune) bool { return r == '/' || r == '#' })
	for _, segment := range slices.Backward(segments) {
		words := strings.FieldsFunc(unescapePointer(segment), func(r rune) bool {
			return r >= 0x80 || r == '$' || r == '_' || !isIdentifierByte(byte(r))
		})
		var name strings.Builder
		for _, word := range words {
			name.WriteString(pascalCase(word))
		}
		if s := name.String(); strings.Trim(s, "0123456789") != "" {
			return s[:min(len(s), maxHelperName)]
		}
	}
	return "Part"
}
