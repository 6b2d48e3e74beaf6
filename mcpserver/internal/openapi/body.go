package openapi

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// body is the request body of an operation.
type body struct {
	key      string // in the arguments
	media    string // as the document has it
	kind     bodyKind
	required bool
	fields   map[string]formField // of a form, what the document says of them
}

// formField is what a document says of one member of a form.
type formField struct {
	file                      bool
	contentType               string
	style                     string
	explode, styled, reserved bool
}

type bodyKind int

const (
	bodyJSON bodyKind = iota
	bodyForm
	bodyMultipart
	bodyText
	bodyBytes
)

func mediaType(text string) string {
	name, _, _ := strings.Cut(text, ";")
	return strings.ToLower(strings.TrimSpace(name))
}

func isJSON(media string) bool {
	media = mediaType(media)
	return media == "application/json" || media == "text/json" || media == "*/*" || media == "application/*" || strings.HasSuffix(media, "+json")
}

// isText reports whether a media type is one of texts.
func isText(media string) bool {
	media = mediaType(media)
	switch media {
	case "application/xml", "application/yaml", "application/x-yaml", "application/javascript", "application/graphql",
		"application/x-ndjson", "application/jsonl", "application/x-www-form-urlencoded", "application/sql", "application/toml":
		return true
	}
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+xml") || strings.HasSuffix(media, "+yaml") || isJSON(media)
}

func kindOfBody(media string) bodyKind {
	switch m := mediaType(media); {
	case isJSON(m):
		return bodyJSON
	case m == "application/x-www-form-urlencoded":
		return bodyForm
	case m == "multipart/form-data":
		return bodyMultipart
	case isText(m):
		return bodyText
	}
	return bodyBytes
}

// body reads what an operation takes.
func (r *reader) body(o *operation, op *place, input *inputs) error {
	if op.get("requestBody") == nil {
		return nil
	}
	at, err := op.get("requestBody").resolve()
	if err != nil {
		return err
	}
	types := at.get("content").members()
	if len(types) == 0 {
		return nil
	}
	best := types[0]
	for _, t := range types[1:] {
		if kindOfBody(t.key) < kindOfBody(best.key) {
			best = t
		}
	}
	o.body = &body{key: "body", media: best.key, kind: kindOfBody(best.key), required: at.flag("required", false)}
	if input.properties.has(o.body.key) {
		o.body.key = "requestBody"
	}
	for input.properties.has(o.body.key) {
		o.body.key += "_"
	}
	one := r.shapes.bounded(best.get("schema"), sent)
	switch schema := best.get("schema"); o.body.kind {
	case bodyForm, bodyMultipart:
		if schema, err = resolved(schema); err != nil {
			return err
		}
		o.body.fields = map[string]formField{}
		readFields(o.body.fields, schema, best.get("encoding"), map[*yaml.Node]bool{})
		if o.body.kind == bodyMultipart {
			one = r.files(schema, one, o.body.fields)
		}
	case bodyText:
		one = &part{json: `{"type":"string"}`}
	case bodyBytes:
		one = &part{json: object{{"type", `"string"`}, {"description", quoted("Base64 of " + best.key + ".")}}.String(), described: true}
	}
	input.add(o.body.key, one, at.text("description"), o.body.required)
	return nil
}

func resolved(p *place) (*place, error) {
	if p == nil {
		return nil, nil
	}
	return p.resolve()
}

// fileSchema is a file of a form.
const fileSchema = `{"anyOf":[{"type":"string","description":"Base64."},{"type":"object","properties":{"data":{"type":"string","description":"Base64."},"filename":{"type":"string"},"contentType":{"type":"string"}},"required":["data"],"additionalProperties":false}]}`

// readFields reads what a schema and an encoding say of a form's members, also where the schema is put together by allOf.
func readFields(fields map[string]formField, schema, encoding *place, seen map[*yaml.Node]bool) {
	if schema == nil || seen[schema.node] {
		return
	}
	seen[schema.node] = true
	encodings := encoding.byKey()
	for _, m := range schema.get("properties").members() {
		property, err := m.resolve()
		if err != nil {
			property = m
		}
		if items, err := resolved(property.get("items")); err == nil && items != nil {
			property = items
		}
		own := encodings[m.key]
		f := formField{file: isFile(property), contentType: own.text("contentType"), style: own.text("style"), reserved: own.flag("allowReserved", false)}
		f.styled = f.style != "" || own.get("explode") != nil
		f.explode = own.flag("explode", f.style == "" || f.style == "form")
		if strings.ContainsAny(f.contentType, "*,") {
			f.contentType = "" // a choice, and no type
		}
		if f.file && f.contentType == "" {
			f.contentType = property.text("contentMediaType")
		}
		fields[m.key] = f
	}
	for _, m := range schema.get("allOf").items() {
		if of, err := m.resolve(); err == nil {
			readFields(fields, of, encoding, seen)
		}
	}
}

// files is the schema of a form, its files as we take them.
func (r *reader) files(schema *place, one *part, fields map[string]formField) *part {
	c := &converter{shapes: r.shapes, way: sent, left: maxNodes}
	var properties objectMaker
	found := false
	for _, m := range schema.get("properties").members() {
		switch isFileHere := fields[m.key].file; {
		case isFileHere && m.get("items") != nil:
			properties.set(m.key, object{{"type", `"array"`}, {"items", fileSchema}}.String())
		case isFileHere:
			properties.set(m.key, fileSchema)
		case !c.hidden(m):
			properties.set(m.key, c.schema(m, 1))
		}
		found = found || fields[m.key].file
	}
	if !found {
		return one
	}
	out := object{{"type", `"object"`}, {"properties", properties.made.String()}}
	if required := schema.get("required"); required != nil {
		if names := c.required(schema, required); names != "" {
			out.set("required", names)
		}
	}
	return &part{json: out.String(), refs: c.refs}
}
