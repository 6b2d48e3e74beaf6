package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Problem is one thing that is wrong with a value.
type Problem struct {
	// Path leads to the value at fault: property names, and indices as decimals.
	Path []string
	// Keyword is the one that is not met; "false" is the schema that nothing meets.
	Keyword string
	// Value is the value at fault, Limit what the keyword holds, as decoded from the schema.
	Value, Limit any
	// Schema is the object that has the keyword; nil for "false".
	Schema map[string]any
	// Names are the properties that are missing (required, dependentRequired), or too many (additionalProperties,
	// unevaluatedProperties, propertyNames).
	Names []string
	// Branches are, for anyOf and oneOf, what each alternative would have wanted; nil when Matches is more than 1.
	Branches [][]Problem
	// Matches counts, for oneOf, the alternatives that are met.
	Matches int
}

const (
	// maxSteps bounds one check, in schemas looked at.
	maxSteps = 500_000
	// maxKept bounds the problems of one place in a value; past it they say nothing new.
	maxKept = 100
)

// Check tells what is wrong with a value as Decode makes it. complete is false when the schema takes more steps than are
// made; what is found then does not count, and nothing is returned.
func (s *Schema) Check(value any) (problems []Problem, complete bool) {
	r := &run{schema: s, steps: maxSteps}
	result := r.check(s.root, value, frame{})
	if r.steps < 0 {
		return nil, false
	}
	return result.problems, true
}

// run is one check.
type run struct {
	schema *Schema
	steps  int
}

// frame is where a run is in the value and in the schema.
type frame struct {
	path   []string
	here   *applied    // the schemas applied to this very value
	scopes []*resource // the dynamic scope; kept only when the schema asks for it
}

// applied is a list of schemas, the last first.
type applied struct {
	node   *node
	before *applied
}

func (a *applied) has(n *node) bool {
	for ; a != nil; a = a.before {
		if a.node == n {
			return true
		}
	}
	return false
}

func (f frame) down(step string) frame {
	return frame{path: append(slices.Clip(f.path), step), scopes: f.scopes}
}

// result is what applying a schema to a value came to.
type result struct {
	problems []Problem
	seen     seen
}

// seen is what some schema has looked at of an object or array, for unevaluatedProperties and unevaluatedItems.
type seen struct {
	properties map[string]bool
	items      int // from the front
	single     map[int]bool
	all        bool // of the items
}

func (s *seen) property(name string) {
	if s.properties == nil {
		s.properties = map[string]bool{}
	}
	s.properties[name] = true
}

func (s *seen) item(i int) {
	if s.single == nil {
		s.single = map[int]bool{}
	}
	s.single[i] = true
}

func (s *seen) add(other seen) {
	for name := range other.properties {
		s.property(name)
	}
	for i := range other.single {
		s.item(i)
	}
	s.items = max(s.items, other.items)
	s.all = s.all || other.all
}

// check applies n to a value.
func (r *run) check(n *node, value any, f frame) (out result) {
	if r.steps--; n == nil || r.steps < 0 {
		return out
	}
	if n.never {
		out.problems = []Problem{{Path: f.path, Keyword: "false", Value: value}}
		return out
	}
	if n.raw == nil || n.nullable && value == nil || f.here.has(n) {
		return out
	}
	f.here = &applied{n, f.here}
	if r.schema.recursed && n.scope != nil {
		f.scopes = append(slices.Clip(f.scopes), n.scope)
	}
	c := &checker{run: r, node: n, value: value, frame: f}
	c.references()
	if !n.alone {
		c.assertions()
		c.combinators()
		switch value := value.(type) {
		case map[string]any:
			c.object(value)
		case []any:
			c.array(value)
		}
	}
	if len(c.problems) > 0 {
		c.seen = seen{} // a schema that is not met has looked at nothing
	}
	return c.result
}

// checker applies one schema to one value.
type checker struct {
	*run
	node  *node
	value any
	frame frame
	result
}

func (c *checker) fail(keyword string, p Problem) {
	p.Path, p.Keyword, p.Value, p.Schema = c.frame.path, keyword, c.value, c.node.raw
	if p.Limit == nil {
		p.Limit = c.node.raw[keyword]
	}
	c.problems = append(c.problems, p)
}

