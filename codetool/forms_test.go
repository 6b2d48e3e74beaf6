package codetool

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/typegen"
)

var update = flag.Bool("update", false, "write the golden descriptions anew")

// captured are providers of what real servers answered to tools/list, and the length of those answers.
func captured(t testing.TB, names ...string) (providers []Provider, raw int) {
	t.Helper()
	dir := "../../shared/mcp-tools"
	if len(names) == 0 {
		files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
		for _, file := range files {
			names = append(names, strings.TrimSuffix(filepath.Base(file), ".json"))
		}
	}
	if _, err := os.Stat(dir); err != nil || len(names) == 0 {
		const why = "../shared/mcp-tools is not there, or empty"
		if os.Getenv("CI") != "" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var list struct {
			Instructions string
			Tools        []struct {
				Name, Title, Description  string
				InputSchema, OutputSchema json.RawMessage
			}
		}
		var answer struct{ Tools json.RawMessage }
		if json.Unmarshal(data, &list) != nil || json.Unmarshal(data, &answer) != nil {
			t.Fatalf("%s is no list", name)
		}
		raw += characters(string(answer.Tools))
		_, short, _ := strings.Cut(name, "__")
		p := Provider{Name: strings.TrimPrefix(short, "server-"), Instructions: list.Instructions}
		if short == "" {
			p.Name = name
		}
		for _, tool := range list.Tools {
			p.Tools = append(p.Tools, RawTool{
				Name: tool.Name, Title: tool.Title, Description: tool.Description,
				InputSchema: tool.InputSchema, OutputSchema: tool.OutputSchema,
				Call: func(context.Context, json.RawMessage) (any, error) { return nil, nil },
			})
		}
		providers = append(providers, p)
	}
	return providers, raw
}

// What the model is shown of all captured servers is a fraction of what they list.
func TestFormsAreShort(t *testing.T) {
	providers, raw := captured(t)
	for _, c := range []struct {
		form Form
		most float64
	}{{FormCompact, 0.45}, {FormIndex, 0.06}} {
		chars := 0
		for _, d := range Declare(providers, c.form) {
			chars += characters(d.Text) + 1
		}
		if share := float64(chars) / float64(raw); share > c.most {
			t.Errorf("%s: %.1f %% of tools/list, more than %.0f %%", c.form, 100*share, 100*c.most)
		}
	}
}

