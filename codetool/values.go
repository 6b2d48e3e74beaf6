package codetool

import (
	"bytes"
	"encoding/base64"
	"encoding/json"

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
	decoded, err := protocol.DecodeValue(value)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := writeRewritten(&b, decoded, binary); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func writeRewritten(b *bytes.Buffer, v any, binary func(data []byte, kind any) any) error {
	switch v := v.(type) {
	case protocol.Handle:
		b.WriteString("null")
	case []byte:
		return writeRewritten(b, binary(v, "Uint8Array"), binary)
	case protocol.ArrayBuffer:
		return writeRewritten(b, binary(v, "ArrayBuffer"), binary)
	case protocol.View:
		return writeRewritten(b, binary(v.Data, v.Type), binary)
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeRewritten(b, item, binary); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case protocol.Object:
		b.WriteByte('{')
		for i, member := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writePlain(b, member.Key); err != nil {
				return err
			}
			b.WriteByte(':')
			if err := writeRewritten(b, member.Value, binary); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	default:
		return writePlain(b, v)
	}
	return nil
}

// writePlain is json.Marshal without HTML escaping.
func writePlain(b *bytes.Buffer, v any) error {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the encoder's newline
	return nil
}
