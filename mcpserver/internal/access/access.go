// Package access tells whose an OAuth access token is, for a server that takes those of others (a resource server).
//
// Two nouns are enough to read it. A [Verifier] holds JWT access tokens (RFC 9068, as far as issuers follow it) against the keys of
// their issuers and against what the server wants. A [Principal] is who such a token is from.
//
//	v := access.New(&access.Options{Issuers: …, Audiences: []string{"https://mcp.example/mcp"}})
//	defer v.Close()
//	who, err := v.Verify(ctx, token)
//
// # Keys
//
// An issuer's keys are where its metadata says (RFC 8414, or OpenID Connect Discovery). They are kept for a quarter of an hour, and
// for a day when nothing newer can be had; a token with a key that is not known, or that no key fits, has them read anew, each issuer's once in ten seconds at the
// most, whatever is sent to us. A request waits for that for five seconds and no longer.
//
// # Limits
//
// Signatures are RS256, ES256 or EdDSA. Nothing asks the issuer whether a token was revoked: it counts until it expires.
package access

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/codemode-go/codemode/mcpserver/internal/authority"
)

const (
	// maxToken bounds a token, as the headers of most servers are bounded.
	maxToken = 16 << 10
	// leeway is how far clocks may be apart.
	leeway = 30 * time.Second
)

// algorithms are those of which the verifying key is public and its kind tells the algorithm: nothing to confuse.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.EdDSA}

// Options says which tokens count.
type Options struct {
	Issuers []Issuer
	// Audiences are what a token has to be for one of.
	Audiences []string
	// Scopes are what each token has to have.
	Scopes []string
	// Logger is told of keys that cannot be read. Nil discards.
	Logger *slog.Logger
}

// Issuer is an authorization server.
type Issuer struct {
	// URL is its name.
	URL string
	// Keys is the address of its keys; empty is what its metadata says.
	Keys string
}

// Verifier holds tokens against what is wanted of them. Make it with New; it is safe for concurrent use.
type Verifier struct {
	audiences jwt.Audience
	scopes    []string
	rings     []*keyring
	client    *http.Client
	log       *slog.Logger
	now       func() time.Time

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
}

