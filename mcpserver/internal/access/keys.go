package access

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/codemode-go/codemode/mcpserver/internal/authority"
)

const (
	// keysFresh is how long keys count without a look: so long may a key that was withdrawn still be taken.
	keysFresh = 15 * time.Minute
	// keysLast is how long they count when the issuer cannot be reached: longer than an outage, and no longer.
	keysLast = 24 * time.Hour
	// keysPause is between two readings of one issuer's keys, so that nobody can make us flood it with keys that it does not have.
	keysPause = 10 * time.Second
	// readTime bounds one reading, findTime how long a request waits for it.
	readTime = 10 * time.Second
	findTime = 5 * time.Second
	// maxKeys bounds a set, for a token that names no key is held against all; issuers have two to ten.
	maxKeys = 64
	// The sizes of an RSA key: less is broken, more is slow to check.
	minRSA, maxRSA = 2048, 8192
)

// keySet are the keys of an issuer that are of use.
type keySet struct {
	issuer string // as its tokens have to say it
	list   []jose.JSONWebKey
	read   time.Time
}

// keyring keeps the keys of an issuer, and reads them anew.
type keyring struct {
	issuer   Issuer
	verifier *Verifier

	mu      sync.Mutex
	keys    *keySet       // nil before the first
	failure error         // of the last reading
	tried   time.Time     // when that began
	going   chan struct{} // is closed with the end of a reading; nil is none
}

var errNoAnswer = errors.New("it has not answered yet")

// find has the keys that a token may be signed with.
func (r *keyring) find(ctx context.Context, algorithm jose.SignatureAlgorithm, id string) (*keySet, error) {
	keys, coming := r.look(algorithm, id, nil)
	if keys == nil && coming != nil {
		if err := wait(ctx, coming); errors.Is(err, errNoAnswer) {
			return nil, &UnavailableError{r.issuer.URL, err}
		} else if err != nil {
			return nil, err
		}
		keys, _ = r.look(algorithm, id, nil)
	}
	if keys != nil {
		return keys, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current() == nil {
		return nil, &UnavailableError{r.issuer.URL, cmp.Or(r.failure, errNoAnswer)}
	}
	return nil, refused("the access token is signed with a key that its issuer does not have")
}

// newer has the keys that a token may be signed with when those were read after the others; nil is none.
func (r *keyring) newer(ctx context.Context, than *keySet, algorithm jose.SignatureAlgorithm, id string) *keySet {
	keys, coming := r.look(algorithm, id, than)
	if keys == nil && coming != nil && wait(ctx, coming) == nil {
		keys, _ = r.look(algorithm, id, than)
	}
	return keys
}

// wait waits for the end of a reading, as long as a request may.
func wait(ctx context.Context, coming <-chan struct{}) error {
	enough := time.NewTimer(findTime)
	defer enough.Stop()
	select {
	case <-coming:
		return nil
	case <-enough.C:
		return errNoAnswer
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// current is the set that counts, with r.mu held.
func (r *keyring) current() *keySet {
	if r.keys == nil || r.verifier.now().Sub(r.keys.read) > keysLast {
		return nil
	}
	return r.keys
}

// look has the keys that are known and newer than others, nil when none fits, and begins to read them anew where that is due. coming ends
// with the reading that goes on; nil is none.
func (r *keyring) look(algorithm jose.SignatureAlgorithm, id string, than *keySet) (fitting *keySet, coming <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.verifier.now()
	keys := r.current()
	if fitting = keys.fitting(algorithm, id); fitting != nil && than != nil && !fitting.read.After(than.read) {
		fitting = nil
	}
	due := fitting == nil || now.Sub(keys.read) > keysFresh
	if due && r.going == nil && now.Sub(r.tried) >= keysPause {
		r.begin(now)
	}
	return fitting, r.going
}

// begin reads in the background, with r.mu held.
func (r *keyring) begin(now time.Time) {
	v := r.verifier
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return
	}
	done := make(chan struct{})
	r.going, r.tried = done, now
	v.wg.Go(func() {
		ctx, cancel := context.WithTimeout(v.ctx, readTime)
		defer cancel()
		keys, err := r.read(ctx)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.failure = err; err == nil {
			r.keys = keys
		} else if v.ctx.Err() == nil {
			v.log.Warn("the keys of an issuer of access tokens cannot be read", "issuer", r.issuer.URL, "error", err)
		}
		r.going = nil
		close(done)
	})
}

// read asks the issuer.
func (r *keyring) read(ctx context.Context) (*keySet, error) {
	client := r.verifier.client
	keys, address := &keySet{issuer: r.issuer.URL, read: r.verifier.now()}, r.issuer.Keys
	if address == "" {
		m, err := authority.Discover(ctx, client, r.issuer.URL, func(address string, m *authority.Metadata) error {
			if !authority.Safe(m.Keys) {
				return fmt.Errorf("%s has no jwks_uri that is https", address)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		keys.issuer, address = m.Issuer, m.Keys
	}
	var document struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := authority.Fetch(ctx, client, address, &document); err != nil {
		return nil, err
	}
	if len(document.Keys) > maxKeys {
		return nil, fmt.Errorf("%s has %d keys, and %d at most are taken", address, len(document.Keys), maxKeys)
	}
	for _, text := range document.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(text, &key) == nil && ofUse(&key) { // sets have keys for others, too
			keys.list = append(keys.list, key)
		}
	}
	if len(keys.list) == 0 {
		return nil, fmt.Errorf("%s has no key for RS256, ES256 or EdDSA", address)
	}
	return keys, nil
}

// ofUse reports whether a key is a public one for signatures of ours.
func ofUse(key *jose.JSONWebKey) bool {
	algorithm := algorithmOf(key)
	return algorithm != "" && (key.Use == "" || key.Use == "sig") && (key.Algorithm == "" || key.Algorithm == string(algorithm)) && key.Valid()
}

// algorithmOf is the one algorithm that a key is for; empty is none of ours.
func algorithmOf(key *jose.JSONWebKey) jose.SignatureAlgorithm {
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		if size := public.N.BitLen(); minRSA <= size && size <= maxRSA {
			return jose.RS256
		}
	case *ecdsa.PublicKey:
		if public.Curve == elliptic.P256() {
			return jose.ES256
		}
	case ed25519.PublicKey:
		return jose.EdDSA
	}
	return ""
}

// fitting are the keys of an algorithm and an id, or without one; nil is none of them.
func (s *keySet) fitting(algorithm jose.SignatureAlgorithm, id string) *keySet {
	if s == nil {
		return nil
	}
	some := &keySet{issuer: s.issuer, read: s.read}
	for _, key := range s.list {
		if algorithmOf(&key) == algorithm && (id == "" || key.KeyID == "" || key.KeyID == id) {
			some.list = append(some.list, key)
		}
	}
	if some.list == nil {
		return nil
	}
	return some
}
