//go:build cgo && linux

package remote_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/codemode-go/codemode/remote"
)

// killClients starts clients, and kills each once it is in its state.
func killClients(until context.Context, fleet *fleet, report *hammerReport) {
	for until.Err() == nil {
		state := clientStates[rand.IntN(len(clientStates))]
		client, out, err := startClient(until, "ws://"+fleet.any().address, state)
		if err != nil {
			report.fail("a client does not start: %v", err)
			return
		}
		if rand.IntN(6) == 0 {
			time.Sleep(rand.N(100 * time.Millisecond))
			state = "connecting"
		} else if line, _ := bufio.NewReader(out).ReadString('\n'); line == "" {
			state = "(its daemon was killed first)"
		}
		endClient(client)
		report.add("clients killed", state)
	}
}

// pestToken is theirs, so that honest clients take turns with them.
const pestToken = "open"

// pests are peers that mean no good, by name.
var pests = map[string]func(until context.Context, address string){
	"garbage on the socket": func(_ context.Context, address string) {
		if conn, err := net.Dial("tcp", address); err == nil {
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(time.Second))
			_, _ = conn.Write(noise(4096))
			_, _ = io.Copy(io.Discard, conn)
		}
	},
	"half a request": func(_ context.Context, address string) {
		if conn, err := net.Dial("tcp", address); err == nil {
			defer conn.Close()
			fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: webso")
			time.Sleep(200 * time.Millisecond)
		}
	},
	"a wrong token": func(until context.Context, address string) {
		if client, err := remote.Dial(until, "ws://"+address, &remote.DialOptions{Token: "wrong"}); err == nil {
			client.Close()
		}
	},
	"binary frames": speak(func(conn *websocket.Conn) { _ = conn.WriteMessage(websocket.BinaryMessage, noise(100)) }),
	"text that is no message": speak(func(conn *websocket.Conn) {
		for _, text := range []string{`]`, `["push"]`, `["resolve",-7,1]`, `["release",99,1]`, strings.Repeat("[", 1000), `["push",["frob"]]`, string(noise(200))} {
			_ = conn.WriteMessage(websocket.TextMessage, []byte(text))
		}
	}),
	"pushes never pulled": speak(func(conn *websocket.Conn) {
		for range 20_000 {
			if conn.WriteMessage(websocket.TextMessage, []byte(`["push",["pipeline",0,["protocolVersion"],[]]]`)) != nil {
				return
			}
		}
	}),
	"a message without end": speak(func(conn *websocket.Conn) {
		w, err := conn.NextWriter(websocket.TextMessage)
		for chunk := make([]byte, 1<<20); err == nil; {
			_, err = w.Write(chunk)
		}
	}),
	"a thousand connections": func(until context.Context, address string) {
		var all sync.WaitGroup
		for range 25 {
			all.Go(func() {
				for i := 0; i < 40 && until.Err() == nil; i++ {
					if i%2 == 0 {
						speak(func(*websocket.Conn) {})(until, address) // and hangs up without a word
					} else if conn, err := net.Dial("tcp", address); err == nil {
						conn.Close()
					}
				}
			})
		}
		all.Wait()
	},
	"a line that is cut": speak(func(conn *websocket.Conn) {
		const push = `["push",["pipeline",0,["execute"],[{"code":"async () => { for (;;); }","timeout":1000},null,null]]]`
		_ = conn.WriteMessage(websocket.TextMessage, []byte(push))
		if tcp, ok := conn.NetConn().(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // closing resets it, as a machine does that has forgotten it
		}
	}),
	"a peer that does not read": speak(func(conn *websocket.Conn) {
		for id := range 50 {
			const push = `["push",["pipeline",0,["execute"],[{"code":"async () => 'x'.repeat(1e6)"},null,null]]]`
			if conn.WriteMessage(websocket.TextMessage, []byte(push)) != nil || conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `["pull",%d]`, id+1)) != nil {
				return
			}
		}
		time.Sleep(2 * time.Second)
	}),
}

// speak opens a WebSocket as an honest client does, and says something else.
func speak(say func(conn *websocket.Conn)) func(context.Context, string) {
	return func(until context.Context, address string) {
		dialer := websocket.Dialer{HandshakeTimeout: 5 * time.Second}
		conn, response, err := dialer.DialContext(until, "ws://"+address, http.Header{"Authorization": {"Bearer " + pestToken}})
		if err != nil {
			if response != nil {
				response.Body.Close()
			}
			return
		}
		defer conn.Close()
		_ = conn.SetWriteDeadline(time.Now().Add(5 * time.Second))
		say(conn)
	}
}

func noise(length int) []byte {
	text := make([]byte, length)
	for i := range text {
		text[i] = byte(rand.IntN(256))
	}
	return text
}

// pester sends each pest to a daemon in turn.
func pester(until context.Context, fleet *fleet, report *hammerReport) {
	for until.Err() == nil {
		for name, pest := range pests {
			if until.Err() != nil {
				return
			}
			pest(until, fleet.any().address)
			report.add("peers", name)
		}
	}
}
