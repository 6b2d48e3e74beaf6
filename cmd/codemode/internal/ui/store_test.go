package ui

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/mcpserver"
)

// ids lists the runs of a store, newest first.
func ids(s *Store) (list []string) {
	runs, _, _, _ := s.Select(nil, 0, 1<<30)
	for _, run := range runs {
		list = append(list, run.ID)
	}
	return list
}

func TestStoreDropsTheOldest(t *testing.T) {
	many := NewStore(&StoreOptions{MaxRuns: 2})
	big := NewStore(&StoreOptions{MaxBytes: 3000})
	for _, id := range []string{"a", "b", "c"} {
		many.RunEnded(mcpserver.AuditRun{ID: id})
		big.RunEnded(mcpserver.AuditRun{ID: id, Code: strings.Repeat("x", 1000)})
	}
	for _, s := range []*Store{many, big} {
		if diff := cmp.Diff([]string{"c", "b"}, ids(s)); diff != "" {
			t.Error(diff)
		}
		if _, _, kept, dropped := s.Select(nil, 0, 1); kept != 2 || dropped != 1 {
			t.Errorf("%d kept, %d dropped", kept, dropped)
		}
	}
	big.RunEnded(mcpserver.AuditRun{ID: "huge", Code: strings.Repeat("x", 5000)})
	if diff := cmp.Diff([]string{"huge"}, ids(big)); diff != "" {
		t.Error(diff)
	}
}

// What is told of a run that has ended, or is not kept any more, changes nothing.
func TestStoreIgnoresWhatComesLate(t *testing.T) {
	s := NewStore(nil)
	s.RunBegan(mcpserver.AuditRun{ID: "a", Outcome: mcpserver.Running})
	s.CallBegan("a", 1, mcpserver.AuditCall{Tool: "second", Outcome: mcpserver.Running})
	s.CallBegan("a", 0, mcpserver.AuditCall{Tool: "first", Outcome: mcpserver.Running})
	s.CallEnded("a", 0, mcpserver.AuditCall{Tool: "first", Outcome: "ok"})
	run, _ := s.Run("a")
	if len(run.Calls) != 2 || run.Calls[0].Outcome != "ok" || run.Calls[1].Tool != "second" {
		t.Errorf("%+v", run.Calls)
	}
	run.Outcome, run.Calls = "ok", run.Calls[:1]
	s.RunEnded(run)
	s.CallEnded("a", 1, mcpserver.AuditCall{Tool: "late"})
	s.CallEnded("b", 0, mcpserver.AuditCall{Tool: "nobody's"})
	if run, _ := s.Run("a"); len(run.Calls) != 1 || len(ids(s)) != 1 {
		t.Errorf("%+v", run.Calls)
	}
}

func TestNameOfAProgram(t *testing.T) {
	for code, want := range map[string]string{
		"async () => {\n  const x = await a.b({})\n}":                 "const x = await a.b({})",
		"```js\nasync () => {\n\n// Count the stars\n":                "Count the stars",
		"/**\n * All issues\n */\nasync function main() {\n return 1": "All issues",
		"async () => 6 * 7":                           "async () => 6 * 7",
		"(async () => {\n'use strict';\nreturn 2})()": "return 2})()",
		"async () => {\n}":                            "}",
		"\n\n":                                        "",
		"return " + strings.Repeat("é", 200):          "return " + strings.Repeat("é", 93) + "…",
	} {
		if got, _ := nameOf(&mcpserver.AuditRun{Code: code}); got != want {
			t.Errorf("%q is called %q, want %q", code, got, want)
		}
	}
}

