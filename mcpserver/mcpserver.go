// Package mcpserver serves one tool, code, over the Model Context Protocol, and makes the tools of other MCP servers
// the functions that its programs call.
//
// Three nouns are enough to read it. An [Upstream] says which MCP server to stand in front of: a child process, a
// Streamable HTTP server, a server in this process, or the operations of an HTTP API with an OpenAPI document. A [Server] keeps connections to all of them and answers clients,
// on a pair of streams or over HTTP. A [ServerStatus] is what is known about one upstream at one moment.
//
//	cfg, err := config.Load([]string{"mcp.json"}, nil)
//	// …
//	srv, err := mcpserver.New(pool, mcpserver.FromConfig(cfg), mcpserver.OptionsFromConfig(cfg))
//	// …
//	defer srv.Close()
//	err = srv.ServeStdio(ctx, os.Stdin, os.Stdout)
//
// # What a client sees
//
// initialize and tools/list are answered at once, whatever the upstreams do: the tool's description says which are still
// starting and which are down, and why. When that changes, or an upstream's tools do, the description is made anew and
// the client is told once. With Options.CacheDir the tools of the last time stand in while a server starts. A call waits for an upstream that is still starting only when its program names it, and for
// Options.StartWait at most.
//
// Upstream results are unwrapped as codeMcpServer of @cloudflare/codemode does it, from the bytes of the wire. Images,
// audio and links that a program returns become content blocks of the answer, and their base64 never its text.
//
// # Lifetime
//
// New starts the upstreams in the background; Close ends them and waits. The executor is the caller's and is left open.
// Serving ends with its context or its streams and leaves the Server usable for another client.
//
// What an upstream asks of its client (roots, samplings, elicitations) goes to the client of the run that it belongs to,
// as far as that client can be asked, and the run's clock stands meanwhile. What upstreams tell about their progress and
// log goes there, too, under their names, and a call's _meta goes to them, for traces.
//
// # Resources and prompts
//
// With Options.Resources and Options.Prompts, clients and programs have those of upstreams. A client sees a resource under
// a URI that begins with codemode:// and the server's namespace, and a prompt as namespace.name, so that those of two
// servers never meet; programs name the server and have the URIs and names as they are. The policy decides about a read
// as about a call of a tool readResource of that server, and likewise getPrompt.
package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/child"
	"github.com/codemode-go/codemode/mcpserver/internal/stdio"
	"github.com/codemode-go/codemode/mcpserver/internal/upstream"
	"github.com/codemode-go/codemode/protocol"
)

// DefaultStartWait is how long a call waits for upstreams that are still starting: what a cold npx takes, and half of
// what clients wait for an answer.
const DefaultStartWait = 30 * time.Second

// DefaultTimeout bounds a run whose Options say nothing: the shortest limit of the known clients is a minute, and a run
// that ends before it can still say what it was waiting for.
const DefaultTimeout = 50 * time.Second

// DefaultDescriptionBudget bounds the tool's description, in characters: about 12,000 tokens, past which a model does
// better to look declarations up from inside programs.
const DefaultDescriptionBudget = 50_000

// shortBudget is for Claude Code, which cuts what is past 2,048 characters and says so to nobody.
const shortBudget = 2000

