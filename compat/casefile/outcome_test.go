package casefile

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

func TestOutcomeLine(t *testing.T) {
	for _, c := range []struct {
		result dialect.Result
		want   string
	}{
		{dialect.Result{Value: json.RawMessage(`{"a":"\ud800"}`), Logs: []string{}}, `{"result":{"a":"\ud800"},"logs":[]}`},
		{dialect.Result{Logs: []string{"a\u2028b", "<"}}, "{\"logs\":[\"a\u2028b\",\"<\"]}"},
		{dialect.Result{Error: "Provider name \"x\" is reserved"}, `{"error":"Provider name \"x\" is reserved"}`},
		{dialect.Result{Error: "boom", Logs: []string{"l"}}, `{"error":"boom","logs":["l"]}`},
		{dialect.Result{Value: json.RawMessage(`{"__codemode_binary_v1__":"Uint8Array","data":"AQI="}`), Logs: []string{}}, `{"result":{"0":1,"1":2},"logs":[]}`},
		{dialect.Result{Value: json.RawMessage(`null`), Logs: []string{}}, `{"result":null,"logs":[]}`},
	} {
		if got := strings.TrimSuffix(string(NewOutcome(&c.result).Line()), "\n"); got != c.want {
			t.Errorf("%+v = %s, want %s", c.result, got, c.want)
		}
	}
}

func TestNativeLine(t *testing.T) {
	got := string(NativeLine(&protocol.ExecuteResult{
		Failure: &protocol.Failure{
			Kind: protocol.FailureLimit, Message: "m", Limit: "toolCalls", LimitValue: 5,
			Position: &protocol.Position{File: "a.js", Line: 2, Column: 3}, Thrown: json.RawMessage(`{"x":1}`), Pending: []string{"a.b"},
		},
		Logs:  []protocol.LogLine{{Level: protocol.LevelWarn, Text: "w"}},
		Usage: protocol.Usage{Wall: 5 * time.Millisecond, ToolCalls: 1},
		Calls: []protocol.Call{{Provider: "a", Tool: "b", Duration: 2 * time.Millisecond, Outcome: protocol.CallFailed, Unheard: true}},
	}))
	want := `{"failure":{"kind":"limit","name":"","message":"m","position":{"file":"a.js","line":2,"column":3},"thrown":{"x":1},` +
		`"limit":"toolCalls","limitValue":5,"pending":["a.b"]},"logs":[{"level":"warn","text":"w"}],` +
		`"usage":{"wallMs":5,"runMs":0,"cpuMs":0,"peakMemory":0,"toolCalls":1},` +
		`"calls":[{"provider":"a","tool":"b","startMs":0,"durationMs":2,"outcome":"failed","unheard":true}]}` + "\n"
	if diff := cmp.Diff(want, got); diff != "" || !json.Valid([]byte(got)) {
		t.Error(diff)
	}
}

func TestStubAnswersWhatItWasAsked(t *testing.T) {
	request := httptest.NewRequest(http.MethodPost, "https://api.example.com/p?q=1", strings.NewReader(`{"a":1}`))
	request.Header.Set("X-H", "v")
	request.Header.Set("Cf-Ray", "gone")
	response, err := stubFetch(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	want := `{"stub":true,"method":"POST","url":"https://api.example.com/p?q=1","body":"{\"a\":1}","headers":{"content-length":"7","x-h":"v"}}`
	if string(body) != want || response.Header.Get("Content-Type") != "application/json" {
		t.Errorf("stub = %s %v, want %s", body, response.Header, want)
	}
	failed, err := stubFetch(t.Context(), httptest.NewRequest(http.MethodGet, "https://x.y/500", nil))
	if err != nil || failed.StatusCode != 500 {
		t.Errorf("/500 = %v, %v", failed, err)
	}
}

func TestUnsupportedOptionsAreLoud(t *testing.T) {
	c, err := Parse([]byte(`{"code": "1", "options": {"bindings": {"K": "v"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context(), nil, nil); !IsUnsupported(err) || !strings.HasPrefix(err.Error(), "options.bindings: ") {
		t.Errorf("Run = %v", err)
	}
	if _, err := c.RunNative(t.Context(), nil, nil); !IsUnsupported(err) {
		t.Errorf("RunNative = %v", err)
	}
}
