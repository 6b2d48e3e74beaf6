package stdio

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"
)

// maxSafe is the largest integer that mcp-go, which reads ids as float64, keeps.
const maxSafe = 1<<53 - 1

// idKey is the text under which a request is known while it runs, and whether its id is one at all. A string may be
// spelled with different escapes.
func idKey(id json.RawMessage) (key string, ok bool) {
	var s string
	var n json.Number
	switch {
	case len(id) == 0 || string(id) == "null":
		return "", false
	case id[0] == '"' && json.Unmarshal(id, &s) == nil:
		return "s" + s, true
	case id[0] != '"' && json.Unmarshal(id, &n) == nil:
		return "n" + n.String(), true
	}
	return "", false
}

// withSafeID replaces an id that mcp-go would round; the answer carries the id as it was sent either way.
func withSafeID(raw []byte, id json.RawMessage) []byte {
	if n, err := strconv.ParseInt(string(id), 10, 64); id[0] == '"' || err == nil && -maxSafe <= n && n <= maxSafe {
		return raw
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return raw
	}
	fields["id"] = encode("codemode:" + string(id))
	return encode(fields)
}

// reply puts the id as the client wrote it on an answer of mcp-go.
func reply(id json.RawMessage, message mcp.JSONRPCMessage) []byte {
	switch m := message.(type) {
	case mcp.JSONRPCResponse:
		result := encode(m.Result)
		if result == nil {
			break
		}
		return encode(struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Result  json.RawMessage `json:"result"`
		}{mcp.JSONRPC_VERSION, id, result})
	case mcp.JSONRPCError:
		return encode(struct {
			Version string                  `json:"jsonrpc"`
			ID      json.RawMessage         `json:"id"`
			Error   mcp.JSONRPCErrorDetails `json:"error"`
		}{mcp.JSONRPC_VERSION, id, m.Error})
	}
	return errorReply(id, mcp.INTERNAL_ERROR, "Internal error: the answer has no form")
}

// errorReply is an error of the connection's own; a nil id is null.
func errorReply(id json.RawMessage, code int, message string) []byte {
	if _, ok := idKey(id); !ok {
		id = json.RawMessage("null")
	}
	return reply(id, mcp.JSONRPCError{Error: mcp.JSONRPCErrorDetails{Code: code, Message: message}})
}

// encode is JSON on one line without the escapes that only HTML needs; nil when a value has no JSON.
func encode(v any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
