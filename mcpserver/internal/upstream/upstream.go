// Package upstream keeps connections to MCP servers: it starts them, lists their tools, calls them, and starts them
// again.
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
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/child"
	"github.com/codemode-go/codemode/mcpserver/internal/message"
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
}

// FromConfig describes a server of a configuration file; supervisor owns its process if it is one, and auth its login; nil
// knows none.
func FromConfig(s *config.Server, supervisor *child.Supervisor, auth Authorizer) Spec {
	late := &vault{}
	return Spec{
		Name: s.Name, Namespace: s.Namespace, dial: fromConfig(s, supervisor, auth, late),
		redact: func(text string) string { return late.redact(s.Redact(text)) },
		key:    cacheKey(s), startTimeout: s.StartTimeout, callTimeout: s.CallTimeout, include: s.IncludeTools, exclude: s.ExcludeTools,
	}
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
	// Server and Version are what the server calls itself.
	Server, Version string
	// Instructions is what it says of itself.
	Instructions string
	// StartTook is how long the last successful start took.
	StartTook time.Duration
	// Revision is that of the protocol which was agreed on.
	Revision string
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

	mu        sync.Mutex
	status    Status
	session   *session      // when Ready
	attempt   chan struct{} // closed when the attempt to start that is under way has ended; nil when there is none
	failures  int           // starts and sessions in a row without an answered call
	notBefore time.Time     // when the next start is allowed
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
	u := &Upstream{spec: spec, options: o, log: o.Logger.With("server", spec.Name),
		status: Status{Name: spec.Name, Namespace: spec.Namespace, State: Stopped}}
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

// Status tells what is known now. The tools are not to be changed.
func (u *Upstream) Status() Status {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.status
}

// Start starts the server in the background, unless it runs, is about to, or has to pause after a failure.
func (u *Upstream) Start() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.session == nil && !time.Now().Before(u.notBefore) {
		u.begin()
	}
}

// Settled waits until the server is not Starting, or ctx ends.
func (u *Upstream) Settled(ctx context.Context) {
	u.mu.Lock()
	attempt := u.attempt
	u.mu.Unlock()
	if attempt == nil {
		return
	}
	select {
	case <-attempt:
	case <-ctx.Done():
	}
}

// begin starts an attempt, with u.mu held; of several callers only the first does.
func (u *Upstream) begin() {
	if u.closed || u.attempt != nil {
		return
	}
	u.status.State = Starting // a reason of before stays until it is known whether this attempt is better
	attempt := make(chan struct{})
	u.attempt = attempt
	u.wg.Go(func() {
		s := u.connect()
		u.options.OnChange()
		close(attempt)
		if s != nil {
			u.watch(s)
		}
	})
}

// connect makes one attempt and records its outcome. A session that there is already gives way to the new one, and ends
// once its calls are answered.
func (u *Upstream) connect() *session {
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(u.ctx, u.spec.startTimeout, fmt.Errorf("it took longer than %s", u.spec.startTimeout))
	defer cancel()
	s, tools, err := u.openAndList(ctx)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.attempt = nil
	if err == nil && u.closed {
		err = errors.New("closed")
		defer s.end()
	}
	if err != nil && u.session != nil && !u.closed {
		u.status.State = Ready
		u.log.Warn("cannot be started anew; the old connection stays", "reason", u.spec.redact(err.Error()))
		return nil
	}
	if err != nil {
		u.down(Failed, err.Error())
		return nil
	}
	if old := u.session; old != nil {
		u.wg.Go(func() { old.retire(u.ctx) })
	}
	u.session = s
	u.status.State, u.status.Reason, u.status.Tools = Ready, "", tools
	u.status.Server, u.status.Version, u.status.StartTook = s.server.Name, s.server.Version, time.Since(began)
	u.status.Revision, u.status.Instructions = s.revision, s.instructions
	u.status.Resources, u.status.Prompts = s.offers.Resources != nil, s.offers.Prompts != nil
	u.status.Logging = s.offers.Logging != nil && !isModern(s.revision)
	u.log.Debug("ready", "tools", len(tools), "took", u.status.StartTook, "revision", s.revision)
	return s
}

// openAndList tries the ways to the server in turn. When none works, the first one's failure is the one to tell.
func (u *Upstream) openAndList(ctx context.Context) (*session, []Tool, error) {
	var first error
	for _, dial := range u.spec.dial {
		s, tools, err := u.openWith(ctx, dial)
		if err == nil {
			return s, tools, nil
		}
		if first == nil {
			first = err
		}
		if !isOtherTransport(err) {
			break
		}
	}
	return nil, nil, first
}

