package capnweb

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// closeDisposed is the close code of npm capnweb, whatever the reason.
const closeDisposed = 3000

// transport carries messages. read and write are called by one goroutine each; close by any, and ends both.
type transport interface {
	read() ([]byte, error)
	// drain reads and forgets until the end.
	drain()
	// write may hold back what it is given until flush.
	write(text []byte) error
	flush() error
	ping() error
	// farewell sends a close frame and waits for the peer's.
	farewell(code int, reason string)
	close()
}

// ErrClosed is the end of a session by the peer's close frame.
type ErrClosed struct {
	Code   int
	Reason string
}

func (e *ErrClosed) Error() string {
	return fmt.Sprintf("Peer closed WebSocket: %d %s", e.Code, e.Reason)
}

// Orderly reports whether the peer meant to end the session and had nothing to complain of.
func (e *ErrClosed) Orderly() bool {
	return e.Code == websocket.CloseNormalClosure || e.Code == websocket.CloseGoingAway ||
		e.Code == closeDisposed && e.Reason == errDisposed.Error()
}

// socket is the transport over a WebSocket. Reads extend its deadline with every piece, so that what counts is that the
// peer shows signs of life.
type socket struct {
	conn   *websocket.Conn
	batch  *batch // what conn writes to; nil when it writes at once
	limits Limits
	buffer []byte
	lent   *[lentBuffer]byte // what buffer is part of, at times
	once   sync.Once
	done   chan struct{} // closed when the reader has met the end
}

func newSocket(conn *websocket.Conn, batch *batch, limits Limits) *socket {
	t := &socket{conn: conn, batch: batch, limits: limits.resolve(), done: make(chan struct{})}
	conn.SetReadLimit(0)
	conn.SetPongHandler(func(string) error { t.alive(); return nil })
	ping := conn.PingHandler()
	conn.SetPingHandler(func(data string) error { t.alive(); return ping(data) })
	t.alive()
	return t
}

// alive moves the moment at which the peer counts as dead.
func (t *socket) alive() {
	if t.limits.PingInterval > 0 {
		_ = t.conn.SetReadDeadline(time.Now().Add(2*t.limits.PingInterval + t.limits.PingInterval/2)) // fails only on a closed connection
	}
}

func (t *socket) drain() {
	defer close(t.done)
	for {
		if _, _, err := t.conn.NextReader(); err != nil {
			return
		}
	}
}

// keptBuffer bounds the read buffer that a session keeps between messages. Larger ones, up to lentBuffer, are lent.
const keptBuffer, lentBuffer = 64 << 10, 2 << 20

// readBuffers has buffers of lentBuffer's size: a message that grows one of its own takes twice its length of memory.
var readBuffers = sync.Pool{New: func() any { return new([lentBuffer]byte) }}

func (t *socket) read() ([]byte, error) {
	text, err := t.readMessage()
	if err != nil {
		var closed *websocket.CloseError
		if errors.As(err, &closed) {
			return nil, &ErrClosed{closed.Code, closed.Text}
		}
	}
	return text, err
}

func (t *socket) readMessage() ([]byte, error) {
	kind, r, err := t.conn.NextReader()
	if err != nil {
		return nil, err
	}
	if kind != websocket.TextMessage {
		return nil, newError("Error", "", "a binary message is no Cap'n Web")
	}
	t.giveBack()
	text := t.buffer[:0]
	for {
		if len(text) == cap(text) {
			text = t.grow(text)
		}
		n, err := r.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		t.alive()
		if len(text) > t.limits.Message {
			return nil, newError("RangeError", CodeTooLarge, "Incoming message exceeds maximum size of %d bytes.", t.limits.Message)
		}
		if err == io.EOF {
			t.buffer = text
			return text, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// grow makes room for more of a message.
func (t *socket) grow(text []byte) []byte {
	if t.lent == nil && len(text) >= keptBuffer && len(text) < lentBuffer {
		t.lent = readBuffers.Get().(*[lentBuffer]byte)
		return t.lent[:copy(t.lent[:], text)]
	}
	return append(text, make([]byte, max(512, len(text)))...)[:len(text)]
}

// giveBack ends the use of a buffer that was lent for the message before, and of one that is too large to keep.
func (t *socket) giveBack() {
	if t.lent != nil {
		readBuffers.Put(t.lent)
		t.lent = nil
	}
	if cap(t.buffer) > keptBuffer {
		t.buffer = nil
	}
}

// piece is what a peer has to take within WriteTimeout.
const piece = 64 << 10

func (t *socket) write(text []byte) error {
	t.batch.hold()
	deadline := func() error { return t.conn.SetWriteDeadline(time.Now().Add(t.limits.WriteTimeout)) }
	if err := deadline(); err != nil {
		return err
	}
	if len(text) <= piece {
		return t.conn.WriteMessage(websocket.TextMessage, text)
	}
	return t.writePieces(text, deadline)
}

func (t *socket) writePieces(text []byte, deadline func() error) error {
	w, err := t.conn.NextWriter(websocket.TextMessage)
	if err != nil {
		return err
	}
	for len(text) > 0 {
		n := min(len(text), piece)
		if err := deadline(); err != nil {
			return err
		}
		if _, err := w.Write(text[:n]); err != nil {
			return err
		}
		text = text[n:]
	}
	return w.Close()
}

func (t *socket) flush() error { return t.batch.flush(t.limits.WriteTimeout) }

func (t *socket) ping() error {
	return t.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(t.limits.WriteTimeout))
}

func (t *socket) farewell(code int, reason string) {
	deadline := time.Now().Add(t.limits.CloseTimeout)
	if t.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), deadline) != nil || t.flush() != nil {
		return
	}
	// A connection that is closed with unread input resets, and the close frame is lost with it.
	select {
	case <-t.done:
	case <-time.After(time.Until(deadline)):
	}
}