// Options adjusts a Server. The zero value of every field is its documented default.
type Options struct {
	// Version is what the Server calls its own version; empty is "0.0.0".
	Version string
	// Tool adjusts the code tool. LosslessIntegers is always on, and Timeout is DefaultTimeout unless it is set. DescriptionBudget holds for every client when it is set;
	// otherwise it is DefaultDescriptionBudget, less for a client that shows less, and none at all with Reference.
	Tool codetool.Options
	// ResultChars bounds the text of one answer, in UTF-16 code units; 0 is codetool.MaxResponse. The console output
	// has half of it on top.
	ResultChars int
	// StartTimeout bounds the start of upstreams that name no bound of their own; 0 is a minute.
	StartTimeout time.Duration
	// StartWait bounds how long a call waits for upstreams that are still starting; 0 is DefaultStartWait.
	StartWait time.Duration
	// CacheDir is where the tool lists of upstreams are kept, so that the next start describes them at once; empty keeps
	// none. The directory is made when it is missing, for us alone.
	CacheDir string
	// Problems are servers that could not be read from the configuration; the description names them.
	Problems []config.Problem
	// Policy decides about calls at the moment they are made; its zero value allows them all.
	Policy config.Policy
	// Audit says where runs are written down; its zero value writes nothing.
	Audit config.Audit
	// Pins withholds tools that changed since they were first seen; its zero value withholds none. Servers of this process
	// are never pinned.
	Pins config.Pins
	// Views are what the clients of tokens of their own, or of access tokens with some claims, see over HTTP, see [HTTPOptions].
	Views []config.View
	// Watcher hears of runs as they go; nil is nobody.
	Watcher Watcher
	// Instruments measure runs and make them parts of traces.
	Instruments []Instrument
	// Resources and Prompts pass those of upstreams on, to clients and to programs. What clients are told that there is counts
	// for New alone.
	Resources, Prompts bool
	// Reference makes answers read as those of codeMcpServer in @cloudflare/codemode: an error is its bare message, no
	// value reads "undefined", and arguments other than code are ignored instead of refused.
	Reference bool
	// AwaitClient starts the upstreams with the first client, so that they are told what that client can be asked:
	// roots, samplings, elicitations. Otherwise they start at once and are told that nothing can be asked, until a client
	// says otherwise and they are connected anew.
	AwaitClient bool
	// Logins has the tokens of HTTP servers that were logged in to with `codemode auth`; nil knows none.
	Logins Logins
	// Logger gets what goes wrong, and at Debug what upstreams write to standard error. Nil discards it.
	Logger *slog.Logger
}

// OptionsFromConfig takes the settings and problems of a configuration. What it does not say keeps its default.
func OptionsFromConfig(cfg *config.Config) *Options {
	settings := cfg.Settings
	o := &Options{
		Tool:         codetool.Options{Timeout: settings.Timeout, Limits: settings.Limits, DescriptionBudget: settings.DescriptionChars},
		ResultChars:  settings.ResultChars,
		StartTimeout: settings.StartTimeout,
		Problems:     cfg.Problems,
		Resources:    settings.Resources,
		Prompts:      settings.Prompts,
		Policy:       settings.Policy,
		Audit:        settings.Audit,
		Pins:         settings.Pins,
		Views:        settings.Views,
	}
	if settings.Outbound == protocol.OutboundInherit {
		o.Tool.Outbound = protocol.InheritOutbound()
	}
	if settings.Preamble != "" {
		o.Tool.Description = settings.Preamble + "\n\n" + codetool.ServerDescription
	}
	return o
}

// Upstream is one MCP server to stand in front of. Make it with FromConfig or InProcess.
type Upstream struct {
	name, namespace string
	key             string // all that is said of it; empty is like no other
	pin             string // its pinID; empty is not pinned
	spec            func(*child.Supervisor, Logins) upstream.Spec
}

// Logins makes and keeps the logins of HTTP servers, see package mcpserver/login.
type Logins = upstream.Authorizer

// FromConfig takes the servers of a configuration, in its order.
func FromConfig(cfg *config.Config) []Upstream {
	list := make([]Upstream, 0, len(cfg.Servers))
	for _, s := range cfg.Servers {
		list = append(list, Upstream{name: s.Name, namespace: s.Namespace, key: keyOf(&s), pin: pinID(&s), spec: func(supervisor *child.Supervisor, logins Logins) upstream.Spec {
			return upstream.FromConfig(&s, supervisor, logins)
		}})
	}
	return list
}

// keyOf is all that a configuration says of a server.
func keyOf(s *config.Server) string {
	one := *s
	one.File = "" // the same entry may come from another file
	text, err := json.Marshal(&one)
	if err != nil {
		return ""
	}
	return string(text)
}

// Wrap takes one command as the only upstream. Its namespace is an identifier; codeMcpServer calls it codemode. The
// command gets our whole environment, as it would without us.
func Wrap(namespace, command string, args ...string) []Upstream {
	s := config.Server{
		Name: command, Namespace: namespace, Transport: config.TransportStdio,
		Command: command, Args: args, InheritEnv: true,
	}
	return FromConfig(&config.Config{Servers: []config.Server{s}})
}

// InProcess takes a server of this process. Its namespace is an identifier.
func InProcess(namespace string, s *server.MCPServer) Upstream {
	return Upstream{name: namespace, namespace: namespace, spec: func(*child.Supervisor, Logins) upstream.Spec {
		return upstream.InProcess(namespace, s)
	}}
}

