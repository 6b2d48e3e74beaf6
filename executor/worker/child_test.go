//go:build cgo && (linux || darwin)

package worker_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor/internal/wire"
	"github.com/codemode-go/codemode/executor/worker"
)

func TestMain(m *testing.M) {
	worker.Main()
	os.Exit(m.Run())
}

// child is a real worker process with the test on the pool's side of its pipes.
type child struct {
	t       testing.TB
	command *exec.Cmd
	in      *wire.Writer
	out     *wire.Reader
	control *os.File
	stderr  bytes.Buffer
	ready   wire.ReadyHeader
	learned [][]byte // the other fields of the last Ready
	looking *looking // with Options.Mailbox
}

// looking reads a worker's frames and looks into the mailbox all the time.
type looking struct {
	inbox     *wire.Inbox
	pipe      io.Reader
	byMailbox int // bytes
}

func (l *looking) Read(into []byte) (int, error) {
	given := time.Now().Add(10 * time.Second)
	l.inbox.Await(func() bool { time.Sleep(time.Millisecond); return time.Now().Before(given) })
	holds := l.inbox.Holds()
	n, err := l.inbox.Read(into, l.pipe.Read)
	if holds {
		l.byMailbox += n
	}
	return n, err
}

// startChild starts a worker and waits until it is ready. It ends with the test.
func startChild(t testing.TB, options wire.Options, prime ...[]byte) *child {
	t.Helper()
	return startChildIn(t, nil, options, prime...)
}

// startChildIn starts one whose runtime finds an environment.
func startChildIn(t testing.TB, environment []string, options wire.Options, prime ...[]byte) *child {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{t: t, control: write}
	c.command = &exec.Cmd{Path: executable, Args: append([]string{wire.ProcessName}, options.Args()...), Env: append([]string{}, environment...), Stderr: &c.stderr, ExtraFiles: []*os.File{read}}
	var mailbox *wire.Mailbox
	if options.Mailbox {
		var file *os.File
		if mailbox, file, err = wire.NewMailbox(); err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		c.command.ExtraFiles = append(c.command.ExtraFiles, file)
	}
	stdin, err := c.command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.command.Start(); err != nil {
		t.Fatal(err)
	}
	read.Close()
	var source io.Reader = stdout
	inbox, outbox := mailbox.PoolSide(stdin)
	if options.Mailbox {
		c.looking = &looking{inbox: inbox, pipe: stdout}
		source = c.looking
	}
	c.in, c.out = wire.NewWriter(outbox), wire.NewReader(source, 256<<20)
	t.Cleanup(func() {
		stdin.Close()
		write.Close()
		io.Copy(io.Discard, stdout)
		if err := c.command.Wait(); err != nil {
			t.Errorf("the worker ended badly: %v\n%s", err, c.stderr.String())
		}
		if err := mailbox.Close(); err != nil {
			t.Error(err)
		}
	})
	c.send(wire.Prime, prime...)
	c.awaitReady()
	return c
}

func (c *child) awaitReady() {
	c.t.Helper()
	frame := c.read()
	if frame.Kind != wire.Ready {
		c.t.Fatalf("a frame of kind %d where Ready was expected", frame.Kind)
	}
	if err := json.Unmarshal(frame.Fields[0], &c.ready); err != nil {
		c.t.Fatal(err)
	}
	c.learned = frame.Fields[1:]
}

func (c *child) read() wire.Frame {
	c.t.Helper()
	frame, err := c.out.Read()
	if err != nil {
		c.t.Fatalf("reading from the worker: %v\n%s", err, c.stderr.String())
	}
	return frame
}

func (c *child) send(kind wire.Kind, fields ...[]byte) {
	c.t.Helper()
	if err := c.in.Write(kind, fields...); err != nil {
		c.t.Fatal(err)
	}
	if err := c.in.Flush(); err != nil {
		c.t.Fatal(err)
	}
}

