package remote

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/codemode-go/codemode/protocol"
	"github.com/codemode-go/codemode/remote/internal/capnweb"
	"github.com/codemode-go/codemode/remote/promtext"
)

// HandlerOptions adjusts NewHandler. The zero value of a field is its default.
type HandlerOptions struct {
	// Tokens says who may connect. Nil: anyone who can reach the listener, or, where that asks for certificates,
	// anyone with one that it verified.
	Tokens *Tokens
	// Anyone is the tenant of those who need no token; its name counts only without a client's certificate.
	Anyone Tenant
	// Origins are the web origins ("https://app.example") whose pages may connect. Default none: programs send no
	// Origin, and any page that a browser shows may otherwise reach a listener on loopback.
	Origins []string
	// Concurrency is how many runs the executor is given at one time, handed out to tenants in turn. It should be what
	// the executor runs at one time. Default GOMAXPROCS, but at least 4, as a pool's.
	Concurrency int
	// MaxSessions bounds the sessions at one time. Default 10,000: each is a connection and four goroutines.
	MaxSessions int
	// Session bounds what a peer can make a session hold.
	Session SessionLimits
	// Logger gets sessions and runs, never a program's text. Nil discards.
	Logger *slog.Logger
}

// Handler serves an executor to sessions. It answers every path that asks for a WebSocket, and /healthz, /readyz and
// /metrics (Prometheus' text format) without a token.
type Handler struct {
	executor protocol.Executor
	options  HandlerOptions
	log      *slog.Logger
	schedule *schedule
	metrics  *metrics
	// seal binds the id of a retained execution to its tenant.
	seal [32]byte

	mu       sync.Mutex
	draining bool
	sessions map[*served]bool
	over     sync.WaitGroup // sessions, until nothing is left of them
}

// NewHandler returns a handler over an executor, which it does not close.
func NewHandler(executor protocol.Executor, options *HandlerOptions) (*Handler, error) {
	if executor == nil {
		return nil, errors.New("remote: no executor")
	}
	var o HandlerOptions
	if options != nil {
		o = *options
	}
	if o.Concurrency <= 0 {
		o.Concurrency = max(4, runtime.GOMAXPROCS(0))
	}
	if o.MaxSessions <= 0 {
		o.MaxSessions = 10_000
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Anyone.Name == "" {
		o.Anyone.Name = "anyone"
	}
	h := &Handler{executor: executor, options: o, log: o.Logger, schedule: newSchedule(o.Concurrency), metrics: newMetrics(), sessions: map[*served]bool{}}
	_, err := rand.Read(h.seal[:])
	return h, err
}

// served is one session and whose it is.
type served struct {
	handler *Handler
	rpc     *capnweb.Session
	tenant  Tenant
	// hash is the token's; byToken says that there is one.
	hash    [sha256.Size]byte
	byToken bool
	log     *slog.Logger
}

// bodyTime bounds how long the connection of a refused request waits for its body, which nobody reads: it would without end, and
// before anybody has said who is there.
const bodyTime = 10 * time.Second

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime)) // a connection has one
	}
	switch r.URL.Path {
	case "/healthz":
		fmt.Fprintln(w, "ok")
		return
	case "/readyz":
		h.serveReady(w)
		return
	case "/metrics":
		promtext.Serve(w, h.writeMetrics)
		return
	}
	switch {
	case r.Method == http.MethodPost:
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "Cap'n Web over HTTP batches cannot call back; open a WebSocket", http.StatusMethodNotAllowed)
		return
	case r.Header.Get("Origin") != "" && !slices.Contains(h.options.Origins, r.Header.Get("Origin")):
		h.metrics.refused("origin")
		http.Error(w, "this origin may not connect", http.StatusForbidden)
		return
	}
	s, ok := h.authorize(r)
	if !ok {
		h.metrics.refused("token")
		h.log.Warn("a connection was refused", slog.String("peer", r.RemoteAddr), slog.String("reason", "no valid token"))
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "a valid bearer token is needed", http.StatusUnauthorized)
		return
	}
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") { // a person with a browser, or a client of something else
		w.Header().Set("Upgrade", "websocket")
		http.Error(w, "this is a codemode daemon, for hosts that open a WebSocket: codemode serve --remote URL", http.StatusUpgradeRequired)
		return
	}
	if why, ok := h.admit(s); !ok {
		h.metrics.refused("capacity")
		w.Header().Set("Retry-After", "1")
		http.Error(w, why, http.StatusServiceUnavailable)
		return
	}
	h.open(w, r, s)
}