// Server is the one tool, its upstreams and its clients. Make it with New.
type Server struct {
	executor      protocol.Executor
	log           *slog.Logger
	mcp           *server.MCPServer
	supervisor    *child.Supervisor
	guard         *guard
	clients       *clients // of all views, too
	parking       parking
	resources     resources
	pages         resultPages
	prompts       *prompts // nil without Options.Prompts
	offers        *offers
	subscriptions *subscriptions
	progress      time.Duration
	awaits        bool // Options.AwaitClient
	started       sync.Once
	root          *Server // of which this one serves a view; nil is none

	ctx       context.Context // ends with Close
	cancel    context.CancelFunc
	wg        sync.WaitGroup
	changed   chan struct{}
	reloading sync.Mutex
	auditing  *sync.Mutex // who writes the audit file

	mu        *sync.Mutex // of the root and its views
	now       *generation
	old       []*generation // that runs still hold
	views     []*view
	limited   bool   // there are or were views
	claimed   bool   // there are or were views with claims
	published string // the description that clients know
}

// New makes a Server and starts its upstreams. It fails when two upstreams share a namespace.
func New(executor protocol.Executor, upstreams []Upstream, options *Options) (*Server, error) {
	if executor == nil {
		return nil, errors.New("mcpserver: no executor")
	}
	o := resolve(options)
	guard, err := newGuard(o.Policy)
	if err != nil {
		return nil, err
	}
	s := &Server{
		guard:    guard,
		executor: executor, log: o.Logger, progress: progressInterval, changed: make(chan struct{}, 1), awaits: o.AwaitClient,
		supervisor: child.NewSupervisor(&child.Options{Logger: o.Logger}),
		clients:    &clients{sessions: map[string]server.ClientSession{}, declared: map[string]json.RawMessage{}},
		parking:    parking{runs: map[string]*parked{}}, auditing: &sync.Mutex{}, mu: &sync.Mutex{},
	}
	guard.ask = s.elicit
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.offers, s.subscriptions = newOffers(s), newSubscriptions(s)
	s.mcp = s.protocolServer(&o)
	s.clients.mcp = s.mcp
	g, err := s.build(upstreams, options, nil)
	if err != nil {
		s.cancel()
		return nil, err
	}
	s.now = g
	views, err := s.viewsOver(g)
	if err != nil {
		s.cancel()
		return nil, err
	}
	s.replaceViews(views, nil)
	if !o.AwaitClient {
		s.startAll()
	}
	s.publish()
	s.wg.Go(s.publishLoop)
	s.wg.Go(s.followPins)
	s.wg.Go(s.offers.loop)
	return s, nil
}

// protocolServer answers the protocol's methods.
func (s *Server) protocolServer(o *Options) *server.MCPServer {
	hooks := &server.Hooks{}
	hooks.AddOnRegisterSession(func(_ context.Context, session server.ClientSession) { s.clients.joined(session, s.root != nil) })
	hooks.AddOnUnregisterSession(s.clients.left)
	hooks.AddOnRegisterSession(s.guard.allowed.joined)
	hooks.AddOnUnregisterSession(s.guard.allowed.left)
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest, _ *mcp.InitializeResult) { s.meet(ctx) })
	hooks.AddAfterSetLevel(func(_ context.Context, _ any, message *mcp.SetLevelRequest, _ *mcp.EmptyResult) {
		s.setLevel(message.Params.Level)
	})
	options, attach := s.offering(o, hooks)
	options = append(options, server.WithToolCapabilities(true), server.WithRecovery(), server.WithToolFilter(s.listed), server.WithHooks(hooks), server.WithLogging())
	protocolServer := server.NewMCPServer("codemode", o.Version, options...)
	attach(protocolServer)
	return protocolServer
}

func checkNamespaces(upstreams []Upstream) error {
	owner := map[string]string{}
	for _, u := range upstreams {
		if !protocol.IsProviderName(u.namespace) {
			return fmt.Errorf("mcpserver: the namespace %q of server %q is not an identifier", u.namespace, u.name)
		}
		if other, taken := owner[u.namespace]; taken {
			return fmt.Errorf("mcpserver: servers %q and %q share the namespace %s", other, u.name, u.namespace)
		}
		owner[u.namespace] = u.name
	}
	return nil
}

