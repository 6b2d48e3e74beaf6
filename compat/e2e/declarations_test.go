package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDeclarationsOfRealServersCompile gives the block of every captured server to the TypeScript compiler in strict
// mode: what the model is shown has to be TypeScript.
func TestDeclarationsOfRealServersCompile(t *testing.T) {
	needNode(t)
	lists, err := filepath.Glob("../../../shared/mcp-tools/*.json")
	if err != nil || len(lists) == 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("../shared/mcp-tools is not there")
		}
		t.Skip("../shared/mcp-tools is not there")
	}
	dir := t.TempDir()
	args := []string{"node_modules/.bin/tsc", "--strict", "--noEmit", "--skipLibCheck", "--target", "es2022", "--moduleDetection", "force"}
	for _, list := range lists {
		cmd := exec.Command(codemode, "types", "--namespace", "codemode", list)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		block, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", list, err, errs.String())
		}
		var tools struct{ Tools []json.RawMessage }
		if data, err := os.ReadFile(list); err != nil || json.Unmarshal(data, &tools) != nil {
			t.Fatalf("%s: %v", list, err)
		}
		if methods := strings.Count(string(block), "=> Promise<"); methods < len(tools.Tools) {
			t.Errorf("%s: %d tools, %d methods", list, len(tools.Tools), methods)
		}
		file := filepath.Join(dir, strings.TrimSuffix(filepath.Base(list), ".json")+".ts")
		if err := os.WriteFile(file, block, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	if out, err := exec.Command("node", args...).CombinedOutput(); err != nil {
		t.Errorf("tsc --strict: %v\n%.4000s", err, out)
	}
}
