package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	mcpclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/fake"
)

// twoViews are of the servers of viewed: the whole of alpha, and one tool of beta with one of shop.
var twoViews = []config.View{
	{Name: "first", Token: "token of first", Servers: []string{"alpha"}},
	{Name: "second", Token: "token of second", Tools: []string{"beta.echo", "shop.getOrder"}},
}

// viewed has the servers alpha and beta, with resources and prompts, an API that must not be reached, and one that is broken.
func viewed(t *testing.T) *config.Config {
	t.Helper()
	cfg := configure(t, map[string]fake.Script{"alpha": offering("echo", "alphaOnly"), "beta": offering("echo", "betaOnly")}, []string{"alpha", "beta"}, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/orders/1" {
			t.Errorf("%s %s reached the API", r.Method, r.URL)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id": 1, "item": "bolt"}`)
	}))
	t.Cleanup(web.Close)
	file := filepath.Join(t.TempDir(), "shop.json")
	if err := os.WriteFile(file, []byte(shopDocument), 0o600); err != nil {
		t.Fatal(err)
	}
	shop, err := config.Parse(filepath.Join(t.TempDir(), "mcp.json"), fmt.Appendf(nil, `{"mcpServers": {"shop": {"openapi": %q, "url": %q}, "wreck": {"url": 3}}}`, file, web.URL), nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Servers, cfg.Problems = append(cfg.Servers, shop.Servers...), shop.Problems
	return cfg
}

// serveViews serves the views over HTTP with the main token "token of all".
func serveViews(t *testing.T, cfg *config.Config, views []config.View) (s *Server, url string) {
	t.Helper()
	s = serve(t, FromConfig(cfg), &Options{Problems: cfg.Problems, Resources: true, Prompts: true, Views: views})
	published(t, s)
	return s, listen(t, s, &HTTPOptions{Token: "token of all", Metrics: http.NotFoundHandler()})
}

// webClient is a client of one token, which also counts what it is told about lists.
type webClient struct {
	*mcpclient.Client
	t    *testing.T
	told atomic.Int64
}

func dial(t *testing.T, url, token string) *webClient {
	t.Helper()
	//lint:ignore SA1019 clients of the revisions before 2026-07-28 listen so
	remote, err := transport.NewStreamableHTTP(url, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token}), transport.WithContinuousListening())
	if err != nil {
		t.Fatal(err)
	}
	c := &webClient{Client: mcpclient.NewClient(remote), t: t}
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == mcp.MethodNotificationToolsListChanged {
			c.told.Add(1)
		}
	})
	t.Cleanup(func() { c.Close() })
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Initialize(t.Context(), mcp.InitializeRequest{}); err != nil {
		t.Fatal(err)
	}
	return c
}

// run is the answer to a program, or to what it threw.
func (c *webClient) run(program string) string {
	c.t.Helper()
	result, err := c.CallTool(c.t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "code", Arguments: map[string]any{"code": program}}})
	if err != nil {
		c.t.Fatal(err)
	}
	result.Meta = nil // how long it took
	text, err := json.Marshal(result)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

// lists are everything that a client can list, as text.
func (c *webClient) lists() string {
	c.t.Helper()
	ctx := c.t.Context()
	tools, err1 := c.ListTools(ctx, mcp.ListToolsRequest{})
	resources, err2 := c.ListResources(ctx, mcp.ListResourcesRequest{})
	templates, err3 := c.ListResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{})
	prompts, err4 := c.ListPrompts(ctx, mcp.ListPromptsRequest{})
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			c.t.Fatal(err)
		}
	}
	text, err := json.Marshal([]any{tools, resources, templates, prompts})
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

func TestViewsListWhatIsTheirs(t *testing.T) {
	_, url := serveViews(t, viewed(t), twoViews)
	has := func(token string, want, not []string) {
		t.Helper()
		c := dial(t, url, token)
		everything := c.lists() + c.run(`async () => [await codemode.resources({}), await codemode.prompts({}), Object.keys(globalThis)]`)
		for _, one := range want {
			if !strings.Contains(everything, one) {
				t.Errorf("%s: %q is missing in %s", token, one, everything)
			}
		}
		for _, one := range not {
			if strings.Contains(everything, one) {
				t.Errorf("%s: %q is in %s", token, one, everything)
			}
		}
	}
	has("token of all", []string{"alphaOnly", "betaOnly", "deleteOrder", "wreck", "codemode://alpha/", "codemode://beta/", "alpha.sum.up", "beta.sum.up"}, nil)
	has("token of first", []string{"alphaOnly", "codemode://alpha/", "alpha.sum.up"}, []string{"beta", "shop", "wreck", "deleteOrder"})
	has("token of second", []string{"beta", "echo", "shop", "getOrder"}, []string{"alpha", "wreck", "betaOnly", "deleteOrder", "createOrder", "Orders of a shop", "codemode://beta", "codemode://alpha", "note://", "sum.up"})
	second := dial(t, url, "token of second")
	if got := second.run(`async () => [(await beta.echo({a: 7})).a, (await shop.getOrder({id: 1})).item]`); !strings.Contains(got, `bolt`) || strings.Contains(got, `"isError":true`) {
		t.Error(got)
	}
}

