package openapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"
)

// operation is one operation of a document, ready to be called.
type operation struct {
	method string
	// path is the template, query what stands behind a "?" in it.
	path, query string
	base        *base
	parameters  []parameter
	body        *body // nil takes none
	accept      string
	security    []string // the schemes whose values go along
	hatch       bool
}

// reader makes the operations of a document.
type reader struct {
	api    *API
	root   *place
	log    *complaints
	shapes *shapes
	names  map[string]int // see numbered
	// ownServers has the servers of paths and operations count.
	ownServers bool
}

// methods are those of OpenAPI without TRACE, whose answer is the request with the host's headers.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch"}

// paths reads all operations until ctx ends. One that cannot be called costs nothing but itself.
func (r *reader) paths(ctx context.Context) error {
	paths := r.root.get("paths")
	if paths != nil && !paths.isObject() {
		return paths.fail("is no object of paths")
	}
	for _, entry := range paths.members() {
		if !strings.HasPrefix(entry.key, "/") {
			continue // an extension
		}
		item, err := entry.resolve()
		if err != nil {
			r.log.Warn("a path of the document is left out", "error", err)
			continue
		}
		for _, method := range methods {
			if op := item.get(method); op.isObject() {
				if ctx.Err() != nil { // reading takes seconds when a document is large
					return ctx.Err()
				}
				if op, err = op.resolve(); err == nil { // some documents have their operations elsewhere
					err = r.operation(entry.key, method, item, op)
				}
				if err != nil {
					r.log.Warn("an operation of the document is left out", "operation", strings.ToUpper(method)+" "+entry.key, "error", err)
				}
			}
		}
	}
	return nil
}

// countOperations is how many operations a document has at least.
func countOperations(root *place) (n int) {
	for _, item := range root.get("paths").members() {
		for _, method := range methods {
			if item.get(method) != nil {
				n++
			}
		}
	}
	return n
}

// add makes a tool known.
func (r *reader) add(name string, o *operation, entry object) {
	r.api.operations[name] = o
	r.api.tools = append(r.api.tools, json.RawMessage(append(object{{"name", quoted(name)}}, entry...).String()))
}

// operation reads one operation.
func (r *reader) operation(path, method string, item, op *place) error {
	o := &operation{method: strings.ToUpper(method), base: r.api.base, security: r.api.guard.of(op)}
	path, _, _ = strings.Cut(path, "#") // some tell operations on one path apart by it
	o.path, o.query, _ = strings.Cut(path, "?")
	if err := r.server(o, item, op); err != nil {
		return err
	}
	parameters, err := r.parameters(o, item, op)
	if err != nil {
		return err
	}
	input := inputs{}
	for _, p := range parameters {
		input.parameter(o, p, r.shapes)
	}
	if err := r.body(o, op, &input); err != nil {
		return err
	}
	output := r.responses(o, op)
	name := r.name(op, method, path)
	entry := object{{"description", quoted(describe(op, method, path))}}
	entry = append(entry, jsonMember{"inputSchema", input.schema(r.shapes)})
	if output != "" {
		entry = append(entry, jsonMember{"outputSchema", output})
	}
	r.add(name, o, append(entry, jsonMember{"annotations", annotations(o.method)}))
	return nil
}

// server finds the base of an operation that has servers of its own.
func (r *reader) server(o *operation, item, op *place) (err error) {
	for _, own := range []*place{item, op} {
		if servers := own.get("servers"); r.ownServers && len(servers.items()) > 0 {
			if o.base, err = documentBase(own); err != nil {
				return err
			}
			if origin(o.base.url) != origin(r.api.base.url) {
				return servers.fail("are on another host than the API's, and one entry of the configuration is one host; give them an entry with their \"url\"")
			}
		}
	}
	return nil
}

