package config

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Position is a place in a file, counted from 1, the column in characters. The zero Position is nowhere.
type Position struct{ Line, Column int }

// node is one value of a file. JSON, TOML and YAML all become these, so that nothing behind them knows the format.
type node struct {
	kind kind
	// text is a string's value, or the literal of a number or boolean.
	text string
	// members are an object's, in the order of the file; items are an array's.
	members []member
	items   []*node
	at      Position
	// start and end are offsets of the text, of JSON only.
	start, end int
}

// member is one member of an object.
type member struct {
	key   string
	value *node
	start int // of the key in the text, of JSON only
}

// kind names what a value is, as a message says it: never its content, which may be a secret.
type kind string

const (
	nothing   kind = "nothing"
	isObject  kind = "an object"
	isArray   kind = "an array"
	isString  kind = "a string"
	isNumber  kind = "a number"
	isBoolean kind = "a boolean"
	isNull    kind = "null"
)

// kindOf is the kind of a value that may be missing.
func kindOf(n *node) kind {
	if n == nil {
		return nothing
	}
	return n.kind
}

// get finds a member of an object; the last of several counts, as in JSON.parse. It is nil when there is none.
func (n *node) get(keys ...string) *node {
	for _, key := range keys {
		if n == nil {
			return nil
		}
		var found *node
		for _, m := range n.members {
			if m.key == key {
				found = m.value
			}
		}
		n = found
	}
	return n
}

// is reports whether a value is the literal of a boolean or number.
func (n *node) is(literal string) bool {
	return n != nil && (n.kind == isBoolean || n.kind == isNumber) && n.text == literal
}

// SyntaxError is text that is not of its format, even with comments and trailing commas allowed in JSON.
type SyntaxError struct {
	// Line and Column are counted from 1, the column in characters; Line 0 is unknown.
	Line, Column int
	// Format is JSON, TOML or YAML.
	Format  string
	Message string
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("not %s: %s", e.Format, e.Message)
	}
	return fmt.Sprintf("not %s: line %d, column %d: %s", e.Format, e.Line, e.Column, e.Message)
}

// parseTree reads a file's text in the format of its name: TOML for .toml, YAML for .yaml and .yml, JSON with comments
// for everything else. A byte order mark is allowed.
func parseTree(file string, data []byte) (*node, error) {
	if err := checkEncoding(data); err != nil {
		return nil, err
	}
	switch strings.ToLower(filepath.Ext(file)) {
	case ".toml":
		return parseTOML(data)
	case ".yaml", ".yml":
		return parseYAML(data)
	}
	return parseJSON(data)
}

var byteOrderMark = []byte("\ufeff")

// checkEncoding refuses text that is not UTF-8. Windows PowerShell writes UTF-16 when output is sent to a file, and a letter of
// another encoding would silently become another one in a path or a name.
func checkEncoding(data []byte) error {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", "\x00\x00\xfe\xff"} {
		if bytes.HasPrefix(data, []byte(mark)) {
			return errors.New("is written in UTF-16 or UTF-32; save it as UTF-8")
		}
	}
	if len(data) > 1 && (data[0] == 0) != (data[1] == 0) { // the same without a byte order mark
		return errors.New("is written in UTF-16 or UTF-32; save it as UTF-8")
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			at := newLines(data).position(i)
			return fmt.Errorf("line %d, column %d: a byte that is not UTF-8 (0x%02x); save the file as UTF-8", at.Line, at.Column, data[i])
		}
		i += size
	}
	return nil
}

// lines finds line and column of offsets of a text.
type lines struct {
	text   []byte
	starts []int
}

func newLines(text []byte) *lines {
	l := &lines{text: text, starts: []int{0}}
	for i, c := range text {
		if c == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

func (l *lines) position(offset int) Position {
	offset = min(offset, len(l.text))
	line, exact := slices.BinarySearch(l.starts, offset)
	if !exact {
		line--
	}
	before := l.text[l.starts[line]:offset]
	return Position{line + 1, utf8.RuneCount(bytes.TrimPrefix(before, byteOrderMark)) + 1}
}
