package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// compiler turns a decoded document into nodes.
type compiler struct {
	draft     draft
	document  any
	base      string
	resources map[string]*resource // by absolute URI without a fragment
	nodes     map[string]*node     // by pointer
	pending   []func()             // references, resolved when all is indexed
	tracks    bool
	recursed  bool
	warnings  []string
}

// maxWarnings bounds how many warnings one document gives.
const maxWarnings = 8

func newCompiler(document any) *compiler {
	c := &compiler{document: document, base: rootURI, resources: map[string]*resource{}, nodes: map[string]*node{}}
	object, _ := document.(map[string]any)
	if dialect, ok := object["$schema"].(string); ok {
		c.draft = draft2020
		known := false
		for _, d := range drafts {
			if strings.Contains(dialect, d.mark) {
				c.draft, known = d.draft, true
			}
		}
		if !known && dialect != "" {
			c.draft = anyDraft
			c.warn(place{}, "$schema", fmt.Sprintf("%q is no draft that is known here; it is read as all of them", dialect))
		}
	}
	c.index(document, place{base: c.base})
	return c
}

func (c *compiler) warn(at place, keyword, message string) {
	if len(c.warnings) < maxWarnings {
		c.warnings = append(c.warnings, strings.TrimPrefix(at.pointer+"/"+keyword, "/")+": "+message)
	}
}

// finish resolves references; what they lead to may hold more of them. A dynamic one may end at any anchor.
func (c *compiler) finish() {
	for anchored := false; ; anchored = true {
		for len(c.pending) > 0 {
			next := c.pending[0]
			c.pending = c.pending[1:]
			next()
		}
		if !c.recursed || anchored {
			return
		}
		for _, r := range c.resources {
			c.compile(r.value, r.at)
			for _, a := range r.anchors {
				c.compile(a.value, a.at)
			}
		}
	}
}

// compile makes a node of a schema; nil when value is none.
func (c *compiler) compile(value any, at place) *node {
	if n, ok := c.nodes[at.pointer]; ok {
		return n
	}
	switch value := value.(type) {
	case bool:
		n := &node{pointer: at.pointer, never: !value}
		c.nodes[at.pointer] = n
		return n
	case map[string]any:
		at = c.enter(value, at)
		n := &node{pointer: at.pointer, raw: value, scope: at.scope, minimumContains: -1, maximumContains: -1}
		c.nodes[at.pointer] = n
		c.noteDynamic(n)
		c.fill(n, at)
		return n
	}
	return nil
}

// noteDynamic makes a schema findable from the dynamic scope.
func (c *compiler) noteDynamic(n *node) {
	if n.scope == nil {
		return
	}
	if name, ok := n.raw["$dynamicAnchor"].(string); ok && n.scope.dynamic[name] == nil {
		if n.scope.dynamic == nil {
			n.scope.dynamic = map[string]*node{}
		}
		n.scope.dynamic[name] = n
	}
	if n.raw["$recursiveAnchor"] == true && n.pointer == n.scope.at.pointer {
		n.scope.recursive = n
	}
}

func (c *compiler) fill(n *node, at place) {
	c.references(n, at)
	if n.alone {
		return
	}
	n.nullable = n.raw["nullable"] == true
	c.assertions(n, at)
	c.objects(n, at)
	c.arrays(n, at)
	n.allOf, n.anyOf, n.oneOf = c.list(n, at, "allOf"), c.list(n, at, "anyOf"), c.list(n, at, "oneOf")
	n.not = c.child(n, at, "not")
	if n.condition = c.child(n, at, "if"); n.condition != nil {
		n.then, n.otherwise = c.child(n, at, "then"), c.child(n, at, "else")
	}
}

