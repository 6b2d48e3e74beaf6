package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/codemode-go/codemode/compat/casefile"
	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

func runCommand() command {
	return command{
		name:    "run",
		usage:   "run --json|--jsonl|--config F… [--check] [--native] [--concurrency N] [--progress auto|plain|off] [--remote URL… [--token T]] [FILE]",
		summary: "Run programs described as data, for scripts, or one program over the servers of a configuration.",
		description: `A request is {"code", "providers"?, "options"?, "name"?}: the tools a program may call are described as data, by the
kinds value, echo, echoAll, argc, describe, delay, delayEcho, never, throw, counter and args0keys. The answer is one line,
{"result"?, "error"?, "logs"}; there is no "result" when the program's value is undefined. With --jsonl there is a request
a line and an answer a line, in order; a request's name is repeated in its answer. With --native the request goes to the
executor as it is, without the dialect, and the answer is {"result"?, "failure"?, "logs", "usage", "calls"}.

With --config, FILE is a program. It runs once over the servers of the configuration, as a model's would, and standard output has
what the model would read. --check has it checked against the servers' declarations first, as serve --check does; a request has
no declarations that it could be checked against.

On a terminal the calls and a summary are shown on standard error; --progress plain shows them in plain lines elsewhere too.
Standard output has the answers and nothing else.

Exit code 1: a program failed (--json, --config), or at least one line was no request (--jsonl; its answer is {"error"}).`,
		setup: func(flags *flag.FlagSet) runFunc {
			var o runOptions
			flags.BoolVar(&o.json, "json", false, "one request, one answer")
			flags.BoolVar(&o.jsonl, "jsonl", false, "a request a line, an answer a line")
			flags.BoolVar(&o.native, "native", false, "the native contract instead of the dialect")
			flags.IntVar(&o.concurrency, "concurrency", runtime.GOMAXPROCS(0), "run `N` programs at one time with --jsonl")
			o.progress.declare(flags)
			o.remote.declare(flags)
			flags.Var((*stringList)(&o.serve.files), "config", "run a program over the servers of this configuration `file`; may be repeated")
			flags.BoolVar(&o.serve.check, "check", false, "with --config, check the program against the declarations before it runs, with tsgo or tsc on PATH")
			flags.StringVar(&o.serve.logLevel, "log-level", "warn", "with --config, what goes to standard error, from this `LEVEL` on: debug, info, warn or error")
			return func(ctx context.Context, term terminal, args []string) error {
				switch {
				case len(o.serve.files) > 0:
					return o.runOverServers(ctx, term, args)
				case o.serve.check:
					return usagef("--check goes with --config: a request has no declarations to check a program against")
				case o.json == o.jsonl:
					return usagef("say --json for one request or --jsonl for many, or --config for a program over your servers")
				}
				if o.concurrency < 1 {
					return usagef("--concurrency must be at least 1, got %d", o.concurrency)
				}
				return o.run(ctx, term, args)
			}
		},
	}
}

type runOptions struct {
	json, jsonl, native bool
	concurrency         int
	progress            progressMode
	remote              remoteOptions
	serve               serveOptions // with --config
}

// executor is what runs the programs: a daemon, or a pool of this process.
func (o runOptions) executor(ctx context.Context) (protocol.Executor, error) {
	daemon, err := o.remote.executor(ctx, nil)
	if daemon != nil || err != nil {
		return daemon, err
	}
	workers := 1
	if o.jsonl {
		workers = o.concurrency
	}
	return executor.New(&executor.Options{Workers: workers})
}

func (o runOptions) run(ctx context.Context, term terminal, args []string) error {
	if o.jsonl {
		return o.runLines(ctx, term, args)
	}
	input, name, err := openInput(ctx, term, args, "a request, as JSON,")
	if err != nil {
		return err
	}
	defer input.Close()
	pool, err := o.executor(ctx)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(input)
	if err != nil {
		return errors.Join(fmt.Errorf("reading %s: %w", name, err), pool.Close())
	}
	progress := newProgress(term.err, o.progress, true) // it counts the time from here
	runner := o.runner(progress.watch(pool))
	defer runner.dialect.Close()
	answer := runner.answer(ctx, text, 1)
	progress.finish(!answer.failed)
	if _, err := term.out.Write(answer.line); err != nil {
		return err
	}
	switch {
	case answer.malformed != nil:
		return usageError{fmt.Errorf("%s: %w", name, answer.malformed)}
	case answer.failed:
		return errFailed
	}
	return nil
}

