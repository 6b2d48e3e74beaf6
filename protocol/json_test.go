package protocol

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestRenderJSON(t *testing.T) {
	replace := func(v any) (any, error) {
		switch v.(type) {
		case []byte:
			return Object{{"bytes", json.Number("2")}}, nil
		case Handle:
			return Undefined{}, nil
		default:
			return nil, errors.New("no word")
		}
	}
	for _, c := range []struct {
		value any
		want  string
	}{
		{Object{{"b", json.Number("1.50")}, {"a", nil}, {"b", true}}, `{"b":1.50,"a":null,"b":true}`},
		{Object{{"h", Handle(1)}, {"list", []any{Handle(1), []byte("ab")}}}, `{"list":[null,{"bytes":2}]}`},
		{"<&> \u2028 \x01\b\f\n\r\t\"\\ é😀", "\"<&> \u2028 \\u0001\\b\\f\\n\\r\\t\\\"\\\\ é😀\""},
		{Object{{BinaryKey, "Uint8Array"}}, `{"` + BinaryKey + `":"Uint8Array"}`},
		{json.RawMessage(`{"raw": 1e2}`), `{"raw": 1e2}`},
		{Undefined{}, ``},
		{Handle(1), ``},
	} {
		got, err := RenderJSON(c.value, replace)
		if err != nil || string(got) != c.want {
			t.Errorf("%#v gave %s, %v, want %s", c.value, got, err, c.want)
		}
	}
	if _, err := RenderJSON([]any{View{}}, replace); err == nil {
		t.Error("an error of replace is lost")
	}
	if _, err := RenderJSON([]byte{1}, nil); err == nil {
		t.Error("bytes without a replace are no error")
	}
}

func TestParseJSONRefusesWhatIsNone(t *testing.T) {
	for _, text := range []string{``, `{`, `[1,]`, `1 2`, `nul`, "\"\n\""} {
		if v, err := ParseJSON([]byte(text)); err == nil {
			t.Errorf("%q gave %#v", text, v)
		}
	}
}
