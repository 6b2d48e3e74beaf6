//go:build cgo && (linux || darwin)

package worker

import (
	"crypto/rand"
	"embed"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/codemode-go/codemode/executor/internal/v8"
	"github.com/codemode-go/codemode/executor/internal/web"
)

//go:embed *.js
var ownSources embed.FS

// ownScripts are the scripts of this package.
func ownScripts() []web.Script {
	entries, err := ownSources.ReadDir(".")
	if err != nil {
		panic(err) // the file system is in the binary
	}
	var scripts []web.Script
	for _, entry := range entries {
		source, err := ownSources.ReadFile(entry.Name())
		if err != nil {
			panic(err)
		}
		scripts = append(scripts, web.Script{Name: "worker/" + strings.TrimSuffix(entry.Name(), ".js"), Source: held(string(source))})
	}
	return scripts
}

// held is a source that is in memory.
func held(source string) func() string { return func() string { return source } }

// sandbox is one isolate, booted, and what Go holds of it.
type sandbox struct {
	worker  *worker
	isolate *v8.Isolate
	born    time.Time
	// state and exchange are memory that Go and the scripts share: numbers, and bytes on their way.
	state, exchange []byte
	releases        []func()
	// left is what an operation returned, when exchange was too small for it.
	left []byte
	// kept is what operations keep between two calls.
	kept *web.State
	// incoming is a long text that the script in progress may take.
	incoming []byte
	// tools are those that the program has called, by their number.
	tools []tool
	// fresh are the scripts that were compiled without a cache.
	fresh map[string]*v8.Script
	host  v8.Value
	// entries are the functions of host that Go calls.
	entries map[string]v8.Value
	// heapLimit is the heap's limit before anything ran.
	heapLimit uint64
	run       *run
}

// tool is the name of a tool as a call carries it.
type tool struct{ provider, name []byte }

// The numbers of state, as 10_host.js, 20_timers.js and 40_calls.js have them.
const (
	stateDue = iota
	statePending
	stateKind
	stateLength
	stateID
	stateName
	stateFunction
)

// What state[stateKind] says of an operation's result.
const (
	resultValue = iota
	resultBytes
	resultError
	resultText
	resultLatin1
)

// What state[stateKind] says of a value that was looked at; the states of a promise follow lookedPromise in their order.
const (
	lookedOther = iota
	lookedProxy
	lookedPromise
)

func newSandbox(w *worker) (*sandbox, error) {
	// The engine would take its seed from a file, which the jail keeps from it.
	var seed [4]byte
	rand.Read(seed[:]) // it never fails
	v8.SetFlags(fmt.Sprintf("--random-seed=%d", binary.NativeEndian.Uint32(seed[:])>>1|1))
	isolate, err := v8.NewIsolate(w.heap)
	if err != nil {
		return nil, err
	}
	s := &sandbox{worker: w, isolate: isolate, born: time.Now(), kept: web.NewState(), fresh: map[string]*v8.Script{}, heapLimit: isolate.HeapLimit()}
	if err := s.boot(); err != nil {
		return nil, fmt.Errorf("booting the sandbox: %w", err)
	}
	return s, nil
}

// boot runs boot.js, which makes of the scripts of every sandbox and of the Go functions the host object that all others take.
func (s *sandbox) boot() error {
	scripts, err := s.evaluate(s.worker.boot)
	if err != nil {
		return err
	}
	boot, err := scripts.Get("boot")
	if err != nil {
		return err
	}
	s.host, err = s.isolate.Call(boot, scripts, s.isolate.String(s.worker.waiting), s.native(), s.isolate.String(s.worker.opNames))
	if err != nil {
		return err
	}
	s.entries = map[string]v8.Value{}
	for _, name := range []string{"provide", "start", "answer", "fetched", "fire"} {
		if s.entries[name], err = s.host.Get(name); err != nil {
			return err
		}
	}
	return nil
}

// evaluate compiles and runs a script.
func (s *sandbox) evaluate(script web.Script) (v8.Value, error) {
	compiled, cached, err := s.isolate.Compile(script.Source(), "codemode:"+script.Name, s.worker.caches[script.Name])
	if err != nil {
		return v8.Value{}, fmt.Errorf("%s: %w", script.Name, err)
	}
	if !cached {
		s.fresh[script.Name] = compiled
	}
	return compiled.Run()
}

// load evaluates the script that a name stands for.
func (s *sandbox) load(name string) (v8.Value, error) {
	at := slices.IndexFunc(s.worker.scripts, func(script web.Script) bool { return script.Name == name })
	if at < 0 {
		return v8.Value{}, fmt.Errorf("no script %q", name)
	}
	return s.evaluate(s.worker.scripts[at])
}

// keepCaches remembers what compiling the scripts has given, with the functions that have run. It is for the end of a
// sandbox's life.
func (s *sandbox) keepCaches() {
	for name, script := range s.fresh {
		s.worker.caches[name] = script.Cache()
	}
	clear(s.fresh)
}

// dispose ends the isolate.
func (s *sandbox) dispose() {
	for _, release := range s.releases {
		release()
	}
	s.isolate.Dispose()
	s.kept.Close()
}

// next ends the sandbox and returns one for the next program. The engine keeps its read-only heap while there is any
// isolate, so the new one is made before the old one goes.
func (s *sandbox) next() (*sandbox, error) {
	s.keepCaches()
	next, err := newSandbox(s.worker)
	if err != nil {
		return nil, err
	}
	s.dispose()
	return next, nil
}

// now is the sandbox's clock in milliseconds.
func (s *sandbox) now() float64 { return float64(time.Since(s.born)) / float64(time.Millisecond) }

func (s *sandbox) get(index int) float64 {
	return math.Float64frombits(binary.NativeEndian.Uint64(s.state[8*index:]))
}

func (s *sandbox) set(index int, value float64) {
	binary.NativeEndian.PutUint64(s.state[8*index:], math.Float64bits(value))
}

// call calls a function of the host object, and lets go of the arguments and of what it returns.
func (s *sandbox) call(name string, args ...v8.Value) error {
	out, err := s.isolate.Call(s.entries[name], args...)
	for _, arg := range args {
		arg.Release()
	}
	if err != nil {
		return err
	}
	out.Release()
	return nil
}
