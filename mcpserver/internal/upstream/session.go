package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/mcpserver/internal/message"
)

// endpoint is a way to one server: a link, and what is known about its end.
type endpoint struct {
	link
	// lost is closed when the connection has ended by itself; nil when that cannot be seen.
	lost <-chan struct{}
	// why says what ended it; nil when nothing is known.
	why func() string
	// close ends it, waits, and may be called more than once.
	close func()
	// statelessCancel says that ending a request's connection cancels it, without a notification.
	statelessCancel bool
	// speaks is what is spoken in place of MCP; empty when MCP is.
	speaks string
	// changed, of capacity 1, receives when the server's lists may have changed.
	changed chan struct{}
}

// mayHaveChanged has the lists read again.
func (e *endpoint) mayHaveChanged() {
	select {
	case e.changed <- struct{}{}:
	default: // that is due already
	}
}

// peer is what a session has around it.
type peer struct {
	log *slog.Logger
	// version is ours; capabilities are what we declare, an object.
	version      string
	capabilities json.RawMessage
	ask          func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, *RPCError)
	hear         func(ctx context.Context, n Notification)
}

// session is one connection whose revision of the protocol is agreed on.
type session struct {
	*endpoint
	peer
	revision string
	server   implementation
	offers   offers
	// instructions is what the server says of itself.
	instructions string
	headers      map[string]mcp.Tool // tools that mirror arguments into headers; of the goroutine that lists
	headerMu     sync.Mutex
	lastID       atomic.Int64
	// answered is set once any call has been answered.
	answered atomic.Bool
	wg       sync.WaitGroup
	ctx      context.Context
	cancel   context.CancelFunc

	mu       sync.Mutex
	inFlight map[int64]*inFlight // calls that wait for their answer
	followed []string            // the resources whose changes the server was asked to tell
	relisten context.CancelFunc  // ends a request of subscribe, which makes another
}

// inFlight is a request under way.
type inFlight struct {
	ctx  context.Context
	tool string
}

type implementation struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// offers is what a server declares that matters here. A member that is there is an offer, whatever it holds.
type offers struct {
	Resources json.RawMessage `json:"resources"`
	Prompts   json.RawMessage `json:"prompts"`
	Logging   json.RawMessage `json:"logging"`
	Tasks     struct {
		Requests struct {
			Tools struct {
				Call json.RawMessage `json:"call"`
			} `json:"tools"`
		} `json:"requests"`
	} `json:"tasks"`
}

// isModern reports whether a revision has no handshake and no sessions.
func isModern(revision string) bool { return mcp.IsModernProtocol(revision) }

