package typegen_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/typegen"
)

// signatures returns identifier → signature of every declared tool.
func signatures(blocks ...typegen.Block) map[string]string {
	all := map[string]string{}
	for _, block := range blocks {
		for _, tool := range block.Tools {
			all[block.Namespace+"."+tool.Identifier] = strings.TrimSpace(tool.Signature)
		}
	}
	return all
}

func TestTypeNamesDoNotDependOnTheOrder(t *testing.T) {
	tools := []typegen.Tool{
		{Name: "get_user"}, {Name: "getUser"}, {Name: "GetUser"}, {Name: "get_user_2"}, {Name: "GetUser_2"},
	}
	want := map[string]string{
		"n.GetUser":    "GetUser: (input: GetUserInput) => Promise<GetUserOutput>;",
		"n.GetUser_2":  "GetUser_2: (input: GetUser_2Input) => Promise<GetUser_2Output>;",
		"n.getUser":    "getUser: (input: GetUser_3Input) => Promise<GetUser_3Output>;",
		"n.get_user":   "get_user: (input: GetUser_4Input) => Promise<GetUser_4Output>;",
		"n.get_user_2": "get_user_2: (input: GetUser_2_2Input) => Promise<GetUser_2_2Output>;",
	}
	for range tools {
		tools = append(tools[1:], tools[0])
		if diff := cmp.Diff(want, signatures(typegen.Generate("n", tools))); diff != "" {
			t.Errorf("signatures (-want +got):\n%s", diff)
		}
	}
}

func TestNamespacesTogether(t *testing.T) {
	list := typegen.Tool{Name: "list", InputSchema: json.RawMessage(`{"type":"array","items":{"$ref":"#"}}`)}
	blocks := typegen.GenerateAll(
		typegen.Namespace{Name: "b", Tools: []typegen.Tool{list}},
		typegen.Namespace{Name: "a", Tools: []typegen.Tool{list, {Name: "list_2"}}},
	)
	want := map[string]string{
		"a.list":   "list: (input: ListInput) => Promise<ListOutput>;",
		"a.list_2": "list_2: (input: List_2Input) => Promise<List_2Output>;",
		"b.list":   "list: (input: List_3Input) => Promise<List_3Output>;",
	}
	if diff := cmp.Diff(want, signatures(blocks...)); diff != "" {
		t.Errorf("signatures (-want +got):\n%s", diff)
	}
	if want := "type List_3Input = List_3Input[]\ntype List_3Output = unknown"; blocks[0].Tools[0].Types != want {
		t.Errorf("types %q, want %q", blocks[0].Tools[0].Types, want)
	}
}

func TestTakenIdentifierIsLeftOutWithAWarning(t *testing.T) {
	block := typegen.Generate("n", []typegen.Tool{
		{Name: "a-b"}, {Name: "a.b"}, {Name: "a b", Identifier: "a_b_2"}, {Name: "天气", Identifier: "天气"}, {Name: "odd", Identifier: "x-y"},
	})
	var identifiers []string
	for _, tool := range block.Tools {
		identifiers = append(identifiers, tool.Identifier)
	}
	if want := []string{"a_b", "a_b_2", "天气", "x-y"}; !slices.Equal(identifiers, want) {
		t.Errorf("identifiers %q, want %q", identifiers, want)
	}
	want := []typegen.Warning{{Tool: "a.b", Path: "name",
		Message: `the identifier "a_b" belongs to tool "a-b" already, so this tool is not declared`}}
	if diff := cmp.Diff(want, block.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if err := checkTypeScript(block.String()); err != nil {
		t.Error(err)
	}
}

func TestNoTools(t *testing.T) {
	if got, want := typegen.Generate("codemode", nil).String(), "declare const codemode: {}"; got != want {
		t.Errorf("block %q, want %q", got, want)
	}
}
