package mcpserver

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/codemode-go/codemode/protocol"
)

func TestMetricsAreBehindTheSameDoor(t *testing.T) {
	s := serve(t, nil, nil)
	numbers := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "numbers") })
	with, without := listen(t, s, &HTTPOptions{Token: "secret", Metrics: numbers}), listen(t, s, nil)
	for name, tt := range map[string]struct {
		url, header, value string
		want               int
	}{
		"token":       {with, "Authorization", "Bearer secret", 200},
		"no token":    {with, "X", "", 401},
		"wrong token": {with, "Authorization", "Bearer other", 401},
		"evil origin": {with, "Origin", "https://evil.example", 403},
		"none":        {without, "X", "", 404},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(tt.url, "mcp")+"metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set(tt.header, tt.value)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != tt.want || (string(text) == "numbers") != (tt.want == 200) {
			t.Errorf("%s: %d %s", name, response.StatusCode, text)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// asking notes for whom the requests to an executor are made.
type asking struct {
	protocol.Executor
	mu      sync.Mutex
	clients []string
}

func (a *asking) Execute(ctx context.Context, request *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
	a.mu.Lock()
	a.clients = append(a.clients, protocol.SessionOf(ctx))
	a.mu.Unlock()
	return a.Executor.Execute(ctx, request)
}

// The pool serves clients in turn, so it has to know them.
func TestRunsAreTheirClients(t *testing.T) {
	heard := &asking{Executor: pool}
	s, err := New(heard, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	url := listen(t, s, nil)
	for range 2 {
		c := newHammerClient(t.Context(), http.DefaultClient, url)
		for range 2 {
			if _, err := c.run(`async () => 1`); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := (&hammerClient{ctx: t.Context(), web: http.DefaultClient, url: url, modern: true}).run(`async () => 1`); err != nil {
		t.Fatal(err)
	}
	http.DefaultClient.CloseIdleConnections()
	h := heard.clients
	if h[0] == "" || h[0] != h[1] || h[2] != h[3] || h[0] == h[2] || !strings.HasPrefix(h[4], "127.0.0.1:") {
		t.Errorf("%q", h)
	}
}
