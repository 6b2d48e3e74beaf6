package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver"
)

func toolsCommand() command {
	return command{
		name:    "tools",
		usage:   "tools --config F [--config F]… [--format ts|json|description|stats] [--timeout D]",
		summary: "Show what the servers of a configuration offer, and what the model reads.",
		description: `Starts the servers, lists their tools and ends them. The formats:
  ts           the TypeScript declarations of all tools
  json         {"servers": [{"name", "namespace", "state", "reason"?, "tools": [{"name", "description", "inputSchema", …}]}]}
  description  the code tool's description, as a client that shows all of it gets it
  stats        characters and o200k tokens of the raw lists and of the declarations, a line a server

Exit code 1 when a server could not run; the others are shown all the same.`,
		setup: func(flags *flag.FlagSet) runFunc {
			var o serveOptions
			flags.Var((*stringList)(&o.files), "config", "a configuration `file`; may be repeated")
			flags.StringVar(&o.logLevel, "log-level", "error", "what goes to standard error: debug, info, warn or error")
			format := flags.String("format", "ts", "ts, json, description or stats")
			timeout := flags.Duration("timeout", time.Minute, "how long to wait for servers that start")
			return func(ctx context.Context, term terminal, args []string) error {
				print, known := toolFormats()[*format]
				switch {
				case len(args) > 0:
					return usagef("tools takes flags only, got %q", args)
				case !known:
					return usagef("--format is ts, json, description or stats, not %q", *format)
				case len(o.files) == 0:
					return usagef("say which servers: --config FILE")
				}
				return o.showTools(ctx, term, print, *timeout)
			}
		},
	}
}

type toolPrinter func(term terminal, server *mcpserver.Server) error

func toolFormats() map[string]toolPrinter {
	return map[string]toolPrinter{
		"ts": printDeclarations, "json": printToolsJSON, "stats": printStats,
		"description": func(term terminal, server *mcpserver.Server) error {
			_, err := fmt.Fprintln(term.out, server.Description())
			return err
		},
	}
}

// showTools starts the servers, prints what they have, and ends them.
func (o *serveOptions) showTools(ctx context.Context, term terminal, print toolPrinter, timeout time.Duration) (err error) {
	logger, err := o.logger(term.err)
	if err != nil {
		return err
	}
	cfg, err := o.load(term)
	if err != nil {
		return err
	}
	server, closeAll, err := o.newServer(mcpserver.FromConfig(cfg), cfg, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAll()) }()
	settling, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	server.Settled(settling)
	if err := print(term, server); err != nil {
		return err
	}
	failed := len(cfg.Problems) > 0
	for _, s := range server.Servers() {
		if s.State != "ready" {
			fmt.Fprintf(term.err, "codemode tools: server %q is %s: %s\n", s.Name, s.State, s.Reason)
			failed = true
		}
	}
	if failed {
		return errFailed
	}
	return nil
}

func printDeclarations(term terminal, server *mcpserver.Server) error {
	return printBlocks(term, "tools", server.Declarations())
}

// printBlocks prints declarations, and on standard error what they leave out.
func printBlocks(term terminal, command string, blocks []codetool.Declarations) error {
	for i, block := range blocks {
		for _, warning := range block.Warnings {
			fmt.Fprintf(term.err, "codemode %s: %s\n", command, warning)
		}
		if i > 0 {
			fmt.Fprintln(term.out)
		}
		if _, err := fmt.Fprintln(term.out, block.Text); err != nil {
			return err
		}
	}
	return nil
}

type (
	serverJSON struct {
		Name      string     `json:"name"`
		Namespace string     `json:"namespace"`
		State     string     `json:"state"`
		Reason    string     `json:"reason,omitempty"`
		Tools     []toolJSON `json:"tools"`
	}
	toolJSON struct {
		Name         string          `json:"name"`
		Title        string          `json:"title,omitempty"`
		Description  string          `json:"description,omitempty"`
		InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
		OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	}
)

func printToolsJSON(term terminal, server *mcpserver.Server) error {
	list := []serverJSON{}
	for _, s := range server.Servers() {
		one := serverJSON{Name: s.Name, Namespace: s.Namespace, State: s.State, Reason: s.Reason, Tools: []toolJSON{}}
		for _, tool := range s.Tools {
			one.Tools = append(one.Tools, toolJSON(tool))
		}
		list = append(list, one)
	}
	return writeJSONLine(term.out, map[string]any{"servers": list})
}

// printStats compares what a client would read without codemode with what it reads now.
func printStats(term terminal, server *mcpserver.Server) error {
	servers := server.Servers()
	table := tabwriter.NewWriter(term.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "server\ttools\traw chars\traw tokens\tdeclared chars\tdeclared tokens\t")
	var total [5]int
	declared := map[string]string{}
	for _, block := range server.Declarations() {
		declared[block.Namespace] = block.Text
	}
	for _, s := range servers {
		raw, err := rawList(s)
		if err != nil {
			return err
		}
		text := declared[s.Namespace]
		row := [5]int{len(s.Tools), characters(raw), 0, characters(text), 0}
		if row[2], err = countTokens(raw); err != nil {
			return err
		}
		if row[4], err = countTokens(text); err != nil {
			return err
		}
		for j := range row {
			total[j] += row[j]
		}
		statsRow(table, s.Name, row)
	}
	statsRow(table, "all", total)
	if err := table.Flush(); err != nil {
		return err
	}
	description := server.Description()
	tokens, err := countTokens(description)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(term.out, "\nthe code tool's description: %d characters, %d tokens (o200k)\n", characters(description), tokens)
	return err
}

func statsRow(table *tabwriter.Writer, name string, row [5]int) {
	fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t\n", name, row[0], row[1], row[2], row[3], row[4])
}

func characters(text string) int { return utf8.RuneCountInString(text) }

// rawList is a server's tools as a client reads them from tools/list.
func rawList(s mcpserver.ServerStatus) (string, error) {
	tools := make([]map[string]any, len(s.Tools))
	for i, tool := range s.Tools {
		tools[i] = map[string]any{"name": tool.Name, "description": tool.Description, "inputSchema": tool.InputSchema}
		if tool.OutputSchema != nil {
			tools[i]["outputSchema"] = tool.OutputSchema
		}
	}
	text, err := json.Marshal(map[string]any{"tools": tools})
	return string(text), err
}
