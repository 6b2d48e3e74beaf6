package message

import (
	"strings"
	"testing"
)

func TestParseReadsMembersByTheLetter(t *testing.T) {
	m, err := Parse([]byte(`{"JSONRPC":"2.0","ID":1,"Method":"ping","METHOD":"x"}`))
	if err != nil || m.Version != nil || m.ID != nil || m.Method != "" || m.IsRequest() || m.IsNotification() || m.IsAnswer() {
		t.Errorf("%+v %v", m, err)
	}
	m, err = Parse([]byte(` {"id":"a","jsonrpc":"2.0","method":"ping","params":{"x":1}} `))
	if err != nil || !m.IsRequest() || string(m.ID) != `"a"` || m.Method != "ping" || string(m.Params) != `{"x":1}` {
		t.Errorf("%+v %v", m, err)
	}
	for _, raw := range []string{`null`, `[]`, `1`, `"x"`} {
		if _, err := Parse([]byte(raw)); err != ErrNoObject {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestStrictDropsOtherSpellings(t *testing.T) {
	for raw, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"name":"code","arguments":{"NAME":1}}}`: `{"jsonrpc":"2.0","id":1,"method":"x","params":{"name":"code","arguments":{"NAME":1}}}`,
		`{"jsonrpc":"2.0","ID":1,"id":2,"method":"x"}`:                                          `{"id":2,"jsonrpc":"2.0","method":"x"}`,
		`{"id":2,"method":"x","params":{"Name":"code","uri":"a"}}`:                              `{"id":2,"method":"x","params":{"uri":"a"}}`,
		`{"id":2,"method":"x","params":[1]}`:                                                    `{"id":2,"method":"x","params":[1]}`,
	} {
		if got, _, err := Strict([]byte(raw)); string(got) != want || err != nil {
			t.Errorf("%s: got %s, %v", raw, got, err)
		}
	}
}

func TestScannerFindsTheIDWhereverItStands(t *testing.T) {
	deep := strings.Repeat(`[`, 200_000) + strings.Repeat(`]`, 200_000)
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":17,"result":{}}`:                               `17`,
		`{"jsonrpc":"2.0","result":{"id":5},"id": 17 }`:                       `17`,
		`{"result":{"text":"\",\"id\":3"},"id":"a\"b"}`:                       `"a\"b"`,
		`{"id" : 4 , "result" : "` + strings.Repeat("x", 1000):                `4`,
		`{"result":` + deep + `,"id":9}`:                                      `9`,
		`{"result":{"content":[}},"id":9}`:                                    `9`,
		`{"result":["id",1],"x":"id","id":2}`:                                 `2`,
		`{"identity":3,"ID":4,"result":{}}`:                                   ``,
		`{"result":{"id":1}}`:                                                 ``,
		`no message`:                                                          ``,
		`{"id":`:                                                              ``,
		`{"result":"` + strings.Repeat(`\\`, 999) + `","id":1}`:               `1`,
		`{"result":"` + strings.Repeat(`\"`, 999) + `","id":1,"jsonrpc":"2"}`: `1`,
	} {
		for _, size := range []int{1, 3, 7, len(text)} {
			var s Scanner
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				s.Feed([]byte(rest[:n]))
				rest = rest[n:]
			}
			if got := string(s.ID()); got != want {
				t.Errorf("%.60s in parts of %d: got %q, want %q", text, size, got, want)
			}
		}
	}
}

func FuzzScanner(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":17,"result":{}}`)
	f.Add(`{"a":{"id":1},"id":"x\\"}`)
	f.Fuzz(func(t *testing.T, text string) {
		var s Scanner
		s.Feed([]byte(text))
		m, err := Parse([]byte(text))
		if err != nil || m.ID == nil || len(m.ID) > maxID || strings.Count(text, `"id"`) != 1 || strings.ContainsAny(string(m.ID), "{[") {
			return
		}
		if got := string(s.ID()); got != string(m.ID) {
			t.Errorf("%q: the scanner found %q, the decoder %q", text, got, m.ID)
		}
	})
}

func TestValues(t *testing.T) {
	for text, want := range map[string]int{
		`1`: 1, `[]`: 2, `[1]`: 2, `[1,2]`: 3, `{"a":1,"b":[{},{}]}`: 7, `"[,\",{,"`: 1, `["\\",1]`: 3, `"`: 1, `"\`: 1, ``: 1,
	} {
		if got := Values([]byte(text)); got != want {
			t.Errorf("%s has %d values, want %d", text, got, want)
		}
	}
}