// hiddenServers and hiddenTools reach for what NAME names in every way that a program has.
var hiddenServers = []string{
	`async () => await NAME.echo({a: 1})`,
	`async () => await NAME["echo"]({a: 1})`,
	`async () => { try { return await NAME.echo({}) } catch (e) { return [e.name, e.message, {...e}] } }`,
	`async () => [typeof NAME, typeof globalThis["NAME"]]`,
	`async () => await codemode.search("NAME")`,
	`async () => await codemode.describe("NAME.echo")`,
	`async () => await codemode.resources({server: "NAME"})`,
	`async () => await codemode.prompts({server: "NAME"})`,
	`async () => await codemode.readResource({server: "NAME", uri: "note://a"})`,
	`async () => await codemode.readResource({uri: "codemode://NAME/note://a"})`,
	`async () => await codemode.getPrompt({server: "NAME", name: "sum.up"})`,
}

var hiddenTools = []string{
	`async () => await NAME({id: 1, path: "/orders/1", method: "GET"})`,
	`async () => await NS["TOOL"]({id: 1, path: "/orders/1"})`,
	`async () => { const t = ["TOOL"]; return NS[t[0]]({id: 1}) }`,
	`async () => await Reflect.get(NS, "TOOL")({id: 1})`,
	`async () => { try { return await NS["TOOL"]({}) } catch (e) { return [e.name, e.message, {...e}] } }`,
	`async () => ["TOOL" in NS, Object.keys(NS), typeof NS["TOOL"]]`,
	`async () => await codemode.describe("NAME")`,
	`async () => await codemode.search("NAME")`,
}

// TestWhatAViewHasNotIsNotFound: each way to a name that is not in the view ends as for a name that nobody has.
func TestWhatAViewHasNotIsNotFound(t *testing.T) {
	_, url := serveViews(t, viewed(t), twoViews)
	first, second, all := dial(t, url, "token of first"), dial(t, url, "token of second"), dial(t, url, "token of all")
	for _, tt := range []struct {
		c               *webClient
		programs        []string
		hidden, unknown string
	}{
		{first, hiddenServers, "beta", "qxzk"},
		{first, hiddenServers, "shop", "qxzk"},
		{first, hiddenServers, "wreck", "qxzkw"},
		{second, hiddenServers, "alpha", "qxzkw"},
		{second, hiddenTools, "beta.touch", "beta.qxzkw"},
		{second, hiddenTools, "beta.subscribed", "beta.qxzkwqxzkw"},
		{second, hiddenTools, "shop.label", "shop.qxzkw"},
		{second, hiddenTools, "shop.request", "shop.qxzkwqx"},
	} {
		for _, program := range tt.programs {
			got, want := withoutName(tt.c.run(naming(program, tt.hidden)), tt.hidden), withoutName(tt.c.run(naming(program, tt.unknown)), tt.unknown)
			if got != want {
				t.Errorf("%s\n got %s\nwant %s", naming(program, tt.hidden), got, want)
			}
		}
		if got := all.run(`async () => typeof ` + tt.hidden); tt.hidden != "wreck" && strings.Contains(got, `undefined`) {
			t.Errorf("%s is not there for anybody: %s", tt.hidden, got)
		}
	}
	for _, server := range []string{"alpha", "beta"} { // whose reading is not in the second view
		for name, get := range map[string]func(c *webClient, server string) error{
			"resources/read": func(c *webClient, server string) error {
				_, err := c.ReadResource(t.Context(), mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: "codemode://" + server + "/note://a"}})
				return err
			},
			"resources/subscribe": func(c *webClient, server string) error {
				//lint:ignore SA1019 clients of the older revisions subscribe
				return c.Subscribe(t.Context(), mcp.SubscribeRequest{Params: mcp.SubscribeParams{URI: "codemode://" + server + "/note://a"}})
			},
			"prompts/get": func(c *webClient, server string) error {
				_, err := c.GetPrompt(t.Context(), mcp.GetPromptRequest{Params: mcp.GetPromptParams{Name: server + ".sum.up", Arguments: map[string]string{"what": "x"}}})
				return err
			},
			"completion/complete": func(c *webClient, server string) error {
				_, err := c.Complete(t.Context(), mcp.CompleteRequest{Params: mcp.CompleteParams{Ref: mcp.PromptReference{Type: "ref/prompt", Name: server + ".sum.up"}, Argument: mcp.CompleteArgument{Name: "what", Value: "x"}}})
				return err
			},
		} {
			hidden, unknown := get(second, server), get(second, "qxzkw")
			if hidden == nil || unknown == nil || strings.ReplaceAll(hidden.Error(), server, "qxzkw") != unknown.Error() {
				t.Errorf("%s of %s: %v, of an unknown server: %v", name, server, hidden, unknown)
			}
			if err := get(all, server); err != nil {
				t.Errorf("%s of %s for the main token: %v", name, server, err)
			}
		}
	}
}

