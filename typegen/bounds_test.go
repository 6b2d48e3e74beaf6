package typegen_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/typegen"
)

// definitions returns a schema that refers to the first of n definitions.
func definitions(n int, definition func(i int) string) json.RawMessage {
	defs := make([]string, n)
	for i := range defs {
		defs[i] = fmt.Sprintf(`"D%d":%s`, i, definition(i))
	}
	return json.RawMessage(`{"$ref":"#/$defs/D0","$defs":{` + strings.Join(defs, ",") + `}}`)
}

// refs returns n members that refer to definitions, in the given form with @ for the number.
func refs(n int, form string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = strings.ReplaceAll(form, "@", fmt.Sprint(i))
	}
	return strings.Join(all, ",")
}

// TestHostileSchemas prints schemas that would explode if every reference were
// printed in place, or that are simply too large.
func TestHostileSchemas(t *testing.T) {
	for name, schema := range map[string]json.RawMessage{
		"two references a level": definitions(60, func(i int) string {
			return fmt.Sprintf(`{"type":"object","properties":{"l":{"$ref":"#/$defs/D%d"},"r":{"$ref":"#/$defs/D%[1]d"}}}`, min(i+1, 59))
		}),
		"a long chain": definitions(20_000, func(i int) string {
			return fmt.Sprintf(`{"$ref":"#/$defs/D%d"}`, i+1)
		}),
		"everything refers to everything": definitions(60, func(int) string {
			return `{"type":"object","properties":{` + refs(60, `"p@":{"$ref":"#/$defs/D@"}`) + `}}`
		}),
		"unions of everything": definitions(40, func(int) string {
			return `{"anyOf":[` + refs(40, `{"$ref":"#/$defs/D@"}`) + `]}`
		}),
		"intersections that say nothing": definitions(60, func(i int) string {
			return fmt.Sprintf(`{"allOf":[{"$ref":"#/$defs/D%d"},{"$ref":"#/$defs/D%[1]d"}]}`, i+1)
		}),
		"many required names":    json.RawMessage(`{"required":[` + refs(40_000, `"r@"`) + `]}`),
		"a large required type":  json.RawMessage(`{"required":[` + refs(5_000, `"r@"`) + `],"additionalProperties":{"enum":[` + refs(5_000, `"v@"`) + `]}}`),
		"many properties":        json.RawMessage(`{"properties":{` + refs(40_000, `"p@":{}`) + `}}`),
		"nested objects":         json.RawMessage(strings.Repeat(`{"properties":{"a":`, 3_000) + "{}" + strings.Repeat("}}", 3_000)),
		"nested arrays":          json.RawMessage(strings.Repeat(`{"items":`, 9_000) + "{}" + strings.Repeat("}", 9_000)),
		"nested literals":        json.RawMessage(`{"const":` + strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000) + `}`),
		"JSON nested too deeply": json.RawMessage(strings.Repeat("[", 100_000)),
		"too large":              json.RawMessage(`{"description":"` + strings.Repeat("x", 2<<20) + `"}`),
	} {
		block := typegen.GenerateTool("codemode", typegen.Tool{Name: "t", InputSchema: schema})
		text := block.String()
		if err := checkTypeScript(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(text) > 400_000 {
			t.Errorf("%s: a schema of %d bytes prints as %d", name, len(schema), len(text))
		}
		for _, w := range block.Warnings {
			if len(w.Path)+len(w.Message) > 300 {
				t.Errorf("%s: a warning of %d bytes", name, len(w.Path)+len(w.Message))
			}
		}
	}
}

// TestSharedReferencesAreNamedOnce prints a large shared type once.
func TestSharedReferencesAreNamedOnce(t *testing.T) {
	wide := `{"type":"object","properties":{` + refs(500, `"property@":{"type":"string"}`) + `}}`
	schema := json.RawMessage(`{"properties":{` + refs(20, `"p@":{"$ref":"#/$defs/wide"}`) + `},"$defs":{"wide":` + wide + `}}`)
	text := typegen.GenerateTool("codemode", typegen.Tool{Name: "t", InputSchema: schema}).String()
	if n := strings.Count(text, "property499"); n != 1 {
		t.Errorf("the shared type is printed %d times", n)
	}
	if !strings.Contains(text, "\n    p19?: TInputWide;\n") {
		t.Errorf("p19 does not name the shared type:\n%.300s", text)
	}
}
