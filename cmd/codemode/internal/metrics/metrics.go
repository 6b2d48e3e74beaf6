// Package metrics counts what a server does, for the /metrics of `codemode serve --http`.
//
// A [Metrics] is a mcpserver.Instrument; its [Metrics.Pool] is the executor.Metrics of the same server's pool. What it counts
// has names of servers and tools, and no text of a program or a client.
package metrics

import (
	"cmp"
	"context"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/mcpserver"
	"github.com/codemode-go/codemode/remote/promtext"
)

// maxTools bounds the tools that are told apart: a server may rename its own for ever. Calls of later ones are counted as
// of the tool "_other".
const maxTools = 10_000

// Metrics counts. It is safe for concurrent use.
type Metrics struct {
	mu          sync.Mutex
	runs        map[string]int64
	took        promtext.Histogram
	calls       map[call]int64
	tools       map[tool]bool
	callTook    map[string]*promtext.Histogram // by server
	queued      promtext.Histogram
	started     promtext.Histogram
	ended       map[string]int64
	hasExecutor bool
}

type tool struct{ server, name string }

type call struct {
	tool
	outcome string
}

var _ mcpserver.Instrument = (*Metrics)(nil)

// New has counted nothing.
func New() *Metrics {
	return &Metrics{runs: map[string]int64{}, calls: map[call]int64{}, tools: map[tool]bool{}, callTook: map[string]*promtext.Histogram{}, ended: map[string]int64{}}
}

// RunFrom implements mcpserver.Instrument.
func (*Metrics) RunFrom(context.Context, string, mcpserver.Origin) {}

// RunBegan implements mcpserver.Watcher.
func (*Metrics) RunBegan(mcpserver.AuditRun) {}

// CallBegan implements mcpserver.Watcher.
func (*Metrics) CallBegan(string, int, mcpserver.AuditCall) {}

// CallSent implements mcpserver.Instrument.
func (*Metrics) CallSent(string, int, mcpserver.Destination) map[string]string { return nil }

// CallEnded implements mcpserver.Watcher.
func (m *Metrics) CallEnded(_ string, _ int, ended mcpserver.AuditCall) { m.CallUnlisted(ended) }

// CallUnlisted implements mcpserver.Instrument.
func (m *Metrics) CallUnlisted(ended mcpserver.AuditCall) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count(&ended)
}

func (m *Metrics) count(ended *mcpserver.AuditCall) {
	one := tool{ended.Server, ended.Tool}
	if !m.tools[one] && len(m.tools) >= maxTools {
		one.name = "_other"
	}
	m.tools[one] = true
	m.calls[call{one, ended.Outcome}]++
	if ended.Outcome == "refused" { // nothing was called
		return
	}
	h := m.callTook[ended.Server]
	if h == nil {
		h = &promtext.Histogram{}
		m.callTook[ended.Server] = h
	}
	h.Observe(inTime(ended.Ms - ended.WaitMs))
}

// RunEnded implements mcpserver.Watcher.
func (m *Metrics) RunEnded(ended mcpserver.AuditRun) {
	m.mu.Lock()
	defer m.mu.Unlock()
	outcome := cmp.Or(ended.Kind, ended.Outcome)
	if ended.Outcome == "ok" {
		outcome = "value"
	}
	m.runs[outcome]++
	m.took.Observe(inTime(ended.Ms))
	for i := range ended.Calls {
		if ended.Calls[i].Outcome == "abandoned" { // the others have been counted
			m.count(&ended.Calls[i])
		}
	}
}

