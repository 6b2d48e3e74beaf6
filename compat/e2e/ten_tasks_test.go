package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/codetool"
)

// tenTasks are programs that a model can write knowing nothing but the first characters of the compact description; DIR
// stands for a directory that the task names. Each is one attempt.
var tenTasks = []struct{ task, program, want string }{
	{"add 40 and 2", `async () => everything.get_sum({ a: 40, b: 2 })`, `\b42\b`},
	{"echo and add at one time", `async () => {
		const [echo, sum] = await Promise.all([hello.echo({ message: "hi" }), hello.add({ a: 1, b: 2 })]);
		return { echo, sum };
	}`, `hi[\s\S]*\b3\b`},
	{"write a note and read its first line", `async () => {
		await filesystem.write_file({ path: "DIR/note.txt", content: "first\nsecond\n" });
		return await filesystem.read_text_file({ path: "DIR/note.txt", head: 1 });
	}`, `first(?:[^s]|s[^e])*$`},
	{"write five files and count what is listed", `async () => {
		await filesystem.create_directory({ path: "DIR/many" });
		for (const i of [1, 2, 3, 4, 5]) await filesystem.write_file({ path: "DIR/many/" + i + ".txt", content: String(i) });
		return JSON.stringify(await filesystem.list_directory({ path: "DIR/many" })).match(/\d\.txt/g).length;
	}`, `^"?\d+"?$`},
	{"say why a file cannot be read", `async () => {
		try {
			return await filesystem.read_text_file({ path: "DIR/none.txt" });
		} catch (e) {
			return "cannot: " + e.message;
		}
	}`, `cannot: .*ENOENT`},
	{"how many entities are remembered", `async () => {
		const graph = await memory.read_graph();
		return graph.entities.length;
	}`, `^0$`},
	{"what the creation of entities takes", `async () => codemode.describe("memory.create_entities")`, `entityType: string`},
	{"which functions are about directories", `async () => (await codemode.search("directory")).map((hit) => hit.name)`, `filesystem\.list_directory`},
	{"call a function that is only found by words", `async () => {
		const [hit] = await codemode.search("directories this server is allowed to access");
		const [namespace, name] = hit.name.split(".");
		return await { filesystem, memory, everything }[namespace][name]();
	}`, `DIR`},
	{"think once, in TypeScript", `const thought: string = "one";
		const step = await thinking.sequentialthinking({ thought, nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 });
		return JSON.stringify(step);`, `thoughtHistoryLength`},
}

// called finds the functions that a program names.
var called = regexp.MustCompile(`\b(everything|filesystem|memory|thinking|hello|codemode)\.([a-z_]+)\(`)

// TestTenTasksAtTheFirstAttempt covers a client that cuts descriptions: what it leaves has to be enough.
func TestTenTasksAtTheFirstAttempt(t *testing.T) {
	needNode(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	config := fiveServers(t, dir)
	steps := []step{{"do": "listUntil", "texts": []string{"get_sum", "read_text_file", "read_graph", "sequentialthinking", "hello: echo"}, "ms": 90000}}
	for _, task := range tenTasks {
		steps = append(steps, code(strings.ReplaceAll(task.program, "DIR", dir)))
	}
	answers := drive(t, map[string]string{"XDG_CACHE_HOME": t.TempDir()}, []string{"serve", "--config", config, "--description", "compact"}, steps...)
	head := []rune(answers[0]["tools"].([]any)[0].(map[string]any)["description"].(string))
	head = head[:min(len(head), codetool.CompactHead)]
	for i, task := range tenTasks {
		for _, name := range called.FindAllStringSubmatch(task.program, -1) {
			if !shown(string(head), name[1], name[2]) {
				t.Errorf("%s: %s.%s is not in the first %d characters:\n%s", task.task, name[1], name[2], codetool.CompactHead, string(head))
			}
		}
		got := text(answers[i+1])
		if isError(answers[i+1]) || !regexp.MustCompile(strings.ReplaceAll(task.want, "DIR", regexp.QuoteMeta(dir))).MatchString(got) {
			t.Errorf("%s: %s", task.task, got)
		}
	}
}

// shown reports whether a function stands in its namespace's line of a description, or is one of codemode's own.
func shown(head, namespace, name string) bool {
	if namespace == codetool.DefaultNamespace {
		return strings.Contains(head, namespace+"."+name+"(")
	}
	for _, line := range strings.Split(head, "\n") {
		if strings.HasPrefix(line, namespace) && regexp.MustCompile(`[ :]`+name+`\b`).MatchString(line) {
			return true
		}
	}
	return false
}

func fiveServers(t *testing.T, dir string) (file string) {
	bin, err := filepath.Abs("node_modules/.bin")
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]any{}
	for _, s := range realServers {
		switch s.namespace {
		case "filesystem":
			s.args = []string{dir}
		case "memory":
			s.env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.json")}
		case "everything", "thinking", "hello":
		default:
			continue
		}
		entries[s.namespace] = map[string]any{"command": "node", "args": append([]string{filepath.Join(bin, s.bin)}, s.args...), "env": s.env}
	}
	data, err := json.Marshal(map[string]any{"mcpServers": entries})
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), fmt.Sprintf("%d.json", len(entries)))
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
