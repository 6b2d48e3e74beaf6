package dialect

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/codemode-go/codemode/protocol"
	"github.com/google/go-cmp/cmp"
)

func TestLogPrefixes(t *testing.T) {
	lines := []protocol.LogLine{
		{Level: protocol.LevelLog, Text: "plain"}, {Level: protocol.LevelWarn, Text: "careful"},
		{Level: protocol.LevelError, Text: "broken"}, {Level: protocol.LevelInfo, Text: "i"},
		{Level: protocol.LevelDebug, Text: "d"}, {Level: protocol.LevelTrace, Text: "t"}, {Level: protocol.LevelLog},
	}
	native := returns(&protocol.ExecuteResult{Logs: lines}, nil)
	want := []string{"plain", "[warn] careful", "[error] broken", ""}
	if diff := cmp.Diff(want, executeWith(t, native, nil, nil).Logs); diff != "" {
		t.Errorf("logs (-want +got):\n%s", diff)
	}
	want = []string{"plain", "[warn] careful", "[error] broken", "[info] i", "[debug] d", "[trace] t", ""}
	if diff := cmp.Diff(want, executeWith(t, native, nil, &ExecuteOptions{AllLevels: true}).Logs); diff != "" {
		t.Errorf("all levels (-want +got):\n%s", diff)
	}
	if logs := executeWith(t, returns(&protocol.ExecuteResult{}, nil), nil, nil).Logs; logs == nil || len(logs) != 0 {
		t.Errorf("a run without lines has empty logs, got %#v", logs)
	}
}

func TestErrorTexts(t *testing.T) {
	timedOut := (&protocol.ExecutionTimeoutError{Timeout: 100 * time.Millisecond}).Error()
	for _, c := range []struct {
		name    string
		failure protocol.Failure
		want    string
	}{
		{"timeout", protocol.Failure{Kind: protocol.FailureTimeout, Message: timedOut}, "Execution timed out"},
		{"timeout of another wording", protocol.Failure{Kind: protocol.FailureTimeout, Message: "slow"}, "Execution timed out"},
		{"stalled", protocol.Failure{Kind: protocol.FailureStalled, Message: "nothing left to wait for"}, "Execution timed out"},
		{"an envelope error that is a timeout's text", protocol.Failure{Kind: protocol.FailureThrown, Message: timedOut}, "Execution timed out"},
		{"the program's own words", protocol.Failure{Kind: protocol.FailureThrown, Message: "Execution timed out waiting for the vendor API"},
			"Execution timed out waiting for the vendor API"},
		{"thrown", protocol.Failure{Kind: protocol.FailureThrown, Name: "TypeError", Message: "boom"}, "boom"},
		{"two lines", protocol.Failure{Kind: protocol.FailureThrown, Message: "a\nb"}, "a\nb"},
		{"no message", protocol.Failure{Kind: protocol.FailureThrown, Name: "RangeError"}, "RangeError"},
		{"thrown string", protocol.Failure{Kind: protocol.FailureThrown, Thrown: json.RawMessage(`"x"`), Message: "x"}, "x"},
		{"thrown number", protocol.Failure{Kind: protocol.FailureThrown, Thrown: json.RawMessage(`5`)}, "5"},
		{"thrown empty string", protocol.Failure{Kind: protocol.FailureThrown, Thrown: json.RawMessage(`""`)}, `""`},
		{"thrown null", protocol.Failure{Kind: protocol.FailureThrown, Thrown: json.RawMessage(`null`)}, "null"},
		{"thrown object", protocol.Failure{Kind: protocol.FailureThrown, Thrown: json.RawMessage(`{"a":1}`)}, `{"a":1}`},
		{"thrown object with message", protocol.Failure{Kind: protocol.FailureThrown, Thrown: json.RawMessage(`{"message":"m"}`)}, "m"},
		{"nothing", protocol.Failure{Kind: protocol.FailureThrown}, "the program threw a value without a message"},
		{"memory", protocol.Failure{Kind: protocol.FailureMemory, Message: "too much"}, "too much"},
		{"syntax", protocol.Failure{Kind: protocol.FailureSyntax, Name: "SyntaxError", Message: "Unexpected token '='"}, "SyntaxError: Unexpected token '='"},
	} {
		t.Run(c.name, func(t *testing.T) {
			result := executeWith(t, returns(&protocol.ExecuteResult{Failure: &c.failure}, nil), nil, nil)
			if result.Error != c.want || result.Value != nil {
				t.Errorf("got %q, value %s; want %q", result.Error, result.Value, c.want)
			}
		})
	}
}

