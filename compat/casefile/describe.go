package casefile

import (
	"encoding/base64"
	"encoding/json"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/codemode-go/codemode/protocol"
)

// The bounds of a description, those of the reference's harness.
const (
	describedDepth  = 8
	describedString = 2000 // UTF-16 units
	describedEnds   = 40   // of a longer string
	describedArray  = 200
	describedBase64 = 200 // characters
)

// Describe renders what a tool was called with as one JSON text: plain JSON as it is, and {"$": kind, …} for bytes and
// for what is too long or too deep. Arguments are values as protocol.DecodeValue gives them.
func Describe(args []any) (string, error) {
	text, err := protocol.RenderJSON(described(args, 0), nil)
	return string(text), err
}

func described(v any, depth int) any {
	switch v := v.(type) {
	case string:
		return describedText(v)
	case nil, bool, json.Number:
		return v
	}
	if depth > describedDepth {
		return kind("deep")
	}
	switch v := v.(type) {
	case []any:
		if len(v) > describedArray {
			return kind("array", protocol.Member{Key: "length", Value: len(v)})
		}
		list := make([]any, len(v))
		for i := range v {
			list[i] = described(v[i], depth+1)
		}
		return list
	case protocol.Object:
		object := make(protocol.Object, len(v))
		for i, m := range v {
			object[i] = protocol.Member{Key: m.Key, Value: described(m.Value, depth+1)}
		}
		return object
	case []byte:
		return describedBytes("uint8array", v)
	case protocol.ArrayBuffer:
		return describedBytes("arraybuffer", v)
	}
	return kind("host")
}

func describedText(s string) any {
	if len(s) <= describedString { // never fewer bytes than units
		return s
	}
	length := 0
	for _, r := range s {
		length += max(1, utf16.RuneLen(r))
	}
	if length <= describedString {
		return s
	}
	// No unit takes more than three bytes, so that these hold the ends. The places between which they are cut begin a character.
	end, start := 3*describedEnds, len(s)-3*describedEnds
	for end < len(s) && !utf8.RuneStart(s[end]) {
		end++
	}
	for start > 0 && !utf8.RuneStart(s[start]) {
		start--
	}
	head, tail := utf16.Encode([]rune(s[:end])), utf16.Encode([]rune(s[start:]))
	return kind("string",
		protocol.Member{Key: "length", Value: length},
		protocol.Member{Key: "head", Value: string(utf16.Decode(head[:describedEnds]))},
		protocol.Member{Key: "tail", Value: string(utf16.Decode(tail[len(tail)-describedEnds:]))})
}

func describedBytes(name string, data []byte) any {
	text := base64.StdEncoding.EncodeToString(data)
	return kind(name,
		protocol.Member{Key: "v", Value: text[:min(len(text), describedBase64)]},
		protocol.Member{Key: "length", Value: len(data)})
}

func kind(name string, members ...protocol.Member) protocol.Object {
	return append(protocol.Object{{Key: "$", Value: name}}, members...)
}
