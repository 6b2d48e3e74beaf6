package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// openInput opens the one FILE argument of a command; absent or "-" is standard input, of which reading ends with ctx. A byte order mark at its start, as some
// editors put there, is not a part of it. A person at a terminal is told what is wanted.
func openInput(ctx context.Context, term terminal, args []string, wanted string) (io.ReadCloser, string, error) {
	if len(args) > 1 {
		return nil, "", usagef("one FILE at most, got %d arguments", len(args))
	}
	if fromStandardInput(args) {
		if isTyped(term) {
			fmt.Fprintf(term.err, "codemode: reading %s from standard input; Ctrl-D ends it (or name a FILE)\n", wanted)
		}
		return io.NopCloser(&unmarked{r: bufio.NewReaderSize(&interruptible{ctx: ctx, from: term.in}, 64<<10)}), "standard input", nil
	}
	file, err := os.Open(args[0])
	if err != nil {
		return nil, "", usageError{err}
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		file.Close()
		return nil, "", usagef("%s is a directory; name the file in it", args[0])
	}
	return struct {
		io.Reader
		io.Closer
	}{&unmarked{r: bufio.NewReader(file)}, file}, args[0], nil
}

func fromStandardInput(args []string) bool { return len(args) == 0 || args[0] == "-" }

// isTyped reports whether a person types what standard input has, and reads standard error.
func isTyped(t terminal) bool {
	in, _ := t.in.(*os.File)
	screen := fileOf(t.err)
	return in != nil && screen != nil && term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(screen.Fd()))
}

// interruptible reads until its context ends. Standard input may be a terminal or a pipe at which nobody writes, and no read of
// those can be called off: the last one stays behind until the process ends.
// The end stays one: a terminal goes on after Ctrl-D.
type interruptible struct {
	ctx   context.Context
	from  io.Reader
	ended error
}

func (i *interruptible) Read(p []byte) (int, error) {
	if i.ended != nil {
		return 0, i.ended
	}
	type read struct {
		data []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		data := make([]byte, len(p))
		n, err := i.from.Read(data)
		done <- read{data[:n], err}
	}()
	select {
	case got := <-done:
		i.ended = got.err
		return copy(p, got.data), got.err
	case <-i.ctx.Done():
		return 0, context.Cause(i.ctx)
	}
}

// unmarked reads a text without its byte order mark.
type unmarked struct {
	r       *bufio.Reader
	started bool
}

func (u *unmarked) Read(p []byte) (int, error) {
	if !u.started {
		u.started = true
		const mark = "\ufeff"
		if head, _ := u.r.Peek(len(mark)); string(head) == mark { // what fails fails again below
			_, _ = u.r.Discard(len(mark))
		}
	}
	return u.r.Read(p)
}

// readInput reads the one FILE argument whole.
func readInput(ctx context.Context, term terminal, args []string, wanted string) ([]byte, string, error) {
	input, name, err := openInput(ctx, term, args, wanted)
	if err != nil {
		return nil, "", err
	}
	defer input.Close()
	data, err := io.ReadAll(input)
	if err != nil {
		return nil, "", fmt.Errorf("reading %s: %w", name, err)
	}
	return data, name, nil
}

// maxLine bounds one line of a JSON Lines input: the largest source and module map a run accepts fit several times.
const maxLine = 256 << 20

// eachLine calls visit with each line, without the space around it, and its number from 1. A blank line is a line: whoever reads
// the answers counts them. The end of the last one starts none.
func eachLine(r io.Reader, visit func(number int, line []byte) error) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 0, 64<<10), maxLine)
	for number := 1; scanner.Scan(); number++ {
		line := bytes.TrimSpace(scanner.Bytes())
		if err := visit(number, line); err != nil {
			return err
		}
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a line is longer than %d bytes", maxLine)
	}
	return scanner.Err()
}
