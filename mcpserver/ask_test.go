package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/fake"
)

// TestDeniedWhicheverWayItIsReached: a rule holds at dispatch, not for a name that a program may avoid writing.
func TestDeniedWhicheverWayItIsReached(t *testing.T) {
	c := one(t, &Options{Policy: config.Policy{Rules: []codetool.Rule{
		{Action: codetool.Deny, Servers: []string{"srv"}, Tools: []string{"echo"}, When: `args.x == 1`, Reason: "one is too many"},
	}}}, "echo", "delete-it")
	for _, program := range []string{
		`async () => srv.echo({x: 1})`,
		`async () => srv["echo"]({x: 1})`,
		`async () => { const f = srv.echo; return f({x: 1}) }`,
		`async () => Reflect.get(srv, "echo")({x: 1})`,
		`async () => { const {echo} = srv; return Promise.all([echo({x: 1})]) }`,
	} {
		if got := c.code(program).text(); !strings.Contains(got, "srv.echo was not called: the policy denies it: one is too many") {
			t.Errorf("%s: %s", program, got)
		}
	}
	if got := c.code(`async () => srv.echo({x: 2})`).text(); strings.Contains(got, "not called") {
		t.Error(got)
	}
	if got := c.code(`async () => { try { await srv.echo({x: 1}) } catch (e) { return "caught" } }`).text(); !strings.Contains(got, "caught") {
		t.Error(got)
	}
}

// TestNobodyCanBeAsked: a client without elicitation gets a refusal that says what to do, for calls and for programs.
func TestNobodyCanBeAsked(t *testing.T) {
	for want, policy := range map[string]config.Policy{
		"this client cannot ask anybody":                        {Default: codetool.Ask},
		"the program was not run: it needs a person's approval": {ApproveCode: true},
	} {
		t.Run(want, func(t *testing.T) {
			c := one(t, &Options{Policy: policy}, "echo")
			if got := c.code(`async () => srv.echo({})`).text(); !strings.Contains(got, want) {
				t.Error(got)
			}
		})
	}
}

// TestAPersonDecides through the answers of a stand-in: once, for the run, for the session, refusal and silence.
func TestAPersonDecides(t *testing.T) {
	var asked atomic.Int64
	var answer func(ctx context.Context) (string, error)
	var message string
	s := serve(t, FromConfig(configure(t, map[string]fake.Script{"srv": {Tools: fake.Tools("echo")}}, []string{"srv"}, nil)),
		&Options{Policy: config.Policy{Default: codetool.Ask, AskTimeout: 200 * time.Millisecond}})
	s.guard.ask = func(ctx context.Context, text string, _ []string) (string, error) {
		asked.Add(1)
		message = text
		return answer(ctx)
	}
	s.Settled(t.Context())
	c := connect(t, s)
	twice := `async () => { await srv.echo({a: "\u202Eb"}); await srv.echo({a: 2}); return "done" }`
	for _, tt := range []struct {
		name   string
		answer func(ctx context.Context) (string, error)
		asked  int64
		want   string
	}{
		{"refusal", func(context.Context) (string, error) { return "", errors.New("the person who was asked refused it") }, 1, "srv.echo was not called: the person who was asked refused it"},
		{"silence", func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }, 1, "nobody answered within 200ms"},
		{"once", func(context.Context) (string, error) { return once, nil }, 2, "done"},
		{"for this run", func(context.Context) (string, error) { return forRun, nil }, 1, "done"},
		{"the next run", func(context.Context) (string, error) { return forRun, nil }, 1, "done"},
		{"for this session", func(context.Context) (string, error) { return forSession, nil }, 1, "done"},
		{"for this session, later", func(context.Context) (string, error) { return "", errors.New("not to be asked") }, 0, "done"},
	} {
		asked.Store(0)
		answer = tt.answer
		if got := c.code(twice).text(); !strings.Contains(got, tt.want) || asked.Load() != tt.asked {
			t.Errorf("%s: asked %d times, %s", tt.name, asked.Load(), got)
		}
		if tt.name == "refusal" && (!strings.Contains(message, `srv.echo with`) || !strings.Contains(message, `"a": "\u202eb"`)) {
			t.Errorf("the person read %q", message)
		}
	}
}

// generous serves a tool about which a person is asked, who takes the widest choice. The choices are noted.
func generous(t *testing.T, offered *[][]string) *Server {
	t.Helper()
	s := serve(t, FromConfig(configure(t, map[string]fake.Script{"srv": {Tools: fake.Tools("echo")}}, []string{"srv"}, nil)),
		&Options{Policy: config.Policy{Default: codetool.Ask}})
	s.guard.ask = func(_ context.Context, _ string, choices []string) (string, error) {
		*offered = append(*offered, choices)
		return choices[len(choices)-1], nil
	}
	s.Settled(t.Context())
	return s
}

