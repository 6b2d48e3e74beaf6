package openapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// TestTools: each archive of testdata is a document with its files, what tools it becomes, and what is said about it.
func TestTools(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) < 5 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := toolsOf(t, archive)
			if *update {
				var kept []txtar.File
				for _, f := range archive.Files {
					if f.Name != "tools.json" && f.Name != "log" {
						kept = append(kept, f)
					}
				}
				archive.Files = append(kept, got...)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for _, f := range got {
				if d := cmp.Diff(string(content(archive, f.Name)), string(f.Data)); d != "" {
					t.Errorf("%s: %s", f.Name, d)
				}
			}
		})
	}
}

func content(archive *txtar.Archive, name string) []byte {
	for _, f := range archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func toolsOf(t *testing.T, archive *txtar.Archive) []txtar.File {
	dir := t.TempDir()
	for _, f := range archive.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	api, err := Load(t.Context(), filepath.Join(dir, archive.Files[0].Name), nil, &Options{Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	var tools bytes.Buffer
	list := api.Tools()
	if len(list) > 1 {
		list = list[:len(list)-1] // the last is the same for all
	}
	for _, tool := range list {
		if err := json.Indent(&tools, tool, "", " "); err != nil {
			t.Fatalf("%v in %s", err, tool)
		}
		tools.WriteByte('\n')
	}
	return []txtar.File{{Name: "tools.json", Data: tools.Bytes()}, {Name: "log", Data: bytes.ReplaceAll(log.Bytes(), []byte(dir), []byte("DIR"))}}
}
