package codetool

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/codemode-go/codemode/protocol"
)

// markerPrefix is what the key of every tag in protocol's value encoding starts with.
const markerPrefix = "__codemode_"

// plainJSON reads a value of a program as a tool expects it: bytes of any kind are base64 text, a function is null, and
// data that had to be escaped is itself again.
func plainJSON(value json.RawMessage) (json.RawMessage, error) {
	return rewrite(value, func(data []byte, _ any) any { return base64.StdEncoding.EncodeToString(data) })
}

// readableJSON reads a result as a model sees it: like plainJSON, but bytes keep their tag, so that they are told from
// text.
func readableJSON(value json.RawMessage) (json.RawMessage, error) {
	return rewrite(value, func(data []byte, kind any) any {
		return protocol.Object{{Key: protocol.BinaryKey, Value: kind}, {Key: "data", Value: base64.StdEncoding.EncodeToString(data)}}
	})
}

// rewrite replaces what the value encoding tags. Most values have no tag, and keep their bytes.
func rewrite(value json.RawMessage, binary func(data []byte, kind any) any) (json.RawMessage, error) {
	if !bytes.Contains(value, []byte(markerPrefix)) {
		return value, nil
	}
	if IsVast(value) {
		return nil, fmt.Errorf("a value with bytes in it has more than %d values (limit maxShaped)", maxShaped)
	}
	decoded, err := protocol.DecodeValue(value)
	if err != nil {
		return nil, err
	}
	return protocol.RenderJSON(decoded, func(v any) (any, error) {
		switch v := v.(type) {
		case []byte:
			return binary(v, "Uint8Array"), nil
		case protocol.ArrayBuffer:
			return binary(v, "ArrayBuffer"), nil
		case protocol.View:
			return binary(v.Data, v.Type), nil
		}
		return nil, nil // a function
	})
}