func line(t *testing.T, id string) string {
	t.Helper()
	text, err := json.Marshal(mcpserver.AuditRun{ID: id, Outcome: "ok"})
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// follower reads a file step by step.
type follower struct {
	t *testing.T
	*Follower
	file   string
	warned []string
}

func newTestFollower(t *testing.T, file string, store *Store) *follower {
	t.Helper()
	f := &follower{t: t, file: file}
	read, err := NewFollower(file, store, func(text string) { f.warned = append(f.warned, text) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { read.Close() })
	f.Follower = read
	return f
}

func (f *follower) write(text string) {
	f.t.Helper()
	out, err := os.OpenFile(f.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = out.WriteString(text)
		out.Close()
	}
	if err == nil {
		err = f.poll()
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// A file is read with those that were put aside before it, and on over a change of files; half a line waits for its rest.
func TestFollowerReadsOn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ru[n]s.jsonl")
	for name, id := range map[string]string{".10": "a", ".2": "b", ".1": "c", "": "d", ".bak": "no", ".0": "no"} {
		if err := os.WriteFile(file+name, []byte(line(t, id)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store := NewStore(nil)
	f := newTestFollower(t, file, store)
	if diff := cmp.Diff([]string{"d", "c", "b", "a"}, ids(store)); diff != "" {
		t.Fatal(diff)
	}
	whole := line(t, "e")
	f.write(whole[:9])
	if len(ids(store)) != 4 {
		t.Error("half a line is a run")
	}
	f.write(whole[9:] + "\n" + "not json\n" + line(t, "f"))
	if err := os.Rename(file, file+".1"); err != nil {
		t.Fatal(err)
	}
	f.write(line(t, "g"))
	if err := os.WriteFile(file, []byte(line(t, "h")[:3]), 0o600); err != nil { // cut
		t.Fatal(err)
	}
	f.write("")
	f.write(line(t, "h")[3:])
	if diff := cmp.Diff([]string{"h", "g", "f", "e"}, ids(store)[:4]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{file + " line 4 is no run; it is skipped"}, f.warned); diff != "" {
		t.Error(diff)
	}
}

// A line without end takes no more memory than a line may have.
func TestFollowerSkipsALineThatIsTooLong(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs.jsonl")
	store := NewStore(nil)
	f := newTestFollower(t, file, store)
	f.most = 1000
	for range 3 {
		f.write(strings.Repeat("x", 600))
	}
	if len(f.rest) > f.most {
		t.Errorf("%d bytes are kept", len(f.rest))
	}
	f.write("\n" + line(t, "a"))
	if diff := cmp.Diff([]string{file + " line 1 is longer than 1000 bytes; it is skipped"}, f.warned); diff != "" || len(ids(store)) != 1 {
		t.Error(diff, ids(store))
	}
}

// A file that is made later is found; Run looks by itself.
func TestFollowerFindsANewFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs.jsonl")
	store := NewStore(nil)
	f := newTestFollower(t, file, store)
	changes := store.Watch()
	defer changes.Close()
	done := make(chan struct{})
	go func() { defer close(done); f.Run(t.Context()) }()
	t.Cleanup(func() { <-done })
	if err := os.WriteFile(file, []byte(line(t, "a")), 0o600); err != nil {
		t.Fatal(err)
	}
	select {
	case <-changes.C:
	case <-time.After(time.Minute):
		t.Fatal("the run was not seen")
	}
	if diff := cmp.Diff([]string{"a"}, changes.Take()); diff != "" {
		t.Error(diff)
	}
}

func TestFollowerRefusesWhatIsNoFile(t *testing.T) {
	if _, err := NewFollower(t.TempDir(), NewStore(nil), nil); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Error(err)
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\nc é ✓":                 "a\tb\nc é ✓",
		"\x00\x1b[1m\x7f\u0085":       `\u0000\u001b[1m\u007f\u0085`,
		"\u202eabc\u2066\u200d\ufeff": `\u202eabc\u2066\u200d\ufeff`,
		"\U000e0041 \u2028 \xff":      `\u{e0041} \u2028 \xff`,
	} {
		if got := visible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The lines of a highlighted text are its own, whatever is in it.
func FuzzHighlight(f *testing.F) {
	for _, text := range []string{"const a = 'b' // c\n`d\n${e}` /* f", "/*", "'\\", "\r\n\n", "x(1)\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var b strings.Builder
		for i, line := range highlight(text, 1) {
			if line.Number != i+1 {
				t.Fatalf("line %d is called %d", i+1, line.Number)
			}
			for _, span := range line.Spans {
				b.WriteString(span.Text)
			}
			b.WriteByte('\n')
		}
		want := visible(strings.ReplaceAll(strings.TrimRight(text, "\r\n"), "\r\n", "\n")) + "\n"
		if b.String() != want {
			t.Fatalf("%q became %q", want, b.String())
		}
	})
}

func TestDurationsAndSizes(t *testing.T) {
	got := fmt.Sprintln(duration(-1), duration(1500*time.Microsecond), duration(14*time.Millisecond), duration(1234*time.Millisecond), duration(83*time.Second), size(999), size(12345), size64(5e9), number(1234567), counted(1, "run"), counted(2000, "run"))
	want := fmt.Sprintln("0 ms", "1.5 ms", "14 ms", "1.23 s", "1m23s", "999 B", "12.3 kB", "5.0 GB", "1,234,567", "1 run", "2,000 runs")
	if got != want {
		t.Errorf("%s%s", got, want)
	}
}

func size64(n int64) string { return size(n) }

func TestAxisHasRoundTicks(t *testing.T) {
	for total, want := range map[time.Duration]string{
		120 * time.Millisecond: "0 50 ms 100 ms", time.Second: "0 200 ms 400 ms 600 ms 800 ms 1.00 s", 100 * time.Microsecond: "0 0.0 ms 0.0 ms 0.1 ms 0.1 ms 0.1 ms",
	} {
		var labels []string
		for _, tick := range newAxis(total) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != want {
			t.Errorf("%s: %s, want %s", total, got, want)
		}
	}
}

// What a run that goes on takes is counted call by call as it is at its end.
func TestStoreWeighsCallsAsTheyCome(t *testing.T) {
	s := NewStore(nil)
	s.RunBegan(mcpserver.AuditRun{ID: "r", Outcome: mcpserver.Running, Code: "f()"})
	call := mcpserver.AuditCall{Server: "s", Tool: "t", Arguments: "{}"}
	s.CallBegan("r", 2, call)
	s.CallBegan("r", 0, call)
	call.Result = "a result"
	s.CallEnded("r", 2, call)
	run, _ := s.Run("r")
	if s.bytes != sizeOf(&run) {
		t.Errorf("%d bytes, and the run has %d", s.bytes, sizeOf(&run))
	}
}
