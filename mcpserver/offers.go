package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/internal/upstream"
)

const (
	// offerLimit bounds one reading of a server's lists of resources and prompts.
	offerLimit = 10 * time.Second
	// offerPatience is how long a list waits for servers that are starting. It is longer than for tools, which a client's
	// start hangs on, and which are known from the last time.
	offerPatience = 10 * time.Second
)

// offer is what one upstream offers beside its tools, as last listed. What it offered stays known while it is down.
type offer struct {
	reading chan struct{} // holds one of those who list

	mu                            sync.Mutex
	stale                         bool
	resources, templates, prompts []json.RawMessage
}

// offered is an upstream's namespace with its offer.
type offered struct {
	upstream                      *upstream.Upstream
	namespace                     string
	resources, templates, prompts []json.RawMessage
}

// offers keeps the lists of resources and prompts of all upstreams. They are listed when a client or a program asks, and
// again when their server says that they changed.
type offers struct {
	server  *Server
	changed chan struct{} // of capacity 1

	mu   sync.Mutex
	of   map[*upstream.Upstream]*offer
	told map[string][sha256.Size]byte // by notification, the lists that clients know; nothing before any has asked
}

func newOffers(s *Server) *offers {
	return &offers{server: s, changed: make(chan struct{}, 1), of: map[*upstream.Upstream]*offer{}, told: map[string][sha256.Size]byte{}}
}

// outdate has a server's lists read again: at the next question, and before that for clients that know the old ones.
func (o *offers) outdate(u *upstream.Upstream) {
	one := o.offer(u)
	one.mu.Lock()
	one.stale = true
	one.mu.Unlock()
	o.wake()
}

func (o *offers) wake() {
	select {
	case o.changed <- struct{}{}:
	default: // it is about to look anyway
	}
}

func (o *offers) offer(u *upstream.Upstream) *offer {
	o.mu.Lock()
	defer o.mu.Unlock()
	one := o.of[u]
	if one == nil {
		one = &offer{reading: make(chan struct{}, 1), stale: true}
		o.of[u] = one
	}
	return one
}

// gather lists what the upstreams of a generation offer, in their order. One that is starting is waited for
// offerPatience, and one that fails has what it had before.
func (o *offers) gather(ctx context.Context, g *generation) []offered {
	list := make([]offered, len(g.upstreams))
	var all sync.WaitGroup
	for i, u := range g.upstreams {
		all.Go(func() {
			one := o.offer(u)
			o.refresh(ctx, g, u, one)
			one.mu.Lock()
			defer one.mu.Unlock()
			list[i] = g.shownOf(offered{u, u.Status().Namespace, one.resources, one.templates, one.prompts})
		})
	}
	all.Wait()
	return list
}

// refresh lists one upstream's offers anew, when that is due and the upstream is there.
func (o *offers) refresh(ctx context.Context, g *generation, u *upstream.Upstream, one *offer) {
	if u.Status().State == upstream.Starting {
		patience, cancel := context.WithTimeout(ctx, offerPatience)
		u.Settled(patience)
		cancel()
	}
	ctx, cancel := context.WithTimeout(ctx, offerLimit)
	defer cancel()
	select {
	case one.reading <- struct{}{}:
		defer func() { <-one.reading }()
	case <-ctx.Done():
		return
	}
	status := u.Status()
	one.mu.Lock()
	due := one.stale && status.State == upstream.Ready
	if due {
		one.stale = false // what is announced from here on makes it stale again
	}
	one.mu.Unlock()
	if !due {
		return
	}
	read := func(wanted bool, method, member string, into *[]json.RawMessage) {
		var entries []json.RawMessage
		if wanted {
			var err error
			if entries, err = u.List(ctx, method, member); err != nil {
				o.server.log.Warn("a server's list cannot be had; what it had before stays", "server", status.Name, "method", method, "error", u.Redact(err.Error()))
				one.mu.Lock()
				one.stale = true
				one.mu.Unlock()
				return
			}
		}
		one.mu.Lock()
		*into = entries
		one.mu.Unlock()
	}
	read(g.options.Resources && status.Resources, "resources/list", "resources", &one.resources)
	read(g.options.Resources && status.Resources, "resources/templates/list", "resourceTemplates", &one.templates)
	read(g.options.Prompts && status.Prompts, "prompts/list", "prompts", &one.prompts)
}

