package login

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/authority"
	"github.com/codemode-go/codemode/mcpserver/internal/filelock"
)

// Login makes a login to a server and keeps it. It calls show with the address that a person has to open in a browser,
// and waits for them to come back until ctx ends.
func (s *Store) Login(ctx context.Context, server *config.Server, show func(url string)) error {
	a, scopes, err := s.discover(ctx, server)
	if err != nil {
		return err
	}
	port := 0
	if server.OAuth != nil {
		port = server.OAuth.CallbackPort
	}
	back, err := listen(ctx, port)
	if err != nil {
		return err
	}
	defer back.close()
	file := s.file(server.URL)
	who, err := s.identity(ctx, server, a, file, back.address)
	if err != nil {
		return err
	}
	verifier, state := rand.Text()+rand.Text(), rand.Text()
	show(authorizationURL(a, who, server.URL, back.address, verifier, state, scopes))
	code, err := back.wait(ctx, a, state)
	if err != nil {
		return err
	}
	answer, err := s.exchange(ctx, a.Token, who, url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {back.address}, "code_verifier": {verifier}, "resource": {server.URL},
	})
	if err != nil {
		return fmt.Errorf("the code was not exchanged for a token: %w", err)
	}
	l := &login{Resource: server.URL, Issuer: a.Issuer, TokenEndpoint: a.Token, Client: *who, Scope: strings.Join(scopes, " ")}
	l.take(answer)
	unlock, err := filelock.Lock(ctx, file+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	return save(file, l)
}

func authorizationURL(a *authority.Metadata, who *client, resource, redirect, verifier, state string, scopes []string) string {
	sum := sha256.Sum256([]byte(verifier))
	query := url.Values{
		"response_type": {"code"}, "client_id": {who.ID}, "redirect_uri": {redirect}, "state": {state}, "resource": {resource},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	if len(scopes) > 0 {
		query.Set("scope", strings.Join(scopes, " "))
	}
	separator := "?"
	if strings.Contains(a.Authorization, "?") {
		separator = "&"
	}
	return a.Authorization + separator + query.Encode()
}

// identity is the configured client, the one that was registered before with the same issuer, or a new registration.
func (s *Store) identity(ctx context.Context, server *config.Server, a *authority.Metadata, file, redirect string) (*client, error) {
	if o := server.OAuth; o != nil && o.ClientID != "" {
		who := &client{ID: o.ClientID, Secret: o.ClientSecret, Redirect: redirect}
		who.Method = method(a, who)
		return who, nil
	}
	if known, err := read(file); err == nil && known != nil && known.Issuer == a.Issuer && known.Client.Redirect == redirect {
		return &known.Client, nil
	}
	if a.Registration == "" {
		return nil, fmt.Errorf(`%s lets no client register itself; make one there with the redirect address http://127.0.0.1:PORT/callback, and put {"clientId": …, "callbackPort": PORT} into the server's "oauth"`, a.Issuer)
	}
	return s.register(ctx, a, redirect)
}

// method is how a client proves who it is.
func method(a *authority.Metadata, who *client) string {
	switch {
	case who.Secret == "":
		return "none"
	case len(a.Methods) == 0 || slices.Contains(a.Methods, "client_secret_basic"):
		return "client_secret_basic"
	}
	return "client_secret_post"
}

// register makes a client of its own for this machine (RFC 7591).
func (s *Store) register(ctx context.Context, a *authority.Metadata, redirect string) (*client, error) {
	wanted := "none"
	if len(a.Methods) > 0 && !slices.Contains(a.Methods, "none") {
		wanted = a.Methods[0]
	}
	body, err := json.Marshal(map[string]any{
		"client_name": "codemode", "redirect_uris": []string{redirect}, "grant_types": []string{"authorization_code", "refresh_token"},
		"response_types": []string{"code"}, "token_endpoint_auth_method": wanted, "application_type": "native",
	})
	if err != nil {
		return nil, err
	}
	var answer struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
		Method string `json:"token_endpoint_auth_method"`
	}
	if err := s.post(ctx, a.Registration, "application/json", body, nil, &answer); err != nil {
		return nil, fmt.Errorf(`%s did not register this client (%w); make one there, and put its id into the server's "oauth": {"clientId": …}`, a.Issuer, err)
	}
	if answer.ID == "" {
		return nil, fmt.Errorf("%s registered this client without giving it an id", a.Issuer)
	}
	who := &client{ID: answer.ID, Secret: answer.Secret, Method: answer.Method, Redirect: redirect}
	if who.Method == "" || who.Secret == "" {
		who.Method = method(a, who)
	}
	return who, nil
}

