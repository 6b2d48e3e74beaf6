package mcpserver

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/protocol"
)

func TestAnswers(t *testing.T) {
	c := one(t, nil, "echo", "raw", "fail", "rpcerror", "crash")
	for _, tt := range []struct{ name, code, want string }{
		{"value", `async () => [1, 'a']`, "[\n  1,\n  \"a\"\n]"},
		{"string", `async () => 'h\u00e9\u2028'`, "h\u00e9\u2028"},
		{"empty string", `async () => ''`, ""},
		{"null", `async () => null`, "null"},
		{"a call", `async () => (await srv.echo({a: 1})).a`, "1"},
		{"big integer from a tool", `async () => srv.raw({result: {structuredContent: {id: 9007199254740993n}, content: []}})`, "{\n  \"id\": 9007199254740993\n}"},
		{"big integer as text", `async () => srv.raw({result: {content: [{type: 'text', text: '{"id":9007199254740993}'}]}})`, "{\n  \"id\": 9007199254740993\n}"},
		{"bytes", `async () => new Uint8Array([0, 255, 128])`, "{\n  \"__codemode_binary_v1__\": \"Uint8Array\",\n  \"data\": \"AP+A\"\n}"},
		{"no value", `async () => {}`, "(no value returned) *"},
		{"no value but logs", `async () => { console.log({a: 1}); console.error('e') }`, "(no value returned; the console output follows)\n---\nConsole output:\n{ a: 1 }\n[error] e"},
		{"logs", `async () => { console.log('x'); return 1 }`, "1\n---\nConsole output:\nx"},
		{"isError", `async () => srv.fail({})`, "isError\nError: bad thing\nmore*"},
		{"isError caught", `async () => { try { await srv.fail({}) } catch (e) { return 'caught: ' + e.message } }`, "caught: bad thing\nmore"},
		{"data of an error", `async () => { try { await srv.raw({result: {isError: true, content: [{type: 'text', text: 'no'}], structuredContent: {id: 7}}}) } catch (e) { return [e.message, e.data.id] } }`, "[\n  \"no\",\n  7\n]"},
		{"protocol error", `async () => { try { await srv.rpcerror({code: -32602, message: 'nope'}) } catch (e) { return e.message } }`, "MCP error -32602: nope"},
		{"thrown", `async () => { console.log('l'); throw new TypeError('bad') }`, "isError\nError: TypeError: bad (line 1:39)\n  1 | async () => { console.log('l'); throw new TypeError('bad') }\n    |                                       ^\n---\nConsole output:\nl"},
		{"syntax", `async () => { let = = 1 }`, "isError\nError: *"},
		{"server dies", `async () => { try { await srv.crash({}) } catch (e) { return e.message } }`, `server "srv" ended while it worked on "crash" (exit status 3; its last words: about to crash), so the outcome of this call is unknown; the next call starts the server again`},
		{"and is started again", `async () => (await srv.echo({a: 2})).a`, "2"},
	} {
		got := strings.ReplaceAll(c.code(tt.code).text(), "isError\n---\n", "isError\n")
		want, isPrefix := strings.CutSuffix(tt.want, "*") // codetool words the rest
		if got != want && !(isPrefix && strings.HasPrefix(got, want)) {
			t.Errorf("%s: %s", tt.name, cmp.Diff(tt.want, got))
		}
	}
}

func TestLongMessageIsCut(t *testing.T) {
	c := one(t, nil, "echo")
	got := c.code(`async () => { throw new Error('x'.repeat(1e6)) }`).text()
	if len(got) > 2*codetool.MaxResponse || !strings.Contains(got, "TRUNCATED") || !strings.Contains(got, "(line 1:") {
		t.Errorf("%d characters: %.200s … %s", len(got), got, got[max(0, len(got)-200):])
	}
}

