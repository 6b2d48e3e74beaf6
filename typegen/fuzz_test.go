package typegen_test

import (
	"encoding/json"
	"testing"

	"github.com/codemode-go/codemode/typegen"
)

// FuzzGenerate checks that whatever a server sends prints as sound
// declarations, the same twice, within the bounds, and beside a sound tool
// without changing it.
func FuzzGenerate(f *testing.F) {
	for _, file := range goldenFiles(f) {
		for _, tool := range file.printing {
			f.Add(tool.Name, tool.Description, []byte(tool.InputSchema))
		}
	}
	f.Add("a-b", "ends */ here \u2028", []byte(`{"$ref":"#/x"`))
	sound := typegen.Tool{Name: "sound tool", InputSchema: json.RawMessage(`{"type":"object"}`)}
	alone := typegen.GenerateTool("codemode", sound).Tools[0]
	f.Fuzz(func(t *testing.T, name, description string, schema []byte) {
		tools := []typegen.Tool{{Name: name, Description: description, InputSchema: schema, OutputSchema: schema}, sound}
		block := typegen.Generate("codemode", tools)
		text := block.String()
		if again := typegen.Generate("codemode", tools).String(); again != text {
			t.Errorf("two runs differ:\n%s\n%s", text, again)
		}
		if err := checkTypeScript(text); err != nil {
			t.Errorf("%v in\n%s", err, text)
		}
		if limit := 600_000 + 20*len(description) + 3*len(schema); len(text) > limit {
			t.Errorf("%d bytes for a schema of %d", len(text), len(schema))
		}
		if first := block.Tools[0].Identifier; first != alone.Identifier && first != "Sound_tool" && block.Tools[1] != alone {
			t.Errorf("the sound tool prints as %+v", block.Tools[1])
		}
	})
}
