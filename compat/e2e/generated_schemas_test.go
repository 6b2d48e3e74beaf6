package e2e

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/codetool"
)

// How many schemas are put together, and by which seed; another seed tries others.
var (
	schemaCount = flag.Int("schemas", 2400, "how many schemas TestDeclarationsOfGeneratedSchemas puts together")
	schemaSeed  = flag.Uint64("schema-seed", 11, "what they are put together by")
)

// TestDeclarationsOfGeneratedSchemas covers schemas that nobody has written yet: put together at random from every keyword
// and every nastiness, each with a value that it allows and one that it does not. The compiler has to take the
// declarations, in each form, take the one value and refuse the other.
func TestDeclarationsOfGeneratedSchemas(t *testing.T) {
	needNode(t)
	random := rand.New(rand.NewPCG(2026, *schemaSeed))
	call := func(context.Context, json.RawMessage) (any, error) { return nil, nil }
	var tools []codetool.RawTool
	var samples strings.Builder
	wrong := 0
	for i := range *schemaCount {
		w := newSchemaWriter(random)
		s := w.schema(0)
		name := w.name()
		document := map[string]any{"type": "object", "properties": map[string]any{name: s.schema}, "required": []string{name}, w.container: w.definitions}
		w.dress(document)
		raw, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		tool := fmt.Sprintf("t%d", i)
		tools = append(tools, codetool.RawTool{Name: tool, Description: nasty, InputSchema: raw, OutputSchema: raw, Call: call})
		key, _ := json.Marshal(name)
		fmt.Fprintf(&samples, "void codemode.%s({ %s: %s });\n", tool, key, s.right)
		if s.wrong != "" {
			fmt.Fprintf(&samples, "// @ts-expect-error\nvoid codemode.%s({ %s: %s });\n", tool, key, s.wrong)
			wrong++
		}
	}
	if wrong < *schemaCount/2 {
		t.Errorf("only %d wrong samples", wrong)
	}
	dir := t.TempDir()
	var files []string
	for _, form := range []codetool.Form{codetool.FormFull, codetool.FormCompact} {
		file := filepath.Join(dir, string(form)+".ts")
		blocks := codetool.Declare([]codetool.Provider{{Name: "codemode", Tools: tools}}, form)
		if err := os.WriteFile(file, []byte(blocks[0].Text+"\n"+samples.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	compileStrictly(t, files)
}

// compileStrictly has both compilers take files, in strict mode.
func compileStrictly(t *testing.T, files []string) {
	t.Helper()
	for _, compiler := range []string{"tsgo", "tsc"} {
		args := []string{"node_modules/.bin/" + compiler, "--strict", "--noEmit", "--skipLibCheck", "--target", "es2022", "--moduleDetection", "force"}
		out, err := exec.Command("node", append(args, files...)...).CombinedOutput()
		if err == nil {
			continue
		}
		t.Errorf("%s --strict: %v\n%.3000s", compiler, err, out)
		for _, place := range strings.SplitN(string(out), "\n", 4)[:min(3, strings.Count(string(out), "\n"))] {
			t.Log(linesAt(place))
		}
		return // the other would say the same
	}
}

// linesAt shows what stands where a complaint of the compiler points.
func linesAt(complaint string) string {
	file, rest, _ := strings.Cut(complaint, "(")
	var line int
	_, _ = fmt.Sscanf(rest, "%d", &line)
	text, err := os.ReadFile(file)
	if err != nil {
		return complaint
	}
	lines := strings.Split(string(text), "\n")
	return strings.Join(lines[max(0, line-2):min(len(lines), line+1)], "\n")
}

// nasty is text that may stand wherever a schema has words.
const nasty = "ends */ export const evil = 1; /* \u2028 ``` ${x} @param \\ \" \n// <script>"

// written is a schema, and TypeScript of a value that it allows and of one that it does not; the latter is empty where
// everything is allowed.
type written struct {
	schema       any
	right, wrong string
}

// schemaWriter writes schemas of all kinds, in the spelling of one draft.
type schemaWriter struct {
	random      *rand.Rand
	definitions map[string]any
	container   string // definitions, or $defs
	draft       string // what $schema says
}

func newSchemaWriter(random *rand.Rand) *schemaWriter {
	drafts := []string{"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-07/schema#",
		"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema"}
	w := &schemaWriter{random: random, definitions: map[string]any{}, container: "definitions", draft: drafts[random.IntN(len(drafts))]}
	if strings.Contains(w.draft, "20") {
		w.container = "$defs"
	}
	return w
}

// isOld reports whether the draft is the fourth: bounds that exclude are truth values, and a schema has an id.
func (w *schemaWriter) isOld() bool { return strings.Contains(w.draft, "draft-04") }

// dress adds to a document what changes nothing of its values.
func (w *schemaWriter) dress(document map[string]any) {
	if w.random.IntN(2) == 0 {
		document["$schema"] = w.draft
	}
	switch w.random.IntN(5) {
	case 0:
		document["description"], document["additionalProperties"] = nasty, false
	case 1:
		id := "$id"
		if w.isOld() {
			id = "id"
		}
		document[id] = "https://example.com/" + nasty
	case 2:
		document["$comment"], document["examples"], document["x-"+nasty] = nasty, []any{nasty, nil}, nasty
	case 3:
		document["minProperties"], document["maxProperties"], document["unevaluatedProperties"] = 1, 100, true
	}
}

func (w *schemaWriter) name() string {
	names := []string{"a", "a-b", "class", "__proto__x", "constructor", "with space", "quote\"", "back\\slash", "*/", "天气", "1st", "record", "promise", "string", "42", "$ref", "line\u2028end", "", "a.b", "a/b~c"}
	return names[w.random.IntN(len(names))]
}

func (w *schemaWriter) schema(depth int) written {
	kinds := []func(int) written{w.scalar, w.scalar, w.enum, w.constant, w.nullable, w.anything}
	if depth < 4 {
		kinds = append(kinds, w.array, w.tuple, w.object, w.object, w.union, w.intersection, w.reference, w.recursion, w.conditional, w.open,
			w.sibling, w.pointer, w.anchor, w.mutual, w.recursiveTuple, w.dependent, w.patterned, w.negated, w.several, w.required)
	}
	s := kinds[w.random.IntN(len(kinds))](depth)
	if node, ok := s.schema.(map[string]any); ok && node["$ref"] == nil && w.random.IntN(3) == 0 {
		node["description"], node["title"], node["default"], node["deprecated"] = nasty, nasty, nasty, true
	}
	return s
}

func (w *schemaWriter) scalar(int) written {
	above, below := map[string]any{"type": "integer", "minimum": -1e300}, map[string]any{"type": "number", "exclusiveMaximum": 1e21}
	if w.isOld() {
		above, below = map[string]any{"type": "integer", "minimum": 0, "exclusiveMinimum": true}, map[string]any{"type": "number", "maximum": 5, "exclusiveMaximum": false, "divisibleBy": 0.5}
	}
	return []written{
		{map[string]any{"type": "string", "format": nasty, "pattern": nasty, "minLength": 0}, `"x"`, "1"},
		{above, "1", `"x"`},
		{below, "1.5", "true"},
		{map[string]any{"type": "boolean"}, "true", `"true"`},
		{map[string]any{"type": "null"}, "null", "1"},
		{map[string]any{"type": []any{"string", "integer"}}, "1", "true"},
	}[w.random.IntN(6)]
}

func (w *schemaWriter) enum(int) written {
	return []written{
		{map[string]any{"enum": []any{"a", "b*/", 1, nil, true, "\u2028"}}, `"b*/"`, `"c"`},
		{map[string]any{"type": "string", "enum": []any{nasty, "x"}}, `"x"`, `"y"`},
		{map[string]any{"enum": []any{map[string]any{"a": 1}, []any{1, "x"}}}, `{ a: 1 }`, "true"},
	}[w.random.IntN(3)]
}

func (w *schemaWriter) constant(int) written {
	return []written{
		{map[string]any{"const": nasty}, fmt.Sprintf("%q", nasty), `"x"`},
		{map[string]any{"const": -0.5}, "-0.5", "1"},
		{map[string]any{"const": nil}, "null", "0"},
	}[w.random.IntN(3)]
}

func (w *schemaWriter) nullable(int) written {
	return []written{
		{map[string]any{"type": "string", "nullable": true}, "null", "1"},
		{map[string]any{"type": []any{"string", "null"}}, "null", "1"},
		{map[string]any{"anyOf": []any{map[string]any{"type": "number"}, map[string]any{"type": "null"}}}, "null", `"x"`},
	}[w.random.IntN(3)]
}

func (w *schemaWriter) anything(int) written {
	return []written{
		{map[string]any{}, "1", ""}, {true, `"x"`, ""}, {map[string]any{"type": "any"}, "null", ""},
		{map[string]any{"$ref": "#/$defs/none"}, "1", ""}, {map[string]any{"$ref": "other.json#/x"}, "1", ""},
		{map[string]any{"not": map[string]any{"type": "string"}}, "1", ""},
	}[w.random.IntN(6)]
}

func (w *schemaWriter) array(depth int) written {
	item := w.schema(depth + 1)
	s := written{map[string]any{"type": "array", "items": item.schema, "uniqueItems": true, "minItems": 0}, "[" + item.right + ", " + item.right + "]", "7"}
	if item.wrong != "" && w.random.IntN(2) == 0 {
		s.wrong = "[" + item.wrong + "]"
	}
	return s
}

func (w *schemaWriter) tuple(depth int) written {
	first, second := w.schema(depth+1), w.schema(depth+1)
	s := written{map[string]any{"type": "array", "prefixItems": []any{first.schema, second.schema}, "items": false, "minItems": 2},
		"[" + first.right + ", " + second.right + "]", "7"}
	if w.random.IntN(2) == 0 {
		s.schema = map[string]any{"type": "array", "items": []any{first.schema, second.schema}, "additionalItems": false, "minItems": 2}
	}
	return s
}

func (w *schemaWriter) object(depth int) written {
	one, two := w.schema(depth+1), w.schema(depth+1)
	name, other := w.name(), w.name()+"2"
	key, _ := json.Marshal(name)
	second, _ := json.Marshal(other)
	node := map[string]any{"type": "object", "properties": map[string]any{name: one.schema, other: two.schema}, "required": []any{name}}
	if w.random.IntN(2) == 0 {
		node["additionalProperties"] = false
	}
	s := written{node, fmt.Sprintf("{ %s: %s, %s: %s }", key, one.right, second, two.right), "{}"}
	switch {
	case one.wrong != "" && w.random.IntN(2) == 0:
		s.wrong = fmt.Sprintf("{ %s: %s }", key, one.wrong)
	case name == "constructor": // to TypeScript every value has one but null and undefined
		s.wrong = "null"
	}
	return s
}

// open is an object with properties that no one names.
func (w *schemaWriter) open(depth int) written {
	value := w.schema(depth + 1)
	named := written{map[string]any{"type": "string"}, `"x"`, "1"}
	return []written{
		{map[string]any{"type": "object", "additionalProperties": value.schema}, "{ any: " + value.right + " }", "7"},
		{map[string]any{"type": "object", "patternProperties": map[string]any{"^x*/": value.schema}, "additionalProperties": false}, "{}", "7"},
		{map[string]any{"type": "object", "properties": map[string]any{"id": named.schema}, "required": []any{"id"}, "additionalProperties": value.schema}, "{ id: \"x\" }", "{ id: 1 }"},
		{map[string]any{"type": "object", "propertyNames": map[string]any{"pattern": nasty}}, "{ x: 1 }", "7"},
	}[w.random.IntN(4)]
}

func (w *schemaWriter) union(depth int) written {
	a, b := w.schema(depth+1), w.schema(depth+1)
	s := written{map[string]any{[]string{"anyOf", "oneOf"}[w.random.IntN(2)]: []any{a.schema, b.schema}}, a.right, ""}
	if a.wrong != "" && b.wrong != "" {
		s.wrong = "Symbol()"
	}
	if w.random.IntN(2) == 0 {
		s.right = b.right
	}
	return s
}

func (w *schemaWriter) intersection(depth int) written {
	a := w.schema(depth + 1)
	closed := map[string]any{"type": "object", "properties": map[string]any{"p": map[string]any{"type": "number"}}, "required": []any{"p"}}
	return []written{
		{map[string]any{"allOf": []any{closed, map[string]any{"type": "object", "properties": map[string]any{"q": a.schema}}}}, "{ p: 1, q: " + a.right + " }", "{ p: \"x\" }"},
		{map[string]any{"type": "object", "properties": map[string]any{"q": a.schema}, "anyOf": []any{closed, map[string]any{"required": []any{"q"}}}}, "{ p: 1, q: " + a.right + " }", "7"},
		{map[string]any{"allOf": []any{a.schema}}, a.right, a.wrong},
	}[w.random.IntN(3)]
}

// reference puts a schema under a name that its pointer has to escape.
func (w *schemaWriter) reference(depth int) written {
	s := w.schema(depth + 1)
	name := fmt.Sprintf("My P/%d~%%*/", len(w.definitions))
	w.definitions[name] = s.schema
	return written{map[string]any{"$ref": w.refTo(name), "description": nasty}, s.right, s.wrong}
}

func (w *schemaWriter) recursion(depth int) written {
	name := fmt.Sprintf("node %d", len(w.definitions))
	ref := map[string]any{"$ref": w.refTo(name)}
	w.definitions[name] = map[string]any{} // the name is taken before the value below takes one
	value := w.schema(depth + 1)
	w.definitions[name] = map[string]any{"type": "object", "required": []any{"v"},
		"properties": map[string]any{"v": value.schema, "kids": map[string]any{"type": "array", "items": ref}, "next": map[string]any{"anyOf": []any{ref, map[string]any{"type": "null"}}}}}
	return written{ref, fmt.Sprintf("{ v: %s, kids: [{ v: %s }], next: null }", value.right, value.right), "{ kids: [] }"}
}

func (w *schemaWriter) conditional(int) written {
	return written{map[string]any{"type": "object", "properties": map[string]any{"kind": map[string]any{"enum": []any{"a", "b"}}, "x": true}, "required": []any{"kind"},
		"if": map[string]any{"properties": map[string]any{"kind": map[string]any{"const": "a"}}}, "then": map[string]any{"required": []any{"x"}}, "else": map[string]any{"properties": map[string]any{"y": true}}},
		`{ kind: "a", x: 1 }`, `{ kind: "c" }`}
}
