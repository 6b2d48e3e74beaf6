// Package bench measures the reference and us side by side: the same cases, in turns, in one run on one machine, so that
// the ratios mean something even where the machine is busy. Every figure is a median.
//
// Three nouns. A [Side] runs cases: the real reference in workerd, or our executor. A [Figure] is one measurement of both
// sides with its unit. A [Report] is all of them with the machine and the versions, as JSON, a page and a chart.
//
//	report, err := bench.Run(ctx, nil)
//	report.Proxy, err = bench.RunProxy(ctx, binary, upstream, nil) // what has no counterpart in the reference
//	err = report.Write("docs")
package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// Side is one of the two that are measured.
type Side interface {
	// Repeat runs a case so many times, so many at a time.
	Repeat(ctx context.Context, c []byte, times, concurrency int) error
	// Warm is the mean time of one run of a task where a sandbox is ready.
	Warm(ctx context.Context, task task) (time.Duration, error)
	// Start runs a case in the background until the returned function is called.
	Start(ctx context.Context, c []byte) (stop func())
	// Memory is what the sandboxes' processes hold, in bytes, with shared pages counted in parts.
	Memory() (int64, error)
	// Version names what is measured.
	Version() string
	Close() error
}

// Figure is one measurement.
type Figure struct {
	Name string `json:"name"`
	// Unit is "ms", "runs/s" or "MB".
	Unit      string  `json:"unit"`
	Reference float64 `json:"reference"`
	Ours      float64 `json:"ours"`
}

// Ratio is how many times better we are: faster, more a second, smaller.
func (f Figure) Ratio() float64 {
	if f.Unit == "runs/s" {
		return f.Ours / f.Reference
	}
	return f.Reference / f.Ours
}

// Report is a run of the benchmarks.
type Report struct {
	Date     string            `json:"date"`
	Machine  string            `json:"machine"`
	Versions map[string]string `json:"versions"`
	Figures  []Figure          `json:"figures"`
	// Catalogue may be of another run than the rest, see RunCatalogue; nil is none.
	Catalogue *Catalogue `json:"catalogue,omitempty"`
	// Proxy may be of another run than the rest, see RunProxy; nil is none.
	Proxy *Proxy `json:"proxy,omitempty"`
	// Daemon is likewise of RunDaemon.
	Daemon *Daemon `json:"daemon,omitempty"`
	// Platform is likewise of RunPlatform.
	Platform *Platform `json:"platform,omitempty"`
}

// Options adjusts Run.
type Options struct {
	// Rounds is how often each figure is measured on each side; 0 is 9.
	Rounds int
	// Log is told what is being measured; nil is silent.
	Log func(string)
}

