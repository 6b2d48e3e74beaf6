package casefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/codemode-go/codemode/protocol"
)

// fieldError says what is wrong with the field at a path.
type fieldError struct{ path, text string }

func (e fieldError) Error() string {
	if e.path == "" {
		return e.text
	}
	return e.path + ": " + e.text
}

func unknownField(path string) error { return fieldError{path, "unknown field"} }

func wrongType(path, want string, got any) error {
	return fieldError{path, fmt.Sprintf("want %s, got %s", want, kindOf(got))}
}

// kindOf names a JSON value's type.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "an array"
	}
	return "an object"
}

// eachMember calls read for the members of an object in order, and refuses one that is named twice.
func eachMember(v any, path string, read func(key string, value any) error) error {
	o, ok := v.(protocol.Object)
	if !ok {
		return wrongType(path, "an object", v)
	}
	seen := make(map[string]bool, len(o))
	for _, m := range o {
		if seen[m.Key] {
			return fieldError{path, fmt.Sprintf("%q is named twice", m.Key)}
		}
		seen[m.Key] = true
		if err := read(m.Key, m.Value); err != nil {
			return err
		}
	}
	return nil
}

func readString(v any, path string, into *string) error {
	s, ok := v.(string)
	if !ok {
		return wrongType(path, "a string", v)
	}
	*into = s
	return nil
}

func readBool(v any, path string, into *bool) error {
	b, ok := v.(bool)
	if !ok {
		return wrongType(path, "a boolean", v)
	}
	*into = b
	return nil
}

// readWhole reads a number that is whole and not negative.
func readWhole(v any, path string, into *int64) error {
	number, ok := v.(json.Number)
	if !ok {
		return wrongType(path, "a number", v)
	}
	n, err := number.Int64()
	if err != nil || n < 0 {
		return fieldError{path, "want a whole number that is not negative, got " + number.String()}
	}
	*into = n
	return nil
}

// SyntaxError is a text that is not JSON, and where in it, from 1.
type SyntaxError struct {
	Line, Column int
	Err          error
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("not JSON, line %d column %d: %v", e.Line, e.Column, e.Err)
}

func (e *SyntaxError) Unwrap() error { return e.Err }

// readJSON reads one JSON text. Members keep their order and their repetition, numbers their digits. An error of its syntax is a
// SyntaxError.
func readJSON(text []byte) (any, error) {
	v, err := protocol.ParseJSON(text)
	if err == nil {
		return v, nil
	}
	var whole json.RawMessage
	var syntax *json.SyntaxError
	if errors.As(json.Unmarshal(text, &whole), &syntax) {
		line, column := position(text, syntax.Offset)
		return nil, &SyntaxError{line, column, syntax}
	}
	return nil, err
}

// position is where the byte before an offset is.
func position(text []byte, offset int64) (line, column int) {
	before := text[:min(max(int(offset)-1, 0), len(text))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}