func resolve(options *Options) Options {
	var o Options
	if options != nil {
		o = *options
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Tool.Logger == nil {
		o.Tool.Logger = o.Logger
	}
	if o.Tool.Description == "" {
		o.Tool.Description = codetool.ServerDescription
	}
	o.Tool.RunUnchecked = o.Tool.RunUnchecked || o.Reference // which runs up to the call
	if o.Tool.DescriptionBudget == 0 && !o.Reference {
		o.Tool.DescriptionBudget = DefaultDescriptionBudget
		o.Tool.Search = true
	}
	if o.Tool.Timeout == 0 {
		o.Tool.Timeout = DefaultTimeout
	}
	o.Tool.LosslessIntegers = true
	if o.Version == "" {
		o.Version = "0.0.0"
	}
	if o.ResultChars <= 0 {
		o.ResultChars = codetool.MaxResponse
	}
	if o.StartWait <= 0 {
		o.StartWait = DefaultStartWait
	}
	o.Problems = slices.Clone(o.Problems)
	return o
}

// Close ends the runs and the upstreams, all at the same time, and waits until nothing of them is left. It is idempotent.
func (s *Server) Close() error {
	s.cancel()
	s.parking.clear()
	s.mu.Lock()
	generations, views := append([]*generation{s.now}, s.old...), s.views
	s.mu.Unlock()
	for _, v := range views {
		v.shut()
	}
	var closing sync.WaitGroup
	for _, g := range generations {
		for _, u := range g.upstreams {
			closing.Go(u.Close)
		}
	}
	closing.Wait()
	s.supervisor.Close()
	s.wg.Wait()
	return nil
}

// drainMargin is what a run may take beyond its time limit to be answered.
const drainMargin = 5 * time.Second

// ServeStdio speaks with one client on two streams, one message a line, until in ends or ctx does. Runs that are going
// when in ends are finished and answered, while anybody reads; those that are going when ctx ends are cancelled. Nothing
// but messages goes to out. The error is that of the streams.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	options := s.generation().options
	return stdio.Serve(ctx, s.mcp, in, out, &stdio.Options{Logger: s.log, Drain: options.Tool.Timeout + options.StartWait + drainMargin, Around: aroundRequest})
}

// ServerStatus is what is known about one upstream.
type ServerStatus struct {
	// Name and Namespace are what the configuration and what programs call it.
	Name, Namespace string
	// State is starting, ready, failed (never got ready, or not again) or stopped (ended; the next call starts it).
	State string
	// Reason says why it is failed or stopped.
	Reason string
	// Tools are its tools, as last listed.
	Tools []ServerTool
	// Server and Version are what it calls itself; StartTook is how long its start took.
	Server, Version string
	StartTook       time.Duration
	// Revision is that of the protocol which it agreed on.
	Revision string
}

// ServerTool is one tool of an upstream.
type ServerTool struct {
	Name, Title, Description string
	// InputSchema and OutputSchema are JSON Schemas with the bytes that the server sent.
	InputSchema, OutputSchema json.RawMessage
	// Withheld says why it may not be called; empty when it may. See Options.Pins.
	Withheld string
}

// Servers tells how the upstreams are, in their order.
func (s *Server) Servers() []ServerStatus {
	g := s.generation()
	list := make([]ServerStatus, 0, len(g.upstreams))
	for _, u := range g.upstreams {
		status := u.Status()
		withheld := g.pins.withheld(g.pinIDs[u], &status)
		one := ServerStatus{Name: status.Name, Namespace: status.Namespace, State: string(status.State), Reason: status.Reason,
			Server: status.Server, Version: status.Version, StartTook: status.StartTook, Revision: status.Revision}
		for _, tool := range status.Tools {
			one.Tools = append(one.Tools, ServerTool{
				Name: tool.Name, Title: tool.Title, Description: tool.Description,
				InputSchema: tool.InputSchema, OutputSchema: tool.OutputSchema, Withheld: withheld[tool.Name],
			})
		}
		list = append(list, one)
	}
	return list
}

// Declarations are the TypeScript declarations of the upstreams as they are now, whatever fits into the description.
func (s *Server) Declarations() []codetool.Declarations {
	return s.generation().current().Declarations()
}

// Settled waits until no upstream is starting, or ctx ends. It starts them when they wait for a client.
func (s *Server) Settled(ctx context.Context) {
	s.startAll()
	for _, u := range s.generation().upstreams {
		u.Settled(ctx)
	}
}
