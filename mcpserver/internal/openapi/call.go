package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
	"golang.org/x/net/http/httpguts"
)

// outgoing is a request that is being put together.
type outgoing struct {
	path    string
	query   []string // name=value, escaped
	header  map[string]string
	cookies []string
}

// request makes the HTTP request of a call. An error is one of the arguments.
func (o *operation) request(a *API, arguments json.RawMessage) (*Request, error) {
	args := map[string]json.RawMessage{}
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &args); err != nil {
			return nil, errors.New("the arguments must be one object")
		}
	}
	if o.hatch {
		return o.free(a, args)
	}
	out := &outgoing{path: o.path, header: map[string]string{"Accept": o.accept}}
	if o.query != "" {
		out.query = append(out.query, o.query)
	}
	for i := range o.parameters {
		if err := out.add(&o.parameters[i], args[o.parameters[i].key]); err != nil {
			return nil, err
		}
	}
	var content []byte
	if o.body != nil {
		raw := args[o.body.key]
		switch {
		case len(raw) > 0 && !(o.body.kind != bodyJSON && string(raw) == "null"):
			text, contentType, err := o.body.encode(raw)
			if err != nil {
				return nil, err
			}
			content, out.header["Content-Type"] = text, contentType
		case o.body.required:
			return nil, fmt.Errorf("%s is missing", o.body.key)
		}
	}
	return o.finish(a, o.method, out, content)
}

// add puts one argument where it belongs.
func (out *outgoing) add(p *parameter, raw json.RawMessage) error {
	value := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
	if len(raw) > 0 {
		var err error
		if value, err = parseJSON(raw); err != nil {
			return fmt.Errorf("%s: %w", p.key, err)
		}
	}
	if isNull(value) {
		if p.required {
			return fmt.Errorf("%s is missing", p.key)
		}
		return nil
	}
	if p.json {
		value = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: string(raw)}
	}
	switch p.in {
	case "path":
		return out.inPath(p, value)
	case "query":
		e := escape(unreserved)
		if p.reserved {
			e = reservedToo
		}
		out.query = append(out.query, form(p.name, p.style, p.explode, value, e)...)
	case "header":
		text := simple(value, p.explode, plain)
		if !httpguts.ValidHeaderFieldValue(text) {
			return fmt.Errorf("%s holds a character that a header cannot, such as a line break", p.key)
		}
		out.header[p.name] = text
	case "cookie":
		out.cookies = append(out.cookies, form(p.name, p.style, p.explode, value, unreserved)...)
	}
	return nil
}

// inPath puts an argument into the path. An empty one would make another path of it.
func (out *outgoing) inPath(p *parameter, value *yaml.Node) error {
	text := ""
	switch p.style {
	case "label":
		text = label(value, p.explode, unreserved)
	case "matrix":
		text = matrix(p.name, value, p.explode, unreserved)
	default:
		text = simple(value, p.explode, unreserved)
	}
	if text == "" {
		return fmt.Errorf("%s is empty, and a part of a path cannot be", p.key)
	}
	// Values hold no brace once escaped, so they are not taken for places of others.
	out.path = strings.ReplaceAll(out.path, "{"+p.name+"}", text)
	return nil
}

// finish adds what the host sends, and puts the address together.
func (o *operation) finish(a *API, method string, out *outgoing, content []byte) (*Request, error) {
	path := percent(out.path, "%/:@!$&'()*+,;=")
	if err := checkPath(path); err != nil {
		return nil, err
	}
	a.guard.apply(o.security, out)
	query := strings.Join(out.query, "&")
	if o.base.query != "" {
		query = strings.TrimSuffix(o.base.query+"&"+query, "&")
	}
	address := o.base.prefix + path
	if query != "" {
		address += "?" + query
	}
	u, err := url.Parse(address)
	if err != nil || u.Host != o.base.url.Host || u.Scheme != o.base.url.Scheme {
		return nil, errors.New("the arguments make no address of this API")
	}
	if len(out.cookies) > 0 {
		deleteHeader(out.header, "Cookie")
		out.header["Cookie"] = strings.Join(out.cookies, "; ")
	}
	return &Request{Method: method, URL: address, Header: out.header, Body: content}, nil
}

