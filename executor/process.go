package executor

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codemode-go/codemode/executor/internal/wire"
	"github.com/codemode-go/codemode/protocol"
)

// process is one worker process. Its goroutine, live, starts it and reaps it; another reads its frames.
type process struct {
	pool  *Pool
	state state // under pool.mu, see Pool.move
	// execution is what it keeps; under pool.mu.
	execution *execution

	child    *os.Process
	stdout   *outlet
	control  *os.File
	stderr   tail
	sampler  *sampler
	baseline sample // what it used when its isolate became warm
	fresh    int64  // memory of the first baseline
	born     time.Time
	runs     int
	deadline *time.Timer // kills a process that does not become ready in time

	writing sync.Mutex // guards what writes stdin, frames and run order included, and what is told the kernel of the process
	stdin   *os.File
	outbox  *wire.Outbox
	mailbox *wire.Mailbox
	frames  *wire.Writer
	reaped  bool // its number may be another's

	incoming *wire.Reader
	over     chan error // why no more frames are read
	detour   atomic.Pointer[detour]

	current atomic.Pointer[run]
	killed  atomic.Pointer[string] // why, when we did
	killing chan struct{}          // closed with killed
}

// exit is how a process ended.
type exit struct {
	cause  error  // what the pool saw first: a broken frame, the end of stdout
	killed string // why we killed it; empty when we did not
	status *os.ProcessState
	stderr string
}

var (
	errMalformed = errors.New("the worker broke the frame protocol")
	errRetired   = errors.New("the worker has served its time")
	errGivenUp   = errors.New("the run was given up")
)

func newProcess(p *Pool) *process {
	return &process{pool: p, born: time.Now(), over: make(chan error, 1), killing: make(chan struct{})}
}

// live is the process's whole life.
func (w *process) live() {
	err := w.start()
	if err == nil {
		w.prime()
		go w.read()
		err = w.outlived()
	}
	ended := w.reap(err)
	w.pool.log.Debug("a worker ended", "cause", ended.cause, "killed", ended.killed, "status", ended.describe(), "stderr", ended.stderr)
	w.pool.options.Metrics.WorkerEnded(ended.ending())
	w.pool.gone(w, startFailure(w.pool, ended))
	if r := w.current.Swap(nil); r != nil {
		r.crashed(ended)
		close(r.ended)
	}
}

// start launches the child on the pool's starter thread.
func (w *process) start() error {
	w.deadline = time.AfterFunc(w.pool.options.StartTimeout, func() {
		w.kill(fmt.Sprintf("not ready within %s", w.pool.options.StartTimeout))
	})
	var err error
	w.pool.starter.do(func() { err = w.spawn() })
	return err
}

func (w *process) spawn() error {
	ourStdout, theirStdout, err := newOutlet()
	if err != nil {
		return err
	}
	var theirs, ours [4]*os.File // stdin, stdout, stderr, control
	theirs[1] = theirStdout
	defer func() { closeFiles(theirs[:]) }()
	mailbox, theirMailbox, mailboxErr := wire.NewMailbox() // without one there are the pipes
	defer closeFiles([]*os.File{theirMailbox})
	abandon := func() {
		ourStdout.Close()
		closeFiles(ours[:])
		mailbox.Close()
	}
	for _, i := range []int{0, 2, 3} {
		read, write, err := os.Pipe()
		if err != nil {
			abandon()
			return err
		}
		theirs[i], ours[i] = read, write
		if i == 2 {
			theirs[i], ours[i] = write, read
		}
	}
	command := w.pool.options.Command
	settings := wire.Options{Memory: engineMemory(w.pool.options.Limits.Memory), Jitless: w.pool.options.Hardened, Mailbox: mailboxErr == nil}
	cmd := &exec.Cmd{
		Path: command[0], Args: slices.Concat([]string{wire.ProcessName}, settings.Args(), command[1:]),
		// No variable of ours crosses. The zone and locale are those of the reference platform, the same everywhere.
		Env: []string{"GOTRACEBACK=none", "TZ=UTC", "LC_ALL=en_US.UTF-8"}, Dir: "/",
		Stdin: theirs[0], Stdout: theirs[1], Stderr: theirs[2], ExtraFiles: []*os.File{theirs[3]},
		SysProcAttr: childAttributes(),
	}
	if mailboxErr == nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, theirMailbox)
	}
	if err := cmd.Start(); err != nil {
		abandon()
		return err
	}
	w.stdin, w.stdout, w.control = ours[0], ourStdout, ours[3]
	w.mailbox = mailbox
	var inbox *wire.Inbox
	inbox, w.outbox = mailbox.PoolSide(w.stdin)
	w.stdout.use(inbox)
	w.frames = wire.NewWriter(w.outbox)
	limits := w.pool.options.Limits
	w.incoming = wire.NewReader(w.stdout, int(max(limits.ArgumentBytes, limits.ResultBytes, limits.LogBytes)+frameOverhead))
	w.stderr.follow(ours[2])
	w.sampler, err = newSampler(cmd.Process.Pid)
	w.adopt(cmd.Process)
	return err
}

