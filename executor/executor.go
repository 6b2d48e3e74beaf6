// Package executor runs one JavaScript program with callable tools inside limits, in a pool of worker processes.
//
// Four nouns. A [Pool] is the [protocol.Executor] of this machine. A worker is a child process that holds one isolate
// and runs one program at a time. A run is one program in one worker, from the request to its result. A host wait is a
// tool call, or an outbound request that the caller performs, that a run is waiting for.
//
//	func main() {
//		worker.Main() // executor/worker: does not return in a process that the pool started
//		pool, err := executor.New(&executor.Options{Outbound: protocol.BlockOutbound()}) // else fetch reaches the network
//		// …
//		defer pool.Close()
//		result, err := pool.Execute(ctx, &protocol.ExecuteRequest{Code: `async () => 6 * 7`})
//		// err: we failed.  result.Failure: the program failed.  result.Value: 42
//	}
//
// The pool starts the program it lives in once more for each worker, so that a binary stays one file; a main that does
// not begin with worker.Main makes every run fail with WORKER_START_FAILED, which says so.
//
// # Lifetime
//
// New returns at once and warms its first workers in the background. Workers end with Close, with the process that
// owns the pool (whichever way it ends), after Options.RecycleAfter runs, and whenever a run had to be killed. A
// context bounds one call: it takes that call's worker along, never the pool.
//
// A tool call that a program left behind at its normal end runs on, detached from the caller's context, until its
// function returns or Close ends its context; its outbound requests end with it. When a run is given up (timeout, limit, cancellation, crash) the contexts
// of its calls end and Execute does not wait for the functions.
//
// # Limits
//
// Every field of [Options] is one, with its default and the reason for it; those of a single run are
// [protocol.Limits]. All clocks and the memory bound are watched from this process, never by the JavaScript thread. On Linux
// the kernel refuses a worker data 24 MiB past its run's memory, should it get there between two looks.
// What is not promised: on systems other than Linux the memory and the processor time of a worker are not sampled, so
// the engine's own heap limit and the timeout stand alone there. A program that breaks out of the engine is held by
// the worker's confinement (executor/internal/jail), and can still spoil later runs of the same worker:
// RecycleAfter: 1 buys a process for each run.
package executor

import (
	"context"
	"log/slog"
	"net/netip"
	"os"
	"time"

	"github.com/codemode-go/codemode/executor/internal/wire"
	"github.com/codemode-go/codemode/protocol"
)

// Options configures a Pool. The zero value of a field is its default.
type Options struct {
	// Workers is how many programs run at one time. Default GOMAXPROCS, but at least 4: a program needs a core
	// while it computes, and most of them mostly wait for tools.
	Workers int
	// SpareWorkers is how many warm workers stand by beyond the running ones. Default 1, so that a run need not wait
	// the 15 to 40 ms of a process start, nor the 2 ms of a new isolate; -1 for none.
	SpareWorkers int
	// RecycleAfter is how many runs a worker serves. Default 1,000: isolate churn was measured flat over 6,000
	// runs, and a leak nobody measured should still end.
	RecycleAfter int
	// RecycleAge is how old a worker may be at the end of a run. Default 1 h, for the same reason.
	RecycleAge time.Duration
	// RecycleGrowth is how much memory, in bytes, a warm worker may have gained over its first isolate. Default 32 MiB,
	// a quarter of a run's.
	RecycleGrowth int64
	// Hardened makes the engine interpret programs and compile nothing to machine code (V8's jitless mode), so that no
	// page of a worker is writable and executable in turn: most escapes from engines begin in their compilers. Programs
	// that compute run several times slower, and there is no WebAssembly.
	Hardened bool
	// StartTimeout bounds a worker's start, and the warming of its next isolate. Default 10 s: a start takes 40 ms,
	// and two hundred times as long on a machine that is swamped.
	StartTimeout time.Duration
	// Command replaces the running executable: the program and the arguments it is started with. Its argv[0] is
	// "codemode-worker" either way, and it too must begin with worker.Main. Default: the running executable.
	Command []string

	// MaxQueue is how many requests wait for a worker before QUEUE_FULL; clients (protocol.WithSession) are served in turn. Default 256: a waiting request holds
	// little but its own text, and past that the machine is too small. -1 for none.
	MaxQueue int
	// QueueTimeout is how long a request waits before QUEUE_TIMEOUT. Default 30 s: an MCP client gives up after a
	// minute, and the program needs time of its own.
	QueueTimeout time.Duration

	// Timeout bounds the run clock of a request that names no timeout. Default protocol.DefaultTimeout.
	Timeout time.Duration
	// MaxTimeout is the longest timeout a request may name, and what the "maximum" timeout asks for. Default 30 min,
	// the longest run that users of such systems asked for, or Timeout when that is longer.
	MaxTimeout time.Duration
	// MaxWall bounds a run's wall time, host waits included, so that a tool that never answers gives its worker back
	// (limit "wall"). Default twice MaxTimeout.
	MaxWall time.Duration
	// Limits bounds each run; a zero field is that of protocol.DefaultLimits. A request can only tighten them.
	Limits protocol.Limits

	// MaxRetained is how many executions are kept for their handles at one time (Execute fails with HANDLES_EXHAUSTED
	// past it). Default 16: each is a process of its own with what its program holds, and takes no place to run while
	// no call on it runs. -1 for none.
	MaxRetained int
	// RetainedIdle is how long an execution is kept that nobody uses. Default 5 min: longer than a model's turn takes.
	RetainedIdle time.Duration

	// Modules is the module map of a request that brings none.
	Modules map[string]string
	// Outbound is the network policy of a request that names none. Default inherit, as the contract has it: hosts
	// that want no network say protocol.BlockOutbound().
	Outbound protocol.Outbound

	// AllowAddresses are ranges that the requests of OutboundInherit may reach beside the public internet. Default none:
	// loopback, private and link-local addresses, and the metadata services of clouds, are where a program does harm.
	AllowAddresses []netip.Prefix

	// Metrics learns of runs and workers. Nil is nobody.
	Metrics Metrics
	// Logger gets what operators need to know of workers. Nil discards.
	Logger *slog.Logger
}

