//go:build cgo && (linux || darwin)

package web_test

import (
	"encoding/json"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/web/webtest"
)

// TestFetchOutbound checks what crosses to the host, and what the program gets back.
func TestFetchOutbound(t *testing.T) {
	var request string
	h := webtest.New(t, &webtest.Options{Outbound: func(text string) string {
		request = text
		return `{"status":201,"statusText":"Created","headers":[["content-type","application/json"],["set-cookie","a"],["set-cookie","b"]],"body":"{\"ok\":true}","url":"https://b.example/","redirected":true}`
	}})
	got := h.Eval(`const r = await fetch('https://a.example/x?y#z', { method: 'post', body: JSON.stringify({ a: 1 }), headers: { 'X-A': 'é' }, redirect: 'manual' });
		let fixed; try { r.headers.set('a', 'b') } catch (e) { fixed = e.message }
		return [r.status, r.statusText, r.url, r.redirected, r.ok, r.headers.getSetCookie(), await r.json(), fixed]`)
	if want := `[201,"Created","https://b.example/",true,true,["a","b"],{"ok":true},"Can't modify immutable headers."]`; got != want {
		t.Errorf("response\n got  %s\n want %s", got, want)
	}
	var sent map[string]any
	if err := json.Unmarshal([]byte(request), &sent); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"url": "https://a.example/x?y", "method": "POST", "redirect": "manual", "body": `{"a":1}`,
		"headers": []any{[]any{"X-A", "é"}, []any{"content-type", "text/plain;charset=UTF-8"}},
	}
	for key, value := range want {
		if encode(sent[key]) != encode(value) {
			t.Errorf("request %s: got %s, want %s", key, encode(sent[key]), encode(value))
		}
	}
}

func TestFetchOutboundFails(t *testing.T) {
	h := webtest.New(t, &webtest.Options{Outbound: func(string) string { return `{"error":"connection refused"}` }})
	for _, test := range []struct{ code, want string }{
		{`await fetch('https://a.example/')`, "Error: connection refused"},
		{`await fetch('https://a.example/', { signal: AbortSignal.abort(new RangeError('mine')) })`, "RangeError: mine"},
		{`await fetch(new Request('https://a.example/', { signal: AbortSignal.abort() }))`, "AbortError: The operation was aborted"},
		{`const s = new ReadableStream({ start(c) { c.enqueue(new Uint8Array([65])); c.close() } }); await fetch('https://a.example/', { method: 'POST', body: s })`, "Error: connection refused"},
	} {
		if got := h.Eval(test.code); got != test.want {
			t.Errorf("%s\n got  %s\n want %s", test.code, got, test.want)
		}
	}
}
