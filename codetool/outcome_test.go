package codetool

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/protocol"
)

func outcomeOf(t *testing.T, code string, result protocol.ExecuteResult) *Outcome {
	t.Helper()
	tool, _ := newTestTool(t, nil, []Provider{{Tools: echoTools("listOrders")}, {Name: "github", Tools: echoTools("search")}}, ends(result))
	outcome, err := tool.Call(t.Context(), code)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

func lines(texts ...string) []protocol.LogLine {
	out := make([]protocol.LogLine, len(texts))
	for i, text := range texts {
		level, rest, _ := strings.Cut(text, ":")
		out[i] = protocol.LogLine{Level: protocol.Level(level), Text: rest}
	}
	return out
}

func TestEnvelope(t *testing.T) {
	for _, c := range []struct {
		result protocol.ExecuteResult
		want   string
	}{
		{protocol.ExecuteResult{Value: []byte("42")}, `{"result":42}`},
		{protocol.ExecuteResult{Value: []byte("1"), Logs: lines("log:plain", "warn:careful", "error:broken", "info:i")},
			`{"result":1,"logs":["plain","[warn] careful","[error] broken","[info] i"]}`},
		{protocol.ExecuteResult{}, `{}`},
		{protocol.ExecuteResult{Logs: lines("log:<x>")}, `{"logs":["<x>"]}`},
		{protocol.ExecuteResult{Value: []byte(`{"b":1,"a":9007199254740993}`)}, `{"result":{"b":1,"a":9007199254740993}}`},
		{protocol.ExecuteResult{Value: []byte(`[{"__codemode_binary_v1__":"ArrayBufferView","view":"Int8Array","data":"AQ=="}]`)},
			`{"result":[{"__codemode_binary_v1__":"Int8Array","data":"AQ=="}]}`},
		{protocol.ExecuteResult{Value: []byte(`{"__codemode_escaped_v1__":{"__codemode_handle__":1}}`)}, `{"result":{"__codemode_handle__":1}}`},
	} {
		got, err := outcomeOf(t, "1", c.result).Envelope()
		if err != nil || string(got) != c.want {
			t.Errorf("got %s, %v; want %s", got, err, c.want)
		}
	}
}

func TestFailureTexts(t *testing.T) {
	thrown := func(name, message string, line, column int) *protocol.Failure {
		f := &protocol.Failure{Kind: protocol.FailureThrown, Name: name, Message: message}
		if line > 0 {
			f.Position = &protocol.Position{Line: line, Column: column}
		}
		return f
	}
	for _, c := range []struct {
		name, code       string
		failure          *protocol.Failure
		logs             []protocol.LogLine
		wantText, inFull string
	}{
		{"plain", "async () => {}", thrown("Error", `Tool "listInvoices" not found`, 0, 0), nil,
			`Code execution failed: Tool "listInvoices" not found`, `Error: Tool "listInvoices" not found`},
		{"with console", "async () => {}", thrown("Error", "e", 0, 0), lines("log:hidden", "warn:w"),
			"Code execution failed: e\n\nConsole output:\nhidden\n[warn] w", "Error: e"},
		{"with a place", "async () => bad()", thrown("TypeError", "bad q", 1, 13), nil,
			"Code execution failed: bad q", "TypeError: bad q (line 1:13)\n  1 | async () => bad()\n    |             ^"},
		{"unknown namespace", "async () => { return await codemod.list({}) }", thrown("ReferenceError", "codemod is not defined", 1, 28), nil,
			"Code execution failed: codemod is not defined; did you mean `codemode`?",
			"ReferenceError: codemod is not defined (line 1:28); did you mean `codemode`?\n  1 | async () => { return await codemod.list({}) }\n    |                            ^\nNothing was run."},
		{"a tool without its namespace", "async () => listOrders()", thrown("ReferenceError", "listOrders is not defined", 1, 13), nil,
			"Code execution failed: listOrders is not defined; did you mean `codemode.listOrders`?",
			"ReferenceError: listOrders is not defined (line 1:13); did you mean `codemode.listOrders`?\n  1 | async () => listOrders()\n    |             ^\nNothing was run."},
		{"unlike anything", "async () => undefinedFn()", thrown("ReferenceError", "undefinedFn is not defined", 1, 13), nil,
			"Code execution failed: undefinedFn is not defined", "ReferenceError: undefinedFn is not defined (line 1:13)\n  1 | async () => undefinedFn()\n    |             ^"},
		{"timeout", "async () => {}", &protocol.Failure{Kind: protocol.FailureTimeout, Message: "Execution timed out at its 100 ms bound. Do less work per run and return the part that is already finished.", Pending: []string{"github.search"}}, nil,
			"Code execution failed: Execution timed out",
			"Execution timed out at its 100 ms bound. Do less work per run and return the part that is already finished. Waiting for: github.search."},
		{"syntax", "async () => { const = }", &protocol.Failure{Kind: protocol.FailureSyntax, Name: "SyntaxError", Message: "Unexpected token '='", Position: &protocol.Position{Line: 2, Column: 21}}, nil,
			"Code execution failed: SyntaxError: Unexpected token '=' (line 1:21)", "SyntaxError: Unexpected token '=' (line 1:21)\n  1 | async () => { const = }\n    |                     ^"},
		{"no message", "async () => {}", thrown("RangeError", "", 0, 0), nil, "Code execution failed: RangeError", "RangeError"},
		{"a string", "async () => {}", &protocol.Failure{Kind: protocol.FailureThrown, Message: "x", Thrown: json.RawMessage(`"x"`)}, nil,
			"Code execution failed: x", "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			outcome := outcomeOf(t, c.code, protocol.ExecuteResult{Failure: c.failure, Logs: c.logs})
			if got := outcome.ErrorText(); got != c.wantText {
				t.Errorf("text %q, want %q", got, c.wantText)
			}
			if _, err := outcome.Envelope(); errorText(err) != c.wantText {
				t.Errorf("the envelope's error is %v", err)
			}
			if got := outcome.Failure.String(); got != c.inFull {
				t.Errorf("in full %q, want %q", got, c.inFull)
			}
		})
	}
}

func TestHintWithoutAValue(t *testing.T) {
	if outcome := outcomeOf(t, "const x = 1", protocol.ExecuteResult{}); outcome.Hint == "" {
		t.Error("a program without a value deserves a hint")
	}
	if outcome := outcomeOf(t, "1", protocol.ExecuteResult{Value: []byte("null")}); outcome.Hint != "" {
		t.Errorf("null is a value; hint %q", outcome.Hint)
	}
}

func TestOurFailuresAreErrors(t *testing.T) {
	tool, _ := newTestTool(t, &Options{Limits: protocol.Limits{ToolCalls: 1}}, nil, ends(protocol.ExecuteResult{}))
	tool.Close()
	if outcome, err := tool.Call(t.Context(), "1"); outcome != nil || !errors.Is(err, protocol.CodePoolClosed) {
		t.Errorf("got %+v, %v", outcome, err)
	}
}
