// Package child runs programs that speak on their standard input and output, and sees to it that none of them, nor
// anything that they started, outlives us.
//
// A [Supervisor] owns processes. A [Process] is one program with everything it started: it leads a process group of its
// own, so that a launcher such as npx and the server behind it end together.
//
//	s := child.NewSupervisor(nil)
//	defer s.Close()
//	p, err := s.Start(&child.Command{Name: "npx", Args: []string{"-y", "some-server"}, Env: child.Environment(nil, false)})
//	// write to p.Stdin, read from p.Stdout
//	p.Stop()
//
// # Lifetime
//
// [Process.Stop] closes standard input, waits, sends SIGTERM to the group, waits, sends SIGKILL to the group. When the
// first process of a group exits by itself, what is left of the group is ended the same way. When we are killed
// ourselves, the kernel sends SIGTERM to each first process (Linux), and a small shell that holds a pipe of ours ends
// the groups, since a grandchild may ignore that its input has closed.
//
// # Limits
//
// A process that starts a session of its own (setsid) leaves its group. On Linux it is found by a variable that all
// children get in their environment (CODEMODE_CHILD), and ended with the server that started it, also when it was meant
// to stay; elsewhere, or without its environment, it is out of reach. On Windows there are no groups: the tree of
// processes is ended by taskkill, and nothing watches over our own death but the closed pipes.
package child

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// DefaultGrace is how long each step of the ladder waits for the process to end: what the MCP specification calls a
// reasonable time, and what the Claude hosts grant.
const DefaultGrace = 2 * time.Second

// Options are the optional parts of a Supervisor.
type Options struct {
	// Logger gets what processes write to standard error, line by line, at Debug. Nil discards it.
	Logger *slog.Logger
	// Grace replaces DefaultGrace when it is greater than 0.
	Grace time.Duration
}

// Supervisor owns processes.
type Supervisor struct {
	log   *slog.Logger
	grace time.Duration
	wg    sync.WaitGroup

	marker string // begins the value of markerName in all children

	mu       sync.Mutex
	started  int
	running  map[*Process]bool
	closed   bool
	watchdog *watchdog
}

// ErrClosed answers Start after Close.
var ErrClosed = errors.New("the supervisor is closed")

// NewSupervisor makes a Supervisor without processes.
func NewSupervisor(options *Options) *Supervisor {
	var o Options
	if options != nil {
		o = *options
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Grace <= 0 {
		o.Grace = DefaultGrace
	}
	return &Supervisor{log: o.Logger, grace: o.Grace, running: map[*Process]bool{}, marker: markerName + "=" + rand.Text()}
}

// markerName is the variable by which what a child started is known.
const markerName = "CODEMODE_CHILD"

// Close stops every process, all at the same time, and waits until nothing is left of them. It is idempotent.
func (s *Supervisor) Close() {
	s.mu.Lock()
	s.closed = true
	all := make([]*Process, 0, len(s.running))
	for p := range s.running {
		all = append(all, p)
	}
	s.mu.Unlock()
	var stopping sync.WaitGroup
	for _, p := range all {
		stopping.Go(p.Stop)
	}
	stopping.Wait()
	s.wg.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watchdog != nil {
		s.watchdog.close()
		s.watchdog = nil
	}
}

// Command is what to start.
type Command struct {
	// Label stands for the process in the log.
	Label string
	// Name is a file, or a name to find in the PATH of Env and, failing that, where package managers put programs.
	Name string
	Args []string
	// Dir is the working directory; empty means ours.
	Dir string
	// Env is the whole environment, as NAME=value.
	Env []string
}

// Process is a running program.
type Process struct {
	// Stdin and Stdout are pipes. Whoever reads Stdout closes it.
	Stdin  io.WriteCloser
	Stdout io.ReadCloser

	owner  *Supervisor
	label  string
	marker string
	cmd    *exec.Cmd
	out    *os.File
	errors *os.File
	tail   tail
	stop   sync.Once
	exited chan struct{} // the first process has exited
	silent chan struct{} // its standard error has ended
	done   chan struct{} // and nothing of its group is left
}

// Start finds and starts a program.
func (s *Supervisor) Start(c *Command) (*Process, error) {
	file, env, err := find(c)
	if err != nil {
		return nil, err
	}
	p := &Process{owner: s, label: c.Label, exited: make(chan struct{}), silent: make(chan struct{}), done: make(chan struct{})}
	p.cmd = exec.Command(file, c.Args...)
	s.mu.Lock()
	s.started++
	p.marker = fmt.Sprintf("%s-%d", s.marker, s.started)
	s.mu.Unlock()
	env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, markerName+"=") }) // we may be somebody's child
	p.cmd.Dir, p.cmd.Env = c.Dir, append(env, p.marker)
	p.cmd.SysProcAttr = attributes()
	theirs, err := p.pipes()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		err = ErrClosed
	} else {
		s.watch()
		started := make(chan error, 1)
		s.wg.Go(func() { p.run(started) })
		err = <-started
	}
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		p.Stdin.Close()
		p.out.Close()
		p.errors.Close()
		return nil, fmt.Errorf("cannot start %s: %w", file, err)
	}
	s.running[p] = true
	return p, nil
}

