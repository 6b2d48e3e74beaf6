package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"unicode/utf8"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/dialect"
)

func typesCommand() command {
	return command{
		name:    "types",
		usage:   "types [--namespace N] [--form full|compact|index] [FILE]",
		summary: "Print the TypeScript declarations of a tools/list answer.",
		description: `Reads {"tools": [...]} as an MCP server answers tools/list, and prints what the model would be shown. A part of a
schema that cannot be printed is named on standard error; the rest is printed all the same.`,
		setup: func(flags *flag.FlagSet) runFunc {
			namespace := flags.String("namespace", "codemode", "the object `N` that programs find the tools on")
			form := flags.String("form", string(codetool.FormFull), "the `FORM`: full declarations, compact ones, or an index of the names")
			return func(ctx context.Context, term terminal, args []string) error {
				switch codetool.Form(*form) {
				case codetool.FormFull, codetool.FormCompact, codetool.FormIndex:
				default:
					return usagef("--form is full, compact or index, not %q", *form)
				}
				if dialect.SanitizeToolName(*namespace) != *namespace {
					return usagef("--namespace %q is no JavaScript identifier", *namespace)
				}
				data, name, err := readInput(ctx, term, args, "a tools/list answer")
				if err != nil {
					return err
				}
				tools, err := decodeTools(data)
				if err != nil {
					return usagef("%s: %v", name, err)
				}
				sayDoubles(term, tools)
				return printBlocks(term, "types", codetool.Declare([]codetool.Provider{{Name: *namespace, Tools: tools}}, codetool.Form(*form)))
			}
		},
	}
}

// checkJSON says where text is no JSON.
func checkJSON(data []byte) error {
	err := json.Unmarshal(data, new(json.RawMessage))
	if err == nil {
		return nil
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("not JSON: there is nothing in it")
	}
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("not JSON: %w", err)
	}
	before := data[:min(max(int(syntax.Offset)-1, 0), len(data))] // the offset counts the byte that is wrong in
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Errorf("not JSON: line %d, column %d: %w", bytes.Count(before, []byte("\n"))+1, column, err)
}

// sayDoubles names tools that no declaration shows, since an earlier one has the name.
func sayDoubles(term terminal, tools []codetool.RawTool) {
	seen := map[string]bool{}
	for i, tool := range tools {
		if seen[tool.Name] {
			fmt.Fprintf(term.err, "codemode types: tools[%d]: there is a tool %q already; that one is shown\n", i, tool.Name)
		}
		seen[tool.Name] = true
	}
}

// decodeTools reads {"tools": [...]}, or a whole JSON-RPC answer with it, keeping each schema's bytes. A tool that is malformed is
// an error that names it.
func decodeTools(data []byte) ([]codetool.RawTool, error) {
	if err := checkJSON(data); err != nil {
		return nil, err
	}
	var list map[string]json.RawMessage
	if json.Unmarshal(data, &list) != nil || list == nil {
		return nil, errors.New(`want an object with "tools", as tools/list answers it`)
	}
	if result, whole := list["result"]; whole && list["tools"] == nil {
		return decodeTools(result)
	}
	if failed, whole := list["error"]; whole && list["tools"] == nil {
		return nil, fmt.Errorf("the answer is an error: %s", failed)
	}
	var entries []json.RawMessage
	if json.Unmarshal(list["tools"], &entries) != nil || entries == nil {
		return nil, errors.New(`there is no "tools" array, as tools/list answers it`)
	}
	tools := make([]codetool.RawTool, len(entries))
	for i, raw := range entries {
		tool, err := decodeTool(raw)
		if err != nil {
			return nil, fmt.Errorf("tools[%d]: %w", i, err)
		}
		tools[i] = tool
	}
	return tools, nil
}

func decodeTool(raw json.RawMessage) (tool codetool.RawTool, err error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return tool, errors.New("want an object")
	}
	for key, text := range map[string]*string{"name": &tool.Name, "title": &tool.Title, "description": &tool.Description} {
		if value := fields[key]; value != nil && json.Unmarshal(value, text) != nil {
			return tool, fmt.Errorf("%q is not a text", key)
		}
	}
	if tool.Name == "" {
		return tool, errors.New(`"name" is missing`)
	}
	tool.InputSchema, tool.OutputSchema = fields["inputSchema"], fields["outputSchema"]
	return tool, nil
}
