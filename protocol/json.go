package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// textOptions make jsontext take what JSON.parse takes, as encoding/json does: repeated members, and invalid UTF-8 as
// U+FFFD.
var textOptions = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// ParseJSON reads one JSON text as nil, bool, string, json.Number (digits as written), []any and Object (members in
// order, also repeated ones). No marker of the value encoding is looked at; see DecodeValue.
func ParseJSON(text json.RawMessage) (any, error) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text), textOptions...)
	v, err := parseNext(decoder)
	if err == nil {
		if _, more := decoder.ReadToken(); more == io.EOF {
			return v, nil
		}
	}
	return nil, fmt.Errorf("a value is no JSON: %.60q", text)
}

// parseNext reads the next value. jsontext bounds the depth at 10,000.
func parseNext(decoder *jsontext.Decoder) (any, error) {
	token, err := decoder.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		return token.Bool(), nil
	case '"':
		return token.String(), nil
	case '0':
		return json.Number(token.String()), nil
	case '[':
		list := []any{}
		for decoder.PeekKind() != ']' {
			item, err := parseNext(decoder)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err = decoder.ReadToken()
		return list, err
	}
	object := Object{}
	for decoder.PeekKind() != '}' {
		key, err := decoder.ReadToken()
		if err != nil {
			return nil, err
		}
		name := key.String() // the next read overwrites the token
		value, err := parseNext(decoder)
		if err != nil {
			return nil, err
		}
		object = append(object, Member{name, value})
	}
	_, err = decoder.ReadToken()
	return object, err
}

// RenderJSON writes what ParseJSON or DecodeValue read as JSON.stringify would, and escapes no marker. A value that JSON
// has no word for ([]byte, ArrayBuffer, View, Handle) is first given to replace, which may be nil when there is none;
// what replace gives is written in its place. Undefined drops its member, is null in a list, and gives nil at the top.
func RenderJSON(v any, replace func(v any) (any, error)) (json.RawMessage, error) {
	r := renderer{replace: replace}
	v, err := r.plain(v)
	if err != nil {
		return nil, err
	}
	if _, ok := v.(Undefined); ok {
		return nil, nil
	}
	err = r.write(v)
	return r.b.Bytes(), err
}

type renderer struct {
	b       bytes.Buffer
	replace func(v any) (any, error)
}

// plain replaces what JSON has no word for.
func (r *renderer) plain(v any) (any, error) {
	switch v.(type) {
	case []byte, ArrayBuffer, View, Handle:
		if r.replace == nil {
			return nil, fmt.Errorf("a %T is no JSON", v)
		}
		return r.replace(v)
	}
	return v, nil
}

func (r *renderer) write(v any) error {
	switch v := v.(type) {
	case Undefined:
		r.b.WriteString("null")
	case string:
		r.quote(v)
	case json.RawMessage:
		r.b.Write(v)
	case []any:
		return r.list(v)
	case Object:
		return r.object(v)
	default:
		text, err := marshal(v)
		r.b.Write(text)
		return err
	}
	return nil
}

func (r *renderer) list(items []any) error {
	r.b.WriteByte('[')
	for i, item := range items {
		if i > 0 {
			r.b.WriteByte(',')
		}
		item, err := r.plain(item)
		if err != nil {
			return err
		}
		if err := r.write(item); err != nil {
			return err
		}
	}
	r.b.WriteByte(']')
	return nil
}

func (r *renderer) object(o Object) error {
	r.b.WriteByte('{')
	first := true
	for _, m := range o {
		value, err := r.plain(m.Value)
		if err != nil {
			return err
		}
		if _, ok := value.(Undefined); ok {
			continue
		}
		if !first {
			r.b.WriteByte(',')
		}
		first = false
		r.quote(m.Key)
		r.b.WriteByte(':')
		if err := r.write(value); err != nil {
			return err
		}
	}
	r.b.WriteByte('}')
	return nil
}

// quote writes a string as JSON.stringify does, which escapes less than encoding/json.
func (r *renderer) quote(s string) {
	r.b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			r.b.WriteByte('\\')
			r.b.WriteRune(c)
		case c == '\b':
			r.b.WriteString(`\b`)
		case c == '\f':
			r.b.WriteString(`\f`)
		case c == '\n':
			r.b.WriteString(`\n`)
		case c == '\r':
			r.b.WriteString(`\r`)
		case c == '\t':
			r.b.WriteString(`\t`)
		case c < 0x20:
			fmt.Fprintf(&r.b, `\u%04x`, c)
		default:
			r.b.WriteRune(c)
		}
	}
	r.b.WriteByte('"')
}

// marshal is json.Marshal without HTML escaping.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