// runLines answers a request a line.
func (o runOptions) runLines(ctx context.Context, term terminal, args []string) error {
	input, _, err := openInput(ctx, term, args, "requests, as JSON, one a line,")
	if err != nil {
		return err
	}
	defer input.Close()
	pool, err := o.executor(ctx)
	if err != nil {
		return err
	}
	mode := o.progress
	if mode == "auto" && fromStandardInput(args) && isTyped(term) {
		mode = "off" // it would write over what is typed
	}
	progress := newProgress(term.err, mode, false)
	runner := o.runner(progress.watch(pool))
	defer runner.dialect.Close()
	err = runner.lines(ctx, progress.writer(term.out), input, o.concurrency)
	progress.finish(err == nil)
	return err
}

func (o runOptions) runner(pool protocol.Executor) *caseRunner {
	return &caseRunner{native: o.native, pool: pool, dialect: dialect.New(pool, nil)}
}

// caseRunner runs requests in the case format, through the dialect or natively.
type caseRunner struct {
	native  bool
	pool    protocol.Executor
	dialect *dialect.Executor
}

// caseAnswer is one line of output and what it says.
type caseAnswer struct {
	line []byte
	// malformed is set when the text was no request.
	malformed error
	// failed says that the program failed, or never ran.
	failed bool
}

// answer runs the request of a text, which begins with a line of the input.
func (r *caseRunner) answer(ctx context.Context, text []byte, line int) caseAnswer {
	c, err := casefile.Parse(text)
	if err != nil {
		name := ""
		if c != nil {
			name = c.Name
		}
		if syntax := (*casefile.SyntaxError)(nil); errors.As(err, &syntax) {
			syntax.Line += line - 1
		}
		return caseAnswer{line: errorLine(name, err), malformed: err, failed: true}
	}
	if r.native {
		result, err := c.RunNative(ctx, r.pool, nil)
		if err != nil {
			return caseAnswer{line: errorLine(c.Name, err), failed: true}
		}
		return caseAnswer{line: named(c.Name, casefile.NativeLine(result)), failed: result.Failure != nil}
	}
	result, err := c.Run(ctx, r.dialect, nil)
	if err != nil {
		return caseAnswer{line: errorLine(c.Name, err), failed: true}
	}
	return caseAnswer{line: named(c.Name, casefile.NewOutcome(result).Line()), failed: result.Error != ""}
}

// lines answers a request a line, concurrency of them at one time, in the order of the requests.
func (r *caseRunner) lines(ctx context.Context, out io.Writer, input io.Reader, concurrency int) error {
	pending := make(chan chan caseAnswer, concurrency)
	slots := make(chan struct{}, concurrency)
	readErr := make(chan error, 1)
	var running sync.WaitGroup
	go func() {
		defer close(pending)
		readErr <- eachLine(input, func(number int, line []byte) error {
			text := append([]byte(nil), line...)
			answer := make(chan caseAnswer, 1)
			slots <- struct{}{}
			running.Go(func() {
				answer <- r.answer(ctx, text, number)
				<-slots
			})
			pending <- answer
			return ctx.Err()
		})
	}()
	malformed, err := writeAnswers(out, pending)
	running.Wait()
	if err := errors.Join(err, <-readErr); err != nil {
		return err
	}
	if malformed {
		return errFailed
	}
	return nil
}

// writeAnswers writes answers as they become ready in their order, and drains the channel even when writing fails.
func writeAnswers(out io.Writer, pending <-chan chan caseAnswer) (malformed bool, err error) {
	w := bufio.NewWriter(out)
	for answer := range pending {
		a := <-answer
		malformed = malformed || a.malformed != nil
		if err == nil {
			_, err = w.Write(a.line)
		}
		if err == nil && len(pending) == 0 {
			err = w.Flush()
		}
	}
	return malformed, errors.Join(err, w.Flush())
}

// named puts a request's name in front of its answer.
func named(name string, line []byte) []byte {
	if name == "" {
		return line
	}
	quoted, _ := json.Marshal(name) // a string always has a rendering
	head := append([]byte(`{"name":`), quoted...)
	if line[1] != '}' {
		head = append(head, ',')
	}
	return append(head, line[1:]...)
}

// errorLine is the answer to a request that never ran.
func errorLine(name string, err error) []byte {
	return named(name, (&casefile.Outcome{Error: err.Error()}).Line())
}
