package openapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/encoding/htmlindex"
)

// result is the tools/call result of an answer.
func (o *operation) result(response *http.Response) (json.RawMessage, error) {
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return refused(response), nil
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, MaxResponse+1))
	if err != nil {
		return nil, fmt.Errorf("the connection broke before the answer was complete (%w)", err)
	}
	if len(data) > MaxResponse {
		return failure(fmt.Sprintf("the answer has more than %d bytes (%d MiB), the limit of one answer", MaxResponse, MaxResponse>>20)), nil
	}
	media := response.Header.Get("Content-Type")
	value, isValue := valueOf(media, data)
	switch {
	case !isValue:
		return bytesResult(media, data), nil
	case o.hatch:
		value = object{{"status", fmt.Sprint(response.StatusCode)}, {"headers", headers(response.Header)}, {"body", value}}.String()
	}
	return valueResult(value), nil
}

// valueOf is the JSON value of an answer; ok is false for bytes.
func valueOf(media string, data []byte) (value string, ok bool) {
	if len(data) == 0 {
		return "null", true
	}
	kind := mediaType(media)
	if isJSON(kind) || kind == "" {
		if text := jsontext.Value(bytes.TrimPrefix(data, []byte("\ufeff"))); text.IsValid(jsontext.AllowDuplicateNames(true)) {
			return string(text), true
		}
	}
	if isText(kind) {
		return quoted(decoded(media, data)), true
	}
	if kind == "" && utf8.Valid(data) {
		return quoted(string(data)), true
	}
	return "", false
}

// decoded is a text in the character set that its type names.
func decoded(media string, data []byte) string {
	_, parameters, err := mime.ParseMediaType(media)
	if charset := parameters["charset"]; err == nil && charset != "" && !strings.EqualFold(charset, "utf-8") {
		if encoding, err := htmlindex.Get(charset); err == nil {
			if text, err := encoding.NewDecoder().Bytes(data); err == nil {
				return string(text)
			}
		}
	}
	return strings.TrimPrefix(string(data), "\ufeff")
}

// headers are the fields of an answer as a program sees them. A cookie is the host's.
func headers(header http.Header) string {
	var out object
	for name, values := range header {
		if name != "Set-Cookie" {
			out = append(out, jsonMember{strings.ToLower(name), quoted(strings.Join(values, ", "))})
		}
	}
	slices.SortFunc(out, func(a, b jsonMember) int { return strings.Compare(a.key, b.key) })
	return out.String()
}

// valueResult carries a value as it is. Null is a text, since there is no structured content that is null.
func valueResult(value string) json.RawMessage {
	if strings.TrimSpace(value) == "null" {
		return json.RawMessage(`{"content":[{"type":"text","text":"null"}]}`)
	}
	return json.RawMessage(`{"content":[],"structuredContent":` + value + `}`)
}

// bytesResult is a content block.
func bytesResult(media string, data []byte) json.RawMessage {
	kind := mediaType(media)
	if kind == "" {
		kind = "application/octet-stream"
	}
	text := quoted(base64.StdEncoding.EncodeToString(data))
	block := object{{"type", `"resource"`}, {"resource", object{{"uri", `"response:body"`}, {"mimeType", quoted(kind)}, {"blob", text}}.String()}}
	switch family, _, _ := strings.Cut(kind, "/"); family {
	case "image", "audio":
		block = object{{"type", quoted(family)}, {"data", text}, {"mimeType", quoted(kind)}}
	}
	return json.RawMessage(object{{"content", list([]string{block.String()})}}.String())
}

// failure is a result that is thrown in the program.
func failure(text string) json.RawMessage {
	return json.RawMessage(`{"content":[{"type":"text","text":` + quoted(text) + `}],"isError":true}`)
}

// refused is an answer with another status than 2xx.
func refused(response *http.Response) json.RawMessage {
	text := fmt.Sprintf("HTTP %d %s", response.StatusCode, http.StatusText(response.StatusCode))
	switch code := response.StatusCode; {
	case code >= 300 && code < 400 && response.Header.Get("Location") != "":
		return failure(fmt.Sprintf("%s: it leads to %s, where a call does not follow it", text, response.Header.Get("Location")))
	case code == http.StatusUnauthorized:
		text += ` (the login comes from "headers" or "security" of the server's entry in the configuration)`
	}
	if after := response.Header.Get("Retry-After"); after != "" {
		text += ", retry after " + after
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, MaxErrorBody+1))
	if said := strings.TrimSpace(errorText(response.Header.Get("Content-Type"), data)); err == nil && said != "" {
		text += ": " + said
	}
	return failure(text)
}

// errorText is the beginning of what a failed request answered.
func errorText(media string, data []byte) string {
	if kind := mediaType(media); !isText(kind) && !(kind == "" && utf8.Valid(data)) {
		return ""
	}
	if len(data) > MaxErrorBody {
		return strings.ToValidUTF8(decoded(media, data[:MaxErrorBody]), "") + "…"
	}
	return strings.ToValidUTF8(decoded(media, data), "\ufffd")
}
