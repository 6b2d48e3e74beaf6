package bench

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/compat/reference"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/worker"
)

func TestMain(m *testing.M) {
	worker.Main() // does not return in a process that a pool started as a worker
	if len(os.Args) > 1 && os.Args[1] == callbackRole {
		if err := CallbackDaemon(os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// callbackRole is the argument that makes the test binary the daemon of callbacks.
const callbackRole = "callback-daemon"

// TestCallbacksOfBothSides measures callbacks once, between two processes of ours and between two of node.
func TestCallbacksOfBothSides(t *testing.T) {
	t.Chdir("../..") // where RunDaemon has to be called
	if _, err := os.Stat(npm + "/node_modules"); err != nil && os.Getenv("CI") == "" {
		t.Skip("npm packages are not installed (make deps)")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := &daemonBench{options: resolve(&Options{Rounds: 1}), callbacks: []string{self, callbackRole}, report: &Daemon{}}
	if err := b.callbackRates(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(b.report.Comparisons) != 2 {
		t.Fatalf("%+v", b.report.Comparisons)
	}
	for _, c := range b.report.Comparisons {
		if c.Other <= 0 || c.Ours <= 0 {
			t.Errorf("%+v", c)
		}
	}
}

// TestSidesRunEveryTask runs each program once on both sides, and reads their memory.
func TestSidesRunEveryTask(t *testing.T) {
	theirs, err := newReference(t.Context())
	if errors.Is(err, reference.ErrNotInstalled) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	ours, err := newOurs(2)
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	for _, side := range []Side{theirs, ours} {
		for _, task := range tasks() {
			if err := side.Repeat(t.Context(), task.request(), 2, 2); err != nil {
				t.Errorf("%s: %s: %v", side.Version(), task.name, err)
			}
		}
		if took, err := side.Warm(t.Context(), oneCall()); err != nil || took <= 0 {
			t.Errorf("%s: warm: %v, %v", side.Version(), took, err)
		}
		stop := side.Start(t.Context(), waiting())
		if n, err := side.Memory(); err != nil || n < 1<<20 {
			t.Errorf("%s: memory %d, %v", side.Version(), n, err)
		}
		stop()
	}
	failing := task{code: "async () => { throw new Error('no') }"}
	for _, side := range []Side{theirs, ours} {
		if _, err := side.Warm(t.Context(), failing); err == nil {
			t.Errorf("%s: a program that fails is measured as warm", side.Version())
		}
		if side.Repeat(t.Context(), failing.request(), 1, 1) == nil {
			t.Errorf("%s: a program that fails is measured", side.Version())
		}
	}
}

func TestReport(t *testing.T) {
	r := &Report{Machine: "a machine", Versions: map[string]string{"reference": "theirs", "go": "1"}, Figures: []Figure{
		{"fast", "ms", 4, 1}, {"many", "runs/s", 100, 50}, {"small", "MB", 1000, 1},
	}}
	r.Proxy = &Proxy{Date: "2026-01-02", Machine: "another machine", Measures: []Measure{{"a start", "ms", 80, 120}}}
	r.Daemon = &Daemon{Date: "2026-01-03", Machine: "a third machine", Comparisons: []Comparison{{"callbacks", "calls/s", "npm capnweb", 100, 130, "≥ 1.3 times"}}}
	r.Catalogue = &Catalogue{Date: "2026-01-04", Machine: "a fourth machine", Tools: 7, Measures: []Measure{{"search", "ms", 0.8, 2}}}
	dir := t.TempDir()
	if err := r.Write(dir); err != nil {
		t.Fatal(err)
	}
	if again, err := Read(dir); err != nil || again.Proxy == nil || again.Proxy.Measures[0] != r.Proxy.Measures[0] || again.Machine != r.Machine {
		t.Errorf("%+v, %v", again, err)
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var again Report
	if err := json.Unmarshal([]byte(read("performance.json")), &again); err != nil || len(again.Figures) != 3 || again.Figures[0] != r.Figures[0] {
		t.Errorf("%+v, %v", again, err)
	}
	for _, row := range []string{"| fast | 4.00 ms | 1.00 ms | 4.0 |", "| many | 100 runs/s | 50.0 runs/s | 0.5 |", "| a start | 80.0 ms | 120 ms |", "on another machine, written by `make bench-proxy` on 2026-01-02",
		"| callbacks | npm capnweb | 100 calls/s | 130 calls/s | 1.30 | ≥ 1.3 times |", "| search | 0.80 ms | 2.00 ms |", "Over 7 functions of real servers, on a fourth machine, written by `make bench-catalogue` on 2026-01-04",
		"On a third machine, written by `make bench-remote` on 2026-01-03"} {
		if !strings.Contains(read("performance.md"), row) {
			t.Errorf("no row %q in\n%s", row, read("performance.md"))
		}
	}
	for chart := xml.NewDecoder(strings.NewReader(read("performance.svg"))); ; {
		if _, err := chart.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestPlatformTasksRun measures each program once on both sides.
func TestPlatformTasksRun(t *testing.T) {
	pool, err := executor.New(&executor.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for _, task := range platformTasks() {
		if best, err := task.inPool(t.Context(), pool); err != nil || best <= 0 {
			t.Errorf("%s: %v, %v", task.name, best, err)
		}
		if best, err := task.inNode(t.Context()); err != nil || best <= 0 {
			t.Errorf("%s in node: %v, %v", task.name, best, err)
		}
	}
	r := &Report{Platform: &Platform{Node: "node 20", Machine: "a machine", Date: "2026-01-02", Comparisons: []Comparison{{Name: "URLs parsed", Unit: "/s", Other: 2e6, Ours: 5e5, Wanted: "200,000/s"}}}}
	if row := "| URLs parsed | 2000000 /s | 500000 /s | 0.25 | 200,000/s |"; !strings.Contains(r.page(), row) {
		t.Errorf("no row %q in\n%s", row, r.page())
	}
}

// TestIdleServer: the script that stands for sixty servers lists its tools.
func TestIdleServer(t *testing.T) {
	script := filepath.Join(t.TempDir(), "server.sh")
	if err := os.WriteFile(script, []byte(idleServer), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := dial(t.Context(), t.TempDir(), "sh", script, "3")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := c.request("tools/list", map[string]any{})
	var list struct {
		Tools []struct{ Name string }
	}
	if err != nil || json.Unmarshal(raw, &list) != nil || len(list.Tools) != 3 || list.Tools[2].Name != "tool_2" {
		t.Errorf("%s, %v", raw, err)
	}
	if _, err := c.request("server/discover", map[string]any{}); err == nil || !strings.Contains(err.Error(), "-32601") {
		t.Error(err)
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
}

func TestMedian(t *testing.T) {
	if got := median([]float64{3, 1, 2}); got != 2 {
		t.Errorf("of three: %v", got)
	}
	if got := median([]float64{4, 1, 2, 3}); got != 2.5 {
		t.Errorf("of four: %v", got)
	}
}

// What a model reads is measured over any directory of tools/list answers.
func TestCatalogueIsMeasured(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(`{"tools":[{"name":"list_issues","description":"Open issues of a repository.","inputSchema":{"type":"object","properties":{"repo":{"type":"string"}}}}]}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := RunCatalogue(t.Context(), dir, &Options{Rounds: 1})
	if err != nil || c.Tools != 2 || len(c.Measures) != 7 {
		t.Fatalf("%+v, %v", c, err)
	}
	for _, m := range c.Measures {
		if m.Value <= 0 && m.Unit != "MB" { // two tools are less than what a collection may free
			t.Errorf("%s is %g", m.Name, m.Value)
		}
	}
	if _, err := RunCatalogue(t.Context(), t.TempDir(), nil); err == nil {
		t.Error("no answers are measured")
	}
}
