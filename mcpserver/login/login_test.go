package login

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/codemode-go/codemode/mcpserver/config"
)

// provider is an MCP server with an authorization server on the same host.
type provider struct {
	*httptest.Server
	t *testing.T

	mu            sync.Mutex
	noRegistering bool
	issuer        string // replaces the real one in the answer of the browser
	registrations int
	challenges    map[string]string // by code
	refresh       string            // the one that is good, once
	renewals      int
	dead          bool // every refresh token is refused
}

func newProvider(t *testing.T) *provider {
	p := &provider{t: t, challenges: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mcp", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="invalid_token", resource_metadata="%s/meta", scope="read write"`, p.URL))
		w.WriteHeader(http.StatusUnauthorized)
	})
	mux.HandleFunc("GET /meta", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"resource": p.URL + "/mcp", "authorization_servers": []string{p.URL + "/tenant"}, "scopes_supported": []string{"all"}})
	})
	mux.HandleFunc("GET /.well-known/openid-configuration/tenant", func(w http.ResponseWriter, _ *http.Request) {
		document := map[string]any{
			"issuer": p.URL + "/tenant", "authorization_endpoint": p.URL + "/authorize?a=1", "token_endpoint": p.URL + "/token",
			"code_challenge_methods_supported": []string{"S256"}, "authorization_response_iss_parameter_supported": true,
			"registration_endpoint": p.URL + "/register",
		}
		answer(w, document)
	})
	mux.HandleFunc("POST /register", p.register)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (p *provider) register(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.registrations++
	if p.noRegistering {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	var body struct {
		Redirects []string `json:"redirect_uris"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || !strings.HasPrefix(body.Redirects[0], "http://127.0.0.1:") {
		p.t.Errorf("registration: %v %v", body, err)
	}
	w.WriteHeader(http.StatusCreated)
	answer(w, map[string]any{"client_id": "made", "token_endpoint_auth_method": "none"})
}

func (p *provider) authorize(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := r.URL.Query()
	if q.Get("client_id") != "made" && q.Get("client_id") != "mine" || q.Get("resource") != p.URL+"/mcp" || q.Get("scope") != "read write" || q.Get("a") != "1" {
		p.t.Errorf("authorization: %v", q)
	}
	p.challenges["code-1"] = q.Get("code_challenge")
	issuer := p.URL + "/tenant"
	if p.issuer != "" {
		issuer = p.issuer
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {"code-1"}, "state": {q.Get("state")}, "iss": {issuer}}.Encode(), http.StatusFound)
}

func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = r.ParseForm()
	refuse := func() {
		w.WriteHeader(http.StatusBadRequest)
		answer(w, map[string]any{"error": "invalid_grant"})
	}
	switch r.Form.Get("grant_type") {
	case "authorization_code":
		sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
		if base64.RawURLEncoding.EncodeToString(sum[:]) != p.challenges[r.Form.Get("code")] {
			refuse()
			return
		}
	case "refresh_token":
		if p.renewals++; r.Form.Get("refresh_token") != p.refresh || p.dead {
			refuse()
			return
		}
	}
	p.refresh = fmt.Sprintf("refresh-%d", p.renewals)
	answer(w, map[string]any{"access_token": fmt.Sprintf("access-%d", p.renewals), "token_type": "bearer", "refresh_token": p.refresh, "expires_in": 3600})
}

func (p *provider) server(oauth *config.OAuth) *config.Server {
	return &config.Server{Name: "web", URL: p.URL + "/mcp", OAuth: oauth}
}

// browse is a person with a browser.
func browse(t *testing.T) func(string) {
	return func(address string) {
		go func() {
			response, err := http.Get(address)
			if err != nil {
				t.Error(err)
				return
			}
			response.Body.Close()
		}()
	}
}

func token(t *testing.T, s *Store, server *config.Server, fresh bool) string {
	t.Helper()
	text, err := s.Token(t.Context(), server, fresh)
	if err != nil {
		t.Error(err)
	}
	return text
}

func TestLoginIsMadeKeptAndRenewed(t *testing.T) {
	p := newProvider(t)
	s, server := NewStore(t.TempDir()+"/new", nil), p.server(nil)
	if got := token(t, s, server, true); got != "" {
		t.Errorf("before the login: %s", got)
	}
	if err := s.Login(t.Context(), server, browse(t)); err != nil {
		t.Fatal(err)
	}
	if got := token(t, s, server, false); got != "access-0" {
		t.Error(got)
	}
	for _, name := range []string{s.file(server.URL), s.file(server.URL) + ".lock"} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	if got := token(t, s, server, true); got != "access-1" {
		t.Error(got)
	}
	if forgot, err := s.Forget(server); !forgot || err != nil {
		t.Error(forgot, err)
	}
	if got := token(t, s, server, false); got != "" {
		t.Errorf("after it was forgotten: %s", got)
	}
}

// TestOneRenewalForAll covers refresh tokens that are good for one use: of many who need a new token, one gets it.
func TestOneRenewalForAll(t *testing.T) {
	p := newProvider(t)
	dir, server := t.TempDir(), p.server(nil)
	if err := NewStore(dir, nil).Login(t.Context(), server, browse(t)); err != nil {
		t.Fatal(err)
	}
	file := NewStore(dir, nil).file(server.URL)
	l, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	l.Expires = time.Now()
	if err := save(file, l); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := token(t, NewStore(dir, nil), server, false); got != "access-1" {
				t.Errorf("got %q", got)
			}
		})
	}
	all.Wait()
	if p.renewals != 1 {
		t.Errorf("%d renewals", p.renewals)
	}
}

func TestLoginThatHasEndedKeepsItsRegistration(t *testing.T) {
	p := newProvider(t)
	s, server := NewStore(t.TempDir(), nil), p.server(nil)
	if err := s.Login(t.Context(), server, browse(t)); err != nil {
		t.Fatal(err)
	}
	p.dead = true
	if got := token(t, s, server, true); got != "" {
		t.Error(got)
	}
	l, err := read(s.file(server.URL))
	if err != nil || l.Client.ID != "made" || l.Refresh != "" {
		t.Errorf("%+v %v", l, err)
	}
}

func TestRefusedRegistrationSaysWhatToDoAndFreesThePort(t *testing.T) {
	p := newProvider(t)
	p.noRegistering = true
	s := NewStore(t.TempDir(), nil)
	err := s.Login(t.Context(), p.server(nil), func(string) { t.Error("a browser was to be opened") })
	if err == nil || !strings.Contains(err.Error(), `did not register this client (HTTP 403)`) || !strings.Contains(err.Error(), `"clientId"`) {
		t.Fatal(err)
	}
	if err := s.Login(t.Context(), p.server(&config.OAuth{ClientID: "mine"}), browse(t)); err != nil {
		t.Error(err)
	}
	if p.registrations != 1 {
		t.Errorf("a configured client was registered")
	}
}

func TestAnswerOfAnotherIssuerIsRefused(t *testing.T) {
	p := newProvider(t)
	p.issuer = "https://evil.example"
	err := NewStore(t.TempDir(), nil).Login(t.Context(), p.server(nil), browse(t))
	if err == nil || !strings.Contains(err.Error(), "from another authorization server") {
		t.Error(err)
	}
}

func TestMetadataOfAnotherServerDoesNotCount(t *testing.T) {
	for _, tt := range []struct {
		resource, server string
		want             bool
	}{
		{"https://h/mcp", "https://h/mcp", true}, {"https://h", "https://h/mcp", true}, {"https://h/mcp/", "https://h/mcp", true},
		{"https://h/mc", "https://h/mcp", false}, {"https://other/mcp", "https://h/mcp", false}, {"http://h/mcp", "https://h/mcp", false},
	} {
		if covers(tt.resource, tt.server) != tt.want {
			t.Errorf("%+v", tt)
		}
	}
}
