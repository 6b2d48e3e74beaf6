package ui

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/codemode-go/codemode/mcpserver"
)

const (
	// maxCalls bounds the calls that one page shows: more cannot be told apart on it.
	maxCalls = 300
	// maxPayload bounds each text of a call on the page, maxPayloads those of all its calls together, in bytes.
	maxPayload  = 8 << 10
	maxPayloads = 2 << 20
)

// runView is one run.
type runView struct {
	frame
	Run     mcpserver.AuditRun
	Summary Summary
	// Program has the lines of the program; nil when it was not kept.
	Program []Line
	Logs    []logLine
	Ticks   []tick // of the time axis
	Calls   []callView
	// Hidden is how many calls are not shown.
	Hidden int
	// Texts says that programs, arguments and results are there.
	Texts bool
}

// logLine is a line of the console.
type logLine struct{ Level, Text string }

// tick is a place on the axis, with its distance from the left in percent.
type tick struct {
	X, Label string
	// Anchor is start, middle or end: labels at the edges stay inside.
	Anchor string
}

// callView is one call, with its bar in percent of the axis.
type callView struct {
	mcpserver.AuditCall
	N int
	// X and Width are the bar, WaitWidth the part of it in which a person was asked.
	X, Width, WaitWidth string
	Start, Took         time.Duration
	Policy              string
	Class               string
}

func (p *Page) run(w http.ResponseWriter, r *http.Request) {
	run, ok := p.store.Run(r.PathValue("id"))
	if !ok {
		render(w, http.StatusNotFound, "message", message{"Not here", "This run is not kept, or not any more. The page keeps the newest."})
		return
	}
	v := runView{frame: p.frame("Run "+visible(run.ID), "runs", run.ID), Run: run, Summary: summarize(&run), Texts: run.Code != ""}
	if v.Texts {
		v.Program = highlight(run.Code, run.Line)
	}
	for _, line := range run.Logs {
		v.Logs = append(v.Logs, newLogLine(line))
	}
	total := axisLength(&run)
	v.Ticks = newAxis(total)
	shown := run.Calls[:min(len(run.Calls), maxCalls)]
	v.Hidden = len(run.Calls) - len(shown) + run.MoreCalls
	room := maxPayloads
	for i := range shown {
		v.Calls = append(v.Calls, newCallView(shown[i], i, total, tookOf(&run), &room))
	}
	if run.Outcome != mcpserver.Running {
		v.Live = "" // it does not change any more
	}
	render(w, http.StatusOK, "run", v)
}

// newLogLine takes the level off a line of the console.
func newLogLine(line string) logLine {
	for _, level := range []string{"debug", "info", "warn", "error", "trace"} {
		if rest, ok := strings.CutPrefix(line, "["+level+"] "); ok {
			return logLine{level, rest}
		}
	}
	return logLine{"log", line}
}

// pretty cuts a text that may be JSON into lines.
func pretty(text string) []Line {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") == nil {
		text = b.String()
	}
	return highlight(text, 0)
}

// answerLines is what a server answered to tools/call, as the program got it where that is plain: the structured content, or the
// texts.
func answerLines(answer string) []Line {
	var result struct {
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
	}
	if json.Unmarshal([]byte(answer), &result) != nil {
		return pretty(answer) // it was cut
	}
	if len(result.StructuredContent) > 0 {
		return pretty(string(result.StructuredContent))
	}
	var texts []string
	for _, block := range result.Content {
		if block.Type != "text" {
			return pretty(answer)
		}
		texts = append(texts, block.Text)
	}
	if len(texts) == 0 {
		return pretty(answer)
	}
	return pretty(strings.Join(texts, "\n"))
}

// axisLength is the time that the axis covers: all of the run, and never nothing.
func axisLength(run *mcpserver.AuditRun) time.Duration {
	total := tookOf(run)
	for i := range run.Calls {
		total = max(total, milliseconds(run.Calls[i].StartMs+run.Calls[i].Ms))
	}
	return max(total, 100*time.Microsecond)
}

// newAxis has about five ticks at round times.
func newAxis(total time.Duration) (ticks []tick) {
	step := roundStep(total / 5)
	for at := time.Duration(0); at <= total && len(ticks) < maxTicks; at += step {
		one := tick{percent(at, total), duration(at), "middle"}
		switch {
		case at == 0:
			one.Label, one.Anchor = "0", "start"
		case at > total*9/10:
			one.Anchor = "end"
		}
		ticks = append(ticks, one)
	}
	return ticks
}

// maxTicks is more than newAxis ever has, so that a clock that jumped does no harm.
const maxTicks = 12

// roundStep is the smallest of 1, 2 and 5 times a power of ten that is not less than a time.
func roundStep(least time.Duration) time.Duration {
	power := time.Duration(math.Pow10(int(math.Floor(math.Log10(float64(max(least, 1)))))))
	for _, times := range []time.Duration{1, 2, 5} {
		if times*power >= least {
			return times * power
		}
	}
	return 10 * power
}

// percent is a part of a whole for an attribute, from 0 to 100.
func percent(part, whole time.Duration) string {
	return fmt.Sprintf("%.3f%%", 100*max(0, min(1, float64(part)/float64(whole))))
}

// newCallView places a call on the axis and keeps its texts within the page's room.
func newCallView(call mcpserver.AuditCall, n int, total, soFar time.Duration, room *int) callView {
	v := callView{AuditCall: call, N: n, Start: milliseconds(call.StartMs), Took: milliseconds(call.Ms), Policy: policyOf(&call), Class: outcomeClass(call.Outcome)}
	if call.Outcome == mcpserver.Running {
		v.Took = max(0, soFar-v.Start)
	}
	v.X = percent(v.Start, total)
	v.Width = percent(max(v.Took, total/250), total) // the shortest is still seen
	v.WaitWidth = percent(milliseconds(call.WaitMs), total)
	for _, text := range []*string{&v.Arguments, &v.Result} {
		*text = cut(*text, min(maxPayload, *room))
		*room -= len(*text)
	}
	return v
}

// cut is a text of so many bytes, that says what it lacks.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:max(0, most)], "") + fmt.Sprintf("… (%s more)", size(len(text)-max(0, most)))
}

// policyOf says in words what the policy did.
func policyOf(call *mcpserver.AuditCall) string {
	rule := "by default"
	if call.Rule > 0 {
		rule = fmt.Sprintf("by rule %d", call.Rule)
	}
	switch cmp.Or(call.Policy, "allow") {
	case "allow":
		if call.Outcome == "refused" {
			return "refused for the reason below" // the tool is withheld, or the program that embeds codemode refuses it
		}
		return "allowed " + rule
	case "deny":
		return "denied " + rule
	}
	switch call.Outcome {
	case mcpserver.Running:
		return "a person is asked, or was, " + rule
	case "refused":
		return "asked for " + rule + ", and refused"
	}
	return "asked for " + rule + ", and allowed by a person"
}
