package executor_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/codemode-go/codemode/executor/internal/wire"
)

// A fake worker speaks the frame protocol without an engine, and does what a program's text tells it: the good, the
// slow, and everything that a worker under hostile control may do. How it starts is its first argument.
type fake struct {
	out     *wire.Writer
	frames  chan wire.Frame
	control chan byte
}

func runFake(how string) {
	if other := misbehaviours[how]; other != nil {
		other(nil)
	}
	switch how {
	case "heir": // holds a worker's stdout, and writes frames for as long as somebody reads
		for empty := bytes.Repeat([]byte{1, 0, 0, 0, byte(wire.Logs)}, 4<<10); ; {
			os.Stdout.Write(empty)
		}
	case "silent":
		time.Sleep(time.Hour)
	case "exit":
		fmt.Fprintln(os.Stderr, "the license server is unreachable")
		os.Exit(3)
	case "talkative":
		fmt.Println("Welcome to the embedding program!")
		time.Sleep(time.Hour)
	}
	f := &fake{out: wire.NewWriter(os.Stdout), frames: make(chan wire.Frame), control: make(chan byte, 1)}
	go f.readControl()
	if how == "closed" { // is ready, and takes nothing
		os.Stdin.Close()
		f.ready()
		select {}
	}
	go f.readFrames()
	for {
		f.ready()
		run := <-f.frames
		for run.Kind != wire.Run {
			run = <-f.frames
		}
		f.program(string(run.Fields[1]))
	}
}

func (f *fake) readFrames() {
	in := wire.NewReader(bufio.NewReader(os.Stdin), 1<<30)
	for {
		frame, err := in.Read()
		if err != nil {
			os.Exit(0)
		}
		f.frames <- frame
	}
}

func (f *fake) readControl() {
	pipe := os.NewFile(wire.ControlDescriptor, "control")
	for b := make([]byte, 1); ; {
		if n, _ := pipe.Read(b); n == 0 {
			os.Exit(0)
		}
		select {
		case f.control <- b[0]:
		default:
		}
	}
}

func (f *fake) ready() {
	header, _ := json.Marshal(wire.ReadyHeader{Engine: "fake 1.0", Jail: []string{"none"}})
	f.send(wire.Ready, string(header))
}

func (f *fake) send(kind wire.Kind, fields ...string) {
	bytes := make([][]byte, len(fields))
	for i, field := range fields {
		bytes[i] = []byte(field)
	}
	f.out.Write(kind, bytes...)
	f.out.Flush()
}

func (f *fake) done(header wire.DoneHeader, value string) {
	text, _ := json.Marshal(header)
	f.send(wire.Done, string(text), value)
}

func (f *fake) terminated() {
	f.done(wire.DoneHeader{Failure: &wire.Failure{Kind: "terminated", Message: "terminated"}}, "")
}

// program does what the text says: a verb, a colon, the rest.
func (f *fake) program(text string) {
	verb, rest, _ := strings.Cut(text, ":")
	n, _ := strconv.Atoi(rest)
	switch verb {
	case "value":
		f.done(wire.DoneHeader{}, rest)
	case "undefined":
		f.done(wire.DoneHeader{Undefined: true}, "")
	case "sleep": // ms, without heeding the control pipe
		time.Sleep(time.Duration(n) * time.Millisecond)
		f.done(wire.DoneHeader{}, "1")
	case "fail": // JSON of a wire.Failure
		var failure wire.Failure
		json.Unmarshal([]byte(rest), &failure)
		f.done(wire.DoneHeader{Failure: &failure}, "")
	case "obey": // wait, and stop when told to
		f.send(wire.Logs, "log", "10", "waiting")
		<-f.control
		f.terminated()
	case "call-late": // make a call, be told to stop, and make another before it does
		f.send(wire.Call, "1", "api", "t", "[]")
		f.answer()
		<-f.control
		f.send(wire.Call, "2", "api", "t", "[]")
		f.terminated()
	case "late": // be told to stop, and have a value all the same
		<-f.control
		f.done(wire.DoneHeader{}, "7")
	case "hang":
		select {}
	case "calls": // make n calls at once, then wait for all answers
		f.calls(n)
	case "leave": // make n calls and do not wait
		for i := range n {
			f.send(wire.Call, strconv.Itoa(i), "api", "t"+strconv.Itoa(i), "[]")
		}
		f.done(wire.DoneHeader{}, `"left"`)
	case "arguments": // one call with n bytes of arguments
		f.send(wire.Call, "1", "api", "t", `["`+strings.Repeat("x", n)+`"]`)
		f.done(wire.DoneHeader{}, f.answer())
	case "fetch":
		header, _ := json.Marshal(wire.FetchHeader{URL: rest, Method: "POST", Headers: [][2]string{{"x-a", "1"}}, Redirect: "follow", HasBody: true})
		f.send(wire.Fetch, "1", string(header), "ping")
		f.done(wire.DoneHeader{}, f.fetched())
	case "memory": // come to hold n MiB, slowly enough for the watch to see it
		var blocks [][]byte
		for range n {
			block := make([]byte, 1<<20)
			for i := 0; i < len(block); i += 4096 {
				block[i] = 1
			}
			blocks = append(blocks, block)
			time.Sleep(2 * time.Millisecond)
		}
		runtime.KeepAlive(blocks)
		select {}
	case "spin":
		for i := 0; ; i++ {
			runtime.KeepAlive(i)
		}
	case "die":
		if n == 0 {
			os.Exit(5)
		}
		signal.Reset()
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			self.Signal(syscall.Signal(n))
		}
		select {}
	default:
		f.misbehave(verb)
	}
}

