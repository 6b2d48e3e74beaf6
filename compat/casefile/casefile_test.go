package casefile

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/protocol"
)

func TestParse(t *testing.T) {
	c, err := Parse([]byte(`{
		"name": "n", "code": "1", "note": "why",
		"providers": [
			{"name": "gh", "tools": {"list-issues": {"kind": "echo"}, "b": {"kind": "delay", "ms": 5, "value": {"$": "undefined"}}},
			 "prelude": "gh.x = 1", "positionalArgs": true, "proxySource": "({})"}
		],
		"options": {"timeout": 250, "modules": {"a.js": "export {}"}, "outbound": "inherit", "afterMs": 20,
			"limits": {"memory": 1048576, "cpu": 50}, "consoleFormat": "inspect", "losslessIntegers": true}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	p := c.Providers[0]
	if c.Name != "n" || c.Code != "1" || p.Name != "gh" || p.Prelude != "gh.x = 1" || !p.PositionalArgs || p.ProxySource != "({})" {
		t.Errorf("case = %+v", c)
	}
	if names := []string{p.Tools[0].Name, p.Tools[1].Name}; !cmp.Equal(names, []string{"list-issues", "b"}) {
		t.Errorf("tools = %q", names)
	}
	o := c.Options
	if d, ok := o.Timeout.Duration(); !ok || d != 250*time.Millisecond {
		t.Errorf("timeout = %v", o.Timeout)
	}
	want := protocol.Limits{Memory: 1 << 20, CPU: 50 * time.Millisecond}
	if diff := cmp.Diff(want, o.Limits); diff != "" || o.Outbound.Mode() != protocol.OutboundInherit || o.After != 20*time.Millisecond {
		t.Errorf("options = %+v %s", o, diff)
	}
}

func TestParseLegacy(t *testing.T) {
	c, err := Parse([]byte(`{"code": "1", "providers": {"legacy": true, "tools": {"a": {"kind": "echo"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if !c.Legacy || len(c.Providers) != 1 || c.Providers[0].Name != "codemode" || c.Providers[0].Tools[0].Name != "a" {
		t.Errorf("case = %+v", c)
	}
}

func TestParseNamesTheField(t *testing.T) {
	for request, want := range map[string]string{
		``:                              "not JSON, line 1 column 1",
		"{\n\"code\": }":                "not JSON, line 2 column",
		`{"code": "1"} x`:               "not JSON",
		`[]`:                            "want an object, got an array",
		`{}`:                            "code: missing",
		`{"code": 5}`:                   "code: want a string, got a number",
		`{"code": "1", "x": 1}`:         "x: unknown field",
		`{"code": "1", "code": "2"}`:    `"code" is named twice`,
		`{"code": "1", "providers": 5}`: "providers: want an array",
		`{"code": "1", "providers": {"tools": {}}}`:                                                               "providers.legacy: must be true",
		`{"code": "1", "providers": [{"tools": {}}]}`:                                                             "providers[0].name: missing",
		`{"code": "1", "providers": [{"name": "a", "tool": {}}]}`:                                                 "providers[0].tool: unknown field",
		`{"code": "1", "providers": [{"name": "a", "tools": {"t": 5}}]}`:                                          "providers[0].tools.t: want an object with kind, got a number",
		`{"code": "1", "providers": [{"name": "a", "tools": {"t": {}}}]}`:                                         "providers[0].tools.t.kind: missing",
		`{"code": "1", "providers": [{"name": "a", "tools": {"t": {"kind": "ech"}}}]}`:                            `providers[0].tools.t.kind: unknown kind "ech"`,
		`{"code": "1", "providers": [{"name": "a", "tools": {"t": {"kind": "echo", "ms": 1}}}]}`:                  "providers[0].tools.t.ms: unknown field of kind echo",
		`{"code": "1", "providers": [{"name": "a", "tools": {"t": {"kind": "throw"}}}]}`:                          "either message or raw",
		`{"code": "1", "providers": [{"name": "a", "tools": {"t": {"kind": "delay", "ms": -1}}}]}`:                "providers[0].tools.t.ms: want a whole number",
		`{"code": "1", "providers": [{"name": "a", "tools": {"t": {"kind":"echo"}, "t": {}}}]}`:                   `providers[0].tools: "t" is named twice`,
		`{"code": "1", "providers": [{"name": "a", "tools": {"t": {"kind":"value","value":{"$":"q"}}}}]}`:         `providers[0].tools.t.value.$: unknown kind "q"`,
		`{"code": "1", "providers": [{"name": "a", "tools": {"t": {"kind":"value","value":[{"$":"date"}]}}}]}`:    "providers[0].tools.t.value[0].v: missing",
		`{"code": "1", "providers": [{"name": "a", "tools": {"t": {"kind":"value","value":{"$":"nan","w":1}}}}]}`: "value.w: unknown field",
		`{"code": "1", "options": {"tiemout": 5}}`:                                                                "options.tiemout: unknown option",
		`{"code": "1", "options": {"timeout": {}}}`:                                                               "options.timeout: want milliseconds, got an object",
		`{"code": "1", "options": {"modules": {"a.js": 1}}}`:                                                      `options.modules["a.js"]: want a string`,
		`{"code": "1", "options": {"outbound": "maybe"}}`:                                                         "options.outbound: want",
		`{"code": "1", "options": {"limits": {"memory": -1}}}`:                                                    "options.limits.memory: want a whole number",
		`{"code": "1", "options": {"limits": {"mem": 1}}}`:                                                        "options.limits.mem: unknown limit",
		`{"code": "1", "reference": false}`:                                                                       "reason: belongs to",
		`{"code": "1", "reason": "x"}`:                                                                            "reason: belongs to",
	} {
		if _, err := Parse([]byte(request)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%s) = %v, want %q", request, err, want)
		}
	}
}

func TestTimeout(t *testing.T) {
	for text, want := range map[string]protocol.Timeout{
		`100`:           protocol.TimeoutOf(100 * time.Millisecond),
		`"250"`:         protocol.TimeoutOf(250 * time.Millisecond),
		`0`:             protocol.TimeoutOf(minTimeout),
		`-5`:            protocol.TimeoutOf(minTimeout),
		`"NaN"`:         protocol.TimeoutOf(minTimeout),
		`"soon"`:        protocol.TimeoutOf(minTimeout),
		`1800000`:       protocol.TimeoutOf(longestTimeout),
		`1800001`:       protocol.MaximumTimeout(),
		`2147483647`:    protocol.MaximumTimeout(),
		`1000000000000`: protocol.MaximumTimeout(),
		`1e999`:         protocol.MaximumTimeout(),
		`"maximum"`:     protocol.MaximumTimeout(),
	} {
		c, err := Parse([]byte(`{"code": "1", "options": {"timeout": ` + text + `}}`))
		if err != nil || c.Options.Timeout != want {
			t.Errorf("timeout %s = %+v, %v, want %+v", text, c.Options.Timeout, err, want)
		}
	}
}

// TestNativeTimeout: by the native contract zero, negative and too long timeouts are errors that name the field.
func TestNativeTimeout(t *testing.T) {
	for text, want := range map[string]string{
		`100`: "<nil>", `"250"`: "<nil>", `"maximum"`: "<nil>",
		`0`:       "timeout must be greater than 0 ms, got 0s",
		`-5`:      "timeout must be greater than 0 ms, got -5ms",
		`"NaN"`:   "timeout must be greater than 0 ms, got 0s",
		`1800001`: "timeout must be at most 1800000 ms, got 1800001 ms",
		`1e999`:   "timeout must be at most 1800000 ms, got 8796093022208 ms",
	} {
		c, err := Parse([]byte(`{"code": "1", "options": {"timeout": ` + text + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		var seen protocol.Timeout
		if _, err := c.RunNative(t.Context(), watching{&seen}, nil); err != nil {
			t.Fatal(err)
		}
		_, err = seen.Resolve(longestTimeout, longestTimeout)
		if got := fmt.Sprint(err); got != want {
			t.Errorf("timeout %s: %s, want %s", text, got, want)
		}
	}
}

// watching is an executor that notes the timeout it is asked for.
type watching struct{ timeout *protocol.Timeout }

func (w watching) Execute(_ context.Context, request *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	*w.timeout = request.Timeout
	return &protocol.ExecuteResult{}, nil
}

func (watching) Close() error { return nil }

func TestParseFileRunsTheRest(t *testing.T) {
	cases, errs := ParseFile("c.json", []byte(`[
		{"name": "a", "code": "1"},
		{"name": "b", "code": "1", "options": {"speed": 1}},
		{"code": "1"},
		{"name": "a", "code": "2"},
		{"name": "c", "code": "3"}
	]`))
	var names, texts []string
	for _, c := range cases {
		names = append(names, c.Name)
	}
	for _, err := range errs {
		texts = append(texts, err.Error())
	}
	if diff := cmp.Diff([]string{"a", "c"}, names); diff != "" {
		t.Error(diff)
	}
	want := []string{
		`c.json: case "b": options.speed: unknown option`,
		`c.json: case 2: name: missing`,
		`c.json: case "a": name: an earlier case has this name`,
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Error(diff)
	}
}
