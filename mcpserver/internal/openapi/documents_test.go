package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestUnreadableDocuments(t *testing.T) {
	for text, want := range map[string]string{
		"":     "api.yaml: is empty",
		"a: [": "api.yaml:2: is not YAML: ",
		"{\n \"openapi\": \"3.1.0\",\n \"x\": \"}": "api.yaml:3: is not JSON: ",
		`{"openapi": "3.1.0"} x`:                   "api.yaml:1: is not JSON: ",
		"[]":                                       "api.yaml:1: is no object",
		"swagger: '2.0'":                           "api.yaml:1 #/swagger: is Swagger 2.0; convert the document to OpenAPI 3 first",
		"info: {}\nopenapi: 4.0.0":                 "api.yaml:2 #/openapi: is OpenAPI 4.0.0; 3.0 and 3.1 can be read",
		"openapi: null":                            "api.yaml:1: is no OpenAPI document",
		"title: x":                                 "api.yaml:1: is no OpenAPI document",
		"openapi: 3.1.0\npaths: {}":                `api.yaml:1: does not say on which host the API is; put its address into "url"`,
		"openapi: 3.1.0\nservers: [{url: /x}]":     `api.yaml:2 #/servers/0: does not say on which host the API is; put its address into "url"`,
		"openapi: 3.1.0\nservers: [{url: 'https://{h}/'}]":        `api.yaml:2 #/servers/0: has a variable without a default; put the API's address into "url"`,
		"openapi: 3.1.0\nservers: [{url: 'ftp://h/'}]":            `api.yaml:2 #/servers/0: does not say on which host`,
		"openapi: 3.1.0\nservers: [{url: 'http://h'}]\npaths: []": "api.yaml:3 #/paths: is no object of paths",
	} {
		_, err := loadText(t, text, nil, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := Load(t.Context(), filepath.Join(t.TempDir(), "none.yaml"), nil, nil); err == nil || !strings.Contains(err.Error(), "cannot read the document: ") {
		t.Error(err)
	}
}

func TestRevisions(t *testing.T) {
	for written, want := range map[string]string{"3.1": "3.1", "'3.0.3'": "3.0.3", "3.2.0": "3.2.0"} {
		api := mustLoad(t, "openapi: "+written+"\nservers: [{url: 'http://h'}]", nil, nil)
		if api.Revision != want {
			t.Errorf("%s is %s", written, api.Revision)
		}
	}
}

// TestDocumentsFromAnAddress: where they are read from, who is shown the host's headers, and what the base is.
func TestDocumentsFromAnAddress(t *testing.T) {
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	defer web.Close()
	other := httptest.NewServer(http.RedirectHandler(web.URL+"/docs/open.json", http.StatusFound))
	defer other.Close()
	document := func(parameter string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"openapi": "3.1.0", "servers": [{"url": "../v2/"}], "paths": {"/x": {"get": {"operationId": "f", "parameters": [{"$ref": %q}]}}}}`, parameter)
		}
	}
	mux.HandleFunc("/docs/open.json", document("parts.json#/P"))
	mux.HandleFunc("/docs/local.json", document("file:///etc/passwd"))
	mux.HandleFunc("/docs/foreign.json", document(other.URL+"/parts.json#/P"))
	mux.HandleFunc("/docs/parts.json", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"P": {"name": "p", "in": "query", "schema": {}}}`)
	})
	mux.HandleFunc("/docs/closed.json", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, `{"openapi": "3.1.0", "servers": [{"url": "https://ignored.example"}]}`)
	})
	transport := &direct{host: map[string]string{"Authorization": "Bearer t"}}
	api, err := Load(t.Context(), web.URL+"/docs/open.json", transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := api.operations["f"].request(api, json.RawMessage(`{"p": 1}`)); err != nil || r.URL != web.URL+"/v2/x?p=1" {
		t.Errorf("%+v, %v", r, err)
	}
	if state, changed := api.Changed(); state != "" || changed {
		t.Errorf("%q %v of a document without files", state, changed)
	}
	for _, name := range []string{"local", "foreign"} {
		api, err := Load(t.Context(), web.URL+"/docs/"+name+".json", transport, nil)
		if err != nil || api.operations["f"] != nil {
			t.Errorf("%s: an operation with a parameter from elsewhere is there, %v", name, err)
		}
	}
	if _, err := Load(t.Context(), web.URL+"/docs/closed.json", transport, nil); err == nil || !strings.Contains(err.Error(), `it answered HTTP 401 Unauthorized; headers go to a document only when "url" names the same host`) {
		t.Error(err)
	}
	if api, err := Load(t.Context(), web.URL+"/docs/closed.json", transport, &Options{BaseURL: web.URL + "/v3?key=1"}); err != nil || api.base.prefix != web.URL+"/v3" || api.base.query != "key=1" {
		t.Error(api, err)
	}
}

