//go:build cgo && (linux || darwin)

package codetool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/codetool"
)

func fileTools() []codetool.Provider {
	read := codetool.RawTool{Name: "read_text_file", Description: "Reads a file.", InputSchema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"head":{"type":"number"}},"required":["path"]}`),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"content":{"type":"string"}},"required":["content"]}`),
		Call: func(context.Context, json.RawMessage) (any, error) {
			return json.RawMessage(`{"content":"{\"n\":5}"}`), nil
		}}
	var many []codetool.RawTool
	for _, name := range strings.Fields("a b c d e f g h i j k l m create_invoice list_invoices") {
		many = append(many, echo(name))
	}
	return []codetool.Provider{{Name: "files", Tools: []codetool.RawTool{read, echo("list_directory")}}, {Name: "billing", Tools: many}}
}

// What models get wrong, in the words that they read about it: the error as the engine or the dialect has it, and what to do in
// place of it.
func TestMistakes(t *testing.T) {
	tool := newPoolTool(t, nil, fileTools()...)
	const call = "await files.read_text_file({ path: 'a' })"
	for _, c := range []struct{ code, want string }{
		{"(((", "SyntaxError: Unexpected token '}'; something is opened and not closed: a bracket, a brace, a quote or a comment\n  1 | (((\n    |    ^"},
		{"async () => {\n  const x = [1, 2\n", "; the text ends where \"]\" is expected: something is opened and not closed\n  2 |   const x = [1, 2\n    |                  ^"},
		{"return `not closed ${1}", "; something is opened and not closed"},
		{"Two:\n```js\nconst a = 1\n```\n```js\na\n```", "the text has several code blocks: send one program"},

		{"import fs from 'fs'; return 1", `No such module "node:fs"; programs have no npm modules, no files and no require`},
		{"import { z } from 'zod'; return z", `No such module "zod"; programs have no npm modules`},
		{"const fs = require('fs')", "ReferenceError: require is not defined (line 1:12); programs have no npm modules"},
		{"print('hi')", "print is not defined (line 1:1); did you mean `console.log`?"},
		{"document.title", "there is no web page here"},
		{"return await fetch('https://example.com')", "to talk to the outside world. (line 1:14); programs have no network: call the functions"},

		{"return await filesystem.read_text_file({ path: 'a' })", "filesystem is not defined (line 1:14); did you mean `files.read_text_file`?"},
		{"return await tools.files.read_text_file({ path: 'a' })", "tools is not defined (line 1:14); did you mean `files`?"},
		{"return await github.list_issues({})", "github is not defined (line 1:14); the namespaces are files, billing\n"},
		{"return nothing", "ReferenceError: nothing is not defined (line 1:8)\n"},
		{"[1].map((x) => { const r = await files.read_text_file({}); return r })", "line 1:28); the function around it has to be async: await Promise.all("},
		{"return await mcp__files__read_text_file({ path: 'a' })", "did you mean `files.read_text_file`?"},
		{"return await files_read_text_file({ path: 'a' })", "did you mean `files.read_text_file`?"},
		{"return await callTool('files', 'read_text_file', {})", "a function is called by its own name: await namespace.name({ … })"},
		{"return await globalThis.files.read_text_file({ path: 'a' })", "; files is a variable of the program: write it alone\n"},
		{"return arguments.length", "ReferenceError: arguments is not defined (line 1:8)\n"},
		{"return await files.frobnicate({})", "Error: Tool \"frobnicate\" not found (line 1:20)\n  1 | return await files.frobnicate({})\n    |                    ^\nfiles has read_text_file, list_directory.\nNothing was run."},
		{"return await billing.get_all_invoices({})", "billing has create_invoice, list_invoices, a, b, c, d, e, f, g, h, i, j and 3 more."},
		{"if (files) await files.frobnicate({})", "files has read_text_file, list_directory."},

		{"return await files.read_text_file('a')", "Error: Invalid arguments for files.read_text_file (line 1:8):\n- the argument: expected object, got \"a\"; call it as files.read_text_file({ path, head? })\n  1 | "},
		{"return await files.read_text_file({ file: 'a' })", "Error: Invalid arguments for files.read_text_file (line 1:8):\n- path: missing, expected as a property (given: \"file\")\n  1 | "},
		{"const r = " + call + "; return r.files.map((f) => f)", "\nfiles.read_text_file gives { content: string }.\nCompleted before that"},
		{"const r = " + call + "; return r.content[0].text.trim()", "; a call gives the tool's own data: nothing like structuredContent or content[0].text stands around it\n"},
		{"const r = " + call + "; return JSON.parse(r).n", "SyntaxError: \"[object Object]\" is not valid JSON (line 1:66); what a call gives is a value already: leave JSON.parse out\n"},
		{"async (tools) => tools.files.read_text_file({ path: 'a' })", "(reading 'files') (line 1:24); a program is called without arguments: files, billing are variables that it has\n"},
	} {
		outcome, err := tool.Call(t.Context(), c.code)
		if err != nil || outcome.Failure == nil {
			t.Errorf("%s: %+v, %v", c.code, outcome, err)
			continue
		}
		if got := outcome.Failure.String(); !strings.Contains(got, c.want) {
			t.Errorf("%s\ngot  %s\nwant %s", c.code, got, c.want)
		}
	}
}