// New returns a pool. It fails on options that make no sense, and where there is no engine: the build has no cgo, or
// the system is none that the engine is built for.
func New(options *Options) (*Pool, error) {
	if runningAsWorker() {
		return nil, protocol.Errorf(protocol.CodeWorkerStartFailed,
			"this process was started as a worker and may not start workers of its own: call worker.Main (executor/worker) first thing in main")
	}
	resolved, err := resolve(options)
	if err != nil {
		return nil, err
	}
	p := &Pool{options: resolved, log: resolved.Logger, atOnce: atOnce, heldUp: heldUp}
	if p.modules, err = encodeModules(resolved.Modules); err != nil {
		return nil, err
	}
	p.open()
	return p, nil
}

// Execute runs one program to its end.
//
// The error is ctx's own, wrapped, when ctx ends while the request waits for a worker, and otherwise a
// *protocol.Error: INVALID_REQUEST, POOL_CLOSED, QUEUE_FULL, QUEUE_TIMEOUT, WORKER_START_FAILED, WORKER_LOST, or
// HANDLES_EXHAUSTED of a request that wants handles retained. Once a
// worker has the program there is always a result: a context that ends then is FailureCanceled, and a worker that dies
// then is FailureCrashed, both with the logs and the ledger up to there.
func (p *Pool) Execute(ctx context.Context, request *protocol.ExecuteRequest) (result *protocol.ExecuteResult, err error) {
	made, failure, err := p.prepare(request)
	if err != nil {
		return nil, err
	}
	if failure != nil {
		return &protocol.ExecuteResult{Failure: failure}, nil
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	if request.RetainHandles {
		if err := p.reserve(); err != nil {
			return nil, err
		}
		defer func() { p.unreserve(result) }()
	}
	var queued time.Duration
	defer func() { p.ended(result, err, queued) }()
	for attempt := 1; ; attempt++ {
		began := time.Now()
		w, err := p.acquire(ctx, nil)
		queued += time.Since(began)
		if err != nil {
			return nil, err
		}
		r := newRun(ctx, p, w, made)
		err = w.begin(r)
		if err == nil {
			r.supervise()
			return r.result(), nil
		}
		// The program cannot have started: the worker never had the whole frame.
		if attempt == 2 {
			lost := protocol.Errorf(protocol.CodeWorkerLost, "the worker was lost before the program started: %w", err)
			lost.Retryable = true
			return nil, lost
		}
	}
}

// errClosed ends what runs or waits when the pool closes.
var errClosed = protocol.Errorf(protocol.CodePoolClosed, "the executor is closed")

func runningAsWorker() bool { return len(os.Args) > 0 && os.Args[0] == wire.ProcessName }
