package capnweb

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// rawPeer is a peer that sends exactly what a test says.
type rawPeer struct {
	t    testing.TB
	conn *websocket.Conn
}

func dialRaw(t testing.TB, url string) *rawPeer {
	t.Helper()
	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &rawPeer{t, conn}
}

func (p *rawPeer) send(messages ...string) {
	p.t.Helper()
	for _, m := range messages {
		if err := p.conn.WriteMessage(websocket.TextMessage, []byte(m)); err != nil {
			p.t.Fatalf("sending %.80s: %v", m, err)
		}
	}
}

// next reads a message, or says how the connection was closed.
func (p *rawPeer) next() string {
	p.t.Helper()
	_ = p.conn.SetReadDeadline(time.Now().Add(time.Minute))
	_, text, err := p.conn.ReadMessage()
	if closed, ok := err.(*websocket.CloseError); ok {
		return fmt.Sprintf("CLOSE %d %s", closed.Code, closed.Text)
	}
	if err != nil {
		return "FAILED " + err.Error()
	}
	return string(text)
}

func (p *rawPeer) expect(messages ...string) {
	p.t.Helper()
	for _, want := range messages {
		if got := p.next(); got != want {
			p.t.Fatalf("got  %.300s\nwant %.300s", got, want)
		}
	}
}

