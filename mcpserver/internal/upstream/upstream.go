// Package upstream keeps connections to MCP servers: it starts them, lists their tools, calls them, and starts them
// again. An HTTP API with an OpenAPI document answers as one, see package openapi.
//
// An [Upstream] is one server, whatever happens to it. A [Status] is what is known about it at one moment, its [Tool]s
// among that. [Unwrap] makes a program's value of a call's result.
//
//	u := upstream.New(upstream.FromConfig(&server, supervisor), &upstream.Options{OnChange: func() { … }})
//	u.Start()
//	result, err := u.Call(ctx, "list_issues", json.RawMessage(`{"repo": "x"}`))
//	u.Close()
//
// # Lifetime
//
//	            Start                ready             exit, closed stream
//	Stopped ───────────► Starting ─────────► Ready ─────────────────────────► Stopped
//	   ▲                    │ ▲                          the next Call starts it again
//	   └──────── Close      ▼ │ the next Call, once the pause is over
//	                       Failed
//
// A server that ends is started again by the next call. The tools that it had stay known meanwhile. The first restart
// comes at once, later ones after a pause of 1 s that doubles up to 60 s, until a call has been answered again. A call
// is repeated once, and only when nothing of it had been sent or the tool says that it is read-only or idempotent.
package upstream

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/child"
)

// DefaultStartTimeout bounds the time until a server has listed its tools. An npx that has to download takes 10 s and
// more.
const DefaultStartTimeout = 60 * time.Second

// debounce is how long a server's announcement of new tools waits for company.
const debounce = 250 * time.Millisecond

// State is where an Upstream is in its life.
type State string

// The states; see the package's diagram.
const (
	Starting State = "starting"
	Ready    State = "ready"
	Failed   State = "failed"
	Stopped  State = "stopped"
)

// Spec says which server, and how to reach it.
type Spec struct {
	// Name is what people call the server, Namespace what programs call it.
	Name, Namespace string

	dial         []dialer
	startTimeout time.Duration
	callTimeout  time.Duration
	include      []string
	exclude      []string
	redact       func(string) string
	key          string // of the cache; empty keeps nothing

	// transport is pipe or tcp, address and port are where a tcp server is.
	transport, address string
	port               int
}

// FromConfig describes a server of a configuration file; supervisor owns its process if it is one, and auth its login; nil
// knows none.
func FromConfig(s *config.Server, supervisor *child.Supervisor, auth Authorizer) Spec {
	late := &vault{}
	spec := Spec{
		Name: s.Name, Namespace: s.Namespace, dial: fromConfig(s, supervisor, auth, late),
		redact: func(text string) string { return late.redact(s.Redact(text)) },
		key:    cacheKey(s), startTimeout: s.StartTimeout, callTimeout: s.CallTimeout, include: s.IncludeTools, exclude: s.ExcludeTools,
	}
	spec.transport, spec.address, spec.port = whereabouts(s)
	return spec
}

// InProcess describes a server that lives in our own process.
func InProcess(namespace string, s *server.MCPServer) Spec {
	return Spec{Name: namespace, Namespace: namespace, dial: []dialer{dialInProcess(s)}, redact: func(text string) string { return text }}
}

// Options are the optional parts of an Upstream.
type Options struct {
	// Logger gets what goes wrong; nil discards it.
	Logger *slog.Logger
	// OnChange is called, from any goroutine, after state, reason or tools changed. It must not block.
	OnChange func()
	// Version is told to servers as ours.
	Version string
	// OnLists is called, from any goroutine, when what the server offers beside its tools may have changed: it said that
	// one of its lists did, or was started again. It must not block.
	OnLists func()
	// Capabilities returns what is declared to servers, a JSON object; nil declares nothing.
	Capabilities func() json.RawMessage
	// Ask answers a server's request of its client. Its context is that of the call that the request belongs to, with
	// whom it is made for (see CallerFrom), and ends when the server takes the request back. Nil has no such methods.
	Ask func(ctx context.Context, server, method string, params json.RawMessage) (json.RawMessage, *RPCError)
	// Hear gets what a server says by itself, other than that its lists changed. It must not block. Nil discards it.
	Hear func(ctx context.Context, server string, n Notification)
	// StartTimeout is the bound for servers that name none; 0 is DefaultStartTimeout.
	StartTimeout time.Duration
	// CacheDir is where tool lists are kept from one start to the next; empty keeps none.
	CacheDir string
}

