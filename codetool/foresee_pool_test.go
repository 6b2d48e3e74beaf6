//go:build cgo && (linux || darwin)

package codetool_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/protocol"
)

// A global that the list lacks could be taken for a namespace that is spelled wrong.
func TestGlobalsAreListed(t *testing.T) {
	tool := newPoolTool(t, nil)
	outcome, err := tool.Call(t.Context(), `async () => {
		const names = new Set()
		for (let o = globalThis; o; o = Object.getPrototypeOf(o)) for (const name of Object.getOwnPropertyNames(o)) names.add(name)
		return [...names].sort()
	}`)
	if err != nil || outcome.Failure != nil {
		t.Fatal(err, outcome.Failure)
	}
	var names []string
	if err := json.Unmarshal(outcome.Value, &names); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(names, "\n") + "\n"
	if flag.Lookup("update").Value.String() == "true" { // of forms_test.go
		if err := os.WriteFile("globals.txt", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	listed, err := os.ReadFile("globals.txt")
	if err != nil {
		t.Fatal(err)
	}
	if string(listed) != text {
		t.Error("globals.txt is stale: go test ./codetool -run TestGlobalsAreListed -update")
	}
}

// Whatever is foreseen fails for such a reason when it is run all the same: programs of all kinds, put together at
// random.
func TestWhatIsForeseenFails(t *testing.T) {
	echo := func(name string) codetool.RawTool {
		return codetool.RawTool{Name: name, Call: func(_ context.Context, args json.RawMessage) (any, error) { return args, nil }}
	}
	provider := codetool.Provider{Name: "github", Tools: []codetool.RawTool{echo("list_issues"), echo("get-issue")}}
	pool, err := executor.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	all := codetool.NewTool(pool, []codetool.Provider{provider}, &codetool.Options{RunUnchecked: true, Timeout: 2 * time.Second})
	defer all.Close()
	checked := codetool.NewTool(never{}, []codetool.Provider{provider}, nil)
	random := rand.New(rand.NewPCG(7, 7))
	programs, foreseen := 800, 0
	for range programs {
		code := (&writer{random: random}).program()
		guess, err := checked.Call(t.Context(), code)
		if errors.Is(err, errNeverRun) {
			continue
		}
		foreseen++
		outcome, err := all.Call(t.Context(), code)
		if err != nil {
			t.Fatal(err)
		}
		if f := outcome.Failure; f == nil || !strings.Contains(f.Message, "not found") && !strings.Contains(f.Message, "not defined") {
			t.Errorf("%s\nforeseen %s\nran to %s %v", code, guess.Failure, outcome.Value, outcome.Failure)
		}
	}
	if foreseen < programs/20 || foreseen > programs*19/20 {
		t.Errorf("%d of %d programs were foreseen, which shows little", foreseen, programs)
	}
}

// never is an executor that runs nothing.
type never struct{}

var errNeverRun = errors.New("not run")

func (never) Execute(context.Context, *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	return nil, errNeverRun
}

func (never) Close() error { return nil }

// writer writes programs that use tools there are and tools there are not, in every construct it knows.
type writer struct {
	random *rand.Rand
	depth  int
}

func (w *writer) pick(forms ...string) string {
	form := forms[w.random.IntN(len(forms))]
	for strings.ContainsAny(form, "§¤") {
		form = strings.Replace(form, "§", w.expression(), 1)
		form = strings.Replace(form, "¤", w.statement(), 1)
	}
	return form
}

func (w *writer) program() string {
	return w.pick("async () => { ¤ ¤ return 1 }", "¤ ¤ ¤", "async () => §", "(async function () { ¤ return § })", "const x: number = §; return x")
}

func (w *writer) expression() string {
	if w.depth++; w.depth > 12 {
		return "1"
	}
	return w.pick("1", "[]", "github.list_issues({})", "await github.list_issues({})", "await github['get-issue']({})", "await github.get_issue({})",
		"await github.list_isues({})", "github.list_isues({})", "await githb.list_issues({})", "typeof githb", "await github.list_isues({}).catch(() => 1)",
		"await github.list_isues({}).then(x => x)", "await github.list_isues({}).then(x => x, () => 1)", "await Promise.all([§, §])",
		"await Promise.all([github.list_isues({}), §])", "await Promise.allSettled([github.list_isues({})])", "await Promise.any([1, github.list_isues({})])",
		"(§, §)", "[§, ...[§]]", "({ a: §, ['b']: § })", "(§ && §)", "(§ || §)", "(§ ?? §)", "(§ ? § : §)", "(§)?.a?.[§]", "(await (async () => { ¤ return § })())",
		"(() => { return 1 })()", "[1].map(async () => §).length", "[].map(async () => §).length", "`${§}`", "String(§)", "!§", "void §", "(null)?.x(§)",
		"await new Promise((r) => r(1))", "'x' in github", "github?.list_issues", "await github?.list_isues?.({}).catch(() => 1)")
}

func (w *writer) statement() string {
	if w.depth++; w.depth > 12 {
		return ";"
	}
	return w.pick("§;", "§;", "await §;", "const v"+fmt.Sprint(w.depth)+" = §;", "if (§) { ¤ } else { ¤ }", "if (§) return §;", "try { ¤ } catch (e) { ¤ }",
		"try { ¤ } finally { ¤ }", "try { ¤ } finally { return 1 }", "for (const i of [1, 2]) { ¤ }", "for (const i of [1, 2]) { if (§) break; ¤ }",
		"for (const i of []) { ¤ }", "for (let i = 0; i < 1; i++) { ¤ }", "do { ¤ } while (false)", "for (;;) { ¤ break }", "while (§) { ¤ break }",
		"{ ¤ ¤ }", "switch (§) { case 1: ¤ break; default: ¤ }", "out"+fmt.Sprint(w.depth)+": { if (§) break out"+fmt.Sprint(w.depth)+"; ¤ }",
		"const f"+fmt.Sprint(w.depth)+" = async () => { ¤ return § }; await f"+fmt.Sprint(w.depth)+"();", "async function g"+fmt.Sprint(w.depth)+"() { ¤ } g"+fmt.Sprint(w.depth)+"().catch(() => 1);",
		"function h"+fmt.Sprint(w.depth)+"() { return 1; } h"+fmt.Sprint(w.depth)+"();", "github.list_isues ??= async () => 1;", "{ const github = { list_isues: async () => 1 }; ¤ }",
		"if ('list_isues' in github) { ¤ }", "return §;", "console.log(§);")
}
