// Package message reads JSON-RPC messages by the letter. encoding/json takes "ID" and "Method" for "id" and "method",
// which JSON-RPC does not; this package reads the members by their exact names, and tells what an unreadable message was
// about.
//
//	m, err := message.Parse(line)
//	switch { case m.IsRequest(): … case m.IsNotification(): … case m.IsAnswer(): … }
package message

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Message is a JSON-RPC message of any kind. Members that are absent are nil.
type Message struct {
	Version, ID, Params, Result, Error json.RawMessage
	// Method is empty when the member is absent or no string.
	Method string
}

// ErrNoObject is JSON that is no object.
var ErrNoObject = errors.New("the message is no object")

// Parse reads one message.
func Parse(raw []byte) (*Message, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		var wrongType *json.UnmarshalTypeError
		if errors.As(err, &wrongType) {
			return nil, ErrNoObject
		}
		return nil, err
	}
	if members == nil {
		return nil, ErrNoObject
	}
	m := &Message{Version: members["jsonrpc"], ID: members["id"], Params: members["params"], Result: members["result"], Error: members["error"]}
	_ = json.Unmarshal(members["method"], &m.Method) // what is no string is no method
	return m, nil
}

// HasID reports whether there is an id that an answer can be found by.
func (m *Message) HasID() bool { return len(m.ID) > 0 && string(m.ID) != "null" }

// IsRequest, IsNotification and IsAnswer tell the kinds apart; none of them holds for what is no JSON-RPC.
func (m *Message) IsRequest() bool      { return m.Method != "" && m.HasID() }
func (m *Message) IsNotification() bool { return m.Method != "" && !m.HasID() }
func (m *Message) IsAnswer() bool {
	return m.Method == "" && m.HasID() && (m.Result != nil || m.Error != nil)
}

// Error is a JSON-RPC error.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error reads as the MCP SDKs word it for programs.
func (e *Error) Error() string { return fmt.Sprintf("MCP error %d: %s", e.Code, e.Message) }

// ErrorData is what programs find in the data of what they catch (protocol.DataError).
func (e *Error) ErrorData() json.RawMessage { return e.Data }

// The error codes of JSON-RPC and MCP that are used by name.
const (
	CodeParse              = -32700
	CodeInvalidRequest     = -32600
	CodeMethodNotFound     = -32601
	CodeInvalidParams      = -32602
	CodeInternal           = -32603
	CodeServer             = -32000
	CodeUnsupportedVersion = -32022
)

// Values is about how many values JSON text has: one, and one for each comma and each bracket that opens.
func Values(text []byte) int {
	values := 1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case ',', '[', '{':
			values++
		}
	}
	return values
}

// Strict reads one message, and returns it without the members whose names are those of JSON-RPC or of a request's
// parameters in another spelling, for a decoder that would take them for those. The text is raw itself when it has none.
func Strict(raw []byte) (text []byte, m *Message, err error) {
	if m, err = Parse(raw); err != nil {
		return nil, nil, err
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(raw, &members) // Parse has just done it
	odd := dropOdd(members, "jsonrpc", "id", "method", "params", "result", "error")
	var params map[string]json.RawMessage
	if json.Unmarshal(m.Params, &params) == nil && params != nil && dropOdd(params, parameters...) {
		odd = true
		if members["params"], err = json.Marshal(params); err != nil {
			return nil, nil, err
		}
	}
	if !odd {
		return raw, m, nil
	}
	text, err = json.Marshal(members)
	return text, m, err
}

// parameters are the names of MCP's parameters, of requests and notifications that clients send.
var parameters = []string{
	"name", "arguments", "cursor", "uri", "level", "protocolVersion", "capabilities", "clientInfo", "_meta", "requestId",
	"reason", "progressToken", "ref", "argument", "context", "notifications", "inputResponses", "requestState", "task", "taskId",
}

func dropOdd(members map[string]json.RawMessage, names ...string) (dropped bool) {
	for key := range members {
		if slices.Contains(names, key) || !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, key) }) {
			continue
		}
		delete(members, key)
		dropped = true
	}
	return dropped
}
