package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValuesAndTheirText(t *testing.T) {
	for _, c := range []struct {
		value any
		text  string
	}{
		{nil, `null`},
		{true, `true`},
		{"<ü>", `"<ü>"`},
		{json.Number("9007199254740993"), `9007199254740993`},
		{json.Number("1e400"), `1e400`},
		{[]any{"a", nil}, `["a",null]`},
		{Object{{"b", "1"}, {"a", "2"}}, `{"b":"1","a":"2"}`},
		{[]byte{0, 255, 128}, `{"__codemode_binary_v1__":"Uint8Array","data":"AP+A"}`},
		{[]byte{}, `{"__codemode_binary_v1__":"Uint8Array","data":""}`},
		{ArrayBuffer{1}, `{"__codemode_binary_v1__":"ArrayBuffer","data":"AQ=="}`},
		{View{"Int16Array", []byte{1, 0}}, `{"__codemode_binary_v1__":"ArrayBufferView","view":"Int16Array","data":"AQA="}`},
		{Handle(7), `{"__codemode_handle__":7}`},
		// Data that looks like a marker is wrapped, at every depth, and a wrapper that is data is wrapped again.
		{Object{{HandleKey, json.Number("7")}}, `{"__codemode_escaped_v1__":{"__codemode_handle__":7}}`},
		{Object{{"x", []any{Object{{BinaryKey, "Uint8Array"}, {"data", "AQ=="}}}}}, `{"x":[{"__codemode_escaped_v1__":{"__codemode_binary_v1__":"Uint8Array","data":"AQ=="}}]}`},
		{Object{{EscapeKey, Object{{HandleKey, json.Number("7")}}}}, `{"__codemode_escaped_v1__":{"__codemode_escaped_v1__":{"__codemode_escaped_v1__":{"__codemode_handle__":7}}}}`},
		{Object{{"__codemode_control__", "pause"}}, `{"__codemode_control__":"pause"}`},
	} {
		text, err := EncodeValue(c.value)
		if err != nil || string(text) != c.text {
			t.Errorf("%#v encodes as %s, %v; want %s", c.value, text, err, c.text)
		}
		value, err := DecodeValue(json.RawMessage(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		if diff := cmp.Diff(c.value, value); diff != "" {
			t.Errorf("%s decodes otherwise:\n%s", c.text, diff)
		}
	}
}

func TestEncodingOfGoValues(t *testing.T) {
	for _, c := range []struct {
		value any
		text  string
	}{
		{Undefined{}, ""},
		{Object{{"a", Undefined{}}, {"b", nil}}, `{"b":null}`},
		{[]any{Undefined{}}, `[null]`},
		{map[string]any{"b": []byte{1}, "a": 1}, `{"a":1,"b":{"__codemode_binary_v1__":"Uint8Array","data":"AQ=="}}`},
		{struct {
			A string `json:"__codemode_handle__"`
		}{"x"}, `{"__codemode_escaped_v1__":{"__codemode_handle__":"x"}}`},
		{json.RawMessage(`{ "b" : 1.0, "a":1e2 }`), `{ "b" : 1.0, "a":1e2 }`},
		{json.RawMessage(`"\ud800 \u00e9"`), `"\ud800 \u00e9"`},
		// A marker's key may be spelled with escapes.
		{json.RawMessage(`{"\u005f_codemode_handle__":1}`), `{"__codemode_escaped_v1__":{"__codemode_handle__":1}}`},
		{View{Type: "a\"\x07", Data: nil}, `{"__codemode_binary_v1__":"ArrayBufferView","view":"a\"\u0007","data":""}`},
	} {
		text, err := EncodeValue(c.value)
		if err != nil || string(text) != c.text {
			t.Errorf("%#v encodes as %s, %v; want %s", c.value, text, err, c.text)
		}
	}
	for _, wrong := range []any{json.RawMessage(`{`), json.RawMessage(``), make(chan int), []any{func() {}}, json.Number("x")} {
		if text, err := EncodeValue(wrong); err == nil {
			t.Errorf("%#v encodes as %s", wrong, text)
		}
	}
}

func TestDecodingOfWhatOnlyResemblesAMarker(t *testing.T) {
	for text, want := range map[string]any{
		`{"__codemode_binary_v1__":"Uint8Array"}`:               Object{{BinaryKey, "Uint8Array"}},
		`{"__codemode_binary_v1__":"Uint8Array","data":5}`:      Object{{BinaryKey, "Uint8Array"}, {"data", json.Number("5")}},
		`{"__codemode_binary_v1__":"Uint8Array","data":"*"}`:    Object{{BinaryKey, "Uint8Array"}, {"data", "*"}},
		`{"__codemode_handle__":1.5}`:                           Object{{HandleKey, json.Number("1.5")}},
		`{"__codemode_handle__":1,"x":2}`:                       Object{{HandleKey, json.Number("1")}, {"x", json.Number("2")}},
		`{"__codemode_escaped_v1__":1}`:                         Object{{EscapeKey, json.Number("1")}},
		`{"__codemode_binary_v1__":"ArrayBuffer","data":"AQ"}`:  ArrayBuffer{1},
		`{"__codemode_binary_v1__":"Uint8Array","data":"AQ=="}`: []byte{1},
	} {
		got, err := DecodeValue(json.RawMessage(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", text, diff)
		}
	}
	if v, err := DecodeValue(nil); v != (Undefined{}) || err != nil {
		t.Errorf("no text decodes as %v, %v", v, err)
	}
	for _, wrong := range []string{"", "{", "1 2", "nul", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)} {
		if v, err := DecodeValue(json.RawMessage(wrong)); err == nil {
			t.Errorf("%.20q decodes as %v", wrong, v)
		}
	}
}

func TestArgumentListsComeApart(t *testing.T) {
	args, err := SplitArguments(`[1, {"a":[2]}, "x"]`)
	if err != nil || len(args) != 3 || string(args[1]) != `{"a":[2]}` {
		t.Errorf("arguments %s, %v", args, err)
	}
	if args, err := SplitArguments(""); len(args) != 0 || err != nil {
		t.Errorf("no text gives %s, %v", args, err)
	}
	if _, err := SplitArguments(`{"a":1}`); err == nil {
		t.Error("an object is a list")
	}
}

// Whatever a value holds, markers included, it comes out as it went in.
func TestAnyValueSurvivesTheCrossing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		value := randomValue(random, 4)
		text, err := EncodeValue(value)
		if err != nil {
			t.Fatalf("%#v: %v", value, err)
		}
		back, err := DecodeValue(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(value, back); diff != "" {
			t.Fatalf("%s:\n%s", text, diff)
		}
	}
}

func randomValue(random *rand.Rand, depth int) any {
	keys := []string{"a", "data", "view", BinaryKey, HandleKey, EscapeKey, "__codemode_", "ü\""}
	n := random.IntN(3)
	switch kind := random.IntN(11); {
	case kind < 3 && depth > 0:
		object := Object{}
		for range n {
			object = append(object, Member{keys[random.IntN(len(keys))], randomValue(random, depth-1)})
		}
		return object
	case kind == 3 && depth > 0:
		list := []any{}
		for range n {
			list = append(list, randomValue(random, depth-1))
		}
		return list
	case kind == 4:
		return bytes.Repeat([]byte{byte(random.Uint32())}, n)
	case kind == 5:
		return ArrayBuffer(bytes.Repeat([]byte{byte(random.Uint32())}, n))
	case kind == 6:
		return View{"Float64Array", make([]byte, 8*n)}
	case kind == 7:
		return Handle(random.Int64())
	case kind == 8:
		return keys[random.IntN(len(keys))]
	case kind == 9:
		return json.Number(fmt.Sprint(random.Int64()))
	}
	return []any{nil, true, false, "Uint8Array", "AQ=="}[random.IntN(5)]
}

// Any JSON of a host comes out of the crossing as the same data.
func FuzzAnyJSONSurvivesTheCrossing(f *testing.F) {
	for _, seed := range []string{
		`{"__codemode_binary_v1__":"Uint8Array","data":"AQ=="}`, `[{"__codemode_handle__":1}]`, `{"__codemode_escaped_v1__":{"__codemode_handle__":1}}`,
		`{"\u005f_codemode_handle__":1}`, `{"a":1,"a":2}`, `"\ud800"`, `-0`, `1e999`, `{"":[]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		raw := json.RawMessage(text)
		want, err := ParseJSON(raw)
		if err != nil {
			if _, err := EncodeValue(raw); err == nil && len(text) < 10_000 {
				t.Fatalf("%q is no JSON and was encoded", text)
			}
			return
		}
		encoded, err := EncodeValue(raw)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeValue(encoded)
		if err != nil {
			t.Fatalf("%s encodes as %s: %v", text, encoded, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s encodes as %s:\n%s", text, encoded, diff)
		}
	})
}
