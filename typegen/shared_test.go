package typegen_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codemode-go/codemode/typegen"
)

// sharedDir returns a directory of the repository's sibling "shared".
func sharedDir(t testing.TB, name string) string {
	t.Helper()
	dir := filepath.Join("..", "..", "shared", name)
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("the shared inputs are not beside the repository: ", err)
	}
	return dir
}

// server is one recorded tools/list answer.
type server struct {
	file  string
	tools []typegen.Tool
}

func servers(t testing.TB) []server {
	t.Helper()
	dir := sharedDir(t, "mcp-tools")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded servers in %s: %v", dir, err)
	}
	var all []server
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list struct {
			Tools []struct {
				Name, Description         string
				InputSchema, OutputSchema json.RawMessage
			}
		}
		if err := json.Unmarshal(raw, &list); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		s := server{file: filepath.Base(file)}
		for _, tool := range list.Tools {
			s.tools = append(s.tools, typegen.Tool{
				Name: tool.Name, Description: tool.Description,
				InputSchema: tool.InputSchema, OutputSchema: tool.OutputSchema,
			})
		}
		all = append(all, s)
	}
	return all
}

func TestServersPrintSoundly(t *testing.T) {
	for _, s := range servers(t) {
		block := typegen.Generate("codemode", s.tools)
		text := block.String()
		if again := typegen.Generate("codemode", s.tools).String(); again != text {
			t.Errorf("%s: two runs print different bytes", s.file)
		}
		if err := checkTypeScript(text); err != nil {
			t.Errorf("%s: %v", s.file, err)
		}
		leftOut := 0
		for _, w := range block.Warnings {
			t.Logf("%s: %s %s: %s", s.file, w.Tool, w.Path, w.Message)
			if w.Path == "name" {
				leftOut++
			}
		}
		if len(block.Tools)+leftOut != len(s.tools) {
			t.Errorf("%s: %d of %d tools are declared and %d left out", s.file, len(block.Tools), len(s.tools), leftOut)
		}
	}
}

func TestServersTogetherShareNoTypeName(t *testing.T) {
	var namespaces []typegen.Namespace
	for _, s := range servers(t) {
		namespaces = append(namespaces, typegen.Namespace{Name: strings.TrimSuffix(s.file, ".json"), Tools: s.tools})
	}
	var whole strings.Builder
	for _, block := range typegen.GenerateAll(namespaces...) {
		whole.WriteString(block.String() + "\n")
	}
	if err := checkTypeScript(whole.String()); err != nil {
		t.Error(err)
	}
}

func BenchmarkGenerate(b *testing.B) {
	all := servers(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range all {
			_ = typegen.Generate("codemode", s.tools).String()
		}
	}
}

// All servers behind one tool, as GenerateAll prints them: some 1,500 tools.
func BenchmarkGenerateAll(b *testing.B) {
	var namespaces []typegen.Namespace
	for _, s := range servers(b) {
		namespaces = append(namespaces, typegen.Namespace{Name: strings.TrimSuffix(s.file, ".json"), Tools: s.tools})
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, block := range typegen.GenerateAll(namespaces...) {
			_ = block.String()
		}
	}
}
