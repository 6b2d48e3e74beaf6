package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/fake"
	"github.com/codemode-go/codemode/mcpserver/internal/issuer"
	"github.com/codemode-go/codemode/mcpserver/login"
	"github.com/codemode-go/codemode/protocol"
)

// protect serves s to who has an access token of as for the address.
func protect(t *testing.T, s *Server, as *issuer.Server, options *HTTPOptions) (url string) {
	t.Helper()
	web := httptest.NewUnstartedServer(nil)
	url = "http://" + web.Listener.Addr().String() + "/mcp"
	as.Audience = url
	if options.OAuth == nil {
		options.OAuth = &config.ResourceServer{}
	}
	options.OAuth.Resource, options.OAuth.Issuers = url, []config.Issuer{{URL: as.URL}}
	handler, end := s.Handler(options)
	web.Config.Handler = handler
	web.Start()
	t.Cleanup(func() {
		end(context.Background())
		web.CloseClientConnections()
		web.Close()
	})
	return url
}

// ask sends a request, with a body to a POST, and returns the answer and its text.
func ask(t *testing.T, method, url, token, body string, header ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

const greeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

func TestAccessTokens(t *testing.T) {
	as := issuer.New(t)
	s := serve(t, nil, nil)
	url := protect(t, s, as, &HTTPOptions{Token: "static", OAuth: &config.ResourceServer{Scopes: []string{"mcp", "mcp:run"}}, Metrics: http.NotFoundHandler()})
	host := strings.TrimSuffix(url, "/mcp")
	about := ` resource_metadata="` + host + `/.well-known/oauth-protected-resource/mcp", scope="mcp mcp:run"`
	scoped := func(claims map[string]any) string {
		claims["scope"] = "mcp mcp:run"
		return as.Token(claims)
	}
	for name, tt := range map[string]struct {
		token  string
		status int
		says   string // WWW-Authenticate
	}{
		"access token":     {scoped(map[string]any{}), 200, ""},
		"static token":     {"static", 200, ""},
		"nothing":          {"", 401, "Bearer" + about},
		"opaque":           {"abc", 401, `Bearer error="invalid_token", error_description="the access token is no JWT that is signed with RS256, ES256 or EdDSA",` + about},
		"expired":          {scoped(map[string]any{"exp": 1}), 401, `Bearer error="invalid_token", error_description="the access token expired",` + about},
		"another audience": {scoped(map[string]any{"aud": host + "/other"}), 401, `Bearer error="invalid_token", error_description="the access token is for another audience",` + about},
		"a missing scope":  {as.Token(map[string]any{"scope": "mcp"}), 403, `Bearer error="insufficient_scope", error_description="the access token lacks the scope mcp:run",` + about},
	} {
		response, text := ask(t, "POST", url, tt.token, greeting)
		if response.StatusCode != tt.status || response.Header.Get("WWW-Authenticate") != tt.says {
			t.Errorf("%s: %d %q %s", name, response.StatusCode, response.Header.Get("WWW-Authenticate"), text)
		}
	}
	if response, _ := ask(t, "GET", host+"/metrics", "", ""); response.StatusCode != 401 {
		t.Errorf("metrics without a token: %d", response.StatusCode)
	}
	if response, _ := ask(t, "GET", host+"/metrics", scoped(map[string]any{}), ""); response.StatusCode != 404 { // of their handler
		t.Errorf("metrics with an access token: %d", response.StatusCode)
	}
}

func TestMetadataOfTheResource(t *testing.T) {
	as := issuer.New(t)
	url := protect(t, serve(t, nil, nil), as, &HTTPOptions{OAuth: &config.ResourceServer{Scopes: []string{"mcp"}}})
	host := strings.TrimSuffix(url, "/mcp")
	for path, want := range map[string]int{"": 200, "/": 200, "/mcp": 200, "/mcp/": 200, "/other": 404, "/mcp/more": 404} {
		response, text := ask(t, "GET", host+aboutUs+path, "", "")
		if response.StatusCode != want {
			t.Errorf("%q: %d %s", path, response.StatusCode, text)
		}
		var document struct {
			Resource string   `json:"resource"`
			Servers  []string `json:"authorization_servers"`
			Scopes   []string `json:"scopes_supported"`
			Methods  []string `json:"bearer_methods_supported"`
		}
		if want == 200 && (json.Unmarshal([]byte(text), &document) != nil || document.Resource != url || len(document.Servers) != 1 || document.Servers[0] != as.URL ||
			len(document.Scopes) != 1 || document.Scopes[0] != "mcp" || len(document.Methods) != 1 || document.Methods[0] != "header") {
			t.Errorf("%q: %s", path, text)
		}
	}
	if response, _ := ask(t, "GET", host+aboutUs, "", "", "Origin", "https://evil.example"); response.StatusCode != 403 {
		t.Errorf("for another origin's page: %d", response.StatusCode)
	}
	if response, _ := ask(t, "POST", host+aboutUs, "", "{}"); response.StatusCode != 405 {
		t.Errorf("POST: %d", response.StatusCode)
	}
	open := listen(t, serve(t, nil, nil), nil)
	if response, _ := ask(t, "GET", strings.TrimSuffix(open, "/mcp")+aboutUs, "", ""); response.StatusCode != 404 {
		t.Errorf("without OAuth: %d", response.StatusCode)
	}
}

// TestIssuerIsDown: that is no reason to log in again.
func TestIssuerIsDown(t *testing.T) {
	as := issuer.New(t)
	as.ServeKeys(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	url := protect(t, serve(t, nil, nil), as, &HTTPOptions{Token: "static"})
	response, _ := ask(t, "POST", url, as.Token(nil), greeting)
	if response.StatusCode != 503 || response.Header.Get("Retry-After") == "" || response.Header.Get("WWW-Authenticate") != "" {
		t.Errorf("%d %v", response.StatusCode, response.Header)
	}
	if response, _ := ask(t, "POST", url, "static", greeting); response.StatusCode != 200 {
		t.Errorf("the static token: %d", response.StatusCode)
	}
}

// TestASessionIsItsSubjects: another person with the id of a session finds none, whatever the method.
func TestASessionIsItsSubjects(t *testing.T) {
	as := issuer.New(t)
	url := protect(t, serve(t, nil, nil), as, &HTTPOptions{Token: "static"})
	alice, bob := as.Token(nil), as.Token(map[string]any{"sub": "bob"})
	response, _ := ask(t, "POST", url, alice, greeting)
	session := response.Header.Get("Mcp-Session-Id")
	if session == "" {
		t.Fatal("no session")
	}
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	for name, token := range map[string]string{"another subject": bob, "the static token": "static"} {
		for _, method := range []string{"POST", "GET", "DELETE"} {
			if response, text := ask(t, method, url, token, list, "Mcp-Session-Id", session); response.StatusCode != 404 {
				t.Errorf("%s, %s: %d %s", name, method, response.StatusCode, text)
			}
		}
		if response, text := ask(t, "GET", url, token, "", "Mcp-Session-Id", session, "Last-Event-ID", "1"); response.StatusCode != 404 {
			t.Errorf("%s, resuming: %d %s", name, response.StatusCode, text)
		}
		if response, text := ask(t, "POST", url, token, `{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`, "Mcp-Session-Id", session); response.StatusCode != 404 {
			t.Errorf("%s, answering for it: %d %s", name, response.StatusCode, text)
		}
	}
	renewed := as.Token(map[string]any{"jti": "another"})
	if response, text := ask(t, "POST", url, renewed, list, "Mcp-Session-Id", session); response.StatusCode != 200 {
		t.Errorf("the same subject with another token: %d %s", response.StatusCode, text)
	}
	if response, _ := ask(t, "DELETE", url, renewed, "", "Mcp-Session-Id", session); response.StatusCode != 200 {
		t.Errorf("ended by its subject: %d", response.StatusCode)
	}
	if response, _ := ask(t, "POST", url, alice, list, "Mcp-Session-Id", session); response.StatusCode != 404 {
		t.Errorf("after its end: %d", response.StatusCode)
	}
}

// TestAParkedRunIsItsSubjects: a run that waits for its client's answer is found by nobody else who learned its handle.
func TestAParkedRunIsItsSubjects(t *testing.T) {
	p := &parking{runs: map[string]*parked{}}
	handle, ok := p.park(&parked{owner: "alice", end: func() {}})
	if !ok {
		t.Fatal("not parked")
	}
	if _, ok := p.take(handle, "bob"); ok {
		t.Error("another subject took it")
	}
	if _, ok := p.take(handle, "alice"); !ok {
		t.Error("its subject did not find it")
	}
}

// TestAStreamEndsWithItsToken: what is listened to would go on otherwise, in both eras.
func TestAStreamEndsWithItsToken(t *testing.T) {
	as := issuer.New(t)
	url := protect(t, serve(t, nil, nil), as, &HTTPOptions{})
	response, _ := ask(t, "POST", url, as.Token(nil), greeting)
	// It has run out but for the half minute by which clocks may differ. ask reads to the stream's end.
	short := func() string { return as.Token(map[string]any{"exp": time.Now().Add(-27 * time.Second).Unix()}) }
	if response, text := ask(t, "GET", url, short(), "", "Mcp-Session-Id", response.Header.Get("Mcp-Session-Id")); response.StatusCode != 200 {
		t.Errorf("%d %s", response.StatusCode, text)
	}
	const listen = `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + modernMeta + `}}`
	response, text := ask(t, "POST", url, short(), listen, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen")
	if response.StatusCode != 200 || !strings.Contains(text, "subscriptions/acknowledged") {
		t.Errorf("%d %s", response.StatusCode, text)
	}
}

// TestTheResourceIsAKnownName: a proxy on this machine, which has the resource's name, is let through.
func TestTheResourceIsAKnownName(t *testing.T) {
	as := issuer.New(t)
	o := &HTTPOptions{OAuth: &config.ResourceServer{Resource: "https://mcp.example:8443/mcp", Issuers: []config.Issuer{{URL: as.URL}}}}
	url := listen(t, serve(t, nil, nil), o)
	as.Audience = o.OAuth.Resource
	for host, want := range map[string]int{"mcp.example": 200, "mcp.example:8443": 200, "other.example": 403} {
		request, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(greeting))
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		request.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + as.Token(nil)}}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %d", host, response.StatusCode)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// TestViewsOfClaims: who has which view is what the access token says, and the audit file says who it was.
func TestViewsOfClaims(t *testing.T) {
	as := issuer.New(t)
	cfg := configure(t, map[string]fake.Script{"alpha": {Tools: fake.Tools("echo")}, "beta": {Tools: fake.Tools("echo")}}, []string{"alpha", "beta"}, nil)
	audit := config.Audit{File: filepath.Join(t.TempDir(), "runs.jsonl"), MaxBytes: 1 << 20, Keep: 1}
	views := []config.View{
		{Name: "by token", Token: "token of first", Servers: []string{"alpha"}},
		{Name: "engineers", Claims: map[string]string{"groups": "eng", "scope": "mcp"}, Servers: []string{"alpha"}},
		{Name: "all", Claims: map[string]string{"role": "admin"}},
	}
	s := serve(t, FromConfig(cfg), &Options{Views: views, Audit: audit})
	s.Settled(t.Context())
	url := protect(t, s, as, &HTTPOptions{Token: "static"})
	const program = `async () => [typeof alpha, typeof beta]`
	for _, tt := range []struct{ name, token, want, view, subject string }{
		{"in a group", as.Token(map[string]any{"groups": []string{"x", "eng"}, "scope": "mcp"}), `object\",\n  \"undefined`, "engineers", "alice"},
		{"two fit", as.Token(map[string]any{"groups": "eng", "scope": "mcp", "role": "admin"}), `object\",\n  \"undefined`, "engineers", "alice"},
		{"a role", as.Token(map[string]any{"role": "admin", "sub": "root"}), `object\",\n  \"object`, "all", "root"},
		{"a view's token", "token of first", `object\",\n  \"undefined`, "by token", ""},
		{"the static token", "static", `object\",\n  \"object`, "", ""},
	} {
		if got := dial(t, url, tt.token).run(program); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s", tt.name, got)
		}
		run := lastRun(t, audit.File)
		issuer := as.URL
		if tt.subject == "" {
			issuer = ""
		}
		if run.View != tt.view || run.Subject != tt.subject || run.Issuer != issuer {
			t.Errorf("%s: %+v", tt.name, run)
		}
	}
	for name, claims := range map[string]map[string]any{"one of two claims": {"groups": "eng"}, "no claim": {}, "another value": {"role": "user"}} {
		if response, text := ask(t, "POST", url, as.Token(claims), greeting); response.StatusCode != 403 || response.Header.Get("WWW-Authenticate") != "" {
			t.Errorf("%s: %d %v %s", name, response.StatusCode, response.Header, text)
		}
	}
	if err := s.Reload(t.Context(), FromConfig(cfg), &Options{}); err != nil {
		t.Fatal(err)
	}
	if response, _ := ask(t, "POST", url, as.Token(map[string]any{"role": "admin"}), greeting); response.StatusCode != 403 {
		t.Errorf("the views are gone: %d", response.StatusCode)
	}
}

