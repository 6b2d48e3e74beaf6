package executor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/internal/wire"
	"github.com/codemode-go/codemode/protocol"
)

// loopback lets programs of a test reach the test's own servers.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// fetched runs the fake's one fetch: a POST with the body "ping" and the header x-a.
func fetched(t *testing.T, pool *executor.Pool, request protocol.ExecuteRequest, url string) (wire.FetchedHeader, string) {
	t.Helper()
	request.Code = "fetch:" + url
	value := mustValue(t, pool, &request)
	var header wire.FetchedHeader
	var body string
	if err := json.Unmarshal([]byte(value), &[]any{&header, &body}); err != nil {
		t.Fatalf("%v in %s", err, value)
	}
	return header, body
}

func echoServer(t *testing.T) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Add("X-Reply", "one")
		w.Header().Add("X-Reply", "two")
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "%s %s %s %s", r.Method, r.Header.Get("X-A"), body, r.Header.Get("Cookie")+r.UserAgent())
	})
	mux.HandleFunc("/again", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "1"})
		http.Redirect(w, r, "/echo", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestAnInheritedRequestIsPerformedByThePool(t *testing.T) {
	server := echoServer(t)
	pool := newFakePool(t, executor.Options{AllowAddresses: loopback})
	header, body := fetched(t, pool, protocol.ExecuteRequest{}, server.URL+"/echo")
	if header.Status != 418 || header.StatusText != "I'm a teapot" || header.Redirected || header.URL != server.URL+"/echo" || body != "POST 1 ping " {
		t.Errorf("header %+v, body %q", header, body)
	}
	replies := 0
	for _, pair := range header.Headers {
		if pair[0] == "x-reply" {
			replies++
		}
	}
	if replies != 2 {
		t.Errorf("headers %v", header.Headers)
	}
	// A redirect is followed with its method and body, and keeps no cookie. No request names a user agent.
	header, body = fetched(t, pool, protocol.ExecuteRequest{}, server.URL+"/again")
	if !header.Redirected || header.URL != server.URL+"/echo" || body != "POST 1 ping " {
		t.Errorf("header %+v, body %q", header, body)
	}
	if header, _ := fetched(t, pool, protocol.ExecuteRequest{}, server.URL+"/loop"); !strings.Contains(header.Error, "more than 20 redirects") {
		t.Errorf("error %q", header.Error)
	}
	for _, url := range []string{"file:///etc/passwd", "gopher://x/", "http://127.0.0.1:1/", "://"} {
		if header, _ := fetched(t, pool, protocol.ExecuteRequest{}, url); header.Error == "" {
			t.Errorf("%s was fetched: %+v", url, header)
		}
	}
}

func TestABlockedRequestIsRefusedByThePoolToo(t *testing.T) {
	server := echoServer(t)
	pool := newFakePool(t, executor.Options{Outbound: protocol.BlockOutbound(), AllowAddresses: loopback})
	header, _ := fetched(t, pool, protocol.ExecuteRequest{}, server.URL+"/echo")
	if header.Error != "outbound requests are blocked" {
		t.Errorf("header %+v", header)
	}
	if header, _ = fetched(t, pool, protocol.ExecuteRequest{Outbound: protocol.InheritOutbound()}, server.URL+"/echo"); header.Status != 418 {
		t.Errorf("header %+v", header)
	}
}

func TestAStubPerformsEveryHopAndStopsTheClock(t *testing.T) {
	pool := newFakePool(t, executor.Options{Outbound: protocol.BlockOutbound()})
	var seen []string
	via := protocol.OutboundVia(func(_ context.Context, request *http.Request) (*http.Response, error) {
		time.Sleep(400 * time.Millisecond)
		seen = append(seen, request.Method+" "+request.URL.String())
		if request.URL.Path == "/a" {
			return &http.Response{StatusCode: 303, Header: http.Header{"Location": {"/b"}}}, nil
		}
		return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("pong"))}, nil
	})
	request := protocol.ExecuteRequest{Outbound: via, Timeout: protocol.TimeoutOf(later)}
	header, body := fetched(t, pool, request, "https://api.example/a")
	if header.Status != 200 || header.StatusText != "OK" || body != "pong" || header.URL != "https://api.example/b" || !header.Redirected {
		t.Errorf("header %+v, body %q", header, body)
	}
	if got := strings.Join(seen, ", "); got != "POST https://api.example/a, GET https://api.example/b" {
		t.Errorf("seen %s", got)
	}
	for what, via := range map[string]protocol.OutboundFunc{
		"panicked":    func(context.Context, *http.Request) (*http.Response, error) { panic("boom") },
		"no response": func(context.Context, *http.Request) (*http.Response, error) { return nil, nil },
		"the outbound function ended without an answer": func(context.Context, *http.Request) (*http.Response, error) {
			runtime.Goexit()
			return nil, nil
		},
	} {
		request.Outbound = protocol.OutboundVia(via)
		if header, _ := fetched(t, pool, request, "https://api.example/a"); !strings.Contains(header.Error, what) {
			t.Errorf("error %q, want %q in it", header.Error, what)
		}
	}
}

func TestARequestThatIsLeftBehindEndsWithItsRun(t *testing.T) {
	pool := newPool(t, executor.Options{})
	ended := make(chan error, 1)
	via := protocol.OutboundVia(func(ctx context.Context, _ *http.Request) (*http.Response, error) {
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	})
	mustValue(t, pool, &protocol.ExecuteRequest{Code: `async () => { fetch("https://api.example/").catch(() => {}); return 1 }`, Outbound: via})
	if err := <-ended; err == nil {
		t.Error("the request's context did not end")
	}
}
