package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/internal/upstream"
	"github.com/codemode-go/codemode/protocol"
)

// Watcher hears of runs as they go, with the texts that an audit with payloads has: redacted, and cut like there. Its
// methods are called by many goroutines, in the way of the runs: they return at once. Calls beyond the bound of the audit
// are not told of, and neither are those that end after their run.
type Watcher interface {
	// RunBegan has a run whose Outcome is Running and that has no calls.
	RunBegan(run AuditRun)
	// CallBegan has the n-th call of a run, from 0, whose Outcome is Running; CallEnded has the same once more.
	CallBegan(run string, n int, call AuditCall)
	CallEnded(run string, n int, call AuditCall)
	// RunEnded has all of a run, as the audit file would.
	RunEnded(run AuditRun)
}

// Running is the outcome of what has not ended. It is never in an audit file.
const Running = "running"

// The bounds of one run, so that a program cannot fill a disk with one line: calls that are listed, and bytes of each text.
const (
	maxAuditCalls  = 1000
	maxAuditText   = 64 << 10
	maxAuditResult = 4 << 10 // of one call's answer; the program's own result says more
	maxAuditError  = 1000
)

// trail is what a run leaves: for the audit file when it has ended, and for a Watcher meanwhile. A nil one keeps nothing.
type trail struct {
	run      AuditRun
	began    time.Time
	payloads bool // texts are kept, by the file or by the watcher
	watcher  Watcher
	// instruments hear the same without the texts.
	instruments []Instrument
	// redact removes the secrets of the servers' configuration; write is given the run once it has ended.
	redact func(string) string
	write  func(AuditRun)

	mu    sync.Mutex
	calls []AuditCall // in the order they began
	more  int
	// allowed has the calls that the policy let through and that are about to be made.
	allowed map[string][]*step
	ended   bool
}

// step is one call of a trail while it lasts. A nil one keeps nothing.
type step struct {
	trail *trail
	n     int // its place in the list; -1 when that is full
	began time.Time
	call  AuditCall
}

// newTrail begins the trail of a run, if anybody wants one.
func (s *Server) newTrail(ctx context.Context, g *generation, r *run, code string) *trail {
	audit, watcher, instruments := g.options.Audit, g.options.Watcher, g.options.Instruments
	if audit.File == "" && watcher == nil && len(instruments) == 0 {
		return nil
	}
	t := &trail{began: r.began, payloads: audit.Payloads || watcher != nil, watcher: watcher, instruments: instruments,
		allowed: map[string][]*step{}, redact: g.redact, write: func(AuditRun) {}}
	if audit.File != "" {
		t.write = func(run AuditRun) {
			if err := s.writeAudit(audit, run); err != nil {
				s.log.Warn("a run could not be written down", "error", err)
			}
		}
	}
	who := identityOf(ctx)
	t.run = AuditRun{ID: newRunID(), Time: r.began.UTC(), Client: t.text(clientName(ctx), maxAuditError), View: g.viewName(),
		Subject: t.text(who.subject, maxAuditError), Issuer: who.issuer, Outcome: Running,
		CodeSHA256: hashOf([]byte(code)), CodeBytes: len(code), Code: t.payload(code, maxAuditText), Calls: []AuditCall{}}
	if watcher != nil {
		watcher.RunBegan(t.run)
	}
	for _, i := range instruments {
		i.RunFrom(ctx, t.run.ID, r.origin)
		i.RunBegan(t.run.measures())
	}
	return t
}

// redact removes the secrets of all servers from a text.
func (g *generation) redact(text string) string {
	for _, u := range g.upstreams {
		text = u.Redact(text)
	}
	return text
}

// begin notes that a program calls a tool.
func (t *trail) begin(server, tool string, args json.RawMessage) *step {
	return t.beginMethod("", server, tool, args)
}

// beginMethod is begin for a request of the method, as AuditCall.Method says it.
func (t *trail) beginMethod(method, server, tool string, args json.RawMessage) *step {
	if t == nil {
		return nil
	}
	now := time.Now()
	one := &step{trail: t, n: -1, began: now, call: AuditCall{Server: server, Tool: tool, Method: method, Outcome: Running, StartMs: inMs(now.Sub(t.began)),
		ArgumentsSHA256: hashOf(args), ArgumentsBytes: len(args), Arguments: t.payload(string(args), maxAuditText)}}
	t.mu.Lock()
	switch {
	case t.ended:
	case len(t.calls) == maxAuditCalls:
		t.more++
	default:
		one.n = len(t.calls)
		t.calls = append(t.calls, one.call)
	}
	t.mu.Unlock()
	if one.n < 0 {
		return one
	}
	if t.watcher != nil {
		t.watcher.CallBegan(t.run.ID, one.n, one.call)
	}
	for _, i := range t.instruments {
		i.CallBegan(t.run.ID, one.n, one.call.measures())
	}
	return one
}

// decided notes what the policy said, and how long that took.
func (one *step) decided(d codetool.Decision) {
	if one == nil {
		return
	}
	if d.Action != codetool.Allow || d.Rule >= 0 {
		one.call.Policy, one.call.Rule = string(d.Action), d.Rule+1
	}
	if d.Action == codetool.Ask {
		one.call.WaitMs = inMs(time.Since(one.began))
	}
}

