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
	named := p.properties(n, inner)
	rest := p.restOf(n, inner)
	named = append(named, p.undeclared(n, rest)...)
	index := p.indexSignature(n, named, rest)

	if len(named) == 0 && (index == "" || besideOthers && rest.value.empty) {
		if n.get("additionalProperties").isFalse() && !besideOthers {
			return tight("{}"), false
		}
		return tight(anyObject), false
	}
	informative = len(named) > 0 || !rest.value.empty || rest.keys != nil
	var body strings.Builder
	for _, f := range named {
		f.write(&body, inner)
	}
	if index == "" {
		return braces(body.String(), indent), informative
	}
	own := inner + index + "\n"
	if len(named) == 0 || rest.keys == nil && rest.admits(p, named) {
		return braces(body.String()+own, indent), informative
	}
	return join([]typ{braces(body.String(), indent), braces(own, indent)}, bindsIntersection), informative
}

func braces(lines, indent string) typ { return tight("{\n" + lines + indent + "}") }

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

func (p *printer) properties(n *node, indent string) []property {
	members := n.object("properties")
	if members == nil && len(n.array("properties")) > 0 {
		p.warn("properties has to be an object")
	}
	required := requiredNames(n)
	named := make([]property, 0, len(members))
	for _, m := range members {
		if len(m.key) > maxPropertyName {
			p.warn(fmt.Sprintf("property %s is left out: its name has %d bytes", quote(shorten(m.key)), len(m.key)))
			continue
		}
		value := p.deferred(func() typ { return p.schema(m.value, indent) }, "properties", m.key)
		f := property{name: m.key, required: slices.Contains(required, m.key), value: value, schema: m.value}
		p.size += len(indent) + len(m.key) + len(m.value.str("description"))
		named = append(named, f)
	}
	return named
}

func requiredNames(n *node) []string {
	var names []string
	for _, item := range n.array("required") {
		if item.kind == kindString {
			names = append(names, item.text)
		}
	}
	return names
}

// undeclared returns the properties n requires without declaring them.
func (p *printer) undeclared(n *node, rest rest) []property {
	if rest.closed {
		return nil
	}
	declared := n.get("properties")
	var named []property
	for _, name := range requiredNames(n) {
		seen := slices.ContainsFunc(named, func(f property) bool { return f.name == name })
		if seen || declared.get(name) != nil || len(name) > maxPropertyName {
			continue
		}
		value := anything()
		if rest.stated {
			value = rest.value
		}
		named = append(named, property{name: name, required: true, value: value})
	}
	return named
}

// rest is what an object says about the properties it does not name.
type rest struct {
	value  typ      // their type
	stated bool     // there may be some, and value is more than a default
	closed bool     // there are none
	keys   []string // their only possible names, when those are listed
}

func (p *printer) restOf(n *node, indent string) rest {
	r := rest{value: anything()}
	additional := n.get("additionalProperties")
	var types []typ
	for _, m := range n.object("patternProperties") {
		types = append(types, p.deferred(func() typ { return p.schema(m.value, indent) }, "patternProperties"))
	}
	switch {
	case additional.isFalse():
		r.closed = len(types) == 0
	case additional != nil && additional.kind != kindNull:
		r.stated = true
		types = append(types, p.deferred(func() typ { return p.schema(additional, indent) }, "additionalProperties"))
	}
	if r.stated = r.stated || len(types) > 0; r.stated && !slices.ContainsFunc(types, func(t typ) bool { return t.empty }) {
		r.value = join(types, bindsUnion)
	}
	if r.closed {
		return r
	}
	for _, item := range n.get("propertyNames").array("enum") {
		if item.kind == kindString && len(item.text) <= maxPropertyName {
			r.keys = append(r.keys, item.text)
		}
	}
	return r
}

// indexSignature returns the line for the properties n does not name, "" when
// there is none to print.
func (p *printer) indexSignature(n *node, named []property, rest rest) string {
	if rest.keys == nil {
		if !rest.stated {
			return ""
		}
		return "[key: string]: " + rest.value.text + ";"
	}
	var keys []string
	for _, key := range rest.keys {
		if !slices.ContainsFunc(named, func(f property) bool { return f.name == key }) {
			keys = append(keys, quote(key))
			p.size += len(key)
		}
	}
	if len(keys) == 0 {
		return ""
	}
	return "[key in " + strings.Join(keys, " | ") + "]?: " + rest.value.text + ";"
}

// admits reports whether an index signature of rest may stand in one literal
// with named: TypeScript wants every named property, and undefined where one
// is optional, to be of the signature's type.
func (r rest) admits(p *printer, named []property) bool {
	if r.value.text == "unknown" {
		return true
	}
	scalars := scalarKinds(r.value.text)
	for _, f := range named {
		switch {
		case !f.required:
			return false
		case f.value.text == r.value.text || f.value.text == "never":
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
