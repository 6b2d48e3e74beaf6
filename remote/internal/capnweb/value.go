package capnweb

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/codemode-go/codemode/protocol"
)

// What crosses, and its Go type:
//
//	plain JSON (no special value anywhere inside)  json.RawMessage
//	undefined                                      Undefined
//	NaN, Infinity, -Infinity                       float64
//	BigInt                                         *big.Int
//	Date                                           Date
//	Uint8Array; other buffers and views            []byte; TypedBytes
//	Error                                          *Error
//	a function or an object with methods           *Stub
//	an array or object with one of these inside    []any, Object
//
// Outgoing, nil, bool, string, numbers, map[string]any, Func, Target and whatever encoding/json takes are welcome too.
type (
	// Undefined is JavaScript's undefined.
	Undefined = protocol.Undefined
	// Object is an object whose members keep their order.
	Object = protocol.Object
	// Member is one member of an Object.
	Member = protocol.Member
)

// Date is a JavaScript Date: milliseconds since the epoch, NaN for the invalid one.
type Date float64

// TypedBytes is an ArrayBuffer, a DataView or a typed array other than Uint8Array, little-endian.
type TypedBytes struct {
	// Type is the constructor's name.
	Type string
	Data []byte
}

// Error is a JavaScript Error.
type Error struct {
	Name, Message, Stack string
	// Props are the error's own enumerable properties, cause and errors among them.
	Props Object
}

func (e *Error) Error() string { return e.Message }

// Code is the "code" property when that is a string.
func (e *Error) Code() string {
	code, _ := e.Props.Get("code")
	switch code := code.(type) {
	case string:
		return code
	case json.RawMessage:
		var text string
		if json.Unmarshal(code, &text) == nil {
			return text
		}
	}
	return ""
}

// newError makes an Error with a code.
func newError(name, code, format string, args ...any) *Error {
	e := &Error{Name: name, Message: fmt.Sprintf(format, args...)}
	if code != "" {
		e.Props = Object{{Key: "code", Value: code}}
	}
	return e
}

// Thrown is a rejection whose value is no Error.
type Thrown struct{ Value any }

func (t Thrown) Error() string {
	text, err := JSON(t.Value)
	if err != nil || text == nil {
		return fmt.Sprintf("%v was thrown", t.Value)
	}
	return string(text)
}

// JSON renders a value as JSON.stringify would: undefined members are dropped, undefined in a list and numbers that are
// none are null, undefined alone is nil. What JSON has no word for is an error.
func JSON(v any) (json.RawMessage, error) {
	if raw, ok := v.(json.RawMessage); ok {
		return raw, nil
	}
	v, err := jsonable(v)
	if err != nil {
		return nil, err
	}
	return protocol.RenderJSON(v, nil)
}

var errNoJSON = errors.New("is no JSON")

// jsonable replaces what JSON.stringify replaces, and refuses what it cannot express.
func jsonable(v any) (any, error) {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, nil
		}
	case []any:
		list := make([]any, len(v))
		for i := range v {
			item, err := jsonable(v[i])
			if err != nil {
				return nil, err
			}
			list[i] = item
		}
		return list, nil
	case Object:
		object := make(Object, len(v))
		for i, m := range v {
			value, err := jsonable(m.Value)
			if err != nil {
				return nil, err
			}
			object[i] = Member{Key: m.Key, Value: value}
		}
		return object, nil
	case Undefined, json.RawMessage, string, bool, nil, json.Number:
	default:
		return nil, fmt.Errorf("a %T %w", v, errNoJSON)
	}
	return v, nil
}

// typedBytes gives the element size of the kinds of TypedBytes.
var typedBytes = map[string]int{
	"ArrayBuffer": 1, "DataView": 1, "Int8Array": 1, "Uint8Array": 1, "Uint8ClampedArray": 1,
	"Int16Array": 2, "Uint16Array": 2, "Float16Array": 2, "Int32Array": 4, "Uint32Array": 4, "Float32Array": 4,
	"Float64Array": 8, "BigInt64Array": 8, "BigUint64Array": 8,
}

// lostKey reports whether a JavaScript peer drops an object's member of this name on receipt: those of
// Object.prototype, and toJSON.
func lostKey(key string) bool {
	switch key {
	case "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
		"__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "toJSON":
		return true
	}
	return false
}
