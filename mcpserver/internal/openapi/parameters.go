package openapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// parameter is one parameter of an operation, by the rules of the OpenAPI Specification, 4.8.12 "Parameter Object".
type parameter struct {
	key      string // in the arguments
	name     string
	in       string // path, query, header, cookie
	style    string
	explode  bool
	reserved bool // allowReserved
	json     bool // content in place of schema
	required bool
	at       *place
	schema   *place
}

// parameters are those of the path and of the operation, whose own count before the path's.
func (r *reader) parameters(o *operation, item, op *place) ([]parameter, error) {
	var list []parameter
	at := map[[2]string]int{} // where each place and name is
	for _, raw := range append(item.get("parameters").items(), op.get("parameters").items()...) {
		p, err := readParameter(raw)
		switch {
		case err != nil:
			return nil, err
		case r.api.guard.owns(p), p.in == "path" && !strings.Contains(o.path, "{"+p.name+"}"):
			continue // the host sets it, or it has no place
		}
		if i, known := at[[2]string{p.in, p.name}]; known {
			list[i] = p
		} else {
			at[[2]string{p.in, p.name}] = len(list)
			list = append(list, p)
		}
	}
	for _, name := range placeholders(o.path) { // a document may forget to declare one
		if _, known := at[[2]string{"path", name}]; !known {
			at[[2]string{"path", name}] = len(list)
			list = append(list, parameter{name: name, in: "path", style: "simple", required: true})
		}
	}
	name(list)
	return list, nil
}

// placeholders are the names in the braces of a path.
func placeholders(path string) (names []string) {
	for {
		_, after, open := strings.Cut(path, "{")
		inside, rest, closed := strings.Cut(after, "}")
		if !open || !closed {
			return names
		}
		names, path = append(names, inside), rest
	}
}

var standardStyle = map[string]string{"path": "simple", "query": "form", "header": "simple", "cookie": "form"}

func readParameter(raw *place) (parameter, error) {
	at, err := raw.resolve()
	if err != nil {
		return parameter{}, err
	}
	p := parameter{name: at.text("name"), in: at.text("in"), at: at, schema: at.get("schema"), style: at.text("style"), reserved: at.flag("allowReserved", false)}
	if p.name == "" || standardStyle[p.in] == "" {
		return p, at.fail("is no parameter: it needs a name, and to be in path, query, header or cookie")
	}
	if p.style == "" {
		p.style = standardStyle[p.in]
	}
	if !slices.Contains(styles[p.in], p.style) {
		return p, at.fail("has the style %q, which there is not in %s", p.style, p.in)
	}
	p.explode = at.flag("explode", p.style == "form")
	p.required = p.in == "path" || at.flag("required", false)
	if content := at.get("content").members(); len(content) > 0 {
		p.schema, p.json = content[0].get("schema"), isJSON(content[0].key)
	}
	return p, nil
}

var styles = map[string][]string{
	"path":   {"simple", "label", "matrix"},
	"query":  {"form", "spaceDelimited", "pipeDelimited", "deepObject"},
	"header": {"simple"},
	"cookie": {"form"},
}

// name gives each parameter its key: its name, or for the later ones of a name, those in the path first, with its place
// before it.
func name(list []parameter) {
	taken := map[string]bool{}
	for _, in := range []string{"path", "query", "header", "cookie"} {
		for i := range list {
			p := &list[i]
			if p.in != in {
				continue
			}
			p.key = p.name
			for n := 1; taken[p.key]; n++ {
				p.key = in + "_" + p.name
				if n > 1 {
					p.key = fmt.Sprintf("%s_%d", p.key, n)
				}
			}
			taken[p.key] = true
		}
	}
}

// inputs are the members of an operation's arguments.
type inputs struct {
	properties objectMaker
	required   []string
	refs       []*place
}

func (in *inputs) add(key string, one *part, description string, required bool) {
	json := one.json
	if description != "" && !one.described && strings.HasPrefix(json, "{") {
		said := object{{"description", quoted(description)}}.String()
		if json = strings.TrimPrefix(json, "{"); json != "}" {
			said = strings.TrimSuffix(said, "}") + "," + json
		}
		json = said
	}
	in.properties.set(key, json)
	in.refs = append(in.refs, one.refs...)
	if required {
		in.required = append(in.required, quoted(key))
	}
}

func (in *inputs) parameter(o *operation, p parameter, s *shapes) {
	one := s.bounded(p.schema, sent)
	if p.schema == nil {
		one = &part{json: `{"type":["string","number","boolean"]}`}
	}
	in.add(p.key, one, p.at.text("description"), p.required)
	p.at, p.schema = nil, nil // a call needs the document no more
	o.parameters = append(o.parameters, p)
}

// schema is the whole.
func (in *inputs) schema(s *shapes) string {
	root := object{{"type", `"object"`}, {"properties", in.properties.made.String()}}
	if len(in.required) > 0 {
		root.set("required", list(in.required))
	}
	root.set("additionalProperties", "false")
	return s.complete(root, len(in.properties.made.String()), in.refs, sent)
}

// ignoredHeaders are parameters that OpenAPI says are none, and fields that HTTP keeps to itself.
var ignoredHeaders = []string{
	"Accept", "Content-Type", "Authorization", "Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive",
	"Upgrade", "Te", "Trailer", "Expect", "Proxy-Authorization", "Proxy-Connection",
}

func isIgnoredHeader(name string) bool {
	return slices.ContainsFunc(ignoredHeaders, func(known string) bool { return fieldName(known) == fieldName(name) })
}

func hasHeader(header map[string]string, name string) bool {
	for known := range header {
		if http.CanonicalHeaderKey(known) == http.CanonicalHeaderKey(name) {
			return true
		}
	}
	return false
}
