package mcpserver

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/fake"
)

// audited runs programs with an audit and reads what was written down.
func audited(t *testing.T, audit config.Audit, programs ...string) (runs []AuditRun, text string) {
	t.Helper()
	audit.File = filepath.Join(t.TempDir(), "deep", "runs.jsonl")
	if audit.MaxBytes == 0 {
		audit.MaxBytes, audit.Keep = 1<<20, 2
	}
	cfg := configure(t, map[string]fake.Script{"srv": {Tools: fake.Tools("echo", "fail", "env")}}, []string{"srv"}, map[string]string{"srv": `, "args": ["--token=${SRV_TOKEN}"]`})
	s := serve(t, FromConfig(cfg), &Options{Audit: audit, Policy: config.Policy{Rules: []codetool.Rule{{Action: codetool.Deny, Tools: []string{"env"}, Reason: "not that"}}}})
	s.Settled(t.Context())
	c := connect(t, s)
	for _, program := range programs {
		c.code(program)
	}
	data, err := os.ReadFile(audit.File)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(audit.File); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for line := range bytes.Lines(data) {
		var run AuditRun
		if err := json.Unmarshal(line, &run); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	return runs, string(data)
}

func TestRunsAreWrittenDown(t *testing.T) {
	t.Setenv("SRV_TOKEN", "s3cret-token")
	programs := []string{
		`async () => { await srv.echo({a: "private"}); try { await srv.fail({}) } catch {}; try { await srv.env({name: "X"}) } catch {}; return "the value" }`,
		`async () => { console.log("hello s3cret-token"); throw new Error("s3cret-token leaked") }`,
	}
	t.Run("hashes", func(t *testing.T) {
		runs, text := audited(t, config.Audit{}, programs...)
		if len(runs) != 2 || len(runs[0].Calls) != 3 {
			t.Fatalf("%+v", runs)
		}
		first := runs[0]
		if first.Outcome != "ok" || first.CodeSHA256 != hashOf([]byte(programs[0])) || first.ID == runs[1].ID || first.Ms <= 0 {
			t.Errorf("%+v", first)
		}
		if c := first.Calls[0]; c.Server != "srv" || c.Tool != "echo" || c.Outcome != "ok" || c.ArgumentsSHA256 != hashOf([]byte(`{"a":"private"}`)) {
			t.Errorf("%+v", c)
		}
		if c := first.Calls[2]; c.Tool != "env" || c.Outcome != "refused" || !strings.Contains(c.Error, "not that") {
			t.Errorf("%+v", c)
		}
		if c := first.Calls[1]; c.Tool != "fail" || c.Outcome != "failed" || c.Policy != "" {
			t.Errorf("%+v", c)
		}
		if c := first.Calls[2]; c.Policy != "deny" || c.Rule != 1 {
			t.Errorf("%+v", c)
		}
		if runs[1].Line != 1 || runs[1].Column == 0 || runs[1].Kind != "thrown" {
			t.Errorf("%+v", runs[1])
		}
		if runs[1].Outcome != "failed" || !strings.Contains(runs[1].Error, "[redacted] leaked") {
			t.Errorf("%+v", runs[1])
		}
		for _, hidden := range []string{"private", "the value", "s3cret-token", "hello"} {
			if strings.Contains(text, hidden) {
				t.Errorf("%q is in the file", hidden)
			}
		}
	})
	t.Run("payloads", func(t *testing.T) {
		runs, text := audited(t, config.Audit{Payloads: true}, programs...)
		if runs[0].Code != programs[0] || runs[0].Result != `"the value"` || runs[0].Calls[0].Arguments != `{"a":"private"}` || !strings.Contains(runs[0].Calls[0].Result, "private") {
			t.Errorf("%+v", runs[0])
		}
		if want := []string{"hello [redacted]"}; !slices.Equal(runs[1].Logs, want) {
			t.Errorf("%q", runs[1].Logs)
		}
		if strings.Contains(text, "s3cret-token") {
			t.Error("a secret is in the file")
		}
	})
	t.Run("rotation", func(t *testing.T) {
		runs, _ := audited(t, config.Audit{MaxBytes: 1, Keep: 2}, `async () => 1`, `async () => 22`, `async () => 333`, `async () => 4444`)
		if len(runs) != 1 || runs[0].CodeBytes != len(`async () => 4444`) {
			t.Errorf("%+v", runs)
		}
	})
}

// What a program passed, and what it is made of, is in no error of a file without payloads.
func TestErrorsWithoutPayloads(t *testing.T) {
	run := AuditRun{Error: "Invalid arguments for srv.echo:\n- a: \"private\" is no number"}
	if got := run.withoutPayloads().Error; got != "Invalid arguments for srv.echo:" {
		t.Error(got)
	}
}