// TestLargeDocument: a thousand operations over types that reach each other are read, and each tool has a bounded
// schema with the nearest types.
func TestLargeDocument(t *testing.T) {
	api := mustLoad(t, largeDocument(500, 300), nil, nil)
	if len(api.Tools()) != 1001 {
		t.Fatalf("%d tools", len(api.Tools()))
	}
	all := 0
	for _, raw := range api.Tools() {
		if !json.Valid(raw) {
			t.Fatalf("%s", raw)
		}
		all += len(raw)
	}
	if all > MaxSchemas*5/4 { // what is left out has a member each
		t.Errorf("the tools have %d bytes", all)
	}
	first := string(api.Tools()[0])
	if !strings.Contains(first, `"S0":{"type":"object"`) || !strings.Contains(first, tooLargeType) {
		t.Errorf("%.2000s", first)
	}
}

// TestLargeSchema: one tool's schema is bounded, and what is past the limit open.
func TestLargeSchema(t *testing.T) {
	api := mustLoad(t, largeDocument(1, 1000), nil, nil)
	tool := string(api.Tools()[0])
	if len(tool) > MaxSchema*3/2 || len(tool) < MaxSchema*3/4 || !strings.Contains(tool, tooLargeType) {
		t.Errorf("%d bytes", len(tool))
	}
	inline := mustLoad(t, head+"paths: {/x: {get: {operationId: f, parameters: [{name: q, in: query, schema: {enum: ["+strings.Repeat("abcdefgh, ", MaxSchema/10)+"]}}]}}}", nil, nil)
	if tool := string(inline.Tools()[0]); !strings.Contains(tool, `"q":`+tooLargeType) {
		t.Errorf("%.500s", tool)
	}
}

func largeDocument(paths, types int) string {
	var b strings.Builder
	b.WriteString(`{"openapi":"3.1.0","servers":[{"url":"http://api.example"}],"paths":{`)
	for i := range paths {
		if i > 0 {
			b.WriteString(",\n")
		}
		answer := fmt.Sprintf(`{"200":{"description":"ok","content":{"application/json":{"schema":{"$ref":"#/components/schemas/S%d"}}}}}`, i%types)
		fmt.Fprintf(&b, `"/r%d/{id}":{"get":{"operationId":"get%[1]d","responses":%[2]s},"post":{"operationId":"post%[1]d","responses":%[2]s,"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/S%[3]d"}}}}}}`, i, answer, i%types)
	}
	b.WriteString(`},"components":{"schemas":{`)
	for i := range types {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `"S%d":{"type":"object","properties":{"id":{"type":"string","description":%q},"next":{"$ref":"#/components/schemas/S%d"},"other":{"type":"array","items":{"$ref":"#/components/schemas/S%d"}}}}`, i, strings.Repeat("words ", 20), (i+1)%types, (i*7+3)%types)
	}
	b.WriteString(`}}}`)
	return b.String()
}

