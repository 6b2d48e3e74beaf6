package mcpserver

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/access"
	"github.com/codemode-go/codemode/mcpserver/internal/message"
)

// maxBody bounds one HTTP request: a program of the largest size, every character of it escaped.
const maxBody = 32 << 20

const (
	// bodyTime bounds how long one request may take to arrive: two megabits a second for the largest.
	bodyTime = 2 * time.Minute
	// idleTime is how long a connection is kept that nothing comes on.
	idleTime = 2 * time.Minute
	// A body over largeBody, in bytes, is read when there is one of maxLargeBodies places for it, for each is there several
	// times until it is answered. No program that a model writes is as long.
	largeBody      = 256 << 10
	maxLargeBodies = 4
)

// maxInitialize bounds the request that begins a session, in bytes: what it says of the client is kept as long as that is. maxListen
// bounds the one that listens, which may name a thousand resources: a large body would have its place for as long as the client likes.
const (
	maxInitialize = 64 << 10
	maxListen     = largeBody
)

// maxValues bounds the values of a message. A program is one, however long; mcp-go makes Go values of all, of which each takes as much as
// thirty bytes of text.
const maxValues = 100_000

// HTTPOptions adjusts serving over HTTP. The zero value of every field is its documented default.
type HTTPOptions struct {
	// Token is what clients send as "Authorization: Bearer …"; empty asks for none, which only a loopback address may without OAuth. The
	// token of one of Options.Views has that view, and counts first.
	Token string
	// OAuth takes access tokens of authorization servers, too, and tells clients who have none where to get one; nil takes none. Which of Options.Views an
	// access token has is what their claims say.
	OAuth *config.ResourceServer
	// AllowedOrigins are web origins ("https://app.example", "http://localhost:6274") whose pages may call. A browser
	// sends a page's origin along; no other page may call, not even one of this machine, for a page of one port must not
	// drive the server of another. Their pages may read the answers (CORS).
	AllowedOrigins []string
	// AllowedHosts are names under which a proxy on this machine makes the server known ("mcp.example.com"). A request
	// that comes over the loopback interface under any other name than the machine's own is refused: it may be that of
	// a page whose name was made to point here. That of OAuth's resource is one of them.
	AllowedHosts []string
	// Path is where the endpoint is; empty is "/mcp".
	Path string
	// Metrics answers GET /metrics, to whom the endpoint answers, with the token; nil is no such path.
	Metrics http.Handler
	// CertFile and KeyFile make it HTTPS.
	CertFile, KeyFile string
}

// sessionLife is how long a client that says nothing, and holds no stream open, is remembered.
const sessionLife = time.Hour

// Handler serves Streamable HTTP at HTTPOptions.Path, and with HTTPOptions.OAuth the metadata of RFC 9728 at its well-known
// address. The returned function ends the clients' streams, which stay open as long as they like otherwise, and what Handler began.
func (s *Server) Handler(options *HTTPOptions) (handler http.Handler, closeStreams func(context.Context)) {
	d := &door{server: s, options: options.resolve()}
	e := newEndpoints()
	mux := http.NewServeMux()
	if d.options.Metrics != nil {
		mux.Handle("GET /metrics", d.guarded(func(one *Server) http.Handler {
			if one != s { // they tell of what no view has
				return nil
			}
			return d.options.Metrics
		}))
	}
	mux.Handle(d.options.Path, d.guarded(e.handler))
	handler = inItsTime(mux)
	if d.options.Path != "/" {
		mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "404 page not found: the endpoint is "+d.options.Path, http.StatusNotFound)
		})
	}
	if d.options.OAuth == nil {
		return handler, e.shutdown
	}
	accepted := accessOptions(d.options.OAuth)
	accepted.Logger = s.log
	d.verifier = access.New(accepted)
	d.verifier.Prepare()
	mux.HandleFunc(aboutUs, d.metadata)
	mux.HandleFunc(aboutUs+"/", d.metadata)
	return handler, func(ctx context.Context) {
		e.shutdown(ctx)
		d.verifier.Close()
	}
}

// inItsTime bounds how long a body may take to arrive, also one that nobody reads: its connection would wait for the rest of it, without
// end and before anybody has said who is there.
func inItsTime(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime)) // it is an HTTP connection that has one
		}
		next.ServeHTTP(w, r)
	})
}

// door is who may come in, and to what.
type door struct {
	server   *Server
	options  HTTPOptions
	verifier *access.Verifier // nil takes no access tokens
}

