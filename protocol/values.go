package protocol

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The markers of the value encoding. A value crosses as plain JSON; three things JSON has no word for cross as an
// object with one of these keys. Data that holds such a key of its own is wrapped, so that it comes out as it went in:
//
//	new Uint8Array([1])  →  {"__codemode_binary_v1__": "Uint8Array", "data": "AQ=="}
//	a retained function  →  {"__codemode_handle__": 7}
//	{"__codemode_handle__": 7} as data  →  {"__codemode_escaped_v1__": {"__codemode_handle__": 7}}
const (
	// BinaryKey tags bytes: "Uint8Array", "ArrayBuffer" or "ArrayBufferView", with base64 in "data". A result's view
	// other than Uint8Array names its constructor in "view".
	BinaryKey = "__codemode_binary_v1__"
	// HandleKey tags a retained function.
	HandleKey = "__codemode_handle__"
	// EscapeKey wraps an object whose own keys include one of the three.
	EscapeKey = "__codemode_escaped_v1__"

	markerPrefix = "__codemode_"
)

// Undefined is JavaScript's undefined where a Go value has to stand for it.
type Undefined struct{}

// ArrayBuffer is bytes that the program sees as an ArrayBuffer; a plain []byte is a Uint8Array.
type ArrayBuffer []byte

// View is a result's typed array or DataView other than Uint8Array: its constructor's name and its bytes.
type View struct {
	Type string
	Data []byte
}

// Handle is a retained function of a result.
type Handle int64

// Object is a JSON object whose members keep their order.
type Object []Member

// Member is one member of an Object.
type Member struct {
	Key   string
	Value any
}

// Get returns the value of the last member called key.
func (o Object) Get(key string) (any, bool) {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].Key == key {
			return o[i].Value, true
		}
	}
	return nil, false
}

// EncodeValue renders a Go value for a program. []byte, ArrayBuffer, View, Object, []any and map[string]any (keys
// sorted) are walked; json.RawMessage passes with its bytes as they are; anything else goes through encoding/json. In
// all of them data that looks like a marker is escaped. Undefined at the top gives nil, in an object it drops the
// member, and in an array it is null.
func EncodeValue(v any) (json.RawMessage, error) {
	if _, ok := v.(Undefined); ok {
		return nil, nil
	}
	var b bytes.Buffer
	if err := encodeInto(&b, v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func encodeInto(b *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case nil, Undefined:
		b.WriteString("null")
	case []byte:
		writeBinary(b, "Uint8Array", "", v)
	case ArrayBuffer:
		writeBinary(b, "ArrayBuffer", "", v)
	case View:
		writeBinary(b, "ArrayBufferView", v.Type, v.Data)
	case Handle:
		fmt.Fprintf(b, `{%q:%d}`, HandleKey, v)
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := encodeInto(b, item); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case Object:
		return encodeObject(b, v)
	case map[string]any:
		o := make(Object, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			o = append(o, Member{key, v[key]})
		}
		return encodeObject(b, o)
	case json.RawMessage:
		return encodeRaw(b, v)
	case string, bool, json.Number:
		text, err := marshal(v)
		if err != nil {
			return err
		}
		b.Write(text)
	default:
		text, err := marshal(v)
		if err != nil {
			return err
		}
		return encodeRaw(b, text)
	}
	return nil
}

func encodeObject(b *bytes.Buffer, o Object) error {
	escape := slices.ContainsFunc(o, func(m Member) bool { return isMarker(m.Key) })
	if escape {
		fmt.Fprintf(b, `{%q:`, EscapeKey)
	}
	b.WriteByte('{')
	first := true
	for _, m := range o {
		if _, ok := m.Value.(Undefined); ok {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		key, err := marshal(m.Key)
		if err != nil {
			return err
		}
		b.Write(key)
		b.WriteByte(':')
		if err := encodeInto(b, m.Value); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	if escape {
		b.WriteByte('}')
	}
	return nil
}

// encodeRaw copies JSON text, and takes it apart only when it can hold a marker. A marker's key may be spelled with
// escapes, so any backslash before a "u005f"-like run counts as "can".
func encodeRaw(b *bytes.Buffer, raw json.RawMessage) error {
	if !ValidJSON(raw) {
		return fmt.Errorf("a value is no JSON: %.60q", raw)
	}
	if !bytes.Contains(raw, []byte(markerPrefix)) && !bytes.Contains(raw, []byte(`\u`)) {
		b.Write(raw)
		return nil
	}
	v, err := ParseJSON(raw)
	if err != nil {
		return err
	}
	if !holdsMarker(v) { // the bytes as they are: a lone surrogate has no other spelling
		b.Write(raw)
		return nil
	}
	return encodeInto(b, v)
}

// holdsMarker reports whether an object anywhere in a parsed value has a marker's key.
func holdsMarker(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, holdsMarker)
	case Object:
		return slices.ContainsFunc(v, func(m Member) bool { return isMarker(m.Key) || holdsMarker(m.Value) })
	}
	return false
}

func writeBinary(b *bytes.Buffer, kind, view string, data []byte) {
	fmt.Fprintf(b, `{%q:%q`, BinaryKey, kind)
	if view != "" {
		name, _ := marshal(view) // a string always has a rendering
		fmt.Fprintf(b, `,"view":%s`, name)
	}
	fmt.Fprintf(b, `,"data":"%s"}`, base64.StdEncoding.EncodeToString(data))
}

// DecodeValue reads a value that a program sent: nil, bool, json.Number (digits as sent), string, []any, Object,
// []byte for a Uint8Array or an argument's view, View for a result's, ArrayBuffer, Handle. Nil text is Undefined.
func DecodeValue(raw json.RawMessage) (any, error) {
	if raw == nil {
		return Undefined{}, nil
	}
	v, err := ParseJSON(raw)
	if err != nil {
		return nil, err
	}
	return unmark(v), nil
}

func unmark(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = unmark(v[i])
		}
	case Object:
		if marked, ok := unmarkObject(v); ok {
			return marked
		}
		for i := range v {
			v[i].Value = unmark(v[i].Value)
		}
	}
	return v
}

