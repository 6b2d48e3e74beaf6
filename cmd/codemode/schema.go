package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"

	"github.com/codemode-go/codemode/mcpserver/config"
)

func schemaCommand() command {
	return command{
		name:    "schema",
		usage:   "schema",
		summary: "Print the JSON Schema of a configuration file.",
		description: `An editor that knows it completes and checks the file while it is written: codemode schema > schema.json, and
{"$schema": "./schema.json", "mcpServers": {…}} in a configuration beside it. The schema is at no address of the web.
docs/configuration.md says the same for people.`,
		setup: func(*flag.FlagSet) runFunc {
			return func(_ context.Context, term terminal, args []string) error {
				if len(args) > 0 {
					return usagef("schema takes no arguments, got %q", args)
				}
				var text bytes.Buffer
				if err := json.Indent(&text, config.Schema(), "", "  "); err != nil {
					return err
				}
				_, err := term.out.Write(append(text.Bytes(), '\n'))
				return err
			}
		},
	}
}
