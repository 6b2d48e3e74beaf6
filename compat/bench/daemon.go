package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/remote"
)

// Comparison is a figure beside that of something else, measured in turns.
type Comparison struct {
	Name string `json:"name"`
	// Unit is "calls/s", "/s", "ms" or "MB".
	Unit string `json:"unit"`
	// Beside says what Other is of.
	Beside string  `json:"beside"`
	Other  float64 `json:"other"`
	Ours   float64 `json:"ours"`
	// Wanted is the bound that the project has set itself, in words.
	Wanted string `json:"wanted"`
}

// Ratio is ours by the other.
func (c Comparison) Ratio() float64 { return c.Ours / c.Other }

// Daemon are the daemon's figures, with where they come from.
type Daemon struct {
	Date        string       `json:"date"`
	Machine     string       `json:"machine"`
	Comparisons []Comparison `json:"comparisons"`
}

const (
	npm = "remote/testdata/npm"
	// npmRelease is what it has of the npm package that we are measured beside.
	npmRelease = "capnweb-0.12.0"
	// idleSessions are open at one time while the daemon's memory is read.
	idleSessions = 1000
)

// RunDaemon measures `codemode daemon` of a binary beside a local pool, and callbacks between two Go processes beside those
// between two processes of npm capnweb. Callbacks is a command that plays CallbackDaemon. It has to be called in the module's root.
func RunDaemon(ctx context.Context, binary string, callbacks []string, options *Options) (*Daemon, error) {
	b := &daemonBench{options: resolve(options), binary: binary, callbacks: callbacks}
	b.report = &Daemon{Date: time.Now().UTC().Format(time.DateOnly), Machine: machine()}
	for _, measure := range []func(context.Context) error{b.callbackRates, b.runs, b.idle} {
		if err := measure(ctx); err != nil {
			return nil, err
		}
	}
	return b.report, nil
}

type daemonBench struct {
	options   Options
	binary    string
	callbacks []string
	report    *Daemon
}

// compare measures two things in turns and keeps the medians.
func (b *daemonBench) compare(c Comparison, other, ours func() (float64, error)) error {
	b.options.Log(c.Name)
	var values [2][]float64
	for round := range b.options.Rounds + 1 {
		for i, measure := range []func() (float64, error){other, ours} {
			v, err := measure()
			if err != nil {
				return fmt.Errorf("%s: %w", c.Name, err)
			}
			if round > 0 { // the first warms up
				values[i] = append(values[i], v)
			}
		}
	}
	c.Other, c.Ours = median(values[0]), median(values[1])
	b.report.Comparisons = append(b.report.Comparisons, c)
	return nil
}

// callbackRates are how many calls a second the daemon gets answered by its host's function.
func (b *daemonBench) callbackRates(ctx context.Context) error {
	theirs, err := startNode(ctx)
	if err != nil {
		return err
	}
	defer theirs.close()
	client, hangUp, err := dialed(ctx, b.callbacks)
	if err != nil {
		return err
	}
	defer hangUp()
	ours := func(calls, parallel int) (time.Duration, error) {
		began := time.Now()
		result, err := client.Execute(ctx, &protocol.ExecuteRequest{
			Code: fmt.Sprint(calls, " ", parallel),
			Dispatch: func(context.Context, string, string, string) (string, error) {
				return `{"result":{"i":1}}`, nil
			},
		})
		if err == nil && result.Failure != nil {
			err = errors.New(result.Failure.Message)
		}
		return time.Since(began), err
	}
	rate := func(run func(calls, parallel int) (time.Duration, error), calls, parallel int) func() (float64, error) {
		return func() (float64, error) {
			took, err := run(calls, parallel)
			return float64(calls) / took.Seconds(), err
		}
	}
	beside := "npm capnweb, node to node"
	for _, c := range []struct {
		name, wanted    string
		calls, parallel int
	}{
		{"callbacks, one after the other", "≥ 1.0 times", 3_000, 1},
		{"callbacks, 100 at a time", "≥ 1.3 times", 20_000, 100},
	} {
		err := b.compare(Comparison{Name: c.name, Unit: "calls/s", Beside: beside, Wanted: c.wanted}, rate(theirs.run, c.calls, c.parallel), rate(ours, c.calls, c.parallel))
		if err != nil {
			return err
		}
	}
	return nil
}

// runs are single runs after a pause, through the daemon and through a pool of this process.
func (b *daemonBench) runs(ctx context.Context) error {
	pool, err := executor.New(nil)
	if err != nil {
		return err
	}
	defer pool.Close()
	client, hangUp, err := dialed(ctx, []string{b.binary, "daemon", "--listen", "127.0.0.1:0"})
	if err != nil {
		return err
	}
	defer hangUp()
	single := func(e protocol.Executor, code string) func() (float64, error) {
		return func() (float64, error) {
			const times = 10
			var sum time.Duration
			for range times {
				time.Sleep(pause)
				began := time.Now()
				result, err := e.Execute(ctx, &protocol.ExecuteRequest{Code: code})
				sum += time.Since(began)
				if err == nil && result.Failure != nil {
					err = errors.New(result.Failure.Message)
				}
				if err != nil {
					return 0, err
				}
			}
			return milliseconds(sum) / times, nil
		}
	}
	for _, c := range []struct{ name, wanted, code string }{
		{"trivial program", "≤ 0.6 ms more", "async () => 1"},
		{"result of 1 MB", "≤ 2.0 times", "async () => 'x'.repeat(1 << 20)"},
	} {
		if err := b.compare(Comparison{Name: c.name, Unit: "ms", Beside: "local pool", Wanted: c.wanted}, single(pool, c.code), single(client, c.code)); err != nil {
			return err
		}
	}
	return nil
}

