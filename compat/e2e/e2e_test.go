package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/codemode-go/codemode/compat/bench"
)

// codemode is the binary under test, built once by TestMain.
var codemode string

// TestMain builds the binary when npm's packages are there; without them every test skips (or fails under CI).
func TestMain(m *testing.M) {
	if os.Getenv(echoVariable) != "" {
		if err := bench.EchoServer(os.Stdin, os.Stdout); err != nil {
			panic(err)
		}
		return
	}
	dir, err := os.MkdirTemp("", "codemode-e2e")
	if err != nil {
		panic(err)
	}
	codemode = filepath.Join(dir, "codemode")
	if missing() == "" {
		build := exec.Command("go", "build", "-o", codemode, "../../cmd/codemode")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// missing says what the tests lack, empty when nothing.
func missing() string {
	if _, err := exec.LookPath("node"); err != nil {
		return "node is not on PATH"
	}
	if _, err := os.Stat("node_modules/@modelcontextprotocol/sdk"); err != nil {
		return "npm packages are not installed (make deps)"
	}
	return ""
}

func needNode(t *testing.T) {
	t.Helper()
	if why := missing(); why != "" {
		if os.Getenv("CI") != "" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
}

type step map[string]any

// drive runs the TypeScript SDK client through steps and returns one JSON object a step, and one more for the end.
func drive(t *testing.T, env map[string]string, args []string, steps ...step) []map[string]any {
	t.Helper()
	return driveAnswering(t, nil, env, args, steps...)
}

// driveAnswering is drive with a client that can be asked, and gives that answer; nil is one that cannot.
func driveAnswering(t *testing.T, answer map[string]any, env map[string]string, args []string, steps ...step) []map[string]any {
	t.Helper()
	needNode(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	input, err := json.Marshal(map[string]any{"command": codemode, "args": args, "env": env, "steps": steps, "answer": answer})
	if err != nil {
		t.Fatal(err)
	}
	client := exec.CommandContext(ctx, "node", "client.mjs")
	client.Stdin = bytes.NewReader(input)
	var out, errs bytes.Buffer
	client.Stdout, client.Stderr = &out, &errs
	if err := client.Run(); err != nil {
		t.Fatalf("the client failed: %v\n%s\n%s", err, out.String(), errs.String())
	}
	var answers []map[string]any
	scanner := bufio.NewScanner(&out)
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		var answer map[string]any
		if err := json.Unmarshal(scanner.Bytes(), &answer); err != nil {
			t.Fatalf("the client printed %q: %v", scanner.Text(), err)
		}
		answers = append(answers, answer)
	}
	if len(answers) != len(steps)+1 {
		t.Fatalf("%d answers for %d steps\n%s", len(answers), len(steps), errs.String())
	}
	if left := answers[len(steps)]["left"].([]any); len(left) != 0 {
		t.Errorf("processes outlived the server: %v", left)
	}
	return answers[:len(steps)]
}

// text joins the text blocks of a tool result.
func text(answer map[string]any) string {
	var parts []string
	content, _ := answer["content"].([]any)
	for _, block := range content {
		if s, ok := block.(map[string]any)["text"].(string); ok {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n")
}

func isError(answer map[string]any) bool { return answer["isError"] == true }

func code(source string) step {
	return step{"do": "call", "tool": "code", "arguments": map[string]any{"code": source}}
}

func server(name string) []string {
	entry := map[string]string{
		"everything": "server-everything/dist/index.js",
		"filesystem": "server-filesystem/dist/index.js",
		"memory":     "server-memory/dist/index.js",
	}[name]
	path, err := filepath.Abs(filepath.Join("node_modules/@modelcontextprotocol", entry))
	if err != nil {
		panic(err)
	}
	return []string{path}
}

// config writes an mcpServers file in front of the three real servers, plus what extra adds, and returns its path and
// the directory that the filesystem server may touch.
func config(t *testing.T, extra map[string]any) (file, files string) {
	t.Helper()
	files = t.TempDir()
	if err := os.WriteFile(filepath.Join(files, "numbers.txt"), []byte("40\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	servers := map[string]any{
		"everything": map[string]any{"command": "node", "args": server("everything")},
		"filesystem": map[string]any{"command": "node", "args": append(server("filesystem"), files)},
		"memory": map[string]any{"command": "node", "args": server("memory"),
			"env": map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.json")}},
	}
	for name, entry := range extra {
		servers[name] = entry
	}
	data, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file, files
}

func TestOneToolInFrontOfThreeServers(t *testing.T) {
	needNode(t)
	file, files := config(t, nil)
	declared := []string{"declare const everything: {", "declare const filesystem: {", "declare const memory: {", "get_sum:"}
	answers := drive(t, nil, []string{"serve", "--config", file},
		step{"do": "waitForListChanged", "ms": 20000},
		step{"do": "listUntil", "texts": declared, "ms": 30000},
		code(`async () => {
			const text = await filesystem.read_text_file({ path: `+"`"+files+"/numbers.txt`"+` });
			const [a, b] = (text.content ?? text).trim().split("\n").map(Number);
			await memory.create_entities({ entities: [{ name: "sum", entityType: "number", observations: [String(a + b)] }] });
			const graph = await memory.read_graph({});
			return graph.entities[0].observations[0];
		}`),
		code(`async () => everything.get_sum({ a: 1, b: "two" })`),
		code(`async () => { try { await filesystem.read_text_file({ path: "/etc/passwd" }) } catch (e) { return "caught: " + e.message } }`),
		code(`async () => filesystem.read_text_file({ path: "/etc/passwd" })`),
		code(`async () => { console.log("before"); nope() }`),
		code(`async () => everything.get_tiny_image({})`),
	)
	list, _ := json.Marshal(answers[1])
	tools := answers[1]["tools"].([]any)
	if len(tools) != 1 || tools[0].(map[string]any)["name"] != "code" {
		t.Fatalf("tools/list is not the one tool: %.400s", list)
	}
	description := tools[0].(map[string]any)["description"].(string)
	for _, want := range declared {
		if !strings.Contains(description, want) {
			t.Errorf("the description lacks %q", want)
		}
	}
	if got := text(answers[2]); isError(answers[2]) || got != "42" {
		t.Errorf("two servers combined: got %q, error %v", got, answers[2]["isError"])
	}
	if got := text(answers[3]); !isError(answers[3]) || !strings.Contains(got, "b") {
		t.Errorf("a wrong argument: got %q", got)
	}
	if got := text(answers[4]); isError(answers[4]) || !strings.HasPrefix(got, "caught: ") || !strings.Contains(got, "denied") {
		t.Errorf("an upstream error in a catch: got %q", got)
	}
	if got := text(answers[5]); !isError(answers[5]) || !strings.Contains(got, "denied") {
		t.Errorf("an upstream error that nobody caught: got %q", got)
	}
	if got := text(answers[6]); !isError(answers[6]) || !strings.Contains(got, "nope is not defined") || !strings.Contains(got, "before") {
		t.Errorf("a program's own error with its console output: got %q", got)
	}
	checkImage(t, answers[7])
}

// checkImage wants a PNG as a content block of its own, and no base64 of it in any text.
func checkImage(t *testing.T, answer map[string]any) {
	t.Helper()
	for _, block := range answer["content"].([]any) {
		b := block.(map[string]any)
		if b["type"] != "image" {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(b["data"].(string))
		if err != nil || !bytes.HasPrefix(data, []byte("\x89PNG")) {
			t.Errorf("the image block is no PNG: %v", err)
		}
		if strings.Contains(text(answer), b["data"].(string)[:40]) {
			t.Error("the image stands in the text, too")
		}
		return
	}
	t.Errorf("no image block in %v", answer)
}

func TestCancelledProgramFreesItsSlot(t *testing.T) {
	needNode(t)
	file, _ := config(t, nil)
	long := code(`async () => everything.trigger_long_running_operation({ duration: 60, steps: 60 })`)
	long["cancelAfterMs"] = 700
	loop := code(`async () => { for (;;); }`)
	loop["cancelAfterMs"] = 700
	answers := drive(t, nil, []string{"serve", "--config", file},
		step{"do": "waitForListChanged", "ms": 20000},
		long, loop,
		code(`async () => everything.get_sum({ a: 40, b: 2 })`),
		step{"do": "notifications"},
	)
	for _, i := range []int{1, 2} {
		if answers[i]["threw"] == nil {
			t.Errorf("step %d was not cancelled: %v", i, answers[i])
		}
	}
	if got := text(answers[3]); isError(answers[3]) || !strings.Contains(got, "42") {
		t.Errorf("after two cancelled programs: got %q", got)
	}
	if errs := answers[4]["errors"].([]any); len(errs) != 0 {
		t.Errorf("the client saw protocol errors: %v", errs)
	}
}

func TestKilledUpstreamComesBack(t *testing.T) {
	needNode(t)
	file, _ := config(t, nil)
	call := code(`async () => (await memory.read_graph({})).entities.length`)
	answers := drive(t, nil, []string{"serve", "--config", file},
		step{"do": "waitForListChanged", "ms": 20000},
		call, step{"do": "kill", "match": "server-memory"}, call, call,
	)
	if answers[2]["killed"] != 1.0 {
		t.Fatalf("killed %v processes, want the one memory server", answers[2]["killed"])
	}
	for _, i := range []int{1, 4} {
		if got := text(answers[i]); isError(answers[i]) || got != "0" {
			t.Errorf("step %d: got %q", i, got)
		}
	}
}

func TestBrokenServersAreNamedAndTheRestWorks(t *testing.T) {
	needNode(t)
	file, _ := config(t, map[string]any{
		"missing": map[string]any{"command": "no-such-command-anywhere"},
		"unset":   map[string]any{"command": "node", "args": []string{"${CODEMODE_E2E_UNSET}"}},
		"exits":   map[string]any{"command": "node", "args": []string{"-e", "process.exit(3)"}},
	})
	named := []string{"missing", "no-such-command-anywhere", "unset", "CODEMODE_E2E_UNSET", "exits"}
	answers := drive(t, nil, []string{"serve", "--config", file},
		step{"do": "waitForListChanged", "ms": 20000},
		code(`async () => everything.get_sum({ a: 40, b: 2 })`),
		step{"do": "listUntil", "texts": named, "ms": 30000},
	)
	if got := text(answers[1]); isError(answers[1]) || !strings.Contains(got, "42") {
		t.Errorf("a good server beside broken ones: got %q", got)
	}
	description := answers[2]["tools"].([]any)[0].(map[string]any)["description"].(string)
	for _, want := range named {
		if !strings.Contains(description, want) {
			t.Errorf("the description does not say what is wrong with %q", want)
		}
	}
}

func TestWrapNeedsNoFile(t *testing.T) {
	needNode(t)
	answers := drive(t, nil, append([]string{"wrap", "--", "node"}, server("everything")...),
		step{"do": "waitForListChanged", "ms": 20000},
		step{"do": "listUntil", "texts": []string{"get_sum:"}, "ms": 30000},
		code(`async () => codemode.get_sum({ a: 40, b: 2 })`),
		code(`async () => codemode["get-sum"]({ a: 40, b: 2 })`),
	)
	description := answers[1]["tools"].([]any)[0].(map[string]any)["description"].(string)
	if !strings.Contains(description, "declare const codemode: {") {
		t.Errorf("the namespace is not codemode:\n%.600s", description)
	}
	for _, i := range []int{2, 3} {
		if got := text(answers[i]); isError(answers[i]) || !strings.Contains(got, "42") {
			t.Errorf("step %d: got %q", i, got)
		}
	}
}

// TestConsoleStaysOffTheWire covers programs that print: the client, which reports any line that is no message, sees none.
func TestConsoleStaysOffTheWire(t *testing.T) {
	needNode(t)
	answers := drive(t, nil, append([]string{"wrap", "--", "node"}, server("everything")...),
		step{"do": "listUntil", "texts": []string{"get_sum:"}, "ms": 30000},
		code(`async () => { console.log("hi"); console.info({ a: 1 }); console.table([1]); console.error("e"); console.warn("{}\n{}"); return 1 }`),
		step{"do": "notifications"},
	)
	if got := text(answers[1]); isError(answers[1]) || !strings.Contains(got, "hi") || !strings.Contains(got, "{ a: 1 }") {
		t.Errorf("got %q", got)
	}
	if errs := answers[2]["errors"].([]any); len(errs) != 0 {
		t.Errorf("the client saw what is no message: %v", errs)
	}
}

func TestInspector(t *testing.T) {
	needNode(t)
	inspect := func(args ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		all := append([]string{"node_modules/.bin/mcp-inspector", "--cli", codemode, "wrap", "node"}, server("everything")...)
		cmd := exec.CommandContext(ctx, "node", append(all, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("inspector %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out := inspect("--method", "tools/list"); !strings.Contains(out, `"name": "code"`) {
		t.Errorf("tools/list: %.600s", out)
	}
	if out := inspect("--method", "tools/call", "--tool-name", "code", "--tool-arg", "code=return (await codemode.echo({message: 'hi'}))"); !strings.Contains(out, "Echo: hi") {
		t.Errorf("tools/call: %.600s", out)
	}
}
