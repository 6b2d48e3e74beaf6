package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/fake"
)

func fakes(t *testing.T, options *Options, tools ...string) *Server {
	t.Helper()
	return serve(t, FromConfig(configure(t, map[string]fake.Script{"srv": {Tools: fake.Tools(tools...)}}, []string{"srv"}, nil)), options)
}

// TestQuestionsReachTheClientThatCanAnswer covers what an upstream asks while a program calls it: the client gets it with
// the asker's name, and its time does not count.
func TestQuestionsReachTheClientThatCanAnswer(t *testing.T) {
	s := fakes(t, &Options{AwaitClient: true, Tool: codetool.Options{Timeout: 2 * time.Second}}, "elicit", "sample", "roots", "told")
	c := connectWith(t, s, `{"elicitation":{"form":{}},"sampling":{},"roots":{"listChanged":true},"experimental":{"x":{}}}`)
	s.Settled(t.Context())
	c.answers = func(method string) string {
		if method == "elicitation/create" {
			time.Sleep(2500 * time.Millisecond)
		}
		return fmt.Sprintf(`{"method":%q}`, method)
	}
	if got := c.code(`async () => [await srv.elicit({}), await srv.sample({}), await srv.roots({})].map(x => x.method).join()`).text(); got != "elicitation/create,sampling/createMessage,roots/list" {
		t.Error(got)
	}
	want := []string{
		`elicitation/create {"message":"[srv] sure?","requestedSchema":{"type":"object","properties":{}}}`,
		`sampling/createMessage {"messages":[],"maxTokens":1}`, `roots/list {}`,
	}
	if d := cmp.Diff(want, c.asked); d != "" {
		t.Error(d)
	}
	if got := c.code(`async () => JSON.stringify(await srv.told({}))`).text(); got != `{"elicitation":{"form":{}},"roots":{"listChanged":true},"sampling":{}}` {
		t.Errorf("the upstream was told: %s", got)
	}
}

func TestQuestionsThatNobodyCanAnswerAreRefused(t *testing.T) {
	s := fakes(t, &Options{AwaitClient: true}, "elicit", "sample", "roots", "told")
	c := connect(t, s)
	s.Settled(t.Context())
	if got := c.code(`async () => [await srv.elicit({}), await srv.sample({}), await srv.roots({}), await srv.told({})].map(x => x.action ?? x.code ?? JSON.stringify(x)).join()`).text(); got != "decline,-32601,-32601,{}" {
		t.Error(got)
	}
	if len(c.asked) > 0 {
		t.Errorf("the client was asked: %s", c.asked)
	}
}

// TestClientThatCanBeAskedMoreConnectsTheServersAnew covers a second client over the same upstreams.
func TestClientThatCanBeAskedMoreConnectsTheServersAnew(t *testing.T) {
	s := fakes(t, nil, "told")
	s.Settled(t.Context())
	c := connect(t, s)
	told := `async () => JSON.stringify(await srv.told({}))`
	if got := c.code(told).text(); got != `{}` {
		t.Error(got)
	}
	more := connectWith(t, s, `{"roots":{}}`)
	eventually(t, "the server knows", func() bool { return more.code(told).text() == `{"roots":{}}` })
}

func TestProgressOfCallsAndServersComesInOrderBeforeTheAnswer(t *testing.T) {
	c := one(t, nil, "progress", "echo")
	m := c.request("tools/call", `{"name":"code","_meta":{"progressToken":"p"},"arguments":{"code":"async () => { await srv.progress({times: 3}); await srv.echo({}); try { await srv.progress({times: \"x\"}) } catch {} return 1 }"}}`)
	if m.Result == nil {
		t.Fatal(string(m.Error))
	}
	var lines []string
	last := 0.0
	for _, n := range c.notes {
		var params struct {
			ProgressToken string
			Progress      float64
			Message       string
		}
		if n.Method != "notifications/progress" {
			continue
		}
		if err := json.Unmarshal(n.Params, &params); err != nil || params.ProgressToken != "p" || params.Progress <= last {
			t.Errorf("%s %v", n.Params, err)
		}
		last = params.Progress
		words := strings.Fields(params.Message)
		line := strings.Join(words[:2], " ")
		if _, count, counted := strings.Cut(params.Message, " ms "); counted {
			line += " " + count
		}
		lines = append(lines, line)
	}
	want := []string{"srv.progress: 1/3", "srv.progress: 2/3", "srv.progress: 3/3",
		"srv.progress answered (1 call so far)", "srv.echo answered (2 calls so far)", "srv.progress answered (3 calls so far)"}
	if d := cmp.Diff(want, lines); d != "" {
		t.Error(d)
	}
	if m := c.request("ping", `{}`); m.Result == nil || len(c.notes) == 0 || c.notes[len(c.notes)-1].Method == "" {
		t.Errorf("after the answer: %+v", c.notes)
	}
}

