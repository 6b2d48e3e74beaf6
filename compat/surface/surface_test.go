package surface

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/compat/casefile"
	"github.com/codemode-go/codemode/compat/reference"
	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/worker"
)

var update = flag.Bool("update", false, "record the surfaces of both sides, and write the page about them")

const (
	tableFile = "surface.json"
	pageFile  = "../../docs/runtime-deviations.md"
)

func TestMain(m *testing.M) {
	worker.Main() // does not return in a process that a pool started as a worker
	os.Exit(m.Run())
}

// request is the program as a case, with time enough on a busy machine.
func request(t *testing.T) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"name": "surface", "code": Program, "providers": []any{}, "options": map[string]any{"timeout": 60_000},
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// startReference starts the newest release. It ends with the test; only CI must have it.
func startReference(t *testing.T) *reference.Server {
	t.Helper()
	server, err := reference.Start(t.Context(), reference.Releases()[0], nil)
	if errors.Is(err, reference.ErrNotInstalled) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server
}

func referenceSurface(t *testing.T) Surface {
	t.Helper()
	server := startReference(t)
	text, err := server.Run(t.Context(), request(t))
	if err != nil {
		t.Fatal(err)
	}
	var outcome struct {
		Error, Threw any
		Logs         []string
	}
	if err := json.Unmarshal(text, &outcome); err != nil || outcome.Error != nil || outcome.Threw != nil {
		t.Fatal(err, outcome.Error, outcome.Threw)
	}
	return parse(t, outcome.Logs)
}

func ourSurface(t *testing.T) Surface {
	t.Helper()
	pool, err := executor.New(&executor.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	c, err := casefile.Parse(request(t))
	if err != nil {
		t.Fatal(err)
	}
	result, err := c.Run(t.Context(), dialect.New(pool, nil), nil)
	if err != nil || result.Error != "" {
		t.Fatal(err, result)
	}
	return parse(t, result.Logs)
}

func parse(t *testing.T, lines []string) Surface {
	t.Helper()
	s, err := Parse(lines)
	if err != nil {
		t.Fatal(err)
	}
	if len(s) < 2000 {
		t.Fatalf("%d members: the program stopped early", len(s))
	}
	return s
}

// TestSurface reads both sides and compares them with the table. -update records them.
func TestSurface(t *testing.T) {
	now := NewTable(referenceSurface(t), ourSurface(t))
	for _, path := range now.Unexplained() {
		t.Errorf("%s differs, %s, and reasons.json has no reason", path, now[path])
	}
	if *update && !t.Failed() {
		write(t, tableFile, now.Text())
		write(t, pageFile, []byte(now.Deviations(reference.Releases()[0])))
	}
	for _, change := range recorded(t).Changes(now) {
		t.Errorf("%s; -update records it", change)
	}
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func recorded(t *testing.T) Table {
	t.Helper()
	text, err := os.ReadFile(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	table, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestPageIsCurrent compares the page with the table that it is made from.
func TestPageIsCurrent(t *testing.T) {
	page, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != recorded(t).Deviations(reference.Releases()[0]) {
		t.Errorf("%s is not what the table says; -update writes it", pageFile)
	}
}

// TestEveryReasonIsNeeded fails for a reason that no entry has.
func TestEveryReasonIsNeeded(t *testing.T) {
	used := map[string]bool{}
	for _, e := range recorded(t) {
		used[e.Reason] = true
	}
	for _, r := range reasons() {
		if !used[r.Reason] {
			t.Errorf("no member differs because %q", r.Reason)
		}
	}
}

// TestNewCapabilityIsNoticed shows that what appears, goes away or changes on either side is a change.
func TestNewCapabilityIsNoticed(t *testing.T) {
	before := NewTable(Surface{"a": "function(0) wec", "b": "1 wec"}, Surface{"a": "function(0) wec"})
	after := NewTable(Surface{"a": "function(1) wec", "b": "1 wec", "c": "x"}, Surface{"a": "function(0) wec", "d": "y"})
	changes := strings.Join(before.Changes(after), "\n")
	for _, path := range []string{"a: ", "c: ", "d: "} {
		if !strings.Contains(changes, path) {
			t.Errorf("%s is not among the changes:\n%s", path, changes)
		}
	}
	if strings.Contains(changes, "b: ") {
		t.Errorf("b did not change:\n%s", changes)
	}
	again, err := Read(after.Text())
	if err != nil || len(after.Changes(again)) > 0 {
		t.Errorf("read back: %v, %v", err, after.Changes(again))
	}
}
