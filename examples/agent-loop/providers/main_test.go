package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	anthropicoption "github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/google/go-cmp/cmp"
	openaioption "github.com/openai/openai-go/v3/option"

	"github.com/codemode-go/codemode/examples/agent-loop/agent"
	"github.com/codemode-go/codemode/executor/worker"
)

func TestMain(m *testing.M) {
	worker.Main()
	os.Exit(m.Run())
}

// The turns of the fake models: a program that fails, one that does not, and the answer.
const (
	failing  = "async () => codemode.listInvoices()"
	program  = "async () => (await codemode.listOrders({ userId: 'u1' })).filter((o) => o.status === 'shipped').reduce((n, o) => n + o.total, 0)"
	theEnd   = "Ada has 42 in shipped orders."
	question = "What did Ada spend on shipped orders?"
)

// fakeAPI is a server on this machine that answers requests in turn, and keeps their bodies.
func fakeAPI(t *testing.T, path string, answers ...string) (url string, bodies *[]map[string]any) {
	t.Helper()
	bodies = new([]map[string]any)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		var body map[string]any
		if err != nil || json.Unmarshal(text, &body) != nil || r.URL.Path != path || len(*bodies) == len(answers) {
			t.Errorf("unexpected request %s %s %s", r.Method, r.URL, text)
			http.Error(w, "unexpected", http.StatusBadRequest)
			return
		}
		*bodies = append(*bodies, body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, answers[len(*bodies)-1])
	}))
	t.Cleanup(api.Close)
	return api.URL, bodies
}

func TestAnthropic(t *testing.T) {
	use := func(id, code string) string {
		return fmt.Sprintf(`{"id":"m","type":"message","role":"assistant","model":"x","stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1},
			"content":[{"type":"text","text":"Let me see."},{"type":"tool_use","id":%q,"name":"codemode","input":{"code":%q}}]}`, id, code)
	}
	url, bodies := fakeAPI(t, "/v1/messages", use("call-1", failing), use("call-2", program),
		fmt.Sprintf(`{"id":"m","type":"message","role":"assistant","model":"x","stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1},"content":[{"type":"text","text":%q}]}`, theEnd))
	answer, err := ask(t.Context(), newAnthropic("some-model", anthropicoption.WithBaseURL(url), anthropicoption.WithAPIKey("none")), question)
	if err != nil || answer != theEnd {
		t.Fatalf("answer %q, %v", answer, err)
	}
	last := (*bodies)[2]
	checkDeclared(t, last["tools"], "description")
	want := fmt.Sprintf(`[
		{"role":"user","content":[{"type":"text","text":%q}]},
		{"role":"assistant","content":[{"type":"text","text":"Let me see."},{"type":"tool_use","id":"call-1","name":"codemode","input":{"code":%q}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"call-1","is_error":true,"content":[{"type":"text","text":"Error: Code execution failed: Tool \"listInvoices\" not found"}]}]},
		{"role":"assistant","content":[{"type":"text","text":"Let me see."},{"type":"tool_use","id":"call-2","name":"codemode","input":{"code":%q}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"call-2","is_error":false,"content":[{"type":"text","text":"{\"result\":42}"}]}]}]`,
		question, failing, program)
	checkJSON(t, want, last["messages"])
}

func TestOpenAI(t *testing.T) {
	use := func(id, code string) string {
		arguments, _ := json.Marshal(map[string]string{"code": code})
		return fmt.Sprintf(`{"id":"c","object":"chat.completion","created":1,"model":"x","choices":[{"index":0,"finish_reason":"tool_calls",
			"message":{"role":"assistant","content":null,"tool_calls":[{"id":%q,"type":"function","function":{"name":"codemode","arguments":%q}}]}}]}`, id, arguments)
	}
	url, bodies := fakeAPI(t, "/chat/completions", use("call-1", failing), use("call-2", program),
		fmt.Sprintf(`{"id":"c","object":"chat.completion","created":1,"model":"x","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%q}}]}`, theEnd))
	answer, err := ask(t.Context(), newOpenAI("some-model", openaioption.WithBaseURL(url), openaioption.WithAPIKey("none")), question)
	if err != nil || answer != theEnd {
		t.Fatalf("answer %q, %v", answer, err)
	}
	last := (*bodies)[2]
	checkDeclared(t, last["tools"], "function", "description")
	call := func(id, code string) string {
		arguments, _ := json.Marshal(map[string]string{"code": code})
		return fmt.Sprintf(`{"role":"assistant","tool_calls":[{"id":%q,"type":"function","function":{"name":"codemode","arguments":%q}}]}`, id, arguments)
	}
	want := fmt.Sprintf(`[{"role":"user","content":%q}, %s,
		{"role":"tool","tool_call_id":"call-1","content":"Error: Code execution failed: Tool \"listInvoices\" not found"}, %s,
		{"role":"tool","tool_call_id":"call-2","content":"{\"result\":42}"}]`, question, call("call-1", failing), call("call-2", program))
	checkJSON(t, want, last["messages"])
}

// checkDeclared looks for the type block in the one tool of a request.
func checkDeclared(t *testing.T, tools any, path ...string) {
	t.Helper()
	list, _ := tools.([]any)
	if len(list) != 1 {
		t.Fatalf("the request has the tools %v, want the one", tools)
	}
	value := list[0]
	for _, key := range path {
		value = value.(map[string]any)[key]
	}
	if text, _ := value.(string); !strings.Contains(text, "listOrders: (input: ListOrdersInput) => Promise<ListOrdersOutput>;") {
		t.Errorf("the description is %q, without the declarations", value)
	}
}

func checkJSON(t *testing.T, want string, got any) {
	t.Helper()
	var wanted any
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Error(diff)
	}
}

// A model that writes no code is an error that names what it wrote.
func TestNoCode(t *testing.T) {
	url, _ := fakeAPI(t, "/v1/messages", `{"id":"m","type":"message","role":"assistant","model":"x","stop_reason":"tool_use",
		"usage":{"input_tokens":1,"output_tokens":1},"content":[{"type":"tool_use","id":"call-1","name":"codemode","input":{"program":"1"}}]}`)
	model := newAnthropic("some-model", anthropicoption.WithBaseURL(url), anthropicoption.WithAPIKey("none"))
	_, err := model.Next(t.Context(), agent.Spec{Name: "codemode", InputSchema: json.RawMessage(`{}`)}, []agent.Message{{User: "hi"}})
	if err == nil || !strings.Contains(err.Error(), `{"program":"1"}`) {
		t.Errorf("got %v", err)
	}
}