func TestLogMessagesOfServersReachTheClientAtItsLevel(t *testing.T) {
	c := one(t, nil, "log")
	heard := func(level string) (list []string) {
		c.notes = nil
		if got := c.code(fmt.Sprintf(`async () => srv.log({name: %q, times: 1})`, level)).text(); got != "logged" {
			t.Error(got)
		}
		for _, n := range c.notes {
			if n.Method == "notifications/message" {
				list = append(list, string(n.Params))
			}
		}
		return list
	}
	if d := cmp.Diff([]string{`{"data":{"n":0},"level":"warning","logger":"srv/inner"}`}, heard("warning")); d != "" {
		t.Error(d)
	}
	if got := heard("debug"); got != nil {
		t.Errorf("without a level: %s", got)
	}
	if m := c.request("logging/setLevel", `{"level":"error"}`); m.Result == nil {
		t.Fatal(string(m.Error))
	}
	if got := heard("warning"); got != nil {
		t.Errorf("below the level: %s", got)
	}
}

func TestMetaGoesToTheServer(t *testing.T) {
	c := one(t, nil, "meta")
	m := c.request("tools/call", `{"name":"code","_meta":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01","x/y":{"z":1}},"arguments":{"code":"async () => JSON.stringify(await srv.meta({}))"}}`)
	want := `{\"traceparent\":\"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\",\"x/y\":{\"z\":1}}`
	if !strings.Contains(string(m.Result), want) {
		t.Error(string(m.Result))
	}
}

// modernMeta is what every request of a revision without sessions says.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}`

// TestModernClientIsAskedByTheAnswerToItsCall covers the revision without sessions: server/discover, and a program that
// waits between two requests.
func TestModernClientIsAskedByTheAnswerToItsCall(t *testing.T) {
	s := fakes(t, &Options{AwaitClient: true}, "elicit")
	c := bare(t, s)
	if m := c.request("server/discover", `{`+modernMeta+`}`); !strings.Contains(string(m.Result), `"2026-07-28"`) {
		t.Fatalf("%s %s", m.Result, m.Error)
	}
	if m := c.request("tools/list", `{`+modernMeta+`}`); !strings.Contains(string(m.Result), `"code"`) {
		t.Fatalf("%s %s", m.Result, m.Error)
	}
	call := `"name":"code","arguments":{"code":"async () => { let n = 0; const a = await srv.elicit({}); const b = await srv.elicit({}); return ++n + a.action + b.action }"},` + modernMeta
	extra := ""
	for round, want := range []string{`"input_required"`, `"input_required"`, `1acceptaccept`} {
		m := c.request("tools/call", `{`+call+extra+`}`)
		if !strings.Contains(string(m.Result), want) {
			t.Fatalf("round %d: %s %s", round, m.Result, m.Error)
		}
		var result struct {
			RequestState  string
			InputRequests map[string]struct{ Method string }
		}
		if err := json.Unmarshal(m.Result, &result); err != nil {
			t.Fatal(err)
		}
		if round < 2 && result.InputRequests["question"].Method != "elicitation/create" {
			t.Errorf("%s", m.Result)
		}
		extra = fmt.Sprintf(`,"requestState":%q,"inputResponses":{"question":{"action":"accept","content":{}}}`, result.RequestState)
	}
	if m := c.request("tools/call", `{`+call+`,"requestState":"guessed"}`); !strings.Contains(string(m.Result), "no longer waits") {
		t.Errorf("a handle that was guessed: %s %s", m.Result, m.Error)
	}
}

