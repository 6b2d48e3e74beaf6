package codetool

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/protocol"
	"github.com/google/go-cmp/cmp"
)

// The host of the seed document "Agent loop with the AI SDK", in Go.
type listOrdersInput struct {
	UserID string `json:"userId" jsonschema_description:"The id of the user whose orders to return."`
}

func seedTools() []RawTool {
	return []RawTool{
		Func("listUsers", "Every user this host knows about.", func(context.Context, struct{}) (any, error) { return nil, nil }),
		Func("listOrders", "Orders belonging to one user.", func(context.Context, listOrdersInput) (any, error) { return nil, nil }),
	}
}

func TestDescriptionOfTheSeed(t *testing.T) {
	want, err := os.ReadFile("testdata/seed-description.txt")
	if err != nil {
		t.Fatal(err)
	}
	tool, _ := newTestTool(t, nil, []Provider{{Tools: seedTools()}}, ends(protocol.ExecuteResult{}))
	if diff := cmp.Diff(strings.TrimSuffix(string(want), "\n"), tool.Description()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSeveralProviders(t *testing.T) {
	providers := []Provider{
		{Name: "a", Tools: echoTools("x")}, {Name: "b", Types: "declare const b: any", Tools: echoTools("y")},
		{Name: "c", Note: "c is down:\nno such command"},
	}
	tool, _ := newTestTool(t, &Options{Description: "<{{types}}>"}, providers, ends(protocol.ExecuteResult{}))
	want := "<type XInput = unknown\ntype XOutput = unknown\n\ndeclare const a: {\n\t/**\n\t * x\n\t */\n\tx: (input: XInput) => Promise<XOutput>;\n}" +
		"\n\ndeclare const b: any\n\n// c is down:\n// no such command\ndeclare const c: {}>"
	if diff := cmp.Diff(want, tool.Description()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTemplatesAreFilledLiterally(t *testing.T) {
	tool := func(description string) RawTool {
		return RawTool{Name: "t", Description: description, Call: func(context.Context, json.RawMessage) (any, error) { return nil, nil }}
	}
	for _, c := range []struct{ template, description, want string }{
		{"{{types}}", "costs $& $1 $$ $`", "costs $& $1 $$ $`"},
		{"{{types}} {{types}}", "x", "} {{types}}"},
		{"{{types}}", "{{types}} {{example}}", "* {{types}} {{example}}"},
		{"{{example}} {{types}}", "{{example}}", "r = await codemode.t({}); return r; } type"},
		{"no placeholder", "x", "no placeholder"},
	} {
		tool, _ := newTestTool(t, &Options{Description: c.template}, []Provider{{Tools: []RawTool{tool(c.description)}}}, ends(protocol.ExecuteResult{}))
		if !strings.Contains(tool.Description(), c.want) {
			t.Errorf("%q with %q gave %q, want %q in it", c.template, c.description, tool.Description(), c.want)
		}
	}
}

func TestExample(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{"properties":{"b":{"type":"number"},"a":{"type":"integer"},"c":{"type":"boolean"},"d":{"type":"string"},"e-f":{}}}`,
			`Example: async () => { const r = await codemode.t({ b: 0, a: 0, c: true, d: "...", "e-f": "..." }); return r; }`},
		{``, `Example: async () => { const r = await codemode.t({}); return r; }`},
		{`{"properties":[]}`, `Example: async () => { const r = await codemode.t({}); return r; }`},
	} {
		tool, _ := newTestTool(t, &Options{Description: ServerDescription}, []Provider{{}, {Tools: []RawTool{echoTool("t", c.schema)}}}, ends(protocol.ExecuteResult{}))
		want := strings.Replace(c.want, "codemode.", "codemode_2.", 1)
		if !strings.HasSuffix(tool.Description(), "\n\n"+want) {
			t.Errorf("%s: got %q, want %q at its end", c.schema, tool.Description(), want)
		}
	}
	tool, _ := newTestTool(t, &Options{Description: "{{example}}"}, nil, ends(protocol.ExecuteResult{}))
	if tool.Description() != "" {
		t.Errorf("without a tool there is no example: %q", tool.Description())
	}
}

func manyTools(count int) []RawTool {
	tools := make([]RawTool, count)
	for i := range tools {
		tools[i] = echoTool(fmt.Sprintf("tool-%02d", i), `{"type":"object","properties":{"id":{"type":"string"}}}`)
		tools[i].Description = fmt.Sprintf("Does thing %d.", i)
	}
	return tools
}

func TestDescriptionBudget(t *testing.T) {
	providers := []Provider{{Name: "big", Tools: manyTools(60)}, {Name: "small", Note: "slow today", Tools: echoTools("only")}}
	full, _ := newTestTool(t, nil, providers, ends(protocol.ExecuteResult{}))
	for _, budget := range []int{900, 1500, 2000} {
		tool, _ := newTestTool(t, &Options{DescriptionBudget: budget}, providers, ends(protocol.ExecuteResult{}))
		text := tool.Description()
		if n := characters(text); n > budget {
			t.Errorf("budget %d: %d characters", budget, n)
		}
		for _, want := range []string{"61 functions", "codemode.search", "codemode.describe", "\nsmall: only", "\nbig: tool_00", "// slow today", "Write an async arrow function"} {
			if !strings.Contains(text, want) {
				t.Errorf("budget %d: %q is missing in\n%s", budget, want, text)
			}
		}
		if all := strings.Contains(text, "tool_59"); all == strings.Contains(text, " more") {
			t.Errorf("budget %d: either all names or how many are missing:\n%s", budget, text)
		}
	}
	fits, _ := newTestTool(t, &Options{DescriptionBudget: characters(full.Description())}, providers, ends(protocol.ExecuteResult{}))
	if fits.Description() != full.Description() {
		t.Error("what fits is printed in full")
	}
}

func TestDescriptionBudgetOfManyNamespaces(t *testing.T) {
	var providers []Provider
	for i := range 80 {
		providers = append(providers, Provider{Name: fmt.Sprintf("server_%02d", i), Tools: manyTools(3)})
	}
	for _, budget := range []int{800, 1000, 2000} {
		tool, _ := newTestTool(t, &Options{DescriptionBudget: budget}, providers, ends(protocol.ExecuteResult{}))
		text := tool.Description()
		if n := characters(text); n > budget || !strings.Contains(text, "Namespaces: server_00, ") || !strings.Contains(text, "codemode.search") {
			t.Errorf("budget %d: %d characters\n%s", budget, n, text)
		}
	}
}

func TestSearchFromInsideAProgram(t *testing.T) {
	tools := manyTools(30)
	tools = append(tools, echoTool("search", ""), RawTool{Name: "list-issues", Description: "Open  issues\nof a repository.", Call: tools[0].Call})
	options := &Options{DescriptionBudget: 900}
	for _, c := range []struct{ provider, tool, args, want, wantErr string }{
		{"github", "search", `["open issue"]`, `[{"name":"github.list_issues","description":"Open issues of a repository.","signature":"list_issues(input?: unknown): Promise<unknown>;"}]`, ""},
		{"github", "search", `[{"query":"ISSUES"}]`, `[{"name":"github.list_issues","description":"Open issues of a repository.","signature":"list_issues(input?: unknown): Promise<unknown>;"}]`, ""},
		{"github", "search", `["zzz"]`, `[]`, ""},
		{"github", "search", `[7]`, ``, "codemode.search takes the words to look for: expected a string, got 7"},
		{"github", "describe", `["github.list_issues"]`, `"type ListIssuesInput = unknown\ntype ListIssuesOutput = unknown\n\ndeclare const github: {\n\t/**\n\t * Open  issues of a repository.\n\t */\n\tlist_issues: (input: ListIssuesInput) => Promise<ListIssuesOutput>;\n}"`, ""},
		{"github", "describe", `["github.list_isues"]`, ``, `no tool is called "github.list_isues"; did you mean "github.list_issues"?`},
		{"github", "describe", `["x"]`, ``, `no tool is called "x"; codemode.search finds one by words`},
		{"", "search_2", `["open issue"]`, `[{"name":"codemode.list_issues","description":"Open issues of a repository.","signature":"list_issues(input?: unknown): Promise<unknown>;"}]`, ""},
		{"", "search", `[{"mine":1}]`, `{"mine":1}`, ""},
	} {
		got, err := callOnce(t, options, []Provider{{Name: c.provider, Tools: tools}}, "codemode", c.tool, c.args)
		if got != c.want || errorText(err) != c.wantErr {
			t.Errorf("%s(%s): got %s, %v; want %s, %s", c.tool, c.args, got, err, c.want, c.wantErr)
		}
	}
}

func TestFuncSchemas(t *testing.T) {
	type node struct {
		Name string  `json:"name"`
		Kids []*node `json:"kids,omitempty"`
	}
	type inner struct {
		N int `json:"n"`
	}
	type in struct {
		A inner          `json:"a"`
		B []inner        `json:"b,omitempty"`
		C map[string]int `json:"c"`
	}
	for _, c := range []struct {
		tool RawTool
		want string
	}{
		{Func("f", "", func(context.Context, struct{}) (any, error) { return nil, nil }), `{"properties":{},"additionalProperties":false,"type":"object"}`},
		{Func("f", "", func(context.Context, in) (any, error) { return nil, nil }),
			`{"properties":{"a":{"properties":{"n":{"type":"integer"}},"additionalProperties":false,"type":"object","required":["n"]},` +
				`"b":{"items":{"properties":{"n":{"type":"integer"}},"additionalProperties":false,"type":"object","required":["n"]},"type":"array"},` +
				`"c":{"additionalProperties":{"type":"integer"},"type":"object"}},"additionalProperties":false,"type":"object","required":["a","c"]}`},
	} {
		if diff := cmp.Diff(c.want, string(c.tool.InputSchema)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	recursive := Func("f", "", func(context.Context, node) (node, error) { return node{}, nil })
	if got, err := callOnce(t, nil, []Provider{{Tools: []RawTool{recursive}}}, "codemode", "f", `[{"name":"a","kids":[{"name":"b"}]}]`); err != nil {
		t.Errorf("a type that contains itself: %s, %v\n%s", got, err, recursive.InputSchema)
	}
	if _, err := callOnce(t, nil, []Provider{{Tools: []RawTool{recursive}}}, "codemode", "f", `[{"name":"a","kids":[{"name":5}]}]`); err == nil || !strings.Contains(err.Error(), "kids[0].name: expected string, got 5") {
		t.Errorf("got %v", err)
	}
	for _, schema := range []json.RawMessage{
		Func("f", "", func(context.Context, json.RawMessage) ([]byte, error) { return nil, nil }).OutputSchema,
		Func("f", "", func(context.Context, any) (protocol.Object, error) { return nil, nil }).InputSchema,
	} {
		if schema != nil {
			t.Errorf("a type without a JSON form of its own has no schema, got %s", schema)
		}
	}
}

func TestFuncCalls(t *testing.T) {
	type in struct {
		Data []byte `json:"data"`
		N    int64  `json:"n"`
	}
	tools := []RawTool{Func("f", "", func(_ context.Context, in in) (protocol.Object, error) {
		return protocol.Object{{Key: "bytes", Value: in.Data}, {Key: "n", Value: in.N}}, nil
	})}
	got, err := callOnce(t, nil, []Provider{{Tools: tools}}, "codemode", "f", `[{"data":{"__codemode_binary_v1__":"Uint8Array","data":"AQI="},"n":9007199254740993}]`)
	if want := `{"bytes":{"__codemode_binary_v1__":"Uint8Array","data":"AQI="},"n":9007199254740993}`; got != want || err != nil {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

// Each function is declared for itself, under the name that programs call it by.
func TestFunctions(t *testing.T) {
	tool, _ := newTestTool(t, nil, []Provider{{Name: "a", Tools: echoTools("x-y", "x_y")}, {Name: "b", Tools: seedTools()}}, ends(protocol.ExecuteResult{}))
	var got []string
	for _, f := range tool.Functions() {
		got = append(got, f.Namespace+"."+f.Identifier)
		if !strings.Contains(f.Text, "\t"+f.Identifier+": (input") {
			t.Errorf("%s is not declared by\n%s", f.Identifier, f.Text)
		}
	}
	if diff := cmp.Diff([]string{"a.x_y_2", "a.x_y", "b.listUsers", "b.listOrders"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWithheldToolsAreNotDeclared(t *testing.T) {
	tool, _ := newTestTool(t, &Options{Search: true, DescriptionBudget: 1 << 20}, []Provider{{Name: "srv", Tools: echoTools("shown"), Withheld: withheld("held_back")}})
	if text := tool.Description(); strings.Contains(text, "held_back") || !strings.Contains(text, "shown") {
		t.Error(text)
	}
	if fault := tool.foresee(`async () => srv.held_back({})`); fault != nil {
		t.Errorf("a call that says why it is refused is foreseen to be one of no tool: %v", fault.Failure)
	}
}
