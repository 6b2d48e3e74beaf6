package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/mcpserver/config"
)

func httpUpstream(t *testing.T, url, headers string) *Upstream {
	t.Helper()
	return startEntry(t, "mcp.json", fmt.Sprintf(`"web": {"url": %q, "headers": {%s}}`, url, headers), nil)
}

// startEntry starts the one server of a file that the test ends; options may be nil.
func startEntry(t *testing.T, file, entry string, options *Options) *Upstream {
	t.Helper()
	cfg, err := config.Parse(file, []byte(`{"mcpServers": {`+entry+`}}`), nil)
	if err != nil || len(cfg.Problems) > 0 {
		t.Fatal(err, cfg)
	}
	u := New(FromConfig(&cfg.Servers[0], nil, nil), options)
	t.Cleanup(u.Close)
	u.Start()
	return u
}

func TestStreamableHTTP(t *testing.T) {
	begun, cancelled := make(chan struct{}), make(chan struct{})
	s := server.NewMCPServer("web", "1", server.WithToolCapabilities(true))
	s.AddTool(mcp.NewTool("big"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(`{"n":9007199254740993}`)}, nil
	})
	s.AddTool(mcp.NewTool("slow"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		close(begun)
		<-ctx.Done()
		close(cancelled)
		return nil, ctx.Err()
	})
	mux := http.NewServeMux()
	handler := server.NewStreamableHTTPServer(s, server.WithStateful(true))
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer good-token" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	})
	mux.Handle("/away", http.RedirectHandler("http://elsewhere.invalid/mcp", http.StatusTemporaryRedirect))
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close) // after the upstream's, whose stream it waits for

	u := httpUpstream(t, web.URL+"/mcp", `"Authorization": "Bearer good-token"`)
	if got := settle(t, u); got.State != Ready || names(got) != "big slow" {
		t.Fatalf("%+v", got)
	}
	if got := call(t, u, "big", `{}`); got != `{"n":9007199254740993}` {
		t.Error(got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := u.Call(ctx, "slow", nil); err == nil {
		t.Error("no error")
	}
	select {
	case <-cancelled:
	case <-time.After(time.Minute):
		t.Fatal("the server's call was not cancelled")
	}
	s.AddTool(mcp.NewTool("zz"), nil)
	eventually(t, "the announced tool", func() bool { return names(u.Status()) == "big slow zz" })
	u.Close()

	for path, want := range map[string]string{
		"/mcp":  `it needs a login (HTTP 401)`,
		"/no":   "it answered HTTP 404 Not Found",
		"/away": "it redirects to another host, elsewhere.invalid; configure that URL instead",
	} {
		u := httpUpstream(t, web.URL+path, `"Authorization": "Bearer bad-token"`)
		if s := settle(t, u); s.State != Failed || !strings.HasPrefix(s.Reason, want) || strings.Contains(s.Reason, "bad-token") {
			t.Errorf("%s: %s %s", path, s.State, s.Reason)
		}
	}
}

// TestHTTPServerThatForgotUs covers a restart of the server: the session is unknown, so the call is repeated in a new one.
func TestHTTPServerThatForgotUs(t *testing.T) {
	fresh := func() http.Handler {
		s := server.NewMCPServer("web", "1")
		s.AddTool(mcp.NewTool("hi"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("hello"), nil
		})
		return server.NewStreamableHTTPServer(s, server.WithStateful(true))
	}
	var current atomic.Value
	current.Store(fresh())
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.Load().(http.Handler).ServeHTTP(w, r) }))
	t.Cleanup(web.Close) // after the upstream's, whose stream it waits for
	u := httpUpstream(t, web.URL+"/mcp", "")
	if got := call(t, u, "hi", ""); got != `"hello"` {
		t.Fatal(got)
	}
	current.Store(fresh())
	if got := call(t, u, "hi", ""); got != `"hello"` {
		t.Error(got)
	}
}

// httpServer has one tool that shows what a server sees, and one that reports progress.
func httpServer() *server.MCPServer {
	s := server.NewMCPServer("web", "1", server.WithToolCapabilities(true))
	s.AddTool(mcp.NewTool("seen", mcp.WithString("a")), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(r.Header.Get("Mcp-Protocol-Version") + " " + r.Header.Get("Mcp-Name")), nil
	})
	return s
}

func serveHTTP(t *testing.T, handler http.Handler) string {
	t.Helper()
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close) // after the upstream's, whose stream it waits for
	return web.URL
}