// Run measures both sides.
func Run(ctx context.Context, options *Options) (*Report, error) {
	o := resolve(options)
	r := &Report{Date: time.Now().UTC().Format(time.DateOnly), Machine: machine(), Versions: map[string]string{"go": runtime.Version(), "v8go": moduleVersion("github.com/tommie/v8go")}}
	b := &bench{options: o, report: r}
	for _, measure := range []func(context.Context) error{b.warm, b.tasks, b.throughput, b.neighbour, b.memory} {
		if err := measure(ctx); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func resolve(options *Options) Options {
	o := Options{Rounds: 9, Log: func(string) {}}
	if options != nil && options.Rounds > 0 {
		o.Rounds = options.Rounds
	}
	if options != nil && options.Log != nil {
		o.Log = options.Log
	}
	return o
}

type bench struct {
	options Options
	report  *Report
}

// with opens both sides, the pool with so many workers, and closes them.
func (b *bench) with(ctx context.Context, workers int, measure func(reference, ours Side) error) error {
	theirs, err := newReference(ctx)
	if err != nil {
		return err
	}
	defer theirs.Close()
	ours, err := newOurs(workers)
	if err != nil {
		return err
	}
	defer ours.Close()
	b.report.Versions["reference"], b.report.Versions["ours"] = theirs.Version(), ours.Version()
	return measure(theirs, ours)
}

// figure measures both sides in turns and keeps the medians.
func (b *bench) figure(name, unit string, reference, ours Side, measure func(Side) (float64, error)) error {
	b.options.Log(name)
	sides := []Side{reference, ours}
	values := make([][]float64, 2)
	for round := range b.options.Rounds + 1 {
		for i, side := range sides {
			v, err := measure(side)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", name, side.Version(), err)
			}
			if round > 0 { // the first warms up
				values[i] = append(values[i], v)
			}
		}
	}
	b.report.Figures = append(b.report.Figures, Figure{name, unit, median(values[0]), median(values[1])})
	return nil
}

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// pause is how long a side has before each single run, as it has between the programs of a person's model: time to get a
// sandbox ready, if it does that before it is asked.
const pause = 60 * time.Millisecond

// oneRun is the time of one run after a pause in milliseconds, the mean of so many, without what it costs to ask for none.
func oneRun(ctx context.Context, c []byte, times int) func(Side) (float64, error) {
	return func(side Side) (float64, error) {
		var sum time.Duration
		for range times {
			time.Sleep(pause)
			start := time.Now()
			if err := side.Repeat(ctx, c, 0, 1); err != nil {
				return 0, err
			}
			asked := time.Now()
			if err := side.Repeat(ctx, c, 1, 1); err != nil {
				return 0, err
			}
			sum += time.Since(asked) - asked.Sub(start)
		}
		return milliseconds(sum) / float64(times), nil
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func (b *bench) tasks(ctx context.Context) error {
	return b.with(ctx, 0, func(reference, ours Side) error {
		for _, task := range tasks() {
			if err := b.figure(task.name, "ms", reference, ours, oneRun(ctx, task.request(), task.times)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *bench) throughput(ctx context.Context) error {
	return b.with(ctx, 0, func(reference, ours Side) error {
		for _, concurrency := range []int{1, 8, 32} {
			const times = 96
			c := oneCall().request()
			err := b.figure(fmt.Sprintf("throughput, %d at a time", concurrency), "runs/s", reference, ours, func(side Side) (float64, error) {
				start := time.Now()
				err := side.Repeat(ctx, c, times, concurrency)
				return times / time.Since(start).Seconds(), err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// neighbour measures a trivial program while another computes without a pause.
func (b *bench) neighbour(ctx context.Context) error {
	return b.with(ctx, 0, func(reference, ours Side) error {
		c := trivial().request()
		return b.figure("trivial program beside a busy one", "ms", reference, ours, func(side Side) (float64, error) {
			stop := side.Start(ctx, busy())
			defer stop()
			time.Sleep(settle)
			start := time.Now()
			err := side.Repeat(ctx, c, 1, 1)
			return milliseconds(time.Since(start)), err
		})
	})
}

// settle is how long a program in the background has to get going.
const settle = 50 * time.Millisecond

// held is how many sandboxes wait at a time while their memory is read.
const held = 16

func (b *bench) memory(ctx context.Context) error {
	return b.with(ctx, held, func(reference, ours Side) error {
		megabytes := func(side Side) (float64, error) {
			n, err := side.Memory()
			return float64(n) / (1 << 20), err
		}
		for _, side := range []Side{reference, ours} { // the first program starts what serves it
			if err := side.Repeat(ctx, trivial().request(), 1, 1); err != nil {
				return err
			}
		}
		if err := b.figure("memory without programs", "MB", reference, ours, megabytes); err != nil {
			return err
		}
		before := b.report.Figures[len(b.report.Figures)-1]
		for _, side := range []Side{reference, ours} {
			for range held {
				defer side.Start(ctx, waiting())()
			}
		}
		time.Sleep(time.Second)
		if err := b.figure(fmt.Sprintf("memory of %d waiting programs", held), "MB", reference, ours, megabytes); err != nil {
			return err
		}
		last := &b.report.Figures[len(b.report.Figures)-1]
		last.Reference -= before.Reference
		last.Ours -= before.Ours
		return nil
	})
}

// machine describes where the figures come from.
func machine() string {
	name := "an unknown processor"
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				name = strings.TrimSpace(value)
				break
			}
		}
	}
	kernel, _ := exec.Command("uname", "-sr").Output() // without it the line is shorter
	return fmt.Sprintf("%d processors, %s, %s", runtime.NumCPU(), name, strings.TrimSpace(string(kernel)))
}

func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return m.Version
		}
	}
	return ""
}
