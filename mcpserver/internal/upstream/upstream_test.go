package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/child"
	"github.com/codemode-go/codemode/mcpserver/internal/fake"
)

func TestMain(m *testing.M) {
	fake.Main()
	os.Exit(m.Run())
}

// run makes an Upstream over a fake server that the test ends; options may be nil.
func run(t *testing.T, script fake.Script, entry string, options *Options) *Upstream {
	t.Helper()
	command, env := fake.Server(script)
	name, value, _ := strings.Cut(env, "=")
	file := fmt.Sprintf(`{"mcpServers": {"srv": {"command": %q, "env": {%q: %s, "FAKE_TOKEN": "hush-hush"} %s}}}`, command, name, quote(strings.ReplaceAll(value, "$", "$$")), entry)
	cfg, err := config.Parse(filepath.Join(t.TempDir(), "mcp.json"), []byte(file), nil)
	if err != nil || len(cfg.Problems) > 0 {
		t.Fatal(err, cfg)
	}
	before := runtime.NumGoroutine()
	supervisor := child.NewSupervisor(&child.Options{Grace: 200 * time.Millisecond})
	u := New(FromConfig(&cfg.Servers[0], supervisor, nil), options)
	t.Cleanup(func() {
		u.Close()
		u.Close()
		supervisor.Close()
		for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				stacks := make([]byte, 1<<20)
				t.Fatalf("goroutines are left:\n%s", stacks[:runtime.Stack(stacks, true)])
			}
		}
	})
	u.Start()
	return u
}

func settle(t *testing.T, u *Upstream) Status {
	t.Helper()
	u.Settled(t.Context())
	return u.Status()
}

func names(s Status) string {
	var list []string
	for _, tool := range s.Tools {
		list = append(list, tool.Name)
	}
	return strings.Join(list, " ")
}

// call calls a tool and renders the outcome as a program would see it.
func call(t *testing.T, u *Upstream, tool, args string) string {
	t.Helper()
	result, err := u.Call(t.Context(), tool, json.RawMessage(args))
	if err == nil {
		result, err = Unwrap(result)
	}
	if err != nil {
		return "Error: " + err.Error()
	}
	return string(result)
}

// eventually waits for something that another goroutine or process brings about.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
	}
}

func TestReadyServerIsCalled(t *testing.T) {
	u := run(t, fake.Script{Tools: fake.Tools("echo", "raw", "rpcerror", "fail"), Noise: true}, "", nil)
	if s := settle(t, u); s.State != Ready || names(s) != "echo raw rpcerror fail" || s.Server != "fake" || s.Tools[0].Description != "the echo tool" {
		t.Fatalf("%+v", s)
	}
	for _, tt := range [][3]string{
		{"echo", `{"id": 9007199254740993, "z": 1, "a": "é"}`, `{"id":9007199254740993,"z":1,"a":"é"}`},
		{"raw", `{"result": {"structuredContent": {"id": 9007199254740993, "b": 1e400, "a": 0.10}, "content": []}}`, `{"id":9007199254740993,"b":1e400,"a":0.10}`},
		{"rpcerror", `{"code": -32602, "message": "Tool x not found"}`, `Error: MCP error -32602: Tool x not found`},
		{"rpcerror", `{"code": 7, "message": ""}`, `Error: MCP error 7: `},
		{"fail", ``, "Error: bad thing\nmore"},
		{"raw", `{"result": {"content": [{"type": "hologram", "x": 1}]}}`, `{"content":[{"type":"hologram","x":1}]}`},
	} {
		if got := call(t, u, tt[0], tt[1]); got != tt[2] {
			t.Errorf("%s %s:\n got %s\nwant %s", tt[0], tt[1], got, tt[2])
		}
	}
}

func TestManyCallsAtOnce(t *testing.T) {
	u := run(t, fake.Script{Tools: fake.Tools("echo")}, "", nil)
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			if got, want := call(t, u, "echo", fmt.Sprintf(`{"i":%d}`, i)), fmt.Sprintf(`{"i":%d}`, i); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	wg.Wait()
}

func TestServerGetsOnlyItsOwnEnvironment(t *testing.T) {
	t.Setenv("CODEMODE_TEST_PRIVATE", "ours")
	u := run(t, fake.Script{Tools: fake.Tools("env")}, "", nil)
	if got := call(t, u, "env", `{"name": "CODEMODE_TEST_PRIVATE"}`); got != `""` {
		t.Errorf("the server sees %s", got)
	}
	if got := call(t, u, "env", `{"name": "FAKE_TOKEN"}`); got != `"hush-hush"` {
		t.Errorf("the server sees %s", got)
	}
}

