package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/codemode-go/codemode/dialect"
)

func normalizeCommand() command {
	return command{
		name:    "normalize",
		usage:   "normalize [--jsonl] [FILE]",
		summary: "Show the arrow that the dialect makes of a model's output.",
		description: `Reads raw model output and prints what the dialect makes of it: fences stripped, a trailing expression returned,
declarations called. It is what runs first, whether it is a program or not: words around a fence, or no code at all, come out within an
arrow and would fail as a syntax error. Only then does the code tool look for the program in such a text; run --config shows
what comes of it. With --jsonl each line of the input is a JSON string, and so is each line of the output.`,
		setup: func(flags *flag.FlagSet) runFunc {
			jsonl := flags.Bool("jsonl", false, "a JSON string a line, both ways")
			return func(ctx context.Context, term terminal, args []string) error {
				if *jsonl {
					return normalizeLines(ctx, term, args)
				}
				source, _, err := readInput(ctx, term, args, "a model's output")
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(term.out, dialect.NormalizeCode(string(source)))
				return err
			}
		},
	}
}

func normalizeLines(ctx context.Context, term terminal, args []string) error {
	input, name, err := openInput(ctx, term, args, "JSON strings, one a line,")
	if err != nil {
		return err
	}
	defer input.Close()
	out := bufio.NewWriter(term.out)
	defer out.Flush()
	return eachLine(input, func(number int, line []byte) error {
		if len(line) == 0 {
			return nil
		}
		var source string
		if err := json.Unmarshal(line, &source); err != nil {
			var kind *json.UnmarshalTypeError
			if errors.As(err, &kind) {
				return usagef("%s line %d: not a JSON string but of type %s", name, number, kind.Value)
			}
			return usagef("%s line %d: not a JSON string: %w", name, number, err)
		}
		return writeJSONLine(out, dialect.NormalizeCode(source))
	})
}

// writeJSONLine writes a value as one line of JSON, with <, > and & as they are.
func writeJSONLine(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}
