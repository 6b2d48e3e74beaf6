package typegen

import (
	"fmt"
	"slices"
	"strings"
)

// anyObject is the type of an object nothing is known about.
const anyObject = "Record<string, unknown>"

const indentStep = "    "

// objectType returns the type literal of an object, and whether it says more
// than that the value is one. Beside other types an object nothing is known
// about always prints as anyObject.
func (p *printer) objectType(n *node, indent string, besideOthers bool) (t typ, informative bool) {
	inner := indent + indentStep
	required := requiredNames(n)
	named := p.properties(n, required, inner)
	others := p.unnamed(n, inner)
	named = append(named, p.undeclared(n, required, others)...)
	index := p.indexSignature(n, required, others)

	if len(named) == 0 && (index == "" || besideOthers && others.value.empty) {
		if n.get("additionalProperties").isFalse() && !besideOthers {
			return tight("{}"), false
		}
		return tight(anyObject), false
	}
	informative = len(named) > 0 || !others.value.empty || others.keys != nil
	p.spend(2 * len(inner))
	literal := func(named []property, index string) typ {
		if p.short != nil {
			return p.short.object(p.hint(), named, index)
		}
		if index != "" {
			index = inner + index + "\n"
		}
		return typeLiteral(named, index, indent)
	}
	if index == "" || len(named) == 0 || others.keys == nil && others.admits(p, named) {
		return literal(named, index), informative
	}
	if others.keys == nil { // of an intersection no literal would be a value: the signature would hold for the named, too
		return literal(named, "[key: string]: "+p.widened(others.value, named).text+";"), informative
	}
	parts := []typ{literal(named, ""), literal(nil, index)}
	return join(parts, bindsIntersection), informative
}

// maxWidened bounds how many bytes of other types an index signature repeats.
const maxWidened = 1000

// widened is the type of an index signature that the named properties stand beside: theirs, too.
func (p *printer) widened(value typ, named []property) typ {
	types, size := []typ{value}, 0
	optional := false
	for _, f := range named {
		optional = optional || !f.required
		if f.value.text == "never" || slices.ContainsFunc(types, func(t typ) bool { return t.text == f.value.text }) {
			continue
		}
		types = append(types, f.value)
		size += len(f.value.text)
	}
	if optional {
		types = append(types, tight("undefined"))
	}
	p.spend(size)
	if size > maxWidened || slices.ContainsFunc(types, func(t typ) bool { return t.text == "unknown" }) {
		return anything()
	}
	return join(types, bindsUnion)
}

