package message

import "encoding/json"

// Check says what is wrong with a request's parameters before a decoder would, whose texts speak of Go; nil when nothing
// is. Lists here have one page, so that no cursor can be one of ours.
func (m *Message) Check() *Error {
	if len(m.Params) == 0 {
		return nil
	}
	var params map[string]json.RawMessage
	if json.Unmarshal(m.Params, &params) != nil || params == nil {
		return invalid("params must be an object")
	}
	for _, name := range []string{"name", "uri", "level", "cursor", "protocolVersion"} {
		if raw, ok := params[name]; ok && raw[0] != '"' {
			return invalid(name + " must be a string")
		}
	}
	for _, name := range []string{"_meta", "capabilities", "clientInfo"} { // arguments are for the tool to judge
		if raw, ok := params[name]; ok && raw[0] != '{' && string(raw) != "null" {
			return invalid(name + " must be an object")
		}
	}
	if raw := params["cursor"]; raw != nil && string(raw) != `""` {
		return invalid("the cursor is unknown; this list has one page")
	}
	return nil
}

func invalid(what string) *Error {
	return &Error{Code: CodeInvalidParams, Message: "Invalid params: " + what}
}
