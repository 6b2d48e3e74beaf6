package compat

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Verdict is what became of one case.
type Verdict struct {
	Name string `json:"name"`
	// Diffs are the points in which the outcomes differ; none means equal.
	Diffs []Diff `json:"differences,omitempty"`
	// Rule is the rule that covers the difference; empty when none does.
	Rule string `json:"rule,omitempty"`
	// Waiting marks an uncovered difference that comes from an interface of the platform that we lack.
	Waiting bool `json:"waiting,omitempty"`
	// Skipped is the reason why the case does not apply to the release.
	Skipped string `json:"skipped,omitempty"`
	// Ours is our outcome as one line of JSON.
	Ours string `json:"ours,omitempty"`

	timedOut bool // a side met its clock
}

// Failed reports whether the outcomes differ and no rule covers that.
func (v *Verdict) Failed() bool { return len(v.Diffs) > 0 && v.Rule == "" }

// Report is the result of a run over a catalogue.
type Report struct {
	Release string `json:"release"`
	// Passed counts the cases that are equal or covered by a rule, Failed the others. Skipped cases are neither.
	Passed int `json:"passed"`
	Failed int `json:"failed"`
	// Equal counts the passed cases that no rule was needed for.
	Equal   int `json:"equal"`
	Skipped int `json:"skipped"`
	// Waiting counts the failed cases that wait for an interface of the platform.
	Waiting int `json:"waiting"`
	// Rules has a line for each rule that covered a case, in the order of the rules.
	Rules []RuleCount `json:"rules"`
	// Verdicts has every case in order.
	Verdicts []Verdict `json:"verdicts"`
	// Malformed are the errors of cases that could not be read.
	Malformed []string `json:"malformed,omitempty"`
}

// RuleCount is how many cases one rule covered.
type RuleCount struct {
	Name   string   `json:"name"`
	Reason Reason   `json:"reason"`
	Count  int      `json:"count"`
	Cases  []string `json:"cases"`
}

func newReport(release string, verdicts []Verdict, rules []Rule) *Report {
	r := &Report{Release: release, Verdicts: verdicts}
	covered := map[string][]string{}
	for i := range verdicts {
		switch v := &verdicts[i]; {
		case v.Skipped != "":
			r.Skipped++
		case v.Failed():
			r.Failed++
			if v.Waiting {
				r.Waiting++
			}
		case v.Rule != "":
			r.Passed++
			covered[v.Rule] = append(covered[v.Rule], v.Name)
		default:
			r.Passed++
			r.Equal++
		}
	}
	for _, rule := range rules {
		if cases := covered[rule.Name]; len(cases) > 0 {
			r.Rules = append(r.Rules, RuleCount{rule.Name, rule.Reason, len(cases), cases})
		}
	}
	return r
}

// OK reports whether every case passed and could be read.
func (r *Report) OK() bool { return r.Failed == 0 && len(r.Malformed) == 0 }

// shown bounds one side of a difference in a printed report.
const shown = 200

// Print writes the failed cases with their differences, a summary by rule, and as the last line "N passed, N failed".
// With all, the covered cases are listed too.
func (r *Report) Print(w io.Writer, all bool) {
	for _, text := range r.Malformed {
		fmt.Fprintf(w, "MALFORMED %s\n", text)
	}
	for i := range r.Verdicts {
		switch v := &r.Verdicts[i]; {
		case v.Failed():
			printVerdict(w, "FAIL", v)
		case v.Rule != "" && all:
			printVerdict(w, "RULE "+v.Rule+":", v)
		case v.Skipped != "":
			fmt.Fprintf(w, "SKIP %s: %s\n", v.Name, v.Skipped)
		}
	}
	fmt.Fprintf(w, "\nrelease %s: %d equal", r.Release, r.Equal)
	if r.Skipped > 0 {
		fmt.Fprintf(w, ", %d skipped", r.Skipped)
	}
	fmt.Fprintf(w, ", %d under a rule\n", r.Passed-r.Equal)
	for _, rule := range r.Rules {
		fmt.Fprintf(w, "  %4d  %-14s %s\n", rule.Count, rule.Reason, rule.Name)
	}
	if r.Waiting > 0 {
		fmt.Fprintf(w, "%d of the failed cases wait for an interface of the platform\n", r.Waiting)
	}
	if n := len(r.Malformed); n > 0 {
		fmt.Fprintf(w, "%d cases could not be read\n", n)
	}
	fmt.Fprintf(w, "%d passed, %d failed\n", r.Passed, r.Failed)
}

func printVerdict(w io.Writer, label string, v *Verdict) {
	fmt.Fprintf(w, "%s %s\n", label, v.Name)
	for _, d := range v.Diffs {
		fmt.Fprintf(w, "    %s: expected %s\n    %s  ours     %s\n", d.Field, short(d.Expected), strings.Repeat(" ", len(d.Field)), short(d.Ours))
	}
}

// short makes a text one line of bounded length.
func short(s string) string {
	s = strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(s)
	if len(s) > shown {
		s = strings.ToValidUTF8(s[:shown], "") + "…"
	}
	return s
}

// PrintJSON writes the whole report as JSON.
func (r *Report) PrintJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}