// Where there is a codemode, other namespaces are no part of it.
func TestANamespaceIsNoMemberOfCodemode(t *testing.T) {
	tool := newPoolTool(t, &codetool.Options{Search: true, Form: codetool.FormCompact}, fileTools()...)
	for _, code := range []string{"return await codemode.files.read_text_file({ path: 'a' })", "const { files } = codemode; return await codemode.files.list_directory({})"} {
		outcome, err := tool.Call(t.Context(), code)
		if err != nil || outcome.Failure == nil || !strings.Contains(outcome.Failure.String(), "files is a variable of the program: write it alone") {
			t.Errorf("%+v, %v", outcome, err)
		}
	}
}

// Texts that hold a program and are none, and values that surely were not meant.
func TestMistakesThatRun(t *testing.T) {
	tool := newPoolTool(t, nil, fileTools()...)
	const call = "await files.read_text_file({ path: 'a' })"
	for _, c := range []struct{ code, value, hint string }{
		{"```javascript\nasync () => 1", "1", ""},
		{"Code:\n```js\nasync () => 2\n```", "2", ""},
		{`{"code": "async () => 3"}`, "3", ""},
		{`"async () => 4"`, "4", ""},
		{`"return 5"`, "5", ""},
		{`"just words"`, `"just words"`, ""},
		{`({ code: "async () => 6" })`, `{"code":"async () => 6"}`, ""},
		{"<code>\nasync () => 6\n</code>", "6", ""},
		{"let n = 0; n += {}.sum; return n", "null", "The program returned NaN, which is null in JSON: a value that it computed with is undefined or no number."},
		{"return new Response('x')", "{}", "An empty {} in the result may be"},
		{"return Object.keys(files)", "[]", "A namespace lists nothing. files has read_text_file, list_directory."},
		{"for (const name in files) console.log(name)", "", "A namespace lists nothing."},
		{"return (" + call + ").structuredContent", "", "A call gives the tool's own data: nothing like structuredContent"},
		{"return (" + call + ").text", "", "The program returned no value; a function that nobody calls is none either. Return one: async () => { …; return value } files.read_text_file gives { content: string }."},
		{"files.list_directory({})", "{}", ""},
		{"const r = files.list_directory({}); return r.content", "", "Not awaited, so the answer reached nobody: files.list_directory."},
		{"await files.list_directory({}); files.list_directory({}); return 7", "7", "Not awaited, so the answer reached nobody: files.list_directory."},
		{"await files.list_directory({}); await Promise.race([files.list_directory({}), files.list_directory({})]); return 8", "8", ""},
	} {
		outcome, err := tool.Call(t.Context(), c.code)
		if err != nil || outcome.Failure != nil {
			t.Errorf("%s: %+v, %v", c.code, outcome, err)
			continue
		}
		if string(outcome.Value) != c.value || c.hint == "" && outcome.Hint != "" || !strings.HasPrefix(outcome.Hint, c.hint) {
			t.Errorf("%s: value %s, hint %q; want %s, %q", c.code, outcome.Value, outcome.Hint, c.value, c.hint)
		}
	}
}
