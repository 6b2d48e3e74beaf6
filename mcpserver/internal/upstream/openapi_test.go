package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/codemode-go/codemode/mcpserver/config"
)

const petstore = `
openapi: 3.0.3
info: {title: Petstore, version: 1.0.0, description: About pets.}
servers: [{url: "http://127.0.0.1:1/"}]
paths:
  /pets/{id}:
    get: {operationId: getPet, parameters: [{name: id, in: path, required: true, schema: {type: integer}}], responses: {200: {description: ok, content: {application/json: {schema: {type: object}}}}}}
    delete: {operationId: deletePet, parameters: [{name: id, in: path, required: true, schema: {type: integer}}], responses: {204: {description: gone}}}
components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}, login: {type: http, scheme: basic}}}
`

// petUpstream stands in front of an API that is described in a file.
func petUpstream(t *testing.T, document, entry string, options *Options) (u *Upstream, file string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "pets.yaml")
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	return startEntry(t, filepath.Join(dir, "mcp.json"), `"pets": {"openapi": "pets.yaml"`+entry+`}`, options), file
}

func TestOpenAPIIsAnUpstream(t *testing.T) {
	var got atomic.Value
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.Store(fmt.Sprintf("%s %s %s %s %s", r.Method, r.URL, r.Header.Get("X-Key"), r.Header.Get("X-Team"), r.Header.Get("Traceparent")+r.Header.Get("Baggage")+r.Header.Get("Tracestate")))
		if r.Method == http.MethodDelete {
			http.Error(w, "no right: "+r.Header.Get("Authorization"), http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id":9007199254740993}`)
	}))
	defer web.Close()
	u, _ := petUpstream(t, petstore, fmt.Sprintf(`, "baseUrl": %q, "headers": {"X-Team": "t"}, "security": {"key": "k-secret", "login": "me:passw0rd"}, "excludeTools": ["request"]`, web.URL+"/v1"), nil)
	s := settle(t, u)
	if s.State != Ready || names(s) != "getPet deletePet" || s.Server != "Petstore" || s.Version != "1.0.0" || s.Revision != "OpenAPI 3.0.3" || s.Instructions != "About pets." {
		t.Fatalf("%+v", s)
	}
	if get, del := s.Tools[0], s.Tools[1]; !get.ReadOnly || get.Destructive || del.ReadOnly || !del.Destructive || !del.Idempotent {
		t.Errorf("%+v", s.Tools)
	}
	ctx := WithCaller(t.Context(), &Caller{Meta: map[string]json.RawMessage{
		"traceparent": json.RawMessage(`"00-1-2-01"`), "baggage": json.RawMessage(`"k=\u0000"`), "tracestate": json.RawMessage(`"v=1\r\nX-Key: forged"`)}})
	if result, err := u.Call(ctx, "getPet", json.RawMessage(`{"id": 7}`)); err != nil || !strings.Contains(string(result), `{"id":9007199254740993}`) {
		t.Errorf("%s, %v", result, err)
	}
	if want := "GET /v1/pets/7 k-secret t 00-1-2-01"; got.Load() != want {
		t.Errorf("%s, want %s", got.Load(), want)
	}
	result := call(t, u, "deletePet", `{"id": 7}`)
	if want := "Error: HTTP 403 Forbidden: no right: Basic bWU6cGFzc3cwcmQ="; result != want {
		t.Errorf("%s, want %s", result, want)
	}
	if text := u.Redact(result + " k-secret passw0rd"); text != "Error: HTTP 403 Forbidden: no right: [redacted] [redacted] [redacted]" {
		t.Error(text)
	}
}

func TestOpenAPIThatCannotBeRead(t *testing.T) {
	for document, want := range map[string]string{
		"swagger: '2.0'":       "pets.yaml:1 #/swagger: is Swagger 2.0; convert the document to OpenAPI 3 first",
		"openapi: 3.0.0\nx: [": "pets.yaml:3: is not YAML: ",
		"openapi: 3.0.0":       `pets.yaml:1: does not say on which host the API is; put its address into "url"`,
	} {
		u, _ := petUpstream(t, document, "", nil)
		if s := settle(t, u); s.State != Failed || !strings.Contains(s.Reason, want) {
			t.Errorf("%+v", s)
		}
	}
	u := openAPIAt(t, "http://127.0.0.1:1/openapi.json")
	if s := settle(t, u); s.State != Failed || !strings.Contains(s.Reason, "cannot read the document http://127.0.0.1:1/openapi.json: it cannot be reached") {
		t.Errorf("%+v", s)
	}
}

func openAPIAt(t *testing.T, url string) *Upstream {
	t.Helper()
	return startEntry(t, "mcp.json", fmt.Sprintf(`"api": {"openapi": %q, "headers": {"Authorization": "Bearer hush-hush"}}`, url), nil)
}

