package schema

import (
	"maps"
	"slices"
	"strconv"
)

// below applies a schema to a part of the value.
func (c *checker) below(n *node, step string, value any) {
	c.keep(c.check(n, value, c.frame.down(step)).problems)
}

func (c *checker) keep(problems []Problem) {
	if len(c.problems) < maxKept {
		c.problems = append(c.problems, problems...)
	}
}

func (c *checker) object(object map[string]any) {
	n := c.node
	if missing := lacking(object, n.required); missing != nil {
		c.fail("required", Problem{Names: missing})
	}
	names := slices.Sorted(maps.Keys(object))
	var extra []string
	for _, name := range names {
		if c.named(name, object[name]) {
			c.seen.property(name)
			continue
		}
		extra = append(extra, name)
	}
	c.extras("additionalProperties", n.additional, object, extra)
	if n.propertyNames != nil {
		for _, name := range names {
			if bad := c.check(n.propertyNames, name, c.frame.down(name)).problems; len(bad) > 0 {
				c.fail("propertyNames", Problem{Names: []string{name}, Branches: [][]Problem{bad}})
			}
		}
	}
	for _, name := range names {
		if missing := lacking(object, n.dependentRequired[name]); missing != nil {
			c.fail("dependentRequired", Problem{Names: missing, Limit: name})
		}
		c.include(n.dependentSchemas[name])
	}
	if n.unevaluatedProperties != nil {
		names = slices.DeleteFunc(names, func(name string) bool { return c.seen.properties[name] })
		c.extras("unevaluatedProperties", n.unevaluatedProperties, object, names)
	}
}

// named applies what properties and patternProperties say of one property, and reports whether they say anything.
func (c *checker) named(name string, value any) bool {
	schema, found := c.node.properties[name]
	if found {
		c.below(schema, name, value)
	}
	for _, p := range c.node.patterns {
		if p.match(name) {
			found = true
			c.below(p.schema, name, value)
		}
	}
	return found
}

// extras applies a schema to the properties that nothing else is about. Where none may be, they are one problem.
func (c *checker) extras(keyword string, schema *node, object map[string]any, names []string) {
	if schema == nil || len(names) == 0 {
		return
	}
	if schema.never {
		c.fail(keyword, Problem{Names: names})
		return
	}
	for _, name := range names {
		c.seen.property(name)
		c.below(schema, name, object[name])
	}
}

func lacking(object map[string]any, names []string) (missing []string) {
	for _, name := range names {
		if _, ok := object[name]; !ok && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	return missing
}

func (c *checker) array(items []any) {
	n := c.node
	for i, schema := range n.prefix[:min(len(n.prefix), len(items))] {
		c.below(schema, strconv.Itoa(i), items[i])
	}
	c.seen.items = max(c.seen.items, min(len(n.prefix), len(items)))
	if n.items != nil {
		for i := len(n.prefix); i < len(items); i++ {
			c.below(n.items, strconv.Itoa(i), items[i])
		}
		c.seen.all = true
	}
	c.contains(items)
	if n.uniqueEnforced == 1 {
		c.unique(items)
	}
	if n.unevaluatedItems == nil || c.seen.all {
		return
	}
	for i := c.seen.items; i < len(items); i++ {
		if !c.seen.single[i] {
			c.below(n.unevaluatedItems, strconv.Itoa(i), items[i])
		}
	}
	c.seen.all = true
}

func (c *checker) contains(items []any) {
	n := c.node
	if n.contains == nil {
		return
	}
	count := 0
	for i, item := range items {
		if len(c.check(n.contains, item, c.frame.down(strconv.Itoa(i))).problems) == 0 {
			count++
			if n.containsEvaluates {
				c.seen.item(i)
			}
		}
	}
	if count < n.minimumContains {
		c.fail("contains", Problem{Matches: count})
	}
	if n.maximumContains >= 0 && count > n.maximumContains {
		c.fail("maxContains", Problem{Matches: count})
	}
}

func (c *checker) unique(items []any) {
	first := make(map[string]int, len(items))
	for i, item := range items {
		key := canonical(item)
		if other, taken := first[key]; taken {
			c.fail("uniqueItems", Problem{Names: []string{strconv.Itoa(other), strconv.Itoa(i)}})
			return
		}
		first[key] = i
	}
}
