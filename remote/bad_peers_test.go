package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/codemode-go/codemode/protocol"
	"github.com/gorilla/websocket"
)

// counted is an executor whose programs are "quick", "hold", which runs until its context ends, and "big", whose value has a
// megabyte. It counts what runs.
type counted struct {
	fake
	running atomic.Int64
}

func newCounted() *counted {
	c := &counted{}
	big := `"` + strings.Repeat("x", 1<<20) + `"`
	c.execute = func(ctx context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		c.running.Add(1)
		defer c.running.Add(-1)
		switch r.Code {
		case "hold":
			<-ctx.Done()
			return nil, ctx.Err()
		case "big":
			return value(big), nil
		}
		return value(`"done"`), nil
	}
	return c
}

// requireService: a client still gets its answers.
func requireService(t *testing.T, client *Client, when string) {
	t.Helper()
	result, err := client.Execute(t.Context(), &protocol.ExecuteRequest{Code: "quick"})
	if err != nil || string(result.Value) != `"done"` {
		t.Errorf("%s: %+v, %v", when, result, err)
	}
}

// soon waits for what has to come true.
func soon(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never came true: %s", what)
		}
	}
}

// rawSession opens a WebSocket that the test itself speaks on.
func rawSession(t *testing.T, url string) *websocket.Conn {
	t.Helper()
	conn, response, err := websocket.DefaultDialer.DialContext(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	t.Cleanup(func() { conn.Close() })
	return conn
}

// closing reads until the peer has closed, and gives its reason.
func closing(t *testing.T, conn *websocket.Conn) string {
	t.Helper()
	for {
		if _, _, err := conn.ReadMessage(); err != nil {
			var closed *websocket.CloseError
			if !errors.As(err, &closed) {
				t.Fatalf("the session ended with %v", err)
			}
			return closed.Text
		}
	}
}

func TestAThousandConnectionsAtOnce(t *testing.T) {
	leftover(t)
	const most, attempts = 100, 1000
	url, handler := daemon(t, newCounted(), &HandlerOptions{MaxSessions: most})
	honest := dial(t, url, nil)
	requireService(t, honest, "before")
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)

	var accepted, refused atomic.Int64
	var all sync.WaitGroup
	release := make(chan struct{})
	for range attempts {
		all.Go(func() {
			conn, response, err := websocket.DefaultDialer.DialContext(t.Context(), url, nil)
			switch {
			case err == nil:
				response.Body.Close()
				accepted.Add(1)
				<-release
				conn.Close()
			case response != nil && response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") != "":
				response.Body.Close()
				refused.Add(1)
			default:
				t.Errorf("neither a session nor a refusal: %v", err)
			}
		})
	}
	soon(t, "each has an answer", func() bool { return t.Failed() || accepted.Load()+refused.Load() == attempts })
	if n := accepted.Load(); n != most-1 {
		t.Errorf("%d sessions beside the honest one, of at most %d in all", n, most)
	}
	requireService(t, honest, "beside them")
	close(release)
	all.Wait()
	soon(t, "the sessions are gone", func() bool { return len(handler.openSessions()) == 1 })
	requireService(t, dial(t, url, nil), "a session of one who comes later")
	soon(t, "the heap has nothing of them", func() bool { // connections take their time to go
		runtime.GC()
		runtime.ReadMemStats(&after)
		return int64(after.HeapAlloc)-int64(before.HeapAlloc) < 8<<20
	})
}

// cable carries connections to a daemon, until it is cut: then it carries nothing, and says nothing of it.
type cable struct {
	listener net.Listener
	cut      atomic.Bool
	all      sync.WaitGroup
	mu       sync.Mutex
	open     []net.Conn
}

func newCable(t *testing.T, target string) *cable {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{listener: listener}
	c.all.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", strings.TrimPrefix(target, "ws://"))
			if err != nil {
				near.Close()
				continue
			}
			c.mu.Lock()
			c.open = append(c.open, near, far)
			c.mu.Unlock()
			c.all.Go(func() { c.carry(near, far) })
			c.all.Go(func() { c.carry(far, near) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		c.mu.Lock()
		for _, conn := range c.open {
			conn.Close()
		}
		c.mu.Unlock()
		c.all.Wait()
	})
	return c
}

