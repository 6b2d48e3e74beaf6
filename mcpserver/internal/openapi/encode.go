package openapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"mime/multipart"
	"net/textproto"
	"strings"

	"go.yaml.in/yaml/v4"
)

// encode makes the body of an argument, and its content type.
func (b *body) encode(raw json.RawMessage) (text []byte, contentType string, err error) {
	if b.kind == bodyJSON {
		contentType = b.media
		if strings.ContainsRune(contentType, '*') {
			contentType = "application/json"
		}
		return raw, contentType, nil
	}
	value, err := parseJSON(raw)
	if err != nil {
		return nil, "", err
	}
	switch b.kind {
	case bodyForm:
		text, err = b.form(value)
		return text, b.media, err
	case bodyMultipart:
		return b.multipart(value)
	}
	if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!str" {
		return nil, "", fmt.Errorf("%s must be a string: %s", b.key, map[bodyKind]string{bodyText: "the text", bodyBytes: "base64"}[b.kind])
	}
	if contentType = b.media; strings.ContainsRune(contentType, '*') {
		contentType = map[bodyKind]string{bodyText: "text/plain", bodyBytes: "application/octet-stream"}[b.kind]
	}
	if b.kind == bodyText {
		return []byte(value.Value), contentType, nil
	}
	text, err = base64Bytes(value.Value)
	if err != nil {
		err = fmt.Errorf("%s %w", b.key, err)
	}
	return text, contentType, err
}

func base64Bytes(text string) ([]byte, error) {
	text = strings.TrimRight(text, "=")
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	data, err := encoding.DecodeString(text)
	if err != nil {
		return nil, errors.New("is not base64")
	}
	return data, nil
}

// form is a body of application/x-www-form-urlencoded. Objects are JSON unless the document has a style for them, as the
// specification says.
func (b *body) form(value *yaml.Node) ([]byte, error) {
	if value.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s must be an object", b.key)
	}
	var all []string
	for _, m := range pairs(value) {
		f, known := b.fields[m.key]
		e := escape(unreserved)
		if f.reserved {
			e = reservedToo
		}
		if m.value.Kind == yaml.MappingNode && !f.styled {
			all = append(all, unreserved(m.key)+"="+e(scalar(m.value)))
			continue
		}
		all = append(all, form(m.key, f.style, f.explode || !known, m.value, e)...)
	}
	return []byte(strings.Join(all, "&")), nil
}

// multipart is a body of multipart/form-data.
func (b *body) multipart(value *yaml.Node) ([]byte, string, error) {
	if value.Kind != yaml.MappingNode {
		return nil, "", fmt.Errorf("%s must be an object", b.key)
	}
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for _, m := range pairs(value) {
		items := []*yaml.Node{m.value}
		if m.value.Kind == yaml.SequenceNode {
			items = m.value.Content
		}
		for _, item := range items {
			if isNull(item) {
				continue
			}
			if err := writePart(w, m.key, b.fields[m.key], item); err != nil {
				return nil, "", fmt.Errorf("%s.%s %w", b.key, m.key, err)
			}
		}
	}
	err := w.Close()
	return out.Bytes(), w.FormDataContentType(), err
}

// writePart writes one value of a form.
func writePart(w *multipart.Writer, name string, f formField, value *yaml.Node) (err error) {
	disposition := `form-data; name="` + quotedName(name) + `"`
	data := []byte(scalar(value))
	if f.file {
		filename := name
		if value.Kind == yaml.MappingNode {
			if own := member(value, "filename"); own != nil {
				filename = own.Value
			}
			if own := member(value, "contentType"); own != nil {
				f.contentType = own.Value
			}
			if value = member(value, "data"); value == nil {
				return errors.New("needs data")
			}
		}
		if data, err = base64Bytes(value.Value); err != nil {
			return err
		}
		disposition += `; filename="` + quotedName(filename) + `"`
	}
	switch {
	case f.contentType != "":
	case f.file:
		f.contentType = "application/octet-stream"
	case value.Kind != yaml.ScalarNode:
		f.contentType = "application/json"
	}
	header := textproto.MIMEHeader{"Content-Disposition": {disposition}}
	if f.contentType != "" {
		if _, _, err := mime.ParseMediaType(f.contentType); err != nil || strings.ContainsAny(f.contentType, "\r\n") {
			return errors.New("has a contentType that is none")
		}
		header.Set("Content-Type", f.contentType)
	}
	out, err := w.CreatePart(header)
	if err == nil {
		_, err = out.Write(data)
	}
	return err
}

// quotedName is a name between quotes, as the HTML standard writes it.
func quotedName(name string) string {
	return strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A").Replace(name)
}
