package openapi

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// guard has the values that the host keeps for the document's security schemes, and sees that nobody else sets them.
type guard struct {
	values  map[string]credential // by the scheme's name
	headers []string              // that the transport sets
	query   url.Values            // of the base
	all     []string              // the schemes, sorted
	root    *place                // while the document is read
}

// credential is one value and where it goes.
type credential struct{ in, name, value string }

// newGuard finds the schemes that there are values for.
func newGuard(root *place, b *base, o *Options) (*guard, error) {
	g := &guard{values: map[string]credential{}, headers: o.Headers, query: b.url.Query(), root: root}
	schemes := root.get("components").get("securitySchemes")
	g.all = slices.Sorted(maps.Keys(o.Security))
	for _, name := range g.all {
		scheme := schemes.get(name)
		if scheme == nil {
			var known []string
			for _, m := range schemes.members() {
				known = append(known, m.key)
			}
			return nil, root.fail("has no security scheme %q, which the configuration has a value for; it has %q", name, known)
		}
		scheme, err := scheme.resolve()
		if err != nil {
			return nil, err
		}
		if g.values[name], err = credentialOf(scheme, o.Security[name]); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func credentialOf(scheme *place, value string) (credential, error) {
	kind := scheme.text("type")
	switch {
	case kind == "apiKey" && slices.Contains([]string{"header", "query", "cookie"}, scheme.text("in")) && scheme.text("name") != "":
		return credential{scheme.text("in"), scheme.text("name"), value}, nil
	case kind == "http" && strings.EqualFold(scheme.text("scheme"), "basic"):
		if !strings.Contains(value, ":") {
			return credential{}, scheme.fail("is basic authentication; its value in the configuration must be user:password")
		}
		return credential{"header", "Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(value))}, nil
	case kind == "http" && strings.EqualFold(scheme.text("scheme"), "bearer"), kind == "oauth2", kind == "openIdConnect":
		return credential{"header", "Authorization", "Bearer " + value}, nil
	case kind == "http" && scheme.text("scheme") != "":
		return credential{"header", "Authorization", scheme.text("scheme") + " " + value}, nil
	}
	return credential{}, scheme.fail("is a security scheme of type %q, for which a value cannot be sent", kind)
}

// Secrets are the texts that the values of security schemes become, for redaction.
func (a *API) Secrets() (list []string) {
	for _, c := range a.guard.values {
		_, token, _ := strings.Cut(c.value, " ")
		list = append(list, c.value, token, unreserved(c.value))
	}
	return list
}

// of are the schemes whose values go along with an operation: those of the first alternative that there are values for.
// A document that asks for nothing anywhere has forgotten to, since the configuration has values.
func (g *guard) of(op *place) []string {
	said := op.get("security")
	if said == nil {
		said = g.root.get("security")
	}
	if said == nil {
		return g.all
	}
	for _, alternative := range said.items() {
		var names []string
		complete := true
		for _, m := range alternative.members() {
			names = append(names, m.key)
			_, ok := g.values[m.key]
			complete = complete && ok
		}
		if complete && len(names) > 0 {
			return names
		}
	}
	return nil
}

// owns reports whether a parameter is the host's to set, or HTTP's.
func (g *guard) owns(p parameter) bool {
	if p.in == "header" && (isIgnoredHeader(p.name) || g.setsHeader(p.name)) {
		return true
	}
	for _, c := range g.values {
		if c.in == p.in && strings.EqualFold(c.name, p.name) {
			return true
		}
	}
	return p.in == "query" && g.inBase(p.name)
}

// inBase reports whether the base has a query with this name. Some servers do not tell capitals apart.
func (g *guard) inBase(name string) bool {
	for own := range g.query {
		if strings.EqualFold(own, name) {
			return true
		}
	}
	return false
}

// setsHeader reports whether the host sets a header field.
func (g *guard) setsHeader(name string) bool {
	same := func(known string) bool { return fieldName(known) == fieldName(name) }
	for _, c := range g.values {
		if c.in == "header" && same(c.name) {
			return true
		}
	}
	return slices.ContainsFunc(g.headers, same)
}

// apply puts the values of schemes in, in place of what a program may have put there.
func (g *guard) apply(schemes []string, out *outgoing) {
	out.query = slices.DeleteFunc(out.query, func(one string) bool { return g.inBase(nameOf(one)) })
	for _, c := range g.values {
		switch c.in {
		case "header":
			deleteHeader(out.header, c.name)
		case "query":
			out.query = slices.DeleteFunc(out.query, func(one string) bool { return strings.EqualFold(nameOf(one), c.name) })
		case "cookie":
			out.cookies = slices.DeleteFunc(out.cookies, func(one string) bool { return strings.EqualFold(nameOf(one), c.name) })
		}
	}
	for _, name := range schemes {
		switch c := g.values[name]; c.in {
		case "header":
			out.header[c.name] = c.value
		case "query":
			out.query = append(out.query, fmt.Sprintf("%s=%s", unreserved(c.name), unreserved(c.value)))
		case "cookie":
			out.cookies = append(out.cookies, fmt.Sprintf("%s=%s", c.name, c.value))
		}
	}
}

// nameOf is the name of an escaped name=value.
func nameOf(one string) string {
	key, _, _ := strings.Cut(one, "=")
	if plain, err := url.QueryUnescape(key); err == nil {
		return plain
	}
	return key
}
