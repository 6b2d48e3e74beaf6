package typegen_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/typegen"
)

var update = flag.Bool("update", false, "write the golden files")

const (
	toolsHeader    = "-- tools.json --\n"
	blockHeader    = "-- want.ts --\n"
	warningsHeader = "-- warnings.txt --\n"
)

// goldenFile is an archive in txtar form: a comment, the tools to print, and
// behind them what they print as and what is warned about.
type goldenFile struct {
	path     string
	text     string
	given    string // the comment and the tools as they stand
	printing []typegen.Tool
}

func goldenFiles(t testing.TB) []goldenFile {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "golden", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	files := make([]goldenFile, len(paths))
	for i, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[i] = goldenFile{path: path, text: string(raw)}
		files[i].given, _, _ = strings.Cut(files[i].text, blockHeader)
		_, tools, _ := strings.Cut(files[i].given, toolsHeader)
		if err := json.Unmarshal([]byte(tools), &files[i].printing); err != nil {
			t.Fatalf("%s: tools.json: %v", path, err)
		}
	}
	return files
}

func TestGolden(t *testing.T) {
	for _, file := range goldenFiles(t) {
		block := typegen.Generate("codemode", file.printing)
		if err := checkTypeScript(block.String()); err != nil {
			t.Errorf("%s: %v", file.path, err)
		}
		printed := file.given + blockHeader + block.String() + "\n"
		for i, w := range block.Warnings {
			if i == 0 {
				printed += warningsHeader
			}
			printed += fmt.Sprintf("%s %s: %s\n", w.Tool, w.Path, w.Message)
		}
		if *update {
			if err := os.WriteFile(file.path, []byte(printed), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if diff := cmp.Diff(file.text, printed); diff != "" {
			t.Errorf("%s (-golden +ours):\n%s", file.path, diff)
		}
	}
}
