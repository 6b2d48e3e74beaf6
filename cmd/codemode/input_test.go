package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// Standard input at which nobody writes does not keep a command that is to end.
func TestReadingStandardInputEndsWithTheContext(t *testing.T) {
	silent, keptOpen, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	defer keptOpen.Close()
	interrupted := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(interrupted)
	for name, args := range map[string][]string{
		"types": nil, "normalize": nil, "normalize --jsonl": {"--jsonl"}, "run --json": {"--json"}, "run --jsonl": {"--jsonl"}, "run --config": {"--config", "none.json"},
	} {
		t.Run(name, func(t *testing.T) {
			command, _ := findCommand(strings.Fields(name)[0])
			if got := command.exec(ctx, terminal{silent, io.Discard, io.Discard}, args); got != exitFailed {
				t.Errorf("exit code %d", got)
			}
		})
	}
	if _, _, err := readInput(ctx, terminal{in: silent}, nil, ""); !errors.Is(err, interrupted) {
		t.Error(err)
	}
}

// A person at a terminal is told what a command waits for; a pipe on either side is not.
func TestAtATerminalIsToldWhatIsWanted(t *testing.T) {
	for _, at := range []struct{ args, want string }{
		{"types", "codemode: reading a tools/list answer from standard input; Ctrl-D ends it (or name a FILE)"},
		{"normalize", "codemode: reading a model's output from standard input;"},
		{"normalize --jsonl -", "codemode: reading JSON strings, one a line, from standard input;"},
		{"run --json", "codemode: reading a request, as JSON, from standard input;"},
		{"run --jsonl", "codemode: reading requests, as JSON, one a line, from standard input;"},
		{"run --config none.json", "codemode: reading a program from standard input;"},
		{"serve --demo", "codemode: waiting for an MCP client on standard input."},
		{"run --json testdata/none.json", "codemode run: open testdata/none.json"},
	} {
		primary, typed, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer primary.Close()
		defer typed.Close()
		if _, err := primary.Write([]byte{4}); err != nil { // Ctrl-D
			t.Fatal(err)
		}
		got := screened(t, func(file *os.File) { dispatch(t.Context(), terminal{typed, io.Discard, file}, strings.Fields(at.args)) })
		if !strings.HasPrefix(got, at.want) {
			t.Errorf("%s: %q", at.args, got)
		}
		if got := screened(t, func(file *os.File) {
			dispatch(t.Context(), terminal{strings.NewReader(""), io.Discard, file}, strings.Fields(at.args))
		}); strings.Contains(got, "standard input;") || strings.Contains(got, "waiting") {
			t.Errorf("%s with a pipe: %q", at.args, got)
		}
	}
}
