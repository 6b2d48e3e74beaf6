package typegen

import (
	"fmt"
	"slices"
	"strings"
)

// typ is the text of a type and how tightly it binds.
type typ struct {
	text  string
	binds binding
	empty bool // allows every value, so nothing is lost by leaving it out
	vain  bool // leads back to the alias it is part of, so it adds nothing
}

type binding uint8

const (
	bindsUnion binding = iota
	bindsIntersection
	bindsTight
)

func tight(text string) typ { return typ{text: text, binds: bindsTight} }

// anything returns the type of a schema that says nothing.
func anything() typ { return typ{text: "unknown", binds: bindsTight, empty: true} }

// vain returns the type of a schema that only leads back to where it stands.
func vain() typ { return typ{text: "unknown", binds: bindsTight, empty: true, vain: true} }

// within returns the text of t as an operand of something that binds as given.
func (t typ) within(b binding) string {
	if t.binds < b {
		return "(" + t.text + ")"
	}
	return t.text
}

// join puts an operator between types, leaving out the vain. It reuses types.
func join(types []typ, binds binding) typ {
	types = slices.DeleteFunc(types, func(t typ) bool { return t.vain })
	switch len(types) {
	case 0:
		return vain()
	case 1:
		return types[0]
	}
	operator := " | "
	if binds == bindsIntersection {
		operator = " & "
	}
	joined := typ{binds: binds, empty: true}
	texts := make([]string, len(types))
	for i, t := range types {
		texts[i] = t.within(binds)
		joined.empty = joined.empty && t.empty
	}
	joined.text = strings.Join(texts, operator)
	return joined
}

// schema returns the type of n, whose lines after the first start with indent.
func (p *printer) schema(n *node, indent string) typ {
	switch {
	case n == nil:
		return anything()
	case n.kind == kindBool && n.truth:
		return anything()
	case n.kind == kindBool:
		return tight("never")
	case n.kind != kindObject:
		p.warn("a schema has to be an object or a boolean")
		return anything()
	case slices.Contains(p.open[p.region:], n):
		return vain()
	}
	if name, ok := p.nameOf(n); ok {
		return tight(name)
	}
	return p.expand(n, indent)
}

// expand returns the type of the object n without looking for a name for it.
func (p *printer) expand(n *node, indent string) typ {
	if !p.enter(n) {
		return anything()
	}
	defer p.leave()
	t := p.constraints(n, indent)
	if n.isTrue("nullable") && t.text != "unknown" && t.text != "never" {
		t = join([]typ{t, tight("null")}, bindsUnion)
	}
	return t
}

// constraints intersects everything n says about a value.
func (p *printer) constraints(n *node, indent string) typ {
	var others []typ
	if ref := refOf(n); ref != "" {
		others = append(others, p.reference(ref, indent))
	}
	for _, key := range combinators {
		if t, ok := p.combinator(n, key, indent); ok {
			others = append(others, t)
		}
	}
	own, informative := p.own(n, indent)
	if own.text == "" {
		if len(others) == 0 {
			return anything()
		}
		return join(others, bindsIntersection)
	}
	others = slices.DeleteFunc(others, func(t typ) bool { return t.empty })
	if len(others) == 0 {
		return own
	}
	if !informative && p.impliedKinds(n)&^typeKinds(n) == 0 {
		return join(others, bindsIntersection)
	}
	return join(slices.Insert(others, 0, own), bindsIntersection)
}

// reference returns the type ref leads to.
func (p *printer) reference(ref, indent string) typ {
	target := p.doc.resolve(ref)
	if target == nil {
		p.warn(fmt.Sprintf("$ref %s leads to no schema of this document", quote(shorten(ref))))
		return anything()
	}
	return p.schema(target, indent)
}

// combinator returns the type of n's anyOf, oneOf or allOf, if it has one.
func (p *printer) combinator(n *node, key, indent string) (typ, bool) {
	branches := n.array(key)
	if len(branches) == 0 {
		if n.get(key) != nil {
			p.warn(key + " has to be an array that is not empty")
		}
		return typ{}, false
	}
	types := make([]typ, len(branches))
	for i, branch := range branches {
		types[i] = p.at(func() typ { return p.schema(branch, indent) }, key)
	}
	binds := bindsUnion
	if key == "allOf" {
		binds = bindsIntersection
	}
	return join(types, binds), true
}

