package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/mcpserver/internal/fake"
)

// cancelOnce calls a tool that never answers, and gives it up once the server has the call.
func cancelOnce(t *testing.T, u *Upstream, arrived func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := u.Call(ctx, "slow", json.RawMessage(`{"ms":600000}`))
		done <- err
	}()
	arrived()
	cancel()
	if err := <-done; err == nil {
		t.Error("the call was answered")
	}
}

// TestCancelledRequestIsNamedToTheServer covers stdio in both eras: the notification has the id that the call had.
func TestCancelledRequestIsNamedToTheServer(t *testing.T) {
	for name, modern := range map[string]bool{"2025-11-25": false, "2026-07-28": true} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "trace")
			u := run(t, fake.Script{Tools: fake.Tools("slow"), Modern: modern, Trace: file}, "", nil)
			if s := settle(t, u); s.Revision != name {
				t.Fatalf("%+v", s)
			}
			var id string
			seen := func(method string) func() bool {
				return func() bool {
					text, _ := os.ReadFile(file)
					_, rest, ok := strings.Cut(string(text), "\n"+method+" ")
					id, _, _ = strings.Cut(rest, "\n")
					return ok && strings.Contains(rest, "\n")
				}
			}
			cancelOnce(t, u, func() { eventually(t, "the server has the call", seen("tools/call")) })
			called := id
			eventually(t, "the server hears of the end", seen("notifications/cancelled"))
			if id != called {
				t.Errorf("request %s was called, and %s cancelled", called, id)
			}
		})
	}
}

// webServer answers by hand, so that it is seen what comes: calls are never answered.
type webServer struct {
	t      *testing.T
	modern bool
	called chan string // ids of calls
	ended  chan string // ids of calls whose request the client ended
	named  chan string // ids in notifications/cancelled
}

func (w *webServer) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ RequestID json.RawMessage }
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
		out.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	answer := func(result string) {
		out.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, result)
	}
	switch {
	case m.Method == "initialize" && w.modern:
		answer(`"error":{"code":-32601,"message":"Method not found"}`)
	case m.Method == "initialize":
		answer(`"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"w","version":"1"}}`)
	case m.Method == "server/discover":
		answer(`"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
	case m.Method == "tools/list":
		answer(`"result":{"tools":[{"name":"slow","inputSchema":{"type":"object"}}]}`)
	case m.Method == "tools/call":
		w.called <- string(m.ID)
		<-r.Context().Done()
		w.ended <- string(m.ID)
	case m.Method == "notifications/cancelled":
		w.named <- string(m.Params.RequestID)
		out.WriteHeader(http.StatusAccepted)
	case m.ID == nil:
		out.WriteHeader(http.StatusAccepted)
	default:
		answer(`"error":{"code":-32601,"message":"Method not found"}`)
	}
}

// TestCancelledRequestOverHTTP: the end of the request tells a server of the revisions without sessions. Servers before
// them take that for a broken connection, so they are told by a notification.
func TestCancelledRequestOverHTTP(t *testing.T) {
	for name, modern := range map[string]bool{"2025-11-25": false, "2026-07-28": true} {
		t.Run(name, func(t *testing.T) {
			w := &webServer{t, modern, make(chan string, 1), make(chan string, 1), make(chan string, 1)}
			u := httpUpstream(t, serveHTTP(t, w), "")
			if s := settle(t, u); s.State != Ready || s.Revision != name {
				t.Fatalf("%+v", s)
			}
			var id string
			cancelOnce(t, u, func() { id = <-w.called })
			if ended := <-w.ended; ended != id {
				t.Errorf("request %s was called, and %s ended", id, ended)
			}
			if modern {
				return
			}
			if named := <-w.named; named != id {
				t.Errorf("request %s was called, and %s cancelled", id, named)
			}
		})
	}
}
