package openapi

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// direction is which way a value goes: read-only members are not sent, write-only ones not received.
type direction int

const (
	sent direction = iota
	received
)

const (
	// maxNodes bounds one named type: aliases of YAML can stand for any number of values.
	maxNodes = 50_000
	// maxDepth bounds how deep one schema nests without a reference.
	maxDepth = 100
)

// converter makes the JSON Schema (draft 2020-12) of one schema of a document. References become ones to $defs.
type converter struct {
	shapes *shapes
	way    direction
	left   int // of maxNodes
	refs   []*place
}

// object is a JSON object that is being made, its values already JSON.
type object []jsonMember

type jsonMember struct {
	key  string
	json string
}

func (o object) has(key string) bool {
	return slices.ContainsFunc(o, func(m jsonMember) bool { return m.key == key })
}

func (o *object) set(key, json string) {
	for i := range *o {
		if (*o)[i].key == key {
			(*o)[i].json = json
			return
		}
	}
	*o = append(*o, jsonMember{key, json})
}

// objectMaker makes an object of as many members as a document likes; the last of several of one key counts.
type objectMaker struct {
	made object
	at   map[string]int // where each key is
}

func (o *objectMaker) set(key, json string) {
	if i, known := o.at[key]; known {
		o.made[i].json = json
		return
	}
	if o.at == nil {
		o.at = map[string]int{}
	}
	o.at[key] = len(o.made)
	o.made = append(o.made, jsonMember{key, json})
}

func (o *objectMaker) has(key string) bool {
	_, known := o.at[key]
	return known
}

func (o object) value(key string) string {
	for _, m := range o {
		if m.key == key {
			return m.json
		}
	}
	return ""
}

func (o object) without(keys ...string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m jsonMember) bool { return slices.Contains(keys, m.key) })
}

func (o object) String() string {
	size := 2
	for _, m := range o {
		size += len(m.key) + len(m.json) + 4
	}
	out := append(make([]byte, 0, size), '{')
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(appendQuoted(out, m.key), ':'), m.json...)
	}
	return string(append(out, '}'))
}

func list(items []string) string { return "[" + strings.Join(items, ",") + "]" }

// dropped says nothing that a JSON Schema could, or would change what references mean.
func dropped(key string) bool {
	switch key {
	case "nullable", "discriminator", "xml", "externalDocs", "example", "readOnly", "writeOnly",
		"$id", "id", "$schema", "$anchor", "$dynamicAnchor", "$dynamicRef", "$comment", "$vocabulary", "$defs", "definitions":
		return true
	}
	return strings.HasPrefix(key, "x-")
}

// schema converts one schema. What is none is one of anything.
func (c *converter) schema(p *place, depth int) string {
	if c.left--; c.left < 0 || depth > maxDepth {
		return "{}"
	}
	if p != nil && p.node.ShortTag() == "!!bool" {
		return strings.ToLower(p.node.Value)
	}
	if !p.isObject() {
		return "{}"
	}
	var said objectMaker
	for _, m := range p.members() {
		if !dropped(m.key) {
			if json := c.keyword(p, m, depth+1); json != "" {
				said.set(m.key, json)
			}
		}
	}
	out := said.made
	if example := p.get("example"); example != nil && example.node.Kind == yaml.ScalarNode && !out.has("examples") {
		out.set("examples", list([]string{c.raw(example)}))
	}
	c.bounds(p, &out)
	c.branches(p, &out, depth)
	if p.flag("nullable", false) {
		out = nullable(p, out)
	}
	return out.String()
}

// keyword converts one member of a schema; empty leaves it out.
func (c *converter) keyword(schema, m *place, depth int) string {
	switch m.key {
	case "$ref":
		return c.reference(m)
	case "properties", "patternProperties", "dependentSchemas":
		var out objectMaker
		for _, property := range m.members() {
			if m.key != "properties" || !c.hidden(property) {
				out.set(property.key, c.schema(property, depth))
			}
		}
		return out.made.String()
	case "required":
		return c.required(schema, m)
	case "items":
		if m.node.Kind == yaml.SequenceNode {
			return c.schemas(m, depth)
		}
		return c.schema(m, depth)
	case "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else",
		"unevaluatedItems", "unevaluatedProperties", "additionalItems", "contentSchema":
		return c.schema(m, depth)
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if len(m.items()) == 0 {
			return ""
		}
		return c.schemas(m, depth)
	}
	return c.raw(m)
}

func (c *converter) raw(p *place) string { return string(appendJSON(nil, p.node, &c.left)) }

func (c *converter) schemas(p *place, depth int) string {
	var out []string
	for _, item := range p.items() {
		out = append(out, c.schema(item, depth))
	}
	return list(out)
}

