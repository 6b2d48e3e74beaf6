package mcpserver

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/fake"
)

// changes counts the announcements of new tools among what a client has received.
func (c *client) changes() (n int) {
	for _, note := range c.notes {
		if note.Method == "notifications/tools/list_changed" {
			n++
		}
	}
	return n
}

func TestClientIsAnsweredWhileServersStart(t *testing.T) {
	permission := filepath.Join(t.TempDir(), "start")
	s := serve(t, FromConfig(configure(t, map[string]fake.Script{"late": {Tools: fake.Tools("echo"), StartFile: permission}}, []string{"late"}, nil)), nil)
	c := connect(t, s)
	if d := c.tool().Description; !strings.Contains(d, `server "late" is still starting`) || strings.Contains(d, "the echo tool") {
		t.Error(d)
	}
	if got := c.code(`async () => 'needs nobody'`).text(); got != "needs nobody" {
		t.Error(got)
	}
	if state := s.Servers()[0].State; state != "starting" {
		t.Errorf("the program waited until the server was %s", state)
	}
	if err := os.WriteFile(permission, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := c.code(`async () => (await late.echo({a: 1})).a`).text(); got != "1" {
		t.Error(got)
	}
	for c.changes() == 0 {
		c.notes = append(c.notes, c.receive())
	}
	if d := c.tool().Description; strings.Contains(d, "starting") || !strings.Contains(d, "the echo tool") {
		t.Error(d)
	}
	if n := c.changes(); n != 1 {
		t.Errorf("the change was announced %d times", n)
	}
}

func TestBadServersDoNotHarmGoodOnes(t *testing.T) {
	cfg := configure(t, map[string]fake.Script{"a": {Tools: fake.Tools("echo")}, "b": {}, "c": {Hang: true}, "d": {ExitAtStart: true, Stderr: "no token\n"}},
		[]string{"a", "b", "c", "d"}, map[string]string{"b": `, "command": "no-such-program"`})
	cfg.Problems = []config.Problem{{File: "f", Server: "e", Field: "args[0]", Message: "uses ${X}, but it is not set"}}
	s := serve(t, FromConfig(cfg), &Options{Problems: cfg.Problems})
	c := connect(t, s)
	if got := c.code(`async () => (await a.echo({x: 1})).x`).text(); got != "1" {
		t.Error(got)
	}
	eventually(t, "b and d are down", func() bool { return s.Servers()[1].State == "failed" && s.Servers()[3].State == "failed" })
	for _, part := range []string{
		`server "b" is down: cannot find the program "no-such-program"; install it`, `server "c" is still starting`,
		`server "d" is down: it ended before it was ready: exit status 4; its last words: no token`,
		`server "e" is not available: args[0] uses ${X}, but it is not set`,
	} {
		if d := s.Description(); !strings.Contains(d, part) {
			t.Errorf("no %s in:\n%s", part, d)
		}
	}
	s.now.options.StartWait = 50 * time.Millisecond
	if got := c.code(`async () => b.anything({})`).text(); !strings.Contains(got, "isError") || !strings.Contains(got, `Note: server "b" is down: cannot find the program`) || strings.Contains(got, "b has") {
		t.Error(got)
	}
	if got := c.code(`async () => c.anything({})`).text(); !strings.Contains(got, `Note: server "c" is still starting`) {
		t.Error(got)
	}
}

func TestNewToolsReachTheClientOnce(t *testing.T) {
	s := fakes(t, nil, "add", "echo")
	published(t, s) // or the change of the start comes when the client is there, or not
	c := connect(t, s)
	c.tool()
	c.code(`async () => { await srv.add({name: 'fresh', times: 10}); return 1 }`)
	for c.changes() == 0 {
		c.notes = append(c.notes, c.receive())
	}
	if d := c.tool().Description; !strings.Contains(d, "the fresh tool") {
		t.Error(d)
	}
	if got := c.code(`async () => (await srv.fresh({a: 1})).a`).text(); got != "1" {
		t.Error(got)
	}
	time.Sleep(2 * quiet) // a second announcement would come within this
	c.request("ping", `{}`)
	if n := c.changes(); n != 1 {
		t.Errorf("the change was announced %d times", n)
	}
}

func TestTheToolAsItIsListed(t *testing.T) {
	tool := one(t, nil, "echo").tool()
	if tool.Name != "code" || string(tool.InputSchema) != closedSchema || tool.OutputSchema != nil {
		t.Errorf("%+v", tool)
	}
	if tool.Meta["anthropic/alwaysLoad"] != true || tool.Meta["anthropic/maxResultSizeChars"] != 48000.0 {
		t.Errorf("%v", tool.Meta)
	}
	for _, part := range []string{"Execute code to achieve a goal.", "declare const srv: {", "* the echo tool", "Example: async () => { const r = await srv.echo({}); return r; }"} {
		if !strings.Contains(tool.Description, part) {
			t.Errorf("no %q in:\n%s", part, tool.Description)
		}
	}
}

func TestInProcessServer(t *testing.T) {
	demo := server.NewMCPServer("demo", "1", server.WithToolCapabilities(true))
	demo.AddTool(mcp.NewTool("add", mcp.WithNumber("a", mcp.Required()), mcp.WithNumber("b", mcp.Required())),
		func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: json.RawMessage(`{"sum":9007199254740993}`)}, nil
		})
	s := serve(t, []Upstream{InProcess("demo", demo)}, nil)
	c := connect(t, s)
	if got := c.code(`async () => (await demo.add({a: 1, b: 2})).sum`).text(); got != "9007199254740993" {
		t.Error(got)
	}
	if got := c.code(`async () => demo.add({a: 'x'})`).text(); !strings.Contains(got, "isError") || !strings.Contains(got, "b") {
		t.Error(got)
	}
	demo.AddTool(mcp.NewTool("later"), nil)
	eventually(t, "the new tool", func() bool { return strings.Contains(s.Description(), "later") })
}

