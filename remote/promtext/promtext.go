// Package promtext writes metrics in Prometheus' text format (version 0.0.4), for the daemon and for the server.
//
// A [Histogram] counts durations. [Family] begins a metric, [Sample] writes one of its values. A [Label] is a name and a
// value.
//
//	promtext.Family(w, "codemode_runs_total", promtext.Counter, "Runs by what became of them.")
//	promtext.Sample(w, "codemode_runs_total", 3, promtext.Label{Name: "outcome", Value: "value"})
package promtext

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ContentType is that of the format.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Kind is a metric's.
type Kind string

// The kinds of metrics.
const (
	Counter       Kind = "counter"
	Gauge         Kind = "gauge"
	histogramKind Kind = "histogram"
)

// Label tells values of one metric apart. Value may be any text.
type Label struct{ Name, Value string }

// Family begins a metric; its samples follow.
func Family(w io.Writer, name string, kind Kind, help string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, helpEscapes.Replace(help), name, kind)
}

// Sample writes a value.
func Sample(w io.Writer, name string, value float64, labels ...Label) {
	fmt.Fprintf(w, "%s%s %s\n", name, braced(labels), number(value))
}

var (
	helpEscapes  = strings.NewReplacer("\\", `\\`, "\n", `\n`)
	valueEscapes = strings.NewReplacer("\\", `\\`, "\n", `\n`, `"`, `\"`)
)

func braced(labels []Label) string {
	if len(labels) == 0 {
		return ""
	}
	parts := make([]string, len(labels))
	for i, l := range labels {
		parts[i] = l.Name + `="` + valueEscapes.Replace(strings.ToValidUTF8(l.Value, "\uFFFD")) + `"`
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func number(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }

// bounds are the upper bounds of histograms, in seconds: from a trivial program to the default timeout.
var bounds = [...]float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}

// Histogram counts durations by their lengths, from 1 ms to a minute and more. The zero value is empty. It is not safe for
// concurrent use.
type Histogram struct {
	counts [len(bounds) + 1]int64
	sum    float64
	count  int64
}

// Observe counts one.
func (h *Histogram) Observe(d time.Duration) {
	seconds := d.Seconds()
	at, _ := slices.BinarySearch(bounds[:], seconds)
	h.counts[at]++
	h.sum += seconds
	h.count++
}

// FamilyOfHistograms begins a metric of histograms, whose name ends in _seconds.
func FamilyOfHistograms(w io.Writer, name, help string) { Family(w, name, histogramKind, help) }

// Write writes the samples of a histogram.
func (h *Histogram) Write(w io.Writer, name string, labels ...Label) {
	bucket := func(bound string, count int64) {
		Sample(w, name+"_bucket", float64(count), append(slices.Clone(labels), Label{"le", bound})...)
	}
	var total int64
	for i, bound := range bounds {
		total += h.counts[i]
		bucket(number(bound), total)
	}
	bucket("+Inf", h.count)
	Sample(w, name+"_sum", h.sum, labels...)
	Sample(w, name+"_count", float64(h.count), labels...)
}

// Serve answers a request with what write writes. A slow reader does not hold write.
func Serve(w http.ResponseWriter, write func(io.Writer)) {
	var text bytes.Buffer
	write(&text)
	w.Header().Set("Content-Type", ContentType)
	_, _ = w.Write(text.Bytes()) // the reader may be gone
}
