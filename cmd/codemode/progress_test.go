package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// onTerminal runs a command with standard error on a real pseudo-terminal of 40 columns.
func onTerminal(t *testing.T, args ...string) (code int, out, screen string) {
	t.Helper()
	primary, secondary, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer primary.Close()
	if err := pty.Setsize(secondary, &pty.Winsize{Rows: 10, Cols: 40}); err != nil {
		t.Fatal(err)
	}
	seen := make(chan string)
	go func() {
		text, _ := io.ReadAll(primary) // ends with an error when the other side is closed
		seen <- string(text)
	}()
	var stdout bytes.Buffer
	code = dispatch(t.Context(), terminal{strings.NewReader(""), &stdout, secondary}, args)
	secondary.Close()
	return code, stdout.String(), <-seen
}

var escapes = regexp.MustCompile("\x1b\\[[0-9]*[mK]")

// rows are the texts that a screen had in its lines, also those that were written over.
func rows(screen string) []string {
	return strings.FieldsFunc(escapes.ReplaceAllString(screen, ""), func(r rune) bool { return r == '\r' || r == '\n' })
}

// request writes a request whose program calls two tools, one of them long enough to be seen.
func request(t *testing.T, code string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "request.json")
	text := fmt.Sprintf(`{"code": %q, "providers": [{"name": "a_namespace_with_quite_a_long_name", "tools": {"slow": {"kind": "delay", "ms": 300}, "no": {"kind": "throw", "message": "no"}}}]}`, code)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const twoCalls = `async () => { const n = a_namespace_with_quite_a_long_name; await n.slow(); try { await n.no() } catch {}; return 1 }`

func TestProgressOnATerminal(t *testing.T) {
	for _, kind := range []struct {
		name, term, noColor     string
		escapes, colour, redraw bool
	}{
		{"colour", "xterm-256color", "", true, true, true},
		{"NO_COLOR", "xterm-256color", "1", true, false, true},
		{"dumb", "dumb", "", false, false, false},
	} {
		t.Run(kind.name, func(t *testing.T) {
			t.Setenv("TERM", kind.term)
			t.Setenv("NO_COLOR", kind.noColor)
			code, out, screen := onTerminal(t, "run", "--json", request(t, twoCalls))
			if code != exitOK || out != "{\"result\":1,\"logs\":[]}\n" {
				t.Errorf("%d %q", code, out)
			}
			lines := rows(screen)
			for _, row := range lines {
				if n := len([]rune(row)); n > 40 {
					t.Errorf("%q has %d columns", row, n)
				}
			}
			if len(lines) < 3 || !strings.HasPrefix(lines[len(lines)-1], "✓ ok in ") || !strings.Contains(lines[len(lines)-1], "2 calls (1 failed)") {
				t.Errorf("%q", lines)
			}
			text := strings.Join(lines, "\n")
			if !regexp.MustCompile(`(?m)^✓ a_namespace_with_quite_[a-z_]*…  (\d{3} ms|[0-9.]+ s)$`).MatchString(text) || !regexp.MustCompile(`(?m)^✗ a_namespace_[a-z_]*\.?n?o?…?  \d+ ms$`).MatchString(text) {
				t.Errorf("%q", lines)
			}
			for want, has := range map[bool]bool{kind.escapes: strings.Contains(screen, "\x1b["), kind.redraw: strings.Contains(screen, "\r\x1b[K")} {
				if want != has {
					t.Errorf("escapes are wrong: %q", screen)
				}
			}
			if strings.Contains(screen, "\x1b[3") != kind.colour {
				t.Errorf("colours are wrong: %q", screen)
			}
		})
	}
}

func TestProgressOfAFailure(t *testing.T) {
	t.Setenv("TERM", "xterm")
	code, out, screen := onTerminal(t, "run", "--json", request(t, `throw new Error("boom")`))
	if lines := rows(screen); code != exitFailed || out != "{\"error\":\"boom\",\"logs\":[]}\n" || !strings.HasPrefix(lines[len(lines)-1], "✗ failed in ") {
		t.Errorf("%d %q %q", code, out, screen)
	}
	if _, _, screen := onTerminal(t, "run", "--json", "--progress", "off", request(t, "1")); screen != "" {
		t.Errorf("off shows %q", screen)
	}
}

// Many programs are counted, and their answers are not torn apart by the line below them.
func TestProgressOfMany(t *testing.T) {
	t.Setenv("TERM", "xterm")
	file := filepath.Join(t.TempDir(), "many.jsonl")
	if err := os.WriteFile(file, []byte(strings.Repeat(`{"code": "async () => (await p.e(1)).x", "providers": [{"name": "p", "tools": {"e": {"kind": "value", "value": {"x": 7}}}}]}`+"\n", 30)), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, screen := onTerminal(t, "run", "--jsonl", file)
	if lines := rows(screen); code != exitOK || out != strings.Repeat("{\"result\":7,\"logs\":[]}\n", 30) || !strings.Contains(lines[len(lines)-1], "30 programs, 30 calls") {
		t.Errorf("%d %q %q", code, out, lines)
	}
}

// What a server tells in words does nothing to the terminal, and nothing comes after the summary.
func TestProgressThatIsTold(t *testing.T) {
	t.Setenv("TERM", "xterm")
	var told bytes.Buffer
	p := newProgress(&told, "plain", true)
	p.told("codemode.listOrders answered after 1 ms (1 call so far)\x1b]0;evil\a")
	p.finish(true)
	p.told("late")
	if got := regexp.MustCompile(`in [0-9.]+ m?s`).ReplaceAllString(told.String(), "in N ms"); got != "✓ codemode.listOrders answered after 1 ms (1 call so far)?]0;evil?\n✓ ok in N ms, 1 call\n" {
		t.Errorf("%q", got)
	}
}

func TestFitCountsColumns(t *testing.T) {
	for text, want := range map[string]string{"abcde": "abcde", "abcdef": "abcd…", "日本語": "日本…", "日本x": "日本x", "e\u0301abcd": "e\u0301abcd", "": ""} {
		if got := fit(text, 5); got != want {
			t.Errorf("%q in 5 columns is %q, want %q", text, got, want)
		}
	}
	if got := fit("abc", -2); got != "…" {
		t.Errorf("no room: %q", got)
	}
}