// The notifications about the lists.
const (
	resourcesChanged = "notifications/resources/list_changed"
	promptsChanged   = "notifications/prompts/list_changed"
)

// shown notes what a client was just shown. Clients that were shown something else before hear of it.
func (o *offers) shown(notification string, list any) {
	sum := sumOf(list)
	o.mu.Lock()
	before, known := o.told[notification]
	if !known {
		o.told[notification] = sum
	}
	o.mu.Unlock()
	if known && before != sum {
		o.wake()
	}
}

// renewed is shown for all clients, and reports whether they know other lists.
func (o *offers) renewed(notification string, list func() any) bool {
	o.mu.Lock()
	before, known := o.told[notification]
	o.mu.Unlock()
	if !known {
		return false
	}
	sum := sumOf(list())
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told[notification] = sum
	return before != sum
}

func sumOf(list any) [sha256.Size]byte {
	text, _ := json.Marshal(list) // it came as JSON
	return sha256.Sum256(text)
}

// loop tells clients that lists changed, a burst of changes once, and only when they did change.
func (o *offers) loop() {
	s := o.server
	for s.burst(o.changed) {
		g := s.generation()
		o.forget(g)
		if o.renewed(resourcesChanged, func() any { r, t := o.resources(s.ctx, g); return []any{r, t} }) {
			s.mcp.SendNotificationToAllClients(resourcesChanged, nil)
		}
		if o.renewed(promptsChanged, func() any { return o.prompts(s.ctx, g) }) {
			s.mcp.SendNotificationToAllClients(promptsChanged, nil)
		}
	}
}

// forget drops the offers of upstreams that are no longer there.
func (o *offers) forget(g *generation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for u := range o.of {
		if !slices.Contains(g.upstreams, u) {
			delete(o.of, u)
		}
	}
}

// in finds the upstream of a namespace whose resources (readResource) or prompts (getPrompt) are there, named one by the
// name that people gave it; nil is none.
func (g *generation) in(namespace, action string) *upstream.Upstream {
	return g.find(action, func(status upstream.Status) bool { return status.Namespace == namespace })
}

func (g *generation) named(name, action string) *upstream.Upstream {
	return g.find(action, func(status upstream.Status) bool { return status.Name == name })
}

func (g *generation) find(action string, is func(upstream.Status) bool) *upstream.Upstream {
	for _, u := range g.offering(action) {
		if is(u.Status()) {
			return u
		}
	}
	return nil
}

// scheme begins the URI under which clients know a server's resource; the server's namespace and its own URI follow. A
// template of URIs stays one, and no two servers' URIs can meet, for a namespace has no slash.
const scheme = "codemode://"

func mappedURI(namespace, uri string) string { return scheme + namespace + "/" + uri }

// originalURI takes a mapped URI apart.
func originalURI(mapped string) (namespace, uri string, ok bool) {
	rest, ok := strings.CutPrefix(mapped, scheme)
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "/")
}

// promptName is the name under which clients know a server's prompt; a namespace has no dot.
func promptName(namespace, name string) string { return namespace + "." + name }

// offering declares what clients may ask for beside the tool; attach gives a server what it answers that with.
func (s *Server) offering(o *Options, hooks *server.Hooks) (options []server.ServerOption, attach func(*server.MCPServer)) {
	if !o.Reference {
		s.pages = resultPages{codetool.NewPages(&codetool.PagesOptions{PageBytes: o.ResultChars})}
		s.resources.sources = append(s.resources.sources, s.pages)
		hooks.AddOnUnregisterSession(s.pages.left)
	}
	if o.Resources {
		s.resources.sources = append(s.resources.sources, upstreamResources{s.offers})
		s.subscriptions.hook(hooks, s)
	}
	if len(s.resources.sources) > 0 {
		s.resources.hook(hooks)
		options = append(options, server.WithResourceCapabilities(o.Resources, o.Resources))
	}
	if o.Resources || o.Prompts {
		p := &prompts{offers: s.offers}
		options = append(options, server.WithCompletions(), server.WithPromptCompletionProvider(p), server.WithResourceCompletionProvider(p))
		if o.Prompts {
			p.hook(hooks)
			options = append(options, server.WithPromptCapabilities(true))
			s.prompts = p
		}
	}
	return options, func(to *server.MCPServer) {
		if len(s.resources.sources) > 0 {
			s.resources.attach(to)
		}
		if s.prompts != nil {
			s.prompts.attach(to)
		}
	}
}
