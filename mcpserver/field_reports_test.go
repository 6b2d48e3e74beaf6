package mcpserver

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/mcpserver/internal/fake"
)

// The tests of this file are the reports D, H and I of the field, what users of such systems met, by their numbers; those of E, F
// and G are in package codetool.

// fieldAnswers runs programs and compares the text of their answers; a text that ends in "…" is the beginning of one.
func fieldAnswers(t *testing.T, c *client, report string, cases map[string]string) {
	t.Helper()
	for code, want := range cases {
		got := c.code(code).text()
		head, isHead := strings.CutSuffix(want, "…")
		if got != want && !(isHead && strings.HasPrefix(got, head)) {
			t.Errorf("%s: %s\ngot  %s\nwant %s", report, code, got, want)
		}
	}
}

func TestFieldReportsOfResults(t *testing.T) {
	c := one(t, nil, "echo", "raw", "image")
	fieldAnswers(t, c, "D1 digits of results", map[string]string{
		"return await srv.raw({ result: { structuredContent: { id: 9007199254740993n }, content: [] } })": "{\n  \"id\": 9007199254740993\n}",
	})
	fieldAnswers(t, c, "D2 digits of arguments", map[string]string{
		`return await srv.echo({ id: "7960607143101464576" })`:        "{\n  \"id\": \"7960607143101464576\"\n}",
		"return await srv.echo({ id: 7960607143101464577n })":         "{\n  \"id\": 7960607143101464577\n}",
		"return (await srv.echo({ id: 7960607143101464577 })).id > 1": "true\n---\nA number holds integers exactly up to 9007199254740991: write 7960607143101464577n, or the digits as a string, where they count.",
	})
	fieldAnswers(t, c, "D3 wire names", map[string]string{
		"const r = await srv.raw({ result: { content: [{ type: 'text', text: 'a' }, { type: 'resource_link', uri: 'x:y', name: 'n', mimeType: 'text/plain' }] } }); return Object.keys(r.content[1]).sort().join()": "mimeType,name,type,uri",
	})
	fieldAnswers(t, c, "D5 no envelope", map[string]string{
		`return (await srv.raw({ result: { content: [{ type: 'text', text: '{"n":1}' }] } })).n`: "1",
	})
	fieldAnswers(t, c, "D9 bytes", map[string]string{
		"return new Uint8Array([0, 255, 128])":                           "{\n  \"__codemode_binary_v1__\": \"Uint8Array\",\n  \"data\": \"AP+A\"\n}",
		"return await srv.echo({ data: new Uint8Array([0, 255, 128]) })": "{\n  \"data\": \"AP+A\"\n}",
	})
	fieldAnswers(t, c, "D10 no value", map[string]string{"return undefined": "(no value returned) The program returned no value…", "console.log(1)": "(no value returned; the console output follows)…"})
	fieldAnswers(t, c, "D15 no structuredContent", map[string]string{"return [1, 2]": "[\n  1,\n  2\n]", `return "s"`: "s"}) // call looks for one

	t.Run("D6 D7 a picture is a block, once, and no text", func(t *testing.T) {
		data := base64.StdEncoding.EncodeToString(append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 40<<10)...))
		for _, code := range []string{
			fmt.Sprintf("return await srv.raw({ result: { content: [{ type: 'image', mimeType: 'image/png', data: %q }], structuredContent: { image: %q } } })", data, data),
			fmt.Sprintf("return await srv.raw({ result: { content: [{ type: 'image', mimeType: 'image/png', data: %q }] } })", data),
		} {
			blocks := 0
			for _, raw := range c.code(code).Content {
				var block struct{ Type, Data, MimeType, Text string }
				if err := json.Unmarshal(raw, &block); err != nil {
					t.Fatal(err)
				}
				if block.Type == "image" && block.Data == data && block.MimeType == "image/png" {
					blocks++
				} else if len(block.Text) > 1000 {
					t.Errorf("a text of %d characters beside the picture", len(block.Text))
				}
			}
			if blocks != 1 {
				t.Errorf("%d pictures", blocks)
			}
		}
	})
	t.Run("D12 options are checked", func(t *testing.T) {
		for _, args := range []string{`"timeout":1.5`, `"timeout":0`, `"timeout":"10"`, `"max_tool_calls":0`} {
			name, _, _ := strings.Cut(args, ":")
			if got := c.call(`{"code":"1",` + args + `}`); !got.IsError || !strings.Contains(got.text(), name) {
				t.Errorf("%s: %s", args, got.text())
			}
		}
	})
}

func TestFieldReportOfArguments(t *testing.T) {
	tools := []json.RawMessage{json.RawMessage(`{"name":"crash","inputSchema":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"}}}}`)}
	s := serve(t, FromConfig(configure(t, map[string]fake.Script{"srv": {Tools: tools}}, []string{"srv"}, nil)), nil)
	s.Settled(t.Context())
	fieldAnswers(t, connect(t, s), "D14 arguments are checked before the call", map[string]string{
		`await srv.crash({ ID: "x" })`: "isError\n---\nError: Invalid arguments for srv.crash (line 1:1):\n- id: missing, expected as a property (given: \"ID\")…",
	})
}

