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