// acceptRaw serves one connection to a raw peer and gives our session with it.
func acceptRaw(t *testing.T, limits Limits) (*Session, *rawPeer) {
	t.Helper()
	conns := make(chan *websocket.Conn, 1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, err := upgrader.Upgrade(w, r, nil); err == nil {
			conns <- conn
		}
	})}
	go server.Serve(listener) // ends with the listener
	t.Cleanup(func() { server.Close() })
	s, err := Dial(t.Context(), "ws://"+listener.Addr().String(), &DialOptions{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	conn := <-conns
	t.Cleanup(func() { conn.Close() })
	return s, &rawPeer{t, conn}
}

// probes is what a raw peer sends a server of traceMain and what it gets. The texts are npm capnweb's where it has one.
var probes = []struct {
	name      string
	sent, got []string
}{
	{"the import form of a call", []string{`["push",["import",0,["echo"],[1]]]`, `["pull",1]`}, []string{`["resolve",1,1]`}},
	{"properties", []string{`["push",["pipeline",0,["nothing"]]]`, `["pull",1]`, `["push",["pipeline",0,["constructor"]]]`, `["pull",2]`},
		[]string{`["resolve",1,["undefined"]]`, `["resolve",2,["undefined"]]`}},
	{"properties of a result", []string{`["push",{"a":[[{"b":11}]]}]`, `["push",["pipeline",1,["a",0,"b"]]]`, `["pull",2]`, then, `["push",["pipeline",1,["x","y"]]]`, `["pull",3]`},
		[]string{`["resolve",2,11]`, `["reject",3,["error","TypeError","Cannot read properties of undefined (reading 'y')"]]`}},
	{"a property that is a function", []string{`["push",["pipeline",0,["echo"]]]`, `["pull",1]`, then, `["push",["pipeline",1,[],["x"]]]`, `["pull",2]`, then, `["push",["pipeline",-1,[],["y"]]]`, `["pull",3]`},
		[]string{`["resolve",1,["export",-1]]`, `["resolve",2,"x"]`, `["resolve",3,"y"]`}},
	{"a pipelined argument", []string{`["push",["pipeline",0,["echo"],["hi"]]]`, `["push",["pipeline",0,["echo"],[["pipeline",1]]]]`, `["pull",2]`, `["release",1,1]`}, []string{`["resolve",2,"hi"]`}},
	{"a call inside an argument", []string{`["push",["pipeline",0,["echo"],[{"x":["pipeline",0,["echo"],[[[5]]]]}]]]`, `["pull",1]`}, []string{`["resolve",1,{"x":[[5]]}]`}},
	{"base64, padded and URL-safe", []string{`["push",["pipeline",0,["echo"],[["bytes","AQI="]]]]`, `["pull",1]`, then, `["push",["pipeline",0,["echo"],[["bytes","_-8"]]]]`, `["pull",2]`},
		[]string{`["resolve",1,["bytes","AQI"]]`, `["resolve",2,["bytes","/+8"]]`}},
	{"an unknown expression", []string{`["push",["pipeline",0,["echo"],[["frob",1]]]]`}, []string{`["abort",["error","TypeError","unknown special value: [\"frob\",1]"]]`, `CLOSE 3000 unknown special value: ["frob",1]`}},
	{"an unescaped array", []string{`["push",["pipeline",0,["echo"],[[1,2]]]]`}, []string{`["abort",["error","TypeError","unknown special value: [1,2]"]]`, `CLOSE 3000 unknown special value: [1,2]`}},
	{"an unknown message", []string{`["frobnicate"]`}, []string{`["abort",["error","Error","bad RPC message: [\"frobnicate\"]"]]`, `CLOSE 3000 bad RPC message: ["frobnicate"]`}},
	{"no JSON", []string{`{oops`}, []string{`["abort",["error","SyntaxError","Expected property name in JSON at position 1"]]`, `CLOSE 3000 Expected property name in JSON at position 1`}},
	{"no array", []string{`{"a":1}`}, []string{`["abort",["error","Error","bad RPC message: {\"a\":1}"]]`, `CLOSE 3000 bad RPC message: {"a":1}`}},
	{"a push of nothing", []string{`["push"]`}, []string{`["abort",["error","Error","bad RPC message: [\"push\"]"]]`, `CLOSE 3000 bad RPC message: ["push"]`}},
	{"a pull of an unknown id", []string{`["pull",5]`}, []string{`["abort",["error","Error","no such export ID: 5"]]`, `CLOSE 3000 no such export ID: 5`}},
	{"a release of an unknown id", []string{`["release",5,1]`}, []string{`["abort",["error","Error","no such export ID: 5"]]`, `CLOSE 3000 no such export ID: 5`}},
	{"a release of the main object", []string{`["release",0,1]`}, []string{`["abort",["error","Error","no such export ID: 0"]]`, `CLOSE 3000 no such export ID: 0`}},
	{"a release of too much", []string{`["push",["pipeline",0,["echo"],[1]]]`, `["release",1,2]`}, []string{`["abort",["error","Error","refcount would go negative: 1 < 2"]]`, `CLOSE 3000 refcount would go negative: 1 < 2`}},
	{"a second release", []string{`["push",["pipeline",0,["echo"],[1]]]`, `["release",1,1]`, `["release",1,1]`}, []string{`["abort",["error","Error","no such export ID: 1"]]`, `CLOSE 3000 no such export ID: 1`}},
	{"a second pull", []string{`["push",["pipeline",0,["echo"],[1]]]`, `["pull",1]`, `["pull",1]`, then, `["push",2]`, `["pull",2]`}, []string{`["resolve",1,1]`, `["resolve",2,2]`}},
	{"a push on an unknown export", []string{`["push",["pipeline",7,["x"],[]]]`}, []string{`["abort",["error","Error","no such entry on exports table: 7"]]`, `CLOSE 3000 no such entry on exports table: 7`}},
	{"a push on itself", []string{`["push",["pipeline",1,["x"],[]]]`}, []string{`["abort",["error","Error","no such entry on exports table: 1"]]`, `CLOSE 3000 no such entry on exports table: 1`}},
	{"an answer to nothing", []string{`["resolve",99,{"f":["export",-5]}]`, `["reject",98,1]`, `["push",1]`, `["pull",1]`}, []string{`["release",-5,1]`, `["resolve",1,1]`}},
	{"later elements of a message", []string{`["push",["pipeline",0,["echo"],["x"]],"future"]`, `["pull",1,{}]`}, []string{`["resolve",1,"x"]`}},
	{"a pipeline of five", []string{`["push",["pipeline",0,["echo"],["x"],1]]`}, []string{`["abort",["error","TypeError","unknown special value: [\"pipeline\",0,[\"echo\"],[\"x\"],1]"]]`, `CLOSE 3000 unknown special value: ["pipeline",0,["echo"],["x"],1]`}},
	{"arguments that are no list", []string{`["push",["pipeline",0,["echo"],{"a":1}]]`}, []string{`["abort",["error","TypeError","unknown special value: [\"pipeline\",0,[\"echo\"],{\"a\":1}]"]]`, `CLOSE 3000 unknown special value: ["pipeline",0,["echo"],{"a":1}]`}},
	{"a promise as argument", []string{`["push",["pipeline",0,["echo"],[["promise",-1]]]]`, `["pull",1]`, `["resolve",-1,{"late":true}]`}, []string{`["release",-1,1]`, `["resolve",1,{"late":true}]`}},
	{"a promise that rejects", []string{`["push",["pipeline",0,["echo"],[["promise",-1]]]]`, `["pull",1]`, `["reject",-1,"no"]`}, []string{`["release",-1,1]`, `["reject",1,"no"]`}},
	{"a stream", []string{`["stream",["pipeline",0,["echo"],[1]]]`, then, `["push",2]`, `["pull",2]`, `["pull",1]`},
		[]string{`["resolve",1,1]`, `["resolve",2,2]`, `["abort",["error","Error","no such export ID: 1"]]`, `CLOSE 3000 no such export ID: 1`}},
	{"a pipe", []string{`["pipe"]`, `["push",["pipeline",0,["echo"],[2]]]`, `["pull",2]`, then, `["push",["pipeline",1,["write"],[1]]]`, `["pull",3]`, `["release",1,1]`},
		[]string{`["resolve",2,2]`, `["reject",3,["error","TypeError","Cap'n Web pipe is not supported by this peer",null,{"code":"ERR_UNSUPPORTED"}]]`}},
	{"map", []string{`["push",["pipeline",0,["echo"],[[[1]]]]]`, `["push",["remap",1,[],[["import",0],["export",-1]],[["pipeline",-1,["add"],[["pipeline",0]]]]]]`, `["pull",2]`},
		[]string{`["release",-1,1]`, `["reject",2,["error","TypeError","Cap'n Web remap is not supported by this peer",null,{"code":"ERR_UNSUPPORTED"}]]`}},
	{"a stream as argument", []string{`["push",["pipeline",0,["echo"],[["writable",-1]]]]`, `["pull",1]`, `["push",["pipeline",0,["echo"],[["blob","text/plain",["readable",1]]]]]`, `["pull",2]`},
		[]string{`["release",-1,1]`, `["reject",1,["error","TypeError","Cap'n Web writable is not supported by this peer",null,{"code":"ERR_UNSUPPORTED"}]]`,
			`["reject",2,["error","TypeError","Cap'n Web blob is not supported by this peer",null,{"code":"ERR_UNSUPPORTED"}]]`}},
	{"an id introduced twice", []string{`["push",["pipeline",0,["twice"],[["export",-1],["export",-1]]]]`, `["pull",1]`, then, then, `["resolve",1,"a"]`, then, then, then, `["resolve",2,"b"]`},
		[]string{`["push",["pipeline",-1,[],[1]]]`, `["pull",1]`, `["release",1,1]`, `["push",["pipeline",-1,[],[2]]]`, `["pull",2]`, `["release",2,1]`, `["release",-1,2]`, `["resolve",1,[["a","b"]]]`}},
	{"our own function comes back", []string{`["push",["pipeline",0,["makeCounter"],[]]]`, `["pull",1]`, then, `["push",["pipeline",0,["callNext"],[["import",-1]]]]`, `["pull",2]`, then, `["push",["pipeline",0,["callNext"],[["import",1]]]]`, `["pull",3]`},
		[]string{`["resolve",1,["export",-1]]`, `["resolve",2,1]`, `["resolve",3,2]`}},
	{"fire and forget", []string{`["push",["pipeline",0,["echo"],[1]]]`, `["release",1,1]`, `["push",["pipeline",0,["stats"],[]]]`, `["pull",2]`}, []string{`["resolve",2,{"imports":1,"exports":2}]`}},
	{"undefined, exactly", []string{`["push",["undefined",1]]`}, []string{`["abort",["error","TypeError","unknown special value: [\"undefined\",1]"]]`, `CLOSE 3000 unknown special value: ["undefined",1]`}},
	{"a date of text", []string{`["push",["date","x"]]`}, []string{`["abort",["error","TypeError","unknown special value: [\"date\",\"x\"]"]]`, `CLOSE 3000 unknown special value: ["date","x"]`}},
	{"an export with our sign", []string{`["push",["pipeline",0,["echo"],[["export",1]]]]`}, []string{`["abort",["error","Error","an export's id must be negative, got 1"]]`, `CLOSE 3000 an export's id must be negative, got 1`}},
	{"bytes of an unknown kind", []string{`["push",["bytes","AA","Frob"]]`}, []string{`["abort",["error","TypeError","Unknown bytes type marker: Frob"]]`, `CLOSE 3000 Unknown bytes type marker: Frob`}},
	{"bytes of a wrong length", []string{`["push",["bytes","AA","Uint16Array"]]`}, []string{`["abort",["error","TypeError","Invalid byte length 1 for Uint16Array; expected a multiple of 2"]]`, `CLOSE 3000 Invalid byte length 1 for Uint16Array; expected a multiple of 2`}},
	{"an abort", []string{`["abort",["error","Error","bye"]]`}, []string{`CLOSE 3000 aborted`}},
	{"250 levels", []string{`["push",["pipeline",0,["kind"],[` + nested(250) + `]]]`, `["pull",1]`}, []string{`["resolve",1,"json.RawMessage"]`}},
	{"260 levels", []string{`["push",["pipeline",0,["kind"],[` + nested(260) + `]]]`},
		[]string{`["abort",["error","TypeError","Deserialization exceeded maximum allowed message depth of 256.",null,{"code":"ERR_LIMIT"}]]`, `CLOSE 3000 Deserialization exceeded maximum allowed message depth of 256.`}},
	{"a million brackets", []string{`["push",` + strings.Repeat("[", 1_000_000)},
		[]string{`["abort",["error","TypeError","Deserialization exceeded maximum allowed message depth of 256.",null,{"code":"ERR_LIMIT"}]]`, `CLOSE 3000 Deserialization exceeded maximum allowed message depth of 256.`}},
}

// then stands among what a probe sends for the moment at which the next answer has to be there.
const then = "then"

func nested(levels int) string { return strings.Repeat("[[", levels) + strings.Repeat("]]", levels) }

func TestRawProbes(t *testing.T) {
	for _, probe := range probes {
		t.Run(probe.name, func(t *testing.T) {
			leftover(t)
			url, _ := serve(t, Limits{}, traceMain)
			peer := dialRaw(t, url)
			got := probe.got
			for _, m := range probe.sent {
				if m != then {
					peer.send(m)
					continue
				}
				peer.expect(got[0])
				got = got[1:]
			}
			peer.expect(got...)
			if last := probe.got[len(probe.got)-1]; !strings.HasPrefix(last, "CLOSE") {
				peer.send(`["frobnicate"]`) // still there, and nothing else was said
				peer.expect(`["abort",["error","Error","bad RPC message: [\"frobnicate\"]"]]`)
			}
		})
	}
}

func TestABinaryMessageEndsTheSession(t *testing.T) {
	leftover(t)
	url, _ := serve(t, Limits{}, traceMain)
	peer := dialRaw(t, url)
	if err := peer.conn.WriteMessage(websocket.BinaryMessage, []byte(`["push",1]`)); err != nil {
		t.Fatal(err)
	}
	peer.expect(`["abort",["error","Error","a binary message is no Cap'n Web"]]`, "CLOSE 3000 a binary message is no Cap'n Web")
}

func TestInvalidUTF8EndsTheSession(t *testing.T) {
	leftover(t)
	url, _ := serve(t, Limits{}, traceMain)
	peer := dialRaw(t, url)
	peer.send("[\"push\",\"\xff\"]")
	peer.expect(`["abort",["error","SyntaxError","the message is no valid UTF-8"]]`)
}

func TestCallsBeginInTheirOrder(t *testing.T) {
	leftover(t)
	slow := make(chan struct{})
	url, _ := serve(t, Limits{}, func(s *Session) Target {
		main := traceMain(s)
		make := main["makeCounter"]
		main["makeSlowly"] = func(args []any) Run {
			run := make(args)
			return Async(func(ctx context.Context, _ []any) (any, error) { <-slow; return run(ctx) })(nil)
		}
		return main
	})
	peer := dialRaw(t, url)
	peer.send(`["push",["pipeline",0,["makeSlowly"],[]]]`)
	const calls = 6000
	for i := range calls { // half of them on a promise, and the rest while those are being begun
		if i == calls/2 {
			close(slow)
		}
		peer.send(`["push",["pipeline",1,["next"],[]]]`)
	}
	go func() {
		for i := range calls {
			peer.send(fmt.Sprintf(`["pull",%d]`, i+2))
		}
	}()
	for range calls {
		var id, n int
		got := peer.next()
		if _, err := fmt.Sscanf(got, `["resolve",%d,%d]`, &id, &n); err != nil || n != id-1 {
			t.Fatalf("call %d was begun as number %d (%s)", id-1, n, got)
		}
	}
}

func TestLimitsEndTheSession(t *testing.T) {
	for name, c := range map[string]struct {
		limits Limits
		sent   func(p *rawPeer)
		text   string
	}{
		"pushes that are never pulled": {Limits{Table: 100}, func(p *rawPeer) {
			for range 100 {
				p.send(`["push",1]`)
			}
		}, "more than 100 calls and objects are held for the peer"},
		"pipes": {Limits{Table: 100}, func(p *rawPeer) {
			for range 100 {
				p.send(`["pipe"]`)
			}
		}, "more than 100 calls and objects are held for the peer"},
		"stubs that pile up": {Limits{Table: 100}, func(p *rawPeer) {
			stubs := make([]string, 100)
			for i := range stubs {
				stubs[i] = fmt.Sprintf(`["export",%d]`, -1-i)
			}
			p.send(`["push",["pipeline",0,["never"],[` + strings.Join(stubs, ",") + `]]]`)
		}, "more than 100 objects of the peer are held"},
		"calls at one time": {Limits{Calls: 10}, func(p *rawPeer) {
			for range 11 {
				p.send(`["push",["pipeline",0,["never"],[]]]`)
			}
		}, "more than 10 calls at one time"},
		"bytes of arguments": {Limits{Held: 1 << 20}, func(p *rawPeer) {
			for range 11 {
				p.send(`["push",["pipeline",0,["never"],["` + strings.Repeat("x", 100_000) + `"]]]`)
			}
		}, "calls hold more than 1048576 bytes"},
		"a message": {Limits{Message: 1000}, func(p *rawPeer) {
			p.send(`["push","` + strings.Repeat("x", 1000) + `"]`)
		}, "Incoming message exceeds maximum size of 1000 bytes."},
	} {
		t.Run(name, func(t *testing.T) {
			leftover(t)
			url, _ := serve(t, c.limits, traceMain)
			peer := dialRaw(t, url)
			c.sent(peer)
			for {
				switch got := peer.next(); {
				case strings.HasPrefix(got, "CLOSE"):
					if got != "CLOSE 3000 "+c.text {
						t.Errorf("%s", got)
					}
					return
				case strings.HasPrefix(got, "FAILED"):
					t.Fatal(got)
				}
			}
		})
	}
}

func TestAResultOverTheLimitRejectsItsCallAlone(t *testing.T) {
	leftover(t)
	url, _ := serve(t, Limits{Message: 1000}, func(s *Session) Target {
		main := traceMain(s)
		main["big"] = Async(func(context.Context, []any) (any, error) { return strings.Repeat("x", 1000), nil })
		return main
	})
	peer := dialRaw(t, url)
	peer.send(`["push",["pipeline",0,["big"],[]]]`, `["pull",1]`)
	peer.expect(`["reject",1,["error","RangeError","the message has 1016 bytes, and a session carries at most 1000",null,{"code":"PAYLOAD_TOO_LARGE"}]]`)
	peer.send(`["push",["pipeline",0,["echo"],[1]]]`, `["pull",2]`)
	peer.expect(`["resolve",2,1]`)
}

func TestAPeerThatDoesNotReadEndsItsSession(t *testing.T) {
	leftover(t)
	url, sessions := serve(t, Limits{Queued: 1 << 20, CloseTimeout: 50 * time.Millisecond}, traceMain)
	peer := dialRaw(t, url)
	big := strings.Repeat("x", 1<<20)
	for i := range 40 {
		message := fmt.Sprintf(`["push",["pipeline",0,["echo"],["%s"]]]`, big)
		if peer.conn.WriteMessage(websocket.TextMessage, []byte(message)) != nil ||
			peer.conn.WriteMessage(websocket.TextMessage, []byte(fmt.Sprintf(`["pull",%d]`, i+1))) != nil {
			break // it has hung up on us
		}
	}
	s := <-sessions
	<-s.Broken()
	if want := "more than 1048576 bytes wait for a peer that does not read"; s.Err().Error() != want {
		t.Errorf("the session ended with %v", s.Err())
	}
}

func TestASilentPeerIsDead(t *testing.T) {
	leftover(t)
	url, sessions := serve(t, Limits{PingInterval: 20 * time.Millisecond}, traceMain)
	dialRaw(t, url) // it never reads, so it never answers a ping
	s := <-sessions
	<-s.Broken()
	if netErr, ok := s.Err().(net.Error); !ok || !netErr.Timeout() {
		t.Errorf("the session ended with %v", s.Err())
	}
}

func TestAPeerThatAnswersPingsLives(t *testing.T) {
	leftover(t)
	const interval = 250 * time.Millisecond // an answer takes a busy machine some of that
	url, _ := serve(t, Limits{PingInterval: interval}, traceMain)
	s := dial(t, url, nil)
	time.Sleep(4 * interval)
	if answer, err := s.Main().Call(t.Context(), "echo", 1); err != nil || text(t, answer) != "1" {
		t.Error(answer, err)
	}
}