func inTime(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// Pool counts what the executor does.
func (m *Metrics) Pool() executor.Metrics {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hasExecutor = true
	return pool{m}
}

type pool struct{ *Metrics }

// RunEnded implements executor.Metrics.
func (p pool) RunEnded(_ string, queued, _ time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queued.Observe(queued)
}

// WorkerReady implements executor.Metrics.
func (p pool) WorkerReady(took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.started.Observe(took)
}

// WorkerEnded implements executor.Metrics.
func (p pool) WorkerEnded(how string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended[how]++
}

// Write writes all of it, with how the servers are, and the pool, which is nil when programs run on a daemon.
func (m *Metrics) Write(w io.Writer, servers []mcpserver.ServerStatus, status *executor.Status) {
	writeServers(w, servers)
	if status != nil {
		writePool(w, status)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	promtext.Family(w, "codemode_runs_total", promtext.Counter, "Runs by what became of them: value, a failure's kind, or an error's code.")
	counts(w, "codemode_runs_total", "outcome", m.runs)
	promtext.FamilyOfHistograms(w, "codemode_run_seconds", "How long runs took, from the request to its answer.")
	m.took.Write(w, "codemode_run_seconds")
	m.writeCalls(w)
	if !m.hasExecutor {
		return
	}
	promtext.FamilyOfHistograms(w, "codemode_run_queue_seconds", "How long runs waited for a worker.")
	m.queued.Write(w, "codemode_run_queue_seconds")
	promtext.FamilyOfHistograms(w, "codemode_worker_start_seconds", "How long workers took to be ready.")
	m.started.Write(w, "codemode_worker_start_seconds")
	promtext.Family(w, "codemode_workers_ended_total", promtext.Counter, "Worker processes that ended: retired, killed, closed or lost.")
	counts(w, "codemode_workers_ended_total", "how", m.ended)
}

func counts(w io.Writer, name, label string, values map[string]int64) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		promtext.Sample(w, name, float64(values[key]), promtext.Label{Name: label, Value: key})
	}
}

func (m *Metrics) writeCalls(w io.Writer) {
	promtext.Family(w, "codemode_calls_total", promtext.Counter, "Calls by what became of them: ok, failed, refused or abandoned.")
	byName := func(a, b call) int {
		return cmp.Or(cmp.Compare(a.server, b.server), cmp.Compare(a.name, b.name), cmp.Compare(a.outcome, b.outcome))
	}
	for _, c := range slices.SortedFunc(maps.Keys(m.calls), byName) {
		promtext.Sample(w, "codemode_calls_total", float64(m.calls[c]),
			promtext.Label{Name: "server", Value: c.server}, promtext.Label{Name: "tool", Value: c.name}, promtext.Label{Name: "outcome", Value: c.outcome})
	}
	promtext.FamilyOfHistograms(w, "codemode_call_seconds", "How long calls that were made took, without the policy.")
	for _, server := range slices.Sorted(maps.Keys(m.callTook)) {
		m.callTook[server].Write(w, "codemode_call_seconds", promtext.Label{Name: "server", Value: server})
	}
}

// serverStates are those of mcpserver.ServerStatus.
var serverStates = []string{"starting", "ready", "failed", "stopped"}

func writeServers(w io.Writer, servers []mcpserver.ServerStatus) {
	promtext.Family(w, "codemode_upstream_state", promtext.Gauge, "1 for the state that a server is in.")
	for _, s := range servers {
		for _, state := range serverStates {
			value := 0.0
			if s.State == state {
				value = 1
			}
			promtext.Sample(w, "codemode_upstream_state", value, promtext.Label{Name: "server", Value: s.Name}, promtext.Label{Name: "state", Value: state})
		}
	}
	promtext.Family(w, "codemode_upstream_tools", promtext.Gauge, "Tools of a server, as last listed.")
	for _, s := range servers {
		promtext.Sample(w, "codemode_upstream_tools", float64(len(s.Tools)), promtext.Label{Name: "server", Value: s.Name})
	}
}

func writePool(w io.Writer, s *executor.Status) {
	promtext.Family(w, "codemode_workers", promtext.Gauge, "Worker processes by state.")
	for _, one := range []struct {
		state string
		n     int
	}{{"idle", s.Idle}, {"retained", s.Retained}, {"running", s.Running}, {"starting", s.Starting}} {
		promtext.Sample(w, "codemode_workers", float64(one.n), promtext.Label{Name: "state", Value: one.state})
	}
	promtext.Family(w, "codemode_runs_waiting", promtext.Gauge, "Runs that wait for a worker.")
	promtext.Sample(w, "codemode_runs_waiting", float64(s.Queued))
}