// guarded lets those through who may call, to what there is for them. Nil is nothing.
func (d *door) guarded(next func(*Server) http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status, why := d.options.refuse(r); status != 0 {
			http.Error(w, why, status)
			return
		}
		if d.options.share(w, r) {
			return
		}
		who, refused := d.identify(r)
		if refused == nil {
			if handler := next(who.to); handler != nil {
				handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identityKey{}, who)))
				return
			}
			refused = d.challenge(http.StatusUnauthorized, unauthorized+": this token is for other things here", nil)
		}
		d.server.log.Info("a client was refused", "peer", r.RemoteAddr, "status", refused.status, "reason", refused.why)
		for name, values := range refused.header {
			w.Header()[name] = values
		}
		http.Error(w, refused.why, refused.status)
	})
}

// heartbeat keeps idle streams of clients from being closed on the way.
const heartbeat = 30 * time.Second

// body reads a request's body. A large one waits for a place, which leave gives back.
func (e *endpoints) body(w http.ResponseWriter, r *http.Request) (body []byte, leave func(), err error) {
	control, whole := http.NewResponseController(w), http.MaxBytesReader(w, r.Body, maxBody)
	read := func(source io.Reader) {
		var more []byte
		_ = control.SetReadDeadline(time.Now().Add(bodyTime))
		if more, err = io.ReadAll(source); err == nil { // else the deadline stays, for what is left of the body
			_ = control.SetReadDeadline(time.Time{})
		}
		body = append(body, more...)
	}
	leave = func() {}
	if r.ContentLength <= largeBody { // or nobody has said
		if read(io.LimitReader(whole, largeBody+1)); err != nil || len(body) <= largeBody {
			return body, leave, err
		}
	}
	select {
	case e.large <- struct{}{}:
		leave = func() { <-e.large }
	case <-r.Context().Done():
		return nil, leave, r.Context().Err()
	}
	read(whole)
	return body, leave, err
}

// readMessage reads a POST's message by the letter, for mcp-go does not, and puts it back. It returns its method, which
// an answer does not have, and reports false when it has answered itself. leave is for when the request is answered.
func (e *endpoints) readMessage(s *Server, w http.ResponseWriter, r *http.Request) (method string, leave func(), ok bool) {
	body, leave, err := e.body(w, r)
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			http.Error(w, tooLarge, http.StatusRequestEntityTooLarge)
		}
		return "", leave, false // else the client has gone
	}
	var text []byte
	var m *message.Message
	many := message.Values(body) > maxValues
	if !many {
		text, m, err = message.Strict(body)
	}
	var wrong *message.Error
	switch {
	case many:
		wrong = &message.Error{Code: message.CodeInvalidRequest, Message: fmt.Sprintf("Invalid Request: a message has at most %d values", maxValues)}
	case errors.Is(err, message.ErrNoObject):
		wrong = &message.Error{Code: message.CodeInvalidRequest, Message: "Invalid Request: a message is an object, and this revision of the protocol has no batches"}
	case err != nil:
		wrong = &message.Error{Code: message.CodeParse, Message: "Parse error"}
	case string(m.Version) != `"2.0"` || !m.IsRequest() && !m.IsNotification() && !m.IsAnswer():
		wrong = &message.Error{Code: message.CodeInvalidRequest, Message: "Invalid Request: not a JSON-RPC 2.0 message"}
	case m.Method == string(mcp.MethodInitialize) && len(text) > maxInitialize:
		wrong = tooLong(m.Method, maxInitialize)
	case m.Method == string(mcp.MethodSubscriptionsListen) && len(text) > maxListen:
		wrong = tooLong(m.Method, maxListen)
	case m.IsRequest():
		wrong = m.Check(slices.Sorted(maps.Keys(s.mcp.ListTools()))...)
	}
	if wrong == nil {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		return m.Method, leave, true
	}
	answerWrong(w, r, m, wrong)
	return "", leave, false
}

// answerWrong answers a message that is none, m being nil, or one with something wrong about it.
func answerWrong(w http.ResponseWriter, r *http.Request, m *message.Message, wrong *message.Error) {
	id := json.RawMessage("null")
	if m != nil && m.HasID() {
		id = m.ID
	}
	status := http.StatusBadRequest
	if wrong.Code == message.CodeInvalidParams && !mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) {
		status = http.StatusOK // clients of those revisions take any other for a fault on the way to the server
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": id, "error": wrong}) // the client may be gone
}