func TestAnswersAsTheReferenceGivesThem(t *testing.T) {
	c := one(t, &Options{Reference: true}, "echo", "raw", "fail")
	for code, want := range map[string]string{
		`async () => {}`: "undefined",
		`async () => { throw new Error('a\nb') }`:  "isError\n---\nError: a\nb",
		`async () => { throw new TypeError('a') }`: "isError\n---\nError: a",
		`async () => srv['no-such']({})`:           "isError\n---\nError: Tool \"no-such\" not found",
		`async () => srv.fail({})`:                 "isError\n---\nError: bad thing\nmore",
		`async () => ({a: [1, {b: null}]})`:        "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ]\n}",
	} {
		if got := c.code(code).text(); !strings.HasPrefix(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", code, got, want)
		}
	}
	if got := c.call(`{"code": "async () => 1", "extra": 1}`).text(); got != "1" {
		t.Error(got)
	}
	if tool := c.tool(); string(tool.InputSchema) != inputSchema {
		t.Errorf("%s", tool.InputSchema)
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	c := one(t, nil)
	const head = "isError\n---\nMCP error -32602: Input validation error: Invalid arguments for tool code: "
	for args, want := range map[string]string{
		`{}`:                               "Invalid input: expected string, received undefined at code",
		`null`:                             "Invalid input: expected string, received undefined at code",
		`[]`:                               "Invalid input: expected string, received undefined at code",
		`{"code":5}`:                       "Invalid input: expected string, received number at code",
		`{"code":null}`:                    "Invalid input: expected string, received null at code",
		`{"code":["x"]}`:                   "Invalid input: expected string, received array at code",
		`{"code":true}`:                    "Invalid input: expected string, received boolean at code",
		`{"code":{}}`:                      "Invalid input: expected string, received object at code",
		`{"code":"1","timeout":0,"a b":1}`: `Unrecognized argument: "a b", "timeout"; this tool takes code and nothing else`,
	} {
		if got := c.call(args).text(); got != head+want {
			t.Errorf("%s: %s", args, got)
		}
	}
	if m := c.request("tools/call", `{"name":"nope"}`); !strings.Contains(string(m.Error), `"code":-32602`) {
		t.Errorf("%s", m.Error)
	}
}

func TestLongResultIsCutAndStaysJSON(t *testing.T) {
	c := one(t, &Options{ResultChars: 1000})
	a := c.code(`async () => ({rows: [{id: 1, detail: 'x'.repeat(70000)}, {id: 2}]})`)
	var value struct{ Rows []struct{ ID int } }
	text, link, _ := strings.Cut(a.text(), "\n---\n")
	if err := json.Unmarshal([]byte(text), &value); err != nil || len(value.Rows) != 2 || value.Rows[1].ID != 2 || len(text) > 1100 || !strings.Contains(link, resultScheme) {
		t.Errorf("%v %s", err, a.text())
	}
	a = c.code(`async () => { for (let i = 0; i < 1000; i++) console.log('a line of the log'); return 'short' }`)
	if n := len(a.text()); n > 1100 || !strings.HasPrefix(a.text(), "short\n---\nConsole output:\na line") {
		t.Errorf("%d: %s", n, a.text())
	}
}

// picture is base64 of a picture that is large enough to be recognised.
var picture = "iVBORw0K" + strings.Repeat("ABCD", 40)

func TestMediaBecomeBlocks(t *testing.T) {
	c := one(t, &Options{ResultChars: 2000}, "raw")
	image := fmt.Sprintf(`{"type":"image","data":"%s","mimeType":"image/png"}`, picture)
	shot := func(rest string) string {
		return fmt.Sprintf(`srv.raw({result: {content: [{type: 'text', text: 't'}, {type: 'image', data: '%s', mimeType: 'image/png'}]%s}})`, picture, rest)
	}
	large := strings.Repeat("QUJD", 20000)
	const name = "[image 1 of this answer, 126 bytes]"
	for label, tt := range map[string]struct{ code, want string }{
		"a result":               {`async () => ` + shot(""), "t\n---\n" + image},
		"its block":              {`async () => (await ` + shot("") + `).content[1]`, image},
		"blocks in a list":       {`async () => { const r = await ` + shot("") + `; return [...r.content, {type: 'text', text: 'end'}] }`, "t\n---\n" + image + "\n---\nend"},
		"a block among data":     {`async () => ({n: 1, shot: (await ` + shot("") + `).content[1]})`, "{\n  \"n\": 1,\n  \"shot\": {\n    \"type\": \"image\",\n    \"data\": \"" + name + "\",\n    \"mimeType\": \"image/png\"\n  }\n}\n---\n" + image},
		"base64 alone":           {`async () => { const d = (await ` + shot("") + `).content[1].data; return [d, 'data:image/png;base64,' + d] }`, "[\n  \"" + name + "\",\n  \"data:image/png;base64," + name + "\"\n]\n---\n" + image},
		"in structuredContent":   {`async () => ` + shot(`, structuredContent: {png: '`+picture+`', w: 1}`), "{\n  \"png\": \"" + name + "\",\n  \"w\": 1\n}\n---\n" + image},
		"twice":                  {`async () => { const r = await ` + shot("") + `; return {a: r, b: r.content[1]} }`, ""},
		"bytes of the program":   {`async () => ({type: 'audio', data: new Uint8Array([1, 2, 3]), mimeType: 'audio/wav'})`, `{"type":"audio","data":"AQID","mimeType":"audio/wav"}`},
		"large ones stay whole":  {`async () => ({type: 'image', data: '` + large + `', mimeType: 'image/png', _meta: {a: 1}})`, `{"type":"image","data":"` + large + `","mimeType":"image/png","_meta":{"a":1}}`},
		"a link":                 {`async () => ({type: 'resource_link', uri: 'file:///x', name: 'x'})`, `{"type":"resource_link","uri":"file:///x","name":"x"}`},
		"an embedded file":       {`async () => ({type: 'resource', resource: {uri: 'file:///x', blob: 'AAAA', mimeType: 'x/y'}})`, `{"type":"resource","resource":{"uri":"file:///x","blob":"AAAA","mimeType":"x/y"}}`},
		"text blocks are data":   {`async () => [{type: 'text', text: 'x'}]`, "[\n  {\n    \"type\": \"text\",\n    \"text\": \"x\"\n  }\n]"},
		"no base64 is no image":  {`async () => ({type: 'image', data: '***', mimeType: 'image/png'})`, "{\n  \"type\": \"image\",\n  \"data\": \"***\",\n  \"mimeType\": \"image/png\"\n}"},
		"an object of that type": {`async () => ({type: 'image', url: 'http://x'})`, "{\n  \"type\": \"image\",\n  \"url\": \"http://x\"\n}"},
	} {
		a := c.code(tt.code)
		if tt.want != "" && a.text() != tt.want {
			t.Errorf("%s: %s", label, cmp.Diff(tt.want, a.text()))
		}
		if label == "twice" && (strings.Count(a.text(), picture) != 1 || len(a.Content) != 2) {
			t.Errorf("%s: %s", label, a.text())
		}
	}
}

// TestMediaOfAnAnswerAreBounded covers a program that returns more than any client takes: what is left out is named.
func TestMediaOfAnAnswerAreBounded(t *testing.T) {
	image := func(size int) any {
		return protocol.Object{{Key: "type", Value: "image"}, {Key: "mimeType", Value: "image/png"}, {Key: "data", Value: make([]byte, size)}}
	}
	l := lifter{}
	content, whole := l.blocks([]any{image(9_000_000), image(9_000_001), image(3)}, 1000)
	if !whole || len(content) != 3 || len(l.lifted) != 2 {
		t.Fatalf("%d blocks, %d lifted, %v", len(content), len(l.lifted), whole)
	}
	if got := content[1].(mcp.TextContent).Text; got != "[image of 9000003 bytes, left out: the media of one answer may have 20 MiB of base64 and 100 blocks]" {
		t.Error(got)
	}
	c := one(t, nil, "image")
	if a := c.code(`async () => (await Promise.all(Array.from({length: 101}, (_, i) => srv.image({bytes: 100 + i})))).flatMap(r => r.content)`); len(a.Content) != 101 || !strings.Contains(string(a.Content[100]), "left out") {
		t.Errorf("%d blocks, the last %.200s", len(a.Content), a.Content[len(a.Content)-1])
	}
}

func TestCancelledProgramCancelsItsCallAndIsNotAnswered(t *testing.T) {
	s, heard := traced(t, false)
	c := connect(t, s)
	file := filepath.Join(t.TempDir(), "mark")
	id := c.start("tools/call", fmt.Sprintf(`{"name":"code","arguments":{"code":"async () => srv.slow({ms: 60000, file: '%s'})"}}`, file))
	eventually(t, "the server has the call", func() bool { return len(heard("tools/call")) == 1 })
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	eventually(t, "cancelled", func() bool { data, _ := os.ReadFile(file); return string(data) == "cancelled" })
	if got := c.code(`async () => 'next'`).text(); got != "next" {
		t.Error(got)
	}
	for _, n := range c.notes {
		if n.ID != nil {
			t.Errorf("answered: %s", n.Result)
		}
	}
}

func TestProgressIsReportedUntilTheAnswer(t *testing.T) {
	s := serve(t, nil, nil)
	s.progress = 20 * time.Millisecond
	c := connect(t, s)
	m := c.request("tools/call", `{"name":"code","arguments":{"code":"async () => { await new Promise(r => setTimeout(r, 400)); return 1 }"},"_meta":{"progressToken":"tok"}}`)
	if m.Result == nil {
		t.Fatalf("%s", m.Error)
	}
	last := 0
	for _, n := range c.notes {
		var p struct {
			ProgressToken string
			Progress      int
		}
		if n.Method != "notifications/progress" {
			continue
		}
		if err := json.Unmarshal(n.Params, &p); err != nil || p.ProgressToken != "tok" || p.Progress <= last {
			t.Errorf("%s after %d: %v", n.Params, last, err)
		}
		last = p.Progress
	}
	if last == 0 {
		t.Error("no progress was reported")
	}
	c.notes = nil
	c.request("ping", `{}`)
	if len(c.notes) > 0 {
		t.Errorf("after the answer came %v", c.notes)
	}
}
