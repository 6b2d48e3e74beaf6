package compat

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/codemode-go/codemode/compat/casefile"
	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

// casesOfARule bounds how many cases of each rule are tried with wrong outcomes.
const casesOfARule = 2

// TestNoRuleCoversAWrongOutcome spoils what our side made of cases that rules cover, and wants no rule to cover that.
func TestNoRuleCoversAWrongOutcome(t *testing.T) {
	column, err := LoadExpected(filepath.Join(handed, "expected-"+Newest+".json"), "")
	if err != nil {
		missingTool(t, err.Error())
	}
	r := runner{dialect.New(unclosed{newPool(t)}, &dialect.Options{Warn: func(string) {}}), RunOptions{Rules: Rules()}}
	defer r.executor.Close()
	tried := map[string]int{}
	for _, c := range handedCases(t) {
		ours := r.run(t.Context(), c)
		probe := r.remembering(t.Context())
		verdict := r.judge(c, ours, column, probe)
		if verdict.Rule == "" || tried[verdict.Rule] == casesOfARule {
			continue
		}
		tried[verdict.Rule]++
		for what, spoiled := range spoilings(column.ByName[c.Name], ours) {
			if v := r.judge(c, spoiled, column, probe); v.Rule != "" {
				t.Errorf("%s: the rule %s covers a wrong %s", c.Name, v.Rule, what)
			}
		}
	}
	if len(tried) < 20 {
		t.Errorf("only %d rules were tried", len(tried))
	}
}

// spoilings are wrong outcomes. Log lines are spoiled where the reference kept its own.
func spoilings(want *Expected, ours Ours) map[string]Ours {
	spoil := func(change func(o *casefile.Outcome)) Ours {
		outcome := *ours.Outcome
		change(&outcome)
		spoiled := ours
		spoiled.Outcome = &outcome
		return spoiled
	}
	out := map[string]Ours{
		"result": spoil(func(o *casefile.Outcome) { o.Result, o.Error, o.ErrorJSON = json.RawMessage(`"spoiled"`), "", nil }),
		"error":  spoil(func(o *casefile.Outcome) { o.Result, o.Error, o.ErrorJSON = nil, "spoiled", nil }),
	}
	if want.Threw == nil && want.Hang == "" && want.Logs != nil {
		out["log"] = spoil(func(o *casefile.Outcome) { o.Logs = append(slices.Clone(o.Logs), "spoiled") })
	}
	for what, spoiled := range out {
		spoiled.Failure = nil
		if spoiled.Error != "" {
			spoiled.Failure = &protocol.Failure{Kind: protocol.FailureThrown, Name: "Error", Message: spoiled.Error}
		}
		out[what] = spoiled
	}
	return out
}