// references notes where $ref and its kin lead, once everything is known.
func (c *compiler) references(n *node, at place) {
	if ref, ok := n.raw["$ref"].(string); ok {
		n.alone = c.draft == draft4 || c.draft == draft7
		c.pending = append(c.pending, func() { n.ref = c.follow(ref, at, "$ref") })
	} else if n.raw["$ref"] != nil {
		c.warn(at, "$ref", "expected text")
	}
	if ref, ok := n.raw["$dynamicRef"].(string); ok {
		c.recursed = true
		c.pending = append(c.pending, func() {
			n.dynamicRef = c.follow(ref, at, "$dynamicRef")
			_, fragment, _ := strings.Cut(ref, "#")
			if n.dynamicRef != nil && n.dynamicRef.raw["$dynamicAnchor"] == fragment {
				n.dynamicName = fragment
			}
		})
	}
	if ref, ok := n.raw["$recursiveRef"].(string); ok {
		c.recursed = true
		c.pending = append(c.pending, func() {
			n.dynamicRef = c.follow(ref, at, "$recursiveRef")
			n.recursive = n.dynamicRef != nil && n.dynamicRef.raw["$recursiveAnchor"] == true
		})
	}
}

// follow resolves a reference; one that leads nowhere is a warning.
func (c *compiler) follow(ref string, at place, keyword string) *node {
	value, to, ok := c.lookup(ref, at)
	if ok {
		if n := c.compile(value, to); n != nil {
			return n
		}
	}
	c.warn(at, keyword, fmt.Sprintf("%.80q leads to no schema of this document, so it allows everything", ref))
	return nil
}

var typeNames = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// assertions are the keywords without schemas in them.
func (c *compiler) assertions(n *node, at place) {
	if value, ok := n.raw["type"]; ok {
		n.types = c.types(value, at)
	}
	if value, ok := n.raw["enum"]; ok {
		if values, ok := value.([]any); ok {
			n.enum = make([]string, 0, len(values))
			for _, v := range values {
				n.enum = append(n.enum, canonical(v))
			}
		} else {
			c.warn(at, "enum", "expected an array")
		}
	}
	if value, ok := n.raw["pattern"]; ok {
		n.pattern = c.regexp(value, at, "pattern")
	}
	if n.raw["uniqueItems"] == true {
		n.uniqueEnforced = 1
	}
	c.bounds(n, at)
}

func (c *compiler) types(value any, at place) []string {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	var types []string
	for _, item := range list {
		name, ok := item.(string)
		if !ok || !slices.Contains(typeNames, name) {
			c.warn(at, "type", fmt.Sprintf("%s is no type", show(item)))
			return nil
		}
		types = append(types, name)
	}
	return types
}

// boundKeywords in the order in which their problems are told.
var boundKeywords = []string{
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
}

// bounds reads the keywords with numbers. Draft 4's exclusive ones are booleans beside the others.
func (c *compiler) bounds(n *node, at place) {
	exclusive := map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}
	for _, keyword := range boundKeywords {
		value, ok := n.raw[keyword]
		if !ok {
			continue
		}
		switch limit := value.(type) {
		case json.Number:
			name := keyword
			if n.raw[exclusive[keyword]] == true {
				name = exclusive[keyword]
			}
			if keyword == "multipleOf" && compareNumbers(limit, "0") <= 0 {
				c.warn(at, keyword, "expected a number above 0")
				continue
			}
			n.bounds = append(n.bounds, bound{name, limit})
		case bool:
			if keyword != "exclusiveMinimum" && keyword != "exclusiveMaximum" {
				c.warn(at, keyword, "expected a number")
			}
		default:
			c.warn(at, keyword, "expected a number")
		}
	}
}

func (c *compiler) objects(n *node, at place) {
	n.required = c.names(n.raw["required"], at, "required")
	n.properties = c.children(n, at, "properties")
	patterns := c.children(n, at, "patternProperties")
	for _, source := range slices.Sorted(maps.Keys(patterns)) {
		if match := c.regexp(source, at, "patternProperties"); match != nil {
			n.patterns = append(n.patterns, patternNode{source, match, patterns[source]})
		}
	}
	n.additional = c.child(n, at, "additionalProperties")
	n.propertyNames = c.child(n, at, "propertyNames")
	if n.unevaluatedProperties = c.child(n, at, "unevaluatedProperties"); n.unevaluatedProperties != nil {
		c.tracks = true
	}
	n.dependentSchemas = c.children(n, at, "dependentSchemas")
	for _, keyword := range [...]string{"dependentRequired", "dependencies"} {
		object, _ := n.raw[keyword].(map[string]any)
		for name, value := range object {
			if _, isList := value.([]any); isList {
				if n.dependentRequired == nil {
					n.dependentRequired = map[string][]string{}
				}
				n.dependentRequired[name] = append(n.dependentRequired[name], c.names(value, at, keyword)...)
			} else if schema := c.compile(value, at.down(keyword, name)); schema != nil {
				if n.dependentSchemas == nil {
					n.dependentSchemas = map[string]*node{}
				}
				n.dependentSchemas[name] = schema
			}
		}
	}
}