func (h *Handler) serveReady(w http.ResponseWriter) {
	if h.isDraining() {
		http.Error(w, "draining", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ready")
}

// authorize finds out who asks.
func (h *Handler) authorize(r *http.Request) (*served, bool) {
	s := &served{handler: h, tenant: h.options.Anyone}
	if r.TLS != nil && len(r.TLS.VerifiedChains) > 0 {
		s.tenant.Name = "certificate " + r.TLS.VerifiedChains[0][0].Subject.String()
	}
	if h.options.Tokens == nil {
		s.tenant = s.tenant.withDefaults()
		return s, true
	}
	h.Refresh()
	token, ok := bearer(r)
	if !ok {
		return nil, false
	}
	s.hash, s.byToken = sha256.Sum256([]byte(token)), true
	if s.tenant, ok = h.options.Tokens.lookup(s.hash); !ok {
		return nil, false
	}
	s.tenant = s.tenant.withDefaults()
	return s, true
}

// admit counts a session, if there is a place for it.
func (h *Handler) admit(s *served) (why string, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.draining:
		return "the daemon is shutting down", false
	case len(h.sessions) >= h.options.MaxSessions:
		return "there are as many sessions as may be", false
	}
	h.sessions[s] = true
	h.over.Add(1)
	return "", true
}

// open makes the request a session. The session lives on when it returns.
func (h *Handler) open(w http.ResponseWriter, r *http.Request, s *served) {
	s.log = h.log.With(slog.String("tenant", s.tenant.Name), slog.String("peer", r.RemoteAddr))
	rpc, err := capnweb.Accept(w, r, s.main(), h.options.Session)
	if err != nil {
		s.log.Debug("no session", slog.Any("reason", err))
		h.forget(s)
		return
	}
	h.metrics.sessions.Add(1)
	s.log.Info("session opened")
	h.mu.Lock()
	s.rpc = rpc
	late := h.draining
	h.mu.Unlock()
	if late {
		rpc.Abort(errDraining())
	}
	context.AfterFunc(rpc.Context(), func() {
		rpc.Wait()
		s.log.Info("session closed", slog.Any("reason", rpc.Err()))
		h.forget(s)
	})
}

func (h *Handler) forget(s *served) {
	h.mu.Lock()
	delete(h.sessions, s)
	h.mu.Unlock()
	h.over.Done()
}

// Refresh reads the token file anew if it has changed, and ends the sessions of tokens that are no longer in it. It is
// also done when somebody connects.
func (h *Handler) Refresh() {
	if h.options.Tokens == nil {
		return
	}
	if err := h.options.Tokens.refresh(); err != nil {
		h.log.Error("the tokens stay what they were", slog.Any("reason", err))
	}
	for _, s := range h.openSessions() {
		if _, known := h.options.Tokens.lookup(s.hash); !known && s.byToken {
			s.log.Warn("the session's token was taken away")
			s.rpc.Abort(sessionError(protocol.Errorf(protocol.CodeUnauthorized, "the token is no longer valid")))
		}
	}
}

// openSessions lists the sessions that are open.
func (h *Handler) openSessions() []*served {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []*served
	for s := range h.sessions {
		if s.rpc != nil {
			list = append(list, s)
		}
	}
	return list
}

// sessionError is what a peer's calls fail with when its session ends.
func sessionError(err *protocol.Error) error { return wireError(err) }

// errDraining answers new runs and ends sessions while the daemon shuts down. The same request may run elsewhere.
func errDraining() error {
	err := protocol.Errorf(protocol.CodePoolClosed, "the daemon is shutting down")
	err.Retryable = true
	return sessionError(err)
}

// drainLook is how often Drain looks for sessions that have come to rest.
const drainLook = 20 * time.Millisecond

// Drain shuts down in order: it refuses new sessions and runs, ends the sessions that run nothing, lets the others
// finish what runs, and ends them. When ctx ends first, what still runs is ended with its session. It returns when
// nothing is left.
func (h *Handler) Drain(ctx context.Context) {
	h.mu.Lock()
	h.draining = true
	h.mu.Unlock()
	look := time.NewTicker(drainLook)
	defer look.Stop()
	for waiting := true; waiting; {
		open := h.openSessions()
		for _, s := range open {
			if s.rpc.Stats().Calls == 0 {
				s.rpc.Abort(errDraining())
			}
		}
		select {
		case <-look.C:
			waiting = len(open) > 0
		case <-ctx.Done():
			for _, s := range h.openSessions() {
				s.rpc.Abort(errDraining())
			}
			waiting = false
		}
	}
	h.over.Wait()
}

// Close ends every session at once and waits until nothing of them is left.
func (h *Handler) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	h.Drain(ctx)
	return nil
}

func (h *Handler) isDraining() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.draining
}
