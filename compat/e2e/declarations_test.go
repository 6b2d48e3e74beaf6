package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/dialect"
)

// TestDeclarationsOfRealServers gives the TypeScript compiler, in strict mode, both forms of the declarations of every
// captured server, and with them, for every tool, arguments that its schema allows and arguments that it does not. What
// the model is shown has to be TypeScript, and the compiler has to agree about the arguments.
func TestDeclarationsOfRealServers(t *testing.T) {
	needNode(t)
	lists, _ := filepath.Glob("../../../shared/mcp-tools/*.json")
	if len(lists) == 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("../shared/mcp-tools is not there")
		}
		t.Skip("../shared/mcp-tools is not there")
	}
	dir := t.TempDir()
	var files []string
	wrong, right := 0, 0
	for _, list := range lists {
		for _, form := range []string{"full", "compact"} {
			block, err := exec.Command(codemode, "types", "--form", form, list).Output()
			if err != nil {
				t.Fatalf("%s: %v", list, err)
			}
			var b bytes.Buffer
			b.Write(block)
			b.WriteString("\n")
			r, w := writeSamples(t, &b, list)
			right, wrong = right+r, wrong+w
			file := filepath.Join(dir, strings.TrimSuffix(filepath.Base(list), ".json")+"."+form+".ts")
			if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
	}
	compileStrictly(t, files)
	if right < 2*1500 || wrong < 2*6000 {
		t.Errorf("only %d right and %d wrong samples", right, wrong)
	}
}

// writeSamples writes calls of every tool: one that the schema allows, and those that it does not, which have to be errors.
func writeSamples(t *testing.T, b *bytes.Buffer, list string) (right, wrong int) {
	var answer struct {
		Tools []struct {
			Name        string
			InputSchema map[string]any
		}
	}
	data, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		t.Fatal(err)
	}
	for _, tool := range answer.Tools {
		call := dialect.SanitizeToolName(tool.Name)
		s := sampler{root: tool.InputSchema}
		fmt.Fprintf(b, "void codemode.%s(%s);\n", call, s.text(s.value(tool.InputSchema, 0)))
		right++
		spoilt := s.spoilt()
		if len(spoilt) == 0 {
			t.Errorf("%s: no argument of %s would be wrong", list, tool.Name)
		}
		for _, bad := range spoilt {
			fmt.Fprintf(b, "// @ts-expect-error\nvoid codemode.%s(%s);\n", call, bad)
			wrong++
		}
	}
	return right, wrong
}

// sampler makes values that a schema allows.
type sampler struct{ root map[string]any }

func (s *sampler) text(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// value is one that schema allows, with every property there is near the top.
func (s *sampler) value(schema any, depth int) any {
	node, ok := schema.(map[string]any)
	if !ok || depth > 12 {
		return nil
	}
	if value, ok := node["const"]; ok {
		return value
	}
	if values, ok := node["enum"].([]any); ok && len(values) > 0 {
		return values[0]
	}
	if target := s.follow(node); target != nil {
		return s.value(target, depth+1)
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		branches, _ := node[key].([]any)
		if len(branches) == 0 {
			continue
		}
		if own := s.typed(node, depth); own != nil {
			return s.merged(own, branches, key, depth)
		}
		return s.value(branches[0], depth+1)
	}
	return s.typed(node, depth)
}

// merged adds to an object what its combinators ask for.
func (s *sampler) merged(own any, branches []any, key string, depth int) any {
	object, ok := own.(map[string]any)
	if !ok {
		return own
	}
	if key != "allOf" {
		branches = branches[:1]
	}
	for _, branch := range branches {
		if more, ok := s.value(branch, depth+1).(map[string]any); ok {
			for name, value := range more {
				object[name] = value
			}
		}
		required, _ := branch.(map[string]any)["required"].([]any)
		for _, name := range required {
			if _, has := object[name.(string)]; !has {
				object[name.(string)] = "x"
			}
		}
	}
	return object
}

func (s *sampler) typed(node map[string]any, depth int) any {
	kind, _ := node["type"].(string)
	if kinds, ok := node["type"].([]any); ok && len(kinds) > 0 {
		kind, _ = kinds[0].(string)
	}
	switch {
	case kind == "object" || kind == "" && node["properties"] != nil:
		return s.object(node, depth)
	case kind == "array":
		return s.array(node, depth)
	case kind == "string":
		return "x"
	case kind == "number", kind == "integer":
		return 1
	case kind == "boolean":
		return true
	}
	return nil
}

func (s *sampler) object(node map[string]any, depth int) any {
	object := map[string]any{}
	properties, _ := node["properties"].(map[string]any)
	required, _ := node["required"].([]any)
	for name, schema := range properties {
		if depth < 3 || slices.Contains(required, any(name)) {
			if schema != false {
				object[name] = s.value(schema, depth+1)
			}
		}
	}
	additional, _ := node["additionalProperties"].(map[string]any)
	for _, name := range required {
		if _, has := object[name.(string)]; !has {
			object[name.(string)] = s.value(additional, depth+1)
		}
	}
	return object
}

func (s *sampler) array(node map[string]any, depth int) any {
	tuple, _ := node["prefixItems"].([]any)
	if list, ok := node["items"].([]any); ok {
		tuple = list
	}
	items := []any{}
	for _, schema := range tuple {
		items = append(items, s.value(schema, depth+1))
	}
	if item, ok := node["items"].(map[string]any); ok && len(tuple) == 0 && depth < 6 {
		items = append(items, s.value(item, depth+1))
	}
	return items
}

// follow resolves a $ref of the document.
func (s *sampler) follow(node map[string]any) any {
	ref, ok := node["$ref"].(string)
	if !ok {
		return nil
	}
	var at any = s.root
	for _, step := range strings.Split(strings.TrimPrefix(ref, "#"), "/")[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch value := at.(type) {
		case map[string]any:
			at = value[step]
		case []any:
			i := 0
			_, _ = fmt.Sscan(step, &i)
			at = value[i]
		}
	}
	return at
}

// spoilt are arguments that the schema does not allow, as TypeScript: null in place of the object; something else in place of
// each property whose type or values are known; each required property left out.
func (s *sampler) spoilt() []string {
	properties, _ := s.root["properties"].(map[string]any)
	value, ok := s.value(s.root, 0).(map[string]any)
	if !ok || s.root["type"] != "object" {
		return nil
	}
	bad := []string{"null"}
	if s.root["anyOf"] != nil || s.root["oneOf"] != nil || s.root["allOf"] != nil {
		return bad
	}
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	required, _ := s.root["required"].([]any)
	for _, name := range names {
		if wrong := notOf(properties[name]); wrong != "" {
			bad = append(bad, "{..."+s.text(value)+" as const, "+s.text(name)+": "+wrong+"}")
		}
		if slices.Contains(required, any(name)) {
			without := map[string]any{}
			for other, v := range value {
				if other != name {
					without[other] = v
				}
			}
			bad = append(bad, s.text(without))
		}
	}
	return bad
}

// notOf is something that a property's schema does not allow; empty when that is not plain to see.
func notOf(schema any) string {
	node, _ := schema.(map[string]any)
	if node["enum"] != nil || node["const"] != nil {
		return "Symbol()"
	}
	switch node["type"] {
	case "object": // a symbol has all the properties that an empty type asks for
		return "null"
	case "string", "number", "integer", "boolean", "array", "null":
		return "Symbol()"
	}
	return ""
}
