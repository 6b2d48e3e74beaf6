package mcpserver

import (
	"fmt"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/fake"
)

// TestEitherNameInThePolicy: a rule is about the tool, whether it says what the server calls it or what programs do.
func TestEitherNameInThePolicy(t *testing.T) {
	scripts := map[string]fake.Script{"my.srv": {Tools: fake.Tools("get-sum", "echo")}}
	s := serve(t, FromConfig(configure(t, scripts, []string{"my.srv"}, nil)), nil)
	s.Settled(t.Context())
	c := connect(t, s)
	for action, want := range map[codetool.Action]string{
		codetool.Deny: "the policy denies it", codetool.Ask: "this client cannot ask anybody", codetool.Allow: "",
	} {
		for _, names := range [][2]string{{"my.srv", "get-sum"}, {"my.srv", "get_sum"}, {"my_srv", "GET_*"}, {"my_s*", "get-sum"}} {
			rules := []codetool.Rule{{Action: action, Servers: names[:1], Tools: names[1:]}, {Action: codetool.Deny, Tools: []string{"get-sum"}}}
			guard, err := newGuard(config.Policy{Rules: rules})
			if err != nil {
				t.Fatal(err)
			}
			s.guard.adopt(guard)
			got := c.code(`async () => my_srv.get_sum({})`).text()
			if refused := strings.Contains(got, "was not called"); refused != (want != "") || !strings.Contains(got, want) {
				t.Errorf("%s %q: %s", action, names, got)
			}
			if got := c.code(`async () => my_srv.echo({})`).text(); strings.Contains(got, "was not called") {
				t.Errorf("%s %q, another tool: %s", action, names, got)
			}
		}
	}
}

// TestEitherNameOfAServersTools: the same for the tools that a server's entry includes and excludes.
func TestEitherNameOfAServersTools(t *testing.T) {
	scripts, entries, want := map[string]fake.Script{}, map[string]string{}, map[string]string{}
	var order []string
	for _, glob := range []string{"get-sum", "get_sum", "get_*"} {
		for member, left := range map[string]string{"includeTools": "get_sum", "excludeTools": "echo"} {
			name := fmt.Sprintf("s%d", len(order))
			order = append(order, name)
			scripts[name], want[name] = fake.Script{Tools: fake.Tools("get-sum", "echo")}, left
			entries[name] = fmt.Sprintf(`, %q: [%q]`, member, glob)
		}
	}
	s := serve(t, FromConfig(configure(t, scripts, order, entries)), nil)
	s.Settled(t.Context())
	c := connect(t, s)
	for _, name := range order {
		for _, tool := range []string{"get_sum", "echo"} {
			got := c.code(`async () => ` + name + `.` + tool + `({})`)
			if got.IsError == (tool == want[name]) {
				t.Errorf("%s, %s: %s", entries[name], tool, got.text())
			}
		}
	}
}

// TestNumberedNameInAView: a rule about get_sum_2, which a view without the first shows as get_sum, holds there.
func TestNumberedNameInAView(t *testing.T) {
	scripts := map[string]fake.Script{"srv": {Tools: fake.Tools("get-sum", "get.sum")}}
	policy := config.Policy{Rules: []codetool.Rule{{Action: codetool.Deny, Tools: []string{"get_sum_2"}}}}
	s := serve(t, FromConfig(configure(t, scripts, []string{"srv"}, nil)), &Options{Policy: policy, Views: []config.View{{Name: "v", Token: "t", Tools: []string{"get_sum_2"}}}})
	s.Settled(t.Context())
	if got := connect(t, s).code(`async () => srv.get_sum({})`).text(); strings.Contains(got, "was not called") {
		t.Error(got)
	}
	if got := connect(t, s.views[0].Server).code(`async () => srv.get_sum({})`).text(); !strings.Contains(got, "srv.get.sum was not called: the policy denies it") {
		t.Error(got)
	}
}

// TestEitherNameInAView: a view has a tool by either name, and a server.
func TestEitherNameInAView(t *testing.T) {
	scripts := map[string]fake.Script{"my.srv": {Tools: fake.Tools("get-sum", "echo")}}
	s := serve(t, FromConfig(configure(t, scripts, []string{"my.srv"}, nil)), nil)
	s.Settled(t.Context())
	status := s.generation().upstreams[0].Status()
	for _, view := range []config.View{
		{Tools: []string{"get_sum"}}, {Tools: []string{"get-sum"}}, {Servers: []string{"my_srv"}, Tools: []string{"my_srv.get_sum"}},
	} {
		g := &generation{view: &view}
		if tools := g.toolsOf(&status); len(tools) != 1 || tools[0].Name != "get-sum" {
			t.Errorf("%+v has %+v", view, tools)
		}
	}
}
