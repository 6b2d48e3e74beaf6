package compat

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/codemode-go/codemode/compat/casefile"
	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

// RunOptions adjusts Run. The zero value is what the command does.
type RunOptions struct {
	// Concurrency is how many cases run at a time; 0 is one for each processor.
	Concurrency int
	// Typed has the calls that the reference's tools saw; nil leaves calls uncompared.
	Typed Typed
	// Rules are the deliberate differences; nil is Rules().
	Rules []Rule
}

// Ours is what our side made of one case.
type Ours struct {
	*casefile.Outcome
	// Failure is the native failure underneath; nil when there is none.
	Failure *protocol.Failure
	// Usage is what the run took.
	Usage protocol.Usage
	// Err is our own failure, or an option that we cannot express; Outcome has its text as the error then.
	Err error
	// Calls is what the tools saw by the end of the case.
	Calls []casefile.Call
}

// caseBound ends a case that its own timeout does not end: a bug of ours must not hang the suite.
const caseBound = 2 * time.Minute

// Run runs the cases over native, which it does not close, once each, and compares them with each of the columns. There
// is one report a column.
func Run(ctx context.Context, native protocol.Executor, cases []*casefile.Case, columns []*Outcomes, options *RunOptions) []*Report {
	var o RunOptions
	if options != nil {
		o = *options
	}
	if o.Concurrency <= 0 {
		o.Concurrency = runtime.GOMAXPROCS(0)
	}
	if o.Rules == nil {
		o.Rules = Rules()
	}
	r := runner{dialect.New(unclosed{native}, &dialect.Options{Warn: func(string) {}}), o}
	defer r.executor.Close()

	byCase := make([][]Verdict, len(cases))
	parallel(len(cases), o.Concurrency, func(i int) { byCase[i] = r.judgeCase(ctx, cases[i], columns) })
	for i, verdicts := range byCase {
		// Beside other cases a program may be too slow for its own clock, or the clock for its program: with a bound of 15 ms, one of 20 ms
		// may end first. Timing takes no part: it has another try, alone.
		if slices.ContainsFunc(verdicts, func(v Verdict) bool { return v.Failed() && v.timedOut }) {
			byCase[i] = r.judgeCase(ctx, cases[i], columns)
		}
	}
	verdicts := make([][]Verdict, len(columns))
	for j := range columns {
		for i := range cases {
			verdicts[j] = append(verdicts[j], byCase[i][j])
		}
	}
	reports := make([]*Report, len(columns))
	for j, column := range columns {
		reports[j] = newReport(column.Release, verdicts[j], o.Rules)
	}
	return reports
}

// judgeCase runs a case once and judges it by each column.
func (r *runner) judgeCase(ctx context.Context, c *casefile.Case, columns []*Outcomes) []Verdict {
	ours := r.run(ctx, c)
	probe := r.remembering(ctx)
	verdicts := make([]Verdict, len(columns))
	for i, column := range columns {
		verdicts[i] = r.judge(c, ours, column, probe)
		verdicts[i].timedOut = verdicts[i].timedOut || ours.timedOut()
	}
	return verdicts
}

// parallel calls do with 0 to n−1, so many at a time, and waits.
func parallel(n, concurrency int, do func(i int)) {
	work := make(chan int)
	var workers sync.WaitGroup
	for range min(concurrency, n) {
		workers.Go(func() {
			for i := range work {
				do(i)
			}
		})
	}
	for i := range n {
		work <- i
	}
	close(work)
	workers.Wait()
}

// unclosed keeps the dialect from closing an executor that belongs to the caller.
type unclosed struct{ protocol.Executor }

func (unclosed) Close() error { return nil }

type runner struct {
	executor *dialect.Executor
	options  RunOptions
}

// run is our side of one case.
func (r *runner) run(ctx context.Context, c *casefile.Case) Ours {
	ctx, cancel := context.WithTimeout(ctx, caseBound)
	defer cancel()
	var recorder casefile.Recorder
	result, err := c.Run(ctx, r.executor, &recorder)
	if err != nil {
		return Ours{Outcome: &casefile.Outcome{Error: err.Error()}, Err: err}
	}
	if c.Options.After > 0 {
		select {
		case <-time.After(c.Options.After):
		case <-ctx.Done():
		}
	}
	ours := Ours{Outcome: casefile.NewOutcome(result), Calls: recorder.Calls()}
	if result.Native != nil {
		ours.Failure, ours.Usage = result.Native.Failure, result.Native.Usage
	}
	return ours
}