// checkPath refuses what would leave the API's part of its host, however often it is escaped: some servers unescape more than
// once, and pass over what is no escape.
func checkPath(path string) error {
	for {
		for _, segment := range strings.FieldsFunc(path, func(c rune) bool { return c == '/' || c == '\\' || c == ';' }) {
			if segment == "." || segment == ".." {
				return errors.New("a path with . or .. as a part of it is not allowed")
			}
		}
		decoded := escaped.ReplaceAllStringFunc(path, func(one string) string {
			value, _ := strconv.ParseUint(one[1:], 16, 8) // it has two hexadecimal digits
			return string([]byte{byte(value)})
		})
		if decoded == path {
			return nil
		}
		path = decoded // which is shorter, so that there is an end
	}
}

var escaped = regexp.MustCompile("%[0-9A-Fa-f]{2}")

// free is a request that the program puts together itself.
func (o *operation) free(a *API, args map[string]json.RawMessage) (*Request, error) {
	var method, path string
	if json.Unmarshal(args["method"], &method) != nil || !slices.Contains(methods, strings.ToLower(method)) {
		return nil, fmt.Errorf("method must be one of %s", strings.ToUpper(strings.Join(methods, ", ")))
	}
	if json.Unmarshal(args["path"], &path) != nil || !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "#\\") {
		return nil, errors.New("path must begin with / and go on from the API's base, without a host, \\ and #")
	}
	out := &outgoing{header: map[string]string{"Accept": "application/json, */*;q=0.1"}}
	path, query, _ := strings.Cut(path, "?")
	if out.path = path; query != "" {
		values, err := url.ParseQuery(query)
		if err != nil {
			return nil, errors.New("path has a query that is none; put it into query")
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			for _, value := range values[name] {
				out.query = append(out.query, unreserved(name)+"="+unreserved(value))
			}
		}
	}
	if err := out.freely(a, args); err != nil {
		return nil, err
	}
	content, err := out.freeBody(args["body"])
	if err != nil {
		return nil, err
	}
	return o.finish(a, strings.ToUpper(method), out, content)
}

// freely adds query and headers of the program's own.
func (out *outgoing) freely(a *API, args map[string]json.RawMessage) error {
	if raw := args["query"]; len(raw) > 0 {
		query, err := parseJSON(raw)
		if err != nil || query.Kind != yaml.MappingNode {
			return errors.New("query must be an object")
		}
		for _, m := range pairs(query) {
			out.query = append(out.query, form(m.key, "form", m.value.Kind != yaml.MappingNode, m.value, unreserved)...)
		}
	}
	var header map[string]string
	if raw := args["headers"]; len(raw) > 0 && json.Unmarshal(raw, &header) != nil {
		return errors.New("headers must be an object of strings")
	}
	for name, value := range header {
		switch {
		case !httpguts.ValidHeaderFieldName(name), !httpguts.ValidHeaderFieldValue(value):
			return fmt.Errorf("the header %q holds a character that it cannot, such as a line break", name)
		case isOverride(name), isIgnoredHeader(name) && !strings.EqualFold(name, "Accept") && !strings.EqualFold(name, "Content-Type"), a.guard.setsHeader(name):
			return fmt.Errorf("the header %s is not for programs to set", name)
		}
		deleteHeader(out.header, name)
		out.header[name] = value
	}
	return nil
}

// fieldName is a header field's name for comparisons: servers that hand fields on as variables, as CGI has it, do not tell
// capitals apart, nor - and _.
func fieldName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "-")) }

// isOverride reports whether some servers would take another method or path from a header than policies see.
func isOverride(name string) bool {
	name = fieldName(name)
	return strings.HasPrefix(name, "x-http-method") || slices.Contains([]string{"x-method-override", "x-original-url", "x-rewrite-url"}, name)
}

func deleteHeader(header map[string]string, name string) {
	for known := range header {
		if fieldName(known) == fieldName(name) {
			delete(header, known)
		}
	}
}

// freeBody is a text when the program gives its type, which is not JSON; and JSON otherwise.
func (out *outgoing) freeBody(raw json.RawMessage) ([]byte, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	contentType := ""
	for name, value := range out.header {
		if strings.EqualFold(name, "Content-Type") {
			contentType = value
		}
	}
	var text string
	switch {
	case contentType == "":
		out.header["Content-Type"] = "application/json"
		return raw, nil
	case isJSON(contentType):
		return raw, nil
	case kindOfBody(contentType) == bodyForm && raw[0] == '{':
		return (&body{key: "body"}).formOf(raw)
	case json.Unmarshal(raw, &text) != nil:
		return nil, fmt.Errorf("body must be a string when its Content-Type is %s", contentType)
	}
	return []byte(text), nil
}

func (b *body) formOf(raw json.RawMessage) ([]byte, error) {
	value, err := parseJSON(raw)
	if err != nil {
		return nil, err
	}
	return b.form(value)
}
