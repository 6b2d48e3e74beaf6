package executor_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// limitCases has a program for each limit of a run, and the limit that it meets.
var limitCases = map[string]struct {
	limits protocol.Limits
	value  int64 // in the failure
	code   string
}{
	"memory":          {protocol.Limits{Memory: 24 << 20}, 24 << 20, `async () => { const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1)) }`},
	"cpu":             {protocol.Limits{CPU: 80 * time.Millisecond}, 80, `async () => { for (;;); }`},
	"sourceBytes":     {protocol.Limits{SourceBytes: 20}, 20, `async () => { return "more than twenty" }`},
	"modulesBytes":    {protocol.Limits{ModulesBytes: 5}, 5, `async () => 1`},
	"argumentBytes":   {protocol.Limits{ArgumentBytes: 10}, 10, `async () => { await api.t("x".repeat(20)) }`},
	"toolResultBytes": {protocol.Limits{ToolResultBytes: 10}, 10, `async () => { try { await api.t() } catch (e) { return e.message } }`},
	"resultBytes":     {protocol.Limits{ResultBytes: 10}, 10, `async () => "x".repeat(20)`},
	"logBytes":        {protocol.Limits{LogBytes: 10}, 10, `async () => { console.log("x".repeat(20)) }`},
	"logLines":        {protocol.Limits{LogLines: 2}, 2, `async () => { for (let i = 0; i < 5; i++) console.log("x") }`},
	"toolCalls":       {protocol.Limits{ToolCalls: 2}, 2, `async () => { for (;;) await api.t() }`},
	"callsInFlight":   {protocol.Limits{CallsInFlight: 2}, 2, `async () => { await Promise.all([1, 2, 3].map(() => api.t())) }`},
	"timers":          {protocol.Limits{Timers: 2}, 2, `async () => { for (;;) setTimeout(() => {}, 1e6) }`},
	"handles":         {protocol.Limits{Handles: 2}, 2, `async () => [() => 1, () => 2, () => 3]`},
}

func TestEveryLimitOfARunIsMetByName(t *testing.T) {
	needLinux(t)
	pool := newPool(t, executor.Options{})
	dispatch := func(context.Context, string, string, string) (string, error) {
		return `{"result":"a long result"}`, nil
	}
	for _, info := range protocol.RunLimits() {
		c, ok := limitCases[info.Name]
		if !ok {
			t.Errorf("%s has no case", info.Name)
			continue
		}
		t.Run(info.Name, func(t *testing.T) {
			result := mustExecute(t, pool, &protocol.ExecuteRequest{
				Code: c.code, Limits: c.limits, Dispatch: dispatch, Providers: []protocol.ProviderDescriptor{{Name: "api"}},
				Modules: map[string]string{"m": "export default 1"}, RetainHandles: info.Name == "handles",
			})
			f := result.Failure
			switch info.Name {
			case "logBytes", "logLines":
				last := result.Logs[len(result.Logs)-1]
				if f != nil || !strings.Contains(last.Text, fmt.Sprintf("the console is cut here: at most %d", c.value)) {
					t.Errorf("failure %+v, last line %+v", f, last)
				}
			case "toolResultBytes":
				if f != nil || !strings.Contains(string(result.Value), "limit toolResultBytes: 10") {
					t.Errorf("value %s, failure %+v", result.Value, f)
				}
			default:
				want := protocol.FailureLimit
				if info.Name == "memory" {
					want = protocol.FailureMemory
				}
				if f == nil || f.Kind != want || f.Limit != info.Name || f.LimitValue != c.value || !strings.Contains(f.Message, fmt.Sprint(c.value>>(20*btoi(info.Name == "memory")))) {
					t.Errorf("value %s, failure %+v", result.Value, f)
				}
			}
			mustValue(t, pool, &protocol.ExecuteRequest{Code: `async () => 1`})
		})
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A flood of log lines costs a run little more than making them.
func TestAMillionLogLinesAreNoTimeout(t *testing.T) {
	pool := newPool(t, executor.Options{})
	for format, lines := range map[protocol.ConsoleFormat]int{protocol.ConsoleString: 1_000_000, protocol.ConsoleInspect: 50_000} {
		result := mustExecute(t, pool, &protocol.ExecuteRequest{
			Code:          fmt.Sprintf(`async () => { for (let i = 0; i < %d; i++) console.log("line", i, { a: [i] }); return "done" }`, lines),
			ConsoleFormat: format, Timeout: protocol.TimeoutOf(3 * time.Minute),
		})
		if result.Failure != nil || string(result.Value) != `"done"` || len(result.Logs) != 10_001 {
			t.Errorf("%s: value %s, failure %+v, %d lines", format, result.Value, result.Failure, len(result.Logs))
		}
	}
}
