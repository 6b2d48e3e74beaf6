package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
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
	if _, _, err := readInput(ctx, terminal{in: silent}, nil); !errors.Is(err, interrupted) {
		t.Error(err)
	}
}
