package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/codemode-go/codemode/mcpserver"
)

// accepting accepts tools, each written as SERVER or SERVER.TOOL, in place of printing them.
func accepting(list []string) toolPrinter {
	return func(term terminal, server *mcpserver.Server) error {
		for _, one := range list {
			accepted, err := accept(server, one)
			if err != nil {
				return err
			}
			for _, tool := range accepted {
				if _, err := fmt.Fprintf(term.out, "accepted %s\n", tool); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// accept accepts one. Names of servers and of tools may have dots in them: the longest server's name counts.
func accept(server *mcpserver.Server, one string) ([]string, error) {
	name, tool := "", "*"
	for _, s := range server.Servers() {
		rest, found := strings.CutPrefix(one, s.Name)
		if !found || len(s.Name) < len(name) || rest != "" && rest[0] != '.' {
			continue
		}
		name, tool = s.Name, "*"
		if rest != "" {
			tool = rest[1:]
		}
	}
	if name == "" {
		return nil, usagef("--accept %s: no server of the configuration has that name", one)
	}
	names, err := server.Accept(name, tool)
	if errors.Is(err, mcpserver.ErrNoSuchTool) {
		return nil, usageError{err}
	}
	for i := range names {
		names[i] = name + "." + names[i]
	}
	return names, err
}
