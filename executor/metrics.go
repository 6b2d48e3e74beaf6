package executor

import (
	"errors"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// Metrics learns what a pool does, as counters and histograms want it. Its methods are called from many goroutines, and
// hold up what they report: they should only count.
type Metrics interface {
	// RunEnded is called for each Execute and InvokeHandle that got past the check of its request. Kind is "value", a
	// protocol.FailureKind, a protocol.Code, or "context" when the context ended before a worker had it. Queued is
	// the time it waited for a worker, wall the run's own; 0 when there was none.
	RunEnded(kind string, queued, wall time.Duration)
	// WorkerReady is called when a process that was started is ready, and says how long that took.
	WorkerReady(took time.Duration)
	// WorkerEnded is called when a process is gone: "retired" when it had served its time, "killed" when the pool did it
	// because of its program, "closed" with its pool or execution, "lost" when it died of itself.
	WorkerEnded(how string)
}

// silent is the Metrics of a pool that nobody measures.
type silent struct{}

func (silent) RunEnded(string, time.Duration, time.Duration) {}
func (silent) WorkerReady(time.Duration)                     {}
func (silent) WorkerEnded(string)                            {}

// outcomeKind is what RunEnded calls the outcome of a run.
func outcomeKind(result *protocol.ExecuteResult, err error) string {
	var ours *protocol.Error
	switch {
	case errors.As(err, &ours):
		return string(ours.Code)
	case err != nil:
		return "context"
	case result.Failure != nil:
		return string(result.Failure.Kind)
	}
	return "value"
}

// ending is what WorkerEnded calls the end of a process.
func (e exit) ending() string {
	switch {
	case errors.Is(e.cause, errRetired):
		return "retired"
	case e.killed == closedMessage || e.killed == closedExecution || e.killed == expiredExecution:
		return "closed"
	case e.killed != "" || errors.Is(e.cause, errGivenUp) || isMalformed(e.cause):
		return "killed"
	}
	return "lost"
}
