package codetool

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// tree is a JSON value that can be cut down. Lengths are counted in UTF-16 code units, as JavaScript counts them, and
// strings are kept in them, so that half a character is never lost or made up.
type tree struct {
	kind   treeKind
	scalar string   // the JSON of a number, true, false or null
	text   []uint16 // a string's
	items  []*tree  // an array's, or the values of an object's keys
	keys   []string // an object's, each as JSON
	length int      // of the compact JSON, in UTF-16 code units
}

type treeKind uint8

const (
	scalarTree treeKind = iota
	stringTree
	arrayTree
	objectTree
)

func newString(text []uint16) *tree {
	return &tree{kind: stringTree, text: text, length: quotedLength(text)}
}

func newText(text string) *tree { return newString(utf16.Encode([]rune(text))) }

func newArray(items []*tree) *tree {
	t := &tree{kind: arrayTree, items: items, length: 2 + max(0, len(items)-1)}
	for _, item := range items {
		t.length += item.length
	}
	return t
}

func newObject(keys []string, values []*tree) *tree {
	t := &tree{kind: objectTree, keys: keys, items: values, length: 2 + max(0, len(keys)-1)}
	for i, key := range keys {
		t.length += keyCost(key) + values[i].length
	}
	return t
}

// keyCost is what a key, given as JSON, adds to an object beside its value: itself and the colon.
func keyCost(key string) int { return utf16Length(key) + 1 }

// quoteKey is a key as JSON.
func quoteKey(key string) string { return string(appendQuoted(nil, utf16.Encode([]rune(key)))) }

// appendJSON renders the value compactly, as JSON.stringify does.
func (t *tree) appendJSON(b []byte) []byte {
	switch t.kind {
	case stringTree:
		return appendQuoted(b, t.text)
	case arrayTree, objectTree:
		open, shut := byte('['), byte(']')
		if t.kind == objectTree {
			open, shut = '{', '}'
		}
		b = append(b, open)
		for i, item := range t.items {
			if i > 0 {
				b = append(b, ',')
			}
			if t.kind == objectTree {
				b = append(append(b, t.keys[i]...), ':')
			}
			b = item.appendJSON(b)
		}
		return append(b, shut)
	}
	return append(b, t.scalar...)
}

// parseTree reads JSON text. Members keep their order.
func parseTree(raw json.RawMessage) (*tree, error) {
	if !json.Valid(raw) {
		return nil, fmt.Errorf("a value is no JSON: %.60q", raw)
	}
	p := treeParser{rest: raw}
	return p.value(), nil
}

// treeParser reads text that is known to be valid JSON, so it looks no further than it must.
type treeParser struct{ rest []byte }

func (p *treeParser) skipSpace() byte {
	for {
		switch c := p.rest[0]; c {
		case ' ', '\t', '\r', '\n':
			p.rest = p.rest[1:]
		default:
			return c
		}
	}
}

func (p *treeParser) value() *tree {
	switch p.skipSpace() {
	case '"':
		return newString(unquote(p.literal()))
	case '[':
		p.rest = p.rest[1:]
		var items []*tree
		for p.skipSpace() != ']' {
			items = append(items, p.value())
			p.skipComma()
		}
		p.rest = p.rest[1:]
		return newArray(items)
	case '{':
		p.rest = p.rest[1:]
		var keys []string
		var values []*tree
		for p.skipSpace() != '}' {
			keys = append(keys, string(appendQuoted(nil, unquote(p.literal()))))
			p.skipSpace()
			p.rest = p.rest[1:] // the colon
			values = append(values, p.value())
			p.skipComma()
		}
		p.rest = p.rest[1:]
		return newObject(keys, values)
	}
	scalar := string(p.scalar())
	return &tree{kind: scalarTree, scalar: scalar, length: len(scalar)}
}

func (p *treeParser) skipComma() {
	if p.skipSpace() == ',' {
		p.rest = p.rest[1:]
	}
}

// literal takes a string literal, without its quotes.
func (p *treeParser) literal() []byte {
	end := 1
	for p.rest[end] != '"' {
		if p.rest[end] == '\\' {
			end++
		}
		end++
	}
	literal := p.rest[1:end]
	p.rest = p.rest[end+1:]
	return literal
}

func (p *treeParser) scalar() []byte {
	end := 0
	for end < len(p.rest) && p.rest[end] != ',' && p.rest[end] != ']' && p.rest[end] != '}' && p.rest[end] > ' ' {
		end++
	}
	scalar := p.rest[:end]
	p.rest = p.rest[end:]
	return scalar
}

// unquote decodes the inside of a string literal; an escaped half of a surrogate pair stays one.
func unquote(literal []byte) []uint16 {
	units := make([]uint16, 0, len(literal))
	for i := 0; i < len(literal); {
		if literal[i] != '\\' {
			r, size := utf8.DecodeRune(literal[i:])
			units = utf16.AppendRune(units, r)
			i += size
			continue
		}
		switch c := literal[i+1]; c {
		case 'u':
			unit, _ := strconv.ParseUint(string(literal[i+2:i+6]), 16, 16) // valid JSON has four digits here
			units = append(units, uint16(unit))
			i += 6
			continue
		case 'b':
			units = append(units, '\b')
		case 'f':
			units = append(units, '\f')
		case 'n':
			units = append(units, '\n')
		case 'r':
			units = append(units, '\r')
		case 't':
			units = append(units, '\t')
		default:
			units = append(units, uint16(c))
		}
		i += 2
	}
	return units
}

// shortEscapes are the two-character escapes of JSON.stringify.
func shortEscape(unit uint16) byte {
	switch unit {
	case '"', '\\':
		return byte(unit)
	case '\b':
		return 'b'
	case '\f':
		return 'f'
	case '\n':
		return 'n'
	case '\r':
		return 'r'
	case '\t':
		return 't'
	}
	return 0
}

func isHigh(unit uint16) bool { return unit >= 0xd800 && unit < 0xdc00 }
func isLow(unit uint16) bool  { return unit >= 0xdc00 && unit < 0xe000 }

// pairAt reports whether a whole surrogate pair starts at i.
func pairAt(units []uint16, i int) bool {
	return isHigh(units[i]) && i+1 < len(units) && isLow(units[i+1])
}

// appendQuoted renders a string as JSON.stringify does: half a pair is escaped, everything else beyond ASCII is not.
func appendQuoted(b []byte, units []uint16) []byte {
	b = append(b, '"')
	for i := 0; i < len(units); i++ {
		unit := units[i]
		switch escape := shortEscape(unit); {
		case escape != 0:
			b = append(b, '\\', escape)
		case pairAt(units, i):
			b = utf8.AppendRune(b, utf16.DecodeRune(rune(unit), rune(units[i+1])))
			i++
		case unit < ' ' || isHigh(unit) || isLow(unit):
			b = fmt.Appendf(b, `\u%04x`, unit)
		default:
			b = utf8.AppendRune(b, rune(unit))
		}
	}
	return append(b, '"')
}

// quotedLength is the length of appendQuoted's text in UTF-16 code units.
func quotedLength(units []uint16) int {
	n := 2
	for i := 0; i < len(units); i++ {
		switch unit := units[i]; {
		case shortEscape(unit) != 0:
			n += 2
		case pairAt(units, i):
			n += 2
			i++
		case unit < ' ' || isHigh(unit) || isLow(unit):
			n += 6
		default:
			n++
		}
	}
	return n
}

// utf16Length is the length of a text in UTF-16 code units.
func utf16Length(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}
