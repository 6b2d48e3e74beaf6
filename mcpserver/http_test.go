package mcpserver

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	mcpclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/mcpserver/internal/fake"
)

// listen serves on a free port until the test ends.
func listen(t *testing.T, s *Server, options *HTTPOptions) (url string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- s.ListenHTTP(ctx, "127.0.0.1:0", options, func(url string) { ready <- url }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	select {
	case url = <-ready:
	case err := <-done:
		t.Fatal(err)
	}
	return url
}

func TestHTTPClientRunsAProgram(t *testing.T) {
	s := serve(t, FromConfig(configure(t, map[string]fake.Script{"srv": {Tools: fake.Tools("echo")}}, []string{"srv"}, nil)), nil)
	url := listen(t, s, &HTTPOptions{Token: "secret"})
	remote, err := transport.NewStreamableHTTP(url, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer secret"}))
	if err != nil {
		t.Fatal(err)
	}
	c := mcpclient.NewClient(remote)
	defer c.Close()
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Initialize(t.Context(), mcp.InitializeRequest{}); err != nil {
		t.Fatal(err)
	}
	request := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "code", Arguments: map[string]any{"code": "async () => (await srv.echo({a: 7})).a"}}}
	result, err := c.CallTool(t.Context(), request)
	if err != nil || len(result.Content) != 1 || result.Content[0].(mcp.TextContent).Text != "7" {
		t.Errorf("%+v %v", result, err)
	}
}

