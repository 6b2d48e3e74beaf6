package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/mcpserver"
)

// browse gets pages as a browser without scripts, let in by an address with a token.
func browse(t *testing.T, address string) (get func(path string) string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	base, _, _ := strings.Cut(address, "/?")
	get = func(path string) string {
		t.Helper()
		response, err := client.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %v", path, response.Status, err)
		}
		return string(text)
	}
	get(strings.TrimPrefix(address, base))
	return get
}

// eventually gets a page until it has a text.
func eventually(t *testing.T, get func(string) string, path, want string) {
	t.Helper()
	body := ""
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if body = get(path); strings.Contains(body, want) {
			return
		}
	}
	t.Fatalf("%s never has %q:\n%s", path, want, body)
}

func appendRun(t *testing.T, file, id string) {
	t.Helper()
	text, err := json.Marshal(mcpserver.AuditRun{ID: id, Outcome: "ok", Code: "// named " + id + "\nf()"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := out.Write(append(text, '\n')); err != nil {
		t.Fatal(err)
	}
}

// An audit file is shown and followed; the servers of its configuration are the catalogue, and the file need not be there yet.
func TestUIShowsAnAuditFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "runs.jsonl")
	configuration := filepath.Join(dir, "config.json")
	text := fmt.Sprintf(`{"mcpServers": {"gone": {"command": %q}}, "codemode": {"audit": {"file": %q}}}`, filepath.Join(dir, "nothing"), file)
	if err := os.WriteFile(configuration, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	get := browse(t, background(t, ctx, cancel, terminal{out: io.Discard}, []string{"ui", "--config", configuration}, "listening "))
	if body := get("/"); !strings.Contains(body, "Nothing has run yet") || !strings.Contains(body, "Runs of "+file) {
		t.Error(body)
	}
	appendRun(t, file, "r1")
	eventually(t, get, "/", "named r1")
	appendRun(t, file, "r2")
	eventually(t, get, "/?q=r2", "1–1 of 1 run")
	eventually(t, get, "/catalogue", "cannot start")
	if body := get("/tokens"); !strings.Contains(body, "No server has listed a tool yet") {
		t.Error(body)
	}
}

// A page whose port is taken is a mistake of the command line, and says what to do.
func TestUIPortIsTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "runs.jsonl")
	appendRun(t, file, "r1")
	for _, args := range [][]string{{"ui", "--file", file, "--listen"}, {"serve", "--demo", "--ui"}} {
		var stderr strings.Builder
		code := dispatch(t.Context(), terminal{strings.NewReader(""), io.Discard, &stderr}, append(args, taken.Addr().String()))
		if code != exitUsage || !strings.Contains(stderr.String(), "address already in use (port 0 takes a free one)") {
			t.Errorf("%v: %d %s", args, code, stderr.String())
		}
	}
}

// Without a browser the address is there all the same.
func TestUIWithoutABrowser(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var stderr strings.Builder
	openBrowser(t.Context(), terminal{err: &stderr}, "http://127.0.0.1:1/")
	if !strings.Contains(stderr.String(), "no browser could be opened") || !strings.Contains(stderr.String(), "open the address by hand") {
		t.Error(stderr.String())
	}
}

// A browser that stays, in the foreground or with what it was given to write to, holds up neither new runs nor the end.
func TestUIBesideABrowserThatStays(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "runs.jsonl")
	appendRun(t, file, "r1")
	for _, name := range []string{"xdg-open", "open"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nsleep 30 &\nexec sleep 30\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	ctx, cancel := context.WithCancel(t.Context())
	get := browse(t, background(t, ctx, cancel, terminal{out: io.Discard}, []string{"ui", "--file", file, "--open"}, "listening "))
	appendRun(t, file, "r2")
	eventually(t, get, "/", "named r2")
}

// serve --ui has what a run was made of in memory, also where the audit file is not to have it.
func TestServeShowsWhatTheFileHides(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "runs.jsonl")
	configuration := filepath.Join(dir, "config.json")
	if err := os.WriteFile(configuration, fmt.Appendf(nil, `{"mcpServers": {"gone": {"command": "/nothing/there"}}, "codemode": {"audit": {"file": %q}}}`, file), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serveShown(t, "--config", configuration)
	s.run(t, "// secretly\nasync () => 'the value'")
	get := browse(t, s.url)
	eventually(t, get, "/", "secretly")
	data, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(data), "secretly") || strings.Contains(string(data), "the value") {
		t.Errorf("%v %s", err, data)
	}
	_, link, _ := strings.Cut(get("/"), `href="/runs/`)
	id, _, _ := strings.Cut(link, `"`)
	if body := get("/runs/" + id); !strings.Contains(body, "the value") {
		t.Error(body)
	}
}