// own returns the type n states with its own keywords, "" when it states none,
// and whether that is more than the bare name of a type.
func (p *printer) own(n *node, indent string) (t typ, informative bool) {
	if value := n.get("const"); value != nil {
		return p.literals([]*node{value}), true
	}
	if values := n.get("enum"); values != nil && values.kind == kindArray {
		return p.literals(values.items), true
	} else if values != nil {
		p.warn("enum has to be an array")
	}
	var oneName [1]string
	var oneType [1]typ
	names, types := typeNames(n, oneName[:0]), oneType[:]
	if len(names) != 1 {
		types = make([]typ, len(names))
	}
	for i, name := range names {
		switch name {
		case "string", "boolean", "null":
			types[i] = tight(name)
		case "number", "integer":
			types[i] = tight("number")
		case "array":
			types[i] = p.arrayType(n, indent)
			informative = informative || types[i].text != "unknown[]"
		case "object":
			said := false
			types[i], said = p.objectType(n, indent, len(names) > 1)
			informative = informative || said
		default:
			types[i] = anything()
		}
	}
	if len(types) == 0 {
		return typ{}, false
	}
	return join(types, bindsUnion), informative
}

// typeNames appends to names what n's type allows; without a type, what its other
// keywords are about.
func typeNames(n *node, names []string) []string {
	switch t := n.get("type"); {
	case t == nil:
	case t.kind == kindString:
		if kindsOf(t.text) == 0 && len(n.object("properties")) > 0 {
			return append(names, "object")
		}
		return append(names, t.text)
	case t.kind == kindArray && len(t.items) > 0:
		for _, item := range t.items {
			names = append(names, item.text)
		}
		return names
	}
	switch {
	case n.get("properties") != nil, len(n.array("required")) > 0,
		len(n.object("patternProperties")) > 0, constrains(n.get("additionalProperties")):
		return append(names, "object")
	case len(n.array("prefixItems")) > 0, len(n.array("items")) > 0, constrains(n.get("items")):
		return append(names, "array")
	}
	return names
}

// constrains reports whether n says something about what it allows.
func constrains(n *node) bool { return n != nil && n.kind == kindObject && len(n.members) > 0 }

// literals returns the union of values; without any, nothing matches.
func (p *printer) literals(values []*node) typ {
	if len(values) == 0 {
		return tight("never")
	}
	types := make([]typ, len(values))
	for i, value := range values {
		types[i] = tight(literal(value, 0))
		p.spend(len(types[i].text))
	}
	if p.short != nil && len(types) > 1 {
		return p.short.union(p.hint(), join(types, bindsUnion))
	}
	return join(types, bindsUnion)
}

// arrayType returns the array or tuple n describes.
func (p *printer) arrayType(n *node, indent string) typ {
	first, rest := tupleOf(n)
	if len(first) == 0 {
		if rest == nil || rest.kind == kindNull || rest.kind == kindArray {
			return tight("unknown[]")
		}
		return tight(p.item(rest, indent).within(bindsTight) + "[]")
	}
	texts := make([]string, len(first))
	for i, item := range first {
		texts[i] = p.item(item, indent).text
	}
	if rest.isSchema() && !rest.isFalse() {
		if t := p.item(rest, indent); !t.empty {
			texts = append(texts, "..."+t.within(bindsTight)+"[]")
		}
	}
	return tight("[" + strings.Join(texts, ", ") + "]")
}

// tupleOf returns the schemas of n's first items, in either spelling, and the
// one of all further items.
func tupleOf(n *node) (first []*node, rest *node) {
	first, rest = n.array("prefixItems"), n.get("items")
	if len(first) == 0 && rest != nil && rest.kind == kindArray {
		return rest.items, n.get("additionalItems")
	}
	return first, rest
}

func (p *printer) item(n *node, indent string) typ {
	return p.deferred(func() typ { return p.schema(n, indent) }, "items")
}