// reference is one to $defs. What leads nowhere can be anything: the API knows better than its document.
func (c *converter) reference(ref *place) string {
	to, err := c.follow(ref)
	if err != nil {
		c.shapes.log.Warn("a type of the document is unknown", "error", ref.fail("%v", err))
		return ""
	}
	c.refs = append(c.refs, to)
	return quoted("#/$defs/" + escapePointer(c.shapes.name(to)))
}

func (c *converter) follow(ref *place) (*place, error) {
	if ref.node.Kind != yaml.ScalarNode {
		return nil, fmt.Errorf("is no reference")
	}
	return ref.file.lookup(ref.node.Value)
}

// hidden reports whether a property does not go this way.
func (c *converter) hidden(property *place) bool {
	return c.way == sent && property.flag("readOnly", false) || c.way == received && property.flag("writeOnly", false)
}

// required leaves out what does not go this way.
func (c *converter) required(schema, m *place) string {
	var names []string
	properties := schema.get("properties").byKey()
	for _, item := range m.items() {
		if name := textOf(item); !c.hidden(properties[name]) {
			names = append(names, quoted(name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return list(names)
}

// bounds makes the exclusive bounds of OpenAPI 3.0, which are true or false, those of JSON Schema.
func (c *converter) bounds(p *place, out *object) {
	for _, m := range [][2]string{{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"}} {
		exclusive, bound := m[0], m[1]
		v := p.get(exclusive)
		if v == nil || v.node.ShortTag() != "!!bool" {
			continue
		}
		limit := out.value(bound)
		*out = out.without(exclusive)
		if p.flag(exclusive, false) && limit != "" {
			*out = out.without(bound)
			out.set(exclusive, limit)
		}
	}
}

// branches makes a oneOf that is sent an anyOf, since the branches of documents are often not exclusive, and the API
// decides; and tells the branches of a discriminator apart by its values.
func (c *converter) branches(p *place, out *object, depth int) {
	for _, key := range []string{"oneOf", "anyOf"} {
		branches := p.get(key).items()
		if len(branches) == 0 {
			continue
		}
		json := out.value(key)
		if property := p.get("discriminator").text("propertyName"); property != "" {
			var told []string
			for _, branch := range branches {
				told = append(told, c.discriminated(p, branch, property, depth+1))
			}
			json = list(told)
			out.set(key, json)
		}
		if key == "oneOf" && c.way == sent && !out.has("anyOf") {
			*out = out.without("oneOf")
			out.set("anyOf", json)
		}
	}
}

// discriminated is a branch with the value that tells it apart, unless the branch says that itself.
func (c *converter) discriminated(p, branch *place, property string, depth int) string {
	json := c.schema(branch, depth)
	ref := branch.get("$ref")
	if ref == nil {
		return json
	}
	to, err := c.follow(ref)
	if err != nil {
		return json
	}
	said := to.get("properties").get(property)
	if said.get("const") != nil || len(said.get("enum").items()) == 1 {
		return json
	}
	var values []string
	for _, m := range p.get("discriminator").get("mapping").members() {
		same := textOf(m) == to.key // a mapping may name a schema
		if strings.Contains(textOf(m), "#") {
			target, err := m.file.lookup(textOf(m))
			same = err == nil && target.node == to.node
		}
		if same {
			values = append(values, quoted(m.key))
		}
	}
	if len(values) == 0 {
		values = []string{quoted(to.key)}
	}
	tag := object{{"type", `"object"`}, {"properties", object{{property, object{{"enum", list(values)}}.String()}}.String()}, {"required", list([]string{quoted(property)})}}
	return object{{"allOf", list([]string{json, tag.String()})}}.String()
}

// nullable adds null to what a schema takes, as OpenAPI 3.0 says it.
func nullable(p *place, o object) object {
	if slices.ContainsFunc([]string{"$ref", "allOf", "anyOf", "oneOf", "not", "const"}, o.has) {
		return object{{"anyOf", list([]string{o.String(), `{"type":"null"}`})}}
	}
	switch kind := o.value("type"); {
	case strings.HasPrefix(kind, `"`):
		o.set("type", list([]string{kind, `"null"`}))
	case strings.HasPrefix(kind, "[") && kind != "[]" && !strings.Contains(kind, `"null"`):
		o.set("type", strings.TrimSuffix(kind, "]")+`,"null"]`)
	}
	values := p.get("enum").items()
	if len(values) > 0 && !slices.ContainsFunc(values, func(v *place) bool { return isNull(v.node) }) {
		o.set("enum", strings.TrimSuffix(o.value("enum"), "]")+",null]")
	}
	return o
}