func TestHTTPRefusals(t *testing.T) {
	s := serve(t, nil, nil)
	open, locked := listen(t, s, &HTTPOptions{AllowedOrigins: []string{"https://app.example"}, AllowedHosts: []string{"mcp.example.com"}}), listen(t, s, &HTTPOptions{Token: "secret", Path: "/other"})
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	modern := map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
	for name, tt := range map[string]struct {
		url     string
		headers map[string]string
		body    string
		want    int
	}{
		"plain":                       {open, nil, initialize, 200},
		"own origin":                  {open, map[string]string{"Origin": strings.TrimSuffix(open, "/mcp")}, initialize, 200},
		"other port":                  {open, map[string]string{"Origin": "http://localhost:3000"}, initialize, 403},
		"other scheme":                {open, map[string]string{"Origin": strings.Replace(strings.TrimSuffix(open, "/mcp"), "http:", "https:", 1)}, initialize, 403},
		"proxy's name":                {open, map[string]string{"Host": "mcp.example.com"}, initialize, 200},
		"local name":                  {open, map[string]string{"Host": "LOCALHOST:80"}, initialize, 200},
		"allowed origin":              {open, map[string]string{"Origin": "https://app.example"}, initialize, 200},
		"evil origin":                 {open, map[string]string{"Origin": "https://evil.example"}, initialize, 403},
		"evil twin":                   {open, map[string]string{"Origin": "https://localhost.evil.example"}, initialize, 403},
		"null origin":                 {open, map[string]string{"Origin": "null"}, initialize, 403},
		"rebound name":                {open, map[string]string{"Host": "evil.example"}, initialize, 403},
		"too large":                   {open, nil, strings.Repeat(" ", maxBody+1), 413},
		"no token":                    {locked, nil, initialize, 401},
		"wrong token":                 {locked, map[string]string{"Authorization": "Bearer secret2"}, initialize, 401},
		"token":                       {locked, map[string]string{"Authorization": "Bearer secret"}, initialize, 200},
		"token, scheme in lower case": {locked, map[string]string{"Authorization": "bearer  secret"}, initialize, 200},
		"other scheme of auth":        {locked, map[string]string{"Authorization": "Basic secret"}, initialize, 401},
		"batch":                       {open, nil, "[" + initialize + "]", 400},
		"garbage":                     {open, nil, "{", 400},
		"other spelling":              {open, nil, strings.Replace(initialize, `"method"`, `"Method"`, 1), 400},
		"bad cursor":                  {open, nil, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`, 200},
		"bad cursor, modern":          {open, modern, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x",` + modernMeta + `}}`, 400},
		"unknown tool":                {open, nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`, 200},
		"listen, too large":           {open, map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"}, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["` + strings.Repeat("c", maxListen) + `"]},` + modernMeta + `}}`, 400},
		"initialize, too large":       {open, nil, strings.Replace(initialize, `"name":"c"`, `"name":"`+strings.Repeat("c", maxInitialize)+`"`, 1), 400},
		"ended session":               {open, map[string]string{"Mcp-Session-Id": "unknown"}, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 404},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, tt.url, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		for key, value := range tt.headers {
			request.Header.Set(key, value)
		}
		request.Host = request.Header.Get("Host")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != tt.want {
			t.Errorf("%s: %d %s", name, response.StatusCode, body)
		}
		if name == "unknown tool" && !strings.Contains(string(body), `{"code":-32602,"message":"Unknown tool: x; there is code here"}`) {
			t.Errorf("%s: %s", name, body)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	for _, addr := range []string{"0.0.0.0:0", ":0", "no port"} {
		if err := s.ListenHTTP(t.Context(), addr, nil, nil); err == nil {
			t.Errorf("%s was served without a token", addr)
		}
	}
}

// TestUnauthorizedSaysWhatIsWanted: a person who wrote the client's file reads it, and who runs the server has it in the log.
func TestUnauthorizedSaysWhatIsWanted(t *testing.T) {
	log := &warnings{}
	s, err := New(pool, nil, &Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	url := listen(t, s, &HTTPOptions{Token: "secret"})
	for header, want := range map[string]string{
		"":              "Unauthorized: no bearer token was sent (Authorization: Bearer TOKEN)\n",
		"Basic secret":  "Unauthorized: no bearer token was sent (Authorization: Bearer TOKEN)\n",
		"Bearer secre":  "Unauthorized: the bearer token is none of this server's\n",
		"Bearer secret": "",
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", header)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if refused := response.StatusCode == http.StatusUnauthorized; refused != (want != "") || refused && string(body) != want {
			t.Errorf("%q: %d %q", header, response.StatusCode, body)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	if told := log.String(); strings.Count(told, `msg="a client was refused" peer=127.0.0.1:`) != 3 || strings.Count(told, "is none of this server's") != 1 || strings.Contains(told, "secre") {
		t.Errorf("the log: %s", told)
	}
}

func TestHTTPAddressInUse(t *testing.T) {
	s := serve(t, nil, nil)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if err := s.ListenHTTP(t.Context(), taken.Addr().String(), nil, nil); err == nil {
		t.Error("no error")
	}
}

// TestSessionsAreBounded: what is kept of a client that went without a word is kept for an hour.
func TestSessionsAreBounded(t *testing.T) {
	s := fakes(t, nil, "echo")
	e := newEndpoints()
	handler := e.handler(s)
	sessions := e.of[s].sessions
	send := func(method, session, owner string) (status int, given string) {
		body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
		if session != "" {
			body = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		}
		ctx := context.WithValue(t.Context(), identityKey{}, identity{to: s, issuer: "i", subject: owner})
		r := httptest.NewRequestWithContext(ctx, method, "/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Mcp-Session-Id", session)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Code, w.Header().Get("Mcp-Session-Id")
	}
	status, mine := send(http.MethodPost, "", "me")
	if status != http.StatusOK || mine == "" {
		t.Fatal(status, mine)
	}
	for range maxSessionsOfOne - 1 {
		(&ownSessions{owners: sessions, owner: identity{issuer: "i", subject: "me"}.owner()}).Generate()
	}
	if status, _ := send(http.MethodPost, "", "me"); status != http.StatusServiceUnavailable {
		t.Errorf("one too many of one person: %d", status)
	}
	if status, _ := send(http.MethodPost, "", "other"); status != http.StatusOK {
		t.Errorf("another person: %d", status)
	}
	for len(sessions.of) < maxSessions {
		(&ownSessions{owners: sessions}).Generate()
	}
	if status, _ := send(http.MethodPost, "", "other"); status != http.StatusServiceUnavailable {
		t.Errorf("one too many of all: %d", status)
	}
	if status, _ := send(http.MethodPost, mine, "me"); status != http.StatusOK {
		t.Errorf("a session that is there: %d", status)
	}
	if status, _ := send(http.MethodGet, "", "me"); status != http.StatusBadRequest {
		t.Errorf("a stream of no session: %d", status)
	}
	if status, _ := send(http.MethodGet, mine, "other"); status != http.StatusNotFound {
		t.Errorf("a stream of another's session: %d", status)
	}
	if status, _ := send(http.MethodDelete, mine, "other"); status != http.StatusNotFound || !sessions.has(mine, identity{issuer: "i", subject: "me"}.owner()) {
		t.Errorf("the end of another's session: %d", status)
	}
	if status, _ := send(http.MethodDelete, mine, "me"); status != http.StatusOK {
		t.Errorf("the end of a session: %d", status)
	}
	if status, _ := send(http.MethodPost, "", "other"); status != http.StatusOK {
		t.Errorf("after one has ended: %d", status)
	}
}

// TestLargeRequestsAreServedAFewAtATime: each is there several times, and most are of nobody who means well.
func TestLargeRequestsAreServedAFewAtATime(t *testing.T) {
	s := fakes(t, nil, "echo")
	e := newEndpoints()
	web := httptest.NewServer(e.handler(s))
	defer web.Close()
	for range maxLargeBodies {
		e.large <- struct{}{}
	}
	id := session(t, web.URL) // a small one passes
	program := func(size int) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"code","arguments":{"code":"async () => 'ran' //` + strings.Repeat("x", size) + `"}}}`
	}
	answered := make(chan string, 1)
	for size, want := range map[int]string{largeBody: "ran", 5 << 20: "too many (limit sourceBytes: 4194304)"} {
		go func() {
			response, err := post(t.Context(), web.URL, id, "2025-11-25", program(size))
			if err != nil {
				answered <- err.Error()
				return
			}
			defer response.Body.Close()
			text, _ := io.ReadAll(response.Body)
			answered <- string(text)
		}()
		select {
		case got := <-answered:
			t.Errorf("served without a place: %s", got)
		case <-time.After(300 * time.Millisecond):
		}
		<-e.large
		if got := <-answered; !strings.Contains(got, want) {
			t.Errorf("%d bytes: %.300s", size, got)
		}
		e.large <- struct{}{}
	}
}

// TestAShortRequestNeedsNoPlace, also one that does not say how long it is, as many clients send them: who begins such a body and does not go
// on, or listens for an hour, would keep the others out.
func TestAShortRequestNeedsNoPlace(t *testing.T) {
	s := fakes(t, nil, "echo")
	e := newEndpoints()
	web := httptest.NewServer(e.handler(s))
	defer web.Close()
	for range maxLargeBodies {
		e.large <- struct{}{}
	}
	send := func(body io.Reader) (string, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, struct{ io.Reader }{body}) // of an unknown length
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return string(text), err
	}
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	if got, err := send(strings.NewReader(initialize)); err != nil || !strings.Contains(got, "serverInfo") {
		t.Errorf("%.300s %v", got, err)
	}
	for range maxLargeBodies {
		<-e.large
	}
	begun := make([]*io.PipeWriter, maxLargeBodies)
	for i := range begun {
		var body *io.PipeReader
		body, begun[i] = io.Pipe()
		go func() { _, _ = send(body) }()
		if _, err := begun[i].Write([]byte(strings.Repeat(" ", largeBody+1))); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the large ones have all places", func() bool { return len(e.large) == maxLargeBodies })
	if got, err := send(strings.NewReader(initialize)); err != nil || !strings.Contains(got, "serverInfo") {
		t.Errorf("beside large ones: %.300s %v", got, err)
	}
	for _, rest := range begun {
		rest.Close()
	}
	eventually(t, "the places are free", func() bool { return len(e.large) == 0 })
}

// patient is a response whose connection tells until when it is read from.
type patient struct {
	*httptest.ResponseRecorder
	until time.Time
}

func (p *patient) SetReadDeadline(until time.Time) error {
	p.until = until
	return nil
}

// TestABodyThatNobodyReadsComesInItsTime, or its connection would wait for it without end, whoever it is from.
func TestABodyThatNobodyReadsComesInItsTime(t *testing.T) {
	handler, shutdown := serve(t, nil, nil).Handler(&HTTPOptions{Token: "secret"})
	defer shutdown(t.Context())
	for _, c := range []struct {
		method, path, token string
		status              int
		body                io.Reader
	}{
		{http.MethodPost, "/mcp", "", http.StatusUnauthorized, strings.NewReader("{")},
		{http.MethodPost, "/elsewhere", "", http.StatusNotFound, strings.NewReader("{")},
		{http.MethodPost, "/mcp", "secret", http.StatusOK, iotest.ErrReader(os.ErrDeadlineExceeded)}, // there is no answer
		{http.MethodPut, "/mcp", "secret", http.StatusMethodNotAllowed, strings.NewReader("{")},
	} {
		request := httptest.NewRequestWithContext(t.Context(), c.method, c.path, c.body)
		request.ContentLength = 1000
		request.Header.Set("Authorization", "Bearer "+c.token)
		w := &patient{ResponseRecorder: httptest.NewRecorder()}
		handler.ServeHTTP(w, request)
		if w.Code != c.status || w.until.IsZero() || time.Until(w.until) > bodyTime {
			t.Errorf("%s %s: status %d, read from until %v", c.method, c.path, w.Code, w.until)
		}
	}
}

func TestAWrongPathIsToldTheRightOne(t *testing.T) {
	url := strings.TrimSuffix(listen(t, serve(t, nil, nil), &HTTPOptions{Path: "/here"}), "/here")
	response, err := http.Post(url+"/", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusNotFound || !strings.Contains(string(text), "the endpoint is /here") {
		t.Errorf("%d %s %v", response.StatusCode, text, err)
	}
}
