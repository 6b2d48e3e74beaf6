package upstream

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/child"
)

// dialer makes a new way to the server, not yet initialised. A server may have several, to be tried in turn.
type dialer func(log *slog.Logger) (*endpoint, error)

// fromConfig dials what a configuration file describes. A bare URL may be that of a server with the protocol's first
// HTTP transport.
func fromConfig(s *config.Server, supervisor *child.Supervisor, auth Authorizer, v *vault) []dialer {
	streamable := func(log *slog.Logger) (*endpoint, error) { return dialStreamable(s, credentialsOf(s, auth, v), log) }
	legacy := func(log *slog.Logger) (*endpoint, error) { return dialSSE(s, credentialsOf(s, auth, v), log) }
	switch s.Transport {
	case config.TransportHTTP:
		return []dialer{streamable, legacy}
	case config.TransportOpenAPI:
		return []dialer{func(log *slog.Logger) (*endpoint, error) { return dialOpenAPI(s, v, log) }}
	}
	return []dialer{func(log *slog.Logger) (*endpoint, error) { return dialChild(s, supervisor, log) }}
}

// whereabouts is how a server is reached, in the terms of OpenTelemetry.
func whereabouts(s *config.Server) (transport, address string, port int) {
	if s.Transport == config.TransportStdio {
		return "pipe", "", 0
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return "tcp", "", 0
	}
	port, err = strconv.Atoi(u.Port())
	if err != nil {
		port = map[string]int{"http": 80, "https": 443}[u.Scheme]
	}
	return "tcp", u.Hostname(), port
}

// isOtherTransport reports whether a failed start is worth another try with the other HTTP transport: the statuses that
// the specification names for that.
func isOtherTransport(err error) bool {
	var status *badStatus
	return errors.As(err, &status) && (status.code == 400 || status.code == 404 || status.code == 405)
}

// dialInProcess dials a server of our own process.
func dialInProcess(s *server.MCPServer) dialer {
	return func(*slog.Logger) (*endpoint, error) {
		l := newInProcess(s)
		return &endpoint{link: l, changed: make(chan struct{}, 1), close: l.close}, nil
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
		link:    p,
		changed: make(chan struct{}, 1),
		lost:    p.closed,
		why:     func() string { return childEnd(p, process) },
		close: func() {
			p.hangUp()
			process.Stop()
			p.close()
		},
	}, nil
}

// childEnd says how a child's connection ended, with the last words of the child.
func childEnd(p *pipe, process *child.Process) string {
	// The end of its output comes first, and its status and last words right after, on a busy machine not at once.
	said, limit := p.why(), 2*time.Second
	ended := said == "it closed its output" || said == "it no longer reads its input"
	if !ended {
		limit = 200 * time.Millisecond
	}
	why, last := process.LastWords(limit, 5)
	if why == "running" || !ended {
		why = said
	}
	if last != "" {
		why += "; its last words: " + last
	}
	return why
}

// dialStreamable makes a client of a Streamable HTTP server.
func dialStreamable(s *config.Server, c credentials, log *slog.Logger) (*endpoint, error) {
	w, err := newWeb(s.URL, c)
	if err != nil {
		return nil, err
	}
	e := &endpoint{changed: make(chan struct{}, 1), statelessCancel: true}
	l := newStreamable(w, log, e.mayHaveChanged)
	e.link, e.close = l, l.close
	return e, nil
}

// dialSSE makes a client of a server with the protocol's first HTTP transport.
func dialSSE(s *config.Server, c credentials, log *slog.Logger) (*endpoint, error) {
	w, err := newWeb(s.URL, c)
	if err != nil {
		return nil, err
	}
	l := newSSE(w, log)
	return &endpoint{link: l, changed: make(chan struct{}, 1), lost: l.closed, why: l.why, close: l.close}, nil
}

// Authorizer makes and keeps the logins of HTTP servers.
type Authorizer interface {
	// Token is the bearer token for a server, empty when there is no login. Fresh asks for another, since the server
	// refused the last.
	Token(ctx context.Context, s *config.Server, fresh bool) (string, error)
}
