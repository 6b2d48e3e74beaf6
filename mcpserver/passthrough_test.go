package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/fake"
)

// offering is a server with resources and prompts, and with tools about them.
func offering(tools ...string) fake.Script {
	return fake.Script{
		Tools: fake.Tools(append(tools, "offer", "touch", "subscribed")...),
		Offers: fake.Offers{
			Resources: []json.RawMessage{fake.Resource("note://a"), json.RawMessage(`{"name":"no uri"}`), json.RawMessage(`{"uri":"note://odd","name":"odd","size":"big","annotations":{"priority":0.5}}`)},
			Templates: []json.RawMessage{json.RawMessage(`{"uriTemplate":"note://{id}","name":"by id"}`)},
			Prompts:   []json.RawMessage{json.RawMessage(`{"name":"sum.up","arguments":[{"name":"what","required":true}]}`), json.RawMessage(`{"name":"missing"}`)},
		},
	}
}

// passing serves two servers with the same resources and prompts.
func passing(t *testing.T, options Options, tools ...string) *client {
	t.Helper()
	options.Resources, options.Prompts = true, true
	s := serve(t, FromConfig(configure(t, map[string]fake.Script{"one": offering(tools...), "two": offering()}, []string{"one", "two"}, nil)), &options)
	s.Settled(t.Context())
	return connect(t, s)
}

// field is a member of a result, at a path of names.
func field(t *testing.T, m incoming, path ...string) json.RawMessage {
	t.Helper()
	raw := m.Result
	for _, name := range path {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(raw, &fields); err != nil {
			t.Fatalf("%v: %s %s", err, m.Result, m.Error)
		}
		raw = fields[name]
	}
	return raw
}