// Status is what is known about a server at one moment.
type Status struct {
	Name, Namespace string
	State           State
	// Reason says why it is Failed or Stopped, or was before it is Starting again, in words for people and models;
	// secrets are redacted.
	Reason string
	// Tools are the tools as last listed, perhaps in an earlier life of ours; they stay known while the server is down.
	Tools []Tool
	// Idle are the globs of includeTools and excludeTools that match nothing of what it last listed, as `includeTools has "x"`.
	Idle []string
	// Server and Version are what the server calls itself.
	Server, Version string
	// Instructions is what it says of itself.
	Instructions string
	// StartTook is how long the last successful start took.
	StartTook time.Duration
	// Revision is that of the protocol which was agreed on, or of OpenAPI.
	Revision string
	// Transport is pipe or tcp, empty in this process. Address is the host of a tcp server's URL, Port its port; 0 is
	// one that is not known.
	Transport, Address string
	Port               int
	// Resources, Prompts and Logging say that it offers those, the last with a level.
	Resources, Prompts, Logging bool
}

// Upstream is one server.
type Upstream struct {
	spec    Spec
	options Options
	log     *slog.Logger
	cache   *cache          // of the goroutine that lists
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	wg      sync.WaitGroup
	changes atomic.Uint64 // of status, counted while mu is held

	mu        sync.Mutex
	status    Status
	session   *session      // when Ready
	attempt   chan struct{} // closed when the attempt to start that is under way has ended; nil when there is none
	failures  int           // starts and sessions in a row without an answered call
	notBefore time.Time     // when the next start is allowed
	watched   []string      // the resources whose changes somebody wants to hear of
	closed    bool
}

// New makes an Upstream that is not started yet.
func New(spec Spec, options *Options) *Upstream {
	var o Options
	if options != nil {
		o = *options
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.OnChange == nil {
		o.OnChange = func() {}
	}
	if o.OnLists == nil {
		o.OnLists = func() {}
	}
	if o.Capabilities == nil {
		o.Capabilities = func() json.RawMessage { return json.RawMessage(`{}`) }
	}
	if o.Ask == nil {
		o.Ask = func(_ context.Context, _, method string, _ json.RawMessage) (json.RawMessage, *RPCError) {
			return nil, NoMethod(method)
		}
	}
	if o.Hear == nil {
		o.Hear = func(context.Context, string, Notification) {}
	}
	if spec.startTimeout <= 0 {
		spec.startTimeout = o.StartTimeout
	}
	if spec.startTimeout <= 0 {
		spec.startTimeout = DefaultStartTimeout
	}
	u := &Upstream{spec: spec, options: o, log: redactedLog(o.Logger, spec.redact).With("server", spec.Name),
		status: Status{Name: spec.Name, Namespace: spec.Namespace, State: Stopped, Transport: spec.transport, Address: spec.address, Port: spec.port}}
	u.cache = newCache(o.CacheDir, spec.key)
	u.status.Tools, _ = decodeTools(u.cache.load(), spec.include, spec.exclude) // warnings come with the list itself
	u.ctx, u.cancel = context.WithCancel(context.Background())
	return u
}

// Close ends the server and waits until nothing is left of it. It is idempotent.
func (u *Upstream) Close() {
	u.mu.Lock()
	u.closed = true
	s := u.session
	u.session = nil
	u.status.State, u.status.Reason = Stopped, "closed"
	u.mu.Unlock()
	u.cancel()
	if s != nil {
		s.end()
	}
	u.wg.Wait()
}

// Changes grows with every change of what Status tells of state, reason and tools, in the same moment. OnChange comes later.
func (u *Upstream) Changes() uint64 { return u.changes.Load() }

// Status tells what is known now. The tools are not to be changed.
func (u *Upstream) Status() Status {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.status
}
