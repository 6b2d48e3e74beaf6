package codetool

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/protocol"
)

func foreseeing(t *testing.T, options *Options) (*Tool, *fakeExecutor) {
	t.Helper()
	return newTestTool(t, options, []Provider{
		{Name: "github", Tools: echoTools("list_issues", "list_pulls", "get-issue", "create_issue")},
		{Name: "fs", Tools: echoTools("read_file")},
	}, ends(protocol.ExecuteResult{Value: []byte("1")}))
}

// What is answered before the run: the whole text of the answer, with nearest names, place and caret.
func TestForeseen(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"async () => {\n  const issues = await github.list_isues({})\n  return issues.length\n}",
			"Error: Tool \"list_isues\" not found (line 2:31); did you mean \"list_issues\"?\n" +
				"  2 |   const issues = await github.list_isues({})\n    |                               ^\nNothing was run."},
		{"return await githb.list_issues({})",
			"ReferenceError: githb is not defined (line 1:14); did you mean `github`?\n  1 | return await githb.list_issues({})\n    |              ^\nNothing was run."},
		{"await list_issues({})", "ReferenceError: list_issues is not defined (line 1:7); did you mean `github.list_issues`?\n  1 | await list_issues({})\n    |       ^\nNothing was run."},
		{"async () => github.readFile({})", "Error: Tool \"readFile\" not found (line 1:20); did you mean \"fs.read_file\"?\n" +
			"  1 | async () => github.readFile({})\n    |                    ^\nNothing was run."},
		{"async () => github.get_all_issues({})", "Error: Tool \"get_all_issues\" not found (line 1:20)\n" +
			"  1 | async () => github.get_all_issues({})\n    |                    ^\ngithub has list_issues, list_pulls, get_issue, create_issue.\nNothing was run."},
		{"async () => github.frobnicate({})", "Error: Tool \"frobnicate\" not found (line 1:20)\n" +
			"  1 | async () => github.frobnicate({})\n    |                    ^\ngithub has list_issues, list_pulls, get_issue, create_issue.\nNothing was run."},
		// TypeScript keeps the places of the sent text.
		{"interface Issue { id: number }\nconst list: Issue[] = await github.list_isues({}) as Issue[]\nreturn list", "Error: Tool \"list_isues\" not found (line 2:36)"},
		{"Here:\n```ts\nconst x = '𝒳'; await github.lst_pulls({})\n```\nDone.", "Error: Tool \"lst_pulls\" not found"},
	} {
		tool, executor := foreseeing(t, nil)
		if strings.HasPrefix(c.code, "Here") { // prose is no program: its first reading fails, and the fence is read next
			executor.programs = []program{ends(protocol.ExecuteResult{Failure: &protocol.Failure{Kind: protocol.FailureSyntax, Message: "bad"}})}
		}
		outcome, err := tool.Call(t.Context(), c.code)
		if err != nil || outcome.Failure == nil || !outcome.Failure.Foreseen {
			t.Errorf("%q: ran, %v", c.code, err)
			continue
		}
		if got := outcome.Failure.String(); got != c.want && (strings.Contains(c.want, "\n") || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%q:\ngot  %s\nwant %s", c.code, got, c.want)
		}
		if len(executor.requests) > 0 && !strings.HasPrefix(c.code, "Here") {
			t.Errorf("%q: it was run all the same", c.code)
		}
	}
}

// Where each of these stands in place of CALL, the program surely fails.
func TestForeseenOnEveryCertainPath(t *testing.T) {
	for _, code := range []string{
		"async () => { CALL }", "async function main() { return CALL }", "function main() { return CALL.then(x => x) }",
		"const a = 1; { CALL } return a", "return [1, { a: CALL }]", "return `${CALL}`", "return (CALL).items.map(x => x)",
		"return (CALL)?.items?.map(x => x)", "for (const x of CALL) { x }", "for (const x of [1, 2]) { CALL }", "for (;;) { CALL; break }",
		"do { CALL } while (false)", "while (true) { CALL }", "if (CALL) { return 1 }", "try { CALL } finally { console.log(1) }",
		"const f = async () => { CALL }; await f()", "async function f() { return CALL }; return f()", "return (async () => CALL)()",
		"const [a] = await Promise.all([github.list_issues({}), CALL])", "return JSON.stringify(CALL)", "return 1 + CALL",
		"return (CALL) || 1", "let x; x = CALL; return x", "const { a, ...b } = CALL", "if (Math.random() < 0) { throw new Error('x') } CALL",
		"for (const x of [3]) { if (x > 5) { continue } } CALL", "(async function () { CALL })", "await (CALL)(1)",
		"const x: number = CALL; return x", "async (x?: string): Promise<unknown> => { return CALL }", "switch (CALL) { case 1: return 1 }",
		"return new Map(CALL)", "const sleep = (ms) => new Promise((r) => setTimeout(r, ms)); await sleep(1); await Promise.all([CALL])",
		"await github.create_issue({}).then(async () => CALL2)", "return CALL.finally(() => 1)",
	} {
		if strings.Contains(code, "CALL2") {
			continue
		}
		tool, _ := foreseeing(t, nil)
		code = strings.ReplaceAll(strings.ReplaceAll(code, "return CALL", "return github.list_isues({})"), "CALL", "await github.list_isues({})")
		if tool.foresee(code) == nil {
			t.Errorf("not foreseen: %s", code)
		}
	}
}

