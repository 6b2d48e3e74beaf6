package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/mcpserver/internal/fake"
)

// traced is a server that writes down what it gets; heard reports the ids that came with a method.
func traced(t *testing.T, modern bool) (s *Server, heard func(method string) []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace")
	s = serve(t, FromConfig(configure(t, map[string]fake.Script{"srv": {Tools: fake.Tools("slow", "echo"), Modern: modern, Trace: file}}, []string{"srv"}, nil)), nil)
	s.Settled(t.Context())
	return s, heardIn(file)
}

// heardIn reports the ids that came with a method, from the trace of a server.
func heardIn(file string) func(method string) []string {
	return func(method string) (ids []string) {
		text, _ := os.ReadFile(file)
		for line := range strings.Lines(string(text)) {
			if id, ok := strings.CutPrefix(line, method+" "); ok && strings.HasSuffix(id, "\n") {
				ids = append(ids, strings.TrimSpace(id))
			}
		}
		return ids
	}
}

const (
	// slowProgram waits for a call that is never answered.
	slowProgram = `"name":"code","arguments":{"code":"async () => srv.slow({ ms: 600000 })"}`
	noMeta      = `"_meta":{}`
)

// TestCancellationReachesTheUpstream covers a client's cancellation on its way down, in every pair of eras: the upstream
// hears the id of its own request, nothing is answered, a second cancellation does no harm, and the worker is free.
func TestCancellationReachesTheUpstream(t *testing.T) {
	for name, tt := range map[string]struct {
		modern bool
		meta   string
	}{"2025 to 2025": {false, noMeta}, "2026 to 2025": {false, modernMeta}, "2025 to 2026": {true, noMeta}, "2026 to 2026": {true, modernMeta}} {
		t.Run(name, func(t *testing.T) {
			s, heard := traced(t, tt.modern)
			c := bare(t, s)
			if tt.meta == noMeta {
				c = connect(t, s)
			}
			for round := 1; round <= 3; round++ { // more often than there are workers
				id := c.start("tools/call", "{"+slowProgram+","+tt.meta+"}")
				eventually(t, "the upstream has the call", func() bool { return len(heard("tools/call")) == round })
				cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,` + tt.meta + `}}`
				c.send(cancel)
				c.send(cancel)
				eventually(t, "the upstream hears of the end", func() bool { return len(heard("notifications/cancelled")) >= round })
			}
			if d := cmp.Diff(heard("tools/call"), heard("notifications/cancelled")); d != "" {
				t.Errorf("called and cancelled: %s", d)
			}
			m := c.request("tools/call", `{"name":"code","arguments":{"code":"async () => (await srv.echo({ a: 'free' })).a"},`+tt.meta+`}`)
			if !strings.Contains(string(m.Result), "free") {
				t.Errorf("%s %s", m.Result, m.Error)
			}
			for _, n := range c.notes {
				if n.ID != nil {
					t.Errorf("a cancelled program was answered: %s", n.Result)
				}
			}
		})
	}
}

// post sends one message over HTTP and returns the response, whose body is the caller's.
func post(ctx context.Context, url, session, revision, body string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Mcp-Protocol-Version", revision)
	if session != "" {
		request.Header.Set("Mcp-Session-Id", session)
	}
	if revision == "2026-07-28" {
		request.Header.Set("Mcp-Method", "tools/call")
		request.Header.Set("Mcp-Name", "code")
	}
	return http.DefaultClient.Do(request)
}

// session opens one over HTTP.
func session(t *testing.T, url string) string {
	t.Helper()
	response, err := post(t.Context(), url, "", "2025-11-25", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.Header.Get("Mcp-Session-Id")
}

// TestCancellationOverHTTPReachesTheUpstream covers the two ways that there are: a notification, and a client that goes.
func TestCancellationOverHTTPReachesTheUpstream(t *testing.T) {
	for name, tt := range map[string]struct{ revision, meta string }{
		"a notification":        {"2025-11-25", noMeta},
		"a client of 2025 goes": {"2025-11-25", noMeta},
		"a client of 2026 goes": {"2026-07-28", modernMeta},
	} {
		t.Run(name, func(t *testing.T) {
			s, heard := traced(t, false)
			url := listen(t, s, nil)
			id := ""
			if tt.meta == noMeta {
				id = session(t, url)
			}
			ctx, goAway := context.WithCancel(t.Context())
			defer goAway()
			done := make(chan error, 1)
			go func() {
				response, err := post(ctx, url, id, tt.revision, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{`+slowProgram+`,`+tt.meta+`}}`)
				if err == nil {
					_, err = io.Copy(io.Discard, response.Body)
					response.Body.Close()
				}
				done <- err
			}()
			eventually(t, "the upstream has the call", func() bool { return len(heard("tools/call")) == 1 })
			if name == "a notification" {
				response, err := post(t.Context(), url, id, tt.revision, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
				if err != nil {
					t.Fatal(err)
				}
				response.Body.Close()
			} else {
				goAway()
			}
			eventually(t, "the upstream hears of the end", func() bool { return len(heard("notifications/cancelled")) == 1 })
			if d := cmp.Diff(heard("tools/call"), heard("notifications/cancelled")); d != "" {
				t.Errorf("called and cancelled: %s", d)
			}
			<-done
		})
	}
}

