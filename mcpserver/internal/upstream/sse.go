package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// sse is the client's side of the HTTP+SSE transport, which the protocol's first revision had and servers still offer:
// one stream of GET for everything that the server says, and a second address to POST to.
type sse struct {
	web    *web
	log    *slog.Logger
	router *router

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	closed chan struct{} // the stream has ended

	mu       sync.Mutex
	endpoint string
	revision string
	reason   string
}

func newSSE(w *web, log *slog.Logger) *sse {
	s := &sse{web: w, log: log, closed: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.router = newRouter(log, func(ctx context.Context, text []byte) {
		if err := s.post(context.WithoutCancel(ctx), text); err != nil {
			log.Debug("cannot answer the server", "error", err)
		}
	})
	return s
}

// start opens the stream and waits for the address.
func (s *sse) start(ctx context.Context, in inbound) error {
	s.router.in = in
	stop := context.AfterFunc(ctx, s.cancel)
	defer stop()
	response, err := s.web.do(s.ctx, http.MethodGet, s.web.url, nil, map[string]string{"Accept": "text/event-stream"})
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		defer response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return fmt.Errorf("it answered with the content type %q in place of an event stream", response.Header.Get("Content-Type"))
		}
		return statusError(response)
	}
	ready := make(chan struct{})
	s.wg.Go(func() { s.read(response, ready) })
	select {
	case <-ready:
		return nil
	case <-s.closed:
		return errors.New(s.why())
	}
}

// read takes events until the stream ends.
func (s *sse) read(response *http.Response, ready chan struct{}) {
	defer close(s.closed)
	defer response.Body.Close()
	reader := newEvents(response.Body)
	for {
		e, err := reader.next()
		if err != nil {
			s.end(fmt.Sprintf("its event stream ended (%v)", err))
			return
		}
		switch {
		case e.name == "endpoint" && s.endpoint == "":
			if err := s.resolve(e.data); err != nil {
				s.end(err.Error())
				return
			}
			close(ready)
		case e.name == "message" || e.name == "":
			s.router.receive(s.router.ctx, []byte(e.data))
		}
	}
}

// resolve takes the address to POST to, which has to be on the same host: our headers go there.
func (s *sse) resolve(text string) error {
	base, err := url.Parse(s.web.url)
	if err != nil {
		return errors.New("the URL is not one")
	}
	address, err := base.Parse(strings.TrimSpace(text))
	if err != nil || address.Host != base.Host || address.Scheme != base.Scheme {
		return errors.New("it names an address on another host to send messages to")
	}
	s.mu.Lock()
	s.endpoint = address.String()
	s.mu.Unlock()
	return nil
}

func (s *sse) end(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reason == "" {
		s.reason = reason
	}
}

func (s *sse) why() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason
}

func (s *sse) agreed(revision string) {
	s.mu.Lock()
	s.revision = revision
	s.mu.Unlock()
}

func (s *sse) close() {
	s.end("closed")
	s.cancel()
	s.router.close()
	s.wg.Wait()
	s.web.close()
}

func (s *sse) request(ctx context.Context, out *outgoing) (json.RawMessage, error) {
	text, err := out.envelope()
	if err != nil {
		return nil, err
	}
	answered := s.router.expect(out.id)
	defer s.router.forget(out.id)
	select {
	case <-s.closed:
		return nil, fmt.Errorf("%w: %s", errUnsent, s.why())
	default:
	}
	if err := s.post(ctx, text); err != nil {
		return nil, err
	}
	select {
	case a := <-answered:
		return a.result, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.closed:
	}
	select {
	case a := <-answered:
		return a.result, a.err
	default:
	}
	return nil, &lostAnswer{s.why()}
}

func (s *sse) notify(ctx context.Context, method string, params any) error {
	text, err := notification(method, params)
	if err != nil {
		return err
	}
	return s.post(ctx, text)
}

// post sends one message; its answer, if it has one, comes on the stream.
func (s *sse) post(ctx context.Context, text []byte) error {
	s.mu.Lock()
	address, headers := s.endpoint, map[string]string{}
	if s.revision != "" {
		headers["Mcp-Protocol-Version"] = s.revision
	}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	response, err := s.web.do(ctx, http.MethodPost, address, text, headers)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		return statusError(response)
	}
	return nil
}