// TestServerWithoutHandshake covers one that knows the newest revision alone: it is found out, and spoken to as it says.
func TestServerWithoutHandshake(t *testing.T) {
	s := httpServer()
	modern := server.NewStreamableHTTPServer(s, server.WithStreamableHTTPProtocolVersions("2026-07-28"))
	url := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"method":"initialize"`) { // mcp-go's server would take it all the same
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		modern.ServeHTTP(w, r)
	}))
	u := httpUpstream(t, url+"/mcp", "")
	if got := settle(t, u); got.State != Ready || got.Revision != "2026-07-28" || names(got) != "seen" {
		t.Fatalf("%+v", got)
	}
	if got := call(t, u, "seen", `{"a":"x"}`); got != `"2026-07-28 seen"` {
		t.Error(got)
	}
	eventually(t, "the announced tool", func() bool {
		s.AddTool(mcp.NewTool("later"), nil) // announces it again, for whoever subscribes meanwhile
		return names(u.Status()) == "later seen"
	})
}

// TestServerWithTheFirstTransport covers HTTP+SSE behind a URL that does not say so.
func TestServerWithTheFirstTransport(t *testing.T) {
	s := httpServer()
	url := serveHTTP(t, server.NewSSEServer(s))
	u := httpUpstream(t, url+"/sse", "")
	if got := settle(t, u); got.State != Ready || names(got) != "seen" {
		t.Fatalf("%+v", got)
	}
	if got := call(t, u, "seen", `{}`); !strings.HasPrefix(got, `"`) {
		t.Error(got)
	}
	s.AddTool(mcp.NewTool("later"), nil)
	eventually(t, "the announced tool", func() bool { return names(u.Status()) == "later seen" })
}

// TestHTTPFailuresSayWhatHappened covers a server that gets ready and then misbehaves.
func TestHTTPFailuresSayWhatHappened(t *testing.T) {
	behave := func(w http.ResponseWriter, r *http.Request, tool string) {
		switch tool {
		case "missing":
			http.Error(w, "no", http.StatusNotFound)
		case "busy":
			w.Header().Set("Retry-After", "7")
			http.Error(w, "no", http.StatusTooManyRequests)
		case "html":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<p>hello")
		case "cut":
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"jsonrpc":`)
		case "dropped":
			panic(http.ErrAbortHandler)
		case "stream":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, ": nothing\n\n")
		case "garbage":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":3,"result":{`+"}")
		case "large":
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "100000000")
		}
	}
	inner := server.NewMCPServer("web", "1")
	tools := []string{"missing", "busy", "html", "cut", "dropped", "stream", "garbage", "large"}
	for _, name := range tools {
		inner.AddTool(mcp.NewTool(name), nil)
	}
	good := server.NewStreamableHTTPServer(inner, server.WithStateLess(true))
	url := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		var m struct {
			Method string
			Params struct{ Name string }
		}
		_ = json.Unmarshal(body, &m)
		if m.Method == "tools/call" {
			behave(w, r, m.Params.Name)
			return
		}
		good.ServeHTTP(w, r)
	}))
	u := httpUpstream(t, url+"/mcp", "")
	if got := settle(t, u); got.State != Ready {
		t.Fatalf("%+v", got)
	}
	for i, want := range []string{
		"it answered HTTP 404 Not Found; is this the URL of an MCP server? (often it ends in /mcp)",
		"it answered HTTP 429 Too Many Requests; it may be asked again after 7",
		`it answered with the content type "text/html" in place of JSON or an event stream; is this the URL of an MCP server?`,
		"the connection broke before the answer was complete (unexpected EOF), so the outcome of this call is unknown",
		"the connection ended without an answer (EOF), so the outcome of this call is unknown",
		"it ended its answer before the result came, so the outcome of this call is unknown",
		"cannot be read: it is no JSON",
		"its answer has 100000000 bytes, and the limit is 67108864 (64 MiB)",
	} {
		got := call(t, u, tools[i], `{}`)
		if !strings.HasPrefix(got, fmt.Sprintf("Error: server \"web\", tool %q: ", tools[i])) || !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s", tools[i], got)
		}
	}
}

// TestHeadersOfACommand covers a token that a command prints, and prints anew when the server no longer takes it.
func TestHeadersOfACommand(t *testing.T) {
	var want atomic.Value
	want.Store("first-token")
	good := server.NewStreamableHTTPServer(httpServer())
	url := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+want.Load().(string) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		good.ServeHTTP(w, r)
	}))
	dir := t.TempDir()
	tell := func(token string) {
		if err := os.WriteFile(filepath.Join(dir, "token"), []byte(`{"Authorization":"Bearer `+token+`"}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tell("first-token")
	cfg, err := config.Parse(filepath.Join(dir, "mcp.json"), []byte(fmt.Sprintf(`{"mcpServers": {"web": {"url": %q, "headersCommand": "cat token"}}}`, url+"/mcp")), nil)
	if err != nil || len(cfg.Problems) > 0 {
		t.Fatal(err, cfg)
	}
	u := New(FromConfig(&cfg.Servers[0], nil, nil), nil)
	t.Cleanup(u.Close)
	u.Start()
	if got := settle(t, u); got.State != Ready {
		t.Fatalf("%+v", got)
	}
	want.Store("second-token")
	tell("second-token")
	if got := call(t, u, "seen", `{}`); !strings.Contains(got, "2025-11-25") {
		t.Error(got)
	}
	if got := u.Redact("a second-token b"); got != "a [redacted] b" {
		t.Error(got)
	}
	want.Store("third-token")
	if got := call(t, u, "seen", `{}`); !strings.Contains(got, "it needs a login (HTTP 401)") {
		t.Error(got)
	}
}
