package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
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
	cfg, err := config.Parse("mcp.json", []byte(fmt.Sprintf(`{"mcpServers": {"web": {"url": %q, "headers": {%s}}}}`, url, headers)), nil)
	if err != nil || len(cfg.Problems) > 0 {
		t.Fatal(err, cfg)
	}
	u := New(FromConfig(&cfg.Servers[0], nil, nil), nil)
	t.Cleanup(u.Close)
	u.Start()
	return u
}

func TestStreamableHTTP(t *testing.T) {
	cancelled := make(chan struct{})
	s := server.NewMCPServer("web", "1", server.WithToolCapabilities(true))
	s.AddTool(mcp.NewTool("big"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(`{"n":9007199254740993}`)}, nil
	})
	s.AddTool(mcp.NewTool("slow"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
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
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := u.Call(ctx, "slow", nil); err == nil {
		t.Error("no error")
	}
	select {
	case <-cancelled:
	case <-time.After(10 * time.Second):
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
