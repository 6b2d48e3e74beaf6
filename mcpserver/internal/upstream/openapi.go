package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/net/http/httpguts"

	"github.com/codemode-go/codemode/mcpserver/config"
	"github.com/codemode-go/codemode/mcpserver/internal/message"
	"github.com/codemode-go/codemode/mcpserver/internal/openapi"
)

const (
	// pollDocument is how often an OpenAPI document's files are looked at, as often as the configuration's.
	pollDocument = time.Second
	// pollAddress is how often a document at an address is asked for: a new release of an API is no matter of seconds, and nobody
	// asked its host whether we may.
	pollAddress = 5 * time.Minute
	// pollTime bounds one such look.
	pollTime = time.Minute
)

// openAPI is a link to an HTTP API, which answers as an MCP server with a tool for each operation would. A document that
// changes is read again; one that cannot be read then changes nothing.
type openAPI struct {
	server   *config.Server
	log      *slog.Logger
	vault    *vault
	trusted  *web // with the host's headers
	foreign  *web // without
	endpoint *endpoint
	pause    time.Duration // between two looks at an address

	ctx    context.Context // ends with close
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu  sync.Mutex
	api *openapi.API
}

// dialOpenAPI makes the link. The document is read with the link's start.
func dialOpenAPI(s *config.Server, v *vault, log *slog.Logger) (*endpoint, error) {
	e := &endpoint{changed: make(chan struct{}, 1)}
	l := &openAPI{server: s, log: log, vault: v, endpoint: e, pause: pollAddress,
		trusted: newWebClient(credentialsOf(s, nil, v), stayHere), foreign: newWebClient(noCredentials{}, nil)}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	e.link, e.close = l, l.close
	return e, nil
}

// stayHere has a redirect to another host be the answer: the configured headers are for this one.
func stayHere(request *http.Request, via []*http.Request) error {
	if request.URL.Host != via[0].URL.Host || request.URL.Scheme != via[0].URL.Scheme || len(via) > 10 {
		return http.ErrUseLastResponse
	}
	return nil
}

type noCredentials struct{}

func (noCredentials) headers(_ context.Context, fresh bool) (map[string]string, error) {
	if fresh {
		return nil, errNoFresh
	}
	return nil, nil
}

func (noCredentials) hint(*http.Response) string { return "" }

// Do implements openapi.Transport.
func (l *openAPI) Do(ctx context.Context, r *openapi.Request) (*http.Response, error) {
	w := l.trusted
	if r.Anonymous {
		w = l.foreign
	}
	return w.do(ctx, r.Method, r.URL, r.Body, r.Header)
}

func (l *openAPI) start(ctx context.Context, _ inbound) error {
	if err := l.load(ctx); err != nil {
		return err
	}
	l.endpoint.speaks = "OpenAPI " + l.now().Revision
	if files, _ := l.now().Changed(); files != "" {
		l.wg.Go(l.watch)
	}
	if l.now().HasAddresses() {
		l.wg.Go(l.follow)
	}
	return nil
}

func (l *openAPI) load(ctx context.Context) error {
	options := &openapi.Options{BaseURL: l.server.URL, Security: map[string]string{}, Logger: l.log}
	for _, v := range l.server.Security {
		options.Security[v.Name] = v.Value
	}
	for _, h := range l.server.Headers {
		options.Headers = append(options.Headers, h.Name)
	}
	api, err := openapi.Load(ctx, l.server.OpenAPI, l, options)
	if err != nil {
		if ctx.Err() == nil { // the transport's words are for calls
			err = errors.New(strings.ReplaceAll(err.Error(), errUnsent.Error()+": ", ""))
		}
		return err
	}
	for _, secret := range api.Secrets() {
		l.vault.add(secret)
	}
	l.mu.Lock()
	l.api = api
	l.mu.Unlock()
	return nil
}

func (l *openAPI) now() *openapi.API {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.api
}

// watch reads the document again when one of its files has changed and is no longer being written.
func (l *openAPI) watch() {
	seen, refused := "", ""
	for sleep(l.ctx, pollDocument) {
		now, changed := l.now().Changed()
		if changed && now == seen && now != refused {
			if !l.replace(l.ctx) {
				refused = now
			}
		}
		seen = now
	}
}

// replace reads the changed document, if that can be used.
func (l *openAPI) replace(ctx context.Context) bool {
	if err := l.load(ctx); err != nil {
		l.log.Warn("the changed document cannot be used; the old one stays", "error", err)
		return false
	}
	l.log.Info("the document has changed")
	l.endpoint.mayHaveChanged()
	return true
}

// follow reads a document at an address again when that answers otherwise. What is wrong is told once.
func (l *openAPI) follow() {
	told := ""
	for sleep(l.ctx, l.pause) {
		ctx, cancel := context.WithTimeout(l.ctx, pollTime)
		changed, err := l.now().ChangedAtAddress(ctx)
		switch {
		case err != nil && l.ctx.Err() == nil && err.Error() != told:
			told = err.Error()
			l.log.Warn("nobody can tell whether the document has changed; it stays", "error", err)
		case changed:
			l.replace(ctx)
		case err == nil:
			told = ""
		}
		cancel()
	}
}

func (l *openAPI) request(ctx context.Context, out *outgoing) (json.RawMessage, error) {
	api := l.now()
	switch out.method {
	case "initialize":
		return json.Marshal(map[string]any{
			"protocolVersion": mcp.LATEST_LEGACY_PROTOCOL_VERSION, "capabilities": map[string]any{"tools": map[string]any{}}, "instructions": api.About,
			"serverInfo": implementation{api.Title, api.Version},
		})
	case "tools/list":
		return json.Marshal(map[string]any{"tools": api.Tools()})
	case "tools/call":
		return l.call(ctx, api, out.params)
	}
	return nil, &RPCError{Code: message.CodeMethodNotFound, Message: "Method not found: " + out.method}
}

// call makes an HTTP request of a tools/call. Trace context goes along as HTTP has it, without what no header can hold.
func (l *openAPI) call(ctx context.Context, api *openapi.API, params json.RawMessage) (json.RawMessage, error) {
	fields := object(params)
	call := &openapi.Call{Tool: stringMember(fields, "name"), Arguments: fields["arguments"], Header: map[string]string{}}
	for _, name := range []string{"traceparent", "tracestate", "baggage"} {
		if value := stringMember(object(fields["_meta"]), name); value != "" && httpguts.ValidHeaderFieldValue(value) {
			call.Header[name] = value
		}
	}
	result, err := api.Call(ctx, call)
	var lost *lostAnswer
	if err != nil && ctx.Err() == nil && !errors.Is(err, errUnsent) && !errors.As(err, &lost) {
		err = &lostAnswer{err.Error()}
	}
	return result, err
}

func (l *openAPI) notify(context.Context, string, any) error { return nil }

func (l *openAPI) agreed(string) {}

func (l *openAPI) close() {
	l.cancel()
	l.wg.Wait()
	l.trusted.close()
	l.foreign.close()
}