// TestClientThatLiesAboutItself covers one that says it can be asked, and answers with errors and with nonsense: its
// upstreams hear of the one, get the other, and nothing waits.
func TestClientThatLiesAboutItself(t *testing.T) {
	s := fakes(t, &Options{AwaitClient: true}, "elicit", "sample", "roots")
	c := bare(t, s)
	c.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{},"roots":{}},"clientInfo":{"name":"liar","version":"1"}}`)
	s.Settled(t.Context())
	program := `{"name":"code","arguments":{"code":"async () => JSON.stringify([await srv.elicit({}), await srv.sample({}), await srv.roots({})])"}}`
	id := c.start("tools/call", program)
	answers := []string{`"error":{"code":-32601,"message":"no such method"}`, `"result":null`, `"result":"nonsense"`}
	for _, answer := range answers {
		question := c.receive()
		for question.ID == nil { // that the tools of the start are there
			question = c.receive()
		}
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, question.ID, answer))
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, question.ID, answer)) // and once more
		c.send(`{"jsonrpc":"2.0","id":"never asked","result":{}}`)
	}
	m := c.finish(id)
	var a answer
	if err := json.Unmarshal(m.Result, &a); err != nil {
		t.Fatalf("%s %s", m.Result, m.Error)
	}
	want := `[{"code":-32601,"message":"no such method"},{"code":-32601,"message":"Method not found: this client has no sampling/createMessage"},"nonsense"]`
	if got := a.text(); got != want {
		t.Errorf("the server got\n%s, want\n%s", got, want)
	}
}

// TestFloodOfAServerReachesNobody covers an upstream that sends without end: the client hears a bounded part of it, in
// order, and nothing after the answer.
func TestFloodOfAServerReachesNobody(t *testing.T) {
	c := one(t, nil, "flood")
	m := c.request("tools/call", `{"name":"code","_meta":{"progressToken":1},"arguments":{"code":"async () => srv.flood({ times: 5000 })"}}`)
	if !strings.Contains(string(m.Result), "flooded") {
		t.Fatalf("%s %s", m.Result, m.Error)
	}
	progress, last := 0, 0.0
	for _, n := range c.notes {
		var params struct{ Progress float64 }
		if n.Method != "notifications/progress" {
			continue
		}
		if err := json.Unmarshal(n.Params, &params); err != nil || params.Progress <= last {
			t.Errorf("%s after %v", n.Params, last)
		}
		progress, last = progress+1, params.Progress
	}
	if progress == 0 || progress > 1000 {
		t.Errorf("%d notifications of progress", progress)
	}
	c.notes = nil
	c.request("ping", `{}`)
	for _, n := range c.notes {
		if n.Method == "notifications/progress" {
			t.Errorf("after the answer: %s", n.Params)
		}
	}
}

// TestToolsWithOddNames covers an upstream's own tool called code, and one of ten thousand.
func TestToolsWithOddNames(t *testing.T) {
	s := serve(t, FromConfig(configure(t, map[string]fake.Script{"codemode": {Tools: fake.Tools("code", "search", "readResource"), ManyTools: 10_000}}, []string{"codemode"}, nil)), &Options{Resources: true})
	s.Settled(t.Context())
	c := connect(t, s)
	tool := c.tool() // there is one
	if tool.Name != "code" || len([]rune(tool.Description)) > DefaultDescriptionBudget {
		t.Errorf("%s, %d characters", tool.Name, len([]rune(tool.Description)))
	}
	for program, want := range map[string]string{
		`(await codemode.code({ code: 1 })).code`:                             "1",
		`(await codemode.tool_9999({ a: 2 })).a`:                              "2",
		`(await codemode.search_2("tool_9999"))[0].name`:                      "codemode.tool_9999",
		`(await codemode.readResource({ mine: 3 })).mine`:                     "3",
		`(await codemode.readResource_2({ server: "codemode", uri: "x:y" }))`: "MCP error -32002",
	} {
		if got := c.code("async () => " + program).text(); !strings.Contains(got, want) {
			t.Errorf("%s: %s", program, got)
		}
	}
}

// TestLinksOfResultsCanBeFollowed covers what a program returns of a result that names resources of its server.
func TestLinksOfResultsCanBeFollowed(t *testing.T) {
	program := `async () => srv.raw({ result: { content: [
		{ type: "resource_link", uri: "note://a", name: "a" }, { type: "resource", resource: { uri: "note://b", text: "b" } }, { type: "text", text: "c" }],
		_meta: { ui: { resourceUri: "ui://chart", prefersBorder: true } } } })`
	for name, tt := range map[string]struct {
		resources bool
		want      string
	}{
		"passed on":     {true, `{"type":"resource_link","uri":"codemode://srv/note://a","name":"a"} {"type":"resource","resource":{"uri":"codemode://srv/note://b","text":"b"}} {"type":"text","text":"c"} {"prefersBorder":true,"resourceUri":"codemode://srv/ui://chart"}`},
		"not passed on": {false, `{"type":"resource_link","uri":"note://a","name":"a"} {"type":"resource","resource":{"uri":"note://b","text":"b"}} {"type":"text","text":"c"} `},
	} {
		t.Run(name, func(t *testing.T) {
			c := one(t, &Options{Resources: tt.resources}, "raw")
			m := c.request("tools/call", `{"name":"code","arguments":{"code":`+string(quote(program))+`}}`)
			var result struct {
				Content []json.RawMessage
				Meta    struct{ UI json.RawMessage } `json:"_meta"`
			}
			if err := json.Unmarshal(m.Result, &result); err != nil || len(result.Content) != 3 {
				t.Fatalf("%s %s", m.Result, m.Error)
			}
			got := fmt.Sprintf("%s %s %s %s", result.Content[0], result.Content[1], result.Content[2], result.Meta.UI)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestSubscriptionsOverHTTP covers both eras: the stream of GET, and that of subscriptions/listen.
func TestSubscriptionsOverHTTP(t *testing.T) {
	s := serve(t, FromConfig(configure(t, map[string]fake.Script{"one": offering()}, []string{"one"}, nil)), &Options{Resources: true})
	s.Settled(t.Context())
	url := listen(t, s, nil)
	local := connect(t, s)
	uri := `codemode://one/note://a`
	id := session(t, url)
	events := make(chan string, 100)
	follow := func(response *http.Response, err error) {
		t.Helper()
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%v %+v", err, response)
		}
		t.Cleanup(func() { response.Body.Close() })
		go func() {
			for lines := bufio.NewScanner(response.Body); lines.Scan(); {
				if strings.Contains(lines.Text(), resourceUpdated) {
					events <- lines.Text()
				}
			}
		}()
	}
	response, err := post(t.Context(), url, id, "2025-11-25", `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"`+uri+`"}}`)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(err, response)
	}
	response.Body.Close()
	get, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	get.Header.Set("Accept", "text/event-stream")
	get.Header.Set("Mcp-Session-Id", id)
	follow(http.DefaultClient.Do(get))
	listening, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":"L","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["`+uri+`"]},`+modernMeta+`}}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"} {
		listening.Header.Set(name, value)
	}
	follow(http.DefaultClient.Do(listening))
	eventually(t, "the server knows", func() bool {
		return strings.Contains(local.code(`async () => String(await one.subscribed({}))`).text(), "resources/subscribe note://a")
	})
	if got := local.code(`async () => one.touch({ name: "note://a" })`).text(); got != "touched" {
		t.Fatal(got)
	}
	first, second := <-events, <-events
	if both := first + second; strings.Count(both, `"uri":"`+uri+`"`) != 2 || strings.Count(both, `subscriptionId":"L"`) != 1 {
		t.Errorf("the clients heard\n%s\n%s", first, second)
	}
}
