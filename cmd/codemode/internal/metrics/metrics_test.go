package metrics

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/mcpserver"
)

func TestWhatIsCounted(t *testing.T) {
	m := New()
	m.CallEnded("r", 0, mcpserver.AuditCall{Server: "git hub", Tool: `a"b`, Outcome: "ok", Ms: 30, WaitMs: 28})
	m.CallEnded("r", 1, mcpserver.AuditCall{Server: "git hub", Tool: `a"b`, Outcome: "refused"})
	m.CallUnlisted(mcpserver.AuditCall{Server: "git hub", Tool: `a"b`, Outcome: "ok", Ms: 1})
	m.RunEnded(mcpserver.AuditRun{Outcome: "ok", Ms: 40, Calls: []mcpserver.AuditCall{
		{Server: "git hub", Tool: `a"b`, Outcome: "ok"}, {Server: "git hub", Tool: "c", Outcome: "abandoned", Ms: 5}}})
	m.RunEnded(mcpserver.AuditRun{Outcome: "failed", Kind: "timeout", Ms: 50000})
	m.RunEnded(mcpserver.AuditRun{Outcome: "error"})
	p := m.Pool()
	p.RunEnded("value", 3*time.Millisecond, time.Second)
	p.WorkerReady(40 * time.Millisecond)
	p.WorkerEnded("retired")
	var b strings.Builder
	m.Write(&b, []mcpserver.ServerStatus{{Name: "git hub", State: "failed", Tools: make([]mcpserver.ServerTool, 2)}}, &executor.Status{Running: 1, Idle: 2, Starting: 3, Queued: 4})
	for _, want := range []string{
		`codemode_runs_total{outcome="error"} 1`, `codemode_runs_total{outcome="timeout"} 1`, `codemode_runs_total{outcome="value"} 1`,
		`codemode_run_seconds_count 3`,
		`codemode_calls_total{server="git hub",tool="a\"b",outcome="ok"} 2`, `codemode_calls_total{server="git hub",tool="a\"b",outcome="refused"} 1`,
		`codemode_calls_total{server="git hub",tool="c",outcome="abandoned"} 1`,
		`codemode_call_seconds_bucket{server="git hub",le="0.0025"} 2`, `codemode_call_seconds_count{server="git hub"} 3`,
		`codemode_run_queue_seconds_count 1`, `codemode_worker_start_seconds_count 1`, `codemode_workers_ended_total{how="retired"} 1`,
		`codemode_upstream_state{server="git hub",state="failed"} 1`, `codemode_upstream_state{server="git hub",state="ready"} 0`, `codemode_upstream_tools{server="git hub"} 2`,
		`codemode_workers{state="running"} 1`, `codemode_workers{state="starting"} 3`, `codemode_runs_waiting 4`,
	} {
		if !strings.Contains(b.String(), want+"\n") {
			t.Errorf("%s is not in\n%s", want, b.String())
		}
	}
	var remote strings.Builder
	New().Write(&remote, nil, nil)
	if strings.Contains(remote.String(), "queue") || strings.Contains(remote.String(), "workers") {
		t.Errorf("without a pool there is one in\n%s", remote.String())
	}
}

func TestToolsAreBounded(t *testing.T) {
	m := New()
	for i := range maxTools + 10 {
		m.CallUnlisted(mcpserver.AuditCall{Server: "s", Tool: fmt.Sprint(i), Outcome: "ok"})
	}
	if n := m.calls[call{tool{"s", "_other"}, "ok"}]; n != 10 || len(m.calls) != maxTools+1 {
		t.Errorf("%d of others, %d series", n, len(m.calls))
	}
}
