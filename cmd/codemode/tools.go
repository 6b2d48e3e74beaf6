package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver"
)

func toolsCommand() command {
	return command{
		name:    "tools",
		usage:   "tools --config F [--config F]… [--format ts|compact|json|description|stats] [--timeout D] [--accept SERVER[.TOOL]]…",
		summary: "Show what the servers of a configuration offer, and what the model reads.",
		description: `Starts the servers, lists their tools and ends them. The formats:
  ts           the TypeScript declarations of all tools, and a comment for a server that could not run
  compact      the same in the short form
  json         {"servers": [{"name", "namespace", "state", "reason"?, "tools": [{"name", "description", "inputSchema", …}]}]}
  description  the code tool's description, within --budget and in the form that --description says
  stats        a line a server: characters and o200k tokens of its raw tools/list, of the full declarations, of the
               compact ones and of the index, which is a line a tool

With --accept, nothing of that is printed: a tool that is withheld because it changed (codemode.pins of the configuration), or
all of a server's, is from now on what it is today. Servers that are running take note within seconds.

Exit code 1 when a server could not run; the others are shown all the same.`,
		setup: func(flags *flag.FlagSet) runFunc {
			var o serveOptions
			flags.Var((*stringList)(&o.files), "config", "a configuration `file`; may be repeated")
			flags.StringVar(&o.logLevel, "log-level", "error", "what goes to standard error, from this `LEVEL` on: debug, info, warn or error")
			o.declareDescription(flags)
			format := flags.String("format", "ts", "the `FORMAT`: ts, compact, json, description or stats")
			timeout := flags.Duration("timeout", time.Minute, "how long to wait for servers that start")
			var accept stringList
			flags.Var(&accept, "accept", "take a `SERVER`'s tools, or one of them, as they are now; may be repeated")
			return func(ctx context.Context, term terminal, args []string) error {
				print, known := toolFormats()[*format]
				switch {
				case len(args) > 0:
					return unexpected(args, "--config")
				case !known:
					return usagef("--format is ts, compact, json, description or stats, not %q", *format)
				case len(o.files) == 0:
					return usagef("say which servers: --config FILE")
				}
				if len(accept) > 0 {
					print = accepting(accept)
				}
				return o.showTools(ctx, term, print, *timeout)
			}
		},
	}
}

type toolPrinter func(term terminal, server *mcpserver.Server) error

func toolFormats() map[string]toolPrinter {
	return map[string]toolPrinter{
		"json": printToolsJSON, "stats": printStats,
		"ts": func(term terminal, server *mcpserver.Server) error {
			return printBlocks(term, "tools", readyOnly(server, codetool.FormFull))
		},
		"compact": func(term terminal, server *mcpserver.Server) error {
			return printBlocks(term, "tools", readyOnly(server, codetool.FormCompact))
		},
		"description": func(term terminal, server *mcpserver.Server) error {
			_, err := fmt.Fprintln(term.out, server.Description())
			return err
		},
	}
}

// readyOnly are the servers' declarations, and a comment in the place of those of a server that did not answer.
func readyOnly(server *mcpserver.Server, form codetool.Form) []codetool.Declarations {
	blocks := server.DeclarationsIn(form)
	for _, s := range server.Servers() {
		for i := range blocks {
			if blocks[i].Namespace == s.Namespace && s.State != "ready" && len(s.Tools) == 0 {
				blocks[i].Text = fmt.Sprintf("// %s: the server is %s", s.Namespace, s.State)
			}
		}
	}
	return blocks
}

// showTools starts the servers, prints what they have, and ends them.
func (o *serveOptions) showTools(ctx context.Context, term terminal, print toolPrinter, timeout time.Duration) (err error) {
	logger, err := o.logger(term.err)
	if err != nil {
		return err
	}
	cfg, err := o.load(term, nil)
	if err != nil {
		return err
	}
	server, closeAll, err := o.newServer(ctx, mcpserver.FromConfig(cfg), cfg, logger)
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
		for _, tool := range s.Tools {
			if tool.Withheld != "" {
				fmt.Fprintf(term.err, "codemode tools: %s.%s: %s\n", s.Name, tool.Name, tool.Withheld)
			}
		}
		if s.State != "ready" {
			if s.Reason == "" {
				s.Reason = fmt.Sprintf("it has not answered within %s; --timeout waits longer", timeout)
			}
			is := "is " + s.State
			if s.State == "failed" {
				is = "has failed"
			}
			fmt.Fprintf(term.err, "codemode tools: server %q %s: %s\n", s.Name, is, s.Reason)
			failed = true
		}
	}
	if failed {
		return errFailed
	}
	return nil
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
		// Withheld says why programs may not call it.
		Withheld string `json:"withheld,omitempty"`
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
