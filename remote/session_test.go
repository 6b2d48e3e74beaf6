package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/codemode-go/codemode/protocol"
	"github.com/gorilla/websocket"
)

// scripted serves raw WebSockets: answer is asked with each message of the n-th connection.
func scripted(t *testing.T, answer func(n int, conn *websocket.Conn, message string)) (url string, opened *atomic.Int64) {
	t.Helper()
	opened = new(atomic.Int64)
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(opened.Add(1))
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close()
		for {
			_, message, err := conn.ReadMessage()
			if err != nil {
				return
			}
			answer(n, conn, string(message))
		}
	}))
	t.Cleanup(server.Close)
	return "ws" + strings.TrimPrefix(server.URL, "http"), opened
}

func say(conn *websocket.Conn, message string) {
	_ = conn.WriteMessage(websocket.TextMessage, []byte(message))
}

// version answers the handshake, and reports whether that is what was asked.
func version(conn *websocket.Conn, message string, v int) bool {
	if message == `["pull",1]` {
		say(conn, fmt.Sprintf(`["resolve",1,%d]`, v))
	}
	return message == `["pull",1]` || message == `["push",["pipeline",0,["protocolVersion"],[]]]` || message == `["release",1,1]`
}

func TestADisagreementOfVersions(t *testing.T) {
	leftover(t)
	url, opened := scripted(t, func(_ int, conn *websocket.Conn, message string) {
		if !version(conn, message, 2) {
			t.Errorf("before the handshake agreed: %s", message)
		}
	})
	_, err := Dial(t.Context(), url, nil)
	if !errors.Is(err, protocol.CodeProtocolMismatch) || err.Error() != "Executor protocol mismatch: client speaks v1, server speaks v2" {
		t.Errorf("%v", err)
	}
	if opened.Load() != 1 {
		t.Errorf("%d attempts", opened.Load())
	}
}

