package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The kinds of schemas that servers seldom have, and generators stumble over.

// sibling is a reference that keywords stand beside: they hold together.
func (w *schemaWriter) sibling(int) written {
	name := fmt.Sprintf("base %d", len(w.definitions))
	w.definitions[name] = map[string]any{"type": "object", "properties": map[string]any{"p": map[string]any{"type": "number"}}, "required": []any{"p"}}
	ref := w.refTo(name)
	return []written{
		{map[string]any{"$ref": ref, "properties": map[string]any{"q": map[string]any{"type": "string"}}, "required": []any{"q"}}, `{ p: 1, q: "x" }`, "{ p: 1 }"},
		{map[string]any{"$ref": ref, "description": nasty, "deprecated": true}, "{ p: 1 }", "{}"},
		{map[string]any{"allOf": []any{map[string]any{"$ref": ref}}, "type": "object", "properties": map[string]any{"q": true}}, "{ p: 1, q: 2 }", `{ p: "x" }`},
		{map[string]any{"anyOf": []any{map[string]any{"$ref": ref}, map[string]any{"type": "null"}}, "default": nil}, "null", `"x"`},
	}[w.random.IntN(4)]
}

// pointer is a reference into a place that is no definition: a property, an item, a branch, an escaped name.
func (w *schemaWriter) pointer(int) written {
	holder := fmt.Sprintf("holder%d", len(w.definitions))
	w.definitions[holder] = map[string]any{"type": "object", "properties": map[string]any{"a/b~ %": map[string]any{"type": "number"}, "list": map[string]any{"type": "array", "items": map[string]any{"type": "boolean"}}},
		"anyOf": []any{map[string]any{}, map[string]any{"type": "string"}}, "patternProperties": map[string]any{"^x": map[string]any{"type": "integer"}}}
	at := "#/" + w.container + "/" + holder
	return []written{
		{map[string]any{"$ref": at + "/properties/a~1b~0%20%25"}, "1", `"x"`},
		{map[string]any{"$ref": at + "/properties/list/items"}, "true", "1"},
		{map[string]any{"$ref": at + "/anyOf/1"}, `"x"`, "1"},
		{map[string]any{"$ref": at + "/patternProperties/%5Ex"}, "1", `"x"`},
		{map[string]any{"$ref": at + "/properties/missing"}, "1", ""},
		{map[string]any{"$ref": at + "/anyOf/01"}, "1", ""},
		{map[string]any{"$ref": ""}, "1", ""},
	}[w.random.IntN(7)]
}

// anchor is a reference by name.
func (w *schemaWriter) anchor(int) written {
	name := fmt.Sprintf("anchored%d", len(w.definitions))
	w.definitions[name] = map[string]any{"$anchor": name, "$dynamicAnchor": name + "d", "$id": "https://example.com/" + name, "type": "string"}
	ref := []map[string]any{{"$ref": "#" + name}, {"$dynamicRef": "#" + name + "d"}, {"$ref": "https://example.com/" + name}}[w.random.IntN(3)]
	return written{ref, `"x"`, "1"}
}

// mutual is two definitions that lead to each other, one of them by way of a union or an intersection.
func (w *schemaWriter) mutual(int) written {
	one, two := fmt.Sprintf("one*/%d", len(w.definitions)), fmt.Sprintf("two %d", len(w.definitions))
	w.definitions[one] = map[string]any{"type": "object", "properties": map[string]any{"two": map[string]any{"$ref": w.refTo(two)}, "n": map[string]any{"type": "number"}}, "required": []any{"n"}}
	w.definitions[two] = []any{
		map[string]any{"anyOf": []any{map[string]any{"$ref": w.refTo(one)}, map[string]any{"type": "null"}, map[string]any{"type": "array", "items": map[string]any{"$ref": w.refTo(two)}}}},
		map[string]any{"allOf": []any{map[string]any{"$ref": w.refTo(one)}, map[string]any{"type": "object", "properties": map[string]any{"more": map[string]any{"$ref": w.refTo(two)}}}}},
	}[w.random.IntN(2)]
	return written{map[string]any{"$ref": w.refTo(one)}, "{ n: 1, two: { n: 2 } }", `{ n: "x" }`}
}

// recursiveTuple is a tuple whose further items are such tuples.
func (w *schemaWriter) recursiveTuple(int) written {
	name := fmt.Sprintf("expr%d", len(w.definitions))
	ref := map[string]any{"$ref": w.refTo(name)}
	tuple := map[string]any{"type": "array", "prefixItems": []any{map[string]any{"const": "+"}}, "items": ref, "minItems": 1}
	if !strings.Contains(w.draft, "2020") {
		tuple = map[string]any{"type": "array", "items": []any{map[string]any{"enum": []any{"+"}}}, "additionalItems": ref, "minItems": 1}
	}
	w.definitions[name] = map[string]any{"anyOf": []any{map[string]any{"type": "number"}, tuple}}
	return written{ref, `["+", 1, ["+", 2]]`, `["-", 1]`}
}

