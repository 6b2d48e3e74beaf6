package upstream

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Unwrap makes of a tools/call result the value that a program sees, by the rules of codeMcpServer (@cloudflare/codemode,
// src/mcp.ts): a result that is an error throws its text; structuredContent counts before content; content that is all
// text is one string, or the JSON that it spells; anything else is the result object itself. The value's bytes are the
// wire's, so that no digit changes.
func Unwrap(result json.RawMessage) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(result, &fields) != nil || fields == nil {
		return result, nil
	}
	if value, ok := fields["toolResult"]; ok { // the protocol's first revision
		return value, nil
	}
	var content []json.RawMessage
	_ = json.Unmarshal(fields["content"], &content) // what is no list has no blocks
	texts, allText := textBlocks(content)
	if isTrue(fields["isError"]) {
		message := strings.Join(texts, "\n")
		if message == "" {
			message = "Tool call failed"
		}
		failed := &ToolError{Text: message}
		if data := fields["structuredContent"]; string(data) != "null" {
			failed.Data = data
		}
		return nil, failed
	}
	if value, ok := fields["structuredContent"]; ok && string(value) != "null" {
		return value, nil
	}
	if len(content) > 0 && allText {
		text := strings.Join(texts, "\n")
		if json.Valid([]byte(text)) {
			return json.RawMessage(text), nil
		}
		return quote(text), nil
	}
	if fields["content"] == nil {
		return append(json.RawMessage(`{"content":[]`), withComma(result)...), nil
	}
	return result, nil
}

// withComma returns an object's text behind its opening brace, led by a comma unless the object is empty.
func withComma(result json.RawMessage) []byte {
	rest := bytes.TrimSpace(bytes.TrimSpace(result)[1:])
	if rest[0] == '}' {
		return rest
	}
	return append([]byte{','}, rest...)
}

// textBlocks returns the texts of the text blocks, and whether there are no other blocks.
func textBlocks(content []json.RawMessage) (texts []string, all bool) {
	all = true
	for _, raw := range content {
		block := object(raw)
		if stringMember(block, "type") != "text" {
			all = false
			continue
		}
		texts = append(texts, stringMember(block, "text"))
	}
	return texts, all
}

// isTrue is JavaScript's truth of a JSON value, since servers also write "yes" and 1.
func isTrue(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "false", "null", "0", `""`:
		return false
	}
	return true
}

// quote is a string as JSON, without the escapes that only HTML needs.
func quote(text string) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string always has a rendering
	return bytes.TrimSpace(b.Bytes())
}