// TestAViewOfToolsTellsOfTheirServersAlone: of servers that a view neither names nor has a tool of, not even that one is down.
func TestAViewOfToolsTellsOfTheirServersAlone(t *testing.T) {
	cfg := configure(t, map[string]fake.Script{"down": {ExitAtStart: true, Stderr: "last words"}}, []string{"down"}, nil)
	rest := viewed(t)
	cfg.Servers, cfg.Problems = append(cfg.Servers, rest.Servers...), rest.Problems
	_, url := serveViews(t, cfg, []config.View{{Name: "third", Token: "token of third", Tools: []string{"alpha[O]nly"}}})
	third, all := dial(t, url, "token of third"), dial(t, url, "token of all")
	if lists := third.lists(); !strings.Contains(lists, "alphaOnly") {
		t.Error(lists)
	}
	for _, hidden := range []string{"beta", "shop", "wreck", "down", "last words"} {
		if lists := all.lists(); !strings.Contains(lists, hidden) {
			t.Errorf("%s is not there for anybody: %s", hidden, lists)
		}
		if lists := third.lists(); strings.Contains(lists, hidden) {
			t.Errorf("%s is in %s", hidden, lists)
		}
	}
	for _, program := range hiddenServers {
		for hidden, unknown := range map[string]string{"beta": "qxzk", "shop": "qxzk", "wreck": "qxzkw", "down": "qxzk"} {
			got, want := withoutName(third.run(naming(program, hidden)), hidden), withoutName(third.run(naming(program, unknown)), unknown)
			if got != want {
				t.Errorf("%s\n got %s\nwant %s", naming(program, hidden), got, want)
			}
		}
	}
}