// lastRun is the newest of an audit file.
func lastRun(t *testing.T, file string) (run AuditRun) {
	t.Helper()
	opened, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	for lines := bufio.NewScanner(opened); lines.Scan(); {
		run = AuditRun{}
		if err := json.Unmarshal(lines.Bytes(), &run); err != nil {
			t.Fatal(err)
		}
	}
	return run
}

// TestLoginThroughOurOwnClient: codemode before codemode, with a login as `codemode auth` makes it.
func TestLoginThroughOurOwnClient(t *testing.T) {
	as := issuer.New(t)
	url := protect(t, serve(t, nil, nil), as, &HTTPOptions{OAuth: &config.ResourceServer{Scopes: []string{"mcp"}}})
	cfg, err := config.Parse(filepath.Join(t.TempDir(), "mcp.json"), fmt.Appendf(nil, `{"mcpServers": {"inner": {"url": %q}}}`, url), nil)
	if err != nil {
		t.Fatal(err)
	}
	logins := login.NewStore(t.TempDir(), nil)
	if err := logins.Login(t.Context(), &cfg.Servers[0], func(address string) {
		go func() { // a person with a browser
			response, err := http.Get(address)
			if err != nil {
				t.Error(err)
				return
			}
			response.Body.Close()
		}()
	}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		options             *Options
		state, reason, want string
	}{
		{&Options{Logins: logins}, "ready", "", "42"},
		{&Options{}, "failed", "it needs a login", `"code" not found`},
	} {
		outer, err := New(pool, FromConfig(cfg), tt.options)
		if err != nil {
			t.Fatal(err)
		}
		outer.Settled(t.Context())
		if status := outer.Servers()[0]; status.State != tt.state || !strings.Contains(status.Reason, tt.reason) {
			t.Errorf("%+v", status)
		}
		outcome, err := outer.Call(t.Context(), `async () => inner.code({code: "async () => 6 * 7"})`)
		if got := fmt.Sprintf("%s %+v %v", outcome.Value, outcome.Failure, err); !strings.Contains(got, tt.want) {
			t.Error(got)
		}
		outer.Close()
	}
	http.DefaultClient.CloseIdleConnections()
}

