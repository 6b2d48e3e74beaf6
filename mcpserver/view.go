package mcpserver

import (
	"context"
	"log/slog"
	"slices"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/upstream"
)

// The clients of a view are served by a Server of their own, which has sessions, runs, pages and lists of its own, and shares
// the upstreams, the executor and the audit file of the whole one. What a view does not have is left out of its
// generations, so that nothing that looks there can tell it from what does not exist.

// view is a Server for the clients of one token, or of access tokens with some claims.
type view struct {
	*Server
	config config.View
	next   *generation // what the Server is to serve
}

// derive is what of a generation the view has.
func (v *view) derive(g *generation) *generation {
	d := &generation{
		options: g.options, ownBudget: g.ownBudget, offers: v.offers, pins: g.pins, pinIDs: g.pinIDs, view: &v.config, whole: g, stale: true,
	}
	d.upstreams = slices.DeleteFunc(slices.Clone(g.upstreams), func(u *upstream.Upstream) bool {
		status := u.Status()
		return !d.view.HasServer(status.Name, status.Namespace)
	})
	d.options.Problems = slices.DeleteFunc(slices.Clone(g.options.Problems), func(p config.Problem) bool { return !d.view.NamesServer(p.Server, config.Namespace(p.Server)) })
	for i, p := range d.options.Problems {
		if !d.view.NamesServer(p.Rival, p.Namespace) {
			d.options.Problems[i] = p.WithoutRival()
		}
	}
	d.toolOver(v.Server, g.authorizeOwn)
	return d
}

// openView makes the Server of a view over a generation.
func (s *Server) openView(c config.View, g *generation) (*view, error) {
	guard, err := newGuard(g.options.Policy)
	if err != nil {
		return nil, err
	}
	v := &view{config: c, Server: &Server{
		root: s, executor: s.executor, log: s.log.With(slog.String("view", c.Name)), progress: s.progress, changed: make(chan struct{}, 1),
		supervisor: s.supervisor, guard: guard, clients: s.clients, subscriptions: s.subscriptions, auditing: s.auditing, mu: s.mu,
		parking: parking{runs: map[string]*parked{}},
	}}
	guard.ask = v.elicit
	v.ctx, v.cancel = context.WithCancel(s.ctx)
	v.offers = newOffers(v.Server)
	v.mcp = v.protocolServer(&g.options)
	v.next = v.derive(g)
	v.now = v.next
	v.publish()
	v.wg.Go(v.publishLoop)
	v.wg.Go(v.offers.loop)
	return v, nil
}

// shut ends a view's runs and waits for them. Its sessions end with its context, see Handler.
func (v *view) shut() {
	v.cancel()
	v.parking.clear()
	v.wg.Wait()
}

// viewsOver has the views of a generation: those that were there already, which go on with their sessions, and new ones.
func (s *Server) viewsOver(g *generation) (views []*view, err error) {
	for _, c := range g.options.Views {
		var v *view
		if i := slices.IndexFunc(s.views, func(v *view) bool { return v.config.Name == c.Name }); i >= 0 {
			v = &view{Server: s.views[i].Server, config: c}
			v.next = v.derive(g)
		} else if v, err = s.openView(c, g); err != nil {
			return views, err
		}
		views = append(views, v)
	}
	return views, nil
}

// replaceViews puts other views in the place of the present ones, unless they failed, and has those that nobody has any more.
// s.mu is held.
func (s *Server) replaceViews(views []*view, failed error) (gone []*view) {
	kept, given := views, s.views
	if failed != nil {
		kept, given = given, views
	}
	s.views = kept
	s.limited = s.limited || len(kept) > 0
	for _, v := range kept {
		s.claimed = s.claimed || len(v.config.Claims) > 0
		v.now = v.next
	}
	return slices.DeleteFunc(slices.Clone(given), func(v *view) bool {
		return slices.ContainsFunc(kept, func(one *view) bool { return one.Server == v.Server })
	})
}

