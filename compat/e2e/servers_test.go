package e2e

import (
	"encoding/json"
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

// TestElevenRealServersStartTogether covers what people have: many servers behind one configuration, some of which cannot
// reach their service. One program reaches across them, and none outlives the client.
func TestElevenRealServersStartTogether(t *testing.T) {
	needNode(t)
	bin, err := filepath.Abs("node_modules/.bin")
	if err != nil {
		t.Fatal(err)
	}
	entries, declared := map[string]any{}, []string(nil)
	for _, s := range realServers {
		if s.namespace == "memory" {
			s.env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.json")}
		}
		entries[s.namespace] = map[string]any{"command": "node", "args": append([]string{filepath.Join(bin, s.bin)}, s.args...), "env": s.env}
		declared = append(declared, "declare const "+s.namespace+": {", s.function)
	}
	data, err := json.Marshal(map[string]any{"mcpServers": entries})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	answers := drive(t, map[string]string{"XDG_CACHE_HOME": t.TempDir()}, []string{"serve", "--config", file, "--description", "full", "--budget", "500000"},
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