// TestClientsWithoutSessionsAreNotTakenForOne: what a server asks while it works for two of them is put to neither.
func TestClientsWithoutSessionsAreNotTakenForOne(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace")
	s := serve(t, FromConfig(configure(t, map[string]fake.Script{"srv": {Tools: fake.Tools("slow", "elicit"), Trace: trace}}, []string{"srv"}, nil)), &Options{AwaitClient: true})
	url := listen(t, s, nil)
	ask := func(ctx context.Context, program string) string {
		response, err := post(ctx, url, "", "2026-07-28", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"code","arguments":{"code":`+string(quote(program))+`},`+modernMeta+`}}`)
		if err != nil {
			return err.Error()
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return fmt.Sprint(string(text), err)
	}
	first, leave := context.WithCancel(t.Context())
	gone := make(chan string, 1)
	go func() { gone <- ask(first, `async () => srv.slow({ms: 60000})`) }()
	eventually(t, "the first client is served", func() bool {
		text, _ := os.ReadFile(trace)
		return strings.Contains(string(text), "tools/call ")
	})
	if got := ask(t.Context(), `async () => srv.elicit({})`); !strings.Contains(got, "several clients are being served") {
		t.Error(got)
	}
	leave()
	<-gone
	if got := ask(t.Context(), `async () => srv.elicit({})`); !strings.Contains(got, "input_required") {
		t.Errorf("alone: %s", got)
	}
}

// TestModernClientHearsWhatItListensFor covers the notifications of the revision without sessions: those that were asked
// for, with the id of the request that did.
func TestModernClientHearsWhatItListensFor(t *testing.T) {
	s := fakes(t, nil, "add")
	s.Settled(t.Context())
	deaf, c := bare(t, s), bare(t, s)
	for _, one := range []*client{deaf, c} {
		one.request("server/discover", `{`+modernMeta+`}`)
		one.request("tools/list", `{`+modernMeta+`}`)
	}
	c.send(`{"jsonrpc":"2.0","id":"L","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + modernMeta + `}}`)
	if m := c.receive(); m.Method != "notifications/subscriptions/acknowledged" {
		t.Fatalf("%+v", m)
	}
	if m := deaf.request("tools/call", `{"name":"code","arguments":{"code":"async () => srv.add({ name: 'fresh', times: 1 })"},`+modernMeta+`}`); !strings.Contains(string(m.Result), "added") {
		t.Fatalf("%s %s", m.Result, m.Error)
	}
	if m := c.receive(); m.Method != "notifications/tools/list_changed" || !strings.Contains(string(m.Params), `"io.modelcontextprotocol/subscriptionId":"L"`) {
		t.Errorf("%s %s", m.Method, m.Params)
	}
	if deaf.request("tools/list", `{`+modernMeta+`}`); len(deaf.notes) > 0 {
		t.Errorf("who did not listen heard %s", deaf.notes[0].Method)
	}
}

// TestAPersonIsAskedThroughTheClient covers the policy's question on its way: over the client's connection, in the form
// of its revision.
func TestAPersonIsAskedThroughTheClient(t *testing.T) {
	s := fakes(t, &Options{Policy: config.Policy{Default: codetool.Ask}}, "echo")
	s.Settled(t.Context())
	c := connectWith(t, s, `{"elicitation":{}}`)
	for answer, want := range map[string]string{
		`{"action":"accept","content":{"allow":"once"}}`: "1",
		`{"action":"decline"}`:                           "the person who was asked refused it",
	} {
		c.answers = func(string) string { return answer }
		if got := c.code(`async () => (await srv.echo({a: 1})).a`).text(); !strings.Contains(got, want) {
			t.Errorf("%s: %s", answer, got)
		}
	}
	if len(c.asked) != 2 || !strings.Contains(c.asked[0], `srv.echo with`) {
		t.Errorf("%q", c.asked)
	}
}

// TestReloadIsWholeOrNotAtAll covers the three outcomes, with a program that runs through all of them.
func TestReloadIsWholeOrNotAtAll(t *testing.T) {
	configured := func(scripts map[string]fake.Script, order ...string) []Upstream {
		return FromConfig(configure(t, scripts, order, nil))
	}
	trace, goOn := filepath.Join(t.TempDir(), "trace"), filepath.Join(t.TempDir(), "go on")
	a := fake.Script{Tools: fake.Tools("pid", "until"), Trace: trace}
	s := serve(t, configured(map[string]fake.Script{"a": a, "b": {Tools: fake.Tools("one")}}, "a", "b"), nil)
	s.Settled(t.Context())
	c := connect(t, s)
	pid := c.code(`async () => a.pid({})`).text()
	running := c.start("tools/call", `{"name":"code","arguments":{"code":"async () => { await a.until({file: '`+goOn+`'}); await b.one({}); return 'the old b' }"}}`)
	eventually(t, "the program runs", func() bool { return len(heardIn(trace)("tools/call")) == 2 })

	err := s.Reload(t.Context(), configured(map[string]fake.Script{"a": a, "b": {ExitAtStart: true}}, "a", "b"), nil)
	if err == nil || !strings.Contains(err.Error(), `server "b" does not start with its new entry (it ended before it was ready: exit status 4)`) {
		t.Fatal(err)
	}
	if err := s.Reload(t.Context(), configured(map[string]fake.Script{"a": a, "b": {Tools: fake.Tools("two")}, "c": {ExitAtStart: true}}, "a", "b", "c"), nil); err != nil {
		t.Fatal(err)
	}
	if got := c.code(`async () => [await a.pid({}), JSON.stringify(await b.two({}))].join()`).text(); got != pid+",{}" {
		t.Errorf("after the reload: %s, before: %s", got, pid)
	}
	if d := c.tool().Description; !strings.Contains(d, `server "c" is down`) {
		t.Error(d)
	}
	if err := os.WriteFile(goOn, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if m := c.finish(running); !strings.Contains(string(m.Result), "the old b") {
		t.Errorf("the program that ran: %s", m.Result)
	}
	eventually(t, "the old b has ended", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.old) == 0
	})
	if err := s.Reload(t.Context(), append(configured(map[string]fake.Script{"a": a}, "a"), configured(map[string]fake.Script{"a": a}, "a")...), nil); err == nil {
		t.Error("two servers of one namespace were taken")
	}
}