// annotations are the hints of MCP that a method allows. Nothing is known of what the others do, so they may destroy.
func annotations(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true}`
	case http.MethodDelete:
		return `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true}`
	case http.MethodPut:
		return `{"readOnlyHint":false,"idempotentHint":true}`
	}
	return `{"readOnlyHint":false}`
}

// describe is what an operation says of itself, else its method and path.
func describe(op *place, method, path string) string {
	summary, text := strings.TrimSpace(op.text("summary")), strings.TrimSpace(op.text("description"))
	switch {
	case summary == "" && text == "":
		text = strings.ToUpper(method) + " " + path
	case text == "" || strings.EqualFold(strings.TrimRight(summary, "."), strings.TrimRight(text, ".")):
		text = summary
	case summary != "":
		text = summary + "\n\n" + text
	}
	if op.flag("deprecated", false) {
		text = "Deprecated. " + text
	}
	return text
}

// name is the operation's identifier, else one of its method and path, told apart from the others.
func (r *reader) name(op *place, method, path string) string {
	name := strings.TrimSpace(op.text("operationId"))
	if name == "" {
		words := strings.FieldsFunc(method+" "+path, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' })
		name = strings.Join(words, "_")
	}
	return r.free(name)
}

func (r *reader) free(name string) string {
	return numbered(r.names, name)
}

// numbered is a name that nobody has taken, and takes it: name itself, name_2 and so on. taken has the last number of each.
func numbered(taken map[string]int, name string) string {
	free := name
	for taken[free] > 0 {
		taken[name]++
		free = fmt.Sprintf("%s_%d", name, taken[name])
	}
	taken[free] = 1
	return free
}

// responses is the schema of what an operation answers with when it succeeds; empty when that is not known.
func (r *reader) responses(o *operation, op *place) string {
	var parts []*part
	var accept []string
	for _, s := range r.successes(op) {
		types := s.response.get("content").members()
		for _, t := range types {
			accept = append(accept, t.key)
		}
		parts = append(parts, r.result(s.status, types))
	}
	o.accept = acceptHeader(accept)
	parts = distinct(parts)
	switch {
	case len(parts) == 0 || slices.ContainsFunc(parts, func(p *part) bool { return p.json == "" || p.json == "{}" }):
		return ""
	case len(parts) == 1:
		return r.shapes.standalone(parts[0], received)
	}
	whole := &part{}
	var all []string
	for _, p := range parts {
		all = append(all, p.json)
		whole.refs = append(whole.refs, p.refs...)
	}
	whole.json = object{{"anyOf", list(all)}}.String()
	return r.shapes.standalone(whole, received)
}

// success is an answer that is none of failure.
type success struct {
	status   string
	response *place
}

// successes are those of an operation; the one for all statuses only when there are no others.
func (r *reader) successes(op *place) []success {
	var all, standard []success
	for _, m := range op.get("responses").members() {
		response, err := m.resolve()
		switch {
		case err != nil:
			r.log.Warn("an answer of the document is unknown", "error", err)
		case strings.HasPrefix(m.key, "2"):
			all = append(all, success{m.key, response})
		case m.key == "default":
			standard = append(standard, success{m.key, response})
		}
	}
	if len(all) == 0 {
		return standard
	}
	return all
}

// result is the schema of the value that an answer of these types becomes; empty when that is not known or may be bytes.
// Without a type there is no body only where the status says so: many documents leave it out.
func (r *reader) result(status string, types []*place) *part {
	if len(types) == 0 && (status == "204" || status == "205") {
		return &part{json: `{"type":"null"}`}
	}
	if len(types) == 0 {
		return &part{}
	}
	for _, t := range types {
		if isJSON(t.key) {
			return r.shapes.bounded(t.get("schema"), received)
		}
	}
	for _, t := range types {
		if !isText(t.key) {
			return &part{}
		}
	}
	return &part{json: `{"type":"string"}`}
}

func distinct(parts []*part) (list []*part) {
	for _, p := range parts {
		if !slices.ContainsFunc(list, func(known *part) bool { return known.json == p.json }) {
			list = append(list, p)
		}
	}
	return list
}

func acceptHeader(types []string) string {
	switch {
	case len(types) == 0:
		return "*/*"
	case slices.ContainsFunc(types, isJSON):
		return strings.Join(distinctJSON(types), ", ") + ", */*;q=0.1"
	}
	return strings.Join(types, ", ") + ", */*;q=0.1"
}

// distinctJSON are the types that are JSON, each once.
func distinctJSON(types []string) (list []string) {
	for _, t := range types {
		if isJSON(t) && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}

// maxAbout bounds what is told of an API as a whole, in characters.
const maxAbout = 500

// about is a few words on an API: its summary, else the first paragraph of its description.
func about(info *place) string {
	text := info.text("summary")
	if text == "" {
		text, _, _ = strings.Cut(strings.TrimSpace(info.text("description")), "\n\n")
	}
	if line := []rune(strings.Join(strings.Fields(text), " ")); len(line) > maxAbout {
		return string(line[:maxAbout]) + "…"
	}
	return strings.Join(strings.Fields(text), " ")
}

// isFile reports whether a schema is that of bytes.
func isFile(p *place) bool {
	if p == nil {
		return false
	}
	if p.text("format") == "binary" || p.text("contentEncoding") != "" {
		return true
	}
	kind := p.get("type")
	media := p.text("contentMediaType")
	return media != "" && !isText(media) && !isJSON(media) && (kind == nil || kind.node.Kind == yaml.ScalarNode && kind.node.Value == "string")
}
