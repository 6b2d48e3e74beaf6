package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/fake"
)

// recorder is a Watcher that writes down what it hears.
type recorder struct {
	mu     sync.Mutex
	events []string
	ended  []AuditRun
}

func (r *recorder) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprintf(format, args...))
}

func (r *recorder) RunBegan(run AuditRun) { r.note("run %s %q", run.Outcome, run.Code) }
func (r *recorder) CallBegan(_ string, n int, c AuditCall) {
	r.note("call %d %s.%s %s %s", n, c.Server, c.Tool, c.Outcome, c.Arguments)
}
func (r *recorder) CallEnded(_ string, n int, c AuditCall) {
	r.note("call %d %s %s", n, c.Outcome, c.Policy)
}
func (r *recorder) RunEnded(run AuditRun) {
	r.note("run %s with %d calls", run.Outcome, len(run.Calls))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = append(r.ended, run)
}

func TestWatcherHearsOfRunsAsTheyGo(t *testing.T) {
	heard := &recorder{}
	c := one(t, &Options{Watcher: heard, Policy: config.Policy{Rules: []codetool.Rule{
		{Action: codetool.Deny, Tools: []string{"fail"}}, {Action: codetool.Ask, Tools: []string{"env"}},
	}}}, "echo", "fail", "env")
	program := `async () => { await srv.echo({a: 1}); for (const f of ["fail", "env"]) try { await srv[f]({name: "X"}) } catch {}; return 2 }`
	c.code(program)
	want := []string{
		fmt.Sprintf("run running %q", program),
		`call 0 srv.echo running {"a":1}`, "call 0 ok ",
		`call 1 srv.fail running {"name":"X"}`, "call 1 refused deny",
		`call 2 srv.env running {"name":"X"}`, "call 2 refused ask",
		"run ok with 3 calls",
	}
	if diff := cmp.Diff(want, heard.events); diff != "" {
		t.Error(diff)
	}
	run := heard.ended[0]
	if run.Result != "2" || run.ResultBytes != 1 || run.Calls[0].ResultBytes == 0 {
		t.Errorf("%+v", run)
	}
	eventually(t, "a run is not over before its memory is looked at", func() bool {
		c.code(program)
		return slices.ContainsFunc(heard.ended, func(run AuditRun) bool { return run.PeakBytes > 0 })
	})
}

// A call that nobody answers before its run ends is listed all the same.
func TestAbandonedCallsAreListed(t *testing.T) {
	heard := &recorder{}
	begun := make(chan struct{})
	options := &Options{Watcher: heard}
	options.Tool.Authorize = func(ctx context.Context, call codetool.Call) error { // the run goes on once the call has begun
		if call.Tool == "slow" {
			close(begun)
			return nil
		}
		select {
		case <-begun:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s := serve(t, FromConfig(configure(t, map[string]fake.Script{"srv": {Tools: fake.Tools("slow", "echo")}}, []string{"srv"}, nil)), options)
	s.Settled(t.Context())
	c := connect(t, s)
	c.code(`async () => { srv.slow({ms: 60000}); await srv.echo({}); return 1 }`)
	outcomes := map[string]string{}
	for _, call := range heard.ended[0].Calls { // in the order they began, which calls at one time have none
		outcomes[call.Tool] = call.Outcome
		if call.Ms <= 0 {
			t.Errorf("%+v", call)
		}
	}
	if diff := cmp.Diff(map[string]string{"slow": "abandoned", "echo": "ok"}, outcomes); diff != "" || len(heard.ended[0].Calls) != 2 {
		t.Error(diff, heard.ended[0].Calls)
	}
}

// What is beyond the bound of one run is counted, and not told of.
func TestCallsBeyondTheBoundAreCounted(t *testing.T) {
	heard := &recorder{}
	c := one(t, &Options{Watcher: heard}, "echo")
	c.code(fmt.Sprintf(`async () => { for (let i = 0; i < %d; i++) await srv.echo({}) }`, maxAuditCalls+3))
	run := heard.ended[0]
	if len(run.Calls) != maxAuditCalls || run.MoreCalls != 3 {
		t.Errorf("%d calls and %d more", len(run.Calls), run.MoreCalls)
	}
	if slices.ContainsFunc(run.Calls, func(c AuditCall) bool { return c.Outcome != "ok" }) {
		t.Error("a call of the list did not end")
	}
}
