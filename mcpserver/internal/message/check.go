package message

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Check says what is wrong with a request's parameters before a decoder would, whose texts speak of Go; nil when nothing
// is. Lists here have one page, so that no cursor can be one of ours. The tools are those that there are.
func (m *Message) Check(tools ...string) *Error {
	var params map[string]json.RawMessage
	if len(m.Params) > 0 && (json.Unmarshal(m.Params, &params) != nil || params == nil) {
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
	if m.Method == "tools/call" {
		return checkTool(params["name"], tools)
	}
	return nil
}

// checkTool says which tools there are when one is called that is not.
func checkTool(raw json.RawMessage, tools []string) *Error {
	var name string
	if raw == nil || json.Unmarshal(raw, &name) != nil {
		return invalid("name, of the tool to call, is missing")
	}
	if slices.Contains(tools, name) {
		return nil
	}
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "") + "…"
	}
	return &Error{Code: CodeInvalidParams, Message: fmt.Sprintf("Unknown tool: %s; there is %s here", name, strings.Join(tools, ", "))}
}

// maxName is how much of a name an error repeats.
const maxName = 100

func invalid(what string) *Error {
	return &Error{Code: CodeInvalidParams, Message: "Invalid params: " + what}
}
