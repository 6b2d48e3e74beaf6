package capnweb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/codemode-go/codemode/protocol/jsonscan"
)

// parser reads one message. It copies what is plain JSON to out, where arrays stand without their escape, and cuts
// values out of it; so a value is walked once and keeps its bytes.
type parser struct {
	in  []byte
	pos int
	out []byte
	// kids holds the members read so far of every container that is open and has a special value in it, innermost last.
	kids []kid
	// listed counts what does not stay text: members of such containers, arguments, parts of paths.
	listed int
}

// mostListed bounds that: each takes a hundred bytes, and two in a message. It is as many as Limits.Table holds by default.
const mostListed = 1 << 16

// count counts one more.
func (p *parser) count() error {
	if p.listed++; p.listed > mostListed {
		return errLimit("a message has more than %d values that are listed one by one", mostListed)
	}
	return nil
}

// keep notes a member of a container that has a special value in it.
func (p *parser) keep(k kid) error {
	p.kids = append(p.kids, k)
	return p.count()
}

// item is a value that was read: the range of out that has its JSON text, or what is more than JSON.
type item struct {
	start, end int
	special    any // nil for plain JSON
}

// kid is a member of an open container; a list's has no key.
type kid struct {
	keyStart, keyEnd int
	item
}

// shown bounds how much of an offending text an error repeats.
const shown = 200

func newParser(text []byte) (*parser, error) {
	if !utf8.Valid(text) {
		return nil, newError("SyntaxError", "", "the message is no valid UTF-8")
	}
	return &parser{in: text, out: make([]byte, 0, len(text))}, nil
}

func (p *parser) syntax(what string) error {
	return newError("SyntaxError", "", "%s in JSON at position %d", what, p.pos)
}

// unknown is the error of an expression that starts at start and is none.
func (p *parser) unknown(start int) error {
	return newError("TypeError", "", "unknown special value: %s", p.excerpt(start))
}

// excerpt shows the value that starts at start, as far as it can be read and is not too long.
func (p *parser) excerpt(start int) string {
	q := parser{in: p.in, pos: start}
	if q.skip(0) != nil {
		q.pos = len(p.in)
	}
	return cut(string(p.in[start:q.pos]), shown)
}

// cut shortens a text to so many bytes, on a rune boundary.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// next gives the next byte that is no white space, without taking it; 0 at the end.
func (p *parser) next() byte {
	for p.pos < len(p.in) {
		switch c := p.in[p.pos]; c {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return c
		}
	}
	return 0
}

func (p *parser) take(c byte) error {
	if p.next() != c {
		return p.syntax(fmt.Sprintf("Expected %q", c))
	}
	p.pos++
	return nil
}

// more reports whether a list goes on: it takes the comma, or the end.
func (p *parser) more() (bool, error) {
	switch p.next() {
	case ',':
		p.pos++
		return true, nil
	case ']':
		p.pos++
		return false, nil
	}
	return false, p.syntax("Expected ',' or ']'")
}

// value reads an expression.
func (p *parser) value(depth int) (item, error) {
	if depth >= MaxDepth {
		return item{}, newError("TypeError", CodeLimit, "Deserialization exceeded maximum allowed message depth of %d.", MaxDepth)
	}
	switch p.next() {
	case '{':
		return p.object(depth)
	case '[':
		return p.array(depth)
	}
	return p.scalar()
}

// cutOut gives what an item stands for.
func (p *parser) cutOut(i item) any {
	if i.special != nil {
		return i.special
	}
	return json.RawMessage(p.out[i.start:i.end:i.end])
}

