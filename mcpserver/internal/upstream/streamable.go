package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/mcpserver/internal/message"
)

// streamable is the client's side of the Streamable HTTP transport, of the revisions with a handshake and of those
// without.
type streamable struct {
	web    *web
	log    *slog.Logger
	router *router
	// listening is called when the stream of GET has opened: what the server announced before that, or while the
	// stream was interrupted, went by unheard.
	listening func()

	ctx    context.Context // ends with close
	cancel context.CancelFunc
	wg     sync.WaitGroup
	once   sync.Once

	mu       sync.Mutex
	session  string
	revision string
	gone     bool // the server forgot the session
}

func newStreamable(w *web, log *slog.Logger, listening func()) *streamable {
	s := &streamable{web: w, log: log, listening: listening}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.router = newRouter(log, s.reply)
	return s
}

func (s *streamable) start(_ context.Context, in inbound) error {
	s.router.in = in
	return nil
}

// agreed opens the stream on which servers of the revisions with a handshake announce changes.
func (s *streamable) agreed(revision string) {
	s.mu.Lock()
	s.revision = revision
	s.mu.Unlock()
	if revision != "" && !isModern(revision) {
		s.wg.Go(s.listen)
	}
}

func (s *streamable) close() {
	s.once.Do(func() {
		s.mu.Lock()
		session := s.session
		s.mu.Unlock()
		if session != "" {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer cancel()
			if response, err := s.do(ctx, http.MethodDelete, nil, nil); err == nil { // the session ends by itself otherwise
				response.Body.Close()
			}
		}
		s.cancel()
	})
	s.router.close()
	s.wg.Wait()
	s.web.close()
}

// do sends one HTTP request with the headers of the transport.
func (s *streamable) do(ctx context.Context, method string, body []byte, headers map[string]string) (*http.Response, error) {
	s.mu.Lock()
	session, revision := s.session, s.revision
	s.mu.Unlock()
	all := map[string]string{"Accept": "application/json, text/event-stream"}
	if method == http.MethodGet {
		all["Accept"] = "text/event-stream"
	}
	if revision != "" {
		all["Mcp-Protocol-Version"] = revision
	}
	if session != "" {
		all["Mcp-Session-Id"] = session
	}
	for name, value := range headers {
		all[name] = value
	}
	return s.web.do(ctx, method, s.web.url, body, all)
}

// request implements link.
func (s *streamable) request(ctx context.Context, out *outgoing) (json.RawMessage, error) {
	text, err := out.envelope()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	if s.forgotten() {
		return nil, fmt.Errorf("%w: the server has forgotten the session", errUnsent)
	}
	answered := s.router.expect(out.id)
	defer s.router.forget(out.id)
	response, err := s.do(ctx, http.MethodPost, text, s.headers(out))
	if err != nil {
		return nil, err
	}
	result := make(chan error, 1)
	s.wg.Go(func() { result <- s.read(ctx, out, response) })
	select {
	case a := <-answered:
		return a.result, a.err
	case err = <-result:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case a := <-answered: // it was the last of what was read
		return a.result, a.err
	default:
	}
	if err == nil {
		err = &lostAnswer{"it ended its answer before the result came"}
	}
	return nil, err
}

func (s *streamable) headers(out *outgoing) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !isModern(s.revision) {
		return out.headers
	}
	headers := mcp.StandardHeaders(s.revision, mcp.MCPMethod(out.method), out.params)
	if headers == nil {
		headers = map[string]string{}
	}
	for name, value := range out.headers {
		headers[name] = value
	}
	return headers
}

func (s *streamable) forgotten() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone
}

// read takes the answer to a POST, which is one message or a stream of them.
func (s *streamable) read(ctx context.Context, out *outgoing, response *http.Response) error {
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return s.refused(out, response)
	}
	if id := response.Header.Get("Mcp-Session-Id"); id != "" && out.method == "initialize" {
		s.mu.Lock()
		s.session = id
		s.mu.Unlock()
	}
	switch kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind {
	case "application/json":
		body, err := readBody(response)
		if err != nil {
			return err
		}
		if !json.Valid(body) { // its id, if any, is not to be relied on: the answer can only be to this request
			return &unreadable{len(body), errors.New("it is no JSON")}
		}
		s.router.receive(ctx, body)
		return nil
	case "text/event-stream":
		return s.stream(ctx, response)
	default:
		return fmt.Errorf("it answered with the content type %q in place of JSON or an event stream; is this the URL of an MCP server?", response.Header.Get("Content-Type"))
	}
}