// typeLiteral returns properties and the line of an index signature in braces.
func typeLiteral(named []property, index, indent string) typ {
	inner := indent + indentStep
	size := len("{\n") + len(index) + len(indent) + len("}")
	for _, f := range named {
		size += 4*len(inner) + len(f.name) + len(f.value.text) + len(f.schema.str("description")) + 32
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteString("{\n")
	for _, f := range named {
		f.write(&b, inner)
	}
	b.WriteString(index)
	b.WriteString(indent)
	b.WriteByte('}')
	return tight(b.String())
}

// property is one named member of a type literal.
type property struct {
	name     string
	required bool
	value    typ
	schema   *node
}

// write prints the property's comment and declaration.
func (f property) write(b *strings.Builder, indent string) {
	line := func(texts ...string) {
		b.WriteString(indent)
		for _, text := range texts {
			b.WriteString(text)
		}
		b.WriteByte('\n')
	}
	description, format := comment(f.schema.str("description")), ""
	if name := f.schema.str("format"); name != "" {
		format = "@format " + comment(name)
	}
	switch {
	case description != "" && format != "":
		line("/**")
		line(" * ", description)
		line(" * ", format)
		line(" */")
	case description != "" || format != "":
		line("/** ", description, format, " */")
	}
	mark := "?: "
	if f.required {
		mark = ": "
	}
	line(propertyName(f.name), mark, f.value.text, ";")
}

func (p *printer) properties(n, required *node, indent string) []property {
	members := n.object("properties")
	if members == nil && len(n.array("properties")) > 0 {
		p.warn("properties has to be an object")
	}
	named := make([]property, 0, len(members))
	for _, m := range members {
		if len(m.key) > maxPropertyName {
			p.warn(fmt.Sprintf("property %s is left out: its name has %d bytes", quote(shorten(m.key)), len(m.key)))
			continue
		}
		value := p.deferred(func() typ { return p.schema(m.value, indent) }, "properties", m.key)
		f := property{name: m.key, required: required.find(m.key) >= 0, value: value, schema: m.value}
		p.spend(len(indent) + len(m.key) + len(m.value.str("description")))
		named = append(named, f)
	}
	return named
}

// requiredNames returns the names n requires as the keys of an object.
func requiredNames(n *node) *node {
	var names []member
	for _, item := range n.array("required") {
		if item.kind == kindString {
			names = append(names, member{key: item.text})
		}
	}
	if names == nil {
		return &node{}
	}
	return newObject(names)
}

// undeclared returns the properties n requires without declaring them. A type
// of several lines is not repeated for each: the index signature has it.
func (p *printer) undeclared(n, required *node, others unnamed) []property {
	if others.closed {
		return nil
	}
	declared := n.get("properties")
	var named []property
	for _, m := range required.members {
		if declared.find(m.key) >= 0 || len(m.key) > maxPropertyName {
			continue
		}
		value := anything()
		if others.stated && !strings.ContainsAny(others.value.text, "\n"+mark) {
			value = others.value
		}
		if p.spend(len(m.key) + len(value.text) + stepBytes); p.tooBig {
			break
		}
		named = append(named, property{name: m.key, required: true, value: value})
	}
	return named
}

// unnamed is what an object says about the properties it does not name.
type unnamed struct {
	value  typ      // their type
	stated bool     // there may be some, and value is more than a default
	closed bool     // there are none
	keys   []string // their only possible names, when those are listed
}

func (p *printer) unnamed(n *node, indent string) unnamed {
	u := unnamed{value: anything()}
	additional := n.get("additionalProperties")
	var types []typ
	for _, m := range n.object("patternProperties") {
		types = append(types, p.deferred(func() typ { return p.schema(m.value, indent) }, "patternProperties"))
	}
	switch {
	case additional.isFalse():
		u.closed = len(types) == 0
	case additional != nil && additional.kind != kindNull:
		u.stated = true
		types = append(types, p.deferred(func() typ { return p.schema(additional, indent) }, "additionalProperties"))
	}
	if u.stated = u.stated || len(types) > 0; u.stated && !slices.ContainsFunc(types, func(t typ) bool { return t.empty }) {
		u.value = join(types, bindsUnion)
	}
	if u.closed {
		return u
	}
	for _, item := range n.get("propertyNames").array("enum") {
		if item.kind == kindString && len(item.text) <= maxPropertyName {
			u.keys = append(u.keys, item.text)
		}
	}
	return u
}

// indexSignature returns the line for the properties n does not name, "" when
// there is none to print.
func (p *printer) indexSignature(n, required *node, others unnamed) string {
	if others.keys == nil {
		if !others.stated {
			return ""
		}
		return "[key: string]: " + others.value.text + ";"
	}
	var keys []string
	declared := n.get("properties")
	for _, key := range others.keys {
		if declared.find(key) < 0 && required.find(key) < 0 {
			keys = append(keys, quote(key))
			p.spend(len(key))
		}
	}
	if len(keys) == 0 {
		return ""
	}
	return "[key in " + strings.Join(keys, " | ") + "]?: " + others.value.text + ";"
}

// admits reports whether an index signature of u may stand in one literal
// with named: TypeScript wants every named property, and undefined where one
// is optional, to be of the signature's type.
func (u unnamed) admits(p *printer, named []property) bool {
	if u.value.text == "unknown" {
		return true
	}
	scalars := scalarKinds(u.value.text)
	for _, f := range named {
		switch {
		case !f.required:
			return false
		case f.value.text == u.value.text || f.value.text == "never":
		case scalars != 0 && f.schema != nil && !strings.Contains(f.value.text, "unknown") &&
			p.allowed(f.schema)&^scalars == 0:
		default:
			return false
		}
	}
	return true
}

// scalarKinds returns the kinds of a union of scalar types, 0 for every other
// type.
func scalarKinds(text string) kinds {
	var k kinds
	for name := range strings.SplitSeq(text, " | ") {
		one := kindsOf(name)
		if one == 0 {
			return 0
		}
		k |= one
	}
	return k
}
