package codetool

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/protocol"
)

// answering is a tool without an output schema that gives each of answers in turn.
func answering(name string, answers ...string) RawTool {
	return RawTool{Name: name, Call: func(context.Context, json.RawMessage) (any, error) {
		answer := answers[0]
		answers = answers[1:]
		return json.RawMessage(answer), nil
	}}
}

func TestShapesOfResults(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []string
		want    string
	}{
		{"an object", []string{`{"id":7,"name":"secret"}`}, `{ id: number; name: string }`},
		{"what is not always there", []string{`{"id":7}`, `{"id":8,"tag":null}`}, `{ id: number; tag?: null }`},
		{"several types", []string{`{"a":1}`, `{"a":"x"}`, `[true]`}, `boolean[] | { a: number | string }`},
		{"items", []string{`[{"a":1},{"b":[2]}]`}, `{ a?: number; b?: number[] }[]`},
		{"names that are data", []string{`{"2024-01-01":{"n":1},"2024-01-02":{"m":2}}`}, `{ [key: string]: { n?: number; m?: number } }`},
		{"addresses are no names", []string{`{"ada@example.com":1}`}, `{ [key: string]: number }`},
		{"a text", []string{`"hello"`}, `string`},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "shapes.json")
			shapes, err := OpenShapes(file)
			if err != nil {
				t.Fatal(err)
			}
			options := &Options{Shapes: shapes, Description: "-"}
			providers := []Provider{{Name: "s", Tools: []RawTool{answering("t", c.answers...)}}}
			tool, _ := newTestTool(t, options, providers, func(call caller) *protocol.ExecuteResult {
				for range c.answers {
					if _, err := call("s", "t", "[]"); err != nil {
						t.Error(err)
					}
				}
				return &protocol.ExecuteResult{}
			})
			if _, err := tool.Call(t.Context(), "1"); err != nil {
				t.Fatal(err)
			}
			kept, err := os.ReadFile(file)
			if err != nil || strings.Contains(string(kept), "secret") || strings.Contains(string(kept), "example.com") || strings.Contains(string(kept), "2024") {
				t.Errorf("kept %s, %v", kept, err)
			}
			again, err := OpenShapes(file)
			if err != nil {
				t.Fatal(err)
			}
			next, _ := newTestTool(t, &Options{Shapes: again, Description: "-"}, providers, ends(protocol.ExecuteResult{}))
			text := next.DeclarationsIn(FormCompact)[0].Text
			if want := "Promise</* observed */ " + c.want + ">;"; !strings.Contains(text, want) {
				t.Errorf("got %s\nwant %s", text, want)
			}
			if full := next.Declarations()[0].Text; !strings.Contains(full, "type TOutput = /* observed */ ") {
				t.Errorf("the full form does not say that it is observed: %s", full)
			}
			changed := []Provider{{Name: "s", Tools: []RawTool{answering("t")}}}
			changed[0].Tools[0].Description = "another version"
			if text := next.With(changed).DeclarationsIn(FormCompact)[0].Text; !strings.Contains(text, "Promise<unknown>") {
				t.Errorf("another version keeps the old shape: %s", text)
			}
		})
	}
}

func TestShapesAreBounded(t *testing.T) {
	shapes, err := OpenShapes("")
	if err != nil {
		t.Fatal(err)
	}
	tool := &boundTool{RawTool: RawTool{Name: "t"}, provider: "s"}
	shapes.learn(tool, json.RawMessage(strings.Repeat(`{"a":`, 200)+"1"+strings.Repeat("}", 200)))
	if schema := string(shapes.schema(tool)); strings.Count(schema, `"a"`) > 2*maxShapeDepth {
		t.Errorf("too deep: %s", schema)
	}
	var wide strings.Builder
	wide.WriteString(`[0`)
	for a := range 20 {
		wide.WriteString(`,{`)
		for b := range 30 {
			if b > 0 {
				wide.WriteByte(',')
			}
			wide.WriteString(`"k` + string(rune('a'+a)) + string(rune('A'+b%26)) + strings.Repeat("x", b/26) + `":{"x":[1]}`)
		}
		wide.WriteString(`}`)
	}
	wide.WriteString(`]`)
	before := string(shapes.schema(tool))
	if shapes.learn(tool, json.RawMessage(wide.String())); string(shapes.schema(tool)) != before {
		t.Error("a shape of too many parts is learned")
	}
}