// idle is the memory of a daemon with many sessions that do nothing, beside that of one with none.
func (b *daemonBench) idle(ctx context.Context) error {
	b.options.Log("idle sessions")
	daemon, url, err := startListening(ctx, []string{b.binary, "daemon", "--listen", "127.0.0.1:0"})
	if err != nil {
		return err
	}
	defer end(daemon)
	time.Sleep(time.Second)
	before, err := proportionalMemory(daemon.Process.Pid)
	if err != nil {
		return err
	}
	for range idleSessions {
		client, err := remote.Dial(ctx, url, nil)
		if err != nil {
			return err
		}
		defer client.Close()
	}
	time.Sleep(time.Second)
	after, err := proportionalMemory(daemon.Process.Pid)
	b.report.Comparisons = append(b.report.Comparisons, Comparison{
		Name: fmt.Sprintf("memory with %d idle sessions", idleSessions), Unit: "MB", Beside: "without any", Wanted: "≤ 60 MB more",
		Other: float64(before) / (1 << 20), Ours: float64(after) / (1 << 20),
	})
	return err
}

// CallbackDaemon serves until its input ends: a daemon without programs, whose runs call their dispatch as often, and as many
// times at once, as the code says ("2000 1").
func CallbackDaemon(in io.Reader, out io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	handler, err := remote.NewHandler(callbackExecutor{}, nil)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler}
	go server.Serve(listener) // ends with Close
	fmt.Fprintf(out, "listening ws://%s\n", listener.Addr())
	_, err = io.Copy(io.Discard, in)
	return errors.Join(err, handler.Close(), server.Close())
}

type callbackExecutor struct{}

func (callbackExecutor) Close() error { return nil }

func (callbackExecutor) Execute(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	var calls, parallel int64
	if _, err := fmt.Sscan(r.Code, &calls, &parallel); err != nil {
		return nil, err
	}
	var callers sync.WaitGroup
	var failed atomic.Value
	for range parallel {
		callers.Go(func() {
			for atomic.AddInt64(&calls, -1) >= 0 {
				if _, err := r.Dispatch(ctx, "api", "echo", `[{"i":1}]`); err != nil {
					failed.Store(err)
					return
				}
			}
		})
	}
	callers.Wait()
	if err, ok := failed.Load().(error); ok {
		return nil, err
	}
	return &protocol.ExecuteResult{Value: []byte("1")}, nil
}

// dialed is a client of a command that startListening starts; hangUp ends both.
func dialed(ctx context.Context, command []string) (client *remote.Client, hangUp func(), err error) {
	daemon, url, err := startListening(ctx, command)
	if err != nil {
		return nil, nil, err
	}
	if client, err = remote.Dial(ctx, url, nil); err != nil {
		end(daemon)
		return nil, nil, err
	}
	return client, func() {
		client.Close()
		end(daemon)
	}, nil
}

// startListening starts a command that says "listening URL", on either of its outputs, and ends with its input or a signal.
func startListening(ctx context.Context, command []string) (*exec.Cmd, string, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	if _, err := cmd.StdinPipe(); err != nil { // it stays open until Wait
		return nil, "", err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, "", err
	}
	cmd.Stdout, cmd.Stderr = write, write
	err = cmd.Start()
	write.Close()
	if err != nil {
		read.Close()
		return nil, "", err
	}
	lines := bufio.NewReader(read)
	line, err := lines.ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening ")
	if err != nil || !ok {
		end(cmd)
		read.Close()
		return nil, "", fmt.Errorf("%s said %q, and not where it listens", command[0], line)
	}
	go func() { // ends with the command
		io.Copy(io.Discard, lines)
		read.Close()
	}()
	return cmd, url, nil
}

// end ends a command that was started.
func end(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()         // it was killed, which is no news
}

// nodes are a daemon and a host of npm capnweb.
type nodes struct {
	daemon, host *exec.Cmd
	in           io.WriteCloser
	out          *bufio.Reader
}

func startNode(ctx context.Context) (*nodes, error) {
	n := &nodes{}
	var port string
	var err error
	if n.daemon, _, n.out, err = startScript(ctx, npmRelease); err == nil {
		port, err = n.out.ReadString('\n')
	}
	if err == nil {
		n.host, n.in, n.out, err = startScript(ctx, npmRelease, "ws://127.0.0.1:"+strings.TrimSpace(port))
	}
	if err != nil {
		n.close()
		return nil, fmt.Errorf("npm capnweb does not start (npm ci in %s?): %w", npm, err)
	}
	return n, nil
}

func startScript(ctx context.Context, args ...string) (*exec.Cmd, io.WriteCloser, *bufio.Reader, error) {
	cmd := exec.CommandContext(ctx, "node", append([]string{"callbacks.mjs"}, args...)...)
	cmd.Dir, cmd.Stderr = npm, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	return cmd, in, bufio.NewReader(out), cmd.Start()
}

func (n *nodes) run(calls, parallel int) (time.Duration, error) {
	if _, err := fmt.Fprintln(n.in, calls, parallel); err != nil {
		return 0, err
	}
	line, err := n.out.ReadString('\n')
	if err != nil {
		return 0, err
	}
	var ms float64
	_, err = fmt.Sscan(line, &ms)
	return time.Duration(ms * float64(time.Millisecond)), err
}

func (n *nodes) close() {
	for _, cmd := range []*exec.Cmd{n.host, n.daemon} {
		if cmd != nil && cmd.Process != nil {
			end(cmd)
		}
	}
}
