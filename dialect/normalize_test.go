package dialect

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
)

// readJSONLines decodes the file at path, one JSON value a line.
func readJSONLines[T any](t *testing.T, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var values []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("%s, line %d: %v", path, len(values)+1, err)
		}
		values = append(values, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return values
}

// TestNormalizeCodeAgainstUpstream compares with what upstream's normalizeCode
// (0.5.6, with acorn 8.19) answered, import blocks aside: one [code, text] pair
// a line. CODEMODE_NORMALIZE_CORPUS names another file to compare with.
func TestNormalizeCodeAgainstUpstream(t *testing.T) {
	path := "testdata/normalize.jsonl"
	if other := os.Getenv("CODEMODE_NORMALIZE_CORPUS"); other != "" {
		path = other
	}
	pairs := readJSONLines[[2]string](t, path)
	for i, p := range pairs {
		if got := NormalizeCode(p[0]); got != p[1] {
			t.Errorf("line %d: NormalizeCode(%q)\n got %q\nwant %q", i+1, p[0], got, p[1])
		}
	}
	if len(pairs) < 500 {
		t.Errorf("%s holds %d snippets, want at least 500", path, len(pairs))
	}
}
