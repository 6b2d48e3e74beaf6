package mcpserver

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/fake"
)

func TestUnmatched(t *testing.T) {
	deny := func(server, tool string) *generation {
		return &generation{options: Options{Policy: config.Policy{Rules: []codetool.Rule{{Action: codetool.Deny, Servers: strings.Fields(server), Tools: strings.Fields(tool)}}}}}
	}
	view := func(server, tool string) *generation {
		return &generation{options: Options{Views: []config.View{{Name: "v", Servers: strings.Fields(server), Tools: strings.Fields(tool)}}}}
	}
	up := listedServer{names: []string{"my.files", "my_files"}, tools: [][]string{{"get-sum", "get_sum"}, {readResource}}, known: true, idle: []string{`includeTools has "x"`}}
	down := listedServer{names: []string{"down"}, idle: []string{`includeTools has "y"`}}
	for _, tt := range []struct {
		is   *generation
		with []listedServer
		want string
	}{
		{is: deny("", "get_sum get-sum GET* readResource")},
		{is: deny("", "get_summ get_sum"), want: `codemode.policy: rule 1 (deny): tool has "get_summ", which matches no tool`},
		{is: deny("", "get_summ"), with: []listedServer{down}}, // it could be that one's
		{is: deny("my_files", "get_summ"), with: []listedServer{down}, want: `codemode.policy: rule 1 (deny): tool has "get_summ", which matches no tool`},
		{is: deny("down", "get_sum"), with: []listedServer{down}},
		{is: deny("filez", "get_summ"), with: []listedServer{down}, want: `codemode.policy: rule 1 (deny): server has "filez", which matches no server`},
		{is: &generation{options: Options{Pins: config.Pins{Servers: []string{"my_files", "filez"}}}}, want: `codemode.pins: servers has "filez", which matches no server`},
		{is: view("my_files", "get_sum my.files.get_sum readResource")},
		{is: view("", "get_summ"), want: `codemode.views: "v": tools has "get_summ", which matches no tool`},
		{is: view("", "my_files.get_summ"), with: []listedServer{down}, want: `codemode.views: "v": tools has "my_files.get_summ", which matches no tool`},
		{is: view("", "down.get_summ"), with: []listedServer{down}},
		{is: view("", "filez.get_sum"), with: []listedServer{down}, want: `codemode.views: "v": tools has "filez.get_sum", which matches no server`},
		{is: view("filez", ""), want: `codemode.views: "v": servers has "filez", which matches no server`},
	} {
		want := strings.TrimPrefix(tt.want+"; "+`server "my.files": includeTools has "x", which matches no tool`, "; ")
		if d := cmp.Diff(want, strings.Join(tt.is.unmatched(append(tt.with, up)), "; ")); d != "" {
			t.Error(d)
		}
	}
}

// TestUnmatchedIsToldOnce: when the last server has started, and not before, for its tools may be those that are meant.
func TestUnmatchedIsToldOnce(t *testing.T) {
	scripts := map[string]fake.Script{"fast": {Tools: fake.Tools("get-sum")}, "slow": {Tools: fake.Tools("late"), StartDelay: 3 * quiet}}
	cfg := configure(t, scripts, []string{"fast", "slow"}, map[string]string{"fast": `, "excludeTools": ["nope"]`})
	log := &warnings{}
	s, err := New(pool, FromConfig(cfg), &Options{Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn})), Policy: config.Policy{Rules: []codetool.Rule{
		{Action: codetool.Deny, Tools: []string{"late", "get_sum"}}, {Action: codetool.Ask, Tools: []string{"get.sum"}}, {Action: codetool.Deny, Servers: []string{"filez"}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	eventually(t, "the warning", func() bool { return strings.Contains(log.String(), "match nothing") })
	s.Settled(t.Context())
	s.publish() // as after any change
	want := `codemode.policy: rule 2 (ask): tool has "get.sum", which matches no tool; ` +
		`codemode.policy: rule 3 (deny): server has "filez", which matches no server; server "fast": excludeTools has "nope", which matches no tool`
	got := strings.ReplaceAll(log.String(), `\"`, `"`)
	if strings.Count(got, "\n") != 1 || !strings.Contains(got, `globs="`+want+`"`) {
		t.Error(got)
	}
}

// warnings is a log that is read while it is written.
type warnings struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *warnings) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *warnings) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}