func TestNoSession(t *testing.T) {
	leftover(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "ws://" + listener.Addr().String()
	listener.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	silent, _ := scripted(t, func(int, *websocket.Conn, string) {})
	for url, want := range map[string]string{
		nobody:                     "Failed to open WebSocket to " + nobody,
		plain.URL:                  "Failed to open WebSocket to " + plain.URL,
		"ftp://127.0.0.1/":         "Failed to open WebSocket to ftp://127.0.0.1/",
		"ws://user:pw@127.0.0.1:1": "Failed to open WebSocket to ws://user:xxxxx@127.0.0.1:1",
		silent:                     "Executor handshake with " + silent + " failed: context deadline exceeded",
	} {
		_, err := Dial(t.Context(), url, &DialOptions{OpenTimeout: 100 * time.Millisecond})
		if !errors.Is(err, protocol.CodeConnectionRejected) || err.Error() != want {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestOnlyWhatWasSetIsOnTheWire(t *testing.T) {
	leftover(t)
	var pushes []string
	url, _ := scripted(t, func(_ int, conn *websocket.Conn, message string) {
		if version(conn, message, 1) {
			return
		}
		var id int
		if n, _ := fmt.Sscanf(message, `["pull",%d]`, &id); n == 1 {
			say(conn, fmt.Sprintf(`["resolve",%d,{"logs":[[]]}]`, id))
		} else if strings.HasPrefix(message, `["push"`) {
			pushes = append(pushes, message)
		}
	})
	f := func(context.Context, *http.Request) (*http.Response, error) { return nil, nil }
	dispatch := func(context.Context, string, string, string) (string, error) { return "{}", nil }
	plain := dial(t, url, nil)
	configured := dial(t, url, &DialOptions{Timeout: protocol.MaximumTimeout(), Outbound: protocol.BlockOutbound()})
	for _, c := range []struct {
		client  *Client
		request *protocol.ExecuteRequest
		want    string
	}{
		{plain, &protocol.ExecuteRequest{Code: "x"}, `[{"code":"x"},null,null]`},
		{plain, &protocol.ExecuteRequest{Code: "x", Dispatch: dispatch, Outbound: protocol.OutboundVia(f)}, `[{"code":"x","outbound":"stub"},["export",-1],["export",-2]]`},
		{plain, &protocol.ExecuteRequest{Code: "x", Timeout: protocol.TimeoutOf(5 * time.Second), Providers: []protocol.ProviderDescriptor{{Name: "a", Tools: []string{"b"}}}}, `[{"code":"x","providers":[[{"name":"a","tools":[["b"]]}]],"timeout":5000},null,null]`},
		{configured, &protocol.ExecuteRequest{Code: "x"}, `[{"code":"x","timeout":null,"outbound":"blocked"},null,null]`},
		{configured, &protocol.ExecuteRequest{Code: "x", Timeout: protocol.TimeoutOf(time.Second), Outbound: protocol.InheritOutbound()}, `[{"code":"x","timeout":1000,"outbound":"inherit"},null,null]`},
	} {
		pushes = nil
		if _, err := c.client.Execute(t.Context(), c.request); err != nil {
			t.Fatal(err)
		}
		if want := `["push",["pipeline",0,["execute"],` + c.want + `]]`; len(pushes) != 1 || pushes[0] != want {
			t.Errorf("sent %s\nwant %s", pushes, want)
		}
	}
}

// TestABreakFailsWhatIsOnItsWay: nothing is sent again, and the next call has a new session.
func TestABreakFailsWhatIsOnItsWay(t *testing.T) {
	leftover(t)
	var executed atomic.Int64
	url, opened := scripted(t, func(n int, conn *websocket.Conn, message string) {
		if version(conn, message, 1) {
			return
		}
		if strings.HasPrefix(message, `["push"`) {
			executed.Add(1)
		}
		if n == 1 {
			conn.Close() // as kill -9 has it
			return
		}
		if message == `["pull",2]` {
			say(conn, `["resolve",2,{"result":42,"logs":[[]]}]`)
		}
	})
	client := dial(t, url, nil)
	_, err := client.Execute(t.Context(), &protocol.ExecuteRequest{Code: "x"})
	var broken *protocol.Error
	if !errors.As(err, &broken) || broken.Code != protocol.CodeConnectionBroken || !broken.Retryable || broken.Cause == nil || broken.Message != "Executor connection broke during execution" {
		t.Fatalf("%#v", err)
	}
	var calls sync.WaitGroup
	for range 5 { // they share one new session
		calls.Go(func() {
			s, err := client.acquire(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			s.settle()
		})
	}
	calls.Wait()
	if result, err := client.Execute(t.Context(), &protocol.ExecuteRequest{Code: "x"}); err != nil || string(result.Value) != "42" {
		t.Fatalf("%+v, %v", result, err)
	}
	if opened.Load() != 2 || executed.Load() != 2 {
		t.Errorf("%d sessions and %d executions", opened.Load(), executed.Load())
	}
}

func TestABreakDuringACallOfAHandle(t *testing.T) {
	leftover(t)
	url, _ := scripted(t, func(_ int, conn *websocket.Conn, message string) {
		if !version(conn, message, 1) {
			conn.Close()
		}
	})
	client := dial(t, url, nil)
	const want = "Executor connection broke during a call"
	if _, err := client.InvokeHandle(t.Context(), &protocol.InvokeRequest{ExecutionID: "e"}); !errors.Is(err, protocol.CodeConnectionBroken) || err.Error() != want {
		t.Errorf("invoking: %v", err)
	}
	if err := client.CloseHandles(t.Context(), "e"); !errors.Is(err, protocol.CodeConnectionBroken) || err.Error() != want {
		t.Errorf("closing: %v", err)
	}
}

// refusing serves an executor for the first session, and refuses those after it until it is told.
func refusing(t *testing.T) (url string, refuse *atomic.Bool, attempts *atomic.Int64, handler *Handler) {
	t.Helper()
	handler, err := NewHandler(&fake{execute: echo}, nil)
	if err != nil {
		t.Fatal(err)
	}
	refuse, attempts = new(atomic.Bool), new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		attempts.Add(1)
		if refuse.Load() {
			http.Error(w, "not now", http.StatusServiceUnavailable)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { handler.Close(); server.Close() })
	return "ws" + strings.TrimPrefix(server.URL, "http"), refuse, attempts, handler
}

// breakSessions ends every session of a handler and waits until the client has seen it.
func breakSessions(t *testing.T, handler *Handler, client *Client) {
	t.Helper()
	client.mu.Lock()
	s := client.current
	client.mu.Unlock()
	for _, served := range handler.openSessions() {
		served.rpc.Abort(errors.New("broken by the test"))
	}
	<-s.rpc.Broken()
}

func TestReconnecting(t *testing.T) {
	leftover(t)
	for name, c := range map[string]struct {
		options  DialOptions
		attempts int64
	}{
		"with attempts":      {DialOptions{ReconnectAttempts: 3, ReconnectBackoff: time.Millisecond}, 3},
		"with the one of no": {DialOptions{NoReconnect: true, ReconnectAttempts: 3}, 1},
	} {
		url, refuse, attempts, handler := refusing(t)
		client := dial(t, url, &c.options)
		refuse.Store(true)
		breakSessions(t, handler, client)
		before := attempts.Load()
		_, err := client.Execute(t.Context(), &protocol.ExecuteRequest{})
		if !errors.Is(err, protocol.CodeConnectionRejected) || err.Error() != "Failed to open WebSocket to "+url {
			t.Errorf("%s: %v", name, err)
		}
		if got := attempts.Load() - before; got != c.attempts {
			t.Errorf("%s: %d attempts", name, got)
		}
		refuse.Store(false)
		if _, err := client.Execute(t.Context(), &protocol.ExecuteRequest{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestClosingInTheMiddleOfAnAttempt(t *testing.T) {
	leftover(t)
	url, refuse, attempts, handler := refusing(t)
	client := dial(t, url, &DialOptions{ReconnectBackoff: time.Hour})
	refuse.Store(true)
	breakSessions(t, handler, client)
	before := attempts.Load()
	failed := make(chan error)
	go func() {
		_, err := client.Execute(t.Context(), &protocol.ExecuteRequest{})
		failed <- err
	}()
	for attempts.Load() == before {
		time.Sleep(time.Millisecond)
	}
	client.Close()
	const want = "RemoteExecutor is closed"
	if err := <-failed; !errors.Is(err, protocol.CodeConnectionBroken) || err.Error() != want {
		t.Errorf("the waiting call: %v", err)
	}
	if _, err := client.Execute(t.Context(), &protocol.ExecuteRequest{}); !errors.Is(err, protocol.CodeConnectionBroken) || err.Error() != want {
		t.Errorf("a later call: %v", err)
	}
	if err := client.CloseHandles(t.Context(), "x"); err == nil || err.Error() != want {
		t.Errorf("closing handles later: %v", err)
	}
}

func TestRotation(t *testing.T) {
	leftover(t)
	hold, held := make(chan struct{}), make(chan struct{})
	url, handler := daemon(t, &fake{execute: func(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		switch r.Code {
		case "hold":
			close(held)
			<-hold
		case "fail":
			return nil, errors.New("failed")
		}
		return value("1"), nil
	}}, nil)
	client := dial(t, url, &DialOptions{RotateAfterExecutions: 2})
	slow := make(chan error)
	go func() {
		_, err := client.Execute(t.Context(), &protocol.ExecuteRequest{Code: "hold"})
		slow <- err
	}()
	<-held
	for i := range 5 {
		code := "quick"
		if i == 1 {
			code = "fail" // counts like the others
		}
		client.Execute(t.Context(), &protocol.ExecuteRequest{Code: code})
	}
	if got := handler.metrics.sessions.Load(); got != 3 {
		t.Errorf("%d sessions for 5 executions", got)
	}
	close(hold)
	if err := <-slow; err != nil {
		t.Errorf("the execution on the retired session: %v", err)
	}
	for range 6000 { // it was the sixth to end, so that the third session is retired too
		if len(handler.openSessions()) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d sessions are open", len(handler.openSessions()))
}

func TestADisconnectEndsTheRuns(t *testing.T) {
	leftover(t)
	running, ended := make(chan struct{}), make(chan struct{})
	url, _ := daemon(t, &fake{execute: func(ctx context.Context, _ *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		close(running)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	}}, nil)
	client := dial(t, url, nil)
	go client.Execute(t.Context(), &protocol.ExecuteRequest{})
	<-running
	client.Close()
	<-ended
}