func TestFieldReportsOfPrograms(t *testing.T) {
	c := one(t, nil, "echo")
	fieldAnswers(t, c, "H1 fences and prose", map[string]string{"Here you go:\n```js\nasync () => 1\n```\nDone": "1"})
	fieldAnswers(t, c, "H2 every shape", map[string]string{
		"async () => 1;": "1", "async () => { return 1 }\n// end": "1", "export default async () => 1": "1", "async function main(){return 1}": "1",
		"function a(){return 2} async function main(){return a()}": "(no value returned) …", "return 1": "1", "1+1": "2",
		"const x=1": "(no value returned) The program returned no value…", "": "(no value returned) The program returned no value…", "// only comment": "(no value returned) The program returned no value…",
	})
	fieldAnswers(t, c, "H3 return, await and import at the top", map[string]string{
		"const r = await srv.echo({ a: 1 }); return r.a":                             "1",
		"let n = 0; for await (const x of [Promise.resolve(1), 2]) n += x; return n": "3",
		`import x from "fs"; return x`:                                               "isError\n---\nError: No such module \"node:fs\"; programs have no npm modules, no files and no require…",
	})
	fieldAnswers(t, c, "H4 TypeScript", map[string]string{
		"async (x: string): Promise<number> => { return 1 as number }": "1", "enum E {A}; return E.A": "0", "interface I {}; return 1": "1",
		"<T>(x:T)=>x": "(no value returned) …", "const x: string | null = 'a'; return x!": "a", "return { a: 1 } satisfies object": "{\n  \"a\": 1\n}",
		"type A = number\nconst a: A = 1\nreturn (a as any).b.c": "isError\n---\nError: TypeError: Cannot read properties of undefined (reading 'c') (line 3:21)\n  3 | return (a as any).b.c\n…",
	})
	fieldAnswers(t, c, "H5 texts that look like others", map[string]string{
		`const s = "rm -rf / && require('fs')"; return s.length`: "25", "return `${1}//${2}`": "1//2", `return /import\(/.test("x")`: "false",
	})
}

func TestFieldReportsOfOutput(t *testing.T) {
	c := one(t, nil, "echo")
	t.Run("I1 what is cut is JSON, and says what is missing", func(t *testing.T) {
		text, _, _ := strings.Cut(c.code(`return {rows:[{id:1,detail:"x".repeat(70000)},{id:2}]}`).text(), "\n---\n")
		var value struct{ Rows []struct{ ID int } }
		if err := json.Unmarshal([]byte(text), &value); err != nil || len(value.Rows) != 2 || value.Rows[1].ID != 2 || !strings.Contains(text, "TRUNCATED") {
			t.Errorf("%v: %.200s … %s", err, text, text[max(0, len(text)-300):])
		}
	})
	t.Run("I3 lines and result apart, no program", func(t *testing.T) {
		got := c.code(`const big = "y".repeat(30000); console.log("z".repeat(30000)); return big /* a mark */`).text()
		if strings.Contains(got, "a mark") || strings.Count(got, "y") < 20000 || strings.Count(got, "z") < 5000 || len(got) > 45000 {
			t.Errorf("%d characters, %d and %d", len(got), strings.Count(got, "y"), strings.Count(got, "z"))
		}
	})
	t.Run("I4 the whole in pages", func(t *testing.T) {
		a := c.code(`return "x".repeat(5e5)`)
		var link struct{ URI string }
		if err := json.Unmarshal(a.Content[len(a.Content)-1], &link); err != nil || !strings.HasPrefix(link.URI, resultScheme) {
			t.Fatalf("%v: %s", err, a.Content[len(a.Content)-1])
		}
		page := c.request("resources/read", `{"uri":`+string(quote(link.URI))+`}`)
		if !strings.Contains(string(page.Result), strings.Repeat("x", 10_000)) {
			t.Errorf("%.200s %s", page.Result, page.Error)
		}
	})
	t.Run("I6 how many calls there were", func(t *testing.T) {
		m := c.request("tools/call", `{"name":"code","arguments":{"code":"await srv.echo({}); await srv.echo({}); return 1"}}`)
		if !strings.Contains(string(m.Result), `"calls":2`) {
			t.Errorf("%s", m.Result)
		}
	})
}

// F11: a schema that is missing or says nothing is that of an object, for every call's arguments are one.
func TestFieldReportF11(t *testing.T) {
	scripts := map[string]fake.Script{}
	names := []string{"absent", "empty", "yes", "nothing", "object"}
	for i, member := range []string{``, `,"inputSchema":{ }`, `,"inputSchema":true`, `,"inputSchema":null`, `,"inputSchema":{"type":"object"}`} {
		scripts[names[i]] = fake.Script{Tools: []json.RawMessage{json.RawMessage(`{"name":"echo"` + member + `}`)}}
	}
	s := serve(t, FromConfig(configure(t, scripts, names, nil)), nil)
	s.Settled(t.Context())
	if n := strings.Count(s.Description(), "Input = Record<string, unknown>\n"); n != len(names) {
		t.Errorf("%d inputs are records:\n%s", n, s.Description())
	}
	c := connect(t, s)
	for _, name := range names {
		fieldAnswers(t, c, "F11", map[string]string{
			"return [await " + name + ".echo(), await " + name + ".echo({ a: 1 })]": "[\n  {},\n  {\n    \"a\": 1\n  }\n]",
			"return await " + name + ".echo('x')":                                   "isError\n---\nError: Invalid arguments for " + name + ".echo (line 1:8):\n- the argument: expected object, got \"x\"…",
		})
	}
}
