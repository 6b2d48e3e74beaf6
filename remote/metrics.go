package remote

import (
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/codemode-go/codemode/remote/promtext"
)

// metrics counts what a daemon did. It names no tenant: whoever can reach the listener may read it.
type metrics struct {
	sessions atomic.Int64

	mu       sync.Mutex
	runs     map[string]int64 // by outcome
	refusals map[string]int64 // by reason
	queued   promtext.Histogram
	took     promtext.Histogram
}

func newMetrics() *metrics {
	return &metrics{runs: map[string]int64{}, refusals: map[string]int64{}}
}

func (m *metrics) refused(reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refusals[reason]++
}

func (m *metrics) ran(outcome string, queued, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs[outcome]++
	m.queued.Observe(queued)
	if took > 0 {
		m.took.Observe(took)
	}
}

func (h *Handler) writeMetrics(w io.Writer) {
	h.mu.Lock()
	open := len(h.sessions)
	h.mu.Unlock()
	running, waiting := h.schedule.counts()
	one := func(name string, kind promtext.Kind, help string, value int) {
		promtext.Family(w, name, kind, help)
		promtext.Sample(w, name, float64(value))
	}
	one("codemode_sessions", promtext.Gauge, "Sessions that are open.", open)
	one("codemode_runs_running", promtext.Gauge, "Runs that have a place.", running)
	one("codemode_runs_waiting", promtext.Gauge, "Runs that wait for a place.", waiting)
	one("codemode_places", promtext.Gauge, "Runs that have a place at one time.", h.options.Concurrency)
	m := h.metrics
	one("codemode_sessions_total", promtext.Counter, "Sessions opened.", int(m.sessions.Load()))
	m.mu.Lock()
	defer m.mu.Unlock()
	counter := func(name, help, label string, values map[string]int64) {
		promtext.Family(w, name, promtext.Counter, help)
		for _, key := range slices.Sorted(maps.Keys(values)) {
			promtext.Sample(w, name, float64(values[key]), promtext.Label{Name: label, Value: key})
		}
	}
	counter("codemode_refusals_total", "Connections refused.", "reason", m.refusals)
	counter("codemode_runs_total", "Runs by what became of them: value, a failure's kind, or an error's code.", "outcome", m.runs)
	promtext.FamilyOfHistograms(w, "codemode_run_queue_seconds", "How long runs waited for a place.")
	m.queued.Write(w, "codemode_run_queue_seconds")
	promtext.FamilyOfHistograms(w, "codemode_run_seconds", "How long runs took, tool calls included.")
	m.took.Write(w, "codemode_run_seconds")
}
