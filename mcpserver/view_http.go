package mcpserver

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/protocol"
)

// endpoints are the Streamable HTTP servers of one handler: one for the whole Server and one for each view, so that no
// session of one is known to another.
type endpoints struct {
	large chan struct{} // a place for each large body

	mu sync.Mutex
	of map[*Server]*endpoint
}

func newEndpoints() *endpoints {
	return &endpoints{large: make(chan struct{}, maxLargeBodies), of: map[*Server]*endpoint{}}
}

type endpoint struct {
	*server.StreamableHTTPServer
	sessions *owners
}

// handler serves the clients of s. Its sessions end with s.
func (e *endpoints) handler(s *Server) http.Handler {
	e.mu.Lock()
	defer e.mu.Unlock()
	one := e.of[s]
	if one == nil {
		sessions := newOwners()
		one = &endpoint{sessions: sessions, StreamableHTTPServer: server.NewStreamableHTTPServer(s.mcp,
			server.WithSessionIdManagerResolver(sessions), server.WithSessionIdleTTL(sessionLife), server.WithHeartbeatInterval(heartbeat),
			server.WithEventStore(newEvents()), server.WithStreamableHTTPLogger(s.log),
			server.WithDisableLocalhostProtection(true))} // refuse has it, and knows of proxies
		e.of[s] = one
		context.AfterFunc(s.ctx, func() {
			e.mu.Lock()
			delete(e.of, s)
			e.mu.Unlock()
			_ = one.Shutdown(context.WithoutCancel(s.ctx)) // it has no HTTP server of its own to fail
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := ""
		switch r.Method {
		case http.MethodPost:
			var leave func()
			var ok bool
			method, leave, ok = e.readMessage(s, w, r)
			defer leave()
			if !ok {
				return
			}
		case http.MethodGet, http.MethodDelete:
		default:
			w.Header().Set("Allow", "GET, POST, DELETE")
			http.Error(w, "Method not allowed: messages are sent by POST", http.StatusMethodNotAllowed)
			return
		}
		if status, why := one.sessions.refuse(r, method); status != 0 {
			if status == http.StatusServiceUnavailable {
				w.Header().Set("Retry-After", "60")
			}
			http.Error(w, why, status)
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
		if until := identityOf(ctx).until; !until.IsZero() && (r.Method == http.MethodGet || method == string(mcp.MethodSubscriptionsListen)) {
			var end context.CancelFunc
			ctx, end = context.WithDeadline(ctx, until) // a stream would go on without its token
			defer end()
		}
		loan := lend(w)
		defer loan.takeBack()
		var answer http.ResponseWriter = loan
		if passesErrors(method) {
			theirs := &serverError{}
			ctx, answer = withServerError(ctx, theirs), &errorWriter{loan, theirs}
		}
		one.ServeHTTP(answer, r.WithContext(ctx))
	})
}

// refuse looks at a request's session where mcp-go does not, which checks it at a POST alone, and makes one for a GET without.
func (o *owners) refuse(r *http.Request, method string) (status int, why string) {
	owner, session := identityOf(r.Context()).owner(), r.Header.Get(server.HeaderKeySessionID)
	switch {
	case method == string(mcp.MethodInitialize) && o.full(owner):
		return http.StatusServiceUnavailable, "Unavailable: there are as many sessions as may be (limits maxSessions and maxSessionsOfOne); end some, or wait until they are forgotten"
	case r.Method == http.MethodPost, mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)):
		return 0, ""
	case session == "" && r.Method == http.MethodGet:
		return http.StatusBadRequest, "Bad Request: a stream belongs to a session; initialize one first"
	case session != "" && !o.has(session, owner):
		return http.StatusNotFound, "Invalid session ID"
	}
	return 0, ""
}

// shutdown ends the sessions of all.
func (e *endpoints) shutdown(ctx context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, one := range e.of {
		_ = one.Shutdown(ctx) // it has no HTTP server of its own to fail
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

// viewOf is the view of a token; nil is none. limited says that there are or were views with tokens: then a token that is
// nobody's is no request without a token, for it may have been that of a view.
func (s *Server) viewOf(given string) (found *view, limited bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.views { // all of them, whichever it is
		if sameToken(given, v.config.Token) {
			found = v
		}
	}
	return found, s.limited
}
