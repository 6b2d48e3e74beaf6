package openapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// direct is a Transport with headers of the host.
type direct struct {
	host map[string]string
	last *Request
}

func (d *direct) Do(ctx context.Context, r *Request) (*http.Response, error) {
	if !r.Document {
		d.last = r
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	for name, value := range r.Header {
		request.Header.Set(name, value)
	}
	if !r.Anonymous {
		for name, value := range d.host {
			request.Header.Set(name, value)
		}
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return client.Do(request)
}

// loadText loads a document from a file.
func loadText(t *testing.T, text string, transport Transport, o *Options) (*API, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "api.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(t.Context(), name, transport, o)
}

func mustLoad(t *testing.T, text string, transport Transport, o *Options) *API {
	t.Helper()
	api, err := loadText(t, text, transport, o)
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// sent is the request of a call, as its method and address behind the host, or its error.
func sentBy(t *testing.T, api *API, tool, args string) (*Request, string) {
	t.Helper()
	r, err := api.operations[tool].request(api, json.RawMessage(args))
	if err != nil {
		return nil, "error: " + err.Error()
	}
	return r, r.Method + " " + strings.TrimPrefix(r.URL, "http://api.example")
}

const head = "openapi: 3.1.0\nservers: [{url: 'http://api.example/v1'}]\n"

// TestStyles has the examples of the OpenAPI Specification 3.1.1, "Style Examples".
func TestStyles(t *testing.T) {
	const text, array, object = `"blue"`, `["blue", "black", "brown"]`, `{"R": 100, "G": 200, "B": 150}`
	for _, c := range []struct{ in, style, explode, text, array, object string }{
		{"path", "simple", "false", "/blue", "/blue,black,brown", "/R,100,G,200,B,150"},
		{"path", "simple", "true", "/blue", "/blue,black,brown", "/R=100,G=200,B=150"},
		{"path", "label", "false", "/.blue", "/.blue,black,brown", "/.R,100,G,200,B,150"},
		{"path", "label", "true", "/.blue", "/.blue.black.brown", "/.R=100.G=200.B=150"},
		{"path", "matrix", "false", "/;color=blue", "/;color=blue,black,brown", "/;color=R,100,G,200,B,150"},
		{"path", "matrix", "true", "/;color=blue", "/;color=blue;color=black;color=brown", "/;R=100;G=200;B=150"},
		{"query", "form", "false", "?color=blue", "?color=blue,black,brown", "?color=R,100,G,200,B,150"},
		{"query", "form", "true", "?color=blue", "?color=blue&color=black&color=brown", "?R=100&G=200&B=150"},
		{"query", "spaceDelimited", "false", "?color=blue", "?color=blue%20black%20brown", "?color=R%20100%20G%20200%20B%20150"},
		{"query", "pipeDelimited", "false", "?color=blue", "?color=blue%7Cblack%7Cbrown", "?color=R%7C100%7CG%7C200%7CB%7C150"},
		{"query", "deepObject", "true", "?color=blue", "?color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown", "?color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"},
		{"header", "simple", "false", "blue", "blue,black,brown", "R,100,G,200,B,150"},
		{"header", "simple", "true", "blue", "blue,black,brown", "R=100,G=200,B=150"},
		{"cookie", "form", "false", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"},
		{"cookie", "form", "true", "color=blue", "color=blue; color=black; color=brown", "R=100; G=200; B=150"},
	} {
		path := map[bool]string{true: "/{color}", false: "/"}[c.in == "path"]
		api := mustLoad(t, fmt.Sprintf("%spaths: {'%s': {get: {operationId: f, parameters: [{name: color, in: %s, style: %s, explode: %s, required: true, schema: {}}]}}}", head, path, c.in, c.style, c.explode), nil, nil)
		for value, want := range map[string]string{text: c.text, array: c.array, object: c.object} {
			r, got := sentBy(t, api, "f", `{"color": `+value+`}`)
			switch c.in {
			case "header":
				got = r.Header["color"]
			case "cookie":
				got = r.Header["Cookie"]
			default:
				got = strings.TrimPrefix(got, "GET /v1")
				want = map[bool]string{true: want, false: "/" + want}[c.in == "path"]
			}
			if got != want {
				t.Errorf("%s %s explode %s of %s: %s, want %s", c.in, c.style, c.explode, value, got, want)
			}
		}
	}
}

func TestArgumentsBecomeAnAddress(t *testing.T) {
	api := mustLoad(t, head+`
paths:
  /u/{id}/f/{name}:
    get:
      operationId: f
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer}}
        - {name: name, in: path, required: true, schema: {type: string}}
        - {name: q, in: query, schema: {}}
        - {name: raw, in: query, allowReserved: true, schema: {}}
        - {name: filter, in: query, content: {application/json: {schema: {}}}}
        - {name: need, in: query, required: true, schema: {}}
        - {name: deep, in: query, style: deepObject, schema: {}}
  /x?kind=a: {get: {operationId: fixed, parameters: [{name: q, in: query, schema: {}}]}}
`, nil, nil)
	for args, want := range map[string]string{
		`{"id": 12345678901234567890, "name": "a b/c?d#e%", "need": 1.50}`:                                      "GET /v1/u/12345678901234567890/f/a%20b%2Fc%3Fd%23e%25?need=1.50",
		`{"id": 1, "name": "{id}", "need": true}`:                                                               "GET /v1/u/1/f/%7Bid%7D?need=true",
		`{"id": 1, "name": "é", "need": "", "q": null, "unknown": 1}`:                                           "GET /v1/u/1/f/%C3%A9?need=",
		`{"id": 1, "name": "n", "need": 1, "q": ["a&b", null, {"c": [1, 2]}]}`:                                  "GET /v1/u/1/f/n?q=a%26b&q=%7B%22c%22%3A%5B1%2C2%5D%7D&need=1",
		`{"id": 1, "name": "n", "need": 1, "raw": "a/b?c&d=e#f g+h"}`:                                           "GET /v1/u/1/f/n?raw=a/b?c%26d%3De%23f%20g%2Bh&need=1",
		`{"id": 1, "name": "n", "need": 1, "filter": {"b": 1, "a": [2]}}`:                                       "GET /v1/u/1/f/n?filter=%7B%22b%22%3A%201%2C%20%22a%22%3A%20%5B2%5D%7D&need=1",
		`{"id": 1, "name": "n", "need": 1, "deep": {"a": {"b": 2}, "c": [3, {"d": 4}], "e": null, "f": false}}`: "GET /v1/u/1/f/n?need=1&deep%5Ba%5D%5Bb%5D=2&deep%5Bc%5D%5B0%5D=3&deep%5Bc%5D%5B1%5D%5Bd%5D=4&deep%5Bf%5D=false",
		`{"id": 1, "name": "n"}`:                         "error: need is missing",
		`{"id": 1, "need": 1}`:                           "error: name is missing",
		`{"id": 1, "name": "", "need": 1}`:               "error: name is empty, and a part of a path cannot be",
		`{"id": 1, "name": [], "need": 1}`:               "error: name is empty, and a part of a path cannot be",
		`{"id": 1, "name": "..", "need": 1}`:             "error: a path with . or .. as a part of it is not allowed",
		`{"id": 1, "name": "a/../../b", "need": 1}`:      "error: a path with . or .. as a part of it is not allowed",
		`{"id": 1, "name": "%252e%252e/%zz", "need": 1}`: "error: a path with . or .. as a part of it is not allowed",
		`{"id": 1, "name": "%2e%2e", "need": 1}`:         "error: a path with . or .. as a part of it is not allowed",
		`{"id": 1, "name": "..\\x", "need": 1}`:          "error: a path with . or .. as a part of it is not allowed",
		`{"id": 1, "name": "...", "need": 1}`:            "GET /v1/u/1/f/...?need=1",
		`{"id": 1, "name": "@evil.com", "need": 1}`:      "GET /v1/u/1/f/%40evil.com?need=1",
		`{"id": 1, "name": "//evil.com", "need": 1}`:     "GET /v1/u/1/f/%2F%2Fevil.com?need=1",
		`[]`: "error: the arguments must be one object",
	} {
		if _, got := sentBy(t, api, "f", args); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	if _, got := sentBy(t, api, "fixed", `{"q": 1}`); got != "GET /v1/x?kind=a&q=1" {
		t.Error(got)
	}
}

func TestBodies(t *testing.T) {
	api := mustLoad(t, head+`
paths:
  /json: {post: {operationId: json, requestBody: {required: true, content: {text/plain: {}, application/vnd.api+json: {schema: {}}}}}}
  /form:
    post:
      operationId: form
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {type: object}
            encoding: {}
  /styled:
    post:
      operationId: styled
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {allOf: [{properties: {o: {type: object}, l: {type: array}, r: {}}}]}
            encoding: {o: {style: deepObject, explode: true}, l: {explode: false}, r: {allowReserved: true}}
  /text: {post: {operationId: text, requestBody: {content: {text/csv: {schema: {type: string}}}}}}
  /bytes: {post: {operationId: bytes, requestBody: {content: {image/png: {}, application/pdf: {}}}}}
  /any: {post: {operationId: any, requestBody: {content: {'*/*': {}}}}}
`, nil, nil)
	for _, c := range []struct{ tool, args, contentType, body string }{
		{"json", `{"body": {"b": 1.0, "a": [12345678901234567890]}}`, "application/vnd.api+json", `{"b": 1.0, "a": [12345678901234567890]}`},
		{"json", `{"body": null}`, "application/vnd.api+json", `null`},
		{"json", `{}`, "error: body is missing", ""},
		{"form", `{"body": {"a": "x y&", "l": [1, 2], "o": {"k": 1}, "n": null}}`, "application/x-www-form-urlencoded", `a=x%20y%26&l=1&l=2&o=%7B%22k%22%3A1%7D`},
		{"form", `{"body": 3}`, "error: body must be an object", ""},
		{"form", `{}`, "", ""},
		{"styled", `{"body": {"o": {"k": {"m": 1}}, "l": [1, 2], "r": "a:b"}}`, "application/x-www-form-urlencoded", `o%5Bk%5D%5Bm%5D=1&l=1,2&r=a:b`},
		{"text", `{"body": "a,b\n"}`, "text/csv", "a,b\n"},
		{"text", `{"body": {}}`, "error: body must be a string: the text", ""},
		{"bytes", `{"body": "AAH/"}`, "image/png", "\x00\x01\xff"},
		{"bytes", `{"body": "AAH_"}`, "image/png", "\x00\x01\xff"},
		{"bytes", `{"body": "%%"}`, "error: body is not base64", ""},
		{"any", `{"body": [1]}`, "application/json", "[1]"},
	} {
		r, got := sentBy(t, api, c.tool, c.args)
		if r == nil {
			if got != c.contentType {
				t.Errorf("%s %s: %s, want %s", c.tool, c.args, got, c.contentType)
			}
			continue
		}
		if r.Header["Content-Type"] != c.contentType || string(r.Body) != c.body {
			t.Errorf("%s %s: %q %q, want %q %q", c.tool, c.args, r.Header["Content-Type"], r.Body, c.contentType, c.body)
		}
	}
}

func TestMultipart(t *testing.T) {
	api := mustLoad(t, head+`
paths:
  /up:
    post:
      operationId: up
      requestBody:
        content:
          multipart/form-data:
            schema: {$ref: '#/components/schemas/Up'}
            encoding: {photo: {contentType: 'image/png, image/jpeg'}, meta: {contentType: application/vnd.x+json}}
components:
  schemas:
    Bytes: {type: string, format: binary}
    Up:
      properties:
        photo: {$ref: '#/components/schemas/Bytes'}
        more: {type: array, items: {type: string, format: binary}}
        doc: {type: string, contentMediaType: application/pdf}
        meta: {type: object}
        tags: {type: array, items: {type: object}}
        note: {type: string}
`, nil, nil)
	r, got := sentBy(t, api, "up", `{"body": {"photo": "AAH/", "more": [{"data": "aGk=", "filename": "a\"b.txt", "contentType": "text/plain"}, "aG8="], "doc": "eA==",
		"meta": {"k": [1]}, "tags": [{"t": 1}, null, {"t": 2}], "note": "é", "none": null, "n": 5}}`)
	if r == nil {
		t.Fatal(got)
	}
	request := httptest.NewRequest("POST", "/", bytes.NewReader(r.Body))
	request.Header.Set("Content-Type", r.Header["Content-Type"])
	form, err := request.MultipartReader()
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for {
		p, err := form.NextPart()
		if err != nil {
			break
		}
		data, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, fmt.Sprintf("%s|%s|%s|%s", p.FormName(), p.FileName(), p.Header.Get("Content-Type"), data))
	}
	want := []string{
		"photo|photo|application/octet-stream|\x00\x01\xff",
		"more|a%22b.txt|text/plain|hi", "more|more|application/octet-stream|ho", "doc|doc|application/pdf|x",
		`meta||application/vnd.x+json|{"k":[1]}`, `tags||application/json|{"t":1}`, `tags||application/json|{"t":2}`, "note|||é", "n|||5",
	}
	if d := cmp.Diff(want, parts); d != "" {
		t.Error(d)
	}
	for args, want := range map[string]string{
		`{"body": {"photo": {"filename": "x"}}}`:                         "error: body.photo needs data",
		`{"body": {"photo": "%"}}`:                                       "error: body.photo is not base64",
		`{"body": {"photo": {"data": "", "contentType": "a/b\r\nX:y"}}}`: "error: body.photo has a contentType that is none",
	} {
		if _, got := sentBy(t, api, "up", args); got != want {
			t.Errorf("%s: %s", args, got)
		}
	}
}

const securityDocument = head + `
security: [{missing: []}, {header: [], cookie: []}]
paths:
  /global: {get: {operationId: global, parameters: [{name: X-Key, in: header, required: true, schema: {}}, {name: sid, in: cookie, schema: {}}, {name: c, in: cookie, schema: {}}, {name: X-Set, in: header, schema: {}}]}}
  /none: {get: {operationId: none, security: []}}
  /query: {get: {operationId: query, security: [{query: []}], parameters: [{name: api_key, in: query, schema: {}}, {name: q, in: query, schema: {}}]}}
  /basic: {get: {operationId: basic, security: [{basic: []}]}}
  /bearer: {get: {operationId: bearer, security: [{oauth: [read]}]}}
  /unknown: {get: {operationId: unknown, security: [{missing: []}]}}
components:
  securitySchemes:
    header: {type: apiKey, in: header, name: X-Key}
    cookie: {type: apiKey, in: cookie, name: sid}
    query: {type: apiKey, in: query, name: api_key}
    basic: {type: http, scheme: Basic}
    oauth: {type: oauth2, flows: {}}
    missing: {type: http, scheme: bearer}
    mutual: {type: mutualTLS}
`

func TestSecurityComesFromTheHost(t *testing.T) {
	values := map[string]string{"header": "h-key", "cookie": "c-key", "query": "q&key", "basic": "me:pass:word", "oauth": "token"}
	api := mustLoad(t, securityDocument, nil, &Options{Security: values, Headers: []string{"x-set"}})
	for _, c := range []struct{ tool, args, address, header string }{
		{"global", `{"X-Key": "mine", "sid": "mine", "c": "d", "X-Set": "mine"}`, "GET /v1/global", "Accept=*/* Cookie=c=d; sid=c-key X-Key=h-key"},
		{"none", `{}`, "GET /v1/none", "Accept=*/*"},
		{"query", `{"api_key": "mine", "q": 1}`, "GET /v1/query?q=1&api_key=q%26key", "Accept=*/*"},
		{"basic", `{}`, "GET /v1/basic", "Accept=*/* Authorization=Basic " + base64.StdEncoding.EncodeToString([]byte("me:pass:word"))},
		{"bearer", `{}`, "GET /v1/bearer", "Accept=*/* Authorization=Bearer token"},
		{"unknown", `{}`, "GET /v1/unknown", "Accept=*/*"},
		{"request", `{"method": "GET", "path": "/x?api_key=mine&a=b", "query": {"api_key": "mine", "API_key": 2, "api%5Fkey": 1}, "headers": {"cookie": "sid=mine"}}`, "GET /v1/x?a=b&api%255Fkey=1", "Accept=application/json, */*;q=0.1 Cookie=sid=c-key X-Key=h-key"},
	} {
		r, got := sentBy(t, api, c.tool, c.args)
		if got != c.address {
			t.Errorf("%s: %s, want %s", c.tool, got, c.address)
			continue
		}
		var header []string
		for _, name := range slices.Sorted(maps.Keys(r.Header)) {
			header = append(header, name+"="+r.Header[name])
		}
		if got := strings.Join(header, " "); got != c.header {
			t.Errorf("%s: %s, want %s", c.tool, got, c.header)
		}
	}
	for _, header := range []string{"X-Set", "x-key", "Authorization", "Host", "Content-Length", "X_Set", "x_key", "content_length", "Transfer_Encoding", "X-HTTP-Method-Override", "x_http_method", "X-Original-URL", "x-rewrite-url"} {
		if _, got := sentBy(t, api, "request", `{"method": "GET", "path": "/", "headers": {"`+header+`": "x"}}`); !strings.Contains(got, "is not for programs to set") {
			t.Errorf("%s: %s", header, got)
		}
	}
	for _, c := range []struct{ scheme, value, want string }{
		{"nobody", "x", `has no security scheme "nobody"`},
		{"basic", "secret-word", "#/components/securitySchemes/basic: is basic authentication; its value in the configuration must be user:password"},
		{"mutual", "x", `is a security scheme of type "mutualTLS"`},
	} {
		_, err := loadText(t, securityDocument, nil, &Options{Security: map[string]string{c.scheme: c.value}})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret-word") {
			t.Errorf("%s: %v", c.scheme, err)
		}
	}
	based := mustLoad(t, securityDocument, nil, &Options{BaseURL: "http://api.example/v1?q=base&v=2"})
	if _, got := sentBy(t, based, "query", `{"q": "mine", "api_key": "k"}`); got != "GET /v1/query?q=base&v=2&api_key=k" {
		t.Error(got)
	}
	if _, got := sentBy(t, based, "request", `{"method": "GET", "path": "/?v=mine", "query": {"q": "mine", "w": 3}}`); got != "GET /v1/?q=base&v=2&w=3" {
		t.Error(got)
	}
	undeclared := mustLoad(t, strings.Replace(securityDocument, "security: [{missing", "x-security: [{missing", 1), nil, &Options{Security: map[string]string{"oauth": "token"}})
	if r, _ := sentBy(t, undeclared, "global", `{"X-Key": 1}`); r.Header["Authorization"] != "Bearer token" {
		t.Error("a document that asks for nothing has values of the configuration sent all the same")
	}
}

func TestHeadersAreOnes(t *testing.T) {
	api := mustLoad(t, head+"paths: {/x: {get: {operationId: f, parameters: [{name: X-A, in: header, description: 'A list,}', schema: {}}]}}}", nil, nil)
	for args, want := range map[string]string{
		`{"X-A": ["é", "b"]}`: "GET /v1/x", `{"X-A": "a\r\nHost: evil"}`: "error: X-A holds a character that a header cannot, such as a line break",
	} {
		if _, got := sentBy(t, api, "f", args); got != want {
			t.Errorf("%s: %s", args, got)
		}
	}
	if tool := string(api.Tools()[0]); !strings.Contains(tool, `{"X-A":{"description":"A list,}"}}`) {
		t.Error(tool)
	}
}

func TestRequestStaysBelowTheBase(t *testing.T) {
	api := mustLoad(t, head, nil, nil)
	for args, want := range map[string]string{
		`{"method": "GET", "path": "/a/b c", "query": {"l": [1, 2], "o": {"k": 1}}}`:           "GET /v1/a/b%20c?l=1&l=2&o=k,1",
		`{"method": "post", "path": "//evil.com/x"}`:                                           "POST /v1//evil.com/x",
		`{"method": "GET", "path": "/@evil.com"}`:                                              "GET /v1/@evil.com",
		`{"method": "GET", "path": "/a%2Fb"}`:                                                  "GET /v1/a%2Fb",
		`{"method": "GET", "path": "http://evil.com/"}`:                                        "error: path must begin with / and go on from the API's base, without a host, \\ and #",
		`{"method": "GET", "path": "/\\evil.com"}`:                                             "error: path must begin with / and go on from the API's base, without a host, \\ and #",
		`{"method": "GET", "path": "/a#b"}`:                                                    "error: path must begin with / and go on from the API's base, without a host, \\ and #",
		`{"method": "GET", "path": "/a/../../admin"}`:                                          "error: a path with . or .. as a part of it is not allowed",
		`{"method": "GET", "path": "/a/%2e%2E/admin"}`:                                         "error: a path with . or .. as a part of it is not allowed",
		`{"method": "GET", "path": "/a/%252e%252e/admin"}`:                                     "error: a path with . or .. as a part of it is not allowed",
		`{"method": "GET", "path": "/a/%252e%252e/%25zz"}`:                                     "error: a path with . or .. as a part of it is not allowed",
		`{"method": "GET", "path": "/%25252525252525252e%25252525252525252e/admin"}`:           "error: a path with . or .. as a part of it is not allowed",
		`{"method": "GET", "path": "/a/..;/admin"}`:                                            "error: a path with . or .. as a part of it is not allowed",
		`{"method": "GET", "path": "/%zz"}`:                                                    "error: the arguments make no address of this API",
		`{"method": "TRACE", "path": "/"}`:                                                     "error: method must be one of GET, PUT, POST, DELETE, OPTIONS, HEAD, PATCH",
		`{"method": "GET", "path": "/", "headers": {"X": "a\r\nHost: evil"}}`:                  `error: the header "X" holds a character that it cannot, such as a line break`,
		`{"method": "GET", "path": "/", "headers": [1]}`:                                       "error: headers must be an object of strings",
		`{"method": "GET", "path": "/", "query": "a=b"}`:                                       "error: query must be an object",
		`{"method": "POST", "path": "/", "headers": {"content-type": "text/xml"}, "body": {}}`: "error: body must be a string when its Content-Type is text/xml",
		`{"method": "POST", "path": "/", "headers": {"content-type": "application/x-www-form-urlencoded"}, "body": {"a": "b c"}}`: "POST /v1/",
	} {
		if _, got := sentBy(t, api, "request", args); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

// FuzzRequestStaysOnItsHost: whatever the arguments are, the address is below the base.
func FuzzRequestStaysOnItsHost(f *testing.F) {
	for _, seed := range []string{"/a", "/..", "//h", "/%2e%2e/", "/a?b=c#d", "/\u0000", "/;..;/", "@h"} {
		f.Add(seed, seed)
	}
	name := filepath.Join(f.TempDir(), "api.yaml")
	if err := os.WriteFile(name, []byte(head+"paths: {'/p/{v}': {get: {operationId: f, parameters: [{name: q, in: query, schema: {}}]}}}"), 0o600); err != nil {
		f.Fatal(err)
	}
	api, err := Load(f.Context(), name, nil, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, path, value string) {
		for tool, args := range map[string]any{"request": map[string]any{"method": "GET", "path": path, "query": map[string]string{value: value}}, "f": map[string]string{"v": value, "q": path}} {
			text, err := json.Marshal(args)
			if err != nil {
				t.Fatal(err) // strings always are JSON
			}
			r, err := api.operations[tool].request(api, text)
			if err != nil {
				continue
			}
			u, err := url.Parse(r.URL)
			if err != nil || u.Host != "api.example" || u.User != nil || u.Fragment != "" || !strings.HasPrefix(u.Path, "/v1/") || strings.Contains(u.Path+"/", "/../") {
				t.Errorf("%s of %q: %s, %v", tool, args, r.URL, err)
			}
			if got := u.Query().Get("q"); tool == "f" && utf8.ValidString(path) && got != path {
				t.Errorf("q is %q and arrives as %q", path, got)
			}
		}
	})
}

// TestLargePartOfAForm: JSON inside of a form is sent whole, however much it is.
func TestLargePartOfAForm(t *testing.T) {
	api := mustLoad(t, head+`paths: {/x: {post: {operationId: f, requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object}}}}}}}`, nil, nil)
	list := "[" + strings.Repeat("7,", 2*maxNodes) + "7]"
	r, got := sentBy(t, api, "f", `{"body": {"a": {"list": `+list+`}}}`)
	if r == nil || string(r.Body) != "a="+unreserved(`{"list":`+list+`}`) {
		t.Errorf("%s: it is not sent as it is", got)
	}
}