// endViews ends views in the background; Close waits for it.
func (s *Server) endViews(gone []*view) {
	for _, v := range gone {
		s.wg.Go(v.shut)
	}
}

// served is every Server that has clients: the whole one and those of the views.
func (s *Server) served() []*Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.servedNow()
}

// servedNow is served while s.mu is held.
func (s *Server) servedNow() []*Server {
	list := []*Server{s}
	for _, v := range s.views {
		list = append(list, v.Server)
	}
	return list
}

// outdateOffers has an upstream's resources and prompts listed again, for everybody.
func (s *Server) outdateOffers(u *upstream.Upstream) {
	for _, one := range s.served() {
		one.offers.outdate(u)
	}
}

// whole is the Server that has everything.
func (s *Server) whole() *Server {
	if s.root != nil {
		return s.root
	}
	return s
}

type servingKey struct{}

// serving is the Server whose client ctx belongs to.
func (s *Server) serving(ctx context.Context) *Server {
	if one, ok := ctx.Value(servingKey{}).(*Server); ok {
		return one
	}
	return s
}

// viewName is what the configuration calls the generation's view; empty is everything.
func (g *generation) viewName() string {
	if g.view == nil {
		return ""
	}
	return g.view.Name
}

// toolsOf are the tools of an upstream that the generation has.
func (g *generation) toolsOf(status *upstream.Status) []upstream.Tool {
	if g.view == nil {
		return status.Tools
	}
	return slices.DeleteFunc(slices.Clone(status.Tools), func(tool upstream.Tool) bool {
		return !g.view.HasTool([]string{status.Name, status.Namespace}, []string{tool.Name, tool.Identifier}, tool.ReadOnly)
	})
}

// tellsOf reports whether clients learn that a server is there: not when they have nothing of it, as far as that is known,
// and their view does not name it.
func (g *generation) tellsOf(u *upstream.Upstream, status *upstream.Status) bool {
	return g.view == nil || g.view.NamesServer(status.Name, status.Namespace) || len(g.toolsOf(status)) > 0 ||
		g.options.Resources && status.Resources && slices.Contains(g.offering(readResource), u) ||
		g.options.Prompts && status.Prompts && slices.Contains(g.offering(getPrompt), u)
}

// hides reports whether an upstream has a tool that the generation has not.
func (g *generation) hides(status *upstream.Status, tool string) bool {
	is := func(one upstream.Tool) bool { return one.Name == tool }
	return g.view != nil && slices.ContainsFunc(status.Tools, is) && !slices.ContainsFunc(g.toolsOf(status), is)
}

// offering are the upstreams whose resources (readResource) or prompts (getPrompt) the generation has.
func (g *generation) offering(action string) []*upstream.Upstream {
	if g.view == nil {
		return g.upstreams
	}
	return slices.DeleteFunc(slices.Clone(g.upstreams), func(u *upstream.Upstream) bool {
		status := u.Status()
		return !g.view.HasTool([]string{status.Name, status.Namespace}, []string{action}, true)
	})
}

// shownOf leaves out of an offer what the generation does not have.
func (g *generation) shownOf(one offered) offered {
	if !slices.Contains(g.offering(readResource), one.upstream) {
		one.resources, one.templates = nil, nil
	}
	if !slices.Contains(g.offering(getPrompt), one.upstream) {
		one.prompts = nil
	}
	return one
}

// instructionsOf is what a server says about its tools; nothing in a view that has not all of them, for it may name the others.
func (g *generation) instructionsOf(status *upstream.Status) string {
	if len(g.toolsOf(status)) < len(status.Tools) {
		return ""
	}
	return status.Instructions
}

// toolOver makes the generation's tool, whose calls s decides about, and then own, unless that is nil.
func (g *generation) toolOver(s *Server, own func(context.Context, codetool.Call) error) {
	g.authorizeOwn = own
	g.options.Tool.Authorize = g.authorize(s.guard.before(g, own))
	g.base = codetool.NewTool(s.executor, nil, &g.options.Tool)
}