// include applies a schema to the same value; its problems are ours.
func (c *checker) include(n *node) {
	if n == nil {
		return
	}
	got := c.check(n, c.value, c.frame)
	c.keep(got.problems)
	c.seen.add(got.seen)
}

func (c *checker) references() {
	c.include(c.node.ref)
	target := c.node.dynamicRef
	if target == nil {
		return
	}
	for _, scope := range c.frame.scopes { // the outermost that has it wins
		if c.node.dynamicName != "" {
			if n := scope.dynamic[c.node.dynamicName]; n != nil {
				target = n
				break
			}
		}
		if c.node.recursive && scope.recursive != nil {
			target = scope.recursive
			break
		}
	}
	c.include(target)
}

func (c *checker) assertions() {
	n := c.node
	if n.types != nil && !hasType(n.types, c.value) {
		c.fail("type", Problem{})
	}
	if n.enum != nil && !slices.Contains(n.enum, canonical(c.value)) {
		c.fail("enum", Problem{})
	}
	if constant, ok := n.raw["const"]; ok && canonical(constant) != canonical(c.value) {
		c.fail("const", Problem{})
	}
	if text, ok := c.value.(string); ok && n.pattern != nil && !n.pattern(text) {
		c.fail("pattern", Problem{})
	}
	for _, b := range n.bounds {
		if !b.holds(c.value) {
			c.fail(b.keyword, Problem{Limit: b.limit})
		}
	}
}

func hasType(types []string, value any) bool {
	is := typeOf(value)
	return slices.Contains(types, is) || is == "integer" && slices.Contains(types, "number")
}

// holds reports whether a value keeps to a bound; a value of a kind that the bound is not about does.
func (b bound) holds(value any) bool {
	if number, ok := value.(json.Number); ok {
		switch b.keyword {
		case "minimum":
			return compareNumbers(number, b.limit) >= 0
		case "maximum":
			return compareNumbers(number, b.limit) <= 0
		case "exclusiveMinimum":
			return compareNumbers(number, b.limit) > 0
		case "exclusiveMaximum":
			return compareNumbers(number, b.limit) < 0
		case "multipleOf":
			return isMultiple(number, b.limit)
		}
		return true
	}
	size, isSized := sizeFor(b.keyword, value)
	if !isSized {
		return true
	}
	order := compareNumbers(json.Number(strconv.Itoa(size)), b.limit)
	if b.keyword[:3] == "min" {
		return order >= 0
	}
	return order <= 0
}

// sizeFor is the size that a keyword such as minLength bounds; false when it is not about such a value.
func sizeFor(keyword string, value any) (int, bool) {
	switch value := value.(type) {
	case string:
		return utf8.RuneCountInString(value), keyword == "minLength" || keyword == "maxLength"
	case []any:
		return len(value), keyword == "minItems" || keyword == "maxItems"
	case map[string]any:
		return len(value), keyword == "minProperties" || keyword == "maxProperties"
	}
	return 0, false
}

func (c *checker) combinators() {
	n := c.node
	for _, schema := range n.allOf {
		c.include(schema)
	}
	c.alternatives("anyOf", n.anyOf)
	c.alternatives("oneOf", n.oneOf)
	if n.not != nil && len(c.check(n.not, c.value, c.frame).problems) == 0 {
		c.fail("not", Problem{})
	}
	if n.condition == nil {
		return
	}
	condition := c.check(n.condition, c.value, c.frame)
	if len(condition.problems) == 0 {
		c.seen.add(condition.seen)
		c.include(n.then)
		return
	}
	c.include(n.otherwise)
}

func (c *checker) alternatives(keyword string, schemas []*node) {
	if len(schemas) == 0 {
		return
	}
	var branches [][]Problem
	matches := 0
	for _, schema := range schemas {
		got := c.check(schema, c.value, c.frame)
		if len(got.problems) > 0 {
			branches = append(branches, got.problems)
			continue
		}
		matches++
		c.seen.add(got.seen)
		if keyword == "anyOf" && !c.schema.tracks {
			return
		}
	}
	switch {
	case matches == 0:
		c.fail(keyword, Problem{Branches: branches})
	case matches > 1 && keyword == "oneOf":
		c.fail(keyword, Problem{Matches: matches})
	}
}
