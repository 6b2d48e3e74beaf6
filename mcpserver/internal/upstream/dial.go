package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/child"
)

// dialer makes a new way to the server, not yet initialised.
type dialer func(log *slog.Logger) (*endpoint, error)

// fromConfig dials what a configuration file describes.
func fromConfig(s *config.Server, supervisor *child.Supervisor) dialer {
	if s.Transport == config.TransportHTTP {
		return func(*slog.Logger) (*endpoint, error) { return dialHTTP(s) }
	}
	return func(log *slog.Logger) (*endpoint, error) { return dialChild(s, supervisor, log) }
}

// inProcess dials a server of our own process.
func inProcess(s *server.MCPServer) dialer {
	return func(*slog.Logger) (*endpoint, error) {
		t := inProcessTap{transport.NewInProcessTransport(s)}
		return &endpoint{transport: t, changed: make(chan struct{}, 1), close: func() { _ = t.Close() }}, nil // its Close has no failure
	}
}

// dialChild starts a server as a child process.
func dialChild(s *config.Server, supervisor *child.Supervisor, log *slog.Logger) (*endpoint, error) {
	own := make([]string, 0, len(s.Env))
	for _, v := range s.Env {
		own = append(own, v.Name+"="+v.Value)
	}
	process, err := supervisor.Start(&child.Command{
		Label: s.Name, Name: s.Command, Args: s.Args, Dir: s.Dir, Env: child.Environment(own, s.InheritEnv),
	})
	if err != nil {
		return nil, err
	}
	p := newPipe(process.Stdin, process.Stdout, log)
	return &endpoint{
		transport: p,
		changed:   make(chan struct{}, 1),
		lost:      p.closed,
		why:       func() string { return childEnd(p, process) },
		close: func() {
			_ = p.Close() // it has no failure
			process.Stop()
			p.wait()
		},
	}, nil
}

// childEnd says how a child's connection ended, with the last words of the child.
func childEnd(p *pipe, process *child.Process) string {
	// The end of its output comes first, and its status and last words right after.
	why, last := process.LastWords(200*time.Millisecond, 5)
	if why == "running" {
		why = p.why()
	}
	if last != "" {
		why += "; its last words: " + last
	}
	return why
}

// dialHTTP makes a client of a Streamable HTTP server. It listens for notifications on the stream of GET, which pins the
// revisions that have a handshake.
func dialHTTP(s *config.Server) (*endpoint, error) {
	e := &endpoint{changed: make(chan struct{}, 1)}
	last := &lastStatus{base: http.DefaultTransport.(*http.Transport).Clone(), listening: e.mayHaveChanged}
	headers := map[string]string{}
	for _, h := range s.Headers {
		headers[h.Name] = h.Value
	}
	streamable, err := transport.NewStreamableHTTP(s.URL,
		transport.WithHTTPHeaders(headers),
		transport.WithHTTPBasicClient(&http.Client{Transport: last, CheckRedirect: sameHost}),
		transport.WithHTTPLogger(slog.New(slog.DiscardHandler)), // it logs each reconnection as an error
		//lint:ignore SA1019 the revisions we speak announce changed tools on the GET stream, and nowhere else
		transport.WithContinuousListening(),
	)
	if err != nil {
		return nil, errors.New("the URL is not one") // the cause quotes it
	}
	t := &httpTap{StreamableHTTP: streamable}
	e.transport, e.why = t, last.why
	e.close = func() {
		_ = t.Close() // its Close has no failure
		t.wg.Wait()
		last.base.CloseIdleConnections()
	}
	return e, nil
}

// sameHost refuses to carry configured headers to a host that the configuration does not name.
func sameHost(request *http.Request, via []*http.Request) error {
	if request.URL.Host != via[0].URL.Host {
		return fmt.Errorf("the server redirects to another host, %s; configure that URL instead", request.URL.Host)
	}
	if len(via) > 10 {
		return errors.New("the server redirects in circles")
	}
	return nil
}

// httpTap records answers, and tells the server about requests that were given up, which the client does for stdio only.
type httpTap struct {
	*transport.StreamableHTTP
	wg sync.WaitGroup
}

// SendRequest implements transport.Interface.
func (t *httpTap) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	response, err := t.StreamableHTTP.SendRequest(ctx, request)
	record(ctx, response, err)
	if err != nil && ctx.Err() != nil && request.Method == string(mcp.MethodToolsCall) {
		t.wg.Go(func() { t.cancelled(request.ID) })
	}
	return response, err
}

func (t *httpTap) cancelled(id mcp.RequestId) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = t.SendNotification(ctx, mcp.JSONRPCNotification{ // nobody is left to hear of a failure
		JSONRPC: mcp.JSONRPC_VERSION,
		Notification: mcp.Notification{
			Method: string(mcp.MethodNotificationCancelled),
			Params: mcp.NotificationParams{AdditionalFields: map[string]any{"requestId": id, "reason": "the run was given up"}},
		},
	})
}

// SetRequestHandler implements transport.BidirectionalInterface; the client's own handler has the wrong error code.
func (t *httpTap) SetRequestHandler(transport.RequestHandler) {
	t.StreamableHTTP.SetRequestHandler(answerServer)
}

// lastStatus remembers what the server answered to the last POST, which the transport's errors do not tell, and bounds
// what it may answer.
type lastStatus struct {
	base *http.Transport
	// listening is called when the stream of GET has opened: what the server announced before that, or while the
	// stream was interrupted, went by unheard.
	listening func()

	mu     sync.Mutex
	status int
	failed error
}

// RoundTrip implements http.RoundTripper.
func (l *lastStatus) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.base.RoundTrip(request)
	if request.Method == http.MethodPost {
		l.mu.Lock()
		l.status, l.failed = 0, err
		if err == nil {
			l.status = response.StatusCode
		}
		l.mu.Unlock()
	}
	if err == nil && request.Method == http.MethodGet && response.StatusCode == http.StatusOK {
		l.listening()
	}
	if err == nil && request.Method == http.MethodPost {
		response.Body = &limitedBody{ReadCloser: response.Body, left: maxMessage}
	}
	return response, err
}

// why says what is wrong with a server that did not get ready; empty when HTTP has nothing to do with it.
func (l *lastStatus) why() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.failed != nil:
		return fmt.Sprintf("it cannot be reached: %v", l.failed)
	case l.status == http.StatusUnauthorized:
		return "it needs a login (HTTP 401); put its token into \"headers\", for example {\"Authorization\": \"Bearer ${TOKEN}\"}"
	case l.status == http.StatusNotFound, l.status == http.StatusMethodNotAllowed:
		return fmt.Sprintf("it answered HTTP %d %s; is this the URL of a Streamable HTTP server? (often it ends in /mcp)", l.status, http.StatusText(l.status))
	case l.status >= 400:
		return fmt.Sprintf("it answered HTTP %d %s", l.status, http.StatusText(l.status))
	}
	return ""
}

// limitedBody fails a body that outgrows the bound, which a reader alone would take for its end.
type limitedBody struct {
	io.ReadCloser
	left int64
}

func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("the server sent more than %d MiB", maxMessage>>20)
	}
	return n, err
}
