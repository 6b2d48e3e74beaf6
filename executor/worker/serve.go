//go:build cgo && (linux || darwin)

package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"

	"github.com/codemode-go/codemode/executor/internal/jail"
	"github.com/codemode-go/codemode/executor/internal/link"
	"github.com/codemode-go/codemode/executor/internal/v8"
	"github.com/codemode-go/codemode/executor/internal/web"
	"github.com/codemode-go/codemode/executor/internal/wire"
)

// linkCacheBytes bounds what a worker remembers of programs and modules it has transformed.
const linkCacheBytes = 4 << 20

// worker is what outlives a run: the pipes, the scripts and what compiling them has taught. Nothing of a program is in
// it but the transformed text of sources, by their content.
type worker struct {
	pipes   *pipes
	reader  *wire.Reader
	writer  *wire.Writer
	options wire.Options
	control control
	// boot is the scripts of every sandbox in one piece, scripts are the others.
	boot    web.Script
	scripts []web.Script
	caches  map[string][]byte
	ops     []web.Op
	opNames string
	// waiting names the others whose globals wait, and those, as scope.js has them.
	waiting string
	links   *link.Cache
	// lastID is the last id given to a call, so that an answer to a call of an earlier run finds nobody.
	lastID int64
	heap   uint64
	// collected is what had been allocated when the worker last collected garbage.
	collected uint64
	// long is memory for the long texts of programs, one after the other.
	long []byte
}

// serve is the worker's life.
func serve(args []string) error {
	runtime.LockOSThread()
	options, err := wire.ParseOptions(args)
	if err != nil {
		return err
	}
	pipes, err := takePipes(options)
	if err != nil {
		return err
	}
	if err := settleProcess(options); err != nil {
		return err
	}
	w := newWorker(pipes, options)
	go w.control.listen(pipes)
	if err := w.prime(); err != nil {
		return err
	}
	box, learned, err := w.warmUp()
	if err != nil {
		return err
	}
	slacken()
	confinement, err := jail.Enter(jail.Options{Memory: options.Memory, Keep: []int{int(pipes.in), int(pipes.out), int(pipes.control), int(pipes.wake), int(pipes.woken)}})
	if err != nil {
		return fmt.Errorf("confining the worker: %w", err)
	}
	w.releaseMemory()
	debug.SetGCPercent(100)
	idle := confinement.Anonymous()
	for {
		if confinement.Anonymous() > idle+keepMemory {
			w.long = nil
			w.reader.Forget()
			w.releaseMemory()
		}
		if err := w.ready(confinement, learned); err != nil {
			return err
		}
		learned = nil
		if w.isUnused() && confinement.Anonymous() > idle+restMemory {
			if box, err = box.rest(); err != nil {
				return err
			}
		}
		run, err := w.nextRun()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := box.execute(run); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if box, err = box.next(); err != nil {
			return err
		}
		w.collect()
	}
}

// collectAfter is how much a worker allocates before it collects between two programs: less than what makes the runtime collect,
// which would do so beside a program and take the processor of whoever answers its calls.
const collectAfter = 1 << 20

// collect does so when programs have left enough behind.
func (w *worker) collect() {
	if now := allocated(); now-w.collected > collectAfter {
		runtime.GC()
		w.collected = now
	}
}

// allocated is how many bytes the process has ever allocated in Go.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// keepMemory is how much more than at its start a worker may hold that runs one program after the other, and
// restMemory what it may hold when none has come for restAfter milliseconds. keepPages bounds what of an isolate's pages
// is kept for the next, and of the C heap: what a small program's isolate has, and some values of a megabyte.
const (
	keepMemory = 12 << 20
	keepPages  = 8 << 20
	restMemory = 512 << 10
	restAfter  = 1000
)

// isUnused waits for a frame, and reports whether none has come for a while.
func (w *worker) isUnused() bool {
	if w.reader.Buffered() {
		return false
	}
	waiting, err := readable(w.pipes.in, restAfter)
	return !waiting && err == nil
}

// rest gives back what programs have left. The pages that an isolate took over from the last are all in memory, whether
// it needs them or not, so there is a new isolate, too.
func (s *sandbox) rest() (*sandbox, error) {
	s.worker.long = nil
	s.worker.reader.Forget()
	v8.ReleasePages()
	next, err := s.next()
	if err != nil {
		return nil, err
	}
	s.worker.releaseMemory()
	return next, nil
}

func (w *worker) releaseMemory() {
	w.collected = allocated()
	debug.FreeOSMemory() // which collects
	v8.ReleasePages()
	v8.ReleaseMemory()
}

// settleProcess makes the process the same whatever the host is: no environment, UTC, American English, few threads.
func settleProcess(options wire.Options) error {
	os.Clearenv()
	if err := errors.Join(os.Setenv("TZ", "UTC"), os.Setenv("LC_ALL", "en_US.UTF-8"), os.Setenv("LANG", "en_US.UTF-8")); err != nil {
		return err
	}
	debug.SetTraceback("none")
	runtime.GOMAXPROCS(2)
	// What the start leaves behind is collected at once. (With -1 the runtime would take the heap for a large one, and
	// its books into huge pages.)
	debug.SetGCPercent(1000)
	stack := 984
	if options.StackKiB > 0 {
		stack = options.StackKiB
	}
	flags := []string{
		"--use-strict",
		"--disallow-code-generation-from-strings",
		"--single-threaded-gc",
		// The baseline tier compiles what boots each isolate, anew each time, and gains a program next to nothing
		// between the interpreter and the optimising tiers.
		"--no-sparkplug",
		fmt.Sprintf("--stack-size=%d", stack),
		// What the reference's newer engine has by default. Its Uint8Array.fromBase64 and kin are not among them:
		// this engine's toBase64 takes no notice of a view's offset, and half of the family is missing (package web has them).
		"--js-float16array",
		"--js-explicit-resource-management",
		"--experimental-wasm-jspi",
	}
	if options.Jitless {
		flags = append(flags, "--jitless")
	}
	v8.SetFlags(flags...)
	v8.KeepPages(keepPages)
	return nil
}

