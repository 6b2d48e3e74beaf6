//go:build cgo && (linux || darwin)

// Package javascripthost has the tests of the npm package in this folder, and no Go of its own.
package javascripthost

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/executor/worker"
	"github.com/codemode-go/codemode/remote"
)

var update = flag.Bool("update", false, "write testdata/steps.golden anew")

func TestMain(m *testing.M) {
	worker.Main()
	os.Exit(m.Run())
}

// needPackages skips where node or the lock file's packages are missing, except in CI, where they have to be there.
func needPackages(t *testing.T) {
	t.Helper()
	_, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join("node_modules", "capnweb"))
	}
	switch {
	case err == nil:
	case os.Getenv("CI") != "":
		t.Fatalf("run make deps: %v", err)
	default:
		t.Skipf("run make deps: %v", err)
	}
}

const token = "sesame"

// startDaemon is a pool behind a handler that asks for the token.
func startDaemon(t *testing.T) (url string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(path, []byte("host "+token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens, err := remote.LoadTokens(path)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := executor.New(&executor.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	handler, err := remote.NewHandler(pool, &remote.HandlerOptions{Tokens: tokens})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	t.Cleanup(func() {
		handler.Close()
		web.Close()
		pool.Close()
	})
	return "ws" + strings.TrimPrefix(web.URL, "http")
}

// node runs a file and returns what it printed.
func node(t *testing.T, input string, environment []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", args...)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdin = strings.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node %q: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}

// printed is what the seed prints for this host over a daemon.
const printed = `listOrders ran in the host process for u1
{"result":42}
Ada has 42 in shipped orders.
`

func TestTheHostOnNode(t *testing.T) {
	needPackages(t)
	out := node(t, "", []string{"EXECUTOR_URL=" + startDaemon(t), "CODEMODE_TOKEN=" + token}, "--import", "./register.js", "main.js")
	if diff := cmp.Diff(printed, out); diff != "" {
		t.Error(diff)
	}
}

func TestTheHostInsideWorkerd(t *testing.T) {
	needPackages(t)
	url := serveWorker(t, "EXECUTOR_URL="+startDaemon(t), "CODEMODE_TOKEN="+token)
	for range 2 { // a connection of its own for each request
		response, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if diff := cmp.Diff(printed, string(text)); diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
	}
}

// serveWorker bundles worker.js and serves it with worker.capnp until the end of the test.
func serveWorker(t *testing.T, environment ...string) (url string) {
	t.Helper()
	dir := t.TempDir()
	bundle := api.Build(api.BuildOptions{
		EntryPoints: []string{"worker.js"}, Outfile: filepath.Join(dir, "bundle.js"), Bundle: true, Write: true, Format: api.FormatESModule,
		Conditions: []string{"workerd", "worker", "browser", "import"}, External: []string{"cloudflare:*"}, Target: api.ESNext,
	})
	for _, e := range bundle.Errors { // a module of node's, for one
		t.Fatalf("bundling: %s", e.Text)
	}
	config, err := os.ReadFile("worker.capnp")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "worker.capnp"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	arch := map[string]string{"amd64": "64", "arm64": "arm64"}[runtime.GOARCH]
	binary := filepath.Join("node_modules", "@cloudflare", "workerd-"+runtime.GOOS+"-"+arch, "bin", "workerd")
	control, child, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	cmd := exec.CommandContext(t.Context(), binary, "serve", "--control-fd=3", filepath.Join(dir, "worker.capnp"))
	cmd.Env = append(os.Environ(), environment...)
	cmd.ExtraFiles = []*os.File{child}
	cmd.Stderr = os.Stderr
	err = cmd.Start()
	child.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }) // it does not end by itself
	return awaitPort(t, control)
}

// awaitPort reads from workerd's control pipe where it listens.
func awaitPort(t *testing.T, control io.Reader) (url string) {
	t.Helper()
	for lines := bufio.NewScanner(control); lines.Scan(); {
		var event struct {
			Event string `json:"event"`
			Port  int    `json:"port"`
		}
		if json.Unmarshal(lines.Bytes(), &event) == nil && event.Event == "listen" {
			return fmt.Sprintf("http://127.0.0.1:%d/", event.Port)
		}
	}
	t.Fatal("workerd ended before it listened")
	return ""
}

// TestSteps: what an executor's calls come to, and its sessions. The steps are in testdata/steps.mjs.
func TestSteps(t *testing.T) {
	needPackages(t)
	golden := filepath.Join("testdata", "steps.golden")
	out := node(t, "", nil, "--import", "./register.js", filepath.Join("testdata", "steps.mjs"), startDaemon(t), token)
	if *update {
		if err := os.WriteFile(golden, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(text), "\n"), strings.Split(out, "\n")); diff != "" {
		t.Error(diff)
	}
}

// TestTextsAreTheDialects: programs and names come out as the Go dialect has them, which is compared with the real one.
func TestTextsAreTheDialects(t *testing.T) {
	needPackages(t)
	snippets := []string{
		"", "  \n", "async () => 42", "() => 1", "1 + 2", "const a = 40\na + 2", "let a = 1\nif (a) { a += 1 }", "return 6 * 7",
		"function run() { return 42 }", "async function run() { return 42 }", "export default async () => 42", "export default 6 * 7",
		"export default function () { return 42 }", "export default function run() { return 42 }", "export default class {}",
		"import { helper } from 'lib.js'\nconst a = helper()\na", "import 'a'; import b from \"b\"\nreturn b", "// why\nimport a from 'a'\nasync () => a()",
		"import('a')", "import.meta.url", "```js\nconst sum = 20 + 22\nsum\n```", "```\n1\n```", "```python\n1\n```", "```ts\nasync () => 1\n```\n",
		"const {", "async () => {", "a; // end", "(1, 2)", "`x`;", "'use strict'; 5", "await api.f()", "for (;;) {}\n1;", "class A {}", "x => y => z",
		"export const a = 1", "{ a: 1 }", "({ a: 1 })", "export default ```js\n1\n```", "\ufeff1",
	}
	names := []string{"", "list-issues", "search.code", "send email", "files:read!", "2fa-verify", "delete", "-delete", "поиск🔍", "a\u00a0b", "a\u0085b", "toString", "__proto__", "eval", "$"}
	question, err := json.Marshal(map[string]any{"snippets": snippets, "names": names})
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Snippets, Names []string }
	if err := json.Unmarshal([]byte(node(t, string(question), nil, filepath.Join("testdata", "texts.mjs"))), &got); err != nil {
		t.Fatal(err)
	}
	for i, snippet := range snippets {
		if diff := cmp.Diff(dialect.NormalizeCode(snippet), got.Snippets[i]); diff != "" {
			t.Errorf("%q:\n%s", snippet, diff)
		}
	}
	for i, name := range names {
		if want := dialect.SanitizeToolName(name); got.Names[i] != want {
			t.Errorf("%q is %q, want %q", name, got.Names[i], want)
		}
	}
}
