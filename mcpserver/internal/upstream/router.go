package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"

	"github.com/codemode-go/codemode/mcpserver/internal/message"
)

// router brings what a server sent to whom it is for: an answer to its request, everything else to inbound.
type router struct {
	log *slog.Logger
	in  inbound
	// send writes an answer of ours; the context is that of the message it answers.
	send func(ctx context.Context, message []byte)

	ctx    context.Context // of requests that came outside the stream of one of ours
	cancel context.CancelFunc
	wg     sync.WaitGroup // the answering goroutines

	mu      sync.Mutex
	said    string // the beginning of the first line that was no message
	closed  bool
	pending map[int64]chan answer
	asked   map[string]context.CancelFunc // the server's requests, by their id's JSON
}

// answer is a server's answer to a request of ours.
type answer struct {
	result json.RawMessage
	err    error
}

func newRouter(log *slog.Logger, send func(context.Context, []byte)) *router {
	r := &router{log: log, send: send, pending: map[int64]chan answer{}, asked: map[string]context.CancelFunc{}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// close ends the server's requests and waits for their goroutines.
func (r *router) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	r.wg.Wait()
}

// expect registers a request; forget has to follow.
func (r *router) expect(id int64) <-chan answer {
	c := make(chan answer, 1)
	r.mu.Lock()
	r.pending[id] = c
	r.mu.Unlock()
	return c
}

func (r *router) forget(id int64) {
	r.mu.Lock()
	delete(r.pending, id)
	r.mu.Unlock()
}

// receive takes one message. A batch, which one revision of the protocol had, is its messages.
func (r *router) receive(ctx context.Context, raw []byte) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 {
		return
	}
	var batch []json.RawMessage
	if raw[0] == '[' && json.Unmarshal(raw, &batch) == nil {
		for _, one := range batch {
			r.receive(ctx, one)
		}
		return
	}
	m, err := message.Parse(raw)
	switch {
	case err != nil && raw[0] == '{':
		r.broken(raw, err)
	case err != nil:
		r.noise(raw)
	case m.IsRequest():
		r.serve(ctx, m)
	case m.IsNotification():
		r.notified(ctx, m)
	case m.IsAnswer():
		r.deliver(m.ID, decodeAnswer(m))
	default:
		r.noise(raw)
	}
}

func decodeAnswer(m *message.Message) answer {
	if m.Error != nil && string(m.Error) != "null" {
		return answer{err: decodeError(m.Error)}
	}
	return answer{result: m.Result}
}

// broken is what looks like a message and is none: the request that it answers must not wait for ever.
func (r *router) broken(raw []byte, cause error) {
	var s message.Scanner
	if s.Feed(raw) {
		var syntax *json.SyntaxError
		if errors.As(cause, &syntax) && strings.Contains(cause.Error(), "depth") {
			cause = errors.New("it is nested deeper than 10000 levels")
		}
		if r.deliver(s.ID(), answer{err: &unreadable{len(raw), cause}}) {
			return
		}
	}
	r.noise(raw)
}

// deliver hands an answer to whoever waits for it, and reports whether somebody does. Servers answer with our number, and
// some with its text.
func (r *router) deliver(id []byte, a answer) bool {
	n, err := strconv.ParseInt(strings.Trim(string(id), `"`), 10, 64)
	r.mu.Lock()
	c := r.pending[n]
	r.mu.Unlock()
	if err != nil || c == nil {
		r.log.Debug("an answer to a request that was given up, or never made", "id", string(id[:min(len(id), 80)]))
		return false
	}
	select {
	case c <- a:
	default: // a second answer to the same request
	}
	return true
}

// only returns the one request that waits; ok is false when it is not the only one.
func (r *router) only() (id []byte, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := range r.pending {
		return strconv.AppendInt(nil, n, 10), len(r.pending) == 1
	}
	return nil, false
}

// noise is what is no message: servers print banners. The first one is worth a warning.
func (r *router) noise(raw []byte) {
	level := slog.LevelDebug
	text := strings.ToValidUTF8(string(raw[:min(len(raw), 200)]), "\ufffd")
	if len(raw) > 200 { // half of a secret would not be known for one
		text = text[:max(strings.LastIndexAny(text, " \t"), 0)] + "…"
	}
	r.mu.Lock()
	if r.said == "" {
		r.said, level = strings.TrimSpace(text), slog.LevelWarn
	}
	r.mu.Unlock()
	r.log.Log(context.Background(), level, "the server writes what is no JSON-RPC where its messages go; it is skipped")
	r.log.Debug("skipped", "text", text)
}

// firstNoise is the beginning of the first line that was no message, or empty.
func (r *router) firstNoise() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.said
}

func (r *router) notified(ctx context.Context, m *message.Message) {
	if m.Method == "notifications/cancelled" {
		var params struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		_ = json.Unmarshal(m.Params, &params) // without an id there is nothing to cancel
		r.mu.Lock()
		cancel := r.asked[string(params.RequestID)]
		r.mu.Unlock()
		if cancel != nil {
			cancel()
		}
		return
	}
	r.in.notification(ctx, m.Method, m.Params)
}

// maxAsked bounds the requests of one server that wait for an answer.
const maxAsked = 64

// serve answers a request of the server beside the reading loop, which must go on.
func (r *router) serve(ctx context.Context, m *message.Message) {
	key := string(m.ID)
	ctx, cancel := context.WithCancel(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		cancel()
		return
	}
	if len(r.asked) >= maxAsked {
		cancel()
		r.wg.Go(func() {
			r.send(r.ctx, reply(m.ID, nil, &RPCError{Code: message.CodeInternal, Message: "Internal error: too many requests of this server wait for an answer"}))
		})
		return
	}
	r.asked[key] = cancel
	stop := context.AfterFunc(r.ctx, cancel)
	r.wg.Go(func() {
		defer stop()
		defer cancel()
		result, failure := r.in.request(ctx, m.Method, m.Params)
		r.mu.Lock()
		delete(r.asked, key)
		r.mu.Unlock()
		if ctx.Err() == nil { // else nobody waits for it
			r.send(ctx, reply(m.ID, result, failure))
		}
	})
}

// reply is an answer of ours. It always has a rendering: the parts came as JSON.
func reply(id, result json.RawMessage, failure *RPCError) []byte {
	text, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result,omitempty"`
		Error   *RPCError       `json:"error,omitempty"`
	}{"2.0", id, result, failure})
	if err != nil {
		return reply(id, nil, &RPCError{Code: message.CodeInternal, Message: "Internal error: the answer is no JSON"})
	}
	return text
}