// prime passes on the code caches of the pool's first worker. One that does not take them will not become ready either.
func (w *process) prime() {
	w.writing.Lock()
	defer w.writing.Unlock()
	w.stdin.SetWriteDeadline(w.born.Add(w.pool.options.StartTimeout))
	if w.frames.Write(wire.Prime, w.pool.codeCaches()...) == nil {
		_ = w.frames.Flush()
	}
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// adopt makes the child known to kill, which may have come first.
func (w *process) adopt(child *os.Process) {
	w.pool.mu.Lock()
	w.child = child
	w.pool.mu.Unlock()
	if w.killed.Load() != nil {
		w.end()
	}
}

// kill ends the process for a reason of ours. live notices and reaps it.
func (w *process) kill(reason string) {
	if w.killed.CompareAndSwap(nil, &reason) {
		close(w.killing)
		w.end()
	}
}

func (w *process) end() {
	w.pool.mu.Lock()
	child := w.child
	w.pool.mu.Unlock()
	if child != nil {
		child.Kill()
	}
}

// outlived waits until nothing more is read, and returns why.
func (w *process) outlived() error {
	select {
	case err := <-w.over:
		return err
	case <-w.killing:
	}
	select {
	case err := <-w.over:
		return err
	case <-time.After(time.Second): // something else holds the other end of its stdout
		w.stdout.interrupt()
		return <-w.over
	}
}

// read takes the worker's frames until one is wrong, there are no more, or another goroutine has taken over.
func (w *process) read() {
	for {
		frame, err := w.incoming.Read()
		if err == nil {
			err = w.handle(frame)
		}
		if err == errRelieved {
			return
		}
		if err != nil {
			w.over <- err
			return
		}
	}
}

// frameOverhead is what a frame may hold beyond the one text that a limit bounds: names, headers, a stack.
const frameOverhead = 1 << 20

func (w *process) handle(frame wire.Frame) error {
	if frame.Kind == wire.Ready {
		return w.becameReady(frame)
	}
	r := w.current.Load()
	if r == nil {
		return fmt.Errorf("%w: frame %d without a program", errMalformed, frame.Kind)
	}
	switch frame.Kind {
	case wire.Call:
		return r.call(frame)
	case wire.Fetch:
		return r.fetch(frame)
	case wire.Logs:
		return r.log(frame)
	case wire.Done:
		return w.done(r, frame)
	}
	return fmt.Errorf("%w: unknown frame %d", errMalformed, frame.Kind)
}

func (w *process) becameReady(frame wire.Frame) error {
	var header wire.ReadyHeader
	if w.fresh == 0 && len(frame.Fields) > 1 { // no program has run in it, it can be believed
		w.pool.keepCodeCaches(frame.Fields[1:])
		frame.Fields = frame.Fields[:1]
	}
	if err := decodeHeader(frame, 1, &header); err != nil {
		return err
	}
	baseline, err := w.sampler.read()
	if err != nil {
		return err
	}
	w.deadline.Stop()
	if w.fresh == 0 {
		w.fresh = baseline.memory
		w.pool.options.Metrics.WorkerReady(time.Since(w.born))
	}
	if baseline.memory > w.fresh+w.pool.options.RecycleGrowth {
		return errRetired
	}
	w.baseline = baseline
	if !w.pool.ready(w, header.Engine, header.Jail) {
		return fmt.Errorf("%w: ready twice", errMalformed)
	}
	return nil
}

// done takes the end of a run. The worker's place in the pool is free before the result is out: a caller that sends one
// request after the other never meets itself in the queue.
func (w *process) done(r *run, frame wire.Frame) error {
	reusable, err := r.done(frame)
	if err != nil {
		return err
	}
	w.current.Store(nil)
	defer close(r.ended)
	w.runs++
	w.sampler.bound(math.MaxInt64) // the process is not waited for before its frames end
	if reusable && r.granted > 0 {
		w.pool.retain(w, r)
		return nil
	}
	if w.execution != nil { // what it keeps is not good any more
		reusable = false
	}
	if o := w.pool.options; !reusable || w.runs >= o.RecycleAfter || time.Since(w.born) >= o.RecycleAge {
		w.pool.gone(w, nil)
		return errRetired
	}
	w.deadline.Reset(w.pool.options.StartTimeout)
	w.stdin.SetWriteDeadline(time.Now().Add(w.pool.options.StartTimeout)) // of an answer that nobody reads
	w.pool.finished(w)
	return nil
}

// begin gives a program to a worker in state running. After an error the worker is on its way out and the program has
// not started: it never had the whole frame.
func (w *process) begin(r *run) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	r.started = time.Now()
	r.clock.start = r.started
	w.current.Store(r)
	if !w.reaped {
		w.sampler.bound(r.mostData())
	}
	w.stdin.SetWriteDeadline(r.started.Add(w.pool.options.StartTimeout))
	err := w.frames.Write(r.plan.kind, r.plan.fields...)
	if err == nil {
		err = w.frames.Flush()
	}
	if err != nil {
		w.current.CompareAndSwap(r, nil)
		w.kill("a program could not be given to it")
		return err
	}
	w.stdin.SetWriteDeadline(time.Time{})
	return nil
}

