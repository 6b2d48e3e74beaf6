package typegen_test

import (
	"encoding/json"
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
