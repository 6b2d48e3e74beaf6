package ui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/mcpserver"
)

// visitor is a browser without scripts.
type visitor struct {
	*testing.T
	page   *Page
	client *http.Client
}

// listen serves a store until the test ends, for a visitor who was let in.
func listen(t *testing.T, store *Store, options *Options) *visitor {
	t.Helper()
	page, err := Listen(t.Context(), "127.0.0.1:0", store, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { page.Close(); page.Close() })
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{t, page, &http.Client{Jar: jar}}
	if status, _ := v.get(strings.TrimPrefix(page.URL(), "http://"+page.host)); status != http.StatusOK {
		t.Fatalf("the address of the page gives %d", status)
	}
	return v
}

func (v *visitor) get(path string) (status int, body string) {
	v.Helper()
	response, err := v.client.Get("http://" + v.page.host + path)
	if err != nil {
		v.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		v.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// see wants a page with texts in it, and returns it.
func (v *visitor) see(path string, texts ...string) string {
	v.Helper()
	status, body := v.get(path)
	if status != http.StatusOK {
		v.Fatalf("%s: %d %s", path, status, body)
	}
	for _, text := range texts {
		if !strings.Contains(body, text) {
			v.Errorf("%s lacks %q:\n%s", path, text, body)
		}
	}
	return body
}

// aRun is a run with a call that went well, one that failed, and one that was refused.
func aRun(id string) mcpserver.AuditRun {
	return mcpserver.AuditRun{
		ID: id, Time: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), Client: "desk", Outcome: "failed", Kind: "thrown", Error: "Error: no luck (line 3:7)", Line: 3, Column: 7,
		Ms: 120, CPUMs: 3.5, PeakBytes: 5 << 20, CodeSHA256: strings.Repeat("ab", 32), CodeBytes: 70,
		Code: "async () => {\n  // Find luck\n  throw new Error('no luck')\n}", Result: `{"a":1}`, ResultBytes: 7, Logs: []string{"plain", "[warn] careful"},
		Calls: []mcpserver.AuditCall{
			{Server: "git", Tool: "log", Outcome: "ok", StartMs: 10, Ms: 30, Arguments: `{"n":3}`, ArgumentsBytes: 7, Result: `{"content":[{"type":"text","text":"{\"deep\":true}"}]}`, ResultBytes: 50},
			{Server: "git", Tool: "push", Outcome: "refused", Policy: "deny", Rule: 2, StartMs: 50, Ms: 1, Error: "not that"},
			{Server: "web", Tool: "get", Outcome: "ok", Policy: "ask", Rule: 1, StartMs: 60, Ms: 60, WaitMs: 40},
		},
	}
}

func TestRunPage(t *testing.T) {
	store := NewStore(nil)
	store.RunEnded(aRun("r1"))
	v := listen(t, store, nil)
	body := v.see("/runs/r1",
		"<h1>Find luck</h1>", "Error: no luck (line 3:7)", `<a href="#program">Line 3, column 7</a>`,
		`<span class="line failing">`, "120 ms", "5.2 MB", "3.5 ms", "50 B",
		"denied by rule 2", "asked for by rule 1, and allowed by a person after 40 ms", "allowed by default", "not that",
		`<rect class="span" x="8.333%" y="5" width="25.000%"`, `<rect class="wait" x="50.000%" y="5" width="33.333%"`,
		"careful", `<span class="level">warn</span>`, "&#34;deep&#34;",
	)
	if strings.Contains(body, "style=") {
		t.Error("the page has a style that its policy forbids")
	}
	if status, _ := v.get("/runs/none"); status != http.StatusNotFound {
		t.Errorf("a run that is not there: %d", status)
	}
}

// Without payloads the page says so, and how to have them.
func TestRunPageWithoutTexts(t *testing.T) {
	store := NewStore(nil)
	run := aRun("r1")
	run.Code, run.Result, run.Logs, run.Calls[0].Arguments, run.Calls[0].Result = "", "", nil, "", ""
	store.RunEnded(run)
	v := listen(t, store, nil)
	v.see("/runs/r1", "program abababababab", "was not written down", `{"codemode": {"audit": {"payloads": true}}}`, "git.")
}

// A page of a run with many calls and large texts has bounds, and says what it lacks.
func TestRunPageIsBounded(t *testing.T) {
	run := aRun("r1")
	call := run.Calls[0]
	call.Arguments = strings.Repeat("a", maxPayload+1000)
	run.Calls = nil
	for range maxCalls + 20 {
		run.Calls = append(run.Calls, call)
	}
	run.MoreCalls = 7
	store := NewStore(nil)
	store.RunEnded(run)
	body := listen(t, store, nil).see("/runs/r1", "27 more calls not shown", `<span class="number">1.0</span> kB more)`, `<span class="number">9.2</span> kB more)`)
	if n := strings.Count(body, "aaaa"); n > maxPayloads/4 || strings.Count(body, "<li><details") != maxCalls {
		t.Errorf("%d characters of arguments", 4*n)
	}
}

func TestListFiltersAndPages(t *testing.T) {
	store := NewStore(nil)
	for i := range 60 {
		run := aRun(fmt.Sprintf("r%d", i))
		run.Code = fmt.Sprintf("// number n%dx\nf()", i)
		if i%2 == 0 {
			run.Outcome, run.Error = "ok", ""
		}
		store.RunEnded(run)
	}
	v := listen(t, store, nil)
	first := v.see("/", "number n59x", "1–50 of 60 runs", `href="/?page=2"`)
	if strings.Index(first, "number n59x") > strings.Index(first, "number n58x") {
		t.Error("the newest is not first")
	}
	v.see("/?page=2", "number n0x", "51–60 of 60 runs", `rel="prev" href="/?"`)
	v.see("/?q=NUMBER+n7x", "1–1 of 1 run<", "number n7x")
	v.see("/?q=git.push+n1&show=failed", "1–6 of 6 runs") // 1, 11, 13, 15, 17 and 19
	v.see("/?show=ok", "1–30 of 30 runs")
	v.see("/?q=nothing", "None of the 60 runs fits")
	v.see("/?page=nonsense", "1–50 of 60 runs")
	v.see("/?page=-4", "1–50 of 60 runs")
	v.see("/?page=99", "None of the 60 runs fits")
}

// Whatever programs and servers say is text.
func TestWhatIsSaidIsText(t *testing.T) {
	evil := "<script>alert(1)</script>\u202e\x00\x1b[31m\"'&"
	run := aRun("r1")
	run.ID, run.Client, run.Error, run.Code, run.Result, run.Outcome, run.CodeSHA256 = "a/b?"+evil, evil, evil, evil, evil, evil, evil
	run.Logs = []string{evil}
	run.Calls[0] = mcpserver.AuditCall{Server: evil, Tool: evil, Outcome: evil, Error: evil, Policy: evil, Arguments: evil, Result: evil, ArgumentsSHA256: evil}
	store := NewStore(nil)
	store.RunEnded(run)
	v := listen(t, store, &Options{Source: evil, Catalogue: func() Catalogue {
		return Catalogue{[]Server{{Name: evil, Namespace: evil, State: evil, Reason: evil, About: evil, Functions: []Function{{evil, evil, evil}}}}}
	}, Savings: func() (*Savings, error) {
		return &Savings{Raw: 1, Description: 2, Servers: []ServerTokens{{Name: evil}}, Counted: evil}, nil
	}})
	for _, path := range []string{"/", "/runs/" + url.PathEscape(run.ID), "/catalogue", "/catalogue?q=script", "/tokens"} {
		body := v.see(path, "&lt;script&gt;")
		for _, raw := range []string{"<script>", "\u202e", "\x00", "\x1b", `"'&"`} {
			if strings.Contains(body, raw) {
				t.Errorf("%s has %q as it is", path, raw)
			}
		}
	}
}

func TestCatalogue(t *testing.T) {
	all := Catalogue{[]Server{
		{Name: "Git Hub", Namespace: "git", State: "ready", About: "gh 1.2", Functions: []Function{{"git.log", "The history.", "declare const git: { log: () => void }"}, {"git.push", "Sends.", "declare const git: { push: () => void }"}}},
		{Name: "web", Namespace: "web", State: "failed", Reason: "no such command"},
	}}
	v := listen(t, NewStore(nil), &Options{Catalogue: func() Catalogue { return all }})
	v.see("/catalogue", "2 functions", "git.push", "gh 1.2", "no such command", `<span class="keyword">declare</span>`)
	body := v.see("/catalogue?q=HISTORY+log", "1 function of 2")
	if strings.Contains(body, "git.push") || strings.Contains(body, "no such command") {
		t.Error("what does not fit is there")
	}
	v.see("/catalogue?server=web", "0 functions", "no such command")
	listen(t, NewStore(nil), nil).see("/catalogue", "codemode ui --config FILE")
	all.Servers[0].Functions = slices.Repeat(all.Servers[0].Functions, maxDeclared)
	if body := v.see("/catalogue", "600 functions; the first 300 are shown, search for the others"); strings.Count(body, "<summary") != maxDeclared {
		t.Error("more are shown")
	}
}

func TestTokens(t *testing.T) {
	store := NewStore(nil)
	run := aRun("r1")
	run.Outcome = "ok"
	store.RunEnded(run)
	savings := &Savings{Raw: 4000, Description: 1000, Counted: "o200k", Servers: []ServerTokens{{"git", 12, 4000, 2000, 800}}}
	v := listen(t, store, &Options{Savings: func() (*Savings, error) { return savings, nil }})
	v.see("/tokens", "3,000 tokens less in every conversation: 25% of", `width="25.00%"`, "12 tools", "43 B, 86.0% of what the servers answered")
	savings.Description = 5000
	v.see("/tokens", "1,000 tokens more in every conversation")
	listen(t, NewStore(nil), &Options{Savings: func() (*Savings, error) { return nil, errors.New("no vocabulary") }}).see("/tokens", "no vocabulary")
	listen(t, NewStore(nil), nil).see("/tokens", "The audit file has no tool lists", "No program that went well")
}

// Only who has the token gets in, under this machine's name, and only to read.
func TestGuard(t *testing.T) {
	v := listen(t, NewStore(nil), nil)
	base := "http://" + v.page.host
	cookie := v.client.Jar.Cookies(&url.URL{Scheme: "http", Host: v.page.host})[0]
	for name, c := range map[string]struct {
		method, path, host, cookie string
		want                       int
	}{
		"with the cookie":           {"GET", "/", "", cookie.Value, 200},
		"head":                      {"HEAD", "/", "", cookie.Value, 200},
		"without":                   {"GET", "/", "", "", 401},
		"with another":              {"GET", "/runs/x", "", "guess", 401},
		"events without":            {"GET", "/events", "", "", 401},
		"another token":             {"GET", "/?token=guess", "", "", 401},
		"another token with cookie": {"GET", "/?token=guess", "", cookie.Value, 401},
		"another name":              {"GET", "/", "evil.example:1234", cookie.Value, 403},
		"another name, style":       {"GET", "/static/ui.css", "evil.example", "", 403},
		"localhost":                 {"GET", "/", "localhost:1234", cookie.Value, 200},
		"IPv6":                      {"GET", "/", "[::1]:1234", cookie.Value, 200},
		"writing":                   {"POST", "/", "", cookie.Value, 405},
		"style":                     {"GET", "/static/ui.css", "", "", 200},
		"no such page":              {"GET", "/nothing", "", cookie.Value, 404},
		"no such file":              {"GET", "/static/ui.go", "", "", 404},
	} {
		request, err := http.NewRequestWithContext(t.Context(), c.method, base+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = c.host
		if c.cookie != "" {
			request.AddCookie(&http.Cookie{Name: cookie.Name, Value: c.cookie})
		}
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", name, response.StatusCode, c.want)
		}
		if got := response.Header.Get("Content-Security-Policy"); got != policy {
			t.Errorf("%s: policy %q", name, got)
		}
	}
}

// The cookie is of no use to a script or another site, and other pages of this machine have their own.
func TestCookie(t *testing.T) {
	page, err := Listen(t.Context(), ":0", NewStore(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	response, err := http.Get(page.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	_, port, _ := net.SplitHostPort(page.host)
	cookie := response.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Name != "codemode_ui_"+port || !strings.HasPrefix(page.host, "127.0.0.1:") {
		t.Errorf("%+v at %s", cookie, page.host)
	}
	if body, _ := io.ReadAll(response.Body); !strings.Contains(string(body), `content="0; url=/"`) {
		t.Errorf("the token stays in the address:\n%s", body)
	}
}

func TestAddressesWhereNoPageCanBe(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for addr, want := range map[string]string{"0.0.0.0:0": "refusing", "example.com:80": "refusing", "nonsense": "not host:port", taken.Addr().String(): "port 0 takes a free one"} {
		_, err := Listen(t.Context(), addr, NewStore(nil), nil)
		if !errors.As(err, new(*AddressError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

// stream reads events until the test ends.
func (v *visitor) stream(ctx context.Context) (*bufio.Scanner, int) {
	v.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+v.page.host+"/events", nil)
	if err != nil {
		v.Fatal(err)
	}
	response, err := v.client.Do(request)
	if err != nil {
		v.Fatal(err)
	}
	v.Cleanup(func() { response.Body.Close() })
	return bufio.NewScanner(response.Body), response.StatusCode
}

// Changes are told of, gathered, and Close ends the streams.
func TestEvents(t *testing.T) {
	store := NewStore(nil)
	v := listen(t, store, nil)
	lines, _ := v.stream(t.Context())
	next := func() string {
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return text
			}
		}
		return "the end"
	}
	lines.Scan() // it is watched now
	running := mcpserver.AuditRun{ID: "a", Outcome: mcpserver.Running, Time: time.Now()}
	store.RunBegan(running)
	store.CallBegan("a", 0, mcpserver.AuditCall{Server: "git", Tool: "log", Outcome: mcpserver.Running})
	store.RunBegan(mcpserver.AuditRun{ID: "b", Outcome: mcpserver.Running})
	if got := next(); got != `["a","b"]` {
		t.Error(got)
	}
	v.see("/runs/a", "Running for", "git.")
	for i := range 2 * maxChanged {
		store.RunEnded(mcpserver.AuditRun{ID: fmt.Sprint(i)})
	}
	if got := next(); got != `["*"]` {
		t.Error(got)
	}
	v.page.Close()
	if got := next(); got != "the end" {
		t.Error(got)
	}
}

func TestStreamsAreBounded(t *testing.T) {
	v := listen(t, NewStore(nil), nil)
	for range maxStreams {
		if lines, status := v.stream(t.Context()); status != http.StatusOK || !lines.Scan() {
			t.Fatal(status)
		}
	}
	if _, status := v.stream(t.Context()); status != http.StatusServiceUnavailable {
		t.Errorf("one more: %d", status)
	}
}