// unmarkObject reads one marker object. What only resembles one is data.
func unmarkObject(o Object) (any, bool) {
	if len(o) == 1 && o[0].Key == EscapeKey {
		if inner, ok := o[0].Value.(Object); ok {
			for i := range inner {
				inner[i].Value = unmark(inner[i].Value)
			}
			return inner, true
		}
	}
	if len(o) == 1 && o[0].Key == HandleKey {
		if n, ok := o[0].Value.(json.Number); ok {
			if id, err := n.Int64(); err == nil {
				return Handle(id), true
			}
		}
	}
	return unmarkBinary(o)
}

func unmarkBinary(o Object) (any, bool) {
	kind, ok := o.Get(BinaryKey)
	if !ok {
		return nil, false
	}
	text, _ := o.Get("data")
	encoded, ok := text.(string)
	if !ok {
		return nil, false
	}
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(encoded, "="))
	if err != nil {
		return nil, false
	}
	if kind == "ArrayBuffer" {
		return ArrayBuffer(data), true
	}
	if view, ok := o.Get("view"); ok {
		if name, ok := view.(string); ok {
			return View{Type: name, Data: data}, true
		}
	}
	return data, true
}

func isMarker(key string) bool { return key == BinaryKey || key == HandleKey || key == EscapeKey }

// SplitArguments takes a call's argument list apart without decoding the arguments.
func SplitArguments(argsJSON string) ([]json.RawMessage, error) {
	if argsJSON == "" {
		return nil, nil
	}
	text := []byte(argsJSON)
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text), textOptions...)
	token, err := decoder.ReadToken()
	if err == nil && token.Kind() != '[' {
		err = fmt.Errorf("it begins with %.20q", argsJSON)
	}
	var args []json.RawMessage
	for err == nil && decoder.PeekKind() != ']' {
		var arg jsontext.Value
		if arg, err = decoder.ReadValue(); err == nil {
			end := decoder.InputOffset()
			args = append(args, text[end-int64(len(arg)):end:end])
		}
	}
	if err == nil {
		_, err = decoder.ReadToken()
	}
	if err == nil {
		if _, err = decoder.ReadToken(); err == io.EOF {
			return args, nil
		}
		err = errors.New("something follows it")
	}
	return nil, fmt.Errorf("the argument list is no JSON array: %w", err)
}
