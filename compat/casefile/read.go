package casefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

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

// readJSON reads one JSON text. Members keep their order and their repetition, numbers their digits. A syntax error
// says where it is.
func readJSON(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	v, err := readNext(decoder)
	if err == nil {
		if _, err = decoder.Token(); err == io.EOF {
			return v, nil
		}
		err = fmt.Errorf("text follows the value")
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	line, column := position(text, decoder.InputOffset())
	return nil, fmt.Errorf("not JSON, line %d column %d: %w", line, column, err)
}

func position(text []byte, offset int64) (line, column int) {
	before := text[:min(int(offset), len(text))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}

func readNext(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			item, err := readNext(decoder)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err = decoder.Token()
		return list, err
	case json.Delim('{'):
		object := protocol.Object{}
		for decoder.More() {
			key, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			value, err := readNext(decoder)
			if err != nil {
				return nil, err
			}
			object = append(object, protocol.Member{Key: key.(string), Value: value})
		}
		_, err = decoder.Token()
		return object, err
	}
	return token, nil
}