// None of these may be refused: each may run well.
func TestNotForeseen(t *testing.T) {
	for _, code := range []string{
		"try { await github.list_isues({}) } catch { return 1 }", "return await github.list_isues({}).catch(() => 1)",
		"return await github.list_isues({}).then(x => x, () => 1)", "await Promise.allSettled([github.list_isues({})])",
		"await Promise.race([1, github.list_isues({})])", "github.list_isues({}); return 1", "const p = github.list_isues({}); return 1",
		"const github = { list_isues: async () => 1 }; return await github.list_isues({})", "github.list_isues = async () => 1; return await github.list_isues({})",
		"Object.assign(github, { list_isues: () => 1 }); return await github.list_isues({})", "const g = github; g.list_isues = () => 1; return await github.list_isues()",
		"const f = async (github) => await github.list_isues({}); return await f({ list_isues: () => 1 })",
		"for (const github of [{ list_isues: () => 1 }]) return await github.list_isues({})", "const { github } = { github: { list_isues: () => 1 } }; return await github.list_isues({})",
		"try { throw { list_isues: () => 1 } } catch (github) { return await github.list_isues({}) }",
		"if (typeof github.list_isues === 'x') await github.list_isues({})", "if ('list_isues' in github) await github.list_isues({}); return 1",
		"return false && await github.list_isues({})", "return null ?? 1 ?? await github.list_isues({})", "return true ? 1 : await github.list_isues({})",
		"return null?.x(await github.list_isues({}))", "let a = 1; a ??= await github.list_isues({}); return a",
		"for (const x of []) await github.list_isues({})", "for (const x of await github.list_issues({})) { await github.list_isues({}) }",
		"while (false) { await github.list_isues({}) }", "return [].map(async () => await github.list_isues({}))",
		"if (Date.now() > 0) return 1; await github.list_isues({})", "for (;;) { break; await github.list_isues({}) }",
		"out: { if (1) break out; await github.list_isues({}) } return 1", "switch (1) { case 2: await github.list_isues({}) }",
		"try { await github.list_isues({}) } finally { return 1 }", "const f = async () => { await github.list_isues({}) }; return 1",
		"const f = async () => { await github.list_isues({}) }; f().catch(() => 1); return 1", "let f = async () => { await github.list_isues({}) }; f = () => 1; return await f()",
		"return await github['get-issue']({})", "const name = 'list_issues'; return await github[name]({})", "return await github.get_issue({})",
		"return typeof githb", "if (typeof githb !== 'undefined') await githb.x()", "globalThis.githb = { x: () => 1 }; return githb.x()",
		"githb = { x: () => 1 }; return githb.x()", "(function () { this.githb = { x: () => 1 } })(); return githb.x()", "eval('var githb = {x: () => 1}'); return githb.x()",
		"return 'github.list_isues({})' + /await github.list_isues()/.source", "// await github.list_isues({})\nreturn 1", "return `github.list_isues()`",
		"return await github.then", "return { github: 1 }.github", "const o = { github: { list_isues: () => 1 } }; return await o.github.list_isues({})",
		"class A { static github() { return 1 } }; return A.github()", "Promise.all = async () => 1; return await Promise.all([github.list_isues({})])",
		"const Promise = { all: () => 1 }; return await Promise.all([github.list_isues({})])", "function* g() { yield await_; } var await_ = 1; return 1",
		"const list_isues = () => 1; return list_isues()", "return URL.canParse('x')", "label: for (const x of [1]) { continue label; await github.list_isues({}) } return 1",
		"import x from 'x'\nasync () => { await github.list_isues({}) }", "not a program at all", "", "return await github.list_issues({}).list_isues",
		"const main = async () => { if (1) { return 2 } await github.list_isues({}) }; return await main()",
		"const o = { get github() { return 1 }, list_isues() { return 2 } }; return o.list_isues()",
		"return await github.list_isues({}).then(...[x => x, () => 1])", "return await github.list_isues({}).then(x => x, ...[() => 1])",
		"{ const fetch = async () => { await github.list_isues({}) } } return await fetch('data:,x')",
		"async () => { return async () => { await github.list_isues({}) } }", "async () => { () => { githb } }", "Object.prototype.githb = { x: () => 1 }; return githb.x()", "return function () { return githb }",
	} {
		tool, _ := foreseeing(t, nil)
		if o := tool.foresee(code); o != nil {
			t.Errorf("refused: %s\n%s", code, o.Failure)
		}
	}
	tool, _ := foreseeing(t, &Options{RunUnchecked: true})
	if o := tool.foresee("await github.list_isues({})"); o != nil {
		t.Error("refused although every program is to run")
	}
	tool, _ = foreseeing(t, &Options{Search: true})
	if o := tool.foresee("await codemode.search('x'); return await codemode.describe('github')"); o != nil {
		t.Errorf("the functions of a search: %s", o.Failure)
	}
}

// No program of the dialect's cases that has a value may be refused, whatever its tools are.
func TestNoCaseIsForeseen(t *testing.T) {
	files, err := filepath.Glob("../compat/cases/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	tool, _ := newTestTool(t, nil, []Provider{{Name: "codemode", Tools: echoTools("echo")}, {Name: "github", Tools: echoTools("x")}}, ends(protocol.ExecuteResult{}))
	programs := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range programsIn(t, text) {
			programs++
			if o := tool.foresee(code); o != nil && !strings.Contains(o.Failure.Message, "not found") {
				t.Errorf("%s: %q: %s", file, code, o.Failure)
			}
		}
	}
	if programs < 100 {
		t.Errorf("only %d programs", programs)
	}
}

// programsIn are all texts under a key "code".
func programsIn(t *testing.T, text []byte) (programs []string) {
	t.Helper()
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for key, item := range v {
				if code, ok := item.(string); ok && key == "code" {
					programs = append(programs, code)
				}
				walk(item)
			}
		}
	}
	walk(root)
	return programs
}
