package openapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// answering is an API whose one operation gets what the handler answers.
func answering(t *testing.T, handler http.HandlerFunc) *API {
	t.Helper()
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	return mustLoad(t, "openapi: 3.0.1\npaths: {/x: {get: {operationId: f}}}", &direct{host: map[string]string{"X-Secret": "s"}}, &Options{BaseURL: web.URL})
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name, contentType string
		status            int
		body, want        string
	}{
		{"JSON keeps its bytes", "application/json; charset=utf-8", 200, `{"b": 1.0, "a": 12345678901234567890}`, `{"content":[],"structuredContent":{"b": 1.0, "a": 12345678901234567890}}`},
		{"JSON of a dialect", "application/problem+json", 200, `[1]`, `{"content":[],"structuredContent":[1]}`},
		{"JSON with a mark", "application/json", 200, "\ufeff{}", `{"content":[],"structuredContent":{}}`},
		{"a null is none", "application/json", 200, " null ", `{"content":[{"type":"text","text":"null"}]}`},
		{"no body", "", 204, "", `{"content":[{"type":"text","text":"null"}]}`},
		{"what is no JSON after all", "application/json", 200, `{"a"`, `{"content":[],"structuredContent":"{\"a\""}`},
		{"a text that looks like JSON stays one", "text/plain", 200, "123", `{"content":[],"structuredContent":"123"}`},
		{"a text in another character set", "text/plain; charset=iso-8859-1", 200, "caf\xe9", `{"content":[],"structuredContent":"café"}`},
		{"XML", "application/atom+xml", 200, "<a/>", `{"content":[],"structuredContent":"<a/>"}`},
		{"an image", "image/png", 200, "\x00\x01\xff", `{"content":[{"type":"image","data":"AAH/","mimeType":"image/png"}]}`},
		{"a sound", "audio/mpeg", 200, "\x00", `{"content":[{"type":"audio","data":"AA==","mimeType":"audio/mpeg"}]}`},
		{"bytes", "application/pdf", 200, "%PDF", `{"content":[{"type":"resource","resource":{"uri":"response:body","mimeType":"application/pdf","blob":"JVBERg=="}}]}`},
		{"a failure says its status and body", "application/json", 422, `{"detail": "no such \"thing\""}`, `{"content":[{"type":"text","text":"HTTP 422 Unprocessable Entity: {\"detail\": \"no such \\\"thing\\\"\"}"}],"isError":true}`},
		{"a failure without words", "", 500, "", `{"content":[{"type":"text","text":"HTTP 500 Internal Server Error"}],"isError":true}`},
		{"a failure of bytes", "image/png", 404, "\xff", `{"content":[{"type":"text","text":"HTTP 404 Not Found"}],"isError":true}`},
		{"a refused login says where it comes from", "text/plain", 401, "who?", `{"content":[{"type":"text","text":"HTTP 401 Unauthorized (the login comes from \"headers\" or \"security\" of the server's entry in the configuration): who?"}],"isError":true}`},
		{"not modified is no success", "", 304, "", `{"content":[{"type":"text","text":"HTTP 304 Not Modified"}],"isError":true}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := answering(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Content-Type"] = []string{c.contentType}
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body)) // 204 and 304 take none
			})
			got, err := api.Call(t.Context(), &Call{Tool: "f"})
			if err != nil || string(got) != c.want {
				t.Errorf("%s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

func TestUntypedAnswers(t *testing.T) {
	for body, want := range map[string]string{
		`{"a": 1}`: `"structuredContent":{"a": 1}`, "words": `"structuredContent":"words"`, "\xff\xfe": `"mimeType":"application/octet-stream"`,
	} {
		got, err := (&operation{}).result(&http.Response{StatusCode: 200, Body: http.NoBody})
		if err != nil || !strings.Contains(string(got), "null") {
			t.Errorf("%s %v", got, err)
		}
		value, ok := valueOf("", []byte(body))
		if text := string(valueResult(value)); ok && !strings.Contains(text, want) {
			t.Errorf("%q: %s, want %s", body, text, want)
		} else if text := string(bytesResult("", []byte(body))); !ok && !strings.Contains(text, want) {
			t.Errorf("%q: %s, want %s", body, text, want)
		}
	}
}

// TestLargeAnswers: one byte more than MaxResponse is an error that names the limit, and a failure's words are cut.
func TestLargeAnswers(t *testing.T) {
	api := answering(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		size := MaxResponse
		if r.URL.Path == "/more" {
			size++
		}
		if r.URL.Path == "/fail" {
			w.WriteHeader(500)
			size = MaxErrorBody + 1
		}
		chunk := strings.Repeat("x", 1<<16)
		for size > 0 {
			n, err := w.Write([]byte(chunk[:min(size, len(chunk))]))
			if err != nil {
				return
			}
			size -= n
		}
	})
	for path, check := range map[string]func(string) bool{
		"/": func(s string) bool { return len(s) > MaxResponse && !strings.Contains(s[:1000], "isError") },
		"/more": func(s string) bool {
			return strings.Contains(s, "more than 25165824 bytes (24 MiB), the limit of one answer")
		},
		"/fail": func(s string) bool { return strings.Contains(s, ": "+strings.Repeat("x", MaxErrorBody)+"…") },
	} {
		got, err := api.Call(t.Context(), &Call{Tool: "request", Arguments: json.RawMessage(`{"method": "GET", "path": "` + path + `"}`)})
		if err != nil || !check(string(got)) {
			t.Errorf("%s: %d bytes, %.200s, %v", path, len(got), got, err)
		}
	}
}

func TestRequestAnswersWithStatusAndHeaders(t *testing.T) {
	api := answering(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", `<x>; rel="next"`)
		w.Header().Set("Set-Cookie", "sid=secret")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(201)
		fmt.Fprintf(w, `[%q, %q]`, r.Method, r.Header.Get("X-Secret"))
	})
	got, err := api.Call(t.Context(), &Call{Tool: "request", Arguments: json.RawMessage(`{"method": "POST", "path": "/x", "body": {}}`)})
	if err != nil {
		t.Fatal(err)
	}
	var result struct {
		Value struct {
			Status  int               `json:"status"`
			Headers map[string]string `json:"headers"`
			Body    []string          `json:"body"`
		} `json:"structuredContent"`
	}
	if err := json.Unmarshal(got, &result); err != nil {
		t.Fatal(err)
	}
	v := result.Value
	if v.Status != 201 || v.Headers["link"] == "" || strings.Contains(string(got), "secret") || fmt.Sprint(v.Body) != "[POST s]" {
		t.Errorf("%s", got)
	}
}

func TestCallsEndWithTheirContext(t *testing.T) {
	began := make(chan struct{})
	api := answering(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		close(began)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	if _, err := api.Call(ctx, &Call{Tool: "f"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestRedirectsElsewhereAreTheAnswer(t *testing.T) {
	api := answering(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://elsewhere.example/file", http.StatusFound)
	})
	got, err := api.Call(t.Context(), &Call{Tool: "f"})
	if err != nil || !strings.Contains(string(got), "HTTP 302 Found: it leads to https://elsewhere.example/file, where a call does not follow it") {
		t.Errorf("%s, %v", got, err)
	}
}

func TestUnknownTool(t *testing.T) {
	api := mustLoad(t, head, nil, nil)
	got, err := api.Call(t.Context(), &Call{Tool: "gone"})
	if err != nil || !strings.Contains(string(got), `the API has no operation \"gone\"`) {
		t.Errorf("%s, %v", got, err)
	}
}