func TestErrorJSON(t *testing.T) {
	for _, c := range []struct{ thrown, message, want string }{
		{"", "boom \"x\" <b>", `"boom \"x\" <b>"`},
		{`"x"`, "x", `"x"`},
		{`{"message":1}`, "1", `1`},
		{`{"message":{"a":1}}`, "[object Object]", `{"a":1}`},
		{`{"message":true}`, "true", `true`},
		{`{"message":0}`, "", `"{\"message\":0}"`},
		{`{"message":"m"}`, "m", `"m"`},
		{`[1]`, "1", `"1"`},
	} {
		failure := &protocol.Failure{Kind: protocol.FailureThrown, Message: c.message}
		if c.thrown != "" {
			failure.Thrown = json.RawMessage(c.thrown)
		}
		got, err := executeWith(t, returns(&protocol.ExecuteResult{Failure: failure}, nil), nil, nil).ErrorJSON()
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s, %v; want %s", c.thrown, got, err, c.want)
		}
	}
	if got, err := executeWith(t, returns(&protocol.ExecuteResult{Value: []byte("1")}, nil), nil, nil).ErrorJSON(); got != nil || err != nil {
		t.Errorf("no error: got %s, %v", got, err)
	}
}

func TestSyntaxErrorsNameTheirPlace(t *testing.T) {
	for _, c := range []struct {
		name, code string
		position   protocol.Position // in the normalised text
		want       string
		wantAt     *protocol.Position
	}{
		{"wrapped", "const = 1\nreturn 2", protocol.Position{Line: 2, Column: 7}, "SyntaxError: bad (line 1:7)", &protocol.Position{Line: 1, Column: 7}},
		{"as it is", "async () => { const = }", protocol.Position{Line: 2, Column: 21}, "SyntaxError: bad (line 1:21)", &protocol.Position{Line: 1, Column: 21}},
		{"indented", "\n\n  async () => { const = }", protocol.Position{Line: 2, Column: 21}, "SyntaxError: bad (line 3:23)", &protocol.Position{Line: 3, Column: 23}},
		{"an arrow", "\n async () => 1", protocol.Position{Line: 1, Column: 13}, "SyntaxError: bad (line 2:14)", &protocol.Position{Line: 2, Column: 14}},
		{"past a line's end", "const = 1", protocol.Position{Line: 1, Column: 99}, "SyntaxError: bad", nil},
		{"at a sewn return", "const a = 1\n  a", protocol.Position{Line: 3, Column: 3}, "SyntaxError: bad (line 2:3)", &protocol.Position{Line: 2, Column: 3}},
		{"where it breaks off", "f(1,", protocol.Position{Line: 2, Column: 5}, "SyntaxError: bad (line 1:5)", &protocol.Position{Line: 1, Column: 5}},
		{"in a seam", "const a = 1\na", protocol.Position{Line: 1, Column: 3}, "SyntaxError: bad", nil},
		{"in a module", "1", protocol.Position{File: "lib.js", Line: 3, Column: 4}, "SyntaxError: bad (lib.js:3:4)", &protocol.Position{File: "lib.js", Line: 3, Column: 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			failure := &protocol.Failure{Kind: protocol.FailureSyntax, Message: "bad", Position: &c.position}
			executor := New(returns(&protocol.ExecuteResult{Failure: failure}, nil), nil)
			defer executor.Close()
			result, err := executor.Execute(t.Context(), c.code, nil, nil)
			if err != nil || result.Error != c.want {
				t.Errorf("got %q, %v; want %q", result.Error, err, c.want)
			}
			if diff := cmp.Diff(c.wantAt, result.Position); diff != "" {
				t.Errorf("position (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCallerOffset(t *testing.T) {
	for _, c := range []struct {
		name, code, normalized, mark string // mark is a piece of both
	}{
		{"last expression", "const a = 1;\n(a + foo);", "async () => {\nconst a = 1;\nreturn (a + foo)\n}", "foo"},
		{"statement before it", "const a = foo;\na", "async () => {\nconst a = foo;\nreturn (a)\n}", "foo"},
		{"a return of the caller's own", "const f = () => { return (foo) }\nf()", "async () => {\nconst f = () => { return (foo) }\nreturn (f())\n}", "f()"},
		{"fence", "```js\nconst a = foo\na\n```", "async () => {\nconst a = foo\nreturn (a)\n}", "foo"},
		{"imports ahead", "import { helper } from 'lib.js'\nconst a = foo\na", "import { helper } from 'lib.js'\nasync () => {\nconst a = foo\nreturn (a)\n}", "foo"},
		{"inside the imports", "import { helper } from 'lib.js'\n1", "import { helper } from 'lib.js'\nasync () => {\nreturn (1)\n}", "helper"},
		{"astral characters before", "'😀'; foo", "async () => {\n'😀'; return (foo)\n}", "foo"},
		{"declaration", "async function main() { foo }", "async () => {\nasync function main() { foo }\nreturn main();\n}", "foo"},
		{"default function", "export default function () { foo }", "async () => {\nreturn (function () { foo })();\n}", "foo"},
		{"default class", "export default class { foo() {} }", "async () => {\nreturn (class { foo() {} });\n}", "foo"},
		{"export default", "export default async () => foo", "async () => foo", "foo"},
		{"the same text twice", "foo();\nfoo", "async () => {\nfoo();\nreturn (foo)\n}", "foo"},
		{"every line terminator", "a\rb\r\nc\u2028d\u2029foo", "async () => {\na\rb\r\nc\u2028d\u2029return (foo)\n}", "foo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, to := lastIndex(c.normalized, c.mark), lastIndex(c.code, c.mark)
			if got := NormalizeCode(c.code); got != c.normalized {
				t.Fatalf("NormalizeCode gives %q", got)
			}
			got := callerPosition(positionOf(from, c.normalized), c.code)
			if diff := cmp.Diff(positionOf(to, c.code), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func lastIndex(text, mark string) int {
	at := -1
	for i := range text {
		if len(text[i:]) >= len(mark) && text[i:i+len(mark)] == mark {
			at = i
		}
	}
	return at
}

func TestConnectors(t *testing.T) {
	for _, c := range []struct {
		name, args string
		answer     any
		err        error
		want       string
	}{
		{"first argument only", `[{"a":1},2]`, nil, nil, `{"result":["ping",{"a":1}]}`},
		{"no argument", `[]`, nil, nil, `{"result":["ping"]}`},
		{"pause", `[]`, json.RawMessage(`{"__codemode_control__": "pause"}`), nil, `{"error":"__CODEMODE_PAUSE__"}`},
		{"error", `[]`, map[string]any{"__codemode_control__": "error", "message": "denied"}, nil, `{"error":"denied"}`},
		{"error without a message", `[]`, json.RawMessage(`{"__codemode_control__":"error"}`), nil, `{"error":"undefined"}`},
		{"error with a number", `[]`, json.RawMessage(`{"__codemode_control__":"error","message":7}`), nil, `{"error":"7"}`},
		{"another marker is data", `[]`, json.RawMessage(`{"__codemode_control__":"x"}`), nil, `{"result":{"__codemode_control__":"x"}}`},
		{"a nested marker is data", `[]`, json.RawMessage(`{"a":{"__codemode_control__":"pause"}}`), nil, `{"result":{"a":{"__codemode_control__":"pause"}}}`},
		{"a failure of the binding", `[]`, 1, errors.New("gone"), `{"error":"gone"}`},
		{"undefined", `[]`, protocol.Undefined{}, nil, `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := func(_ context.Context, tool string, argument json.RawMessage) (any, error) {
				if c.answer == nil && argument == nil {
					return []any{tool}, c.err
				}
				if c.answer == nil {
					return []any{tool, argument}, c.err
				}
				return c.answer, c.err
			}
			options := &ExecuteOptions{Connectors: []Connector{{Name: "mail", CallTool: call}}}
			if got := string(executeWith(t, calling(t, "mail", "ping", c.args), nil, options).Value); got != c.want {
				t.Errorf("answered %s, want %s", got, c.want)
			}
		})
	}
}
