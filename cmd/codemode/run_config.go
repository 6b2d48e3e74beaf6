package main

import (
	"context"
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

// readable is an answer's text, with a word in the place of each block that is none.
func readable(result *mcp.CallToolResult) string {
	var parts []string
	for _, block := range result.Content {
		switch block := block.(type) {
		case mcp.TextContent:
			parts = append(parts, block.Text)
		case mcp.ImageContent:
			parts = append(parts, fmt.Sprintf("[an image, %s, %d characters of base64]", block.MIMEType, len(block.Data)))
		case mcp.AudioContent:
			parts = append(parts, fmt.Sprintf("[a recording, %s, %d characters of base64]", block.MIMEType, len(block.Data)))
		case mcp.ResourceLink:
			parts = append(parts, fmt.Sprintf("[a link to %s]", block.URI))
		case mcp.EmbeddedResource:
			parts = append(parts, "[an embedded resource]")
		}
	}
	return strings.Join(parts, "\n")
}
