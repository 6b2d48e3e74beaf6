package remote

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// metrics counts what a daemon did. It names no tenant: whoever can reach the listener may read it.
type metrics struct {
	sessions atomic.Int64

	mu       sync.Mutex
	runs     map[string]int64 // by outcome
	refusals map[string]int64 // by reason
	queued   histogram
	took     histogram
}

func newMetrics() *metrics {
	return &metrics{runs: map[string]int64{}, refusals: map[string]int64{}}
}

// bounds are the upper bounds of histograms, in seconds: from a trivial program to the default timeout.
var bounds = [...]float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}

type histogram struct {
	counts [len(bounds) + 1]int64
	sum    float64
	count  int64
}

func (h *histogram) observe(d time.Duration) {
	seconds := d.Seconds()
	at, _ := slices.BinarySearch(bounds[:], seconds)
	h.counts[at]++
	h.sum += seconds
	h.count++
}

func (h *histogram) write(w io.Writer, name, help string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s histogram\n", name, help, name)
	var total int64
	for i, bound := range bounds {
		total += h.counts[i]
		fmt.Fprintf(w, "%s_bucket{le=\"%g\"} %d\n", name, bound, total)
	}
	fmt.Fprintf(w, "%s_bucket{le=\"+Inf\"} %d\n%s_sum %g\n%s_count %d\n", name, h.count, name, h.sum, name, h.count)
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
	m.queued.observe(queued)
	if took > 0 {
		m.took.observe(took)
	}
}

func (h *Handler) serveMetrics(w http.ResponseWriter) {
	var text bytes.Buffer // a slow reader must not hold the counters
	h.writeMetrics(&text)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(text.Bytes()) // the reader may be gone
}

func (h *Handler) writeMetrics(w io.Writer) {
	h.mu.Lock()
	open := len(h.sessions)
	h.mu.Unlock()
	running, waiting := h.schedule.counts()
	gauge := func(name, help string, value int) {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s gauge\n%s %d\n", name, help, name, name, value)
	}
	gauge("codemode_sessions", "Sessions that are open.", open)
	gauge("codemode_runs_running", "Runs that have a place.", running)
	gauge("codemode_runs_waiting", "Runs that wait for a place.", waiting)
	gauge("codemode_places", "Runs that have a place at one time.", h.options.Concurrency)
	m := h.metrics
	fmt.Fprintf(w, "# HELP codemode_sessions_total Sessions opened.\n# TYPE codemode_sessions_total counter\ncodemode_sessions_total %d\n", m.sessions.Load())
	m.mu.Lock()
	defer m.mu.Unlock()
	counter := func(name, help, label string, values map[string]int64) {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s counter\n", name, help, name)
		for _, key := range slices.Sorted(maps.Keys(values)) {
			fmt.Fprintf(w, "%s{%s=%q} %d\n", name, label, key, values[key])
		}
	}
	counter("codemode_refusals_total", "Connections refused.", "reason", m.refusals)
	counter("codemode_runs_total", "Runs by what became of them: value, a failure's kind, or an error's code.", "outcome", m.runs)
	m.queued.write(w, "codemode_run_queue_seconds", "How long runs waited for a place.")
	m.took.write(w, "codemode_run_seconds", "How long runs took, tool calls included.")
}
