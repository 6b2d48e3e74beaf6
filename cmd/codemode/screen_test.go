package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/codemode-go/codemode/mcpserver"
)

// screened is what a terminal gets of writes, its own line breaks as \n.
func screened(t *testing.T, write func(file *os.File)) string {
	t.Helper()
	primary, secondary, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer primary.Close()
	seen := make(chan string)
	go func() {
		text, _ := io.ReadAll(primary) // ends with an error when the other side is closed
		seen <- string(text)
	}()
	write(secondary)
	secondary.Close()
	return strings.ReplaceAll(<-seen, "\r\n", "\n")
}

func TestTextsDoNothingToATerminal(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.jsonl")
	text := "a\x1b]0;title\a\x1b[31mb\r\n\tc\u009b2Jd 天é\u202eo"
	line, err := json.Marshal(mcpserver.AuditRun{ID: "r1", Code: text, Result: text, Logs: []string{text}, Error: text})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, line, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(out, errOut io.Writer, args ...string) int {
		return dispatch(t.Context(), terminal{strings.NewReader(""), out, errOut}, append([]string{"runs", "--file"}, args...))
	}
	var pipe bytes.Buffer
	if code := run(&pipe, io.Discard, name, "r1"); code != exitOK || strings.Count(pipe.String(), text) != 4 {
		t.Errorf("to a pipe: %d %q", code, pipe.String())
	}
	const want = "a?]0;title??[31mb\n\tc?2Jd 天é?o"
	for _, args := range [][]string{{name, "r1"}, {name, "--json", "r1"}, {name}} {
		got := screened(t, func(file *os.File) { run(file, file, args...) })
		if strings.ContainsAny(got, "\x1b\a\r\u009b\u202e") || !strings.Contains(got, "2Jd 天é") {
			t.Errorf("%q: %q", args, got)
		}
		if len(args) == 2 && strings.Count(got, want) != 4 {
			t.Errorf("%q: %q", args, got)
		}
	}
	got := screened(t, func(file *os.File) { run(file, file, "none\x1b[31m") })
	if !strings.Contains(got, "none?[31m") {
		t.Errorf("standard error: %q", got)
	}
}

// TestScreenInParts: a character may come in two writes.
func TestScreenInParts(t *testing.T) {
	got := screened(t, func(file *os.File) {
		w := onScreen(file)
		for _, b := range []byte("天\u009b𝒳é\xe5!") {
			if n, err := w.Write([]byte{b}); n != 1 || err != nil {
				t.Error(n, err)
			}
		}
	})
	if want := "天?𝒳é\ufffd!"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
