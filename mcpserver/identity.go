package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/mcpserver/internal/access"
)

// identity is who an HTTP request is from, and what there is for them.
type identity struct {
	// to is what they see: the whole Server, or that of a view.
	to *Server
	// issuer and subject are an access token's; empty without one.
	issuer, subject string
	// until is when the access token counts no more; zero is never.
	until time.Time
}

type identityKey struct{}

// identityOf is who the request of ctx is from; the zero identity where nobody asked.
func identityOf(ctx context.Context) identity {
	who, _ := ctx.Value(identityKey{}).(identity)
	return who
}

// owner is a text for each person, to keep what is one's from the others. Who has no access token is nobody: they share a token, or need
// none.
func (i identity) owner() string {
	if i.subject == "" {
		return ""
	}
	return i.issuer + "\x00" + i.subject
}

// denial is an answer to a request that goes no further.
type denial struct {
	status int
	why    string
	// header is what the answer has beside it; nil is nothing.
	header http.Header
}

// identify tells whom a request is from: by a view's token, by the Server's, by an access token, or where nothing is asked for.
func (d *door) identify(r *http.Request) (identity, *denial) {
	given := bearer(r)
	v, limited := d.server.viewOf(given)
	switch {
	case v != nil:
		return identity{to: v.Server}, nil
	case sameToken(given, d.options.Token):
		return identity{to: d.server}, nil
	case d.verifier != nil && given != "":
		return d.accept(r.Context(), given)
	case d.verifier == nil && d.options.Token == "" && (given == "" || !limited):
		// A token that is nobody's counts as none, unless it may have been a view's.
		return identity{to: d.server}, nil
	}
	why := "no bearer token was sent (Authorization: Bearer TOKEN)"
	if given != "" {
		why = "the bearer token is none of this server's"
	}
	return identity{}, d.challenge(http.StatusUnauthorized, unauthorized+": "+why, nil)
}

// accept tells whom an access token is from.
func (d *door) accept(ctx context.Context, token string) (identity, *denial) {
	who, err := d.verifier.Verify(ctx, token)
	var lacking *access.ScopeError
	var refused *access.RefusedError
	if err != nil {
		d.server.log.Debug("an access token does not count", "reason", err)
	}
	switch {
	case errors.As(err, &lacking):
		return identity{}, d.challenge(http.StatusForbidden, "Forbidden: "+err.Error(), []string{"error", "insufficient_scope", "error_description", err.Error()})
	case errors.As(err, &refused):
		return identity{}, d.challenge(http.StatusUnauthorized, unauthorized+": "+err.Error(), []string{"error", "invalid_token", "error_description", err.Error()})
	case err != nil: // the issuer's fault or the client's end: another login would not help
		return identity{}, &denial{http.StatusServiceUnavailable, "Unavailable: the access token cannot be checked now", http.Header{"Retry-After": {"10"}}}
	}
	to, ok := d.server.serverOf(who)
	if !ok {
		return identity{}, &denial{http.StatusForbidden, "Forbidden: there is nothing here for this access token", nil}
	}
	return identity{to: to, issuer: who.Issuer, subject: who.Subject, until: who.Expires}, nil
}

// serverOf is what the client of an access token sees: the first view whose claims it has, or everything where no view asks for claims.
func (s *Server) serverOf(who *access.Principal) (*Server, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.views {
		lacks := func(claim string) bool { return !who.Has(claim, v.config.Claims[claim]) }
		if claims := slices.Collect(maps.Keys(v.config.Claims)); len(claims) > 0 && !slices.ContainsFunc(claims, lacks) {
			return v.Server, true
		}
	}
	return s, !s.claimed
}

// maxSessions bounds the sessions of one endpoint, each of which is remembered for sessionLife; maxSessionsOfOne those of one
// person, who has an access token.
const (
	maxSessions      = 10_000
	maxSessionsOfOne = 1000
)

// owners is mcp-go's server.SessionIdManager, and tells whose a session is: of another person it is not there.
type owners struct {
	mu    sync.Mutex
	of    map[string]string // the sessions' owners, see identity.owner
	count map[string]int    // the sessions by their owner
}

func newOwners() *owners { return &owners{of: map[string]string{}, count: map[string]int{}} }

// full reports whether an owner can have no further session.
func (o *owners) full(owner string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.of) >= maxSessions || owner != "" && o.count[owner] >= maxSessionsOfOne
}

// ResolveSessionIdManager implements server.SessionIdManagerResolver.
func (o *owners) ResolveSessionIdManager(r *http.Request) server.SessionIdManager {
	if r == nil { // the end of what was idle
		return &ownSessions{owners: o, everybody: true}
	}
	return &ownSessions{owners: o, owner: identityOf(r.Context()).owner()}
}

// has reports whether a session is the owner's.
func (o *owners) has(session, owner string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	known, ok := o.of[session]
	return ok && known == owner
}

// ownSessions are those of one owner.
type ownSessions struct {
	owners    *owners
	owner     string
	everybody bool
}

// Generate implements server.SessionIdManager.
func (s *ownSessions) Generate() string {
	id := "mcp-session-" + rand.Text()
	s.owners.mu.Lock()
	defer s.owners.mu.Unlock()
	s.owners.of[id] = s.owner
	s.owners.count[s.owner]++
	return id
}

// Validate implements server.SessionIdManager.
func (s *ownSessions) Validate(id string) (ended bool, err error) {
	if !s.owners.has(id, s.owner) {
		return false, fmt.Errorf("session not found: %s", id)
	}
	return false, nil
}

// Terminate implements server.SessionIdManager.
func (s *ownSessions) Terminate(id string) (notAllowed bool, err error) {
	s.owners.mu.Lock()
	defer s.owners.mu.Unlock()
	owner, known := s.owners.of[id]
	if !known || !s.everybody && owner != s.owner {
		return false, nil
	}
	delete(s.owners.of, id)
	if s.owners.count[owner]--; s.owners.count[owner] == 0 {
		delete(s.owners.count, owner)
	}
	return false, nil
}