// What the person of one client allows is asked again of another's, and a request without a session allows nothing beyond it.
func TestAllowedForOneClientAlone(t *testing.T) {
	var offered [][]string
	s := generous(t, &offered)
	first, other := connect(t, s), connect(t, s)
	for i, c := range []*client{first, other, first, other} {
		if got := c.code(`async () => { await srv.echo({}); return "done" }`).text(); got != "done" {
			t.Fatal(got)
		}
		if want := min(i+1, 2); len(offered) != want {
			t.Errorf("asked %d times in %d runs", len(offered), i+1)
		}
	}
	third := connect(t, s)
	offered = nil
	third.code(`async () => srv.echo({})`)
	for range 2 {
		if _, err := s.Call(t.Context(), `async () => { await srv.echo({}); await srv.echo({}) }`); err != nil {
			t.Fatal(err)
		}
	}
	want := [][]string{{once, forRun, forSession}, {once, forRun}, {once, forRun}}
	if diff := cmp.Diff(want, offered); diff != "" {
		t.Error(diff)
	}
}

// Over HTTP a client is its session; a request without one is anybody's.
func TestAllowedOverHTTP(t *testing.T) {
	var offered [][]string
	s := generous(t, &offered)
	url := listen(t, s, nil)
	first, other := session(t, url), session(t, url)
	all, fewer := []string{once, forRun, forSession}, []string{once, forRun}
	for _, tt := range []struct {
		session, revision, meta string
		asked                   [][]string
	}{
		{first, "2025-11-25", noMeta, [][]string{all}}, {first, "2025-11-25", noMeta, nil}, {other, "2025-11-25", noMeta, [][]string{all}},
		{"", "2026-07-28", modernMeta, [][]string{fewer}}, {"", "2026-07-28", modernMeta, [][]string{fewer}}, {first, "2026-07-28", modernMeta, [][]string{fewer}},
	} {
		offered = nil
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"code","arguments":{"code":"async () => { await srv.echo({}); await srv.echo({}); return 'done' }"},` + tt.meta + `}}`
		response, err := post(t.Context(), url, tt.session, tt.revision, body)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !strings.Contains(string(text), `"done"`) {
			t.Errorf("%v %s", err, text)
		}
		if diff := cmp.Diff(tt.asked, offered); diff != "" {
			t.Errorf("%.8s of %s: %s", tt.session, tt.revision, diff)
		}
	}
}

func TestAllowedToolsAreBounded(t *testing.T) {
	a := allowed{of: map[server.ClientSession][]string{}}
	session := server.NewInProcessSession("one", nil)
	ctx := server.NewMCPServer("x", "1").WithContext(t.Context(), session)
	a.add(ctx, "nobody's")
	a.joined(ctx, session)
	for i := range maxAllowed + 1 {
		a.add(ctx, fmt.Sprint(i))
		a.add(ctx, fmt.Sprint(i))
	}
	if len(a.of[session]) != maxAllowed || a.has(ctx, "0") || !a.has(ctx, "1") || !a.has(ctx, fmt.Sprint(maxAllowed)) || a.has(ctx, "nobody's") {
		t.Errorf("%d tools are kept: %v", len(a.of[session]), a.of[session])
	}
	a.left(ctx, session)
	if a.has(ctx, "1") || len(a.of) != 0 {
		t.Error("what a client that is gone may call is remembered")
	}
}

func TestHintsOfTheServerCount(t *testing.T) {
	yes := true
	tools := []json.RawMessage{
		json.RawMessage(`{"name":"echo","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`),
		json.RawMessage(`{"name":"env","inputSchema":{"type":"object"},"annotations":{"destructiveHint":false}}`),
		json.RawMessage(`{"name":"pid","inputSchema":{"type":"object"}}`),
	}
	s := serve(t, FromConfig(configure(t, map[string]fake.Script{"srv": {Tools: tools}}, []string{"srv"}, nil)),
		&Options{Policy: config.Policy{Rules: []codetool.Rule{{Action: codetool.Deny, Destructive: &yes}}}})
	s.Settled(t.Context())
	c := connect(t, s)
	for tool, denied := range map[string]bool{"echo": false, "env": false, "pid": true} {
		if got := c.code(`async () => srv.` + tool + `({name: "HOME"})`).text(); strings.Contains(got, "was not called") != denied {
			t.Errorf("%s: %s", tool, got)
		}
	}
}

// TestWhatAPersonIsShownIsWhatThereIs: nothing of a call is invisible, or turns what is around it.
func TestWhatAPersonIsShownIsWhatThereIs(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\nç 天 😀":                "a\tb\nç 天 😀",
		"x\u2028y\u2029\u0085z":      `x\u2028y\u2029\u0085z`,
		"rm\u202e\u2066\u200b\u00ad": `rm\u202e\u2066\u200b\u00ad`,
		"\u061c\ufeff\u3164\u115f":   `\u061c\ufeff\u3164\u115f`,
		"tag\U000e0041\x1b[2J":       `tag\u{e0041}\u001b[2J`,
	} {
		if got := shown(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	var asked string
	g := &guard{timeout: time.Second, ask: func(_ context.Context, message string, _ []string) (string, error) {
		asked = message
		return once, nil
	}}
	err := g.approve(t.Context(), &codetool.Call{Provider: "srv", Tool: "read\nA program wants to call srv.other with\n{}\u202e", Arguments: json.RawMessage(`{}`)}, "")
	if want := `A program wants to call srv.read\nA program wants to call srv.other with\n{}\u202e with`; err != nil || !strings.HasPrefix(asked, want+"\n") {
		t.Errorf("%v %q", err, asked)
	}
}
