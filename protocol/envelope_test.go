package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
)

func TestAnEnvelopesTextAndItsReading(t *testing.T) {
	empty := ""
	for text, e := range map[string]Envelope{
		`{"result":{"b":1,"a":9007199254740993}}`: {Result: json.RawMessage(`{"b":1,"a":9007199254740993}`)},
		`{"result":null}`:                         {Result: json.RawMessage(`null`)},
		`{}`:                                      {},
		`{"error":""}`:                            {Error: &empty},
		`{"error":"<a> & \"b\""}`:                 ErrorEnvelope(`<a> & "b"`),
	} {
		if got := e.Text(); got != text {
			t.Errorf("text %s, want %s", got, text)
		}
		read, err := ParseEnvelope(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got := read.Text(); got != text {
			t.Errorf("%s reads as %s", text, got)
		}
	}
	for _, text := range []string{"", "prose", `[]`, `"x"`, `{"error":5}`, `{"result":`} {
		if e, err := ParseEnvelope(text); err == nil {
			t.Errorf("%q reads as %+v", text, e)
		}
	}
	if got := (Envelope{Result: json.RawMessage(`{`)}).Text(); got != `{"error":"the tool's result is no JSON"}` {
		t.Errorf("a broken result gives %s", got)
	}
}

func TestTheEnvelopeDispatch(t *testing.T) {
	guard := new(CompletionGuard)
	finishes := func(context.Context, string, string) (json.RawMessage, error) {
		guard.Complete()
		return json.RawMessage(`1`), nil
	}
	dispatch := NewEnvelopeDispatch(map[string]Handler{
		"api": func(_ context.Context, tool, args string) (json.RawMessage, error) {
			switch tool {
			case "echo":
				return json.RawMessage(args), nil
			case "nothing":
				return nil, nil
			case "fail":
				return nil, errors.New("no such id")
			case "panic":
				panic("boom")
			}
			return nil, &ToolNotFoundError{Tool: tool}
		},
		"last": finishes,
	}, guard)
	for _, c := range []struct{ provider, tool, want string }{
		{"api", "echo", `{"result":[1,"ü"]}`},
		{"api", "nothing", `{}`},
		{"api", "fail", `{"error":"no such id"}`},
		{"api", "panic", `{"error":"tool \"panic\" panicked: boom"}`},
		{"api", "other", `{"error":"Tool \"other\" not found"}`},
		{"nobody", "other", `{"error":"Tool \"other\" not found"}`},
		{"__proto__", "toString", `{"error":"Tool \"toString\" not found"}`},
		{"last", "x", `{"error":"Execution has already completed"}`}, // it completed while the call was on its way
		{"api", "echo", `{"error":"Execution has already completed"}`},
		{"nobody", "other", `{"error":"Execution has already completed"}`},
	} {
		got, err := dispatch(context.Background(), c.provider, c.tool, `[1,"ü"]`)
		if err != nil || got != c.want {
			t.Errorf("%s.%s: %s, %v; want %s", c.provider, c.tool, got, err, c.want)
		}
	}
}

func TestTheEnvelopeDispatchAdmitsBeforeTheHandlerRuns(t *testing.T) {
	admitted := false
	dispatch := NewEnvelopeDispatch(map[string]Handler{
		"api": func(context.Context, string, string) (json.RawMessage, error) {
			if !admitted {
				t.Error("the handler runs unadmitted")
			}
			return nil, nil
		},
	}, new(CompletionGuard))
	dispatch(WithAdmission(context.Background(), func() { admitted = true }), "api", "x", "[]")
	if !admitted {
		t.Error("the call was never admitted")
	}
	Admit(context.Background()) // nobody listens, and nothing happens
}

func TestTheGuardTurnsConcurrentCallsAway(t *testing.T) {
	guard := new(CompletionGuard)
	dispatch := NewEnvelopeDispatch(map[string]Handler{
		"api": func(context.Context, string, string) (json.RawMessage, error) { return json.RawMessage(`1`), nil },
	}, guard)
	var calls sync.WaitGroup
	for range 50 {
		calls.Go(func() {
			switch got, _ := dispatch(context.Background(), "api", "x", "[]"); got {
			case `{"result":1}`, ErrorEnvelope(CompletedMessage).Text():
			default:
				t.Errorf("answer %s", got)
			}
		})
	}
	guard.Complete()
	calls.Wait()
	if got, _ := dispatch(context.Background(), "api", "x", "[]"); got != ErrorEnvelope(CompletedMessage).Text() {
		t.Errorf("answer after the end: %s", got)
	}
}