// names reads a list of property names. Draft 3's boolean says nothing here.
func (c *compiler) names(value any, at place, keyword string) []string {
	list, ok := value.([]any)
	if !ok {
		if value != nil {
			c.warn(at, keyword, "expected an array of names")
		}
		return nil
	}
	var names []string
	for _, item := range list {
		if name, ok := item.(string); ok {
			names = append(names, name)
		} else {
			c.warn(at, keyword, "expected an array of names")
		}
	}
	return names
}

func (c *compiler) arrays(n *node, at place) {
	if c.draft == anyDraft || c.draft == draft2020 {
		n.prefix = c.list(n, at, "prefixItems")
	}
	if _, isList := n.raw["items"].([]any); isList && n.prefix == nil {
		if c.draft == draft2020 {
			c.warn(at, "items", "an array of schemas is prefixItems in 2020-12; it is read so")
		}
		n.prefix = c.list(n, at, "items")
		n.items = c.child(n, at, "additionalItems")
	} else {
		n.items = c.child(n, at, "items")
	}
	if n.contains = c.child(n, at, "contains"); n.contains != nil {
		n.minimumContains = 1
		n.containsEvaluates = c.draft != draft2019
		if c.draft != draft4 && c.draft != draft7 {
			n.minimumContains = c.count(n, "minContains", 1)
			n.maximumContains = c.count(n, "maxContains", -1)
		}
	}
	if n.unevaluatedItems = c.child(n, at, "unevaluatedItems"); n.unevaluatedItems != nil {
		c.tracks = true
	}
}

func (c *compiler) count(n *node, keyword string, otherwise int) int {
	if number, ok := n.raw[keyword].(json.Number); ok {
		if f, err := strconv.ParseFloat(string(number), 64); err == nil && f >= 0 && f < 1<<31 {
			return int(f)
		}
	}
	return otherwise
}

// child compiles the schema at keyword; nil when there is none.
func (c *compiler) child(n *node, at place, keyword string) *node {
	value, ok := n.raw[keyword]
	if !ok || value == nil {
		return nil
	}
	schema := c.compile(value, at.down(keyword))
	if schema == nil {
		c.warn(at, keyword, "expected a schema")
	}
	return schema
}

func (c *compiler) children(n *node, at place, keyword string) map[string]*node {
	value, ok := n.raw[keyword]
	if !ok || value == nil {
		return nil
	}
	object, ok := value.(map[string]any)
	if !ok {
		c.warn(at, keyword, "expected an object of schemas")
		return nil
	}
	schemas := make(map[string]*node, len(object))
	for name, value := range object {
		if schema := c.compile(value, at.down(keyword, name)); schema != nil {
			schemas[name] = schema
		} else {
			c.warn(at.down(keyword), name, "expected a schema")
		}
	}
	return schemas
}

func (c *compiler) list(n *node, at place, keyword string) []*node {
	value, ok := n.raw[keyword]
	if !ok || value == nil {
		return nil
	}
	items, ok := value.([]any)
	if !ok {
		c.warn(at, keyword, "expected an array of schemas")
		return nil
	}
	var schemas []*node
	for i, item := range items {
		schema := c.compile(item, at.down(keyword, strconv.Itoa(i)))
		if schema == nil {
			c.warn(at.down(keyword), strconv.Itoa(i), "expected a schema")
			schema = &node{} // the places of the others count
		}
		schemas = append(schemas, schema)
	}
	return schemas
}

func (c *compiler) regexp(value any, at place, keyword string) matcher {
	source, ok := value.(string)
	if !ok {
		c.warn(at, keyword, "expected text")
		return nil
	}
	match, err := compilePattern(source)
	if err != nil {
		c.warn(at, keyword, fmt.Sprintf("%.80q is no regular expression", source))
	}
	return match
}