func (u *Upstream) openWith(ctx context.Context, dial dialer) (*session, []Tool, error) {
	e, err := dial(u.log)
	if err != nil {
		return nil, nil, err
	}
	s, err := open(ctx, e, peer{
		log: u.log, version: u.options.Version, capabilities: u.options.Capabilities(),
		ask: func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, *RPCError) {
			return u.options.Ask(ctx, u.spec.Name, method, params)
		},
		hear: func(ctx context.Context, n Notification) { u.options.Hear(ctx, u.spec.Name, n) },
	})
	if err != nil {
		return nil, nil, err
	}
	entries, err := s.list(ctx, "tools/list", "tools")
	if err != nil {
		s.end()
		return nil, nil, err
	}
	u.cache.save(entries, u.log)
	tools, warnings := decodeTools(entries, u.spec.include, u.spec.exclude)
	u.warn(warnings)
	return s, u.callable(s, tools), nil
}

// callable leaves out the tools that this session cannot call.
func (u *Upstream) callable(s *session, tools []Tool) []Tool {
	return s.mirror(slices.DeleteFunc(tools, func(tool Tool) bool {
		hidden := tool.Task && !s.hasTasks()
		if hidden {
			u.log.Warn("a tool can only be called as a task, which the server does not offer to do for calls; it is left out", "tool", tool.Name)
		}
		return hidden
	}))
}

// retire ends a session once its calls are answered.
func (s *session) retire(ctx context.Context) {
	for s.busy() && sleep(ctx, 20*time.Millisecond) {
	}
	s.end()
}

// Renew connects anew beside the connection that there is, for what was declared to the server has changed. It does
// nothing when there is none.
func (u *Upstream) Renew() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.session != nil {
		u.begin()
	}
}

func (u *Upstream) warn(warnings []string) {
	for _, w := range warnings {
		u.log.Warn(w)
	}
}

// down records that the server does not run, with u.mu held.
func (u *Upstream) down(state State, reason string) {
	if u.closed {
		state, reason = Stopped, "closed"
	}
	reason = u.spec.redact(reason)
	level := slog.LevelWarn
	if u.closed || reason == u.status.Reason { // it was said before
		level = slog.LevelDebug
	}
	u.log.Log(u.ctx, level, "down", "reason", reason)
	u.status.State, u.status.Reason = state, reason
	u.failures++
	u.notBefore = time.Now().Add(pause(u.failures))
}

// pause is the time between a failure and the next start.
func pause(failures int) time.Duration {
	if failures <= 1 {
		return 0
	}
	return min(time.Second<<min(failures-2, 6), time.Minute)
}

// watch follows a session until it is lost or the Upstream closes.
func (u *Upstream) watch(s *session) {
	var due <-chan time.Time
	for {
		select {
		case <-u.ctx.Done():
			return
		case <-s.ctx.Done(): // another session took its place
			return
		case <-s.lost:
			u.drop(s, "")
			return
		case <-s.changed:
			if due == nil {
				due = time.After(debounce)
			}
		case <-due:
			due = nil
			u.refresh(s)
		}
	}
}

// refresh lists the tools again.
func (u *Upstream) refresh(s *session) {
	ctx, cancel := context.WithTimeout(u.ctx, u.spec.startTimeout)
	defer cancel()
	entries, err := s.list(ctx, "tools/list", "tools")
	if err != nil {
		u.log.Warn("the server announced new tools, and could not list them; the old list stays", "error", u.spec.redact(err.Error()))
		return
	}
	tools, warnings := decodeTools(entries, u.spec.include, u.spec.exclude)
	tools = u.callable(s, tools)
	u.mu.Lock()
	changed := !reflect.DeepEqual(tools, u.status.Tools)
	if changed {
		u.status.Tools = tools
	}
	u.mu.Unlock()
	if changed {
		u.cache.save(entries, u.log)
		u.warn(warnings)
		u.options.OnChange()
	}
}

// drop forgets a session that has ended. What is known of its end counts before reason.
func (u *Upstream) drop(s *session, reason string) {
	if s.why != nil {
		reason = s.why()
	}
	u.mu.Lock()
	current := u.session == s
	if current {
		u.session = nil
		if s.answered.Load() {
			u.failures = 0
		}
		u.down(Stopped, reason)
		u.wg.Go(s.end) // stopping what is left of it takes its time
	}
	u.mu.Unlock()
	if current {
		u.options.OnChange()
	}
}