func tooLong(method string, most int) *message.Error {
	return &message.Error{Code: message.CodeInvalidRequest, Message: fmt.Sprintf("Invalid Request: %s has more than %d bytes", method, most)}
}

func (o *HTTPOptions) resolve() HTTPOptions {
	var resolved HTTPOptions
	if o != nil {
		resolved = *o
	}
	if resolved.Path == "" {
		resolved.Path = "/mcp"
	}
	if resolved.OAuth != nil {
		if u, err := url.Parse(resolved.OAuth.Resource); err == nil { // it is how a proxy makes us known
			resolved.AllowedHosts = append(slices.Clone(resolved.AllowedHosts), u.Hostname())
		}
	}
	return resolved
}

// tooLarge says what the bound is.
var tooLarge = fmt.Sprintf("Request body is larger than %d bytes", maxBody)

// refuse checks what mcp-go does not: the name and the page that a browser sends from, and the size.
func (o *HTTPOptions) refuse(r *http.Request) (status int, why string) {
	if !o.knowsHost(r) {
		return http.StatusForbidden, "Forbidden: this server is not known under this name"
	}
	if origin := r.Header.Get("Origin"); origin != "" && !o.allows(origin, r) {
		return http.StatusForbidden, "Forbidden: this origin may not call"
	}
	if r.ContentLength > maxBody {
		return http.StatusRequestEntityTooLarge, tooLarge
	}
	return 0, ""
}

const unauthorized = "Unauthorized"

// knowsHost guards against DNS rebinding, which only reaches servers on the loopback interface.
func (o *HTTPOptions) knowsHost(r *http.Request) bool {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local == nil || !isLoopback(hostname(local.String())) {
		return true
	}
	host := hostname(r.Host)
	return isLoopback(host) || slices.ContainsFunc(o.AllowedHosts, func(allowed string) bool { return strings.EqualFold(allowed, host) })
}

// hostname is a host without its port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// allows reports whether pages of an origin may call: those of the server itself, and those that were named.
func (o *HTTPOptions) allows(origin string, r *http.Request) bool {
	if slices.Contains(o.AllowedOrigins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, r.Host) && (u.Scheme == "https") == (r.TLS != nil)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Check says why ListenHTTP would not listen on addr with these options.
func (o *HTTPOptions) Check(addr string) error {
	resolved := o.resolve()
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("the address %q is not host:port: %w", addr, err)
	}
	if !isLoopback(host) && resolved.Token == "" && resolved.OAuth == nil {
		return fmt.Errorf("refusing to listen on %s, which others can reach, without a token (--token-file) and without http.oauth", addr)
	}
	if (resolved.CertFile == "") != (resolved.KeyFile == "") {
		return errors.New("a certificate needs its key, and a key its certificate")
	}
	if resolved.CertFile != "" {
		if _, err := tls.LoadX509KeyPair(resolved.CertFile, resolved.KeyFile); err != nil {
			return fmt.Errorf("the certificate cannot be used: %w", err)
		}
	}
	return nil
}

// ListenHTTP serves Streamable HTTP on addr ("127.0.0.1:8765") until ctx ends; runs that are still going are then
// cancelled. It calls ready, if that is not nil, with the URL of the endpoint once it listens. An address that others
// can reach is refused without a token and without OAuth.
func (s *Server) ListenHTTP(ctx context.Context, addr string, options *HTTPOptions, ready func(url string)) error {
	if err := options.Check(addr); err != nil {
		return err
	}
	o := options.resolve()
	if o.Token == "" && o.OAuth == nil && len(s.generation().options.Views) > 0 {
		s.log.Warn("the views are no bounds: there is no token for the rest, so whoever sends none sees everything")
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	handler, closeStreams := s.Handler(&o)
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	web := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: idleTime, BaseContext: func(net.Listener) context.Context { return requests }}
	served := make(chan error, 1)
	scheme := "http"
	if o.CertFile != "" {
		scheme = "https"
	}
	go func() {
		if scheme == "https" {
			served <- web.ServeTLS(listener, o.CertFile, o.KeyFile)
			return
		}
		served <- web.Serve(listener)
	}()
	if ready != nil {
		ready(scheme + "://" + listener.Addr().String() + o.Path)
	}
	select {
	case err := <-served:
		closeStreams(ctx)
		return err
	case <-ctx.Done():
	}
	cancel()
	closing, done := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer done()
	closeStreams(closing)
	if err := web.Shutdown(closing); err != nil {
		_ = web.Close() // a client that does not let go
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