func (p *parser) object(depth int) (item, error) {
	p.pos++
	start, base, special := len(p.out), len(p.kids), false
	p.out = append(p.out, '{')
	for first := true; ; first = false {
		c := p.next()
		if c == '}' && first {
			break
		}
		if !first {
			if c == '}' {
				break
			}
			if err := p.take(','); err != nil {
				return item{}, err
			}
			p.out = append(p.out, ',')
		}
		if p.next() != '"' {
			return item{}, p.syntax("Expected property name")
		}
		key, err := p.scalar()
		if err != nil {
			return item{}, err
		}
		if err := p.take(':'); err != nil {
			return item{}, err
		}
		p.out = append(p.out, ':')
		value, err := p.value(depth + 1)
		if err == nil && value.special != nil && !special {
			special, err = true, p.keepBefore(start, key.start)
		}
		if err == nil && special {
			err = p.keep(kid{key.start, key.end, value})
		}
		if err != nil {
			return item{}, err
		}
	}
	p.pos++
	p.out = append(p.out, '}')
	if !special {
		return item{start: start, end: len(p.out)}, nil
	}
	kids := p.kids[base:]
	p.kids = p.kids[:base]
	object := make(Object, len(kids))
	for i, k := range kids {
		object[i] = Member{Key: unquote(p.out[k.keyStart:k.keyEnd]), Value: p.cutOut(k.item)}
	}
	return item{special: object}, nil
}

// keepBefore notes the members of a container, which begins at start of out, that came before its first special value: they
// are plain JSON up to end. Most containers have none, and their members stay text.
func (p *parser) keepBefore(start, end int) error {
	q := parser{in: p.out[:end], pos: start + 1}
	for q.pos < end {
		var k kid
		if p.out[start] == '{' {
			k.keyStart = q.pos
			_ = q.skipScalar() // all of it was checked
			k.keyEnd = q.pos
			q.pos++
		}
		k.start = q.pos
		_ = q.skip(0)
		k.end = q.pos
		q.pos++
		if err := p.keep(k); err != nil {
			return err
		}
	}
	return nil
}

// array reads what stands in brackets: an escaped array, or a special value.
func (p *parser) array(depth int) (item, error) {
	bracket := p.pos
	p.pos++
	switch p.next() {
	case '[':
		list, err := p.list(depth)
		if err != nil {
			return item{}, err
		}
		if p.next() != ']' {
			return item{}, p.unknown(bracket)
		}
		p.pos++
		return list, nil
	case '"':
		tag, err := p.text()
		if err != nil {
			return item{}, err
		}
		special, err := p.special(tag, bracket, depth)
		return item{special: special}, err
	}
	return item{}, p.unknown(bracket)
}

// list reads a plain list of expressions, from its bracket.
func (p *parser) list(depth int) (item, error) {
	p.pos++
	start, base, special := len(p.out), len(p.kids), false
	p.out = append(p.out, '[')
	if p.next() == ']' {
		p.pos++
	} else {
		for {
			before := len(p.out)
			value, err := p.value(depth + 1)
			if err == nil && value.special != nil && !special {
				special, err = true, p.keepBefore(start, before)
			}
			if err == nil && special {
				err = p.keep(kid{item: value})
			}
			if err != nil {
				return item{}, err
			}
			more, err := p.more()
			if err != nil {
				return item{}, err
			}
			if !more {
				break
			}
			p.out = append(p.out, ',')
		}
	}
	p.out = append(p.out, ']')
	if !special {
		return item{start: start, end: len(p.out)}, nil
	}
	kids := p.kids[base:]
	p.kids = p.kids[:base]
	list := make([]any, len(kids))
	for i, k := range kids {
		list[i] = p.cutOut(k.item)
	}
	return item{special: list}, nil
}

// items reads a plain list of expressions as the values in it.
func (p *parser) items(depth int) ([]any, error) {
	if p.next() != '[' {
		return nil, p.syntax("Expected '['")
	}
	p.pos++
	values := []any{}
	if p.next() == ']' {
		p.pos++
		return values, nil
	}
	for {
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		values = append(values, p.cutOut(value))
		if err := p.count(); err != nil {
			return nil, err
		}
		if more, err := p.more(); err != nil || !more {
			return values, err
		}
	}
}

// scalar copies a string, number or word.
func (p *parser) scalar() (item, error) {
	start := p.pos
	if err := p.skipScalar(); err != nil {
		return item{}, err
	}
	at := len(p.out)
	p.out = append(p.out, p.in[start:p.pos]...)
	return item{start: at, end: len(p.out)}, nil
}

