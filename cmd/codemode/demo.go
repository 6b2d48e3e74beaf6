package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/mcpserver"
)

// demoProgram is the program of the seed document, as a model wrote it.
//
//go:embed demo_program.js
var demoProgram string

func demoCommand() command {
	return command{
		name:    "demo",
		usage:   "demo [--progress auto|plain|off]",
		summary: "Run the main job once on embedded data: no configuration, no key, no network.",
		description: `Starts "codemode serve --demo" (two tools over two users and three orders, as an MCP server in the same process),
connects a real MCP client to it over a real stdio pipe, prints the one tool's description, runs a program that a model
wrote for "What did Ada spend on shipped orders?", and shows what that cost.`,
		setup: func(flags *flag.FlagSet) runFunc {
			var mode progressMode
			mode.declare(flags)
			return func(ctx context.Context, term terminal, args []string) error {
				if len(args) > 0 {
					return usagef("demo takes no arguments, got %q", args)
				}
				ctx, cancel := context.WithTimeout(ctx, time.Minute)
				defer cancel()
				return runDemo(ctx, term, mode)
			}
		},
	}
}

// runDemo is the walk of the demonstration, in the order it prints.
func runDemo(ctx context.Context, term terminal, mode progressMode) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	say := func(format string, args ...any) { fmt.Fprintf(term.out, format+"\n", args...) }

	say("1. An MCP client starts `codemode serve --demo` and speaks MCP with it over stdio.\n")
	started := time.Now()
	host, err := connectDemo(ctx, self, term.err)
	if err != nil {
		return err
	}
	defer host.Close()
	tools, err := host.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return fmt.Errorf("tools/list: %w", err)
	}
	if len(tools.Tools) != 1 {
		return fmt.Errorf("tools/list has %d tools, want the one", len(tools.Tools))
	}
	tool := tools.Tools[0]
	say("   connected and listed in %s: one tool, %q\n", milliseconds(time.Since(started)), tool.Name)
	say("2. This is what the model reads about it:\n\n%s\n", indent(tool.Description))
	say("3. Asked \"What did Ada spend on shipped orders?\", a model writes one program:\n\n%s\n", indent(demoProgram))

	called := time.Now()
	progress := newProgress(term.err, mode, true)
	result, err := callDemo(ctx, host, tool.Name, progress)
	if progress != nil {
		fmt.Fprintln(term.err) // as between all parts
	}
	if err != nil {
		return fmt.Errorf("tools/call: %w", err)
	}
	took := time.Since(called)
	text := contentText(result)
	if result.IsError {
		return fmt.Errorf("the program failed: %s", text)
	}
	say("4. It ran in a fresh V8 isolate in a worker process; its calls came back to the host. The answer:\n\n   { result: %s }\n", text)
	return sayCost(say, tool, result, took)
}

// callDemo runs the program and shows its calls as the server tells of them.
func callDemo(ctx context.Context, host *client.Client, tool string, progress *progress) (*mcp.CallToolResult, error) {
	params := mcp.CallToolParams{Name: tool, Arguments: map[string]any{"code": demoProgram}}
	if progress != nil {
		params.Meta = &mcp.Meta{ProgressToken: "demo"}
		host.OnNotification(func(n mcp.JSONRPCNotification) {
			if text, ok := n.Params.AdditionalFields["message"].(string); ok && n.Method == "notifications/progress" {
				progress.told(text)
			}
		})
	}
	result, err := host.CallTool(ctx, mcp.CallToolRequest{Params: params})
	progress.finish(err == nil && !result.IsError)
	return result, err
}

// connectDemo starts the server and initializes a session with it.
func connectDemo(ctx context.Context, self string, stderr io.Writer) (*client.Client, error) {
	stdio := transport.NewStdioWithOptions(self, os.Environ(), []string{"serve", "--demo"}, transport.WithCommandStderrWriter(stderr))
	host := client.NewClient(stdio)
	if err := host.Start(context.WithoutCancel(ctx)); err != nil {
		return nil, fmt.Errorf("starting %s serve --demo: %w", self, err)
	}
	var request mcp.InitializeRequest
	request.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	request.Params.ClientInfo = mcp.Implementation{Name: "codemode-demo", Version: version()}
	if _, err := host.Initialize(ctx, request); err != nil {
		host.Close()
		return nil, fmt.Errorf("initialize: %w", err)
	}
	return host, nil
}

// sayCost prints what the run took, and what the one tool saves.
func sayCost(say func(string, ...any), tool mcp.Tool, result *mcp.CallToolResult, took time.Duration) error {
	used, err := usageOf(result)
	if err != nil {
		return err
	}
	raw, err := demoToolList()
	if err != nil {
		return err
	}
	rawTokens, err := countTokens(raw)
	if err != nil {
		return err
	}
	tokens, err := countTokens(tool.Description)
	if err != nil {
		return err
	}
	say("5. What it cost:\n")
	say("   tool calls     %d, in one turn of the model", used.Calls)
	say("   wall time      %s for the tool call, %.1f ms of it the program's", milliseconds(took), used.WallMs)
	say("   description    %d tokens (o200k); the two tools' own list is %d", tokens, rawTokens)
	say("\n   With two tools the description costs about what it replaces. It pays when there are many tools, and when")
	say("   their results are large: those stay in the isolate. `codemode tools --config F --format stats` shows yours.")
	return nil
}

// runUsage is what the server says of a run in the answer's _meta.
type runUsage struct {
	Calls  int
	WallMs float64
}

func usageOf(result *mcp.CallToolResult) (used runUsage, err error) {
	if result.Meta == nil {
		return used, fmt.Errorf("the answer has no _meta")
	}
	text, err := json.Marshal(result.Meta.AdditionalFields[mcpserver.UsageKey])
	if err != nil {
		return used, err
	}
	return used, json.Unmarshal(text, &used)
}

// demoToolList is the upstream's tools/list answer, as a client without codemode would read it.
func demoToolList() (string, error) {
	var list []mcp.Tool
	for _, tool := range newDemoUpstream().ListTools() {
		list = append(list, tool.Tool)
	}
	text, err := json.Marshal(map[string]any{"tools": list})
	return string(text), err
}

func contentText(result *mcp.CallToolResult) string {
	var parts []string
	for _, block := range result.Content {
		if text, ok := block.(mcp.TextContent); ok {
			parts = append(parts, text.Text)
		}
	}
	return strings.Join(parts, "\n")
}

func indent(text string) string {
	return "   " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n   ")
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}
