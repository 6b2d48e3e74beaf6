// Command codemode puts one tool, code, in front of MCP servers: the model writes one JavaScript program that calls as
// many of their tools as it needs, the program runs in a V8 isolate in a hardened worker process, and one result goes
// back.
//
// Run `codemode help` for the commands. Exit codes: 0 fine, 1 the program or the check failed, 2 usage or configuration.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/codemode-go/codemode/executor/worker"
)

// The exit codes of every command.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// terminal is what a command talks to, so that tests can stand in for it.
type terminal struct {
	in       io.Reader
	out, err io.Writer
}

func main() {
	worker.Main() // does not return in a process that the pool started as a worker
	survivePipes()
	ctx, stop := signal.NotifyContext(context.Background(), endingSignals(os.Args[1:])...)
	code := dispatch(ctx, terminal{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:])
	stop()
	os.Exit(code)
}

// dispatch finds the command and runs it.
func dispatch(ctx context.Context, term terminal, args []string) int {
	term.out, term.err = onScreen(term.out), onScreen(term.err)
	if len(args) == 0 {
		printHelp(term.err)
		return exitUsage
	}
	name, rest := args[0], args[1:]
	switch name {
	case "help", "-h", "-help", "--help":
		return help(ctx, term, rest)
	case "-v", "-version", "--version":
		name = "version"
	}
	command, ok := findCommand(name)
	if !ok {
		fmt.Fprintf(term.err, "codemode: %s\n", unknownCommand(name))
		return exitUsage
	}
	return command.exec(ctx, term, rest)
}

// exec parses the command's flags and runs it.
func (c command) exec(ctx context.Context, term terminal, args []string) int {
	flags := newFlags(c.name)
	run := c.setup(flags)
	arguments, err := c.parse(flags, args)
	switch {
	case errors.Is(err, errHelp):
		c.printHelp(term.out)
		return exitOK
	case err != nil:
		fmt.Fprintf(term.err, "codemode %s: %v\nusage: codemode %s\n", c.name, err, c.usage)
		return exitUsage
	}
	return report(term, c, run(ctx, term, arguments))
}

// usageError is a mistake in the command line or a configuration: exit code 2.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errFailed ends a command with exit code 1 after it has said itself what failed.
var errFailed = errors.New("failed")

// report turns a command's error into a line on stderr and an exit code.
func report(term terminal, c command, err error) int {
	if err == nil {
		return exitOK
	}
	if errors.Is(err, errFailed) {
		return exitFailed
	}
	fmt.Fprintf(term.err, "codemode %s: %s\n", c.name, explain(err))
	if errors.As(err, new(usageError)) {
		return exitUsage
	}
	return exitFailed
}