// skip passes over any JSON, whatever it means.
func (p *parser) skip(depth int) error {
	if depth >= 2*MaxDepth+8 { // an escaped array has two brackets a level
		return newError("TypeError", CodeLimit, "Deserialization exceeded maximum allowed message depth of %d.", MaxDepth)
	}
	open := p.next()
	if open != '[' && open != '{' {
		return p.skipScalar()
	}
	p.pos++
	end := open + 2 // in ASCII, for both
	for first := true; ; first = false {
		if p.next() == end && first {
			break
		}
		if !first {
			if p.next() == end {
				break
			}
			if err := p.take(','); err != nil {
				return err
			}
		}
		if open == '{' {
			if p.next() != '"' {
				return p.syntax("Expected property name")
			}
			if err := p.skipScalar(); err != nil {
				return err
			}
			if err := p.take(':'); err != nil {
				return err
			}
		}
		if err := p.skip(depth + 1); err != nil {
			return err
		}
	}
	p.pos++
	return nil
}

func (p *parser) skipScalar() error {
	switch c := p.next(); {
	case c == '"':
		return p.skipString()
	case c == '-' || '0' <= c && c <= '9':
		return p.skipNumber()
	}
	for _, word := range []string{"null", "true", "false"} {
		if len(p.in)-p.pos >= len(word) && string(p.in[p.pos:p.pos+len(word)]) == word {
			p.pos += len(word)
			return nil
		}
	}
	if p.pos >= len(p.in) {
		return p.syntax("Unexpected end")
	}
	return p.syntax(fmt.Sprintf("Unexpected token %q", p.in[p.pos]))
}

func (p *parser) skipString() error {
	for p.pos++; ; p.pos++ {
		if p.pos += jsonscan.Plain(p.in[p.pos:]); p.pos >= len(p.in) {
			return p.syntax("Unterminated string")
		}
		switch p.in[p.pos] {
		case '"':
			p.pos++
			return nil
		case '\\':
			if err := p.skipEscape(); err != nil {
				return err
			}
		default:
			return p.syntax("Bad control character in string literal")
		}
	}
}

// skipEscape passes over an escape up to its last byte.
func (p *parser) skipEscape() error {
	p.pos++
	if p.pos >= len(p.in) {
		return p.syntax("Unterminated string")
	}
	switch p.in[p.pos] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return nil
	case 'u':
		if len(p.in)-p.pos > 4 {
			if _, err := strconv.ParseUint(string(p.in[p.pos+1:p.pos+5]), 16, 16); err == nil {
				p.pos += 4
				return nil
			}
		}
	}
	return p.syntax("Bad escaped character")
}

func (p *parser) skipNumber() error {
	digits := func() bool {
		start := p.pos
		for p.pos < len(p.in) && '0' <= p.in[p.pos] && p.in[p.pos] <= '9' {
			p.pos++
		}
		return p.pos > start
	}
	at := func(chars string) bool {
		for i := range len(chars) {
			if p.pos < len(p.in) && p.in[p.pos] == chars[i] {
				p.pos++
				return true
			}
		}
		return false
	}
	at("-")
	if !at("0") && !digits() {
		return p.syntax("No number after minus sign")
	}
	if at(".") && !digits() {
		return p.syntax("Unterminated fractional number")
	}
	if at("eE") {
		at("+-")
		if !digits() {
			return p.syntax("Exponent part is missing a number")
		}
	}
	return nil
}

// text reads a string.
func (p *parser) text() (string, error) {
	if p.next() != '"' {
		return "", p.syntax("Expected a string")
	}
	start := p.pos
	if err := p.skipString(); err != nil {
		return "", err
	}
	return unquote(p.in[start:p.pos]), nil
}

// integer reads a whole number.
func (p *parser) integer() (int64, error) {
	p.next()
	start := p.pos
	if err := p.skipScalar(); err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(string(p.in[start:p.pos]), 10, 54)
	if err != nil {
		return 0, p.syntax("Expected an integer")
	}
	return n, nil
}

// unquote decodes a valid JSON string; a lone surrogate becomes U+FFFD.
func unquote(quoted []byte) string {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') >= 0 {
		var text string
		_ = json.Unmarshal(quoted, &text) // it was checked
		return text
	}
	return string(inner)
}
