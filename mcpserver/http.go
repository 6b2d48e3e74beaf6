package mcpserver

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// maxBody bounds one HTTP request: a program of the largest size, every character of it escaped.
const maxBody = 32 << 20

// HTTPOptions adjusts serving over HTTP. The zero value of every field is its documented default.
type HTTPOptions struct {
	// Token is what clients send as "Authorization: Bearer …"; empty asks for none, which only a loopback address may.
	Token string
	// AllowedOrigins are web origins ("https://app.example") whose pages may call; those of this machine always may.
	AllowedOrigins []string
	// Path is where the endpoint is; empty is "/mcp".
	Path string
}

// Handler serves Streamable HTTP at HTTPOptions.Path. The returned function ends the clients' streams, which stay open
// as long as they like otherwise.
func (s *Server) Handler(options *HTTPOptions) (handler http.Handler, closeStreams func(context.Context)) {
	o := options.resolve()
	streamable := server.NewStreamableHTTPServer(s.mcp, server.WithStateful(true), server.WithStreamableHTTPLogger(s.log))
	mux := http.NewServeMux()
	mux.HandleFunc(o.Path, func(w http.ResponseWriter, r *http.Request) {
		if status, why := o.refuse(r); status != 0 {
			if status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", "Bearer")
			}
			http.Error(w, why, status)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		streamable.ServeHTTP(w, r)
	})
	return mux, streamable.CloseSessions
}

func (o *HTTPOptions) resolve() HTTPOptions {
	var resolved HTTPOptions
	if o != nil {
		resolved = *o
	}
	if resolved.Path == "" {
		resolved.Path = "/mcp"
	}
	return resolved
}

// refuse checks what mcp-go does not: the page that a browser sends from, and the token.
func (o *HTTPOptions) refuse(r *http.Request) (status int, why string) {
	if origin := r.Header.Get("Origin"); origin != "" && !o.allows(origin) {
		return http.StatusForbidden, "Forbidden: this origin may not call"
	}
	if r.ContentLength > maxBody {
		return http.StatusRequestEntityTooLarge, fmt.Sprintf("Request body is larger than %d bytes", maxBody)
	}
	if o.Token == "" {
		return 0, ""
	}
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || subtle.ConstantTimeCompare([]byte(given), []byte(o.Token)) != 1 {
		return http.StatusUnauthorized, "Unauthorized"
	}
	return 0, ""
}

func (o *HTTPOptions) allows(origin string) bool {
	if slices.Contains(o.AllowedOrigins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ListenHTTP serves Streamable HTTP on addr ("127.0.0.1:8765") until ctx ends; runs that are still going are then
// cancelled. It calls ready, if that is not nil, with the URL of the endpoint once it listens. An address that others
// can reach is refused without a token.
func (s *Server) ListenHTTP(ctx context.Context, addr string, options *HTTPOptions, ready func(url string)) error {
	o := options.resolve()
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("the address %q is not host:port: %w", addr, err)
	}
	if !isLoopback(host) && o.Token == "" {
		return fmt.Errorf("refusing to listen on %s, which others can reach, without a token", addr)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	handler, closeStreams := s.Handler(&o)
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	web := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return requests }}
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	if ready != nil {
		ready("http://" + listener.Addr().String() + o.Path)
	}
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	cancel()
	closing, done := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer done()
	closeStreams(closing)
	if err := web.Shutdown(closing); err != nil {
		_ = web.Close() // a client that does not let go
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
