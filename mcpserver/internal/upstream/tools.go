package upstream

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/codemode-go/codemode/codetool"
)

// Tool is one tool as the server described it; the schemas are the bytes of the wire.
type Tool struct {
	Name, Title, Description string
	// Identifier is what programs call it where all tools of its server are.
	Identifier                string
	InputSchema, OutputSchema json.RawMessage
	// ReadOnly and Idempotent are the server's own hints that a second call does no harm. Destructive is, as the specification
	// has it, what does not say that it is not.
	ReadOnly, Idempotent, Destructive bool
	// Task says that it can only be called as a task.
	Task bool
}

// decodeTools reads the entries of tools/list one by one, so that a malformed one costs nothing but itself. Warnings are
// about what was left out.
func decodeTools(entries []json.RawMessage, include, exclude []string) (tools []Tool, warnings []string) {
	all, warnings := decodeAll(entries)
	identify(all)
	tools = slices.DeleteFunc(all, func(tool Tool) bool {
		return len(include) > 0 && !codetool.Matches(include, tool.includeNames()...) ||
			len(exclude) > 0 && codetool.Matches(exclude, tool.excludeNames()...)
	})
	identify(tools)
	return tools, warnings
}

// identify gives each of the tools its identifier among them.
func identify(tools []Tool) {
	names := make([]string, len(tools))
	for i := range tools {
		names[i] = tools[i].Name
	}
	for i, identifier := range codetool.ToolIdentifiers(names) {
		tools[i].Identifier = identifier
	}
}

// includeNames are the names under which a tool of a whole list can be included.
func (t *Tool) includeNames() []string { return []string{t.Name, t.Identifier} }

// excludeNames are those under which it can be excluded: also what it would be called without the others, lest it get the name
// of one that is left out.
func (t *Tool) excludeNames() []string {
	return append(t.includeNames(), codetool.ToolIdentifiers([]string{t.Name})...)
}

// idle are the globs that match none of the tools that a server listed, with the setting that has them.
func idle(entries []json.RawMessage, include, exclude []string) (idle []string) {
	if len(include)+len(exclude) == 0 {
		return nil
	}
	all, _ := decodeAll(entries)
	identify(all)
	for _, list := range []struct {
		setting string
		globs   []string
		names   func(*Tool) []string
	}{{"includeTools", include, (*Tool).includeNames}, {"excludeTools", exclude, (*Tool).excludeNames}} {
		for _, glob := range list.globs {
			if !slices.ContainsFunc(all, func(tool Tool) bool { return codetool.Matches([]string{glob}, list.names(&tool)...) }) {
				idle = append(idle, fmt.Sprintf("%s has %q", list.setting, glob))
			}
		}
	}
	return idle
}

func decodeAll(entries []json.RawMessage) (tools []Tool, warnings []string) {
	seen := map[string]bool{}
	for i, raw := range entries {
		tool, reason := decodeTool(raw)
		if reason == "" && seen[tool.Name] {
			reason = "is listed twice"
		}
		if reason != "" {
			warnings = append(warnings, fmt.Sprintf("tool %d (%q) %s; it is left out", i+1, tool.Name, reason))
			continue
		}
		seen[tool.Name] = true
		tools = append(tools, tool)
	}
	return tools, warnings
}

// decodeTool reads one entry member by member: a title that is no string is no title. The reason says why an entry is
// no tool that can be called.
func decodeTool(raw json.RawMessage) (tool Tool, reason string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return tool, "is no object"
	}
	tool.Name = stringMember(fields, "name")
	tool.Title = stringMember(fields, "title")
	tool.Description = stringMember(fields, "description")
	tool.InputSchema, tool.OutputSchema = schema(fields["inputSchema"]), schema(fields["outputSchema"])
	if tool.Title == "" {
		tool.Title = stringMember(object(fields["annotations"]), "title")
	}
	hints := object(fields["annotations"])
	tool.ReadOnly, tool.Idempotent = string(hints["readOnlyHint"]) == "true", string(hints["idempotentHint"]) == "true"
	tool.Destructive = string(hints["destructiveHint"]) != "false"
	tool.Task = stringMember(object(fields["execution"]), "taskSupport") == "required"
	if tool.Name == "" {
		return tool, "has no name"
	}
	return tool, ""
}

// schema drops what is no JSON Schema, which is an object or a boolean.
func schema(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || raw[0] != '{' && raw[0] != 't' && raw[0] != 'f' {
		return nil
	}
	return raw
}

func object(raw json.RawMessage) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(raw, &fields) // what is no object has no members
	return fields
}

func stringMember(fields map[string]json.RawMessage, key string) string {
	var s string
	_ = json.Unmarshal(fields[key], &s) // what is no string counts as missing
	return s
}