// watch starts the watchdog with the first process.
func (s *Supervisor) watch() {
	if s.watchdog != nil {
		return
	}
	w, err := startWatchdog(s.marker)
	if err != nil {
		s.log.Warn("cannot start the watchdog: servers may outlive codemode if it is killed", "error", err)
		w = &watchdog{}
	}
	s.watchdog = w
}

// pipes makes the three pipes and returns the child's ends.
func (p *Process) pipes() (theirs []*os.File, err error) {
	var all []*os.File
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			for _, f := range all {
				f.Close()
			}
			return nil, err
		}
		all = append(all, r, w)
	}
	p.Stdin, p.out, p.errors = all[1], all[2], all[4]
	p.Stdout = p.out
	widen(p.out)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = all[0], all[3], all[5]
	return []*os.File{all[0], all[3], all[5]}, nil
}

// run is the process's life. It keeps its thread, because Linux ties the parent-death signal to the thread that
// started the child and not to the process.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	if err != nil {
		started <- err
		return
	}
	group := p.cmd.Process.Pid
	p.owner.watchdog.add(group)
	p.owner.wg.Go(p.drain)
	started <- nil
	_ = p.cmd.Wait() // the exit status is read from ProcessState
	close(p.exited)
	endGroup(group, p.owner.grace)
	endStrays(p.marker, p.owner.grace)
	// A process that left the group may still hold the pipes; what it writes from now on is not the server's.
	deadline := time.Now().Add(100 * time.Millisecond)
	_ = p.out.SetReadDeadline(deadline)
	_ = p.errors.SetReadDeadline(deadline)
	p.Stdin.Close()
	p.owner.mu.Lock()
	delete(p.owner.running, p)
	p.owner.watchdog.remove(group)
	p.owner.mu.Unlock()
	close(p.done)
}

// drain reads standard error, always, since a full pipe would block the child.
func (p *Process) drain() {
	defer close(p.silent)
	defer p.errors.Close()
	var line []byte
	buffer := make([]byte, 4096)
	for {
		n, err := p.errors.Read(buffer)
		p.tail.write(buffer[:n])
		line = append(line, buffer[:n]...)
		for {
			i := slices.Index(line, '\n')
			if i < 0 {
				break
			}
			p.owner.log.Debug("stderr", "server", p.label, "line", strings.TrimRight(string(line[:i]), "\r"))
			line = line[i+1:]
		}
		if len(line) > 64<<10 {
			line = line[:0]
		}
		if err != nil {
			return
		}
	}
}

// Exited is closed when the program itself has exited; something it started may still run.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// LastWords waits up to limit for the program to exit, and a tenth of it for its standard error to end, which something that it
// started may hold. It returns how the program ended, as Status does, and the last lines, at most n, that it wrote there, stack
// traces aside.
func (p *Process) LastWords(limit time.Duration, n int) (status, stderr string) {
	wait(p.exited, limit)
	wait(p.silent, limit/10)
	return p.Status(), p.tail.words(n)
}

// Stop ends the process and everything it started, and returns when that is done.
func (p *Process) Stop() {
	p.stop.Do(func() {
		p.Stdin.Close()
		if wait(p.exited, p.owner.grace) {
			return
		}
		terminate(p.cmd.Process.Pid)
		if wait(p.exited, p.owner.grace) {
			return
		}
		kill(p.cmd.Process.Pid)
	})
	<-p.done
}

func wait(c <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-c:
		return true
	case <-timer.C:
		return false
	}
}

// Status says how the program ended ("exit status 1", "signal: killed"), or that it runs.
func (p *Process) Status() string {
	select {
	case <-p.exited:
		return p.cmd.ProcessState.String()
	default:
		return "running"
	}
}

// Stderr returns the last lines, at most n, that the program wrote to standard error.
func (p *Process) Stderr(n int) string { return p.tail.lines(n) }

// find turns a command into a file and the environment in which it finds its own tools.
func find(c *Command) (file string, env []string, err error) {
	name := "PATH"
	path := ""
	for _, e := range c.Env {
		if key, value, _ := strings.Cut(e, "="); sameName(key, name) {
			name, path = key, value
		}
	}
	file, err = LookPath(c.Name, path)
	if err != nil {
		return "", nil, err
	}
	env = slices.Clone(c.Env)
	if dir := filepath.Dir(file); filepath.IsAbs(dir) && !slices.Contains(filepath.SplitList(path), dir) {
		// npx finds node beside itself.
		env = append(env, name+"="+strings.TrimPrefix(path+string(filepath.ListSeparator)+dir, string(filepath.ListSeparator)))
	}
	return file, env, nil
}