// fetched waits for the whole answer to request 1: [header, body].
func (f *fake) fetched() string {
	var head, body string
	for {
		frame := <-f.frames
		var header wire.FetchedHeader
		json.Unmarshal(frame.Fields[1], &header)
		body += string(frame.Fields[2])
		switch header.Step {
		case "":
			return fmt.Sprintf("[%s,%q]", frame.Fields[1], body)
		case wire.StepHead:
			head = string(frame.Fields[1])
		case wire.StepChunk:
			f.send(wire.Fetch, "1", `{"step":"pull"}`, "")
		case wire.StepEnd:
			return fmt.Sprintf("[%s,%q]", head, body)
		default:
			return fmt.Sprintf("[%s,%q]", frame.Fields[1], body)
		}
	}
}

func (f *fake) answer() string {
	frame := <-f.frames
	return string(frame.Fields[1])
}

func (f *fake) calls(n int) {
	for i := range n {
		f.send(wire.Call, strconv.Itoa(i), "api", "t"+strconv.Itoa(i), "[]")
	}
	answers := make([]string, 0, n)
	for len(answers) < n {
		select {
		case frame := <-f.frames:
			answers = append(answers, string(frame.Fields[1]))
		case <-f.control:
			f.terminated()
			return
		}
	}
	f.done(wire.DoneHeader{Refused: []string{"api.over"}}, "["+strings.Join(answers, ",")+"]")
}

// misbehaviours are those of files that not every system builds.
var misbehaviours = map[string]func(*fake){}

// misbehave breaks the frame protocol in one way.
func (f *fake) misbehave(how string) {
	if other := misbehaviours[how]; other != nil {
		other(f)
	}
	switch how {
	case "noise":
		os.Stdout.WriteString("\xff\xff\xff\x7fnoise")
	case "half-head":
		os.Stdout.Write([]byte{9, 0})
	case "half-head-exit":
		os.Stdout.Write([]byte{9, 0})
		os.Exit(0)
	case "half-body":
		os.Stdout.Write([]byte{9, 0, 0, 0, byte(wire.Done), 2, '{'})
	case "half-body-exit":
		os.Stdout.Write([]byte{9, 0, 0, 0, byte(wire.Done), 2, '{'})
		os.Exit(0)
	case "unknown-kind":
		f.send(99, "x")
	case "pool-kind":
		f.send(wire.Run, "{}", "x", "{}")
	case "few-fields":
		f.send(wire.Call, "1", "api")
	case "bad-id":
		f.send(wire.Call, "one", "api", "t", "[]")
	case "same-id":
		f.send(wire.Call, "1", "api", "t", "[]")
		f.send(wire.Call, "1", "api", "t", "[]")
	case "ready-early":
		f.ready()
	case "done-twice":
		f.done(wire.DoneHeader{}, "1")
		f.done(wire.DoneHeader{}, "2")
	case "call-after-done":
		f.done(wire.DoneHeader{}, "1")
		f.send(wire.Call, "1", "api", "t", "[]")
	case "bad-json":
		f.done(wire.DoneHeader{}, "{")
	case "bad-header":
		f.send(wire.Done, "nope", "1")
	case "bad-kind":
		f.done(wire.DoneHeader{Failure: &wire.Failure{Kind: "timeout", Message: "forged"}}, "")
	case "unheard-of":
		f.done(wire.DoneHeader{Unheard: []int{0}}, "1")
	case "unheard-before":
		f.done(wire.DoneHeader{Unheard: []int{-1}}, "1")
	case "unasked":
		f.terminated()
	case "bad-level":
		f.send(wire.Logs, "shout", "1", "x")
	case "bad-time":
		f.send(wire.Logs, "log", "soon", "x")
	case "log-flood":
		for {
			f.send(wire.Logs, "log", "1", strings.Repeat("x", 1000))
		}
	case "call-flood":
		for i := 0; ; i++ {
			f.send(wire.Call, strconv.Itoa(i), "api", "t", "[]")
		}
	case "heir":
		child := &exec.Cmd{Path: "/proc/self/exe", Args: []string{wire.ProcessName, "heir"}, Stdout: os.Stdout}
		if err := child.Start(); err != nil {
			os.Exit(1)
		}
	case "close-stdout":
		os.Stdout.Close()
	case "deaf": // make calls, and read no answer
		for i := range 20 {
			f.send(wire.Call, strconv.Itoa(i), "api", "big", "[]")
		}
	}
	select {}
}
