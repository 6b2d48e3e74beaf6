package config

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/codemode-go/codemode/protocol"
)

// Entry is the text that starts us in the host's file, as Replace takes it.
func (h *Host) Entry(executable, file string) (string, error) {
	args := []any{"serve", "--config", file}
	quoted := make([]string, len(args))
	for i, a := range args {
		text, err := json.Marshal(a)
		if err != nil {
			return "", err
		}
		quoted[i] = string(text)
	}
	program, err := json.Marshal(executable)
	if err != nil {
		return "", err
	}
	list := "[" + strings.Join(quoted, ", ") + "]"
	switch h.key {
	case "mcp_servers": // a JSON string is one of TOML and of YAML
		return fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = %s\n", EntryName, program, list), nil
	case "extensions":
		return fmt.Sprintf("%[1]s:\n  name: %[1]s\n  type: stdio\n  cmd: %[2]s\n  args: %[3]s\n  enabled: true\n  timeout: 300\n", EntryName, program, list), nil
	}
	entry := protocol.Object{}
	switch {
	case h.key == "mcp":
		entry = protocol.Object{{Key: "type", Value: "local"}, {Key: "command", Value: append([]any{executable}, args...)}, {Key: "enabled", Value: true}}
	case h.key == "context_servers":
		entry = protocol.Object{{Key: "source", Value: "custom"}}
	case h.ID == "vscode", h.ID == "claude-code":
		entry = protocol.Object{{Key: "type", Value: "stdio"}}
	case h.ID == "copilot":
		entry = protocol.Object{{Key: "type", Value: "local"}, {Key: "tools", Value: []any{"*"}}}
	}
	if h.key != "mcp" {
		entry = append(entry, protocol.Object{{Key: "command", Value: executable}, {Key: "args", Value: args}}...)
	}
	text, err := protocol.RenderJSON(entry, nil)
	return fmt.Sprintf("%q: %s", EntryName, text), err
}