// dependent has keywords that say nothing about types.
func (w *schemaWriter) dependent(int) written {
	return written{map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "string"}, "b": true}, "required": []any{"a"},
		"dependencies": map[string]any{"a": []any{"b"}, "b": map[string]any{"required": []any{"a"}}}, "dependentRequired": map[string]any{nasty: []any{"a"}},
		"dependentSchemas": map[string]any{"b": map[string]any{"properties": map[string]any{"a": map[string]any{"minLength": 2}}}}, "unevaluatedProperties": false},
		`{ a: "xx", b: 1 }`, "{ a: 1 }"}
}

// patterned has named properties beside patterns and further ones.
func (w *schemaWriter) patterned(depth int) written {
	value := w.schema(depth + 1)
	node := map[string]any{"type": "object", "properties": map[string]any{"id": map[string]any{"type": "string"}, "count": map[string]any{"type": "integer"}}, "required": []any{"id"},
		"patternProperties": map[string]any{"^x-": value.schema, nasty: map[string]any{"type": "boolean"}}}
	switch w.random.IntN(3) {
	case 0:
		node["additionalProperties"] = false
	case 1:
		node["additionalProperties"] = map[string]any{"type": "number"}
	}
	return written{node, `{ id: "x", count: 1, "x-a": ` + value.right + ` }`, "{ id: 1 }"}
}

// negated says what a value is not.
func (w *schemaWriter) negated(int) written {
	return []written{
		{map[string]any{"type": "string", "not": map[string]any{"enum": []any{"a", nasty}}}, `"b"`, "1"},
		{map[string]any{"type": "object", "not": map[string]any{"required": []any{"x"}}, "properties": map[string]any{"y": map[string]any{"type": "number"}}}, "{ y: 1 }", `{ y: "x" }`},
		{map[string]any{"type": "array", "contains": map[string]any{"type": "number"}, "items": map[string]any{"type": []any{"number", "string"}}, "minContains": 1}, `["a", 1]`, "[true]"},
	}[w.random.IntN(3)]
}

// several has types in a list beside the keywords of each, and enums beside types.
func (w *schemaWriter) several(depth int) written {
	item := w.schema(depth + 1)
	return []written{
		{map[string]any{"type": []any{"object", "null"}, "properties": map[string]any{"a": map[string]any{"type": "number"}}, "required": []any{"a"}}, "null", "{}"},
		{map[string]any{"type": []any{"array", "string"}, "items": item.schema}, `"x"`, "1"},
		{map[string]any{"type": []any{"array", "null"}, "items": item.schema}, "[" + item.right + "]", "1"},
		{map[string]any{"type": []any{"string", "null"}, "enum": []any{"a", nil}}, "null", `"b"`},
		{map[string]any{"type": "string", "enum": []any{"a"}, "nullable": true}, `"a"`, `"b"`},
		{map[string]any{"type": []any{"integer", "number", "string", "boolean", "null"}, "description": nasty}, "true", "{}"},
		{map[string]any{"type": "any", "anyOf": []any{map[string]any{"type": "string"}}}, `"x"`, "1"},
		{map[string]any{"type": "array", "items": true, "maxItems": 3}, "[1]", "1"},
		{map[string]any{"type": "array"}, "[1]", "1"},
		{map[string]any{"type": "object", "properties": map[string]any{}}, "{}", "1"},
	}[w.random.IntN(10)]
}

// required asks for properties that nobody declares, in branches and beside them.
func (w *schemaWriter) required(int) written {
	name := w.name()
	for name == "constructor" { // to TypeScript every object has one
		name = w.name()
	}
	key, _ := json.Marshal(name)
	other, _ := json.Marshal(name + "!")
	object := map[string]any{"type": "object", "properties": map[string]any{name: map[string]any{"type": "string"}, name + "!": map[string]any{"type": "string"}}}
	return []written{
		{map[string]any{"type": "object", "required": []any{name}}, fmt.Sprintf("{ %s: 1 }", key), "{}"},
		{map[string]any{"allOf": []any{object, map[string]any{"anyOf": []any{map[string]any{"required": []any{name}}, map[string]any{"required": []any{name + "!"}}}}}}, fmt.Sprintf("{ %s: \"x\" }", other), fmt.Sprintf("{ %s: 1 }", key)},
		{map[string]any{"type": "object", "required": []any{name}, "additionalProperties": map[string]any{"type": "number"}}, fmt.Sprintf("{ %s: 1, any: 2 }", key), fmt.Sprintf("{ %s: \"x\" }", key)},
		{map[string]any{"oneOf": []any{map[string]any{"type": "object", "properties": map[string]any{"kind": map[string]any{"const": nasty}, "v": map[string]any{"type": "number"}}, "required": []any{"kind", "v"}},
			map[string]any{"type": "object", "properties": map[string]any{"kind": map[string]any{"const": "b"}}, "required": []any{"kind"}}}}, `{ kind: "b" }`, `{ kind: "c" }`},
	}[w.random.IntN(4)]
}

// refTo is the pointer to a definition.
func (w *schemaWriter) refTo(name string) string {
	return "#/" + w.container + "/" + strings.NewReplacer("~", "~0", "/", "~1", "%", "%25", " ", "%20").Replace(name)
}
