package main

import (
	"context"
	"flag"

	"github.com/codemode-go/codemode/mcpserver"
	"github.com/codemode-go/codemode/mcpserver/config"
)

func wrapCommand() command {
	return command{
		name:    "wrap",
		usage:   "wrap [--name N] [--http ADDR [--token-file F]] [--ui ADDR] -- CMD ARGS…",
		summary: "Serve the code tool in front of one stdio MCP server, without a file.",
		description: `CMD is started with the whole environment of codemode, as it would be without it. Its tools are in the namespace
codemode, unless --name says otherwise.`,
		startsAnother: true,
		setup: func(flags *flag.FlagSet) runFunc {
			var o serveOptions
			o.declare(flags)
			name := flags.String("name", "codemode", "the namespace `N` that programs find the tools on")
			return func(ctx context.Context, term terminal, args []string) error {
				if len(args) == 0 {
					return usagef("say which server: codemode wrap -- CMD ARGS…")
				}
				if config.Namespace(*name) != *name {
					return usagef("--name %q cannot be a namespace; %q could", *name, config.Namespace(*name))
				}
				return o.serve(ctx, term, mcpserver.Wrap(*name, args[0], args[1:]...), &config.Config{})
			}
		},
	}
}