// send gives a run's worker an answer, unless the run is over. It may take as long as the run, whose program need not
// listen; done sets the end.
func (w *process) send(r *run, kind wire.Kind, fields ...[]byte) {
	w.writing.Lock()
	defer w.writing.Unlock()
	if w.current.Load() != r {
		return
	}
	err := w.frames.Write(kind, fields...)
	if err == nil {
		err = w.frames.Flush()
	}
	if err != nil {
		w.kill("it did not take an answer")
	}
}

// terminate asks the worker to stop its JavaScript.
func (w *process) terminate() { w.control.Write([]byte{wire.Terminate}) }

// reap ends the child, waits for it, and closes what belongs to it.
func (w *process) reap(cause error) exit {
	w.deadline.Stop()
	ended := exit{cause: cause}
	if reason := w.killed.Load(); reason != nil {
		ended.killed = *reason
	}
	if w.child == nil {
		return ended
	}
	w.child.Kill()                   // a worker that only closed its stdout must not linger
	w.stdin.SetWriteDeadline(w.born) // nor somebody who writes to it
	w.writing.Lock()
	w.reaped = true
	w.outbox.Close()
	w.writing.Unlock()
	ended.status, _ = w.child.Wait()
	closeFiles([]*os.File{w.stdin, w.control})
	w.stdout.Close()
	w.mailbox.Close()
	ended.stderr = w.stderr.close()
	w.sampler.close()
	return ended
}

// describe says how the process ended, in words.
func (e exit) describe() string {
	if e.status == nil {
		return "not started"
	}
	return e.status.String()
}

// startFailure is the error for requests that waited for a process that never became ready.
func startFailure(p *Pool, e exit) error {
	if p.lifetime.Err() != nil {
		return errClosed
	}
	why := e.killed
	switch {
	case why != "":
	case e.status == nil:
		why = e.cause.Error()
	default:
		why = fmt.Sprintf("%s (%v)", e.describe(), e.cause)
	}
	hint := ""
	if e.stderr != "" {
		hint = "; it wrote: " + lastLines(e.stderr)
	}
	return protocol.Errorf(protocol.CodeWorkerStartFailed,
		"the worker process %s did not become ready: %s. Its main function must call worker.Main, of the package executor/worker, before anything else%s",
		p.options.Command[0], why, hint)
}

func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}

// decodeHeader reads a frame's first field as JSON, and checks the number of fields.
func decodeHeader(frame wire.Frame, fields int, into any) error {
	if len(frame.Fields) != fields {
		return fmt.Errorf("%w: %d fields in frame %d", errMalformed, len(frame.Fields), frame.Kind)
	}
	if err := json.Unmarshal(frame.Fields[0], into); err != nil {
		return fmt.Errorf("%w: header of frame %d: %v", errMalformed, frame.Kind, err)
	}
	return nil
}
