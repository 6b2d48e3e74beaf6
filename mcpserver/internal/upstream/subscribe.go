package upstream

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Follow has the server tell when one of these resources changes, and no others; Options.Hear gets what it says, as
// notifications/resources/updated. It holds for later connections, too. A server that cannot tell is one that never does.
func (u *Upstream) Follow(uris []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.watched = slices.Clone(uris)
	if u.session != nil {
		u.session.follow(u.watched)
	}
}

// follow asks in the way of the revision, beside the caller.
func (s *session) follow(uris []string) {
	s.mu.Lock()
	before := s.followed
	s.followed = uris
	relisten := s.relisten
	s.mu.Unlock()
	if isModern(s.revision) {
		if relisten != nil && !slices.Equal(before, uris) {
			relisten()
		}
		return
	}
	if s.offers.Resources == nil || s.ctx.Err() != nil {
		return
	}
	s.tellChanges("resources/unsubscribe", before, uris)
	s.tellChanges("resources/subscribe", uris, before)
}

// tellChanges sends a request for each URI of one list that is not in the other.
func (s *session) tellChanges(method string, in, notIn []string) {
	for _, uri := range in {
		if slices.Contains(notIn, uri) {
			continue
		}
		s.wg.Go(func() {
			ctx, cancel := context.WithTimeout(s.ctx, subscribeLimit)
			defer cancel()
			if _, err := s.request(ctx, method, map[string]any{"uri": uri}, nil); err != nil && s.ctx.Err() == nil {
				s.log.Warn("the server does not tell about changes of a resource", "method", method, "uri", uri, "error", err)
			}
		})
	}
}

// subscribeLimit bounds one request for the changes of a resource.
const subscribeLimit = 30 * time.Second

// subscribe keeps the stream open on which a server of the revisions without sessions announces changes.
func (s *session) subscribe() {
	for pause := time.Second; ; pause = min(2*pause, time.Minute) {
		began := time.Now()
		ctx, cancel := context.WithCancel(s.ctx)
		_, err := s.request(ctx, "subscriptions/listen", map[string]any{"notifications": s.wanted(cancel)}, nil)
		again := ctx.Err() != nil && s.ctx.Err() == nil
		cancel()
		var rpc *RPCError
		switch {
		case again:
			continue
		case errors.As(err, &rpc) || s.lost != nil && isLost(s):
			return // it has no such stream, or is no more
		case time.Since(began) > time.Minute:
			pause = time.Second
		}
		if !sleep(s.ctx, pause) {
			return
		}
		s.mayHaveChanged() // what it announced meanwhile went by unheard
	}
}

// wanted is what subscribe asks for now; relisten ends its request when that changes.
func (s *session) wanted(relisten context.CancelFunc) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.relisten = relisten
	filter := map[string]any{"toolsListChanged": true, "resourcesListChanged": true, "promptsListChanged": true}
	if len(s.followed) > 0 {
		filter["resourceSubscriptions"] = s.followed
	}
	return filter
}