// open agrees with a server on how to talk, and closes the endpoint when that fails.
func open(ctx context.Context, e *endpoint, p peer) (*session, error) {
	s := &session{endpoint: e, peer: p, inFlight: map[int64]*inFlight{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	err := e.start(ctx, inbound{notification: s.notified, request: s.asked})
	if err == nil {
		err = s.handshake(ctx)
	}
	if err != nil {
		why := s.explain(ctx, err)
		s.end()
		return nil, why
	}
	return s, nil
}

// end closes the session and waits for what it still does.
func (s *session) end() {
	s.cancel()
	s.close()
	s.wg.Wait()
}

// handshake asks for a revision that has one. Asking for it first spares servers of today the question for the revisions
// without, on which some exit and some stay silent. A server that does not know the handshake is asked then.
func (s *session) handshake(ctx context.Context) error {
	raw, err := s.request(ctx, "initialize", map[string]any{
		"protocolVersion": mcp.LATEST_LEGACY_PROTOCOL_VERSION,
		"capabilities":    s.capabilities,
		"clientInfo":      implementation{"codemode", s.version},
	}, nil)
	if isForeign(err) {
		if modern := s.discover(ctx); modern == nil || !isForeign(modern) {
			return modern
		}
	}
	if err != nil {
		return err
	}
	var result struct {
		ProtocolVersion string         `json:"protocolVersion"`
		ServerInfo      implementation `json:"serverInfo"`
		Capabilities    offers         `json:"capabilities"`
		Instructions    any            `json:"instructions"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return fmt.Errorf("its answer to initialize cannot be read: %w", err)
	}
	if result.ProtocolVersion != "2024-10-07" && !slices.Contains(mcp.LegacyProtocolVersions(), result.ProtocolVersion) {
		return fmt.Errorf("it speaks revision %q of the protocol, which is not known here", result.ProtocolVersion)
	}
	s.revision, s.server, s.offers = result.ProtocolVersion, result.ServerInfo, result.Capabilities
	s.instructions, _ = result.Instructions.(string)
	s.agreed(s.revision)
	return s.notify(ctx, "notifications/initialized", nil)
}

// isForeign reports whether an error says that a server does not have a method, or not this revision of it.
func isForeign(err error) bool {
	var rpc *RPCError
	var status *badStatus
	switch {
	case errors.As(err, &rpc):
		return rpc.Code == message.CodeMethodNotFound || rpc.Code == message.CodeUnsupportedVersion || rpc.Code == message.CodeInvalidParams
	case errors.As(err, &status):
		return status.code == 400 || status.code == 404 || status.code == 405
	}
	return false
}

// discover agrees on a revision without a handshake.
func (s *session) discover(ctx context.Context) error {
	s.revision = mcp.ProtocolVersion20260728
	s.agreed(s.revision)
	raw, err := s.request(ctx, "server/discover", map[string]any{}, nil)
	if err != nil {
		s.revision = ""
		s.agreed("")
		return err
	}
	var result struct {
		SupportedVersions []string                   `json:"supportedVersions"`
		Capabilities      offers                     `json:"capabilities"`
		Instructions      any                        `json:"instructions"`
		Meta              map[string]json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(raw, &result); err != nil || !slices.Contains(result.SupportedVersions, s.revision) {
		return fmt.Errorf("it speaks the revisions %q of the protocol, none of which is known here", result.SupportedVersions)
	}
	_ = json.Unmarshal(result.Meta[mcp.MetaKeyServerInfo], &s.server) // a server need not name itself
	s.offers = result.Capabilities
	s.instructions, _ = result.Instructions.(string)
	s.wg.Go(s.subscribe)
	return nil
}

// explain turns a failed start into a sentence about the server.
func (s *session) explain(ctx context.Context, err error) error {
	var lost *lostAnswer
	switch {
	case (errors.As(err, &lost) || errors.Is(err, errUnsent)) && s.lost != nil && isLost(s) && s.why != nil: // what is unsent may be so for want of time
		return fmt.Errorf("it ended before it was ready: %s%s", s.why(), s.saidInstead())
	case ctx.Err() != nil:
		return fmt.Errorf("it did not get ready: %w%s", context.Cause(ctx), s.saidInstead())
	case errors.Is(err, errUnsent):
		return errors.New(trimUnsent(err))
	}
	return err
}

// saidInstead is what a child that never got ready wrote in place of messages: it is another program than one thought, or one that
// wants another flag.
func (s *session) saidInstead() string {
	if p, ok := s.link.(*pipe); ok {
		if said := p.router.firstNoise(); said != "" {
			return fmt.Sprintf("; where its messages should be it wrote %q; is it an MCP server that speaks on standard output?", said)
		}
	}
	return ""
}

// request sends a request and waits for its answer. When the context ends first, the server is told.
func (s *session) request(ctx context.Context, method string, params any, call *inFlight) (json.RawMessage, error) {
	out := &outgoing{id: s.lastID.Add(1), method: method}
	raw, err := s.withMeta(params, out.id, call)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnsent, err)
	}
	out.params = raw
	if call != nil {
		out.headers = s.paramHeaders(call.tool, raw)
		s.mu.Lock()
		s.inFlight[out.id] = call
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			delete(s.inFlight, out.id)
			s.mu.Unlock()
		}()
	}
	result, err := s.link.request(ctx, out)
	if err != nil && ctx.Err() != nil && !errors.Is(err, errUnsent) && method != "initialize" {
		s.takeBack(out.id)
	}
	return result, err
}

// takeBack tells the server that nobody waits for a request any more.
func (s *session) takeBack(id int64) {
	if s.statelessCancel && isModern(s.revision) {
		return // the end of the request's stream said so
	}
	s.wg.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = s.notify(ctx, "notifications/cancelled", map[string]any{"requestId": id, "reason": "the run was given up"}) // nobody is left to hear of a failure
	})
}

// withMeta is the request's parameters, with what the revision wants in _meta and, for a call that somebody follows, a
// token for progress.
func (s *session) withMeta(params any, id int64, call *inFlight) (json.RawMessage, error) {
	raw, err := json.Marshal(params)
	followed := call != nil && isFollowed(call.ctx)
	if err != nil || !isModern(s.revision) && !followed {
		return raw, err
	}
	fields := object(raw)
	meta := object(fields["_meta"])
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	if followed {
		meta["progressToken"], _ = json.Marshal(id)
	}
	if isModern(s.revision) {
		meta[mcp.MetaKeyProtocolVersion], _ = json.Marshal(s.revision)
		meta[mcp.MetaKeyClientInfo], _ = json.Marshal(implementation{"codemode", s.version})
		meta[mcp.MetaKeyClientCapabilities] = s.capabilities
		if level := logLevelOf(call); level != "" {
			meta[mcp.MetaKeyLogLevel], _ = json.Marshal(level)
		}
	}
	if fields["_meta"], err = json.Marshal(meta); err != nil {
		return nil, err
	}
	return json.Marshal(fields)
}

// waiting finds a call in flight; ok is false when it is not there.
func (s *session) waiting(id int64) (*inFlight, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	call, ok := s.inFlight[id]
	return call, ok
}