func (t *socket) close() { t.once.Do(func() { t.conn.Close() }) }

// DialOptions adjusts Dial. The zero value of a field is its default.
type DialOptions struct {
	// Main is what the peer may call without having been given it; nil for nothing.
	Main Target
	// Header goes with the request that opens the WebSocket.
	Header http.Header
	// TLS configures wss; nil is Go's default.
	TLS *tls.Config
	// Limits bounds the session.
	Limits Limits
	// Address is the host:port to connect to, without a proxy, where it is not to be found out from the URL.
	Address string
}

// HandshakeError is a server that answered the opening request with something else than a WebSocket.
type HandshakeError struct {
	// Status is the HTTP status.
	Status int
	// Body is the beginning of the answer.
	Body string
}

func (e *HandshakeError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("the server answered %d %s: %s", e.Status, http.StatusText(e.Status), e.Body))
}

// Dial opens a session with a ws:, wss:, http:, https: or ws+unix: (ws+unix:///socket/path:/url/path) URL. ctx bounds the
// opening alone.
func Dial(ctx context.Context, address string, options *DialOptions) (*Session, error) {
	var o DialOptions
	if options != nil {
		o = *options
	}
	target, socketPath, err := splitAddress(address)
	if err != nil {
		return nil, err
	}
	var direct net.Dialer
	var opened *batch
	dialer := websocket.Dialer{
		WriteBufferSize: piece,
		WriteBufferPool: &writeBuffers,
		TLSClientConfig: o.TLS,
		Proxy:           http.ProxyFromEnvironment,
		NetDialContext: func(ctx context.Context, network, host string) (net.Conn, error) {
			if socketPath != "" {
				network, host = "unix", socketPath
			} else if o.Address != "" {
				host = o.Address
			}
			conn, err := direct.DialContext(ctx, network, host)
			if err != nil {
				return nil, err
			}
			opened = &batch{Conn: conn}
			return opened, nil
		},
	}
	if socketPath != "" || o.Address != "" {
		dialer.Proxy = nil
	}
	conn, response, err := dialer.DialContext(ctx, target, o.Header)
	if err != nil {
		if response != nil {
			body, _ := io.ReadAll(io.LimitReader(response.Body, shown)) // what there is of it
			return nil, &HandshakeError{response.StatusCode, strings.TrimSpace(string(body))}
		}
		return nil, err
	}
	return start(newSocket(conn, opened, o.Limits), o.Main, o.Limits), nil
}

// splitAddress takes the socket's path out of a ws+unix URL and makes the scheme a WebSocket's.
func splitAddress(address string) (target, socketPath string, err error) {
	if rest, ok := strings.CutPrefix(address, "ws+unix://"); ok {
		socketPath, path, found := strings.Cut(rest, ":")
		if !found {
			path = "/"
		}
		if socketPath == "" {
			return "", "", errors.New("a ws+unix URL names the socket: ws+unix:///path/to/socket")
		}
		return "ws://localhost/" + strings.TrimPrefix(path, "/"), socketPath, nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", "", errors.New("the URL cannot be read") // url.Error repeats it, password and all
	}
	switch u.Scheme {
	case "ws", "wss":
	case "http":
		u.Scheme = "ws"
	case "https":
		u.Scheme = "wss"
	default:
		return "", "", fmt.Errorf("the scheme %q is none of ws, wss, http, https and ws+unix", u.Scheme)
	}
	u.Fragment = ""
	return u.String(), "", nil
}

// upgrader accepts any origin: who may connect is decided before it.
var upgrader = websocket.Upgrader{
	CheckOrigin: func(*http.Request) bool { return true }, HandshakeTimeout: 10 * time.Second,
	WriteBufferSize: piece, WriteBufferPool: &writeBuffers,
}

// writeBuffers are lent to connections while they write, so that an idle one has none.
var writeBuffers sync.Pool

// Accept makes a request a session. When it cannot, it has answered the request. Who may connect, and from which origin,
// is the caller's to decide before.
func Accept(w http.ResponseWriter, r *http.Request, main Target, limits Limits) (*Session, error) {
	hijacked := &hijacker{ResponseWriter: w}
	conn, err := upgrader.Upgrade(hijacked, r, nil)
	if err != nil {
		return nil, err
	}
	return start(newSocket(conn, hijacked.batch, limits), main, limits), nil
}
