package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// realServers are npm packages of different authors, each with what it needs to start without a network, and one of its
// functions.
var realServers = []struct {
	namespace, bin string
	args           []string
	env            map[string]string
	function       string
}{
	{"everything", "mcp-server-everything", nil, nil, "get_sum"},
	{"filesystem", "mcp-server-filesystem", []string{"."}, nil, "read_text_file"},
	{"memory", "mcp-server-memory", nil, nil, "read_graph"},
	{"thinking", "mcp-server-sequential-thinking", nil, nil, "sequentialthinking"},
	{"github", "mcp-server-github", nil, map[string]string{"GITHUB_PERSONAL_ACCESS_TOKEN": "none"}, "search_repositories"},
	{"slack", "mcp-server-slack", nil, map[string]string{"SLACK_BOT_TOKEN": "none", "SLACK_TEAM_ID": "none"}, "slack_list_channels"},
	{"maps", "mcp-server-google-maps", nil, map[string]string{"GOOGLE_MAPS_API_KEY": "none"}, "maps_geocode"},
	{"postgres", "mcp-server-postgres", []string{"postgresql://127.0.0.1:1/none"}, nil, "query"},
	{"chart", "mcp-server-chart", nil, nil, "generate_bar_chart"},
	{"airtable", "airtable-mcp-server", nil, map[string]string{"AIRTABLE_API_KEY": "none"}, "list_bases"},
	{"hello", "mcp-hello-world", nil, nil, "echo"},
}

// allServers are the entries of all of them, and what a description with all of them declares.
func allServers(t *testing.T) (entries map[string]any, declared []string) {
	t.Helper()
	needNode(t)
	bin, err := filepath.Abs("node_modules/.bin")
	if err != nil {
		t.Fatal(err)
	}
	entries = map[string]any{}
	for _, s := range realServers {
		if s.namespace == "memory" {
			s.env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.json")}
		}
		entries[s.namespace] = map[string]any{"command": "node", "args": append([]string{filepath.Join(bin, s.bin)}, s.args...), "env": s.env}
		declared = append(declared, "declare const "+s.namespace+": {", s.function)
	}
	return entries, declared
}

// configText is a configuration file.
func configText(t *testing.T, servers, settings map[string]any) string {
	t.Helper()
	if settings == nil {
		settings = map[string]any{}
	}
	data, err := json.Marshal(map[string]any{"mcpServers": servers, "codemode": settings})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// serveAll are the arguments that serve a file with declarations of all of its servers.
func serveAll(file string) []string {
	return []string{"serve", "--config", file, "--description", "full", "--budget", "500000"}
}

// TestElevenRealServersStartTogether covers what people have: many servers behind one configuration, some of which cannot
// reach their service. One program reaches across them, and none outlives the client.
func TestElevenRealServersStartTogether(t *testing.T) {
	entries, declared := allServers(t)
	file := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, []byte(configText(t, entries, nil)), 0o600); err != nil {
		t.Fatal(err)
	}
	answers := drive(t, map[string]string{"XDG_CACHE_HOME": t.TempDir()}, serveAll(file),
		step{"do": "listUntil", "texts": declared, "ms": 90000},
		code(`async () => {
			const settled = await Promise.allSettled([
				everything.get_sum({ a: 40, b: 2 }), filesystem.list_allowed_directories({}), memory.read_graph({}),
				thinking.sequentialthinking({ thought: "one", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }),
				hello.echo({ message: "hi" }), postgres.query({ sql: "SELECT 1" }),
			]);
			return settled.map((s) => s.status).join(" ");
		}`),
	)
	if got := text(answers[1]); isError(answers[1]) || !strings.HasPrefix(got, "fulfilled fulfilled fulfilled fulfilled fulfilled rejected") {
		t.Errorf("one program over six servers: %s", got)
	}
}

// TestADayOfElevenRealServers is what happens to a proxy while it runs: a person is asked, a program is cancelled, a server is killed, the
// file changes, and the whole is started again.
func TestADayOfElevenRealServers(t *testing.T) {
	entries, declared := allServers(t)
	asks := map[string]any{"policy": map[string]any{"rules": []any{map[string]any{"action": "ask", "server": "memory", "tool": "create_*", "reason": "it is kept"}}}}
	file, before := filepath.Join(t.TempDir(), "mcp.json"), configText(t, entries, asks)
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	fewer := maps.Clone(entries)
	delete(fewer, "slack")
	delete(fewer, "maps")
	long := code(`async () => everything.trigger_long_running_operation({ duration: 60, steps: 60 })`)
	long["cancelAfterMs"] = 700
	sum := code(`async () => [typeof slack, await hello.echo({ message: "hi" }), await everything.get_sum({ a: 40, b: 2 })].join()`)
	accept := map[string]any{"action": "accept", "content": map[string]any{"allow": "for this run"}}
	answers := driveAnswering(t, accept, map[string]string{"XDG_CACHE_HOME": t.TempDir()}, serveAll(file),
		step{"do": "listUntil", "texts": declared, "ms": 90000},
		code(`async () => {
			for (const name of ["a", "b"]) await memory.create_entities({ entities: [{ name, entityType: "t", observations: [] }] });
			return (await memory.read_graph({})).entities.length;
		}`),
		step{"do": "notifications"},
		long, sum,
		step{"do": "kill", "match": "mcp-hello-world"}, sum, sum,
		step{"do": "write", "file": file, "text": configText(t, fewer, nil)},
		step{"do": "listUntil", "texts": []string{"declare const hello: {"}, "without": []string{"declare const slack: {", "declare const maps: {"}, "ms": 60000},
		sum,
		step{"do": "write", "file": file, "text": before},
		step{"do": "listUntil", "texts": declared, "ms": 60000},
		step{"do": "restart"},
		step{"do": "listUntil", "texts": declared, "ms": 0},
		sum,
	)
	if got := text(answers[1]); isError(answers[1]) || got != "2" {
		t.Errorf("a program that a person allowed: %s", got)
	}
	asked, _ := answers[2]["asked"].([]any)
	if len(asked) != 1 || !strings.Contains(asked[0].(string), "memory.create_entities") || !strings.Contains(asked[0].(string), `"name": "a"`) || !strings.Contains(asked[0].(string), "it is kept") {
		t.Errorf("a person was asked %q", asked)
	}
	if answers[3]["threw"] == nil {
		t.Errorf("not cancelled: %v", answers[3])
	}
	if answers[5]["killed"] != 1.0 {
		t.Errorf("killed %v processes", answers[5]["killed"])
	}
	// The first call after the kill may find out that the server has gone.
	for i, want := range map[int]string{4: "object,", 7: "object,", 10: "undefined,", 15: "object,"} {
		if got := text(answers[i]); isError(answers[i]) || !strings.HasPrefix(got, want) || !strings.Contains(got, "hi") || !strings.Contains(got, "42") {
			t.Errorf("step %d: %s", i, got)
		}
	}
	if left := answers[13]["left"].([]any); len(left) != 0 {
		t.Errorf("processes outlived the server: %v", left)
	}
	for _, i := range []int{12, 14} { // the second from the cache, at once
		description := answers[i]["tools"].([]any)[0].(map[string]any)["description"].(string)
		for _, want := range declared {
			if !strings.Contains(description, want) {
				t.Errorf("step %d: the description lacks %q", i, want)
			}
		}
	}
}
