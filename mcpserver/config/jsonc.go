package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// parseJSON reads JSON with comments and trailing commas.
func parseJSON(data []byte) (*node, error) {
	where := newLines(data)
	plain, offset, message := standardize(data)
	if message == "" {
		offset, message = checkSyntax(plain)
	}
	if message != "" {
		at := where.position(offset)
		return nil, &SyntaxError{Line: at.Line, Column: at.Column, Format: "JSON", Message: message}
	}
	decoder := json.NewDecoder(bytes.NewReader(plain))
	decoder.UseNumber()
	r := &jsonReader{decoder: decoder, text: plain, where: where}
	return r.value()
}

// jsonReader builds nodes of text that is known to be JSON.
type jsonReader struct {
	decoder *json.Decoder
	text    []byte
	where   *lines
}

func (r *jsonReader) value() (*node, error) {
	start := r.next()
	n := &node{at: r.where.position(start), start: start}
	defer func() { n.end = int(r.decoder.InputOffset()) }()
	token, err := r.decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		return n, r.list(n, token)
	case string:
		n.kind, n.text = isString, token
	case json.Number:
		n.kind, n.text = isNumber, token.String()
	case bool:
		n.kind, n.text = isBoolean, fmt.Sprint(token)
	default:
		n.kind = isNull
	}
	return n, nil
}

// next is the offset of the token that comes next.
func (r *jsonReader) next() int {
	offset := int(r.decoder.InputOffset())
	for offset < len(r.text) && bytes.IndexByte([]byte(" \t\r\n:,"), r.text[offset]) >= 0 {
		offset++
	}
	return offset
}

// list reads an object or an array, whose opening bracket is behind us, with the closing one.
func (r *jsonReader) list(n *node, open json.Delim) error {
	n.kind = isArray
	if open == '{' {
		n.kind = isObject
	}
	for r.decoder.More() {
		key, start := "", r.next()
		if open == '{' {
			token, err := r.decoder.Token()
			if err != nil {
				return err
			}
			key, _ = token.(string) // a member's name is always one
		}
		value, err := r.value()
		if err != nil {
			return err
		}
		if open == '{' {
			n.members = append(n.members, member{key, value, start})
		} else {
			n.items = append(n.items, value)
		}
	}
	_, err := r.decoder.Token()
	return err
}

// standardize turns JSON with comments and trailing commas into plain JSON by overwriting both with spaces, so that
// every byte keeps its place and an offset of the result is an offset of the source. A message is about the offset.
func standardize(src []byte) (out []byte, offset int, message string) {
	out = bytes.Clone(src)
	copy(out, bytes.Repeat([]byte{' '}, len(src)-len(bytes.TrimPrefix(src, byteOrderMark))))
	comma := -1 // the place of a comma that nothing but space has followed yet
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			comma = -1
			i = stringEnd(out, i)
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := commentEnd(out, i)
			if end < 0 {
				return nil, i, "the comment that starts here is not closed"
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
	return out, 0, ""
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

// checkSyntax finds the first place where text is no JSON value; the message is empty when it is one.
func checkSyntax(text []byte) (offset int, message string) {
	var v json.RawMessage
	decoder := json.NewDecoder(bytes.NewReader(text))
	err := decoder.Decode(&v)
	if err == nil {
		end := int(decoder.InputOffset())
		rest := bytes.TrimLeft(text[end:], " \t\r\n")
		if len(rest) == 0 {
			return 0, ""
		}
		return len(text) - len(rest), "text follows the end of the JSON value"
	}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		// encoding/json counts the offending byte in.
		at := max(int(syntax.Offset)-1, 0)
		if r, size := utf8.DecodeRune(text[at:]); size > 1 {
			return at, fmt.Sprintf("invalid character %q", r)
		}
		return at, syntax.Error()
	case errors.Is(err, io.EOF) && len(bytes.TrimSpace(text)) == 0:
		return 0, "the file is empty"
	default:
		return len(text), "the JSON text ends too early"
	}
}