func BenchmarkLargeDocument(b *testing.B) {
	name := filepath.Join(b.TempDir(), "api.json")
	if err := os.WriteFile(name, []byte(largeDocument(500, 300)), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Load(b.Context(), name, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func TestTooLargeDocument(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chunk := bytes.Repeat([]byte("# words\n"), 1<<13)
		for {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	defer web.Close()
	_, err := Load(t.Context(), web.URL, &direct{}, nil)
	if err == nil || !strings.Contains(err.Error(), "the document has more than 33554432 bytes (32 MiB)") {
		t.Error(err)
	}
}

// TestManyFiles: a document that refers on and on ends.
func TestManyFiles(t *testing.T) {
	dir := t.TempDir()
	for i := range maxFiles + 1 {
		text := fmt.Sprintf(`{"P": {"$ref": "%d.json#/P"}, "S": {"properties": {"n": {"$ref": "%d.json#/S"}}}}`, i+1, i+1)
		if i == 0 {
			text = `{"openapi": "3.1.0", "servers": [{"url": "http://h"}], "paths": {"/a": {"get": {"operationId": "a", "parameters": [{"$ref": "1.json#/P"}]}}, "/b": {"get": {"operationId": "b", "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "1.json#/S"}}}}}}}}}`
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".json")), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	api, err := Load(t.Context(), filepath.Join(dir, "0.json"), nil, nil)
	if err != nil || api.operations["a"] != nil || api.operations["b"] == nil || len(api.local) > maxFiles {
		t.Error(api, err)
	}
}

// TestAliasesDoNotUnfold: a few lines of YAML can stand for gigabytes.
func TestAliasesDoNotUnfold(t *testing.T) {
	var b strings.Builder
	b.WriteString(head + "x0: &a0 {type: string, enum: [lol, lol, lol, lol, lol, lol, lol, lol, lol]}\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "x%d: &a%d {anyOf: [%s]}\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
	}
	b.WriteString("v: &v [*a11, *a11]\npaths: {/x: {post: {operationId: f, requestBody: {content: {application/json: {schema: *a11}}}, responses: {200: {content: {application/json: {schema: {enum: *v}}}}}}}}\n")
	began := time.Now()
	api := mustLoad(t, b.String(), nil, nil)
	if len(api.Tools()[0]) > 10*maxNodes {
		t.Errorf("%d bytes", len(api.Tools()[0]))
	}
	t.Log(time.Since(began))
}

// TestMergesDoNotUnfold: neither do objects that are merged, also into themselves. A test that hangs shows that they do.
func TestMergesDoNotUnfold(t *testing.T) {
	var b strings.Builder
	b.WriteString(head + "m0: &m0 {type: object, properties: {a: {type: string}}}\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "m%d: &m%d {<<: [%s*m%d]}\n", i, i, strings.Repeat(fmt.Sprintf("*m%d, ", i-1), 20), i)
	}
	b.WriteString("paths: {/x: {post: {operationId: f, requestBody: {content: {application/json: {schema: {<<: *m9}}}}}}}\n")
	tool := string(mustLoad(t, b.String(), nil, nil).Tools()[0])
	if !strings.Contains(tool, `"a":{"type":"string"}`) {
		t.Error(tool)
	}
}

// TestOperationsOfOneName: a document with many operations and types of one name is read as fast as any other.
func TestOperationsOfOneName(t *testing.T) {
	var b strings.Builder
	b.WriteString(head + "paths:\n")
	for i := range 20_000 {
		fmt.Fprintf(&b, "  /x%d: {get: {operationId: same, responses: {200: {description: d}}}}\n", i)
	}
	api := mustLoad(t, b.String(), nil, nil)
	if len(api.Tools()) != 20_001 || api.operations["same"] == nil || api.operations["same_2"] == nil || api.operations["same_20000"] == nil {
		t.Error(len(api.Tools()))
	}
}

// TestObjectsOfManyMembers: many properties, parameters or parts of a form are read in time like their number (a blink, and
// not seconds); the last of one name counts.
func TestObjectsOfManyMembers(t *testing.T) {
	for _, n := range []int{3, 40_000} {
		for name, operation := range manyMembers(n) {
			api := mustLoad(t, `{"openapi":"3.1.0","servers":[{"url":"http://h"}],"paths":{"/x":{"post":{"operationId":"f",`+operation+`}}}}`, nil, nil)
			tool := string(api.Tools()[0])
			last := fmt.Sprintf(`"p%d":{}`, n-1)
			whole := strings.Count(tool, `"p0":{"type":"null"}`) == 1 && strings.Count(tool, `"p0":`) == 1 && strings.Contains(tool, last)
			if open := n > 3 && strings.Contains(tool, tooLargeType); !whole && !open {
				t.Errorf("%d, %s: %.500s", n, name, tool)
			}
		}
	}
}

// manyMembers are operations with objects of n members, the first of them twice.
func manyMembers(n int) map[string]string {
	many := func(format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format+",", i)
		}
		return b.String()
	}
	schema := `{"type":"object","properties":{` + many(`"p%d":{}`) + `"p0":{"type":"null"}},"required":[` + many(`"p%d"`) + `"p0"]}`
	files := `{"allOf":[` + schema + `],"properties":{"file":{"type":"string","format":"binary"},` + strings.TrimPrefix(schema, `{"type":"object","properties":{`)
	return map[string]string{
		"schema":     `"requestBody":{"content":{"application/json":{"schema":` + schema + `}}}`,
		"form":       `"requestBody":{"content":{"multipart/form-data":{"schema":` + files + `,"encoding":{` + many(`"p%d":{}`) + `"file":{}}}}}`,
		"parameters": `"parameters":[` + many(`{"name":"p%d","in":"query","schema":{}}`) + `{"name":"p0","in":"query","schema":{"type":"null"}}]`,
	}
}

// canceling ends its context with the warning of an operation.
type canceling struct {
	slog.Handler
	cancel func()
}

func (c canceling) Handle(context.Context, slog.Record) error { c.cancel(); return nil }

func TestReadingEndsWithItsContext(t *testing.T) {
	name := filepath.Join(t.TempDir(), "api.yaml")
	text := head + "paths: {/a: {get: {operationId: a, parameters: [{}]}}, /b: {get: {operationId: b}}}"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	log := slog.New(canceling{slog.NewTextHandler(io.Discard, nil), cancel})
	if api, err := Load(ctx, name, nil, &Options{Logger: log}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", api, err)
	}
}

// TestManyComplaints: what is wrong a hundred times is told twenty times.
func TestManyComplaints(t *testing.T) {
	var log bytes.Buffer
	text := head + "paths:\n"
	for i := range 100 {
		text += fmt.Sprintf("  /x%d: {get: {$ref: 'none.yaml'}}\n", i)
	}
	mustLoad(t, text, nil, &Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if n := strings.Count(log.String(), "is left out"); n != maxComplaints || !strings.Contains(log.String(), "untold=80") {
		t.Errorf("%d: %s", n, log.String())
	}
}

// TestFormOfItself: a form that is put together of itself is read once.
func TestFormOfItself(t *testing.T) {
	api := mustLoad(t, head+`
paths: {/x: {post: {operationId: f, requestBody: {content: {multipart/form-data: {schema: {$ref: '#/components/schemas/S'}}}}}}}
components: {schemas: {S: {allOf: [{$ref: '#/components/schemas/S'}, {$ref: '#/components/schemas/S'}, {properties: {file: {type: string, format: binary}}}]}}}
`, nil, nil)
	if !api.operations["f"].body.fields["file"].file {
		t.Error("the file is not known")
	}
}

// FuzzLoad: no document breaks the reader, and what it makes of one are tools whose calls are requests or errors.
func FuzzLoad(f *testing.F) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range archives {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		_, text, _ := strings.Cut(string(data), "--\n")
		text, _, _ = strings.Cut(text, "\n-- ")
		f.Add([]byte(text), `{"id": 1, "body": {"a": [1]}}`)
	}
	f.Add([]byte(securityDocument), `{}`)
	f.Add([]byte("a: &a [*a]\nopenapi: 3.1.0\nservers: &s [{url: 'http://h', variables: *s}]\npaths: {/x: {get: &g {requestBody: {content: {a/b: {schema: *g}}}}}}"), `{}`)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, document []byte, args string) {
		name := filepath.Join(dir, "api.yaml")
		if err := os.WriteFile(name, document, 0o600); err != nil {
			t.Fatal(err)
		}
		api, err := Load(t.Context(), name, nil, &Options{BaseURL: "http://api.example/v1"})
		if err != nil {
			return
		}
		for _, raw := range api.Tools() {
			var tool struct{ Name, Description, InputSchema, OutputSchema any }
			if err := json.Unmarshal(raw, &tool); err != nil || tool.Name == "" {
				t.Fatalf("%v in %s", err, raw)
			}
			r, err := api.operations[tool.Name.(string)].request(api, json.RawMessage(args))
			if err == nil && !strings.HasPrefix(r.URL, "http://api.example/v1/") {
				t.Fatalf("%s is called at %s", tool.Name, r.URL)
			}
		}
	})
}
