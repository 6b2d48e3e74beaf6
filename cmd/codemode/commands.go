package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// command is one verb of the command line.
type command struct {
	name string
	// usage is the command line after "codemode ".
	usage string
	// summary is one line for the list, description the rest of the command's own help.
	summary, description string
	// setup declares the flags and returns what runs once they are parsed.
	setup func(flags *flag.FlagSet) runFunc
	// startsAnother says that the arguments are another program's command line, whose flags are not ours.
	startsAnother bool
}

type runFunc func(ctx context.Context, term terminal, args []string) error

var errHelp = flag.ErrHelp

// commands lists the verbs in the order a newcomer needs them.
func commands() []command {
	return []command{
		demoCommand(), serveCommand(), wrapCommand(), toolsCommand(), typesCommand(), runCommand(), daemonCommand(), normalizeCommand(), doctorCommand(), authCommand(), importCommand(), installCommand(), uninstallCommand(), runsCommand(), uiCommand(), schemaCommand(),
		completionCommand(), manCommand(), versionCommand(),
	}
}

func findCommand(name string) (command, bool) {
	for _, c := range commands() {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}

func newFlags(name string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // exec prints errors and help itself
	return flags
}

// parse reads the flags, which may stand before the arguments and after them, and returns the arguments.
func (c command) parse(flags *flag.FlagSet, args []string) ([]string, error) {
	var arguments []string
	for {
		if err := flags.Parse(args); err != nil {
			return nil, flagMistake(flags, args, err)
		}
		rest := flags.Args()
		read := len(args) - len(rest)
		if len(rest) == 0 || c.startsAnother || read > 0 && args[read-1] == "--" {
			return append(arguments, rest...), nil
		}
		arguments, args = append(arguments, rest[0]), rest[1:]
	}
}

// unexpected is the mistake of arguments where there are flags alone, and meant the flag that such an argument belongs to.
func unexpected(args []string, meant string) error {
	return usagef("unexpected %q; is %s %s meant?", args, meant, args[0])
}

func help(_ context.Context, term terminal, args []string) int {
	if len(args) == 0 {
		printHelp(term.out)
		return exitOK
	}
	c, ok := findCommand(args[0])
	if !ok {
		fmt.Fprintf(term.err, "codemode help: %s\n", unknownCommand(args[0]))
		return exitUsage
	}
	c.printHelp(term.out)
	return exitOK
}

const helpIntroduction = `codemode puts one tool, code, in front of your MCP servers. The model writes one JavaScript program that calls
their tools; it runs in a V8 isolate in a hardened worker process; one result goes back.`

func printHelp(w io.Writer) {
	fmt.Fprint(w, helpIntroduction+"\n\nusage: codemode COMMAND [flags]\n\n")
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	for _, c := range commands() {
		fmt.Fprintf(table, "  %s\t%s\n", c.name, c.summary)
	}
	table.Flush()
	fmt.Fprint(w, `
codemode help COMMAND shows a command's flags. FILE absent or - is standard input.
Exit codes: 0 fine, 1 the program or the check failed, 2 usage or configuration.
`)
}

func (c command) printHelp(w io.Writer) {
	fmt.Fprintf(w, "usage: codemode %s\n\n%s\n", c.usage, strings.TrimSpace(c.summary+"\n\n"+c.description))
	flags := newFlags(c.name)
	c.setup(flags)
	any := false
	flags.VisitAll(func(*flag.Flag) { any = true })
	if any {
		var list strings.Builder
		flags.SetOutput(&list)
		flags.PrintDefaults()
		// Package flag takes one dash and two; people write two, and so does all else that we print.
		fmt.Fprint(w, "\nflags:\n"+strings.ReplaceAll("\n"+list.String(), "\n  -", "\n  --")[1:])
	}
}
