package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/upstream"
)

// generation is one configuration at work: its upstreams, its options, and the tool over them. Runs hold the one they
// began with, so that a reload changes nothing for them. An upstream that a new configuration leaves as it was is a part
// of both.
type generation struct {
	options Options
	// ownBudget says that the description's length was left to us.
	ownBudget bool
	base      *codetool.Tool
	upstreams []*upstream.Upstream
	offers    *offers
	keys      []string // of the upstreams: what the configuration says of each
	pins      *pins
	pinIDs    map[*upstream.Upstream]string // of the upstreams; empty is not pinned

	mu      sync.Mutex
	stale   bool
	changes uint64            // of the upstreams, at the least, when tool was made
	reading map[string]string // the functions of tool that read, by their names
	tool    *codetool.Tool    // of the upstreams as they were when stale was last cleared

	told []string // of what is unmatched

	view  *config.View // what it is of the generation whole; nil is all of it
	whole *generation
	// authorizeOwn is what the embedding program asks about calls.
	authorizeOwn func(context.Context, codetool.Call) error

	users   int  // runs, also those of views, guarded by the Server's mutex
	retired bool // another one took its place
}

// current is the code tool over the upstreams as they are now.
func (g *generation) current() *codetool.Tool {
	tool, _ := g.currentWithReading()
	return tool
}

// currentWithReading is current, with which of its functions read: a run keeps to those, whatever its servers do meanwhile.
func (g *generation) currentWithReading() (tool *codetool.Tool, reading map[string]string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if changes := g.upstreamChanges(); g.stale || changes != g.changes {
		g.stale, g.changes = false, changes
		g.tool = g.base.With(g.providers())
	}
	return g.tool, g.reading
}

// upstreamChanges counts them. A server that is ready has its functions at once, before anybody has been told.
func (g *generation) upstreamChanges() (sum uint64) {
	for _, u := range g.upstreams {
		sum += u.Changes()
	}
	return sum
}

// outdate has the tool made anew.
func (g *generation) outdate() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stale = true
}

// generation is the one that counts now.
func (s *Server) generation() *generation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// hold keeps the generation of now for a run; release has to follow.
func (s *Server) hold() *generation {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.held().users++
	return s.now
}

// release ends a run's use. The last one ends what only its generation had.
func (s *Server) release(g *generation) {
	s, g = s.whole(), g.held()
	s.mu.Lock()
	g.users--
	orphans := s.orphans(g)
	s.mu.Unlock()
	s.end(orphans)
}

// held is the generation whose upstreams a run on g uses.
func (g *generation) held() *generation {
	if g.whole != nil {
		return g.whole
	}
	return g
}

// orphans are the upstreams that nobody needs any more because of a generation that is no longer used, with s.mu held.
func (s *Server) orphans(g *generation) []*upstream.Upstream {
	if !g.retired || g.users > 0 {
		return nil
	}
	s.old = slices.DeleteFunc(s.old, func(one *generation) bool { return one == g })
	return slices.DeleteFunc(slices.Clone(g.upstreams), func(u *upstream.Upstream) bool {
		return slices.Contains(s.now.upstreams, u) || slices.ContainsFunc(s.old, func(one *generation) bool { return slices.Contains(one.upstreams, u) })
	})
}

// end closes upstreams in the background; Close waits for it.
func (s *Server) end(list []*upstream.Upstream) {
	for _, u := range list {
		s.wg.Go(u.Close)
	}
}

// build makes a generation that is not started. It takes over the upstreams of before that are the same.
func (s *Server) build(upstreams []Upstream, options *Options, before *generation) (*generation, error) {
	if err := checkNamespaces(upstreams); err != nil {
		return nil, err
	}
	g := &generation{options: resolve(options), stale: true, offers: s.offers, pinIDs: map[*upstream.Upstream]string{}}
	g.pins = newPins(g.options.Pins, s.log)
	g.ownBudget = g.options.Tool.Search && (options == nil || options.Tool.DescriptionBudget == 0)
	g.toolOver(s, g.options.Tool.Authorize)
	for _, u := range upstreams {
		key := u.key + "\x00" + g.options.StartTimeout.String()
		g.keys = append(g.keys, key)
		if before != nil && u.key != "" {
			if i := slices.Index(before.keys, key); i >= 0 {
				g.upstreams = append(g.upstreams, before.upstreams[i])
				g.pinIDs[before.upstreams[i]] = u.pin
				continue
			}
		}
		var made *upstream.Upstream
		made = upstream.New(u.spec(s.supervisor, g.options.Logins), &upstream.Options{
			Logger: s.log, OnChange: s.invalidate, OnLists: func() { s.outdateOffers(made) }, Version: g.options.Version, StartTimeout: g.options.StartTimeout, CacheDir: g.options.CacheDir,
			Capabilities: s.clients.union, Ask: s.ask, Hear: s.hear,
		})
		g.upstreams = append(g.upstreams, made)
		g.pinIDs[made] = u.pin
	}
	return g, nil
}

// ErrClosed answers Reload after Close.
var ErrClosed = errors.New("mcpserver: the server is closed")

// Reload puts another configuration in the place of the present one, whole or not at all. What is new or has changed is
// started beside the old; when a server that was ready before does not get ready with its new entry, the old
// configuration stays, and the error says which server and why. A server that is new, or was down anyway, may be down:
// the description says so, as after New. Slow is not failed: a server that is still starting after
// Options.StartWait is taken.
//
// Programs that are running keep what they began with until they end, but for the policy, which holds at each call. The client is told when the description changed.
// What the options say of the Logger counts for New alone.
func (s *Server) Reload(ctx context.Context, upstreams []Upstream, options *Options) error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	before := s.generation()
	g, err := s.build(upstreams, options, before)
	if err != nil {
		return err
	}
	policy, err := newGuard(g.options.Policy)
	if err != nil {
		return err
	}
	fresh := slices.DeleteFunc(slices.Clone(g.upstreams), func(u *upstream.Upstream) bool { return slices.Contains(before.upstreams, u) })
	if s.clients.met() || !s.awaits {
		err = s.tryOut(ctx, fresh, before, g)
	}
	var views []*view
	if err == nil {
		views, err = s.viewsOver(g)
	}
	s.mu.Lock()
	if err == nil && s.ctx.Err() != nil {
		err = ErrClosed
	}
	gone := s.replaceViews(views, err)
	if err != nil {
		s.mu.Unlock()
		s.endViews(gone)
		s.end(fresh)
		return err
	}
	before.retired = true
	s.old = append(s.old, before)
	served := s.servedNow()
	for _, one := range served { // before there is anything that the old policy does not know
		one.guard.adopt(policy)
	}
	s.now = g
	orphans := s.orphans(before)
	s.mu.Unlock()
	for _, one := range served {
		one.offers.wake()
	}
	s.endViews(gone)
	s.end(orphans)
	s.invalidate()
	s.subscriptions.follow(g)
	return nil
}

// tryOut starts what is new and waits until it is known how that went.
func (s *Server) tryOut(ctx context.Context, fresh []*upstream.Upstream, before, g *generation) error {
	ctx, cancel := context.WithTimeout(ctx, g.options.StartWait)
	defer cancel()
	for _, u := range fresh {
		u.Start()
	}
	for _, u := range fresh {
		u.Settled(ctx)
		status := u.Status()
		if status.State != upstream.Failed {
			continue
		}
		for _, old := range before.upstreams {
			if was := old.Status(); was.Name == status.Name && was.State == upstream.Ready {
				return fmt.Errorf("server %q does not start with its new entry (%s); the old configuration stays", status.Name, status.Reason)
			}
		}
	}
	return nil
}