// letThrough keeps a call that the policy allowed until it is made, which the code tool does next.
func (one *step) letThrough() {
	if one == nil {
		return
	}
	t, key := one.trail, one.key()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.allowed[key] = append(t.allowed[key], one)
}

func (one *step) key() string {
	return one.call.Method + "\x00" + one.call.Server + "\x00" + one.call.Tool + "\x00" + one.call.ArgumentsSHA256
}

// take finds a call that was let through; one that nobody was asked about begins now.
func (t *trail) take(method, server, tool string, args json.RawMessage) *step {
	if t == nil {
		return nil
	}
	key := (&step{call: AuditCall{Method: method, Server: server, Tool: tool, ArgumentsSHA256: hashOf(args)}}).key()
	t.mu.Lock()
	list := t.allowed[key]
	if len(list) > 0 {
		t.allowed[key] = list[1:]
	}
	t.mu.Unlock()
	if len(list) > 0 {
		return list[0]
	}
	return t.beginMethod(method, server, tool, args)
}

// end notes what became of a call.
func (one *step) end(result json.RawMessage, err error) {
	if one == nil {
		return
	}
	t := one.trail
	one.call.Outcome, one.call.Ms = "ok", inMs(time.Since(one.began))
	one.call.ResultBytes, one.call.Result = len(result), t.payload(string(result), maxAuditResult)
	if err != nil {
		one.call.Outcome, one.call.Error, one.call.Kind = "failed", t.text(err.Error(), maxAuditError), upstream.Kind(err)
		if errors.As(err, new(*codetool.DeniedError)) {
			one.call.Outcome, one.call.Kind = "refused", ""
		}
	}
	t.mu.Lock()
	late := t.ended
	if one.n >= 0 && !late {
		t.calls[one.n] = one.call
	}
	t.mu.Unlock()
	if !late {
		one.told()
	}
}

// told tells that a call has ended.
func (one *step) told() {
	t := one.trail
	if one.n < 0 {
		for _, i := range t.instruments {
			i.CallUnlisted(one.call.measures())
		}
		return
	}
	if t.watcher != nil {
		t.watcher.CallEnded(t.run.ID, one.n, one.call)
	}
	for _, i := range t.instruments {
		i.CallEnded(t.run.ID, one.n, one.call.measures())
	}
}

// payload is a text that is kept only where texts are.
func (t *trail) payload(text string, most int) string {
	if !t.payloads || text == "" {
		return ""
	}
	return t.text(text, most)
}

// text is a text without secrets, and no longer than most. What is cut could be half a secret, so the order counts.
func (t *trail) text(text string, most int) string {
	text = t.redact(text)
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + fmt.Sprintf("… (%d more bytes)", len(text)-most)
}

// finish writes the run down, and tells the watcher.
func (t *trail) finish(outcome *codetool.Outcome, err error) {
	if t == nil {
		return
	}
	run := t.run
	run.Outcome, run.Ms = "ok", inMs(time.Since(t.began))
	if err != nil {
		run.Outcome, run.Error = "error", t.text(err.Error(), maxAuditError)
		var ours *protocol.Error
		if errors.As(err, &ours) {
			run.Kind = string(ours.Code)
		}
	}
	if outcome != nil {
		t.describe(&run, outcome)
	}
	t.mu.Lock()
	t.ended = true
	run.Calls, run.MoreCalls = t.calls, t.more // nobody changes them any more
	t.mu.Unlock()
	for i := range run.Calls {
		if call := &run.Calls[i]; call.Outcome == Running {
			call.Outcome, call.Ms = "abandoned", run.Ms-call.StartMs
		}
	}
	t.write(run)
	if t.watcher != nil {
		t.watcher.RunEnded(run)
	}
	for _, i := range t.instruments {
		i.RunEnded(run.measures())
	}
}

// describe puts what became of a program into its run.
func (t *trail) describe(run *AuditRun, outcome *codetool.Outcome) {
	if f := outcome.Failure; f != nil {
		words := *f
		words.Frame = "" // it is a line of the program
		run.Outcome, run.Error = "failed", t.text(words.String(), maxAuditError)
		if f.Native != nil {
			run.Kind = string(f.Native.Kind)
		}
		if f.Position != nil && f.Position.File == "" {
			run.Line, run.Column = f.Position.Line, f.Position.Column
		}
	}
	if outcome.Native != nil {
		run.CPUMs, run.PeakBytes = inMs(outcome.Native.Usage.CPU), outcome.Native.Usage.PeakMemory
	}
	run.ResultBytes, run.Result = len(outcome.Value), t.payload(string(outcome.Value), maxAuditText)
	room := maxAuditText
	for _, line := range outcome.Logs {
		if line = t.payload(line, room); line != "" {
			run.Logs = append(run.Logs, line)
		}
		if room -= len(line); room <= 0 {
			break
		}
	}
}

// withoutPayloads is a run as a file keeps it that has no texts of programs and servers. Of an error the first line stays: the
// others quote arguments that do not fit a schema, and what a compiler says of the program.
func (r AuditRun) withoutPayloads() AuditRun {
	r.Code, r.Result, r.Logs = "", "", nil
	r.Error, _, _ = strings.Cut(r.Error, "\n")
	r.Calls = slices.Clone(r.Calls)
	for i := range r.Calls {
		r.Calls[i].Arguments, r.Calls[i].Result = "", ""
	}
	return r
}
