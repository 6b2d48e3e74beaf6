package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLogsSpeakOnATerminal(t *testing.T) {
	talk := func(w io.Writer, level string) {
		log, err := newLogger(w, level)
		if err != nil {
			t.Error(err)
			return
		}
		log.Debug("unheard")
		log.Warn("the server is down", "server", "files", "reason", errors.New("cannot find the program \"x\"\nat all\x1b[2J"))
		log.With("view", "one").WithGroup("of").Error("it broke", slog.Group("run", "id", 7), slog.Group("", "ms", 2))
		log.Info("session opened")
	}
	const want = "codemode: the server is down (server: files, reason: cannot find the program \"x\" at all?[2J)\n" +
		"codemode: error: it broke (view: one, of.run.id: 7, of.ms: 2)\n"
	if got := screened(t, func(file *os.File) { talk(onScreen(file), "warn") }); got != want {
		t.Errorf("%q", got)
	}
	if got := screened(t, func(file *os.File) { talk(onScreen(file), "info") }); got != want+"codemode: info: session opened\n" {
		t.Errorf("%q", got)
	}
	var file bytes.Buffer
	talk(&file, "error")
	if got := file.String(); !strings.HasPrefix(got, "time=") || !strings.HasSuffix(got, " level=ERROR msg=\"it broke\" view=one of.run.id=7 of.ms=2\n") || strings.Count(got, "\n") != 1 {
		t.Errorf("%q", got)
	}
	if _, err := newLogger(&file, "loud"); err == nil || err.Error() != `--log-level is debug, info, warn or error, not "loud"` {
		t.Error(err)
	}
}

// TestOneFormOfLines: what a command finds in its configuration, and what happens to its servers, read alike, on a screen and in a file.
func TestOneFormOfLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "servers.json")
	text := `{"mcpServers": {"both": {"command": "x", "url": "http://127.0.0.1:1"}, "gone": {"command": "no-such-program-at-all"}}, "policy": {}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(errOut io.Writer, more ...string) {
		args := append([]string{"run", "--progress", "off", "--config", file}, more...)
		dispatch(t.Context(), terminal{strings.NewReader("async () => 1"), io.Discard, errOut}, args)
	}
	var piped bytes.Buffer
	run(&piped)
	for start, lines := range map[string]string{"codemode: ": screened(t, func(file *os.File) { run(file) }), "time=": piped.String()} {
		all := strings.Split(strings.TrimSpace(lines), "\n")
		for _, line := range all {
			if !strings.HasPrefix(line, start) {
				t.Errorf("%q does not begin with %q", line, start)
			}
		}
		for _, about := range []string{"both", "gone", "policy"} {
			if !strings.Contains(lines, about) {
				t.Errorf("nothing of %s: %q", about, lines)
			}
		}
	}
	piped.Reset()
	if run(&piped, "--log-level", "error"); strings.Count(piped.String(), "\n") != 1 || !strings.Contains(piped.String(), "both") {
		t.Errorf("errors alone: %q", piped.String())
	}
}

// TestViewsMatterOverHTTPAlone: what nobody has over HTTP is nothing to those who do not serve it; doctor tells of it always.
func TestViewsMatterOverHTTPAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "servers.json")
	text := `{"mcpServers": {"gone": {"command": "no-such-program-at-all"}}, "codemode": {"views": [{"name": "v", "token": "${NO_SUCH_VARIABLE_AT_ALL}"}]}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for args, told := range map[string]bool{"serve": false, "tools": false, "serve --http 127.0.0.1:0": true, "doctor": true} {
		var out bytes.Buffer
		dispatch(ctx, terminal{strings.NewReader(""), &out, &out}, append(strings.Fields(args), "--config", file))
		if strings.Contains(strings.ReplaceAll(out.String(), `\"`, `"`), `nobody has the view "v" by its token`) != told {
			t.Errorf("%s: %s", args, out.String())
		}
	}
}
