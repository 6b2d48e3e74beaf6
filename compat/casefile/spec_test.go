package casefile

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/protocol"
)

// tool makes the tool of a spec and returns how to call it with a JSON argument list.
func tool(t *testing.T, spec string, calls *Recorder) func(ctx context.Context, args string) (string, error) {
	t.Helper()
	c, err := Parse([]byte(`{"code": "1", "providers": [{"name": "ns", "tools": {"t": ` + spec + `}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	call := c.DialectProviders(calls)[0].Functions[0].Call
	return func(ctx context.Context, args string) (string, error) {
		list, err := protocol.SplitArguments(args)
		if err != nil {
			t.Fatal(err)
		}
		v, err := call(ctx, list)
		if err != nil {
			return "", err
		}
		raw, err := protocol.EncodeValue(v)
		if raw == nil {
			return "undefined", err
		}
		return string(raw), err
	}
}

func TestKinds(t *testing.T) {
	const bytes = `{"__codemode_binary_v1__":"Uint8Array","data":"AQID"}`
	for _, c := range []struct{ spec, args, want string }{
		{`{"kind":"value","value":{"a":[1,null,"x"]}}`, `[]`, `{"a":[1,null,"x"]}`},
		{`{"kind":"value","value":{"$":"undefined"}}`, `[]`, `undefined`},
		{`{"kind":"echo"}`, `[{"b":1,"a":2.50},3]`, `{"b":1,"a":2.50}`},
		{`{"kind":"echo"}`, `[]`, `undefined`},
		{`{"kind":"echo"}`, `[` + bytes + `]`, bytes},
		{`{"kind":"echoAll"}`, `[1,[2],null]`, `[1,[2],null]`},
		{`{"kind":"echoAll"}`, `[]`, `[]`},
		{`{"kind":"argc"}`, `[null,1,"s",true,{},[]]`, `{"argc":6,"types":["null","number","string","boolean","object","object"],"args":[null,1,"s",true,{},[]]}`},
		{`{"kind":"argc"}`, `[]`, `{"argc":0,"types":[],"args":[]}`},
		{`{"kind":"describe"}`, `[{"a":1},` + bytes + `]`, `"[{\"a\":1},{\"$\":\"uint8array\",\"v\":\"AQID\",\"length\":3}]"`},
		{`{"kind":"delay","ms":1,"value":"late"}`, `[]`, `"late"`},
		{`{"kind":"delayEcho"}`, `[{"ms":1,"n":2}]`, `{"ms":1,"n":2}`},
		{`{"kind":"delayEcho"}`, `[5]`, `5`},
		{`{"kind":"args0keys"}`, `[{"b":1,"a":2}]`, `["b","a"]`},
		{`{"kind":"args0keys"}`, `[["x","y"]]`, `["0","1"]`},
		{`{"kind":"args0keys"}`, `["text"]`, `null`},
		{`{"kind":"args0keys"}`, `[]`, `null`},
	} {
		got, err := tool(t, c.spec, nil)(t.Context(), c.args)
		if err != nil || got != c.want {
			t.Errorf("%s of %s = %s, %v, want %s", c.spec, c.args, got, err, c.want)
		}
	}
}

func TestCounterCountsPerRun(t *testing.T) {
	c, err := Parse([]byte(`{"code": "1", "providers": [{"name": "ns", "tools": {"t": {"kind": "counter"}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		call := c.DialectProviders(nil)[0].Functions[0].Call
		for want := int64(1); want <= 3; want++ {
			if got, err := call(t.Context(), nil); err != nil || got != want {
				t.Errorf("counter = %v, %v, want %d", got, err, want)
			}
		}
	}
}

func TestThrow(t *testing.T) {
	for spec, want := range map[string]string{
		`{"kind":"throw","message":"m","name":"TypeError","code":"E"}`: "m",
		`{"kind":"throw","message":""}`:                                "",
		`{"kind":"throw","raw":null}`:                                  "null",
		`{"kind":"throw","raw":5.0}`:                                   "5",
		`{"kind":"throw","raw":1e21}`:                                  "1e+21",
		`{"kind":"throw","raw":"s"}`:                                   "s",
		`{"kind":"throw","raw":[1,null,["a"]]}`:                        "1,,a",
		`{"kind":"throw","raw":{"message":"no Error"}}`:                "[object Object]",
		`{"kind":"throw","raw":{"$":"symbol","v":"s"}}`:                "Symbol(s)",
		`{"kind":"throw","raw":{"$":"error","v":"e"}}`:                 "e",
		`{"kind":"throw","raw":{"$":"date","v":0}}`:                    "Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)",
		`{"kind":"throw","raw":{"$":"regexp","v":"a","f":"g"}}`:        "/a/g",
		`{"kind":"throw","raw":{"$":"undefined"}}`:                     "undefined",
		`{"kind":"throw","raw":{"$":"bytes","v":"AQI="}}`:              "1,2",
		`{"kind":"throw","raw":{"$":"float64","v":[1.5,-2]}}`:          "1.5,-2",
		`{"kind":"throw","raw":{"$":"-inf"}}`:                          "-Infinity",
	} {
		if _, err := tool(t, spec, nil)(t.Context(), `[]`); err == nil || err.Error() != want {
			t.Errorf("%s throws %v, want %q", spec, err, want)
		}
	}
}

func TestDeclaredValues(t *testing.T) {
	for value, want := range map[string]string{
		`-0`:                        `0`,
		`1e400`:                     `null`,
		`12345678901234567890`:      `12345678901234567890`,
		`{"$":"nan"}`:               `null`,
		`{"$":"-0"}`:                `0`,
		`{"$":"date","v":86400000}`: `"1970-01-02T00:00:00.000Z"`,
		`{"$":"date","v":"2020-02-03T04:05:06Z"}`:                          `"2020-02-03T04:05:06.000Z"`,
		`{"$":"date","v":"2020-02-03"}`:                                    `"2020-02-03T00:00:00.000Z"`,
		`{"$":"date","v":"no"}`:                                            `null`,
		`{"$":"bytes","v":"AQID"}`:                                         `{"__codemode_binary_v1__":"Uint8Array","data":"AQID"}`,
		`{"$":"arraybuffer","v":"AQID"}`:                                   `{"__codemode_binary_v1__":"ArrayBuffer","data":"AQID"}`,
		`{"$":"dataview","v":"AQID"}`:                                      `{"__codemode_binary_v1__":"Uint8Array","data":"AQID"}`,
		`{"$":"int16","v":[1,-2]}`:                                         `{"__codemode_binary_v1__":"Uint8Array","data":"AQD+/w=="}`,
		`{"$":"map","v":[["a",1]]}`:                                        `{}`,
		`{"a":{"$":"undefined"},"b":[{"$":"undefined"},{"$":"function"}]}`: `{"b":[null,null]}`,
		`{"$":"symbol","v":"s"}`:                                           `undefined`,
		`{"$":"class"}`:                                                    `{"x":1}`,
		`{"$":"tojson","v":{"d":{"$":"nan"}}}`:                             `{"d":null}`,
		`{"$":"sparse"}`:                                                   `[1,null,null,4]`,
		`{"$":"nullproto"}`:                                                `{"a":1}`,
		`{"$":"repeat","v":"ab","n":3}`:                                    `"ababab"`,
		`{"$":"raw","v":{"$":"date","v":5}}`:                               `{"$":"date","v":5}`,
		`{"__codemode_binary_v1__":"Uint8Array","data":"AQID"}`:            `{"__codemode_escaped_v1__":{"__codemode_binary_v1__":"Uint8Array","data":"AQID"}}`,
	} {
		got, err := tool(t, `{"kind":"value","value":`+value+`}`, nil)(t.Context(), `[]`)
		if err != nil || got != want {
			t.Errorf("%s = %s, %v, want %s", value, got, err, want)
		}
	}
	for value, want := range map[string]string{
		`{"n":{"$":"bigint","v":"5"}}`: "Do not know how to serialize a BigInt",
		`[{"$":"cycle"}]`:              "Converting circular structure to JSON",
	} {
		if _, err := tool(t, `{"kind":"value","value":`+value+`}`, nil)(t.Context(), `[]`); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s fails with %v, want %q", value, err, want)
		}
	}
}

func TestDescribe(t *testing.T) {
	// The tail is 13 pairs of three units, and half of the surrogate pair before them.
	tail := "\ufffd" + strings.Repeat("é😀", 13)
	long := strings.Repeat("x", 1500) + strings.Repeat("é😀", 500)
	for args, want := range map[string]string{
		`[]`:                                     `[]`,
		"[\"\u2028<\\u0001\\\"\"]":               "[\"\u2028<\\u0001\\\"\"]",
		`[[[[[[[[[1]]]]]]]]]`:                    `[[[[[[[[[1]]]]]]]]]`,
		`[[[[[[[[[[1]]]]]]]]]]`:                  `[[[[[[[[[{"$":"deep"}]]]]]]]]]`,
		`[[` + strings.Repeat("0,", 200) + `0]]`: `[{"$":"array","length":201}]`,
		`["` + long + `"]`:                       `[{"$":"string","length":3000,"head":"` + strings.Repeat("x", 40) + `","tail":"` + tail + `"}]`,
		`["` + strings.Repeat("é", 2000) + `"]`:  `["` + strings.Repeat("é", 2000) + `"]`,
		`[{"__codemode_binary_v1__":"x"}]`:       `[{"__codemode_binary_v1__":"x"}]`,
		`[{"__codemode_binary_v1__":"ArrayBuffer","data":"` + strings.Repeat("AAAA", 60) + `"}]`: `[{"$":"arraybuffer","v":"` + strings.Repeat("AAAA", 50) + `","length":180}]`,
	} {
		list, err := protocol.DecodeValue(json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Describe(list.([]any)); err != nil || got != want {
			t.Errorf("Describe(%.80s) = %s, %v, want %s", args, got, err, want)
		}
	}
}

func TestRecorder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls Recorder
		call := tool(t, `{"kind":"delay","ms":50,"value":1}`, &calls)
		ctx, cancel := context.WithCancel(t.Context())
		answered := make(chan error)
		go func() {
			_, err := call(ctx, `[{"a":1}]`)
			answered <- err
		}()
		synctest.Wait()
		want := Call{Namespace: "ns", Tool: "t", Args: json.RawMessage(`[{"a":1}]`)}
		if diff := cmp.Diff([]Call{want}, calls.Calls()); diff != "" {
			t.Error(diff)
		}
		cancel() // a delayed tool finishes all the same
		time.Sleep(60 * time.Millisecond)
		if err := <-answered; err != nil {
			t.Error(err)
		}
		want.Done = true
		if diff := cmp.Diff([]Call{want}, calls.Calls()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestNeverEndsWithTheRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tool(t, `{"kind":"never"}`, nil)(ctx, `[]`); !errors.Is(err, context.Canceled) {
		t.Errorf("never = %v", err)
	}
}

func TestIndexNamesComeFirst(t *testing.T) {
	c, err := Parse([]byte(`{"code":"1","providers":[{"name":"ns","tools":{"b":{"kind":"echo"},"10":{"kind":"echo"},"a":{"kind":"echo"},"9":{"kind":"echo"},"01":{"kind":"echo"}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range c.DialectProviders(nil)[0].Functions {
		names = append(names, f.Name)
	}
	if diff := cmp.Diff([]string{"9", "10", "b", "a", "01"}, names); diff != "" {
		t.Error(diff)
	}
}