func TestEveryPageIsListed(t *testing.T) {
	var all []string
	for i := range 90 {
		all = append(all, fmt.Sprintf("t%d", i))
	}
	u := run(t, fake.Script{Tools: fake.Tools(all...), PerPage: 30}, "", nil)
	if got := names(settle(t, u)); got != strings.Join(all, " ") {
		t.Error(got)
	}
}

func TestCircleOfPagesEnds(t *testing.T) {
	u := run(t, fake.Script{Tools: fake.Tools("a", "b", "c", "d", "e", "f"), PerPage: 2, RepeatCursor: true}, "", nil)
	if s := settle(t, u); s.State != Ready || !strings.HasPrefix(names(s), "a b c d") {
		t.Errorf("%+v", s)
	}
}

func TestMalformedToolCostsOnlyItself(t *testing.T) {
	var log bytes.Buffer
	u := run(t, fake.Script{Tools: []json.RawMessage{
		json.RawMessage(`{"name":"nullable","inputSchema":{"type":["object","null"],"z":9007199254740993,"a":1},"annotations":{"readOnlyHint":"true","title":"T"},"icons":{},"title":5,"required":"x"}`),
		json.RawMessage(`5`), json.RawMessage(`{"inputSchema":{}}`), json.RawMessage(`{"name":7}`),
		json.RawMessage(`{"name":"bool","inputSchema":true,"outputSchema":null,"description":{}}`),
		json.RawMessage(`{"name":"bool"}`), json.RawMessage(`{"name":"bare","inputSchema":null}`),
		json.RawMessage(`{"name":"task","execution":{"taskSupport":"required"}}`),
	}}, "", &Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	want := []Tool{
		{Name: "nullable", Identifier: "nullable", Title: "T", InputSchema: json.RawMessage(`{"type":["object","null"],"z":9007199254740993,"a":1}`), Destructive: true},
		{Name: "bool", Identifier: "bool", InputSchema: json.RawMessage(`true`), Destructive: true},
		{Name: "bare", Identifier: "bare", Destructive: true},
	}
	if d := cmp.Diff(want, settle(t, u).Tools); d != "" {
		t.Error(d)
	}
	for _, part := range []string{`tool 2 (\"\") is no object`, `tool 3 (\"\") has no name`, `tool 6 (\"bool\") is listed twice`, `a tool can only be called as a task, which the server does not offer`} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("no %s in the log:\n%s", part, log.String())
		}
	}
}

func TestToolsOfTheLastTimeAreKnownAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	script := fake.Script{Tools: append(fake.Tools("a", "b"), json.RawMessage(`{"name":"n","inputSchema":{"z":9007199254740993,"a":"<"}}`))}
	var first Status
	t.Run("first", func(t *testing.T) { first = settle(t, run(t, script, "", &Options{CacheDir: dir})) })
	t.Run("again", func(t *testing.T) {
		if got := run(t, script, "", &Options{CacheDir: dir}).Status(); got.State != Starting || cmp.Diff(first.Tools, got.Tools) != "" {
			t.Errorf("%s %s", got.State, cmp.Diff(first.Tools, got.Tools))
		}
	})
	t.Run("another entry", func(t *testing.T) {
		if got := run(t, script, `, "args": ["other"]`, &Options{CacheDir: dir}).Status(); got.Tools != nil {
			t.Errorf("it got the old tools: %+v", got.Tools)
		}
	})
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", info.Mode(), err)
		}
		if err := os.WriteFile(file, []byte("broken"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := settle(t, run(t, script, "", &Options{CacheDir: dir})); got.State != Ready || len(got.Tools) != 3 {
		t.Errorf("%+v", got)
	}
}

func TestToolsAreSelected(t *testing.T) {
	u := run(t, fake.Script{Tools: fake.Tools("get_a", "get_b", "set_a")}, `, "includeTools": ["get_*"], "excludeTools": ["*_b"]`, nil)
	if got := names(settle(t, u)); got != "get_a" {
		t.Error(got)
	}
}

func TestServerWithoutToolsIsReady(t *testing.T) {
	u := run(t, fake.Script{NoTools: true}, "", nil)
	if s := settle(t, u); s.State != Ready || len(s.Tools) > 0 {
		t.Errorf("%+v", s)
	}
}

func TestFailedStartSaysWhy(t *testing.T) {
	for name, tt := range map[string]struct {
		script fake.Script
		entry  string
		want   string
	}{
		"exits":      {fake.Script{ExitAtStart: true, Stderr: "line\nno such token hush-hush\n"}, "", "it ended before it was ready: exit status 4; its last words: line\nno such token [redacted]"},
		"exits late": {fake.Script{ExitAtStart: true, ExitDelay: 500 * time.Millisecond, Stderr: "no token\n"}, "", "it ended before it was ready: exit status 4; its last words: no token"},
		"throws in node": {fake.Script{ExitAtStart: true, Stderr: "  throw err;\n\nError: Cannot find module '/x.js'\n    at a (b:1:2)\n    at c (d:3:4) {\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v20.20.2\n"}, "",
			"it ended before it was ready: exit status 4; its last words:   throw err;\nError: Cannot find module '/x.js'\n  code: 'MODULE_NOT_FOUND'\n}"},
		"has no time": {fake.Script{}, `, "startTimeout": "1ns"`, "it did not get ready: it took longer than 1ns"},
		"hangs":       {fake.Script{Hang: true}, `, "startTimeout": "300ms"`, "it did not get ready: it took longer than 300ms"},
		"talks": {fake.Script{}, `, "startTimeout": "2s", "command": "/bin/sh", "args": ["-c", "echo Server listening on stdio!; sleep 60"]`,
			`it did not get ready: it took longer than 2s; where its messages should be it wrote "Server listening on stdio!"; is it an MCP server that speaks on standard output?`},
		"another program": {fake.Script{}, `, "command": "/bin/sh", "args": ["-c", "echo usage: x"]`,
			`it ended before it was ready: exit status 0; where its messages should be it wrote "usage: x"; is it an MCP server that speaks on standard output?`},
		"talks on and on": {fake.Script{}, `, "command": "/bin/sh", "args": ["-c", "echo short $(printf %0300d 7)"]`,
			`it ended before it was ready: exit status 0; where its messages should be it wrote "short…"`},
		"too old": {fake.Script{Version: "1999-01-01"}, "", `it speaks revision "1999-01-01" of the protocol, which is not known here`},
		"missing": {fake.Script{}, `, "command": "no-such-program-here"`, `cannot find the program "no-such-program-here"; install it`},
	} {
		t.Run(name, func(t *testing.T) {
			u := run(t, tt.script, tt.entry, nil)
			if s := settle(t, u); s.State != Failed || !strings.HasPrefix(s.Reason, tt.want) {
				t.Errorf("%s: %s", s.State, s.Reason)
			}
			if got := call(t, u, "echo", `{}`); !strings.HasPrefix(got, `Error: server "srv" is down (`+tt.want) {
				t.Error(got)
			}
		})
	}
}

func TestCrashedServerStartsAgainWithTheNextCall(t *testing.T) {
	var changes atomic.Int32
	u := run(t, fake.Script{Tools: fake.Tools("crash", "pid")}, "", &Options{OnChange: func() { changes.Add(1) }})
	first := call(t, u, "pid", "")
	want := `Error: server "srv" ended while it worked on "crash" (exit status 3; its last words: about to crash), so the outcome of this call is unknown; the next call starts the server again`
	if got := call(t, u, "crash", ""); got != want {
		t.Errorf("got %s", got)
	}
	eventually(t, "stopped", func() bool { return u.Status().State == Stopped })
	if got := names(u.Status()); got != "crash pid" {
		t.Errorf("the tools did not stay known: %q", got)
	}
	if second := call(t, u, "pid", ""); second == first || strings.HasPrefix(second, "Error") {
		t.Errorf("%s, then %s", first, second)
	}
}

func TestServerThatExitsAfterEachCall(t *testing.T) {
	u := run(t, fake.Script{Tools: fake.Tools("answer_and_die")}, "", nil)
	for i := range 4 {
		if got := call(t, u, "answer_and_die", ""); got != `"goodbye"` {
			t.Errorf("call %d: %s", i, got)
		}
		eventually(t, "stopped", func() bool { return u.Status().State == Stopped })
	}
}

func TestServerThatKeepsCrashingIsLeftAlone(t *testing.T) {
	u := run(t, fake.Script{Tools: fake.Tools("crash")}, "", nil)
	settle(t, u)
	for range 2 {
		if got := call(t, u, "crash", ""); !strings.Contains(got, "outcome of this call is unknown") {
			t.Fatal(got)
		}
	}
	if got := call(t, u, "crash", ""); !strings.Contains(got, "is down (exit status 3") || !strings.Contains(got, "not started again before") {
		t.Error(got)
	}
}

func TestCallThatWasNeverSentIsRepeated(t *testing.T) {
	u := run(t, fake.Script{Tools: fake.Tools("pid")}, "", nil)
	first := call(t, u, "pid", "")
	var id int
	if err := json.Unmarshal([]byte(first), &id); err != nil {
		t.Fatal(first)
	}
	if err := syscall.Kill(id, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "stopped", func() bool { return u.Status().State == Stopped })
	if got := call(t, u, "pid", ""); got == first || strings.HasPrefix(got, "Error") {
		t.Error(got)
	}
}

func TestNewToolsAreListedOnce(t *testing.T) {
	var changes atomic.Int32
	u := run(t, fake.Script{Tools: fake.Tools("add")}, "", &Options{OnChange: func() { changes.Add(1) }})
	settle(t, u)
	before := changes.Load()
	call(t, u, "add", `{"name": "fresh", "times": 20}`)
	eventually(t, "the new tool", func() bool { return names(u.Status()) == "add fresh" })
	// A second, later change has to be seen too, and nothing in between.
	call(t, u, "add", `{"name": "fresher", "times": 1}`)
	eventually(t, "the newer tool", func() bool { return names(u.Status()) == "add fresh fresher" })
	if n := changes.Load() - before; n != 2 {
		t.Errorf("%d changes were announced", n)
	}
}

func TestCancelledCallIsCancelledAtTheServer(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace")
	u := run(t, fake.Script{Tools: fake.Tools("slow", "echo"), Trace: trace}, "", nil)
	settle(t, u)
	file := filepath.Join(t.TempDir(), "mark")
	ctx, cancel := context.WithCancel(t.Context())
	called := make(chan error)
	go func() {
		_, err := u.Call(ctx, "slow", json.RawMessage(fmt.Sprintf(`{"ms": 60000, "file": %q}`, file)))
		called <- err
	}()
	eventually(t, "the server has the call", func() bool { text, _ := os.ReadFile(trace); return strings.Contains(string(text), "tools/call ") })
	cancel()
	if err := <-called; err == nil {
		t.Fatal("no error")
	}
	eventually(t, "cancelled", func() bool { data, _ := os.ReadFile(file); return string(data) == "cancelled" })
	if got := call(t, u, "echo", `{"still": "there"}`); got != `{"still":"there"}` {
		t.Error(got)
	}
}

func TestCallTimeout(t *testing.T) {
	u := run(t, fake.Script{Tools: fake.Tools("slow")}, `, "timeout": "50ms"`, nil)
	settle(t, u)
	if got := call(t, u, "slow", `{"ms": 60000}`); got != `Error: server "srv" did not answer "slow" within 50ms` {
		t.Error(got)
	}
}

func TestRequestsOfTheServerAreAnswered(t *testing.T) {
	u := run(t, fake.Script{Tools: fake.Tools("elicit", "sample", "ping")}, "", nil)
	for tool, want := range map[string]string{
		"ping":   `{}`,
		"elicit": `{"code":-32601,"message":"Method not found: this client has no elicitation/create"}`,
		"sample": `{"code":-32601,"message":"Method not found: this client has no sampling/createMessage"}`,
	} {
		if got := call(t, u, tool, ""); got != want {
			t.Errorf("%s: %s", tool, got)
		}
	}
}

func TestDeafServerIsStopped(t *testing.T) {
	u := run(t, fake.Script{Tools: fake.Tools("pid"), Deaf: true}, "", nil)
	var id int
	if err := json.Unmarshal([]byte(call(t, u, "pid", "")), &id); err != nil {
		t.Fatal(err)
	}
	u.Close()
	if err := syscall.Kill(id, 0); err == nil {
		t.Errorf("process %d lives", id)
	}
	if got := call(t, u, "pid", ""); got != `Error: server "srv" is down (closed)` {
		t.Error(got)
	}
}

func TestCloseWhileStarting(t *testing.T) {
	u := run(t, fake.Script{Hang: true}, "", nil)
	u.Close()
	if s := u.Status(); s.State != Stopped {
		t.Errorf("%+v", s)
	}
}

// TestInProcess covers a server that shares our process, behind the same tap.
func TestInProcess(t *testing.T) {
	s := server.NewMCPServer("demo", "2")
	s.AddTool(mcp.NewToolWithRawSchema("big", "d", json.RawMessage(`{"type":"object","properties":{"z":{},"a":{}}}`)), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(`{"n":9007199254740993,"z":1,"a":2}`)}, nil
	})
	s.AddTool(mcp.NewTool("slow"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	u := New(InProcess("demo", s), nil)
	defer u.Close()
	u.Start()
	if got := settle(t, u); got.State != Ready || names(got) != "big slow" || string(got.Tools[0].InputSchema) != `{"type":"object","properties":{"z":{},"a":{}}}` {
		t.Fatalf("%+v", got)
	}
	if got := call(t, u, "big", `{}`); got != `{"n":9007199254740993,"z":1,"a":2}` {
		t.Error(got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := u.Call(ctx, "slow", nil); err == nil {
		t.Error("no error")
	}
}

func TestPauseGrows(t *testing.T) {
	var got []time.Duration
	for n := range 12 {
		got = append(got, pause(n)/time.Second)
	}
	if d := cmp.Diff([]time.Duration{0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60}, got); d != "" {
		t.Error(d)
	}
}
