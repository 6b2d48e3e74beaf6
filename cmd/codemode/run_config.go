package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/mcpserver"
)

// runOverServers runs one program over the servers of the configurations, as the code tool would, and prints what the model
// would read.
func (o runOptions) runOverServers(ctx context.Context, term terminal, args []string) (err error) {
	if o.json || o.jsonl || o.native {
		return usagef("with --config the input is a program, not a request: leave --json, --jsonl and --native out")
	}
	code, _, err := readInput(ctx, term, args, "a program")
	if err != nil {
		return err
	}
	o.serve.remote, o.serve.once = o.remote, true
	logger, err := o.serve.logger(term.err)
	if err != nil {
		return err
	}
	cfg, err := o.serve.load(term, logger)
	if err != nil {
		return err
	}
	o.serve.progress = newProgress(term.err, o.progress, true)
	server, closeAll, err := o.serve.newServer(ctx, mcpserver.FromConfig(cfg), cfg, logger)
	if err != nil {
		o.serve.progress.finish(false)
		return err
	}
	defer func() { err = errors.Join(err, closeAll()) }()
	result := server.CallTool(ctx, string(code))
	o.serve.progress.finish(!result.IsError)
	if _, err := fmt.Fprintln(term.out, readable(result)); err != nil {
		return err
	}
	if result.IsError {
		return errFailed
	}
	return nil
}

// readable is an answer's text, with a word in the place of each block that is none. The blocks are looked at as JSON, as a client
// gets them: those of an upstream are none of the types of mcp-go.
func readable(result *mcp.CallToolResult) string {
	var parts []string
	for _, content := range result.Content {
		var block struct{ Type, Text, Data, MIMEType, URI string }
		if raw, err := json.Marshal(content); err != nil || json.Unmarshal(raw, &block) != nil {
			parts = append(parts, "[a block that cannot be shown]")
			continue
		}
		switch block.Type {
		case "text":
			parts = append(parts, block.Text)
		case "image":
			parts = append(parts, fmt.Sprintf("[an image, %s, %d characters of base64]", block.MIMEType, len(block.Data)))
		case "audio":
			parts = append(parts, fmt.Sprintf("[a recording, %s, %d characters of base64]", block.MIMEType, len(block.Data)))
		case "resource_link":
			parts = append(parts, fmt.Sprintf("[a link to %s]", block.URI))
		case "resource":
			parts = append(parts, "[an embedded resource]")
		default:
			parts = append(parts, fmt.Sprintf("[a block of type %q]", block.Type))
		}
	}
	return strings.Join(parts, "\n")
}
