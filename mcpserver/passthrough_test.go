package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
		{"resources/read", `{"uri":"codemode://one/note://broken"}`, `{"code":-32603,"message":"MCP error -32603: the disk is gone"}`},
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