// TestHostHeadersStayAtHome: a document may be anywhere, and only the API's own host is shown the headers, not where
// either redirects to.
func TestHostHeadersStayAtHome(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("another host is shown the headers")
		}
		if r.URL.Path == "/moved.yaml" {
			http.Redirect(w, r, "/pets.yaml?"+r.URL.RawQuery, http.StatusFound)
			return
		}
		fmt.Fprint(w, strings.Replace(petstore, "http://127.0.0.1:1/", "http://"+r.URL.Query().Get("api"), 1))
	}))
	defer elsewhere.Close()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer hush-hush" {
			t.Error("the API is not shown the headers")
		}
		if r.URL.Path == "/pets/1" {
			http.Redirect(w, r, "/pets/2", http.StatusFound)
			return
		}
		http.Redirect(w, r, elsewhere.URL+"/away", http.StatusTemporaryRedirect)
	}))
	defer api.Close()
	u := openAPIAt(t, elsewhere.URL+"/moved.yaml?api="+strings.TrimPrefix(api.URL, "http://"))
	s := settle(t, u)
	if got := call(t, u, "getPet", `{"id": 1}`); !strings.Contains(got, "HTTP 307 Temporary Redirect: it leads to "+elsewhere.URL+"/away, where a call does not follow it") {
		t.Errorf("%+v %s", s, got)
	}
}

// TestKeysOfDocumentsAreInNoLog: the place of what is wrong is a part of the document's address.
func TestKeysOfDocumentsAreInNoLog(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, strings.Replace(petstore, "/pets/{id}:", "/bad:\n    get: {parameters: [{in: nowhere}]}\n  /pets/{id}:", 1))
	}))
	defer web.Close()
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo} {
		var log lockedBuffer
		address := web.URL + "/doc.yaml?api_key=hush+hush%2Fhush"
		u := startEntry(t, "mcp.json", fmt.Sprintf(`"api": {"openapi": %q}`, address), &Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: level}))})
		if s := settle(t, u); s.State != Ready {
			t.Fatalf("%+v", s)
		}
		if text := log.String(); !strings.Contains(text, "GET /bad") || !strings.Contains(text, "api_key=[redacted]") || strings.Contains(text, "hush") {
			t.Error(text)
		}
	}
}

func TestChangedDocumentIsReadAgain(t *testing.T) {
	changes := make(chan struct{}, 100)
	var log lockedBuffer
	u, file := petUpstream(t, petstore, "", &Options{OnChange: func() { changes <- struct{}{} }, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if s := settle(t, u); names(s) != "getPet deletePet request" {
		t.Fatalf("%+v", s)
	}
	if err := os.WriteFile(file, []byte("not: ["), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the broken document is told of", func() bool {
		return strings.Contains(log.String(), "the changed document cannot be used; the old one stays")
	})
	if s := u.Status(); s.State != Ready || names(s) != "getPet deletePet request" {
		t.Errorf("%+v", s)
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(petstore, "getPet", "fetchPet")), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the new tools are there", func() bool { return names(u.Status()) == "fetchPet deletePet request" })
}

// lockedBuffer is written and read by several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestOpenAPIWhoseHostIsGone(t *testing.T) {
	u, _ := petUpstream(t, petstore, "", nil)
	settle(t, u)
	if got := call(t, u, "getPet", `{"id": 1}`); !strings.Contains(got, `server "pets" cannot be reached`) {
		t.Error(got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := u.Call(ctx, "getPet", json.RawMessage(`{"id": 1}`)); err == nil {
		t.Error("a call whose context has ended succeeds")
	}
}

func TestOpenAPIToolsOfTheLastTime(t *testing.T) {
	cache := t.TempDir()
	u, file := petUpstream(t, petstore, "", &Options{CacheDir: cache})
	settle(t, u)
	u.Close()
	cfg, err := config.Parse(filepath.Join(filepath.Dir(file), "mcp.json"), []byte(`{"mcpServers": {"pets": {"openapi": "pets.yaml"}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	next := New(FromConfig(&cfg.Servers[0], nil, nil), &Options{CacheDir: cache})
	defer next.Close()
	if s := next.Status(); names(s) != "getPet deletePet request" || s.State != Stopped {
		t.Errorf("%+v", s)
	}
}

// TestChangedDocumentAtAnAddressIsReadAgain: it is asked for with what it was called, and one that is broken or away changes nothing.
func TestChangedDocumentAtAnAddressIsReadAgain(t *testing.T) {
	var document atomic.Value
	document.Store(petstore)
	var unchanged, asked atomic.Int64
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		text := document.Load().(string)
		if text == "" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		tag := fmt.Sprintf(`"%d"`, len(text))
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			unchanged.Add(1)
			w.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprint(w, text)
	}))
	defer web.Close()
	var log lockedBuffer
	e, err := dialOpenAPI(&config.Server{Name: "pets", OpenAPI: web.URL}, &vault{}, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	l := e.link.(*openAPI)
	l.pause = time.Millisecond
	if err := l.start(t.Context(), inbound{}); err != nil {
		t.Fatal(err)
	}
	has := func(name string) bool { return strings.Contains(fmt.Sprintf("%s", l.now().Tools()), name) }
	eventually(t, "nothing has changed", func() bool { return unchanged.Load() > 1 })
	for _, wrong := range []string{"not: [", ""} {
		document.Store(wrong)
		before := asked.Load()
		eventually(t, "it was asked for", func() bool { return asked.Load() > before+2 })
		if !has("getPet") {
			t.Errorf("%q took the place of the document", wrong)
		}
	}
	document.Store(strings.ReplaceAll(petstore, "getPet", "fetchPet"))
	<-e.changed
	if !has("fetchPet") || has("getPet") {
		t.Errorf("%s", l.now().Tools())
	}
	for _, want := range []string{"the changed document cannot be used; the old one stays", "nobody can tell whether the document has changed; it stays"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%q is not in the log: %s", want, log.String())
		}
	}
}
