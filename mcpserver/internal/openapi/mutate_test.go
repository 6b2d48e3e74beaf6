package openapi

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v4"
)

// TestMutatedDocuments puts null, lists, texts and references where a document has something else. Whatever it is then,
// reading ends, and each tool is JSON.
func TestMutatedDocuments(t *testing.T) {
	name := filepath.Join(t.TempDir(), "api.json")
	for _, from := range []string{"testdata/petstore30.txtar", "testdata/modern31.txtar"} {
		archive, err := txtar.ParseFile(from)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(150) {
			var document any
			if err := yaml.Unmarshal(archive.Files[0].Data, &document); err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(seed, 1))
			for range 1 + random.IntN(4) {
				at := random.IntN(count(document))
				document = mutate(document, &at, random)
			}
			text, err := json.Marshal(document)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, text, 0o600); err != nil {
				t.Fatal(err)
			}
			watchdog := time.AfterFunc(30*time.Second, func() { panic("does not end: " + string(text)) })
			api, err := Load(t.Context(), name, nil, &Options{BaseURL: "http://api.example"})
			watchdog.Stop()
			if err != nil {
				continue
			}
			for _, tool := range api.Tools() {
				if !json.Valid(tool) {
					t.Fatalf("%s\nmakes %s", text, tool)
				}
			}
		}
	}
}

func count(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			n += count(item)
		}
	case []any:
		for _, item := range v {
			n += count(item)
		}
	}
	return n + 1
}

// mutate replaces the value that at counts down to.
func mutate(v any, at *int, random *rand.Rand) any {
	if *at--; *at == -1 {
		return junk(random)
	}
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			if *at >= 0 {
				v[key] = mutate(v[key], at, random)
			}
		}
	case []any:
		for i := range v {
			if *at >= 0 {
				v[i] = mutate(v[i], at, random)
			}
		}
	}
	return v
}

func junk(random *rand.Rand) any {
	references := []string{"#", "#/", "#/paths", "#/components/schemas", "#/components/schemas/Pet", "#/components/schemas/Node",
		"#/components/parameters/Trace", "#/paths/~1pets", "#/paths/~1pets/get", "#/info/title", "api.json", "api.json#/paths", "none.yaml#/x", "http://h/x", "#x", ""}
	all := []any{nil, "text", "", 3.5, true, []any{}, []any{nil}, map[string]any{}, map[string]any{"": nil}, map[string]any{"$ref": nil}}
	if i := random.IntN(2 * len(all)); i < len(all) {
		return all[i]
	}
	return map[string]any{"$ref": references[random.IntN(len(references))]}
}