// ready returns the session, starting the server first if it has to.
func (u *Upstream) ready(ctx context.Context) (*session, error) {
	u.mu.Lock()
	if u.session == nil && u.attempt == nil {
		if left := time.Until(u.notBefore); left > 0 {
			defer u.mu.Unlock()
			return nil, fmt.Errorf("server %q is down (%s); it is not started again before %s have passed", u.spec.Name, u.status.Reason, left.Round(100*time.Millisecond))
		}
		u.begin()
	}
	s, attempt := u.session, u.attempt
	u.mu.Unlock()
	if s == nil && attempt != nil {
		select {
		case <-attempt:
		case <-ctx.Done():
			return nil, fmt.Errorf("server %q is still starting: %w", u.spec.Name, context.Cause(ctx))
		}
		u.mu.Lock()
		s = u.session
		u.mu.Unlock()
	}
	if s == nil {
		return nil, fmt.Errorf("server %q is down (%s)", u.spec.Name, u.Status().Reason)
	}
	return s, nil
}

// Redact replaces the server's configured secrets in a text.
func (u *Upstream) Redact(text string) string { return u.spec.redact(text) }

// NoMethod answers a request for a method that there is not.
func NoMethod(method string) *RPCError {
	return &RPCError{Code: message.CodeMethodNotFound, Message: "Method not found: this client has no " + method}
}

// Call calls a tool with an object of arguments (nil for none) and returns the raw result of tools/call. A JSON-RPC
// error's text reads as the MCP SDKs write it; every other error names the server and the tool. A call that cannot have
// arrived is made once more, and so is one whose tool says that calling it twice does no harm.
func (u *Upstream) Call(ctx context.Context, tool string, args json.RawMessage) (json.RawMessage, error) {
	result, err := u.callOnce(ctx, tool, args)
	var lost *lostAnswer
	if errors.Is(err, errUnsent) || errors.As(err, &lost) && ctx.Err() == nil && u.mayRepeat(tool) {
		result, err = u.callOnce(ctx, tool, args)
	}
	if err != nil {
		return nil, redacted{u.spec.redact(err.Error()), err}
	}
	return result, nil
}

// redacted is an error with another text.
type redacted struct {
	text  string
	cause error
}

func (r redacted) Error() string { return r.text }
func (r redacted) Unwrap() error { return r.cause }

// tool finds a tool as last listed.
func (u *Upstream) tool(name string) *Tool {
	for _, tool := range u.Status().Tools {
		if tool.Name == name {
			return &tool
		}
	}
	return &Tool{Name: name}
}

func (u *Upstream) mayRepeat(name string) bool {
	tool := u.tool(name)
	return tool.ReadOnly || tool.Idempotent
}

func (u *Upstream) callOnce(ctx context.Context, tool string, args json.RawMessage) (json.RawMessage, error) {
	s, err := u.ready(ctx)
	if err != nil {
		return nil, err
	}
	call := ctx
	if u.spec.callTimeout > 0 {
		var cancel context.CancelFunc
		call, cancel = context.WithTimeoutCause(ctx, u.spec.callTimeout, fmt.Errorf("server %q did not answer %q within %s", u.spec.Name, tool, u.spec.callTimeout))
		defer cancel()
	}
	result, err := s.call(call, u.tool(tool), args)
	if err == nil {
		return result, nil
	}
	return nil, u.failed(call, s, tool, err)
}

// failed words what went wrong with a call.
func (u *Upstream) failed(ctx context.Context, s *session, tool string, err error) error {
	var rpc *RPCError
	var lost *lostAnswer
	switch {
	case errors.As(err, &rpc):
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, errUnsent):
		u.drop(s, trimUnsent(err))
		return fmt.Errorf("server %q cannot be reached: %w", u.spec.Name, err)
	case errors.As(err, &lost) && s.lost != nil && isLost(s):
		u.drop(s, lost.why)
		return &lostAnswer{fmt.Sprintf("server %q ended while it worked on %q (%s), so the outcome of this call is unknown; the next call starts the server again", u.spec.Name, tool, s.why())}
	case errors.As(err, &lost):
		return &lostAnswer{fmt.Sprintf("server %q, tool %q: %s, so the outcome of this call is unknown", u.spec.Name, tool, lost.why)}
	}
	return fmt.Errorf("server %q, tool %q: %w", u.spec.Name, tool, err)
}

// Request sends a request other than tools/call and returns its raw result.
func (u *Upstream) Request(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	s, err := u.ready(ctx)
	if err == nil {
		var result json.RawMessage
		if result, err = s.answerWithInput(ctx, method, params, &inFlight{ctx: ctx}); err == nil {
			return result, nil
		}
		err = u.failed(ctx, s, method, err)
	}
	return nil, redacted{u.spec.redact(err.Error()), err}
}

// List reads a list of the server, "resources/list" with "resources" for example, over all its pages.
func (u *Upstream) List(ctx context.Context, method, member string) ([]json.RawMessage, error) {
	s, err := u.ready(ctx)
	if err != nil {
		return nil, err
	}
	return s.list(ctx, method, member)
}

func isLost(s *session) bool {
	select {
	case <-s.lost:
		return true
	default:
		return false
	}
}
