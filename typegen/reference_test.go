package typegen_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/typegen"
)

func readReference(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "reference", name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestReferenceSchemas compares with what the reference prints for schemas it
// prints soundly and in full.
func TestReferenceSchemas(t *testing.T) {
	var recorded []struct {
		Schema json.RawMessage
		Block  string
	}
	if err := json.Unmarshal(readReference(t, "schemas.json"), &recorded); err != nil {
		t.Fatal(err)
	}
	for _, r := range recorded {
		got := typegen.GenerateTool("codemode", typegen.Tool{Name: "t", Description: "d", InputSchema: r.Schema}).String()
		if diff := cmp.Diff(r.Block, got); diff != "" {
			t.Errorf("%s (-reference +ours):\n%s", r.Schema, diff)
		}
	}
}

// TestReferenceServers compares with what the reference prints for the tools of
// real servers. Where it does not agree, differs.txt has to say why, and only
// there. Servers that are not recorded are passed over.
func TestReferenceServers(t *testing.T) {
	var recorded [][3]string
	if err := json.Unmarshal(readReference(t, "mcp-tools.json"), &recorded); err != nil {
		t.Fatal(err)
	}
	hashes := map[string]string{}
	for _, r := range recorded {
		hashes[r[0]+" "+r[1]] = r[2]
	}
	reasons := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(readReference(t, "differs.txt"))); lines.Scan(); {
		if key, reason, ok := strings.Cut(lines.Text(), ": "); ok && !strings.HasPrefix(key, "#") {
			reasons[key] = reason
		}
	}
	compared := 0
	for _, s := range servers(t) {
		for _, tool := range s.tools {
			key := s.file + " " + tool.Name
			want, ok := hashes[key]
			if !ok {
				continue
			}
			compared++
			sum := sha256.Sum256([]byte(typegen.GenerateTool("codemode", tool).String()))
			same := hex.EncodeToString(sum[:])[:len(want)] == want
			if same == (reasons[key] != "") {
				t.Errorf("%s: same as the reference: %v, known reason to differ: %q", key, same, reasons[key])
			}
		}
	}
	if compared != len(hashes) {
		t.Errorf("%d of %d recorded tools are compared", compared, len(hashes))
	}
}

// TestSeedBlock prints the tools of the page "Agent loop with the AI SDK". The
// page shows a tab as two spaces and an empty line as two.
func TestSeedBlock(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(sharedDir(t, "seeds"), "004*.txt"))
	if err != nil || len(pages) != 1 {
		t.Fatalf("pages %v: %v", pages, err)
	}
	page, err := os.ReadFile(pages[0])
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(page), "\nAvailable:\n")
	want, _, ok := strings.Cut(after, "\n\n\nWrite an async arrow function")
	if !ok {
		t.Fatal("the page has no block of types")
	}
	got := typegen.Generate("codemode", []typegen.Tool{
		{
			Name:        "listUsers",
			Description: "Every user this host knows about.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
		},
		{
			Name:        "listOrders",
			Description: "Orders belonging to one user.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{"userId":{"type":"string",
				"description":"The id of the user whose orders to return."}},"required":["userId"],"additionalProperties":false}`),
		},
	}).String()
	shown := strings.NewReplacer("\t", "  ", "\n\n", "\n\n\n").Replace(got)
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("block (-page +ours):\n%s", diff)
	}
}
