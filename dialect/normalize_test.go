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
