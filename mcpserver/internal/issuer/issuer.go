// Package issuer is an OAuth authorization server for tests, on the loopback interface: metadata, keys that are rotated,
// registration, a login that nobody has to click through, and tokens of any kind.
package issuer

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Server is the authorization server. Its fields may be set before it is first asked.
type Server struct {
	*httptest.Server
	// Subject is who logs in, and Audience what tokens are for that a request names no resource for.
	Subject, Audience string
	// Claims are what tokens say beside the usual.
	Claims map[string]any

	t testing.TB

	mu    sync.Mutex
	keys  []jose.JSONWebKey // private, the newest last
	reads int
	serve http.HandlerFunc // in place of the keys; nil is the keys
	codes map[string]url.Values
}

// New starts a Server with one key for ES256. It ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{t: t, Subject: "alice", codes: map[string]url.Values{}}
	s.AddKey(jose.ES256)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", s.metadata)
	mux.HandleFunc("GET /keys", s.serveKeys)
	mux.HandleFunc("POST /register", s.register)
	mux.HandleFunc("GET /authorize", s.authorize)
	mux.HandleFunc("POST /token", s.token)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// AddKey makes a key, with which tokens are signed from now on; the older ones stay published.
func (s *Server) AddKey(algorithm jose.SignatureAlgorithm) *jose.JSONWebKey {
	var private crypto.Signer
	var err error
	switch algorithm {
	case jose.RS256:
		private, err = rsa.GenerateKey(rand.Reader, 2048)
	case jose.EdDSA:
		_, private, err = ed25519.GenerateKey(rand.Reader)
	default:
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := jose.JSONWebKey{Key: private, KeyID: rand.Text(), Algorithm: string(algorithm), Use: "sig"}
	s.keys = append(s.keys, key)
	return &key
}

// Rotate puts a new key in the place of all.
func (s *Server) Rotate() {
	s.mu.Lock()
	s.keys = nil
	s.mu.Unlock()
	s.AddKey(jose.ES256)
}

// Unname takes the newest key's name away.
func (s *Server) Unname() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys[len(s.keys)-1].KeyID = ""
}

// ServeKeys answers for the keys; nil has them again.
func (s *Server) ServeKeys(handler http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serve = handler
}

// Reads is how often the keys were asked for.
func (s *Server) Reads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads
}

// Key is the newest, private.
func (s *Server) Key() jose.JSONWebKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys[len(s.keys)-1]
}

// Token is an access token for the audience, with claims in place of the usual ones or beside them; nil leaves one out.
func (s *Server) Token(claims map[string]any) string {
	key := s.Key()
	return Sign(s.t, jose.SignatureAlgorithm(key.Algorithm), key, "at+jwt", s.claims(claims))
}

// claims are the usual ones with others.
func (s *Server) claims(others map[string]any) map[string]any {
	now := time.Now()
	all := map[string]any{"iss": s.URL, "sub": s.Subject, "aud": s.Audience, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "client_id": "test"}
	maps.Copy(all, s.Claims)
	maps.Copy(all, others)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	return all
}

// Sign makes a token of any kind.
func Sign(t testing.TB, algorithm jose.SignatureAlgorithm, key any, kind jose.ContentType, claims map[string]any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, (&jose.SignerOptions{}).WithType(kind))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(text)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (s *Server) metadata(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{
		"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token", "registration_endpoint": s.URL + "/register",
		"jwks_uri": s.URL + "/keys", "response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"none"}, "grant_types_supported": []string{"authorization_code", "refresh_token"},
	})
}

func (s *Server) serveKeys(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.reads++
	serve, set := s.serve, jose.JSONWebKeySet{}
	for _, key := range s.keys {
		set.Keys = append(set.Keys, key.Public())
	}
	s.mu.Unlock()
	if serve != nil {
		serve(w, r)
		return
	}
	answer(w, http.StatusOK, set)
}

func (s *Server) register(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusCreated, map[string]any{"client_id": "registered", "token_endpoint_auth_method": "none"})
}

// authorize sends the browser back at once.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	query, code := r.URL.Query(), rand.Text()
	s.mu.Lock()
	s.codes[code] = query
	s.mu.Unlock()
	http.Redirect(w, r, query.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {query.Get("state")}}.Encode(), http.StatusFound)
}

// token gives an access token for a code, whose request has the verifier's hash, or for the one refresh token.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	var asked url.Values
	if r.Form.Get("grant_type") == "authorization_code" {
		s.mu.Lock()
		asked = s.codes[r.Form.Get("code")]
		delete(s.codes, r.Form.Get("code"))
		s.mu.Unlock()
		sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
		if asked == nil || base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") {
			answer(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
			return
		}
	} else if r.Form.Get("refresh_token") != "again" {
		answer(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{}
	if resource := r.Form.Get("resource"); resource != "" {
		claims["aud"] = resource
	}
	if scope := asked.Get("scope"); scope != "" {
		claims["scope"] = scope
	}
	answer(w, http.StatusOK, map[string]any{"access_token": s.Token(claims), "token_type": "Bearer", "refresh_token": "again", "expires_in": 3600})
}