// TestAViewDoesNotLearnWhoHasItsServersNamespace: two servers want one namespace, and the view has the one that does not get it.
func TestAViewDoesNotLearnWhoHasItsServersNamespace(t *testing.T) {
	cfg := configure(t, map[string]fake.Script{"alpha": offering("echo")}, []string{"alpha"}, nil)
	both, err := config.Parse("mcp.json", []byte(`{"mcpServers": {"zebra": {"command": "x", "namespace": "stripes"}, "mine": {"command": "y", "namespace": "stripes"}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Problems = both.Problems
	_, url := serveViews(t, cfg, []config.View{
		{Name: "one", Token: "token of one", Servers: []string{"mine"}}, {Name: "both", Token: "token of both", Servers: []string{"mine", "zebra"}},
	})
	for token, want := range map[string]string{
		"token of one": "stripes in programs, and so is another server; rename", "token of both": `and so is server \"zebra\"; rename`, "token of all": `and so is server \"zebra\"; rename`,
	} {
		client := dial(t, url, token)
		lists, failed := client.lists(), client.run(`async () => mine.x()`)
		if !strings.Contains(lists, want) || strings.Contains(lists+failed, "zebra") != (token != "token of one") {
			t.Errorf("%s: %s\n%s", token, lists, failed)
		}
	}
}

// naming is a program about SERVER or SERVER.TOOL.
func naming(program, name string) string {
	server, tool, _ := strings.Cut(name, ".")
	return strings.NewReplacer("NAME", name, "NS", server, "TOOL", tool).Replace(program)
}

// withoutName has a text without a name's parts, for texts that have it in pieces.
func withoutName(text, name string) string {
	for part := range strings.SplitSeq(name, ".") {
		text = strings.ReplaceAll(text, part, "…")
	}
	return text
}

// TestViewsOfTokens: a token counts for its view alone, and no session or metric of another's is there.
func TestViewsOfTokens(t *testing.T) {
	s, url := serveViews(t, viewed(t), twoViews)
	open := listen(t, s, &HTTPOptions{Metrics: http.NotFoundHandler()})
	session := dial(t, url, "token of first").GetSessionId()
	metrics := func(url string) string { return strings.TrimSuffix(url, "/mcp") + "/metrics" }
	for _, tt := range []struct {
		method, url, token, session string
		want                        int
	}{
		{"POST", url, "token of first", session, 200},
		{"POST", url, "token of second", session, 404},
		{"POST", url, "token of all", session, 404},
		{"POST", url, "token of nobody", session, 401},
		{"POST", url, "token of nobody", "", 401},
		{"POST", url, "", session, 401},
		{"POST", open, "", "", 200},
		{"POST", open, "token of nobody", "", 401},
		{"GET", metrics(url), "token of all", "", 404}, // which its handler answers
		{"GET", metrics(url), "token of first", "", 401},
		{"GET", metrics(open), "token of first", "", 401},
		{"GET", metrics(open), "", "", 404},
	} {
		if got := status(t, tt.method, tt.url, tt.token, tt.session); got != tt.want {
			t.Errorf("%s %s with %q in session %q: %d, want %d", tt.method, tt.url, tt.token, tt.session, got, tt.want)
		}
	}
	if err := s.ListenHTTP(t.Context(), "0.0.0.0:0", nil, nil); err == nil {
		t.Error("views alone opened an address to others")
	}
}

// status asks for the tools in a session, or for one.
func status(t *testing.T, method, url, token, session string) int {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	if session == "" {
		body = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	}
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if session != "" {
		request.Header.Set("Mcp-Session-Id", session)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	return response.StatusCode
}

// TestReloadChangesViews: a view that is gone is nobody's, its runs end, the others hear only of their own changes.
func TestReloadChangesViews(t *testing.T) {
	cfg := viewed(t)
	s, url := serveViews(t, cfg, twoViews)
	first, second, all := dial(t, url, "token of first"), dial(t, url, "token of second"), dial(t, url, "token of all")
	for _, c := range []*webClient{first, second, all} {
		c.lists()
	}
	going := make(chan error, 1)
	go func() {
		_, err := second.CallTool(context.WithoutCancel(t.Context()), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "code", Arguments: map[string]any{"code": `async () => { await beta.echo({}); for (;;) await new Promise(r => setTimeout(r, 10)) }`}}})
		going <- err
	}()
	wider := twoViews[0]
	wider.Servers = append(slices.Clone(wider.Servers), "shop")
	reload := func(views ...config.View) {
		t.Helper()
		if err := s.Reload(t.Context(), FromConfig(cfg), &Options{Problems: cfg.Problems, Resources: true, Prompts: true, Views: views}); err != nil {
			t.Fatal(err)
		}
	}
	reload(wider, twoViews[1])
	eventually(t, "the view that is wider is told", func() bool { return first.told.Load() == 1 })
	if got := first.run(`async () => (await shop.getOrder({id: 1})).item`); !strings.Contains(got, "bolt") {
		t.Error(got)
	}
	if second.told.Load() != 0 || all.told.Load() != 0 {
		t.Errorf("told of another view's change: %d, %d", second.told.Load(), all.told.Load())
	}
	session := second.GetSessionId()
	other := config.View{Name: "third", Token: "token of third", Servers: []string{"beta"}}
	reload(wider, other)
	<-going // whether or not its end still had an answer
	if got := status(t, "POST", url, "token of second", session); got != 401 {
		t.Errorf("a view that is gone: %d", got)
	}
	if got := dial(t, url, "token of third").lists(); !strings.Contains(got, "betaOnly") || strings.Contains(got, "alpha") {
		t.Error(got)
	}
	if got := first.run(`async () => typeof beta`); !strings.Contains(got, "undefined") {
		t.Error(got)
	}
	reload()
	if got := status(t, "POST", url, "token of first", ""); got != 401 {
		t.Errorf("the last view is gone: %d", got)
	}
	open := listen(t, s, nil)
	if got := status(t, "POST", open, "token of first", ""); got != 401 {
		t.Errorf("where no token is asked for, that of a view which is gone: %d", got)
	}
}
