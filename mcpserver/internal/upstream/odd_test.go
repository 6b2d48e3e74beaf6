package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/mcpserver/internal/fake"
)

func TestAnswersWithWrongIDsReachNobody(t *testing.T) {
	u := run(t, fake.Script{Tools: fake.Tools("wrong_id", "echo", "slow")}, "", nil)
	settle(t, u)
	beside := make(chan string)
	go func() { beside <- call(t, u, "slow", `{"ms":300}`) }()
	if got := call(t, u, "wrong_id", ""); got != `"yours"` {
		t.Error(got)
	}
	if got := <-beside; got != `"slept"` {
		t.Errorf("the call beside it: %s", got)
	}
	if got := call(t, u, "echo", `{"still":"there"}`); got != `{"still":"there"}` {
		t.Error(got)
	}
}

func TestFloodOfNotificationsDrownsNothing(t *testing.T) {
	u := run(t, fake.Script{Tools: fake.Tools("flood", "echo", "pid")}, "", nil)
	settle(t, u)
	pid := call(t, u, "pid", "")
	if got := call(t, u, "flood", `{"times":20000}`); got != `"flooded"` {
		t.Error(got)
	}
	if got := call(t, u, "pid", ""); got != pid {
		t.Errorf("the server was started again: %s", got)
	}
}

func TestTenThousandToolsOnPages(t *testing.T) {
	u := run(t, fake.Script{ManyTools: 10_000, PerPage: 400}, "", nil)
	if s := settle(t, u); s.State != Ready || len(s.Tools) != 10_000 || s.Tools[9_999].Name != "tool_9999" {
		t.Errorf("%s %s: %d tools", s.State, s.Reason, len(s.Tools))
	}
	if got := call(t, u, "tool_9999", `{"a":1}`); got != `{"a":1}` {
		t.Error(got)
	}
}

// TestServerThatExitsOnDiscover covers the question that kills servers of before: those with a handshake never get it,
// and one without any cannot be used, and is said to have ended.
func TestServerThatExitsOnDiscover(t *testing.T) {
	u := run(t, fake.Script{Tools: fake.Tools("echo"), ExitOnDiscover: true}, "", nil)
	if got := call(t, u, "echo", `{"a":1}`); got != `{"a":1}` {
		t.Error(got)
	}
	var log bytes.Buffer
	u = run(t, fake.Script{Tools: fake.Tools("echo"), Modern: true, ExitOnDiscover: true}, "", &Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if s := settle(t, u); s.State != Failed || !strings.Contains(s.Reason, "exit status 6") {
		t.Errorf("%+v", s)
	}
	if !strings.Contains(log.String(), "server=srv") {
		t.Errorf("the log does not name the server: %s", log.String())
	}
}

// TestToolsThatAreTasks covers tools that can only be called as tasks: they are, to the end, whichever that is.
func TestToolsThatAreTasks(t *testing.T) {
	script := fake.Script{Tasks: true}
	for _, name := range []string{"task_ok", "task_failed", "task_input", "task_slow"} {
		script.Tools = append(script.Tools, fake.TaskTool(name))
	}
	script.Tools = append(script.Tools, fake.Tools("echo")...)
	script.Trace = filepath.Join(t.TempDir(), "trace")
	u := run(t, script, "", &Options{Ask: func(_ context.Context, _, method string, _ json.RawMessage) (json.RawMessage, *RPCError) {
		return json.RawMessage(fmt.Sprintf(`{"asked":%q}`, method)), nil
	}})
	settle(t, u)
	got := map[string]string{}
	for _, tool := range []string{"task_ok", "task_failed", "task_input", "echo"} {
		got[tool] = call(t, u, tool, `{}`)
	}
	want := map[string]string{"task_ok": `"done as a task"`, "task_failed": "Error: it went wrong", "task_input": `"input: {\"asked\":\"elicitation/create\"}"`, "echo": `{}`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	traced := func(method string) func() bool {
		return func() bool {
			text, _ := os.ReadFile(script.Trace)
			return strings.Contains(string(text), method)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	before, _ := os.ReadFile(script.Trace)
	go func() {
		_, err := u.Call(ctx, "task_slow", nil)
		done <- err
	}()
	eventually(t, "the task is asked for", func() bool {
		text, _ := os.ReadFile(script.Trace)
		return strings.Contains(string(text[len(before):]), "tasks/get")
	})
	cancel()
	if err := <-done; err == nil {
		t.Error("a cancelled task was answered")
	}
	eventually(t, "the task is cancelled", traced("tasks/cancel"))
}

// TestToolsThatCannotBeTasksAreHidden: the server does not take calls as tasks, or its revision has no such tasks.
func TestToolsThatCannotBeTasksAreHidden(t *testing.T) {
	for name, script := range map[string]fake.Script{"no offer": {}, "2026-07-28": {Modern: true}} {
		t.Run(name, func(t *testing.T) {
			script.Tools = append(fake.Tools("echo"), fake.TaskTool("task_ok"))
			var log bytes.Buffer
			u := run(t, script, "", &Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			if got := names(settle(t, u)); got != "echo" || !strings.Contains(log.String(), "tool=task_ok") || !strings.Contains(log.String(), "server=srv") {
				t.Errorf("%s\n%s", got, log.String())
			}
		})
	}
}
