package executor

import (
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// Limits lists the limits of a pool, those of its runs (protocol.RunLimits) first. docs/limits.md and the table of
// PROTOCOL.md are made of it.
func Limits() []protocol.LimitInfo {
	ms := func(d time.Duration) int64 { return d.Milliseconds() }
	const bytes, milliseconds, count = protocol.UnitBytes, protocol.UnitMilliseconds, protocol.UnitCount
	return append(protocol.RunLimits(),
		protocol.LimitInfo{Name: "timeout", Default: ms(protocol.DefaultTimeout), Unit: milliseconds,
			Reason: "what the dialect's own executor allows; a host that moves here must not be cut earlier", Failure: "`timeout`"},
		protocol.LimitInfo{Name: "maxTimeout", Default: ms(defaultMaxTimeout), Unit: milliseconds,
			Reason: "the longest run that users asked for", Failure: "`INVALID_REQUEST`, of a request with a longer one"},
		protocol.LimitInfo{Name: "wall", Default: ms(2 * defaultMaxTimeout), Unit: milliseconds,
			Reason: "twice the longest timeout, so that a tool that never answers gives its worker back", Failure: "`limit`"},
		protocol.LimitInfo{Name: "workers", Default: minWorkers, Unit: count,
			Reason: "concurrent runs: GOMAXPROCS, but at least this; a program needs a core while it computes, and mostly waits", Failure: "the request waits"},
		protocol.LimitInfo{Name: "maxQueue", Default: defaultMaxQueue, Unit: count,
			Reason: "requests that wait; each holds little but its text, and past that the machine is too small", Failure: "`QUEUE_FULL`"},
		protocol.LimitInfo{Name: "queueTimeout", Default: ms(defaultQueueTimeout), Unit: milliseconds,
			Reason: "an MCP client gives up after a minute, and the program needs time of its own", Failure: "`QUEUE_TIMEOUT`"},
		protocol.LimitInfo{Name: "maxRetained", Default: defaultMaxRetained, Unit: count,
			Reason: "executions kept for their handles; each is a process with what its program holds", Failure: "`HANDLES_EXHAUSTED`"},
		protocol.LimitInfo{Name: "retainedIdle", Default: ms(defaultRetainedIdle), Unit: milliseconds,
			Reason: "how long one is kept that nobody uses: longer than a model's turn takes", Failure: "`EXECUTION_UNKNOWN` from then on"},
		protocol.LimitInfo{Name: "startTimeout", Default: ms(defaultStartTimeout), Unit: milliseconds,
			Reason: "a worker starts in 40 ms, and in two hundred times as long on a machine that is swamped", Failure: "`WORKER_START_FAILED`"},
		protocol.LimitInfo{Name: "recycleAfter", Default: defaultRecycleAfter, Unit: count,
			Reason: "runs of one worker; a leak that nobody measured should still end", Failure: "none: the worker is replaced"},
		protocol.LimitInfo{Name: "recycleAge", Default: ms(defaultRecycleAge), Unit: milliseconds,
			Reason: "age of one worker at the end of a run, for the same reason", Failure: "none: the worker is replaced"},
		protocol.LimitInfo{Name: "recycleGrowth", Default: defaultRecycleGrowth, Unit: bytes,
			Reason: "what a waiting worker may have gained over its first isolate: a quarter of a run's memory", Failure: "none: the worker is replaced"},
		protocol.LimitInfo{Name: "redirects", Default: maxRedirects, Unit: count,
			Reason: "the Fetch standard's bound, of one request", Failure: "the request fails"},
	)
}
