package ui

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/codemode-go/codemode/mcpserver"
)

// Summary is a run as the list shows it.
type Summary struct {
	ID      string
	Time    time.Time
	Outcome string
	Name    string
	// Named says that Name is of the program, and not only its hash.
	Named   bool
	Client  string
	Error   string
	Servers []string
	Calls   int
	Took    time.Duration
	// ToolBytes is what the servers answered, ResultBytes what the program made of it.
	ToolBytes, ResultBytes int
}

func summarize(run *mcpserver.AuditRun) Summary {
	one := Summary{ID: run.ID, Time: run.Time, Outcome: run.Outcome, Client: run.Client, Error: run.Error,
		Calls: len(run.Calls) + run.MoreCalls, Took: tookOf(run), ResultBytes: run.ResultBytes}
	one.Name, one.Named = nameOf(run)
	for i := range run.Calls {
		call := &run.Calls[i]
		one.ToolBytes += call.ResultBytes
		if call.Server != "" && !slices.Contains(one.Servers, call.Server) {
			one.Servers = append(one.Servers, call.Server)
		}
	}
	return one
}

// tookOf is how long a run took, or has been going.
func tookOf(run *mcpserver.AuditRun) time.Duration {
	if run.Outcome == mcpserver.Running {
		return max(0, time.Since(run.Time))
	}
	return milliseconds(run.Ms)
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// opening is a line that begins a program and says nothing of it: a fence, a brace, the arrow, "use strict".
var opening = regexp.MustCompile("^(```\\w*|[{(]*|(export default )?\\(?async\\s*(function\\s*\\w*)?\\s*(\\([^)]*\\)|\\w+)\\s*(=>)?\\s*\\{?|['\"]use strict['\"];?)$")

// nameOf is the first line of a program that says something, a comment before all, or the hash of one that was not kept.
func nameOf(run *mcpserver.AuditRun) (name string, named bool) {
	if run.Code == "" {
		return "program " + run.CodeSHA256[:min(12, len(run.CodeSHA256))], false
	}
	for line := range strings.Lines(run.Code) {
		line = strings.TrimSpace(line)
		if line == "" || opening.MatchString(line) {
			continue
		}
		for _, mark := range []string{"//", "/**", "/*", "*"} {
			if rest, ok := strings.CutPrefix(line, mark); ok {
				line = strings.TrimSpace(strings.TrimSuffix(rest, "*/"))
				break
			}
		}
		if line != "" {
			return shorten(line, 100), true
		}
	}
	return shorten(strings.TrimSpace(run.Code), 100), true
}

// shorten cuts a text after so many characters.
func shorten(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}

// filter is what a person looks for among the runs.
type filter struct {
	outcome string // empty is any
	words   []string
}

// outcomes are what can be looked for; failed has all that did not go well.
var outcomes = []string{"ok", "failed", mcpserver.Running}

func newFilter(outcome, text string) filter {
	if !slices.Contains(outcomes, outcome) {
		outcome = ""
	}
	return filter{outcome, strings.Fields(strings.ToLower(text))}
}

func (f filter) matches(run *mcpserver.AuditRun) bool {
	switch f.outcome {
	case "failed":
		if run.Outcome == "ok" || run.Outcome == mcpserver.Running {
			return false
		}
	case "ok", mcpserver.Running:
		if run.Outcome != f.outcome {
			return false
		}
	}
	for _, word := range f.words {
		if !mentions(run, word) {
			return false
		}
	}
	return true
}

// mentions reports whether a word is in what is known of a run, but for what came back.
func mentions(run *mcpserver.AuditRun, word string) bool {
	for _, text := range []string{run.ID, run.Client, run.Error, run.Code, run.CodeSHA256} {
		if contains(text, word) {
			return true
		}
	}
	return slices.ContainsFunc(run.Calls, func(c mcpserver.AuditCall) bool {
		return contains(c.Server+"."+c.Tool, word) || contains(c.Error, word)
	})
}

func contains(text, lower string) bool { return strings.Contains(strings.ToLower(text), lower) }
