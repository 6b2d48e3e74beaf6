package mcpserver

import (
	"strings"
	"testing"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/fake"
)

// TestConsoleOfAProgram covers console methods of every level: what they were given can be read, and nothing of it stands
// between messages (the test's client reads nothing else).
func TestConsoleOfAProgram(t *testing.T) {
	c := one(t, nil, "echo")
	got := c.code(`async () => { console.log("hi"); console.info({ a: 1 }); console.table([{ b: 2 }]); console.warn("w"); console.error(new Error("e")); console.debug([3]); return "v" }`).text()
	for _, part := range []string{"hi", "{ a: 1 }", "2", "[warn] w", "[error] Error: e", "[ 3 ]"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %s in\n%s", part, got)
		}
	}
	if strings.Contains(got, "[object Object]") {
		t.Error(got)
	}
}

// TestPolicyOfANewConfigurationHoldsAtOnce covers a program that runs when the rules change.
func TestPolicyOfANewConfigurationHoldsAtOnce(t *testing.T) {
	upstreams := FromConfig(configure(t, map[string]fake.Script{"srv": {Tools: fake.Tools("echo")}}, []string{"srv"}, nil))
	s := serve(t, upstreams, nil)
	s.Settled(t.Context())
	c := connect(t, s)
	id := c.start("tools/call", `{"name":"code","_meta":{"progressToken":1},"arguments":{"code":"async () => { for (;;) try { await srv.echo({}) } catch (e) { return e.message } }"}}`)
	for m := c.receive(); m.Method != "notifications/progress"; m = c.receive() { // until it has called
	}
	err := s.Reload(t.Context(), upstreams, &Options{Policy: config.Policy{Rules: []codetool.Rule{{Action: codetool.Deny, Tools: []string{"echo"}, Reason: "no longer"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if m := c.finish(id); !strings.Contains(string(m.Result), "no longer") {
		t.Errorf("%s %s", m.Result, m.Error)
	}
}

// TestCallsAfterTheEndAreNotMade covers what a program leaves behind: a timer, and a chain of promises.
func TestCallsAfterTheEndAreNotMade(t *testing.T) {
	s, heard := traced(t, false)
	c := connect(t, s)
	if got := c.code(`async () => { setTimeout(() => srv.echo({ late: 1 }), 20); (async () => { for (;;) { await new Promise((r) => setTimeout(r, 5)); await srv.echo({ late: 2 }) } })(); return "gone" }`).text(); got != "gone" {
		t.Error(got)
	}
	if got := c.code(`async () => { await new Promise((r) => setTimeout(r, 200)); return "next" }`).text(); got != "next" {
		t.Error(got)
	}
	if calls := heard("tools/call"); len(calls) > 0 {
		t.Errorf("calls %s were made after the end", calls)
	}
}

// TestRefusedProgramDoesNotRun covers the approval of programs: the person sees it, refuses, and the model reads that.
func TestRefusedProgramDoesNotRun(t *testing.T) {
	s := fakes(t, &Options{Policy: config.Policy{ApproveCode: true}}, "echo")
	s.Settled(t.Context())
	c := connectWith(t, s, `{"elicitation":{}}`)
	answer := `{"action":"decline"}`
	c.answers = func(string) string { return answer }
	program := `async () => (await srv.echo({ mark: "seen" })).mark`
	if got := c.code(program).text(); !strings.HasPrefix(got, "isError") || !strings.Contains(got, "the program was not run: the person who was asked refused it") {
		t.Error(got)
	}
	if len(c.asked) != 1 || !strings.Contains(c.asked[0], "srv.echo({ mark:") {
		t.Errorf("%q", c.asked)
	}
	answer = `{"action":"accept","content":{}}`
	if got := c.code(program).text(); got != "seen" {
		t.Error(got)
	}
}
