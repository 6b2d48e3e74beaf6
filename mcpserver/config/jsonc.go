package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// member is one member of a JSON object, in the order of the text.
type member struct {
	key   string
	value json.RawMessage
}

// standardize turns JSON with comments and trailing commas into plain JSON by overwriting both with spaces, so that
// every byte keeps its place and an offset of the result is an offset of the source.
func standardize(src []byte) ([]byte, error) {
	out := bytes.Clone(src)
	copy(out, bytes.Repeat([]byte{' '}, len(src)-len(bytes.TrimPrefix(src, []byte("\ufeff")))))
	comma := -1 // the place of a comma that nothing but space has followed yet
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			comma = -1
			i = stringEnd(out, i)
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := commentEnd(out, i)
			if end < 0 {
				return nil, &SyntaxError{Offset: i, Message: "the comment that starts here is not closed"}
			}
			blank(out[i:end])
			i = end - 1
		case c == ',':
			comma = i
		case c == ']' || c == '}':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return out, nil
}

// stringEnd returns the place of the quote that closes the string opened at i, or the last place of an unclosed one.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(b) - 1
}

// commentEnd returns the place behind the comment that starts at i, or -1 when it is not closed.
func commentEnd(b []byte, i int) int {
	if b[i+1] == '/' {
		if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(b)
	}
	if n := bytes.Index(b[i+2:], []byte("*/")); n >= 0 {
		return i + 2 + n + 2
	}
	return -1
}

func blank(b []byte) {
	for i := range b {
		if b[i] != '\n' && b[i] != '\r' {
			b[i] = ' '
		}
	}
}

// SyntaxError is text that is no JSON, even with comments and trailing commas allowed.
type SyntaxError struct {
	// Line and Column are counted from 1, the column in characters.
	Line, Column int
	// Offset is counted in bytes from 0.
	Offset  int
	Message string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// checkSyntax finds the first place where text is no JSON value.
func checkSyntax(text []byte) *SyntaxError {
	var v json.RawMessage
	decoder := json.NewDecoder(bytes.NewReader(text))
	err := decoder.Decode(&v)
	if err == nil {
		end := int(decoder.InputOffset())
		rest := bytes.TrimLeft(text[end:], " \t\r\n")
		if len(rest) == 0 {
			return nil
		}
		return &SyntaxError{Offset: len(text) - len(rest), Message: "text follows the end of the JSON value"}
	}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		// encoding/json counts the offending byte in.
		at := max(int(syntax.Offset)-1, 0)
		if r, size := utf8.DecodeRune(text[at:]); size > 1 {
			return &SyntaxError{Offset: at, Message: fmt.Sprintf("invalid character %q", r)}
		}
		return &SyntaxError{Offset: at, Message: syntax.Error()}
	case errors.Is(err, io.EOF) && len(bytes.TrimSpace(text)) == 0:
		return &SyntaxError{Offset: 0, Message: "the file is empty"}
	default:
		return &SyntaxError{Offset: len(text), Message: "the JSON text ends too early"}
	}
}

// locate fills in line and column from the offset.
func (e *SyntaxError) locate(src []byte) *SyntaxError {
	before := src[:min(e.Offset, len(src))]
	line := bytes.Count(before, []byte("\n"))
	e.Line = line + 1
	e.Column = utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return e
}

// members takes an object apart in order; ok is false when raw is no object.
func members(raw json.RawMessage) (list []member, ok bool) {
	if kindOf(raw) != "an object" {
		return nil, false
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if _, err := decoder.Token(); err != nil {
		return nil, false
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, false
		}
		list = append(list, member{key.(string), value})
	}
	return list, true
}

// kindOf names the kind of a JSON value for a message, never its content.
func kindOf(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
