package mcpserver

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"
)

// Whatever clients do, what is kept is within the bounds, and what a client's stream missed comes in order.
func TestEventsStayWithinBounds(t *testing.T) {
	e := newEvents()
	store := func(session string, size int) string {
		id, err := e.StoreEvent(t.Context(), session, "stream of "+session, json.RawMessage(`"`+strings.Repeat("x", size)+`"`))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	quiet := store("quiet", 1) // the oldest, of a client that says nothing more
	for n := range 20_000 {
		size := rand.IntN(2_000)
		if rand.IntN(1_000) == 0 {
			size = 9 << 20
		}
		session := fmt.Sprint(rand.IntN(12))
		store(session, size)
		if rand.IntN(5_000) == 0 {
			_ = e.PurgeSession(t.Context(), session)
		}
		kept, bytes := 0, 0
		for name, s := range e.sessions {
			if len(s.list) > maxEvents || s.bytes > maxEventBytes && len(s.list) > 1 {
				t.Fatalf("%s has %d events of %d bytes", name, len(s.list), s.bytes)
			}
			kept, bytes = kept+len(s.list), bytes+s.bytes
		}
		if bytes != e.bytes || bytes > maxAllBytes || len(e.order) > 2*kept+3*maxEvents {
			t.Fatalf("after %d: %d bytes, counted as %d; %d in order, %d kept", n, bytes, e.bytes, len(e.order), kept)
		}
	}
	store("quiet", 3)
	var missed []string
	stream, err := e.ReplayEventsAfter(t.Context(), "quiet", quiet, func(_ string, message json.RawMessage) error {
		missed = append(missed, string(message))
		return nil
	})
	if err != nil || stream != "stream of quiet" || len(missed) != 1 || missed[0] != `"xxx"` {
		t.Errorf("%q, %q, %v", stream, missed, err)
	}
}

// A session of many runs keeps nothing of their requests, though each was answered on a stream that could be resumed.
func TestASessionKeepsNoRequests(t *testing.T) {
	s := serve(t, nil, nil)
	handler, end := s.Handler(nil)
	type response struct{ http.ResponseWriter }
	var mu sync.Mutex
	var served []weak.Pointer[response]
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mine := &response{w}
		mu.Lock()
		served = append(served, weak.Make(mine))
		mu.Unlock()
		handler.ServeHTTP(mine, r)
	}))
	defer web.Close()
	defer end(t.Context())
	session := ""
	post := func(body string) string {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			request.Header.Set("Mcp-Session-Id", session)
		}
		answer, err := web.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		session = answer.Header.Get("Mcp-Session-Id") + session
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	s.mcp.SendNotificationToAllClients("notifications/tools/list_changed", nil) // from then on its answers are streams
	for range 10 {
		answer := post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"code","arguments":{"code":"async () => 1"}}}`)
		if !strings.HasPrefix(answer, "id: ") {
			t.Fatalf("not on a stream that can be resumed: %s", answer)
		}
	}
	web.CloseClientConnections()
	left := func() (n int) {
		runtime.GC()
		mu.Lock()
		defer mu.Unlock()
		for _, one := range served {
			if one.Value() != nil {
				n++
			}
		}
		return n
	}
	for deadline := time.Now().Add(time.Minute); left() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d requests are kept", left(), len(served))
		}
	}
}