// New makes a Verifier.
func New(options *Options) *Verifier {
	v := &Verifier{audiences: options.Audiences, scopes: options.Scopes, log: options.Logger, now: time.Now}
	if v.log == nil {
		v.log = slog.New(slog.DiscardHandler)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	v.client = &http.Client{Transport: transport, CheckRedirect: authority.NoRedirect}
	v.ctx, v.cancel = context.WithCancel(context.Background())
	for _, issuer := range options.Issuers {
		v.rings = append(v.rings, &keyring{issuer: issuer, verifier: v})
	}
	return v
}

// Close ends what is being read, and waits.
func (v *Verifier) Close() {
	v.cancel()
	v.mu.Lock()
	v.closed = true
	v.mu.Unlock()
	v.wg.Wait()
	v.client.CloseIdleConnections()
}

// Prepare begins to read the keys of all issuers, so that the first request finds them.
func (v *Verifier) Prepare() {
	for _, r := range v.rings {
		r.look("", "", nil)
	}
}

// Status is what an issuer's keys are like.
type Status struct {
	Issuer string
	// Keys is how many of them are of use.
	Keys int
	// Err is why they could not be read.
	Err error
}

// Check reads the keys of all issuers now.
func (v *Verifier) Check(ctx context.Context) []Status {
	list := make([]Status, len(v.rings))
	var reading sync.WaitGroup
	for i, r := range v.rings {
		reading.Go(func() {
			list[i].Issuer = r.issuer.URL
			keys, err := r.read(ctx)
			if err != nil {
				list[i].Err = err
				return
			}
			list[i].Keys = len(keys.list)
		})
	}
	reading.Wait()
	return list
}

// RefusedError is a token that does not count. Its text is for the client, and nothing of it is from the token.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return e.Reason }

// ScopeError is a token that counts and lacks scopes.
type ScopeError struct{ Missing []string }

func (e *ScopeError) Error() string {
	return "the access token lacks the scope " + strings.Join(e.Missing, " ")
}

// UnavailableError says that nobody can tell now: the keys of the token's issuer cannot be had.
type UnavailableError struct {
	Issuer string
	Err    error
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("the keys of %s cannot be had: %v", e.Issuer, e.Err)
}

func (e *UnavailableError) Unwrap() error { return e.Err }

func refused(reason string) error { return &RefusedError{reason} }

// Verify tells whose a token is. The error is a RefusedError, a ScopeError, an UnavailableError, or ctx's.
func (v *Verifier) Verify(ctx context.Context, token string) (*Principal, error) {
	if len(token) > maxToken {
		return nil, refused("the access token is too long")
	}
	parsed, err := jwt.ParseSigned(token, algorithms)
	if err != nil {
		return nil, refused("the access token is no JWT that is signed with RS256, ES256 or EdDSA")
	}
	header := parsed.Headers[0]
	if kind, ok := header.ExtraHeaders[jose.HeaderType].(string); ok && !isAccessToken(kind) {
		return nil, refused("the token is no access token")
	}
	// What is said by a token that cannot count has no keys read.
	var said claims
	if parsed.UnsafeClaimsWithoutVerification(&said) != nil {
		return nil, refused("the access token has no claims of the right form")
	}
	if err := v.check(&said); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(v.rings, func(r *keyring) bool { return authority.SameIssuer(r.issuer.URL, said.Issuer) })
	if i < 0 {
		return nil, refused("the access token is from another issuer")
	}
	algorithm := jose.SignatureAlgorithm(header.Algorithm)
	keys, err := v.rings[i].find(ctx, algorithm, header.KeyID)
	if err != nil {
		return nil, err
	}
	who, err := v.signed(parsed, keys)
	if errors.Is(err, errSignature) { // issuers that give their keys no names change them all the same
		if newer := v.rings[i].newer(ctx, keys, algorithm, header.KeyID); newer != nil {
			return v.signed(parsed, newer)
		}
	}
	return who, err
}

var errSignature = refused("the signature of the access token is not its issuer's")

// signed is whose a token is that one of the keys signed.
func (v *Verifier) signed(token *jwt.JSONWebToken, keys *keySet) (*Principal, error) {
	for _, key := range keys.list {
		var sure claims
		var all map[string]any
		if token.Claims(key.Key, &sure, &all) != nil {
			continue
		}
		if sure.Issuer != keys.issuer {
			return nil, refused("the access token is from another issuer")
		}
		return v.principal(&sure, all)
	}
	return nil, errSignature
}

// isAccessToken is what RFC 9068 wants of the header, and what issuers write that are older.
func isAccessToken(kind string) bool {
	switch strings.TrimPrefix(strings.ToLower(kind), "application/") {
	case "", "jwt", "at+jwt":
		return true
	}
	return false
}

// check holds claims against what is wanted of all tokens, but for their signatures and scopes.
func (v *Verifier) check(c *claims) error {
	switch err := c.ValidateWithLeeway(jwt.Expected{AnyAudience: v.audiences, Time: v.now()}, leeway); {
	case errors.Is(err, jwt.ErrInvalidAudience):
		return refused("the access token is for another audience")
	case errors.Is(err, jwt.ErrExpired):
		return refused("the access token expired")
	case err != nil:
		return refused("the access token is not valid yet")
	case c.Expiry == nil:
		return refused("the access token has no expiry")
	case c.Subject == "":
		return refused("the access token has no subject")
	}
	return nil
}

// principal is who claims are of that were verified.
func (v *Verifier) principal(c *claims, all map[string]any) (*Principal, error) {
	granted := append(c.Scope, c.Scp...)
	var missing []string
	for _, scope := range v.scopes {
		if !slices.Contains(granted, scope) {
			missing = append(missing, scope)
		}
	}
	if missing != nil {
		return nil, &ScopeError{missing}
	}
	return &Principal{Issuer: c.Issuer, Subject: c.Subject, Expires: c.Expiry.Time().Add(leeway), scopes: granted, claims: all}, nil
}
