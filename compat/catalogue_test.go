package compat

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/codemode-go/codemode/compat/casefile"
	"github.com/codemode-go/codemode/compat/reference"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// handed is where the catalogue and the reference's recorded outcomes were handed over. They are not part of the
// repository.
const handed = "../../shared/reference"

// mostCovered is the share of the handed cases that rules may cover before they are no longer exceptions.
const mostCovered = 0.20

func readCases(t *testing.T, file string) []*casefile.Case {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cases, errs := casefile.ParseFile(filepath.Base(file), text)
	for _, err := range errs {
		t.Error(err)
	}
	return cases
}

// missingTool fails where everything has to be there, and skips elsewhere.
func missingTool(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

func handedCases(t *testing.T) []*casefile.Case {
	t.Helper()
	if _, err := os.Stat(handed); err != nil {
		missingTool(t, "the handed catalogue is not here: "+err.Error())
	}
	return readCases(t, filepath.Join(handed, "cases.json"))
}

func newPool(t *testing.T) *executor.Pool {
	t.Helper()
	pool, err := executor.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	return pool
}

// TestCatalogue runs the handed cases on us and compares them with the recorded outcomes of every release, and our own
// on both sides. Every rule has to be needed by one of them.
func TestCatalogue(t *testing.T) {
	pool := newPool(t)
	var handedReports, ownReports []*Report
	t.Run("handed", func(t *testing.T) { handedReports = runHanded(t, pool) })
	t.Run("own", func(t *testing.T) { ownReports = runOwn(t, pool) })
	if handedReports == nil || ownReports == nil {
		return // a part was skipped, or has failed for want of something
	}
	t.Run("every rule is needed", func(t *testing.T) { requireEveryRule(t, slices.Concat(handedReports, ownReports)) })
}

func runHanded(t *testing.T, pool *executor.Pool) []*Report {
	cases := handedCases(t)
	var columns []*Outcomes
	for _, release := range reference.Releases() {
		column, err := LoadExpected(filepath.Join(handed, "expected-"+Newest+".json"), release)
		if err != nil {
			t.Fatal(err)
		}
		columns = append(columns, column)
	}
	reports := Run(t.Context(), pool, cases, columns, nil)
	for _, report := range reports {
		t.Run(report.Release, func(t *testing.T) { requireClean(t, report) })
	}
	newest := reports[0]
	if covered := newest.Passed - newest.Equal; float64(covered) > mostCovered*float64(len(cases)) {
		t.Errorf("rules cover %d of %d cases, more than %.0f %%", covered, len(cases), 100*mostCovered)
	}
	return reports
}

func requireClean(t *testing.T, report *Report) {
	var text strings.Builder
	report.Print(&text, false)
	if report.OK() {
		t.Log(text.String())
		return
	}
	t.Error(text.String())
}

// requireEveryRule fails for a rule that no case needs: it would only hide what nobody has seen.
func requireEveryRule(t *testing.T, reports []*Report) {
	for _, rule := range Rules() {
		if !slices.ContainsFunc(reports, func(r *Report) bool {
			return slices.ContainsFunc(r.Rules, func(c RuleCount) bool { return c.Name == rule.Name })
		}) {
			t.Errorf("no case needs the rule %s", rule.Name)
		}
	}
}

var handedLive = flag.Bool("handed", false, "ask the reference for the handed cases, too, and compare with what was recorded")

// runOwn runs our own cases on the real reference and on us. The handed ones are recorded; -handed checks that the
// reference still answers so.
func runOwn(t *testing.T, pool *executor.Pool) []*Report {
	own := ownCases(t)
	var recorded []*casefile.Case
	if *handedLive {
		recorded = handedCases(t)
	}
	columns := make([]*Outcomes, len(reference.Releases()))
	errs := make([]error, len(columns))
	var servers sync.WaitGroup
	for i, release := range reference.Releases() {
		servers.Go(func() { columns[i], errs[i] = liveColumn(t.Context(), release, slices.Concat(recorded, own)) })
	}
	servers.Wait()
	if err := errors.Join(errs...); errors.Is(err, reference.ErrNotInstalled) {
		missingTool(t, err.Error())
	} else if err != nil {
		t.Fatal(err)
	}
	for _, column := range columns {
		column.NewestByName = columns[0].ByName
		t.Run("recorded "+column.Release, func(t *testing.T) { requireRecorded(t, recorded, column) })
	}
	reports := Run(t.Context(), pool, own, columns, nil)
	for _, report := range reports {
		t.Run(report.Release, func(t *testing.T) { requireClean(t, report) })
	}
	return reports
}

// liveConcurrency is how many cases a server has at a time. Most of the time goes to those that wait for a timeout.
const liveConcurrency = 4

func liveColumn(ctx context.Context, release string, cases []*casefile.Case) (*Outcomes, error) {
	recorded, err := LoadExpected(filepath.Join(handed, "expected-"+Newest+".json"), release)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	// A case that was recorded as hanging would take the server with it.
	hangs := func(c *casefile.Case) bool {
		return recorded != nil && recorded.ByName[c.Name] != nil && recorded.ByName[c.Name].Hang != ""
	}
	server, err := reference.Start(ctx, release, nil)
	if err != nil {
		return nil, err
	}
	defer server.Close()
	column, err := Live(ctx, server, slices.DeleteFunc(slices.Clone(cases), hangs), liveConcurrency)
	if err != nil {
		return nil, fmt.Errorf("release %s: %w", release, err)
	}
	return column, nil
}

// ownCases reads compat/cases/*.json, one file a contact point.
func ownCases(t *testing.T) []*casefile.Case {
	t.Helper()
	files, err := filepath.Glob("cases/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []*casefile.Case
	seen := map[string]string{}
	for _, file := range files {
		for _, c := range readCases(t, file) {
			if other, ok := seen[c.Name]; ok {
				t.Errorf("%s: case %q is in %s too", file, c.Name, other)
			}
			seen[c.Name] = file
			cases = append(cases, c)
		}
	}
	return cases
}

// requireRecorded compares the live outcomes with the handed ones. Those of a case that ran into the reference's
// harness are only recorded in part.
func requireRecorded(t *testing.T, cases []*casefile.Case, live *Outcomes) {
	column, err := LoadExpected(filepath.Join(handed, "expected-"+Newest+".json"), live.Release)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		want, got := column.ByName[c.Name], live.ByName[c.Name]
		if want.Hang != "" {
			continue
		}
		if got == nil {
			t.Errorf("%s: no live outcome", c.Name)
			continue
		}
		if diff := recordedDifference(want, got); diff != "" {
			t.Errorf("%s: %s", c.Name, diff)
		}
	}
}

func recordedDifference(want, got *Expected) string {
	if (want.Threw != nil) != (got.Threw != nil) {
		return fmt.Sprintf("recorded %+v, now %+v", want, got)
	}
	if want.Threw != nil {
		if want.Threw.Name != got.Threw.Name || want.Threw.Message != got.Threw.Message {
			return fmt.Sprintf("recorded threw %+v, now %+v", want.Threw, got.Threw)
		}
		return ""
	}
	if want.JSONError != got.JSONError || want.JSONUndefined != got.JSONUndefined || want.ResultLen != got.ResultLen {
		return fmt.Sprintf("recorded %+v, now %+v", want, got)
	}
	text, isText := got.ErrorText()
	if !isText && got.Error != nil || want.JSONError != "" || want.ErrorTyped != nil {
		return ""
	}
	outcome := &casefile.Outcome{Result: got.Result, Error: text, Logs: got.Logs}
	if want.ResultLen > 0 {
		outcome.Result = json.RawMessage(got.ResultHead)
		bare := *want
		bare.Result, bare.ResultLen = json.RawMessage(want.ResultHead), 0
		want = &bare
	}
	if diffs := Compare(want, outcome); len(diffs) > 0 {
		return fmt.Sprintf("%+v", diffs)
	}
	return ""
}

// louder is an executor that changes what a program logs: an artificial regression.
type louder struct{ protocol.Executor }

func (l louder) Execute(ctx context.Context, request *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	result, err := l.Executor.Execute(ctx, request)
	if result != nil {
		for i := range result.Logs {
			result.Logs[i].Level = protocol.LevelWarn
		}
	}
	return result, err
}

// TestRegressionFails shows that a changed log prefix, a dropped import and a wrong value are failures, not differences
// that a rule covers.
func TestRegressionFails(t *testing.T) {
	parse := func(text string) *casefile.Case {
		c, err := casefile.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	cases := []*casefile.Case{
		parse(`{"name": "log", "code": "console.log('a'); 1"}`),
		parse(`{"name": "module", "code": "async () => (await import('gone.js')).v"}`),
		parse(`{"name": "value", "code": "2"}`),
		parse(`{"name": "fine", "code": "3"}`),
	}
	column := &Outcomes{Release: Newest, ByName: map[string]*Expected{
		"log":    {Result: json.RawMessage(`1`), Logs: []string{"a"}},
		"module": {Result: json.RawMessage(`5`), Logs: []string{}},
		"value":  {Result: json.RawMessage(`1`), Logs: []string{}},
		"fine":   {Result: json.RawMessage(`3`), Logs: []string{}},
	}}
	report := Run(t.Context(), louder{newPool(t)}, cases, []*Outcomes{column}, nil)[0]
	if report.Passed != 1 || report.Failed != 3 {
		var text strings.Builder
		report.Print(&text, true)
		t.Error(text.String())
	}
}
