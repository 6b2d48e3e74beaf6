package dialect

import (
	"encoding/json"
	"testing"

	"github.com/codemode-go/codemode/protocol"
)

func encoded(t *testing.T, v any) json.RawMessage {
	t.Helper()
	raw, err := protocol.EncodeValue(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestJSONView(t *testing.T) {
	view := func(kind string, data ...byte) protocol.View { return protocol.View{Type: kind, Data: data} }
	for _, c := range []struct {
		name  string
		value any
		want  string
	}{
		{"plain", json.RawMessage(`{"b":1,"a":"x"}`), `{"b":1,"a":"x"}`},
		{"bytes", []byte{0, 255}, `{"0":0,"1":255}`},
		{"no bytes", []byte{}, `{}`},
		{"array buffer", protocol.ArrayBuffer{1}, `{}`},
		{"data view", view("DataView", 1), `{}`},
		{"clamped", view("Uint8ClampedArray", 255), `{"0":255}`},
		{"int8", view("Int8Array", 255), `{"0":-1}`},
		{"int16", view("Int16Array", 0xff, 0xff, 1, 0), `{"0":-1,"1":1}`},
		{"uint16", view("Uint16Array", 0xff, 0xff), `{"0":65535}`},
		{"int32", view("Int32Array", 0xfe, 0xff, 0xff, 0xff), `{"0":-2}`},
		{"uint32", view("Uint32Array", 0xfe, 0xff, 0xff, 0xff), `{"0":4294967294}`},
		{"float16", view("Float16Array", 0, 0x3c, 0, 0xc0, 1, 0, 0, 0x7c), `{"0":1,"1":-2,"2":5.960464477539063e-8,"3":null}`},
		{"float32", view("Float32Array", 0, 0, 0xc0, 0x3f, 0, 0, 0, 0x80), `{"0":1.5,"1":0}`},
		{"float64", view("Float64Array", 0, 0, 0, 0, 0, 0, 0xf8, 0x7f), `{"0":null}`},
		{"nested", map[string]any{"a": []any{[]byte{7}}, "z": 1.5}, `{"a":[{"0":7}],"z":1.5}`},
		{"handles", protocol.Object{{Key: "f", Value: protocol.Handle(1)}, {Key: "l", Value: []any{protocol.Handle(2)}}}, `{"l":[null]}`},
		{"a handle alone", protocol.Handle(3), ``},
		{"data like a tag", map[string]any{protocol.BinaryKey: "Uint8Array", "data": "AQID"}, `{"__codemode_binary_v1__":"Uint8Array","data":"AQID"}`},
		{"undefined", protocol.Undefined{}, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := JSONView(encoded(t, c.value))
			if err != nil || string(got) != c.want || (got == nil) != (c.want == "") {
				t.Errorf("got %s, %v; want %s", got, err, c.want)
			}
		})
	}
	if got, err := JSONView(json.RawMessage(`"\ud800"`)); err != nil || string(got) != `"\ud800"` {
		t.Errorf("a lone surrogate: %s, %v", got, err)
	}
	if _, err := JSONView(encoded(t, view("BigInt64Array", make([]byte, 8)...))); err == nil || err.Error() != "Do not know how to serialize a BigInt" {
		t.Errorf("BigInt64Array: %v", err)
	}
}
