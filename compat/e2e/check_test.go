package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/protocol"
)

// unrun is an executor that only says that it was asked.
type unrun struct{}

var errRun = errors.New("the program was to run")

func (unrun) Execute(context.Context, *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	return nil, errRun
}

func (unrun) Close() error { return nil }

// TestProgramsAreChecked has the two real compilers check programs before they run: what does not fit the declarations is
// answered at its place in the text that was sent, and everything else runs.
func TestProgramsAreChecked(t *testing.T) {
	needNode(t)
	for _, compiler := range []string{"tsgo", "tsc"} {
		t.Run(compiler, func(t *testing.T) {
			bin, err := filepath.Abs("node_modules/.bin/" + compiler)
			if err != nil {
				t.Fatal(err)
			}
			only := t.TempDir()
			if err := os.Symlink(bin, filepath.Join(only, compiler)); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", only+string(filepath.ListSeparator)+withoutCompilers())
			checker, err := codetool.FindChecker()
			if err != nil {
				t.Fatal(err)
			}
			checkPrograms(t, checker, compiler == "tsgo")
		})
	}
	t.Run("none", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if _, err := codetool.FindChecker(); !errors.Is(err, codetool.ErrNoChecker) || !strings.Contains(err.Error(), "@typescript/native-preview") {
			t.Errorf("got %v", err)
		}
	})
}

// TestRunChecksAProgram has the command line check a program against what a real server declares.
func TestRunChecksAProgram(t *testing.T) {
	needNode(t)
	bin, err := filepath.Abs("node_modules/.bin/tsgo")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(bin, filepath.Join(dir, "tsgo")); err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"everything": map[string]any{"command": "node", "args": server("everything")}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "servers.json"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code, out string
		fits      bool
	}{
		{"async () => (await everything.get_sum({ a: 40, b: 2 }))", "The sum of 40 and 2 is 42.\n", true},
		{"async () => {\n  return await everything.get_sum({ a: 40, b: 'two' })\n}", "Error: The program does not fit the declarations:\n" +
			"- line 2:44: Type 'string' is not assignable to type 'number'. (TS2322)\n  2 |   return await everything.get_sum({ a: 40, b: 'two' })\n    |                                            ^\nNothing was run.\n", false},
	} {
		run := exec.Command(codemode, "run", "--check", "--config", filepath.Join(dir, "servers.json"))
		run.Env = append(os.Environ(), "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"), "XDG_CACHE_HOME="+dir)
		run.Stdin = strings.NewReader(c.code)
		var stderr strings.Builder
		run.Stderr = &stderr
		out, err := run.Output()
		if string(out) != c.out || (err == nil) != c.fits {
			t.Errorf("%s: %v\n%s%s\nwant %s", c.code, err, out, stderr.String(), c.out)
		}
	}
}

// withoutCompilers is PATH without the directories that have a compiler.
func withoutCompilers() string {
	var kept []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		_, none := os.Stat(filepath.Join(dir, "tsc"))
		_, native := os.Stat(filepath.Join(dir, "tsgo"))
		if none != nil && native != nil {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}

// checkPrograms checks all programs, or a few: the compiler in JavaScript takes seconds for each.
func checkPrograms(t *testing.T, checker *codetool.Checker, all bool) {
	call := func(context.Context, json.RawMessage) (any, error) { return nil, errRun }
	tool := codetool.NewTool(unrun{}, []codetool.Provider{{Name: "github", Tools: []codetool.RawTool{
		{Name: "list-issues", Call: call, InputSchema: json.RawMessage(`{"type":"object","properties":{"repo":{"type":"string"},"state":{"enum":["open","closed"]}},"required":["repo"]}`),
			OutputSchema: json.RawMessage(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}}},"required":["items"]}`)},
		{Name: "anything", Call: call},
	}}}, &codetool.Options{Check: checker, Search: true})
	fit := []string{
		"async () => (await github.list_issues({ repo: 'a', state: 'open' })).items.map((i) => i.title.length)",
		"const r = await github.anything({ a: 1 });\nreturn r.whatever.b[0]",
		"const hits = await codemode.search('x'); return hits[0].name", "return Buffer.from('x').toString('hex') + process.version + fetch",
		"try { JSON.parse('{') } catch (e) { return e.message }", "const f = (x) => x; return f(1)", "return await github['list-issues']({ repo: 'a' })", "no program at all {",
		"import x from 'y'\nasync () => github.list_issues({ repo: 5 })",
	}
	misfit := []struct{ code, want string }{
		{"async () => {\n  const r = await github.list_issues({ repo: 5 })\n  return r.items\n}", "- line 2:40: Type 'number' is not assignable to type 'string'. (TS2322)\n  2 |   const r = await github.list_issues({ repo: 5 })\n    |                                        ^\nNothing was run."},
		{"const r = await github.list_issues({ repo: 'a', state: 'opne' }); return r.items", "\n- line 1:49: Type '\"opne\"' is not assignable to type"},
		{"const r = await github.list_issues({ repo: '𝒳' }); return r.items[0].titel", "- line 1:71: Property 'titel' does not exist on type"},
		{"const r: { items: number } = await github.list_issues({ repo: 'a' }); return r", "\n- line 1:7: Type "},
	}
	if !all {
		fit, misfit = fit[:1], misfit[:1]
	}
	for _, code := range fit {
		if outcome, err := tool.Call(t.Context(), code); !errors.Is(err, errRun) {
			if code == "no program at all {" && outcome != nil && outcome.Failure != nil {
				continue // a compiler may say so as well as an engine
			}
			t.Errorf("%s: refused, %v %v", code, outcome.Failure, err)
		}
	}
	for _, c := range misfit {
		outcome, err := tool.Call(t.Context(), c.code)
		if err != nil || outcome.Failure == nil || !outcome.Failure.Foreseen || !strings.Contains(outcome.Failure.String(), c.want) {
			t.Errorf("%s: %v\n%+v", c.code, err, outcome)
			if outcome != nil && outcome.Failure != nil {
				t.Logf("%s", outcome.Failure)
			}
		}
	}
}