// TestListeningForOthersNeedsTokens: OAuth is as good as a token to listen where others can reach.
func TestListeningForOthersNeedsTokens(t *testing.T) {
	s := serve(t, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	as := issuer.New(t)
	o := &HTTPOptions{OAuth: &config.ResourceServer{Resource: "https://mcp.example/mcp", Issuers: []config.Issuer{{URL: as.URL}}}}
	if err := s.ListenHTTP(ctx, "0.0.0.0:0", o, func(string) { cancel() }); err != nil {
		t.Error(err)
	}
	if err := s.ListenHTTP(t.Context(), "0.0.0.0:0", nil, nil); err == nil {
		t.Error("no error without either")
	}
}

func TestIssuersAreChecked(t *testing.T) {
	as := issuer.New(t)
	list := CheckIssuers(t.Context(), &config.ResourceServer{Issuers: []config.Issuer{{URL: as.URL}, {URL: "http://127.0.0.1:1"}}})
	if len(list) != 2 || list[0].Keys != 1 || list[0].Reason != "" || list[1].Keys != 0 || list[1].Reason == "" {
		t.Errorf("%+v", list)
	}
}

// turns is an executor that notes for whom it was asked, and runs nothing.
type turns struct{ of chan string }

func (e turns) Execute(ctx context.Context, _ *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	e.of <- protocol.SessionOf(ctx)
	return nil, errors.New("nothing runs here")
}

func (turns) Close() error { return nil }

// TestAPersonHasOneTurn: of several sessions of one person programs take turns with those of another as of one client.
func TestAPersonHasOneTurn(t *testing.T) {
	as := issuer.New(t)
	executor := turns{make(chan string, 3)}
	s, err := New(executor, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	url := protect(t, s, as, &HTTPOptions{})
	var got []string
	for _, subject := range []string{"alice", "alice", "bob"} {
		dial(t, url, as.Token(map[string]any{"sub": subject})).run("async () => 1")
		got = append(got, <-executor.of)
	}
	if got[0] != got[1] || got[0] == got[2] || got[0] == "" {
		t.Errorf("%q", got)
	}
}