// call is one tool call of a program; answer is what the test says to it.
type call struct{ provider, tool, args string }

type program struct {
	code    string
	modules map[string]string
	header  *wire.RunHeader // nil: header("codemode")
	// answer gives the envelope of a call, or "" for none.
	answer func(call) string
	// fetch answers an outbound request.
	fetch func(wire.FetchHeader, []byte) (wire.FetchedHeader, []byte)
	// onLog is called with each line as it comes.
	onLog func(line string)
}

type outcome struct {
	done  wire.DoneHeader
	value string
	logs  []string // "level text"
	calls []call
}

// header is a RunHeader with room for everything.
func header(providers ...string) *wire.RunHeader {
	h := &wire.RunHeader{
		ConsoleFormat: "string", ArgumentBytes: 32 << 20, ResultBytes: 32 << 20, LogBytes: 1 << 20, LogLines: 10_000,
		ToolCalls: 10_000, CallsInFlight: 1_000, Timers: 10_000,
	}
	for _, name := range providers {
		h.Providers = append(h.Providers, wire.Provider{Name: name})
	}
	return h
}

// run runs one program and waits until the worker is ready for the next.
func (c *child) run(p program) outcome {
	c.t.Helper()
	h := p.header
	if h == nil {
		h = header("codemode")
	}
	text, err := json.Marshal(h)
	if err != nil {
		c.t.Fatal(err)
	}
	modules, err := json.Marshal(p.modules)
	if err != nil {
		c.t.Fatal(err)
	}
	c.send(wire.Run, text, []byte(p.code), modules)
	var o outcome
	for {
		frame := c.read()
		switch frame.Kind {
		case wire.Logs:
			for i := 0; i < len(frame.Fields); i += 3 {
				line := fmt.Sprintf("%s %s", frame.Fields[i], frame.Fields[i+2])
				o.logs = append(o.logs, line)
				if p.onLog != nil {
					p.onLog(line)
				}
			}
		case wire.Call:
			made := call{string(frame.Fields[1]), string(frame.Fields[2]), string(frame.Fields[3])}
			o.calls = append(o.calls, made)
			answer := echo(made)
			if p.answer != nil {
				answer = p.answer(made)
			}
			if answer != "" {
				c.send(wire.Answer, frame.Fields[0], []byte(answer))
			}
		case wire.Fetch:
			var head wire.FetchHeader
			if err := json.Unmarshal(frame.Fields[1], &head); err != nil {
				c.t.Fatal(err)
			}
			answer, body := p.fetch(head, frame.Fields[2])
			text, err := json.Marshal(answer)
			if err != nil {
				c.t.Fatal(err)
			}
			c.send(wire.Fetched, frame.Fields[0], text, body)
		case wire.Done:
			if err := json.Unmarshal(frame.Fields[0], &o.done); err != nil {
				c.t.Fatal(err)
			}
			o.value = string(frame.Fields[1])
			if o.done.Undefined {
				o.value = "undefined"
			}
			c.awaitReady()
			return o
		default:
			c.t.Fatalf("a frame of kind %d during a run", frame.Kind)
		}
	}
}

// echo answers a call with its first argument.
func echo(made call) string {
	var args []json.RawMessage
	if err := json.Unmarshal([]byte(made.args), &args); err != nil {
		return `{"error":` + strconv.Quote(err.Error()) + `}`
	}
	if len(args) == 0 {
		return `{}`
	}
	return `{"result":` + string(args[0]) + `}`
}

// check runs code and compares its value, or "Name: message" of its failure.
func (c *child) check(code, want string) {
	c.t.Helper()
	o := c.run(program{code: code})
	if got := o.summary(); got != want {
		c.t.Errorf("%s\n got %s\nwant %s", code, got, want)
	}
}

func (o outcome) summary() string {
	if f := o.done.Failure; f != nil {
		return strings.TrimPrefix(f.Name+": "+f.Message, ": ")
	}
	return o.value
}