// TestARunKeepsWhatItsServersAreCalled: the policy knows a server by its name, also when the configuration has it no more.
func TestARunKeepsWhatItsServersAreCalled(t *testing.T) {
	yes := true
	options := func() *Options {
		return &Options{Policy: config.Policy{Rules: []codetool.Rule{
			{Action: codetool.Deny, Servers: []string{"going-soon"}, Tools: []string{"pid"}},
			{Action: codetool.Deny, Servers: []string{"going-soon"}, ReadOnly: &yes},
		}}}
	}
	tools := append(fake.Tools("pid", "until"), json.RawMessage(`{"name":"echo","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`))
	trace, goOn := filepath.Join(t.TempDir(), "trace"), filepath.Join(t.TempDir(), "go on")
	stays, goes := fake.Script{Tools: fake.Tools("echo")}, fake.Script{Tools: tools, Trace: trace}
	s := serve(t, FromConfig(configure(t, map[string]fake.Script{"stays": stays, "going-soon": goes}, []string{"stays", "going-soon"}, nil)), options())
	s.Settled(t.Context())
	c := connect(t, s)
	running := c.start("tools/call", `{"name":"code","arguments":{"code":"async () => { const file = '`+goOn+`'; await going_soon.until({file}); return (await Promise.allSettled([going_soon.pid({}), going_soon.echo({}), going_soon.until({file})])).map(x => x.reason?.message ?? x.value) }"}}`)
	eventually(t, "the run has begun", func() bool { return len(heardIn(trace)("tools/call")) == 1 })
	if err := s.Reload(t.Context(), FromConfig(configure(t, map[string]fake.Script{"stays": stays}, []string{"stays"}, nil)), options()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(goOn, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got := c.finish(running)
	for _, want := range []string{"going-soon.pid was not called: the policy denies it", "going-soon.echo was not called: the policy denies it", "it is there"} {
		if !strings.Contains(string(got.Result), want) {
			t.Errorf("%q is missing in %s", want, got.Result)
		}
	}
}
