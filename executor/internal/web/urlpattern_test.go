//go:build cgo && (linux || darwin)

package web_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/codemode-go/codemode/executor/internal/web/webtest"
)

// TestURLPattern runs the web platform tests' data: patterns, what they normalise to, what they match.
func TestURLPattern(t *testing.T) {
	var rows []json.RawMessage
	if err := json.Unmarshal(shared(t, "wpt", "urlpatterntestdata.json"), &rows); err != nil {
		t.Fatal(err)
	}
	check, err := os.ReadFile(filepath.Join("testdata", "urlpattern.js"))
	if err != nil {
		t.Fatal(err)
	}
	h := webtest.New(t, nil)
	for _, row := range rows {
		if bytes.HasPrefix(row, []byte(`"`)) {
			continue // a comment
		}
		if got := h.Await("(" + string(check) + ")(" + string(row) + ")"); got != "[]" {
			t.Errorf("%s: %s", row, got)
		}
	}
}
