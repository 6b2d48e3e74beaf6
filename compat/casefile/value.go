package casefile

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// exotic is a declared value that JSON has no word for: what JSON.stringify makes of it, and what String does. A host
// tool that returns one hands over the first, one that throws it fails with the second.
type exotic struct {
	json any
	// fails is the message of JSON.stringify when it refuses the value.
	fails string
	text  string
}

// parseValue reads a declared value: plain JSON, in which an object {"$": kind, …} stands for something else.
func parseValue(v any, path string) (any, error) {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			item, err := parseValue(v[i], fmt.Sprintf("%s[%d]", path, i))
			if err != nil {
				return nil, err
			}
			list[i] = item
		}
		return list, nil
	case protocol.Object:
		if kind, ok := v.Get("$"); ok {
			if kind, ok := kind.(string); ok {
				return parseMarked(v, kind, path)
			}
		}
		object := protocol.Object{}
		err := eachMember(v, path, func(key string, value any) error {
			item, err := parseValue(value, path+"."+key)
			object = append(object, protocol.Member{Key: key, Value: item})
			return err
		})
		return object, err
	case json.Number:
		return number(v)
	}
	return v, nil
}

// number turns a JSON number into what a JavaScript host holds after JSON.parse: a double, so that -0 and what
// overflows are rendered as JSON.stringify renders them. Everything else keeps its digits.
func number(n json.Number) (any, error) {
	f, err := n.Float64()
	if errors.Is(err, strconv.ErrRange) && math.IsInf(f, 0) {
		return exotic{json: nil, text: numberText(f)}, nil
	}
	if f == 0 {
		return json.Number("0"), nil
	}
	return n, nil
}

// parseMarked reads one {"$": kind, …}.
func parseMarked(o protocol.Object, kind, path string) (any, error) {
	m := marked{object: o, path: path}
	v := m.decode(kind)
	if m.err == nil {
		m.err = eachMember(o, path, func(key string, _ any) error {
			if key != "$" && !slices.Contains(m.read, key) {
				return unknownField(path + "." + key)
			}
			return nil
		})
	}
	return v, m.err
}

// marked reads the members of one {"$": kind, …}, and remembers the first error and which members were asked for.
type marked struct {
	object protocol.Object
	path   string
	read   []string
	err    error
}

func (m *marked) decode(kind string) any {
	switch kind {
	case "undefined":
		return protocol.Undefined{}
	case "bigint":
		return exotic{fails: "Do not know how to serialize a BigInt", text: m.text("v")}
	case "nan":
		return exotic{text: "NaN"}
	case "inf":
		return exotic{text: "Infinity"}
	case "-inf":
		return exotic{text: "-Infinity"}
	case "-0":
		return json.Number("0")
	case "date":
		return m.date()
	case "bytes":
		return m.base64("v")
	case "arraybuffer":
		return protocol.ArrayBuffer(m.base64("v"))
	case "dataview":
		return exotic{json: m.base64("v"), text: "[object DataView]"}
	case "float64", "int16":
		return m.numbers(kind)
	case "map":
		return exotic{json: protocol.Object{}, text: m.ignoring("v", "[object Map]")}
	case "set":
		return exotic{json: protocol.Object{}, text: m.ignoring("v", "[object Set]")}
	case "error":
		return exotic{json: protocol.Object{}, text: m.text("v")}
	case "regexp":
		return exotic{json: protocol.Object{}, text: "/" + m.text("v") + "/" + m.optionalText("f")}
	case "symbol":
		return exotic{json: protocol.Undefined{}, text: "Symbol(" + m.text("v") + ")"}
	case "function":
		return exotic{json: protocol.Undefined{}, text: "function tool() {}"}
	case "cycle":
		return exotic{fails: cycleMessage, text: plainObject}
	case "class":
		return exotic{json: protocol.Object{{Key: "x", Value: json.Number("1")}}, text: plainObject}
	case "tojson":
		return exotic{json: m.value("v"), text: plainObject}
	case "sparse":
		return exotic{json: []any{json.Number("1"), nil, nil, json.Number("4")}, text: "1,,,4"}
	case "repeat":
		return m.repeat()
	case "nullproto":
		// String has nothing to call on such an object, and says so.
		return exotic{json: protocol.Object{{Key: "a", Value: json.Number("1")}}, text: "Cannot convert object to primitive value"}
	case "raw":
		return m.member("v")
	}
	m.fail("$", fmt.Sprintf("unknown kind %q", kind))
	return nil
}

const (
	plainObject  = "[object Object]"
	cycleMessage = "Converting circular structure to JSON\n    --> starting at object with constructor 'Object'\n" +
		"    --- property 'self' closes the circle"
)

func (m *marked) fail(key, text string) {
	if m.err == nil {
		m.err = fieldError{m.path + "." + key, text}
	}
}

// member returns a member that has to be there.
func (m *marked) member(key string) any {
	m.read = append(m.read, key)
	v, ok := m.object.Get(key)
	if !ok {
		m.fail(key, "missing")
	}
	return v
}

func (m *marked) ignoring(key, text string) string {
	m.member(key)
	return text
}