func TestSettingsOfTheConfigurationHold(t *testing.T) {
	cfg, err := config.Parse("mcp.json", []byte(`{"mcpServers": {"a": {"command": "a", "args": ["${UNSET_HERE}"]}},
		"codemode": {"timeout": "200ms", "resultChars": 50, "preamble": "House rules.", "toolCalls": 3, "outbound": "blocked"}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, serve(t, FromConfig(cfg), OptionsFromConfig(cfg)))
	if d := c.tool().Description; !strings.HasPrefix(d, "House rules.\n\nExecute code") || !strings.Contains(d, "UNSET_HERE is not set") {
		t.Error(d)
	}
	if got := c.code(`async () => { for (;;); }`).text(); !strings.Contains(got, "200 ms bound") {
		t.Error(got)
	}
	c.codeUntil(`async () => 'x'.repeat(1000)`, strings.Repeat("x", 50)+"\n")
	c.codeUntil(`async () => a.anything({})`, `Note: server "a" is not available: args[0] uses ${UNSET_HERE}`)
}

func TestNetworkIsBlockedUnlessAllowed(t *testing.T) {
	c := one(t, nil)
	if got := c.code(`async () => fetch('http://127.0.0.1:1/')`).text(); !strings.Contains(got, "isError") {
		t.Error(got)
	}
}

func TestTimeout(t *testing.T) {
	c := one(t, &Options{Tool: codetool.Options{Timeout: 300 * time.Millisecond}}, "slow")
	if got := c.code(`async () => { await null; for (;;); }`).text(); !strings.Contains(got, "Error: Execution timed out at its 300 ms bound.") {
		t.Error(got)
	}
	if got := c.code(`async () => srv.slow({ms: 60000})`).text(); !strings.Contains(got, "Execution timed out at its 300 ms bound.") {
		t.Error(got)
	}
	c.codeUntil(`async () => srv.slow({ms: 60000})`, "Waiting for: srv.slow")
	c.codeUntil(`async () => 'in time'`, "in time")
}

func TestNamespacesOfUpstreams(t *testing.T) {
	demo := server.NewMCPServer("demo", "1")
	if _, err := New(pool, []Upstream{InProcess("a", demo), InProcess("a", demo)}, nil); err == nil || err.Error() != `mcpserver: servers "a" and "a" share the namespace a` {
		t.Error(err)
	}
	if _, err := New(pool, []Upstream{InProcess("a b", demo)}, nil); err == nil {
		t.Error("no error")
	}
	if _, err := New(nil, nil, nil); err == nil {
		t.Error("no error")
	}
}

// Whoever has waited for a server has its functions, though the change is not yet told to anybody.
func TestAReadyServerHasItsFunctionsAtOnce(t *testing.T) {
	demo := server.NewMCPServer("demo", "1")
	demo.AddTool(mcp.NewTool("look"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("seen"), nil
	})
	s := serve(t, []Upstream{InProcess("demo", demo)}, nil)
	s.Description() // a tool from before the server is ready
	s.Settled(t.Context())
	g := s.generation()
	g.mu.Lock()
	g.stale = false // as if nothing had been told
	g.mu.Unlock()
	if functions := s.Functions(); len(functions) != 1 {
		t.Errorf("%v", functions)
	}
}
