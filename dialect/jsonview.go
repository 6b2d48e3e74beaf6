package dialect

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/codemode-go/codemode/protocol"
)

// errBigInt is what JSON.stringify throws for the elements of a BigInt64Array, in the engine's words.
//
//lint:ignore ST1005 the text is compared with the engine's
var errBigInt = errors.New("Do not know how to serialize a BigInt")

// markerPrefix is what every tag's key starts with; results spell it without escapes.
const markerPrefix = "__codemode_"

// JSONView is what a JavaScript host's JSON.stringify makes of a result. A Result's Value is JSON already, except for
// the tags that stand for bytes and retained functions: a typed array becomes an object with its elements under their
// indexes, an ArrayBuffer and a DataView become {}, a function is dropped, and data that had to be escaped is itself
// again. Nil is undefined, in and out.
func JSONView(value json.RawMessage) (json.RawMessage, error) {
	if !bytes.Contains(value, []byte(markerPrefix)) {
		return value, nil
	}
	decoded, err := protocol.DecodeValue(value)
	if err != nil {
		return nil, err
	}
	return protocol.RenderJSON(decoded, view)
}

// view is what JSON.stringify sees of a value that JSON has no word for.
func view(v any) (any, error) {
	switch v := v.(type) {
	case []byte:
		return viewElements("Uint8Array", v)
	case protocol.View:
		return viewElements(v.Type, v.Data)
	case protocol.ArrayBuffer:
		return protocol.Object{}, nil
	}
	return protocol.Undefined{}, nil // a function
}

// viewElements writes a typed array as an object. The engine's bytes are little-endian.
func viewElements(kind string, data []byte) (json.RawMessage, error) {
	size, element := elementOf(kind)
	if size == 0 { // a DataView has no elements
		return json.RawMessage("{}"), nil
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i := 0; (i+1)*size <= len(data); i++ {
		text, err := element(data[i*size : (i+1)*size])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"%d":%s`, i, text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// elementOf gives a typed array's element size in bytes and the JSON of one element; size 0 for any other view.
func elementOf(kind string) (size int, element func([]byte) (string, error)) {
	little := binary.LittleEndian
	whole := func(n int64) (string, error) { return strconv.FormatInt(n, 10), nil }
	switch kind {
	case "Uint8Array", "Uint8ClampedArray":
		return 1, func(p []byte) (string, error) { return whole(int64(p[0])) }
	case "Int8Array":
		return 1, func(p []byte) (string, error) { return whole(int64(int8(p[0]))) }
	case "Uint16Array":
		return 2, func(p []byte) (string, error) { return whole(int64(little.Uint16(p))) }
	case "Int16Array":
		return 2, func(p []byte) (string, error) { return whole(int64(int16(little.Uint16(p)))) }
	case "Uint32Array":
		return 4, func(p []byte) (string, error) { return whole(int64(little.Uint32(p))) }
	case "Int32Array":
		return 4, func(p []byte) (string, error) { return whole(int64(int32(little.Uint32(p)))) }
	case "Float16Array":
		return 2, func(p []byte) (string, error) { return floatText(float16(little.Uint16(p))) }
	case "Float32Array":
		return 4, func(p []byte) (string, error) { return floatText(float64(math.Float32frombits(little.Uint32(p)))) }
	case "Float64Array":
		return 8, func(p []byte) (string, error) { return floatText(math.Float64frombits(little.Uint64(p))) }
	case "BigInt64Array", "BigUint64Array":
		return 8, func([]byte) (string, error) { return "", errBigInt }
	}
	return 0, nil
}

// floatText is JavaScript's JSON of a number; encoding/json formats floats as ECMAScript does, but for these.
func floatText(f float64) (string, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return "null", nil
	}
	if f == 0 { // also minus zero
		return "0", nil
	}
	text, err := json.Marshal(f)
	return string(text), err
}

// float16 reads an IEEE 754 half: one sign bit, five of exponent, ten of fraction.
func float16(bits uint16) float64 {
	sign := 1 - 2*float64(bits>>15)
	exponent, fraction := int(bits>>10&0x1f), float64(bits&0x3ff)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 0x1f:
		if fraction != 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}
