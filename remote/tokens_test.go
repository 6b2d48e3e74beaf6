package remote

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/codemode-go/codemode/protocol"
)

// tokenFile writes a token file and loads it.
func tokenFile(t *testing.T, text string) *Tokens {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens, err := LoadTokens(path)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

func TestWhoMayConnect(t *testing.T) {
	leftover(t)
	tokens := tokenFile(t, "# users\nalice sesame concurrency=1\n\nsecret\n")
	url, handler := daemon(t, &fake{execute: echo}, &HandlerOptions{Tokens: tokens, Origins: []string{"https://app.example"}})
	for name, c := range map[string]struct {
		header http.Header
		ok     bool
		code   protocol.Code
	}{
		"no token":           {nil, false, protocol.CodeUnauthorized},
		"a wrong token":      {http.Header{"Authorization": {"Bearer frob"}}, false, protocol.CodeUnauthorized},
		"another scheme":     {http.Header{"Authorization": {"Basic sesame"}}, false, protocol.CodeUnauthorized},
		"a token":            {http.Header{"Authorization": {"bearer sesame"}}, true, ""},
		"a token of no name": {http.Header{"Authorization": {"Bearer secret"}}, true, ""},
		"a page":             {http.Header{"Authorization": {"Bearer secret"}, "Origin": {"https://evil.example"}}, false, protocol.CodeUnauthorized},
		"a page of ours":     {http.Header{"Authorization": {"Bearer secret"}, "Origin": {"https://app.example"}}, true, ""},
	} {
		client, err := Dial(t.Context(), url, &DialOptions{Header: c.header})
		if c.ok {
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			client.Close()
			continue
		}
		if !errors.Is(err, protocol.CodeConnectionRejected) || !errors.Is(err, c.code) || err.Error() != "Failed to open WebSocket to "+url {
			t.Errorf("%s: %v", name, err)
		}
	}
	client := dial(t, url, &DialOptions{Token: "sesame"})
	if err := os.WriteFile(tokens.path, []byte("bob other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tokens.Reload(); err != nil {
		t.Fatal(err)
	}
	handler.Refresh()
	deadline := time.Now().Add(time.Minute)
	for { // the session ends, and there is no other for this token
		_, err := client.Execute(t.Context(), &protocol.ExecuteRequest{})
		if errors.Is(err, protocol.CodeUnauthorized) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("a token that was taken away still works: %v", err)
		}
	}
}

func TestTokenFilesThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "there is no token in it",
		"# nothing\n":             "there is no token in it",
		"a x\nb x\n":              "line 2: this token stands in a line before",
		"a x frob=1\n":            `line 1: there is no option "frob"; there are concurrency, queue, queueTimeout, timeout and memory`,
		"a x y\n":                 "line 1: after NAME TOKEN stand options like concurrency=4",
		"a x concurrency=0\n":     `line 1: concurrency must be a whole number, 1 at least, is "0"`,
		"a x timeout=-1s\n":       `line 1: timeout must be a duration such as 30s, is "-1s"`,
		"a x memory=64M\n":        `line 1: memory must be a size in bytes, such as 67108864, 64MB or 64MiB, is "64M"`,
		"a x queueTimeout=soon\n": `line 1: queueTimeout must be a duration such as 30s, is "soon"`,
	} {
		if _, err := parseTokens(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := LoadTokens(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestATokensMemory(t *testing.T) {
	for text, want := range map[string]int64{"memory=67108864": 64 << 20, "memory=64MiB": 64 << 20, "memory=64MB": 64e6} {
		if tenant, _, err := parseToken([]string{"a", "x", text}); err != nil || tenant.Limits.Memory != want {
			t.Errorf("%s: %+v, %v", text, tenant, err)
		}
	}
}

func TestATenantsLimits(t *testing.T) {
	leftover(t)
	var got *protocol.ExecuteRequest
	url, _ := daemon(t, &fake{execute: func(_ context.Context, r *protocol.ExecuteRequest) (*protocol.ExecuteResult, error) {
		got = r
		return value("1"), nil
	}}, &HandlerOptions{Anyone: Tenant{MaxTimeout: 10 * time.Second, Limits: protocol.Limits{Memory: 1 << 20}}})
	client := dial(t, url, nil)
	for name, c := range map[string]struct {
		request protocol.ExecuteRequest
		timeout time.Duration
		memory  int64
		err     string
	}{
		"nothing":  {protocol.ExecuteRequest{}, 10 * time.Second, 1 << 20, ""},
		"maximum":  {protocol.ExecuteRequest{Timeout: protocol.MaximumTimeout()}, 10 * time.Second, 1 << 20, ""},
		"less":     {protocol.ExecuteRequest{Timeout: protocol.TimeoutOf(time.Second), Limits: protocol.Limits{Memory: 1000}}, time.Second, 1000, ""},
		"too long": {protocol.ExecuteRequest{Timeout: protocol.TimeoutOf(time.Minute)}, 0, 0, "timeout must be at most 10000 ms, got 60000 ms"},
		"too much": {protocol.ExecuteRequest{Limits: protocol.Limits{Memory: 2 << 20}}, 0, 0, "limits.memory can only tighten the executor's 1048576, got 2097152"},
	} {
		_, err := client.Execute(t.Context(), &c.request)
		if c.err != "" {
			if !errors.Is(err, protocol.CodeInvalidRequest) || err.Error() != c.err {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if d, _ := got.Timeout.Duration(); err != nil || d != c.timeout || got.Limits.Memory != c.memory {
			t.Errorf("%s: %v, timeout %s, memory %d", name, err, d, got.Limits.Memory)
		}
	}
}
