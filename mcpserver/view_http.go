package mcpserver

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/protocol"
)

// endpoints are the Streamable HTTP servers of one handler: one for the whole Server and one for each view, so that no
// session of one is known to another.
type endpoints struct {
	mu sync.Mutex
	of map[*Server]*server.StreamableHTTPServer
}

// handler serves the clients of s. Its sessions end with s.
func (e *endpoints) handler(s *Server) http.Handler {
	e.mu.Lock()
	defer e.mu.Unlock()
	streamable := e.of[s]
	if streamable == nil {
		streamable = server.NewStreamableHTTPServer(s.mcp,
			server.WithStateful(true), server.WithSessionIdleTTL(sessionLife), server.WithHeartbeatInterval(heartbeat),
			server.WithEventStore(newEvents()), server.WithStreamableHTTPLogger(s.log),
			server.WithDisableLocalhostProtection(true)) // refuse has it, and knows of proxies
		e.of[s] = streamable
		context.AfterFunc(s.ctx, func() {
			e.mu.Lock()
			delete(e.of, s)
			e.mu.Unlock()
			_ = streamable.Shutdown(context.WithoutCancel(s.ctx)) // it has no HTTP server of its own to fail
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && !readMessage(w, r) {
			return
		}
		// A client without a session is its connection.
		ctx := protocol.WithSession(r.Context(), r.RemoteAddr)
		if s.root != nil {
			var end context.CancelFunc
			ctx, end = context.WithCancel(context.WithValue(ctx, servingKey{}, s))
			defer end()
			defer context.AfterFunc(s.ctx, end)() // a view may go before its clients do
		}
		loan := lend(w)
		defer loan.takeBack()
		streamable.ServeHTTP(loan, r.WithContext(ctx))
	})
}

// shutdown ends the sessions of all.
func (e *endpoints) shutdown(ctx context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, streamable := range e.of {
		_ = streamable.Shutdown(ctx) // it has no HTTP server of its own to fail
	}
}

// bearer is the token that a request came with; empty is none.
func bearer(r *http.Request) string {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(given)
}

// sameToken compares in a time that tells nothing, not even a length.
func sameToken(given, token string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(token))
	return token != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// viewOf is the view of a request's token; nil is none. limited says that there are or were views: then a token that is
// nobody's is no request without a token, for it may have been that of a view.
func (s *Server) viewOf(r *http.Request) (found *view, limited bool) {
	given := bearer(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.views { // all of them, whichever it is
		if sameToken(given, v.config.Token) {
			found = v
		}
	}
	return found, s.limited
}