// maxAnswer bounds what an endpoint answers.
const maxAnswer = 1 << 20

// tokens is a token endpoint's answer.
type tokens struct {
	Access    string `json:"access_token"`
	Type      string `json:"token_type"`
	Refresh   string `json:"refresh_token"`
	ExpiresIn int64  `json:"expires_in"`
	Scope     string `json:"scope"`
}

// oauthError is an endpoint's refusal. Its text never has what was sent.
type oauthError struct {
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

func (e *oauthError) Error() string {
	if e.Description == "" {
		return e.Code
	}
	return e.Code + ": " + e.Description
}

// exchange asks a token endpoint.
func (s *Store) exchange(ctx context.Context, endpoint string, who *client, form url.Values) (*tokens, error) {
	var basic *url.Userinfo
	switch who.Method {
	case "client_secret_basic":
		basic = url.UserPassword(url.QueryEscape(who.ID), url.QueryEscape(who.Secret))
	case "client_secret_post":
		form.Set("client_secret", who.Secret)
		form.Set("client_id", who.ID)
	default:
		form.Set("client_id", who.ID)
	}
	var t tokens
	if err := s.post(ctx, endpoint, "application/x-www-form-urlencoded", []byte(form.Encode()), basic, &t); err != nil {
		return nil, err
	}
	if t.Access == "" || !strings.EqualFold(t.Type, "Bearer") {
		return nil, errors.New("the token endpoint gave no bearer token")
	}
	return &t, nil
}

func (s *Store) post(ctx context.Context, address, kind string, body []byte, basic *url.Userinfo, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Accept", "application/json")
	if basic != nil {
		password, _ := basic.Password()
		request.SetBasicAuth(basic.Username(), password)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		var refused oauthError
		if json.Unmarshal(text, &refused) == nil && refused.Code != "" && response.StatusCode < 500 {
			return &refused
		}
		return fmt.Errorf("HTTP %d", response.StatusCode)
	}
	if json.Unmarshal(text, into) != nil {
		return errors.New("the answer is no JSON of the right form")
	}
	return nil
}

// callback is where a person comes back to.
type callback struct {
	address  string
	listener net.Listener
	server   *http.Server
	served   chan struct{}
	answers  chan url.Values
}

// listen opens it on the loopback interface; port 0 is any that is free.
func listen(ctx context.Context, port int) (*callback, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fmt.Errorf("the browser cannot come back to this machine: %w", err)
	}
	c := &callback{
		address: "http://" + listener.Addr().String() + "/callback", listener: listener,
		served: make(chan struct{}), answers: make(chan url.Values, 1),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /callback", c.come)
	c.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(c.served)
		_ = c.server.Serve(listener) // until it is closed
	}()
	return c, nil
}

func (c *callback) come(w http.ResponseWriter, r *http.Request) {
	select {
	case c.answers <- r.URL.Query():
		fmt.Fprintln(w, "codemode has your answer. You can close this page.")
	default: // a second visit
		http.Error(w, "This login is over.", http.StatusGone)
	}
}

func (c *callback) close() {
	_ = c.server.Close() // the port is free after it, whatever it says
	<-c.served
}

// wait returns the code that a person came back with. An answer with another state is somebody else's, and not waited
// past: the login is to be begun again.
func (c *callback) wait(ctx context.Context, a *authority.Metadata, state string) (string, error) {
	var answer url.Values
	select {
	case answer = <-c.answers:
	case <-ctx.Done():
		return "", fmt.Errorf("nobody came back from the browser: %w", context.Cause(ctx))
	}
	switch iss := answer.Get("iss"); {
	case subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(state)) != 1:
		return "", errors.New("the answer from the browser is not to this login")
	case iss != "" && iss != a.Issuer, iss == "" && a.IssInAnswer:
		return "", errors.New("the answer from the browser is from another authorization server")
	case answer.Get("error") != "":
		return "", &oauthError{answer.Get("error"), answer.Get("error_description")}
	case answer.Get("code") == "":
		return "", errors.New("the answer from the browser has no code")
	}
	// The page is written before the port closes.
	shutdown, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_ = c.server.Shutdown(shutdown)
	return answer.Get("code"), nil
}
