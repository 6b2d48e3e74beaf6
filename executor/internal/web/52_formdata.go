package web

import (
	"bytes"
	"encoding/json"
	"mime"
	"strings"
)

// formDataOps are the ops of 52_formdata.js.
func formDataOps() map[string]pureOp {
	return map[string]pureOp{
		"multipartParse": func(args []any) (any, error) {
			parts, ok := parseMultipart(args[0].([]byte), args[1].(string))
			if !ok {
				return nil, nil
			}
			text, err := json.Marshal(parts)
			return string(text), err
		},
	}
}

// parseMultipart finds the parts of a multipart/form-data body, each as name, file name (nil for a
// plain field), type, and the offsets of its content.
func parseMultipart(body []byte, boundary string) ([][5]any, bool) {
	delimiter := []byte("--" + boundary)
	parts := [][5]any{}
	at := bytes.Index(body, delimiter)
	if at != 0 {
		return nil, false
	}
	for {
		at += len(delimiter)
		if bytes.HasPrefix(body[at:], []byte("--")) {
			return parts, true
		}
		if !bytes.HasPrefix(body[at:], []byte("\r\n")) {
			return nil, false
		}
		head := at + 2
		headEnd := bytes.Index(body[head:], []byte("\r\n\r\n"))
		if headEnd < 0 {
			return nil, false
		}
		content := head + headEnd + 4
		length := bytes.Index(body[content:], append([]byte("\r\n"), delimiter...))
		if length < 0 {
			return nil, false
		}
		part, ok := partHeader(string(body[head : head+headEnd]))
		if !ok {
			return nil, false
		}
		part[3], part[4] = content, content+length
		parts = append(parts, part)
		at = content + length + 2
	}
}

// partHeader reads the fields of a part that matter.
func partHeader(head string) (part [5]any, ok bool) {
	part[2] = ""
	for line := range strings.SplitSeq(head, "\r\n") {
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.ToLower(field) {
		case "content-type":
			part[2] = value
		case "content-disposition":
			disposition, parameters, err := mime.ParseMediaType(value)
			name, named := parameters["name"]
			if err != nil || disposition != "form-data" || !named {
				return part, false
			}
			unescape := strings.NewReplacer("%22", `"`, "%0D", "\r", "%0A", "\n")
			part[0], ok = unescape.Replace(name), true
			if file, has := parameters["filename"]; has {
				part[1] = unescape.Replace(file)
			}
		}
	}
	return part, ok
}
