package protocol_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/protocol"
)

// texts that are JSON, and that nearly are.
var nearlyJSON = []string{
	``, ` `, `null`, ` null `, `nul`, `nulll`, `true`, `false`, `tru`, `"`, `""`, `"a"`, `"a`, `"a"b`, `"\"`, `"\\"`, `"\u00e9"`, `"\u00g9"`, `"\u00e"`, `"\x"`, "\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\xff\"",
	`"abcdefgh"`, `"abcdefg"`, `"abcdefghi"`, `"1234567\"89012345"`, "\"12345678\x01\"", `"1234567`, `"12345678`, `"é234567"`, `"\ud800"`, `"!!!!!!!!"`, `"!"!!!!!!!"`, "\"\x80\x80\x80\x80\x80\x80\x80\x80\"",
	`0`, `-0`, `00`, `01`, `-`, `1.`, `.1`, `1.5`, `1e5`, `1e`, `1e+`, `1E-5`, `1.5e+10`, `+1`, `1 2`, `-a`, `1.e5`, `1a`, `NaN`, `0x1`,
	`[]`, `[ ]`, `[1]`, `[1,]`, `[,1]`, `[1,2]`, `[1 2]`, `[`, `]`, `[1`, `[1}`, `[[]]`, `[[],[]]`, `[{}]`, `[1,[2,[3]],4]`,
	`{}`, `{ }`, `{"a":1}`, `{"a":1,}`, `{"a"}`, `{"a":}`, `{a:1}`, `{"a":1,"a":2}`, `{"a":1 "b":2}`, `{,}`, `{"a":1]`, `{"a":{"b":[{"c":null}]}}`, `{"a" : 1 , "b" : [ ] }`, `{1:1}`, `{"a":1}}`, `{"a":1} {}`,
	"\ufeff1", "\v1", "1\n", "\t[\r\n]\n",
}

func TestValidJSONAgreesWithEncodingJSON(t *testing.T) {
	for _, text := range nearlyJSON {
		if got, want := protocol.ValidJSON([]byte(text)), json.Valid([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for _, depth := range []int{63, 64, 65, 9_999, 10_000, 10_001} {
		for _, brackets := range [][2]string{{"[", "]"}, {`{"a":`, "}"}} {
			for _, inside := range []string{"1", "[]", "{}"} {
				text := strings.Repeat(brackets[0], depth) + inside + strings.Repeat(brackets[1], depth)
				if got, want := protocol.ValidJSON([]byte(text)), json.Valid([]byte(text)); got != want {
					t.Errorf("%d times %s around %s: %v, want %v", depth, brackets[0], inside, got, want)
				}
			}
		}
	}
}