// carry copies one way. Its connections stay open whatever ends, as those of a machine that has lost its power.
func (c *cable) carry(from, to net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if c.cut.Load() {
			io.Copy(io.Discard, from)
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func TestAConnectionThatIsCutWithoutAWord(t *testing.T) {
	leftover(t)
	executor := newCounted()
	limits := SessionLimits{PingInterval: 400 * time.Millisecond, CloseTimeout: 50 * time.Millisecond} // honest peers have a second to answer
	url, handler := daemon(t, executor, &HandlerOptions{Session: limits})
	cable := newCable(t, url)
	client := dial(t, "ws://"+cable.listener.Addr().String(), &DialOptions{Session: limits})
	honest := dial(t, url, nil)
	broke := make(chan error)
	go func() {
		_, err := client.Execute(t.Context(), &protocol.ExecuteRequest{Code: "hold"})
		broke <- err
	}()
	soon(t, "it runs", func() bool { return executor.running.Load() == 1 })
	cable.cut.Store(true)
	if err := <-broke; !errors.Is(err, protocol.CodeConnectionBroken) {
		t.Errorf("the run ended with %v", err)
	}
	soon(t, "the daemon has ended the run", func() bool { return executor.running.Load() == 0 })
	soon(t, "the daemon has ended the session", func() bool { return len(handler.openSessions()) == 1 })
	requireService(t, honest, "beside it")
	cable.cut.Store(false)
	requireService(t, client, "once the line is whole again")
}

func TestAConnectionThatNeverAsks(t *testing.T) {
	executor := newCounted()
	url, _ := daemon(t, executor, nil)
	honest := dial(t, url, nil)
	for range 200 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "ws://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\nUpgr")
	}
	requireService(t, honest, "beside 200 of them")
	requireService(t, dial(t, url, nil), "after 200 of them")
}

func TestAPeerThatDoesNotReadHurtsNobodyElse(t *testing.T) {
	leftover(t)
	executor := newCounted()
	url, handler := daemon(t, executor, &HandlerOptions{Session: SessionLimits{Queued: 8 << 20, CloseTimeout: 50 * time.Millisecond}})
	honest := dial(t, url, nil)
	conn := rawSession(t, url)
	for i := range 400 {
		if conn.WriteMessage(websocket.TextMessage, []byte(`["push",["pipeline",0,["execute"],[{"code":"big"},null,null]]]`)) != nil ||
			conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `["pull",%d]`, i+1)) != nil {
			break // it has hung up on us
		}
		if i%40 == 0 {
			requireService(t, honest, "beside one that does not read")
		}
	}
	soon(t, "its session is over", func() bool { return len(handler.openSessions()) == 1 && executor.running.Load() == 0 })
	requireService(t, honest, "after it")
}

func TestRunsThatNobodyPullsEndWithTheirSession(t *testing.T) {
	leftover(t)
	executor := newCounted()
	url, handler := daemon(t, executor, &HandlerOptions{Session: SessionLimits{Calls: 200}, Concurrency: 4})
	honest := dial(t, url, nil)
	conn := rawSession(t, url)
	for range 300 {
		if conn.WriteMessage(websocket.TextMessage, []byte(`["push",["pipeline",0,["execute"],[{"code":"hold"},null,null]]]`)) != nil {
			break
		}
	}
	if why := closing(t, conn); why != "more than 200 calls at one time" {
		t.Errorf("its session was closed for %q", why)
	}
	soon(t, "no run is left", func() bool {
		running, waiting := handler.schedule.counts()
		return running+waiting == 0 && executor.running.Load() == 0
	})
	requireService(t, honest, "after it")
}

func TestAReleaseOfWhatNobodyHasEndsItsSessionAlone(t *testing.T) {
	leftover(t)
	executor := newCounted()
	url, handler := daemon(t, executor, nil)
	honest := dial(t, url, nil)
	for _, release := range []string{`["release",99,1]`, `["release",1,2]`, `["release",-7,1]`, `["release",0,1]`} {
		conn := rawSession(t, url)
		say(conn, `["push",["pipeline",0,["execute"],[{"code":"hold"},null,null]]]`)
		say(conn, `["pull",1]`)
		soon(t, "it runs", func() bool { return executor.running.Load() == 1 })
		say(conn, release)
		if why := closing(t, conn); !strings.Contains(why, "no such export ID") && !strings.Contains(why, "refcount would go negative") {
			t.Errorf("%s: its session was closed for %q", release, why)
		}
		soon(t, "its run has ended", func() bool { return executor.running.Load() == 0 && len(handler.openSessions()) == 1 })
		requireService(t, honest, "after "+release)
	}
}
