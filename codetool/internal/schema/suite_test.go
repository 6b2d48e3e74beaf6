package schema

import (
	"bytes"
	"encoding/json"
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	oracle "github.com/santhosh-tekuri/jsonschema/v6"
)

// suiteCase is one schema of the official JSON Schema Test Suite, and values for it.
type suiteCase struct {
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []struct {
		Description string          `json:"description"`
		Data        json.RawMessage `json:"data"`
		Valid       bool            `json:"valid"`
	} `json:"tests"`
}

// suiteDir is where google/jsonschema-go, which mcp-go needs, has the official suite for drafts 7 and 2020-12.
func suiteDir(t *testing.T) string {
	t.Helper()
	pkg, err := build.Import("github.com/google/jsonschema-go/jsonschema", ".", build.FindOnly)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(pkg.Dir, "testdata")
}

func loadSuite(t *testing.T, draft string) map[string][]suiteCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(suiteDir(t), draft, "*.json"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files of the suite, %v", len(files), err)
	}
	suite := map[string][]suiteCase{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []suiteCase
		if err := json.Unmarshal(raw, &cases); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		suite[strings.TrimSuffix(filepath.Base(file), ".json")] = cases
	}
	return suite
}

// outOfReach is how many schemas of the suite refer to other documents, which are never loaded.
const outOfReach = 9

// Outside of what this package does on purpose, namely to load nothing and to assert no format, the suite passes whole.
func TestSuite(t *testing.T) {
	skipped := 0
	for draft, dialect := range map[string]string{
		"draft7": "http://json-schema.org/draft-07/schema#", "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
	} {
		for name, cases := range loadSuite(t, draft) {
			if name == "refRemote" || name == "format" {
				continue
			}
			for _, c := range cases {
				document := withDialect(t, c.Schema, dialect)
				schema, err := Compile(document)
				if err != nil {
					t.Errorf("%s/%s: %s: %v", draft, name, c.Description, err)
					continue
				}
				if leavesDocument(schema) {
					t.Logf("%s/%s: %s: %s", draft, name, c.Description, schema.Warnings())
					skipped++
					continue
				}
				for _, test := range c.Tests {
					if got := verdict(t, schema, test.Data); got != test.Valid {
						t.Errorf("%s/%s: %s: %s: valid=%v, want %v", draft, name, c.Description, test.Description, got, test.Valid)
					}
				}
			}
		}
	}
	if skipped != outOfReach {
		t.Errorf("%d schemas were out of reach, %d are known to be", skipped, outOfReach)
	}
}

// leavesDocument reports whether a schema needs one that is not in it.
func leavesDocument(schema *Schema) bool {
	return slices.ContainsFunc(schema.Warnings(), func(w string) bool { return strings.Contains(w, "leads to no schema of this document") })
}

func verdict(t *testing.T, schema *Schema, data []byte) bool {
	t.Helper()
	value, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	problems, complete := schema.Check(value)
	if !complete {
		t.Error("the check was given up")
	}
	return len(problems) == 0
}

// The drafts that the suite at hand leaves out are compared with another implementation, on the schemas of draft 7.
func TestOtherDraftsAgree(t *testing.T) {
	compared := 0
	for _, dialect := range []string{
		"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#", "https://json-schema.org/draft/2019-09/schema",
	} {
		for name, cases := range loadSuite(t, "draft7") {
			if name == "refRemote" || name == "format" {
				continue
			}
			for _, c := range cases {
				document := withDialect(t, c.Schema, dialect)
				if usesLaterKeywords(document, dialect) {
					continue
				}
				want, err := compileOracle(document)
				if err != nil {
					continue
				}
				schema, err := Compile(document)
				if err != nil {
					t.Errorf("%s: %s: %v", name, c.Description, err)
					continue
				}
				if leavesDocument(schema) {
					continue
				}
				for _, test := range c.Tests {
					value, _ := oracle.UnmarshalJSON(bytes.NewReader(test.Data))
					compared++
					if got, want := verdict(t, schema, test.Data), want.Validate(value) == nil; got != want {
						t.Errorf("%s: %s: %s: %s: valid=%v, want %v", dialect, name, c.Description, test.Description, got, want)
					}
				}
			}
		}
	}
	if compared < 1000 {
		t.Errorf("only %d values compared", compared)
	}
}

// withDialect is a schema that says which draft it is of; a boolean cannot.
func withDialect(t *testing.T, schema []byte, dialect string) []byte {
	t.Helper()
	var object map[string]any
	if json.Unmarshal(schema, &object) != nil || object == nil {
		return schema
	}
	object["$schema"] = dialect
	if id, ok := object["$id"]; ok && strings.Contains(dialect, "draft-04") {
		object["id"] = id
	}
	out, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// usesLaterKeywords reports whether an old dialect would have to ignore what a schema says. This package does not: a
// server that declares draft 4 and writes const means it.
func usesLaterKeywords(document []byte, dialect string) bool {
	later := []string{`"if"`, `"then"`, `"else"`}
	if strings.Contains(dialect, "draft-04") {
		later = append(later, `"const"`, `"contains"`, `"propertyNames"`, `"exclusive`, `:true`, `:false`, `"$id"`)
	}
	for _, keyword := range later {
		if bytes.Contains(document, []byte(keyword)) && !strings.Contains(dialect, "2019") {
			return true
		}
	}
	return false
}

type nothingElse struct{}

func (nothingElse) Load(url string) (any, error) { return nil, os.ErrNotExist }

func compileOracle(document []byte) (*oracle.Schema, error) {
	value, err := oracle.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, err
	}
	compiler := oracle.NewCompiler()
	compiler.UseLoader(nothingElse{})
	if err := compiler.AddResource(rootURI, value); err != nil {
		return nil, err
	}
	return compiler.Compile(rootURI)
}
