// Package login logs in to MCP servers that want OAuth, keeps the tokens, and renews them.
//
// Two nouns are enough to read it. A [Store] keeps logins in a directory of the user, each in a file that nobody else can
// read. [Store.Login] makes one, with the help of a person and a browser; [Store.Token] is what a connection sends.
//
//	store := login.NewStore(dir, nil)
//	err := store.Login(ctx, &server, func(url string) { fmt.Println("open", url) })
//	token, err := store.Token(ctx, &server, false)
//
// # The way of a login
//
// The server names its authorization server (RFC 9728), that one its endpoints (RFC 8414, or OpenID Connect Discovery).
// The client is the configured one, whose id may be the URL of its metadata document, or else registers itself (RFC 7591).
// The person comes back to a listener on the loopback interface with a code, which is worth a token for this server alone
// (PKCE, RFC 7636; resource indicators, RFC 8707; issuer check, RFC 9207).
//
// # Limits
//
// Nothing here opens a browser: a login is only ever made by `codemode auth`. A token that cannot be renewed is
// forgotten, the registration behind it is kept.
package login

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/authority"
	"github.com/codemode-go/codemode/mcpserver/internal/filelock"
)

// Store keeps logins. Make it with NewStore; it is safe for concurrent use, also by several processes.
type Store struct {
	dir    string
	log    *slog.Logger
	client *http.Client
}

// NewStore makes a Store over a directory, which is made when it is first needed. A nil logger discards.
func NewStore(dir string, logger *slog.Logger) *Store {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Store{dir: dir, log: logger, client: &http.Client{Timeout: 30 * time.Second, CheckRedirect: authority.NoRedirect}}
}

// login is one file.
type login struct {
	Resource string `json:"resource"`
	// Issuer is the authorization server that the rest is from: nothing of it is shown to another one.
	Issuer        string    `json:"issuer"`
	TokenEndpoint string    `json:"tokenEndpoint"`
	Client        client    `json:"client"`
	Access        string    `json:"accessToken,omitempty"`
	Refresh       string    `json:"refreshToken,omitempty"`
	Expires       time.Time `json:"expires,omitzero"`
	Scope         string    `json:"scope,omitempty"`
}

// client is who we are to an authorization server.
type client struct {
	ID     string `json:"id"`
	Secret string `json:"secret,omitempty"`
	// Method is how we prove it: none, client_secret_basic or client_secret_post.
	Method string `json:"method,omitempty"`
	// Redirect is what was registered.
	Redirect string `json:"redirect,omitempty"`
}

// margin is how long before its end a token is renewed.
const margin = time.Minute

func (l *login) fresh() bool {
	return l.Access != "" && (l.Expires.IsZero() || time.Until(l.Expires) > margin)
}

// Token is the bearer token of a server, empty when there is no login. Fresh asks for another one, since the server
// refused the last. It never asks a person anything.
func (s *Store) Token(ctx context.Context, server *config.Server, fresh bool) (string, error) {
	file := s.file(server.URL)
	l, err := read(file)
	if err != nil || l == nil {
		return "", err
	}
	if l.fresh() && !fresh {
		return l.Access, nil
	}
	refused := ""
	if fresh {
		refused = l.Access
	}
	return s.renew(ctx, file, refused)
}

// renew gets another token, one process at a time: a refresh token is often good for one use, and two processes that use
// the same one lose the login.
func (s *Store) renew(ctx context.Context, file, refused string) (string, error) {
	unlock, err := filelock.Lock(ctx, file+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	l, err := read(file) // another process may have been here first
	if err != nil || l == nil {
		return "", err
	}
	if l.fresh() && l.Access != refused {
		return l.Access, nil
	}
	if l.Refresh == "" {
		return "", nil
	}
	answer, err := s.exchange(ctx, l.TokenEndpoint, &l.Client, url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {l.Refresh}, "resource": {l.Resource},
	})
	var denied *oauthError
	switch {
	case errors.As(err, &denied):
		s.log.Warn("a login has ended; run `codemode auth` again", "issuer", l.Issuer, "error", denied.Code)
		l.Access, l.Refresh = "", ""
		return "", save(file, l)
	case err != nil:
		return "", fmt.Errorf("the login could not be renewed: %w", err)
	}
	l.take(answer)
	return l.Access, save(file, l)
}

// Forget removes a login, its registration included, and reports whether there was one.
func (s *Store) Forget(server *config.Server) (bool, error) {
	err := os.Remove(s.file(server.URL))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (s *Store) file(resource string) string {
	sum := sha256.Sum256([]byte(resource))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:12])+".json")
}

// read returns nil when there is no login.
func read(file string) (*login, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var l login
	if err := json.Unmarshal(data, &l); err != nil {
		return nil, fmt.Errorf("the login in %s cannot be read; run `codemode auth` again", file)
	}
	return &l, nil
}

// save replaces the file whole, for our user alone.
func save(file string, l *login) error {
	data, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), ".new-*") // its mode is 0600
	if err != nil {
		return err
	}
	_, err = temporary.Write(data)
	if closeErr := temporary.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temporary.Name(), file)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
	}
	return err
}

func (l *login) take(t *tokens) {
	l.Access = t.Access
	if t.Refresh != "" { // otherwise the old one goes on
		l.Refresh = t.Refresh
	}
	if t.Scope != "" {
		l.Scope = t.Scope
	}
	l.Expires = time.Time{}
	if t.ExpiresIn > 0 {
		l.Expires = time.Now().Add(time.Duration(t.ExpiresIn) * time.Second).UTC()
	}
}
