package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// ParseJSON reads one JSON text as nil, bool, string, json.Number (digits as written), []any and Object (members in
// order, also repeated ones). No marker of the value encoding is looked at; see DecodeValue.
func ParseJSON(text json.RawMessage) (any, error) {
	if !json.Valid(text) {
		return nil, fmt.Errorf("a value is no JSON: %.60q", text)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return parseNext(decoder)
}

// parseNext reads the next value of a valid text. encoding/json bounds the depth at 10,000.
func parseNext(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			item, err := parseNext(decoder)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err = decoder.Token()
		return list, err
	case json.Delim('{'):
		object := Object{}
		for decoder.More() {
			key, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			value, err := parseNext(decoder)
			if err != nil {
				return nil, err
			}
			object = append(object, Member{key.(string), value})
		}
		_, err = decoder.Token()
		return object, err
	}
	return token, nil
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
