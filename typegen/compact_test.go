package typegen_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/codemode-go/codemode/typegen"
)

// The short form of the captured servers is at most 45 % of what their tools/list answers are, in characters.
func TestCompactIsShort(t *testing.T) {
	raw, short := 0, 0
	for _, s := range servers(t) {
		for _, tool := range s.tools {
			list := map[string]any{"name": tool.Name, "description": tool.Description, "inputSchema": tool.InputSchema}
			if tool.OutputSchema != nil {
				list["outputSchema"] = tool.OutputSchema
			}
			text, err := json.Marshal(list)
			if err != nil {
				t.Fatal(err)
			}
			raw += utf8.RuneCount(text) + 1
		}
		short += utf8.RuneCountInString(typegen.GenerateCompact(typegen.Namespace{Name: "codemode", Tools: s.tools}).String())
	}
	if share := float64(short) / float64(raw); share > 0.45 {
		t.Errorf("%d of %d characters, %.1f %%", short, raw, 100*share)
	} else {
		t.Logf("%d of %d characters, %.1f %%", short, raw, 100*share)
	}
}

// A shared type is called after the property that it stands at: that has to be a name of its own, whatever the property's.
func TestNamesOfSharedTypes(t *testing.T) {
	const shared = `{"type":"object","properties":{"first":{"type":"string","enum":["one","two","three","four","five","six"]},"second":{"type":"object","additionalProperties":{"type":"string"}}},"required":["first"]}`
	for property, want := range map[string]string{"1st": "type Part1st = ", "record": "type Record_2 = ", "promise": "type Promise_2 = ", "42": "type Part42 = ", "paging": "type Paging = "} {
		var tools []typegen.Tool
		for _, name := range []string{"a", "b", "c", "d"} { // each with arguments of its own, but for that property
			schema := `{"type":"object","properties":{"` + property + `":` + shared + `,"only_` + name + `":{"type":"string"}}}`
			tools = append(tools, typegen.Tool{Name: name, InputSchema: []byte(schema)})
		}
		text := typegen.GenerateCompact(typegen.Namespace{Name: "n", Tools: tools}).String()
		if !strings.Contains(text, want) {
			t.Errorf("%s: there is no %q in\n%s", property, want, text)
		}
	}
}

// A shared type is called what the schema calls it.
func TestCompactNamesOfDefinitions(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","$defs":{"postal_address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"},"country":{"type":"string"}},"required":["street","city"]}},
		"properties":{"home":{"$ref":"#/$defs/postal_address"},"work":{"$ref":"#/$defs/postal_address"}}}`)
	got := typegen.GenerateCompact(typegen.Namespace{Name: "n", Tools: []typegen.Tool{{Name: "a", InputSchema: schema}}}).String()
	want := "declare namespace n {\ntype PostalAddress = { street: string; city: string; country?: string };\nfunction a(input?: { home?: PostalAddress; work?: PostalAddress }): Promise<unknown>;\n}"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