func TestResourcesOfTwoServersNeverMeet(t *testing.T) {
	c := passing(t, Options{})
	var got []string
	for _, list := range [][2]string{{"resources/list", "resources"}, {"resources/templates/list", "resourceTemplates"}, {"prompts/list", "prompts"}} {
		var entries []map[string]any
		if err := json.Unmarshal(field(t, c.request(list[0], `{}`), list[1]), &entries); err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			delete(e, "x-odd")
			text, _ := json.Marshal(e)
			got = append(got, string(text))
		}
	}
	want := []string{
		`{"mimeType":"text/plain","name":"the note://a","uri":"codemode://one/note://a"}`, `{"annotations":{"priority":0.5},"name":"odd","uri":"codemode://one/note://odd"}`,
		`{"mimeType":"text/plain","name":"the note://a","uri":"codemode://two/note://a"}`, `{"annotations":{"priority":0.5},"name":"odd","uri":"codemode://two/note://odd"}`,
		`{"name":"by id","uriTemplate":"codemode://one/note://{id}"}`, `{"name":"by id","uriTemplate":"codemode://two/note://{id}"}`,
		`{"arguments":[{"name":"what","required":true}],"name":"one.sum.up"}`, `{"name":"one.missing"}`,
		`{"arguments":[{"name":"what","required":true}],"name":"two.sum.up"}`, `{"name":"two.missing"}`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestWhatServersOfferIsRead(t *testing.T) {
	c := passing(t, Options{})
	for _, tt := range [][3]string{
		{"resources/read", `{"uri":"codemode://two/note://x y é"}`, `{"contents":[{"x":9007199254740993,"uri":"codemode://two/note://x y é","text":"the text of note://x y é"}]}`},
		{"resources/read", `{"uri":"codemode://two/note://gone"}`, `-32002`},
		{"resources/read", `{"uri":"codemode://none/note://a"}`, `-32002`},
		{"resources/read", `{"uri":"note://a"}`, `-32002`},
		{"resources/read", `{"uri":"codemode://one/note://broken"}`, `{"code":-32603,"message":"the disk is gone"}`},
		{"resources/read", `{"uri":"codemode://one/note://locked"}`, `{"code":-32050,"data":{"until":9007199254740993},"message":"locked <by> somebody"}`},
		{"prompts/get", `{"name":"one.sum.up","arguments":{"what":"é"}}`, `{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"sum.up{\"what\":\"é\"}"}},` +
			`{"role":"assistant","content":{"type":"resource_link","uri":"codemode://one/note://a","name":"a"}}]}`},
		{"prompts/get", `{"name":"none.sum"}`, `-32602`},
		{"prompts/get", `{"name":"one.missing"}`, `there is no such prompt`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"one.sum.up"},"argument":{"name":"what","value":"x"}}`, `{\"name\":\"sum.up\",\"type\":\"ref/prompt\"}x`},
		{"completion/complete", `{"ref":{"type":"ref/resource","uri":"codemode://two/note://{id}"},"argument":{"name":"id","value":"y"}}`, `{\"type\":\"ref/resource\",\"uri\":\"note://{id}\"}y`},
	} {
		m := c.request(tt[0], tt[1])
		if got := string(m.Result) + string(m.Error); !strings.Contains(got, tt[2]) {
			t.Errorf("%s %s:\n got %s\nwant %s", tt[0], tt[1], got, tt[2])
		}
	}
}

// TestErrorsOfServersReachHTTPClients: with their code and data, whatever mcp-go makes of them.
func TestErrorsOfServersReachHTTPClients(t *testing.T) {
	s := serve(t, FromConfig(configure(t, map[string]fake.Script{"one": offering("echo")}, []string{"one"}, nil)), &Options{Resources: true})
	s.Settled(t.Context())
	url := listen(t, s, nil)
	response, _ := ask(t, "POST", url, "", greeting)
	session := response.Header.Get("Mcp-Session-Id")
	for _, tt := range [][2]string{
		{"codemode://one/note://locked", `"error":{"code":-32050,"data":{"until":9007199254740993},"message":"locked \u003cby\u003e somebody"}`},
		{"codemode://one/note://broken", `"error":{"code":-32603,"message":"the disk is gone"}`},
		{"codemode://one/note://gone", `"error":{"code":-32002,`},
		{"codemode://one/note://a", `"text":"the text of note://a"`},
	} {
		_, text := ask(t, "POST", url, "", `{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"`+tt[0]+`"}}`, "Mcp-Session-Id", session)
		if !strings.Contains(text, tt[1]) || !strings.Contains(text, `"id":7`) {
			t.Errorf("%s: %s", tt[0], text)
		}
	}
}

// TestSlowReadHoldsNothingUp covers a server that never answers: the client's other requests are, and what it cancels is
// not.
func TestSlowReadHoldsNothingUp(t *testing.T) {
	c := passing(t, Options{})
	slow := c.start("resources/read", `{"uri":"codemode://one/note://slow"}`)
	if m := c.request("ping", `{}`); m.Result == nil {
		t.Error(string(m.Error))
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + slow + `}}`)
	if m := c.request("resources/read", `{"uri":"codemode://one/note://a"}`); m.Result == nil {
		t.Error(string(m.Error))
	}
	for _, n := range c.notes {
		if string(n.ID) == slow {
			t.Errorf("a cancelled read was answered: %s %s", n.Result, n.Error)
		}
	}
}

func TestChangedListsAreToldOnce(t *testing.T) {
	c := passing(t, Options{})
	if got := c.code(`async () => one.offer({ name: "note://unseen", times: 3 })`).text(); got != "offered" { // nobody has listed yet
		t.Fatal(got)
	}
	eventually(t, "the list has it", func() bool {
		return strings.Contains(string(c.request("resources/list", `{}`).Result), "codemode://one/note://unseen")
	})
	c.notes = nil
	if got := c.code(`async () => one.offer({ name: "note://new", times: 20 })`).text(); got != "offered" {
		t.Fatal(got)
	}
	told := func() (n int) {
		for _, note := range c.notes {
			if note.Method == resourcesChanged {
				n++
			}
		}
		return n
	}
	eventually(t, "the client is told", func() bool { c.request("ping", `{}`); return told() > 0 })
	if list := string(c.request("resources/list", `{}`).Result); !strings.Contains(list, "codemode://one/note://new") {
		t.Error(list)
	}
	if got := c.code(`async () => one.offer({ name: "note://last", times: 1 })`).text(); got != "offered" {
		t.Fatal(got)
	}
	eventually(t, "the client is told again", func() bool { c.request("ping", `{}`); return told() > 1 })
	if n := told(); n != 2 {
		t.Errorf("%d notifications for two changes", n)
	}
}

func TestClientsHearOfChangedResources(t *testing.T) {
	c := passing(t, Options{}, "crash")
	c.request("resources/subscribe", `{"uri":"codemode://one/note://a"}`)
	subscribed := func() string { return c.code(`async () => String(await one.subscribed({}))`).text() }
	eventually(t, "the server knows", func() bool { return subscribed() == "resources/subscribe note://a" })
	heard := func() (list []string) {
		for _, n := range c.notes {
			if n.Method == resourceUpdated {
				list = append(list, string(n.Params))
			}
		}
		return list
	}
	touch := func() string {
		return c.code(`async () => { await one.touch({ name: "note://other" }); await two.touch({ name: "note://a" }); return one.touch({ name: "note://a" }) }`).text()
	}
	if got := touch(); got != "touched" {
		t.Fatal(got)
	}
	eventually(t, "the client is told", func() bool { c.request("ping", `{}`); return len(heard()) > 0 })
	c.code(`async () => one.crash({})`)
	eventually(t, "the new process knows", func() bool { return subscribed() == "resources/subscribe note://a" })
	touch()
	eventually(t, "the client is told again", func() bool { c.request("ping", `{}`); return len(heard()) > 1 })
	if d := cmp.Diff([]string{`{"uri":"codemode://one/note://a"}`, `{"uri":"codemode://one/note://a"}`}, heard()); d != "" {
		t.Error(d)
	}
	c.request("resources/unsubscribe", `{"uri":"codemode://one/note://a"}`)
	eventually(t, "the server knows that", func() bool { return strings.HasSuffix(subscribed(), "resources/unsubscribe note://a") })
}

func TestProgramsReadWhatServersOffer(t *testing.T) {
	c := passing(t, Options{})
	for program, want := range map[string]string{
		`(await codemode.resources({})).map((r) => r.server + " " + (r.uri ?? r.uriTemplate)).join()`:             "one note://a,one undefined,one note://odd,one note://{id},two note://a,two undefined,two note://odd,two note://{id}",
		`(await codemode.resources({ server: "two" })).length`:                                                    "4",
		`codemode.resources({ server: "none" })`:                                                                  `no server is called "none"; there are: one, two`,
		`(await codemode.readResource({ server: "one", uri: "note://a" }))[0].text`:                               "the text of note://a",
		`(await codemode.readResource({ uri: "codemode://two/note://b" }))[0].uri`:                                "note://b",
		`codemode.readResource({ uri: "note://b" })`:                                                              `no server is called ""`,
		`codemode.readResource({ server: "one", uri: "note://gone" })`:                                            "MCP error -32002: Resource not found",
		`(await codemode.prompts({})).map((p) => p.server + " " + p.name).join()`:                                 "one sum.up,one missing,two sum.up,two missing",
		`(await codemode.getPrompt({ server: "one", name: "sum.up", arguments: { what: "x" } }))[0].content.text`: `sum.up{"what":"x"}`,
		`codemode.getPrompt({ name: "sum.up" })`:                                                                  `server`,
	} {
		if got := c.code("async () => " + program).text(); !strings.Contains(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", program, got, want)
		}
	}
	blob := c.code(`async () => (await codemode.readResource({ server: "one", uri: "note://blob" }))[0].blob`)
	if len(blob.Content) != 2 || strings.Contains(blob.text(), `"text":"QUJD`) || !strings.Contains(blob.text(), `"blob":"QUJD`) {
		t.Errorf("a blob is no block of the answer: %s", blob.text())
	}
	d := c.tool().Description
	for _, name := range []string{"resources:", "readResource:", "prompts:", "getPrompt:"} {
		if !strings.Contains(d, name) {
			t.Errorf("the description lacks %s", name)
		}
	}
}

func TestPolicyHoldsForReading(t *testing.T) {
	c := passing(t, Options{Policy: config.Policy{Rules: []codetool.Rule{
		{Action: codetool.Deny, Servers: []string{"one"}, Tools: []string{"readResource"}, When: `args.uri == "note://secret"`, Reason: "it is secret"},
		{Action: codetool.Deny, Servers: []string{"two"}},
	}}})
	for program, want := range map[string]string{
		`codemode.readResource({ server: "one", uri: "note://secret" })`:            "it is secret",
		`codemode["readResource"]({ uri: "codemode://one/note://secret" })`:         "it is secret",
		`(await codemode.readResource({ server: "one", uri: "note://a" }))[0].text`: "the text of note://a",
		`codemode.getPrompt({ server: "two", name: "sum.up" })`:                     "two.getPrompt",
		`codemode.resources({ server: "two" })`:                                     "two.resources",
		`(await codemode.resources({})).every((r) => r.server === "one")`:           "true",
	} {
		if got := c.code("async () => " + program).text(); !strings.Contains(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", program, got, want)
		}
	}
	for uri, want := range map[string]string{"codemode://one/note://secret": "it is secret", "codemode://two/note://a": "policy", "codemode://one/note://a": "the text of"} {
		m := c.request("resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
		if got := string(m.Result) + string(m.Error); !strings.Contains(got, want) {
			t.Errorf("%s: %s", uri, got)
		}
	}
}

// Suggestions tell what is there, as reads do.
func TestPolicyHoldsForCompletions(t *testing.T) {
	c := passing(t, Options{Policy: config.Policy{Rules: []codetool.Rule{
		{Action: codetool.Deny, Servers: []string{"one"}, Tools: []string{"readResource"}, When: `args.uri.startsWith("note://secret/")`, Reason: "it is secret"},
		{Action: codetool.Deny, Servers: []string{"one"}, Tools: []string{"getPrompt"}, When: `args.name == "sum.up" && args.arguments.who == "eve"`, Reason: "not for eve"},
		{Action: codetool.Ask, Servers: []string{"two"}},
	}}})
	ref := func(ref, context string) string {
		return `{"ref":` + ref + `,"argument":{"name":"id","value":"y"},"context":{"arguments":{` + context + `}}}`
	}
	for params, want := range map[string]string{
		ref(`{"type":"ref/resource","uri":"codemode://one/note://secret/{id}"}`, ``): "it is secret",
		ref(`{"type":"ref/resource","uri":"codemode://one/note://{id}"}`, ``):        `note://{id}\"}y`,
		ref(`{"type":"ref/resource","uri":"codemode://two/note://{id}"}`, ``):        `"values":[]`,
		ref(`{"type":"ref/prompt","name":"one.sum.up"}`, `"who":"eve"`):              "not for eve",
		ref(`{"type":"ref/prompt","name":"one.sum.up"}`, `"who":"bob"`):              `ref/prompt\"}y`,
		ref(`{"type":"ref/prompt","name":"one.sum.up"}`, ``):                         "not for eve", // it may be she
		ref(`{"type":"ref/prompt","name":"two.sum.up"}`, ``):                         `"values":[]`,
	} {
		m := c.request("completion/complete", params)
		if got := string(m.Result) + string(m.Error); !strings.Contains(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", params, got, want)
		}
	}
}

// A client is told of as many resources as one server tells of, with URIs that fit in a request, and of none that it may not read.
func TestSubscriptionsAreBounded(t *testing.T) {
	c := passing(t, Options{Policy: config.Policy{Rules: []codetool.Rule{
		{Action: codetool.Deny, Servers: []string{"one"}, When: `args.uri == "note://secret"`, Reason: "it is secret"},
		{Action: codetool.Ask, Servers: []string{"two"}},
	}}})
	b := c.server.subscriptions
	kept := func() (n int) {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, listeners := range b.to {
			n += len(listeners)
		}
		return n
	}
	subscribe := func(uri string) string {
		m := c.request("resources/subscribe", fmt.Sprintf(`{"uri":%q}`, uri))
		return string(m.Result) + string(m.Error)
	}
	long := "codemode://one/" + strings.Repeat("x", maxSubscribedURI)
	for uri, want := range map[string]string{
		"codemode://one/note://secret": "it is secret", "codemode://none/note://a": "there is no such resource", "file:///a": "there is no such resource",
		long: "is longer than 8000 bytes",
	} {
		if got := subscribe(uri); !strings.Contains(got, want) {
			t.Errorf("%.60s: %s", uri, got)
		}
	}
	// The method in a way that nobody writes it.
	c.send(`{"jsonrpc":"2.0","id":"odd","method":"resources/sub\u0073cribe","params":{"uri":"codemode://one/note://secret"}}`)
	c.finish(`"odd"`)
	if n := kept(); n != 0 {
		t.Errorf("%d are kept of those that were refused", n)
	}
	if got := subscribe("codemode://two/note://a"); got != "{}" {
		t.Errorf("where a person would be asked: %s", got)
	}
	for i := range maxSubscriptions - 1 {
		b.add(t.Context(), listenerOf(t, b), fmt.Sprintf("codemode://one/note://%d", i))
	}
	if got := subscribe("codemode://one/note://more"); !strings.Contains(got, "at most 1000 resources") {
		t.Error(got)
	}
	c.send(`{"jsonrpc":"2.0","id":"L","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["codemode://one/note://more"]},` + modernMeta + `}}`)
	if m := c.finish(`"L"`); !strings.Contains(string(m.Error), "at most 1000 resources") {
		t.Errorf("%s %s", m.Result, m.Error)
	}
	if got := subscribe("codemode://one/note://0") + subscribe("codemode://two/note://a"); got != "{}{}" {
		t.Errorf("what it is told of already: %s", got)
	}
	c.request("resources/unsubscribe", `{"uri":"codemode://one/note://0"}`)
	if got := subscribe("codemode://one/note://more"); got != "{}" || kept() != maxSubscriptions {
		t.Errorf("after one less: %s, %d", got, kept())
	}
}

// TestSubscriptionsOfAllAreBoundedAndFair: many sessions do not make them many, and one client with many leaves the others theirs.
func TestSubscriptionsOfAllAreBoundedAndFair(t *testing.T) {
	s := serve(t, FromConfig(configure(t, map[string]fake.Script{"one": offering()}, []string{"one"}, nil)), &Options{Resources: true})
	s.Settled(t.Context())
	b := s.subscriptions
	who := func(i int) listener {
		return listener{session: server.NewInProcessSession(fmt.Sprint("client ", i), nil), of: s}
	}
	var greedy []string
	for i := range maxSubscriptions {
		greedy = append(greedy, fmt.Sprintf("codemode://one/a%d", i))
	}
	for i := range maxAllSubscriptions / maxSubscriptions {
		b.mu.Lock() // what add does, without telling the server each time
		b.kept[who(i).session], b.all[s] = maxSubscriptions, b.all[s]+maxSubscriptions
		b.mu.Unlock()
	}
	if err := b.refusal(t.Context(), who(-1), "codemode://one/z"); err == nil || !strings.Contains(err.Error(), "all clients together hear of at most 20000 resources") {
		t.Error(err)
	}
	if b.add(t.Context(), who(-1), "codemode://one/z"); len(b.to) != 0 {
		t.Error("one too many was taken")
	}
	clear(b.all)
	clear(b.kept)
	b.add(t.Context(), who(0), greedy...)
	modest := who(1)
	b.add(t.Context(), modest, "codemode://one/z")
	if b.all[s] != maxSubscriptions+1 {
		t.Errorf("%d are counted", b.all[s])
	}
	uris, all := inTurn(map[string][]string{"0": greedy, "1": {"z", "a0"}}, maxFollowed)
	if all || len(uris) != maxFollowed || !slices.Contains(uris, "z") {
		t.Errorf("all: %v, %d, the modest client's is among them: %v", all, len(uris), slices.Contains(uris, "z"))
	}
	b.left(modest.session)
	if b.all[s] != maxSubscriptions {
		t.Errorf("%d are counted after one left", b.all[s])
	}
}

// listenerOf is the only client that is told of anything.
func listenerOf(t *testing.T, b *subscriptions) listener {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, listeners := range b.to {
		return listeners[0]
	}
	t.Fatal("there is none")
	return listener{}
}

// A run keeps to the functions that read as they were when it began: the rules that hold for its reads hold on when a server
// takes the name of one for a tool.
func TestAToolOfTheNameOfARead(t *testing.T) {
	var s *Server
	options := &Options{Resources: true, Policy: config.Policy{Rules: []codetool.Rule{
		{Action: codetool.Deny, Servers: []string{"one"}, Tools: []string{"readResource"}, Reason: "it is secret"},
	}}}
	options.Tool.Authorize = func(ctx context.Context, call codetool.Call) error {
		for call.Tool == "echo" && !strings.Contains(s.Description(), "readResource_2") {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			time.Sleep(5 * time.Millisecond)
		}
		return nil
	}
	s = serve(t, FromConfig(configure(t, map[string]fake.Script{"one": offering(), "codemode": {Tools: fake.Tools("echo", "add")}}, []string{"one", "codemode"}, nil)), options)
	s.Settled(t.Context())
	c := connect(t, s)
	read := `codemode.%s({ server: "one", uri: "note://a" })`
	got := c.code(`async () => { await codemode.add({ name: "readResource", times: 1 }); await codemode.echo({}); return ` + fmt.Sprintf(read, "readResource") + ` }`).text()
	if !strings.Contains(got, "it is secret") {
		t.Errorf("the run that went on: %s", got)
	}
	if got := c.code(`async () => ` + fmt.Sprintf(read, "readResource_2")).text(); !strings.Contains(got, "it is secret") {
		t.Errorf("the next one: %s", got)
	}
}

// TestNothingIsOfferedUnlessAsked covers the default: no functions, no resources but the pages of results, and no prompts,
// with an answer to clients that ask all the same.
func TestNothingIsOfferedUnlessAsked(t *testing.T) {
	s := serve(t, FromConfig(configure(t, map[string]fake.Script{"one": offering()}, []string{"one"}, nil)), nil)
	s.Settled(t.Context())
	c := bare(t, s)
	m := c.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	if got := string(field(t, m, "capabilities")); !strings.Contains(got, `"resources":{}`) || strings.Contains(got, "prompts") || strings.Contains(got, "completions") {
		t.Error(got)
	}
	if m := c.request("resources/list", `{}`); string(m.Result) != `{"resources":[]}` {
		t.Errorf("resources/list: %s %s", m.Result, m.Error)
	}
	if m := c.request("prompts/list", `{}`); !strings.Contains(string(m.Error), "-32601") {
		t.Errorf("prompts/list: %s %s", m.Result, m.Error)
	}
	if d := c.tool().Description; strings.Contains(d, "readResource") {
		t.Error(d)
	}
}