// refused says what a status other than 200 means. Servers put JSON-RPC errors into answers of 4xx.
func (s *streamable) refused(out *outgoing, response *http.Response) error {
	s.mu.Lock()
	if response.StatusCode == http.StatusNotFound && s.session != "" && response.Request.Header.Get("Mcp-Session-Id") == s.session {
		s.gone = true
	}
	gone := s.gone
	s.mu.Unlock()
	if gone {
		return fmt.Errorf("%w: the server has forgotten the session", errUnsent)
	}
	err := statusError(response)
	body, readErr := readBody(response)
	if readErr != nil {
		return err
	}
	if m, parseErr := message.Parse(body); parseErr == nil && m.Error != nil && m.Error[0] == '{' {
		return decodeError(m.Error)
	}
	if response.StatusCode == http.StatusAccepted {
		return fmt.Errorf("it accepted %s and sent no answer", out.method)
	}
	return err
}

// maxResumes bounds how often in a row a stream is reopened without any event coming.
const maxResumes = 5

// stream reads messages until the stream has ended. One that ends early is resumed from its last event id, if the server
// gives those.
func (s *streamable) stream(ctx context.Context, response *http.Response) error {
	var last event
	for failures := 0; ; {
		before := last.id
		err := s.events(ctx, response, &last)
		var large *tooLarge
		if errors.As(err, &large) || ctx.Err() != nil {
			return err
		}
		s.mu.Lock()
		modern := isModern(s.revision)
		s.mu.Unlock()
		if failures++; last.id != before {
			failures = 0
		}
		if last.id == "" || modern || failures > maxResumes {
			return broken(err)
		}
		pause := time.Second
		if last.retry >= 0 {
			pause = max(last.retry, 10*time.Millisecond)
		}
		if !sleep(ctx, pause) {
			return ctx.Err()
		}
		response, err = s.do(ctx, http.MethodGet, nil, map[string]string{"Last-Event-ID": last.id})
		if err != nil {
			return &lostAnswer{"its answer was interrupted, and could not be resumed: " + err.Error()}
		}
		if response.StatusCode != http.StatusOK {
			response.Body.Close()
			return &lostAnswer{"its answer was interrupted, and could not be resumed: " + statusError(response).Error()}
		}
	}
}

func broken(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	return &lostAnswer{fmt.Sprintf("the connection broke before the answer was complete (%v)", err)}
}

// events reads one response's events.
func (s *streamable) events(ctx context.Context, response *http.Response, last *event) error {
	defer response.Body.Close()
	reader := newEvents(response.Body)
	reader.current.id, reader.current.retry = last.id, -1
	for {
		e, err := reader.next()
		if err != nil {
			return err
		}
		*last = e
		if e.data != "" && (e.name == "" || e.name == "message") {
			s.router.receive(ctx, []byte(e.data))
		}
	}
}

// listen keeps the stream of GET open, where the server offers one.
func (s *streamable) listen() {
	var last event
	for pause := time.Second; ; pause = min(2*pause, time.Minute) {
		headers := map[string]string{}
		if last.id != "" {
			headers["Last-Event-ID"] = last.id
		}
		response, err := s.do(s.ctx, http.MethodGet, nil, headers)
		switch {
		case err != nil:
		case response.StatusCode == http.StatusOK && strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream"):
			s.listening()
			pause = time.Second
			_ = s.events(s.ctx, response, &last) // it is opened again
			if last.retry >= 0 {
				pause = max(last.retry, 100*time.Millisecond)
			}
		default:
			response.Body.Close()
			if response.StatusCode < 500 && response.StatusCode != http.StatusTooManyRequests {
				return // it has no such stream
			}
		}
		if !sleep(s.ctx, pause) {
			return
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// notify implements link.
func (s *streamable) notify(ctx context.Context, method string, params any) error {
	text, err := notification(method, params)
	if err != nil {
		return err
	}
	return s.post(ctx, text)
}

// reply sends an answer of ours. The request that the server's came with may be over by then.
func (s *streamable) reply(ctx context.Context, text []byte) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := s.post(ctx, text); err != nil {
		s.log.Debug("cannot answer the server", "error", err)
	}
}

func (s *streamable) post(ctx context.Context, text []byte) error {
	response, err := s.do(ctx, http.MethodPost, bytes.TrimSpace(text), nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		return statusError(response)
	}
	return nil
}
