package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"

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
			namespace := flags.String("namespace", "codemode", "the object that programs find the tools on")
			form := flags.String("form", string(codetool.FormFull), "full declarations, compact ones, or an index of the names")
			return func(_ context.Context, term terminal, args []string) error {
				switch codetool.Form(*form) {
				case codetool.FormFull, codetool.FormCompact, codetool.FormIndex:
				default:
					return usagef("--form is full, compact or index, not %q", *form)
				}
				if dialect.SanitizeToolName(*namespace) != *namespace {
					return usagef("--namespace %q is no JavaScript identifier", *namespace)
				}
				data, name, err := readInput(term, args)
				if err != nil {
					return err
				}
				tools, err := decodeTools(data)
				if err != nil {
					return usagef("%s: %v", name, err)
				}
				return printBlocks(term, "types", codetool.Declare([]codetool.Provider{{Name: *namespace, Tools: tools}}, codetool.Form(*form)))
			}
		},
	}
}

// decodeTools reads {"tools": [...]}, keeping each schema's bytes. A tool that is malformed is an error that names it.
func decodeTools(data []byte) ([]codetool.RawTool, error) {
	var list struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	if list.Tools == nil {
		return nil, fmt.Errorf(`there is no "tools" array, as tools/list answers it`)
	}
	tools := make([]codetool.RawTool, len(list.Tools))
	for i, raw := range list.Tools {
		var tool struct {
			Name, Title, Description  string
			InputSchema, OutputSchema json.RawMessage
		}
		if err := json.Unmarshal(raw, &tool); err != nil {
			return nil, fmt.Errorf("tools[%d]: %w", i, err)
		}
		if tool.Name == "" {
			return nil, fmt.Errorf(`tools[%d]: "name" is missing`, i)
		}
		tools[i] = codetool.RawTool{
			Name: tool.Name, Title: tool.Title, Description: tool.Description,
			InputSchema: tool.InputSchema, OutputSchema: tool.OutputSchema,
		}
	}
	return tools, nil
}