func newWorker(pipes *pipes, options wire.Options) *worker {
	w := &worker{
		pipes:   pipes,
		reader:  wire.NewReader(pipes, maxFrame).Recycle(wire.Answer),
		writer:  wire.NewWriter(pipes.outbox),
		options: options,
		caches:  map[string][]byte{},
		links:   link.NewCache(linkCacheBytes),
		heap:    uint64(max(options.Memory, 0)),
	}
	w.assemble(append(web.Scripts(), ownScripts()...))
	var names []string
	ops := web.Ops()
	for name := range ops {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		w.ops = append(w.ops, ops[name])
	}
	w.opNames = strings.Join(names, " ")
	return w
}

// assemble says when scripts run: those with globals when one of them is first read, the other numbered ones and the scopes
// at once, and the rest when another asks for them.
func (w *worker) assemble(scripts []web.Script) {
	var eager []web.Script
	var waiting []string
	for _, script := range scripts {
		switch {
		case len(script.Globals) > 0:
			waiting = append(waiting, script.Name+":")
			waiting = append(waiting, script.Globals...)
		case order(script.Name) != "":
			eager = append(eager, script)
			continue
		}
		w.scripts = append(w.scripts, script)
	}
	slices.SortFunc(eager, func(a, b web.Script) int { return strings.Compare(order(a.Name), order(b.Name)) })
	var pieces []string
	for _, script := range eager {
		pieces = append(pieces, script.Source())
	}
	const boot = "worker/boot"
	at := slices.IndexFunc(w.scripts, func(script web.Script) bool { return script.Name == boot })
	text := fmt.Sprintf("(() => {\nconst scripts = [\n%s];\nscripts.boot =\n%s;\nreturn scripts;\n})()", strings.Join(pieces, ",\n"), w.scripts[at].Source())
	w.boot = web.Script{Name: boot, Source: held(text)}
	w.waiting = strings.Join(waiting, " ")
}

// order is the place of a script that every sandbox runs among those: the primordials, the host and the scopes, and the
// others by their numbers. It is empty for a script that waits.
func order(name string) string {
	base := name[strings.LastIndexByte(name, '/')+1:]
	switch {
	case name == "00_primordials":
		return "0"
	case name == "worker/10_host":
		return "1"
	case name == "worker/scope":
		return "2"
	case base[0] >= '0' && base[0] <= '9':
		return "3" + base
	}
	return ""
}

// ready says that a sandbox waits, and passes on what was learned on the way.
func (w *worker) ready(c *jail.Confinement, learned [][]byte) error {
	header, err := json.Marshal(wire.ReadyHeader{Engine: "V8 " + v8.Version(), Jail: c.InForce, Anonymous: c.Anonymous()})
	if err != nil {
		return err
	}
	if err := w.writer.Write(wire.Ready, append([][]byte{header}, learned...)...); err != nil {
		return err
	}
	return w.writer.Flush()
}

// nextRun waits for the next program. Answers to calls of the last one may still come.
func (w *worker) nextRun() (wire.Frame, error) {
	for {
		frame, err := w.reader.Read()
		if err != nil {
			return wire.Frame{}, err
		}
		switch frame.Kind {
		case wire.Run:
			return frame, nil
		case wire.Answer, wire.Fetched:
		default:
			return wire.Frame{}, fmt.Errorf("a frame of kind %d where a run was expected", frame.Kind)
		}
	}
}

// control stops the program that runs when a control byte says so, and the process when the pool is gone. Bytes are
// taken from the pipe under the lock only, so that one that was sent before a Run is never taken for that run's.
type control struct {
	mu         sync.Mutex
	running    *v8.Isolate
	terminated bool
}

func (c *control) listen(p *pipes) {
	for {
		if _, err := readable(p.control, -1); err != nil {
			os.Exit(1)
		}
		c.mu.Lock()
		if c.take(p) && c.running != nil && !c.terminated {
			c.terminated = true
			c.running.Terminate()
			p.wake.Write([]byte{0}) // the pipe is empty, it cannot fail
		}
		c.mu.Unlock()
	}
}

// take empties the control pipe and reports whether it held a Terminate. At the pipe's end it ends the process.
func (c *control) take(p *pipes) (terminate bool) {
	var b [16]byte
	for {
		ready, err := readable(p.control, 0)
		if err != nil {
			os.Exit(1)
		}
		if !ready {
			return terminate
		}
		n, err := p.control.Read(b[:])
		if err != nil {
			os.Exit(0)
		}
		terminate = terminate || bytes.IndexByte(b[:n], wire.Terminate) >= 0
	}
}

// begin names the isolate that Terminate is for from now on.
func (c *control) begin(isolate *v8.Isolate, p *pipes) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.take(p)
	c.running, c.terminated = isolate, false
}

func (c *control) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running, c.terminated = nil, false
}

func (c *control) isTerminated() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.terminated
}
