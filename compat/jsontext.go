package compat

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/codemode-go/codemode/compat/casefile"
)

// equalJSON reports whether two JSON texts are the same value to a JavaScript host: numbers as doubles, strings as
// UTF-16 with lone surrogates kept (encoding/json replaces those), members in the order in which the host lists them.
func equalJSON(a, b []byte) bool { return canonicalJSON(a) == canonicalJSON(b) }

// canonicalJSON spells a JSON text in one way. Lone surrogates become the three bytes that UTF-8 has no use for.
func canonicalJSON(text []byte) string {
	if !json.Valid(text) {
		return "invalid:" + string(text)
	}
	c := canonicaliser{text: string(text)}
	c.value()
	return c.out.String()
}

// canonicaliser walks a text that is known to be JSON.
type canonicaliser struct {
	text string
	at   int
	out  strings.Builder
}

// next skips white space and returns the byte that follows.
func (c *canonicaliser) next() byte {
	for strings.IndexByte(" \t\r\n", c.text[c.at]) >= 0 {
		c.at++
	}
	return c.text[c.at]
}

func (c *canonicaliser) value() {
	switch c.next() {
	case '{':
		c.object()
	case '[':
		c.list()
	case '"':
		c.out.WriteString(strconv.Quote(c.string()))
	default:
		c.out.WriteString(c.scalar())
	}
}

func (c *canonicaliser) list() {
	c.at++
	c.out.WriteByte('[')
	for c.next() != ']' {
		if c.text[c.at] == ',' {
			c.at++
			c.out.WriteByte(',')
		}
		c.value()
	}
	c.at++
	c.out.WriteByte(']')
}

func (c *canonicaliser) object() {
	type member struct{ key, value string }
	var members []member
	c.at++
	for c.next() != '}' {
		if c.text[c.at] == ',' {
			c.at++
			c.next()
		}
		key := c.string()
		c.next()
		c.at++ // the colon
		inner := canonicaliser{text: c.text, at: c.at}
		inner.value()
		c.at = inner.at
		members = append(members, member{key, inner.out.String()})
	}
	c.at++
	slices.SortStableFunc(members, func(a, b member) int { return casefile.CompareKeys(a.key, b.key) })
	c.out.WriteByte('{')
	for _, m := range members {
		c.out.WriteString(strconv.Quote(m.key) + ":" + m.value + ",")
	}
	c.out.WriteByte('}')
}

func (c *canonicaliser) scalar() string {
	start := c.at
	for c.at < len(c.text) && strings.IndexByte(",]} \t\r\n", c.text[c.at]) < 0 {
		c.at++
	}
	word := c.text[start:c.at]
	if f, err := strconv.ParseFloat(word, 64); err == nil {
		return strconv.FormatFloat(f+0, 'g', -1, 64) // + 0 turns -0 into 0
	}
	return word
}

// string reads a string as WTF-8.
func (c *canonicaliser) string() string {
	var out []byte
	c.at++
	for c.text[c.at] != '"' {
		if c.text[c.at] != '\\' {
			out = append(out, c.text[c.at])
			c.at++
			continue
		}
		escape := c.text[c.at+1]
		c.at += 2
		if escape != 'u' {
			out = append(out, unescape(escape))
			continue
		}
		r := c.unit()
		if utf16.IsSurrogate(r) && strings.HasPrefix(c.text[c.at:], `\u`) {
			rest := c.at
			c.at += 2
			if pair := utf16.DecodeRune(r, c.unit()); pair != utf8.RuneError {
				r = pair
			} else {
				c.at = rest
			}
		}
		out = appendWTF8(out, r)
	}
	c.at++
	return string(out)
}

func (c *canonicaliser) unit() rune {
	n, _ := strconv.ParseUint(c.text[c.at:c.at+4], 16, 16) // four hex digits, the text is valid
	c.at += 4
	return rune(n)
}

func unescape(b byte) byte {
	switch b {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return b
}

func appendWTF8(out []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(out, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0xbf, 0x80|byte(r)&0xbf)
	}
	return utf8.AppendRune(out, r)
}

// lengthUTF16 is the length of a text as JavaScript counts it.
func lengthUTF16(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x10000 {
			n++
		}
	}
	return n
}