// timedOut reports whether the program was stopped at its own bound.
func (o Ours) timedOut() bool { return o.Failure != nil && o.Failure.Kind == protocol.FailureTimeout }

// remembering runs cases that rules ask for, each once: the rules of the next column ask for the same.
func (r *runner) remembering(ctx context.Context) func(*casefile.Case) Ours {
	type key struct {
		name, code string
		timeout    protocol.Timeout
	}
	seen := map[key]Ours{}
	return func(c *casefile.Case) Ours {
		k := key{c.Name, c.Code, c.Options.Timeout}
		ours, ok := seen[k]
		if !ok {
			ours = r.run(ctx, c)
			seen[k] = ours
		}
		return ours
	}
}

// judge compares our outcome of a case with a column's. Rules run other cases with probe.
func (r *runner) judge(c *casefile.Case, ours Ours, column *Outcomes, probe func(*casefile.Case) Ours) Verdict {
	v := Verdict{Name: c.Name, Ours: brief(ours.Outcome)}
	if reason, ok := c.SkipOn[column.Release]; ok {
		v.Skipped = reason
		return v
	}
	want := column.ByName[c.Name]
	if want == nil {
		v.Diffs = []Diff{{"case", "no outcome of this name is expected", ""}}
		return v
	}
	v.Diffs = Compare(want, ours.Outcome)
	if message, _ := want.ErrorText(); message == protocol.TimeoutMessage {
		v.timedOut = true
	}
	if len(v.Diffs) > 0 {
		d := &Difference{Case: c, Want: want, Newest: column.NewestByName[c.Name], Ours: ours, Diffs: v.Diffs, run: probe}
		v.Rule = covering(r.options.Rules, d)
		if v.Rule != "" && ours.Err == nil {
			if again := probe(c); !d.agrees(again) {
				v.Rule, v.timedOut = "", v.timedOut || again.timedOut() // a rule is about what our side answers each time
			}
		}
		v.Waiting = v.Rule == "" && waitsForPlatform(d)
	}
	if diff, ok := r.options.Typed.compare(c.Name, ours.Calls); !ok && v.Rule == "" {
		v.Diffs = append(v.Diffs, diff)
	}
	return v
}

func covering(rules []Rule, d *Difference) string {
	i := slices.IndexFunc(rules, func(rule Rule) bool { return rule.Covers(d) })
	if i < 0 {
		return ""
	}
	return rules[i].Name
}

// Typed maps a case's name to what the reference's tools saw.
type Typed map[string]struct {
	Calls []typedCall `json:"calls"`
}

type typedCall struct {
	Namespace string          `json:"ns"`
	Tool      string          `json:"tool"`
	Args      json.RawMessage `json:"args"`
	Done      bool            `json:"done"`
}

func (t Typed) compare(name string, calls []casefile.Call) (Diff, bool) {
	want, ok := t[name]
	if !ok {
		return Diff{}, true
	}
	expected, ours := make([]string, len(want.Calls)), make([]string, len(calls))
	for i, c := range want.Calls {
		expected[i] = callText(c.Namespace, c.Tool, c.Args, c.Done)
	}
	for i, c := range calls {
		ours[i] = callText(c.Namespace, c.Tool, c.Args, c.Done)
	}
	// Calls that were started together arrive in any order.
	slices.Sort(expected)
	slices.Sort(ours)
	return Diff{"calls", strings.Join(expected, "; "), strings.Join(ours, "; ")}, slices.Equal(expected, ours)
}

// callText is one call as a Go host sees it, who has no lone surrogates.
func callText(namespace, tool string, args json.RawMessage, done bool) string {
	var list any
	described := []byte("not JSON: " + string(args))
	if json.Unmarshal(args, &list) == nil {
		described, _ = json.Marshal(list) // decoded JSON always has a rendering
	}
	text := fmt.Sprintf("%s.%s(%s)", namespace, tool, described)
	if done {
		text += " done"
	}
	return text
}