func (m *marked) text(key string) string {
	v := m.member(key)
	s, ok := v.(string)
	if !ok && m.err == nil {
		m.err = wrongType(m.path+"."+key, "a string", v)
	}
	return s
}

func (m *marked) optionalText(key string) string {
	if _, ok := m.object.Get(key); !ok {
		return ""
	}
	return m.text(key)
}

func (m *marked) value(key string) any {
	raw := m.member(key)
	if m.err != nil {
		return nil
	}
	v, err := parseValue(raw, m.path+"."+key)
	m.err = err
	return v
}

func (m *marked) base64(key string) []byte {
	data, err := base64.StdEncoding.DecodeString(m.text(key))
	if err != nil {
		m.fail(key, "want base64: "+err.Error())
	}
	return data
}

// date reads milliseconds or an ISO text. A JavaScript host's Date is its ISO text in JSON, or null when it is invalid.
func (m *marked) date() any {
	var at time.Time
	switch v := m.member("v").(type) {
	case json.Number:
		ms, err := v.Float64()
		if err != nil || math.Abs(ms) > maxDate {
			return exotic{text: "Invalid Date"}
		}
		at = time.UnixMilli(int64(ms))
	case string:
		var err error
		if at, err = time.Parse(time.RFC3339, v); err != nil {
			if at, err = time.Parse(time.DateOnly, v); err != nil {
				return exotic{text: "Invalid Date"}
			}
		}
	default:
		m.fail("v", "want milliseconds or an ISO date")
	}
	at = at.UTC()
	return exotic{
		json: at.Format("2006-01-02T15:04:05.000Z"),
		text: at.Format("Mon Jan 02 2006 15:04:05 GMT+0000") + " (Coordinated Universal Time)",
	}
}

// maxDate is the largest distance from 1970 in milliseconds that a Date can hold (ECMA-262, Time Range).
const maxDate = 8.64e15

// numbers reads the elements of a typed array. Its bytes arrive in a program as a Uint8Array, as any view's do.
func (m *marked) numbers(kind string) any {
	list, ok := m.member("v").([]any)
	if !ok {
		m.fail("v", "want an array of numbers")
	}
	var data []byte
	var texts []string
	for i, item := range list {
		n, ok := item.(json.Number)
		f, err := n.Float64()
		if !ok || err != nil {
			m.fail(fmt.Sprintf("v[%d]", i), "want a number")
			break
		}
		if kind == "int16" {
			whole := int16(int64(f)) // as ToInt16 does for every whole number a case would hold
			data, f = binary.LittleEndian.AppendUint16(data, uint16(whole)), float64(whole)
		} else {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(f))
		}
		texts = append(texts, numberText(f))
	}
	return exotic{json: data, text: strings.Join(texts, ",")}
}

// maxRepeat bounds {"$": "repeat"}, so that a request of a few bytes cannot ask for all memory.
const maxRepeat = 256 << 20

func (m *marked) repeat() any {
	unit := m.text("v")
	count := m.member("n")
	var n int64
	if m.err == nil {
		m.err = readWhole(count, m.path+".n", &n)
	}
	if n > maxRepeat || int64(len(unit))*n > maxRepeat {
		m.fail("n", fmt.Sprintf("the text would be longer than %d bytes", maxRepeat))
	}
	if m.err != nil {
		return nil
	}
	return strings.Repeat(unit, int(n))
}

// resolve turns a declared value into what a tool returns: values that protocol.EncodeValue renders, or the error that
// JSON.stringify throws in a JavaScript host.
func resolve(v any) (any, error) {
	switch v := v.(type) {
	case exotic:
		if v.fails != "" {
			return nil, errors.New(v.fails)
		}
		return resolve(v.json)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			item, err := resolve(v[i])
			if err != nil {
				return nil, err
			}
			list[i] = item
		}
		return list, nil
	case protocol.Object:
		object := make(protocol.Object, len(v))
		for i, m := range v {
			item, err := resolve(m.Value)
			if err != nil {
				return nil, err
			}
			object[i] = protocol.Member{Key: m.Key, Value: item}
		}
		return object, nil
	}
	return v, nil
}

// stringOf is String of a declared value.
func stringOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case protocol.Undefined:
		return "undefined"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		f, _ := v.Float64() // number has checked it
		return numberText(f)
	case string:
		return v
	case exotic:
		return v.text
	case protocol.ArrayBuffer:
		return "[object ArrayBuffer]"
	case []byte:
		texts := make([]string, len(v))
		for i, b := range v {
			texts[i] = strconv.Itoa(int(b))
		}
		return strings.Join(texts, ",")
	case []any:
		texts := make([]string, len(v))
		for i, item := range v {
			if _, undefined := item.(protocol.Undefined); item != nil && !undefined {
				texts[i] = stringOf(item)
			}
		}
		return strings.Join(texts, ",")
	}
	return plainObject
}

// numberText is String of a number. encoding/json follows ECMAScript in when it writes an exponent and how.
func numberText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0:
		return "0"
	}
	text, _ := json.Marshal(f) // finite numbers always have a rendering
	return string(text)
}