func TestGoldenDescriptions(t *testing.T) {
	providers, _ := captured(t, "modelcontextprotocol__server-everything", "modelcontextprotocol__server-filesystem",
		"modelcontextprotocol__server-github", "modelcontextprotocol__server-memory")
	tool, _ := newTestTool(t, &Options{Search: true}, providers, ends(protocol.ExecuteResult{}))
	for _, budget := range []int{CompactHead, 8000, 24_000} {
		got := tool.DescriptionWithin(budget)
		if n := characters(got); n > budget {
			t.Errorf("budget %d: %d characters", budget, n)
		}
		file := filepath.Join("testdata", "description", strconv.Itoa(budget)+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(got+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.TrimSuffix(string(want), "\n"), got); diff != "" {
			t.Errorf("budget %d (-want +got):\n%s", budget, diff)
		}
	}
}

func TestForms(t *testing.T) {
	providers := []Provider{{Name: "a", Instructions: "# Title\n\nMoves **boxes** about. More.", Tools: manyTools(2)}}
	describe := func(o Options) string {
		tool, _ := newTestTool(t, &o, providers, ends(protocol.ExecuteResult{}))
		return tool.Description()
	}
	full, compact := describe(Options{}), describe(Options{Form: FormCompact})
	for _, c := range []struct {
		name    string
		options Options
		want    string
	}{
		{"full, whatever the budget", Options{Form: FormFull, DescriptionBudget: 10}, full},
		{"auto, with room", Options{Form: FormAuto, DescriptionBudget: characters(full)}, full},
		{"compact, with room", Options{Form: FormCompact, DescriptionBudget: characters(compact)}, compact},
		{"the server's template", Options{Form: FormCompact, Description: ServerDescription}, compact},
		{"a preamble", Options{Form: FormCompact, Description: "House rules.\n\n" + ServerDescription}, "House rules.\n\n" + compact},
	} {
		if diff := cmp.Diff(c.want, describe(c.options)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	for _, want := range []string{
		"async () => {", "codemode.search(", `codemode.describe("a.tool_00")`, "\na — Moves boxes about. More: tool_00({ id? }), tool_01({ id? })\n",
		"\n\ndeclare namespace a {\n/** Does thing 0. */\nfunction tool_00(input?: { id?: string }): Promise<unknown>;\n",
	} {
		if !strings.Contains(compact, want) {
			t.Errorf("%q is missing in\n%s", want, compact)
		}
	}
	around := describe(Options{Form: FormCompact, DescriptionBudget: 900, Description: "Mine: {{types}} {{types}} $&"})
	if !strings.HasPrefix(around, "Mine: 2 functions.") || !strings.HasSuffix(around, "{{types}} $&") || characters(around) > 900 {
		t.Errorf("a template stays around: %s", around)
	}
}

// With keeps what is known about namespaces that did not change.
func TestWithTouchesOnlyWhatChanged(t *testing.T) {
	providers := []Provider{{Name: "a", Tools: manyTools(3)}, {Name: "b", Tools: manyTools(3)}}
	first, _ := newTestTool(t, nil, providers, ends(protocol.ExecuteResult{}))
	providers[1].Tools = manyTools(4)
	second := first.With(providers)
	if first.namespaces[0].tools[0].validator != second.namespaces[0].tools[0].validator {
		t.Error("the schemas of a are compiled again")
	}
	if first.namespaces[1].tools[0].validator == second.namespaces[1].tools[0].validator {
		t.Error("those of b are not")
	}
}

// printedOf is what a namespace was printed as last.
func printedOf(tool *Tool, identifier string) *typegen.Block {
	at := slices.IndexFunc(tool.namespaces, func(ns *namespace) bool { return ns.identifier == identifier })
	return tool.namespaces[at].full.Load()
}

// The full declarations of a server that stays are not printed again, unless others have taken names of its types; either way
// the text is what it would be without a history.
func TestDeclarationsOfWhatStaysAreKept(t *testing.T) {
	recursive := RawTool{Name: "tree", InputSchema: json.RawMessage(`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/n"}}}}}}`)}
	recursive.Call = func(context.Context, json.RawMessage) (any, error) { return nil, nil }
	stays := Provider{Name: "stays", Tools: append(manyTools(3), recursive)}
	other := echoTools("one")
	tool, _ := newTestTool(t, nil, []Provider{stays, {Name: "other", Tools: other}}, ends(protocol.ExecuteResult{}))
	for _, c := range []struct {
		others []RawTool
		kept   bool
	}{{echoTools("one", "two"), true}, {echoTools("two"), true}, {append(manyTools(3), recursive), false}, {nil, false}, {echoTools("one"), true}} {
		tool.Declarations()
		before := printedOf(tool, "stays")
		providers := []Provider{{Name: "other", Tools: c.others}, stays}
		tool = tool.With(providers)
		got := tool.Declarations()
		fresh, _ := newTestTool(t, nil, providers, ends(protocol.ExecuteResult{}))
		if diff := cmp.Diff(fresh.Declarations(), got); diff != "" {
			t.Errorf("with a history: (-fresh +got)\n%s", diff)
		}
		now := printedOf(tool, "stays")
		if kept := unsafe.StringData(before.Tools[0].Comment) == unsafe.StringData(now.Tools[0].Comment); kept != c.kept {
			t.Errorf("with %d others the declarations were kept: %t", len(c.others), kept)
		}
	}
}

// A namespace without functions has no line that says nothing.
func TestCompactSaysWhyThereIsNothing(t *testing.T) {
	tool, _ := newTestTool(t, &Options{Form: FormCompact}, []Provider{
		{Name: "ready", Tools: manyTools(2)}, {Name: "slow", Note: "slow is starting"}, {Name: "bare"},
	}, ends(protocol.ExecuteResult{}))
	text := tool.Description()
	for _, want := range []string{"// slow is starting\n", "\nbare: no functions"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "slow:") || strings.Contains(text, ": \n") || strings.Contains(text, ":\n\n") {
		t.Errorf("a line says nothing:\n%s", text)
	}
	if text = tool.DescriptionWithin(700); !strings.Contains(text, "slow") {
		t.Errorf("slow is gone:\n%s", text)
	}
}
