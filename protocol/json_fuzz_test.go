package protocol

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzJSON holds the quick reading of JSON to the standard library's: the same texts are JSON, and a text that is read
// and written is the same value.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		``, ` `, `1`, ` -0.5e+3 `, `01`, `1e400`, `"\ud800"`, `"\ud83d\ude00"`, "\"\xff\"", "\"\x01\"", `"\x"`, `nul`, `null `, `true false`,
		`[]`, `[1,]`, `[,1]`, `[1 2]`, `[[["a"],{}],null]`, `{"a":1,"a":2}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"\u0061":[{"b":1e2}]}`, "\ufeff1", "\v1", `/*c*/1`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		valid := json.Valid(text)
		if got := ValidJSON(text); got != valid {
			t.Fatalf("ValidJSON(%q) = %v", text, got)
		}
		before := bytes.Clone(text)
		v, err := ParseJSON(text)
		if (err == nil) != valid {
			t.Fatalf("ParseJSON(%q): %v", text, err)
		}
		args, err := SplitArguments(string(text))
		if list, isList := v.([]any); isList != (err == nil) && len(text) > 0 || len(list) != len(args) {
			t.Fatalf("SplitArguments(%q) = %q, %v", text, args, err)
		}
		if !bytes.Equal(text, before) {
			t.Fatalf("%q became %q", before, text)
		}
		if !valid {
			return
		}
		written, err := RenderJSON(v, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := canonical(t, written), canonical(t, text); !bytes.Equal(got, want) {
			t.Fatalf("%q was read as %s", text, written)
		}
	})
}

// canonical is a text as the standard library reads and writes it.
func canonical(t *testing.T, text []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
