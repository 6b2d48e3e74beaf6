package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "rewrite docs/configuration.md and docs/configuration.schema.json")

// TestReference keeps the documents in step with the tables that reading uses.
func TestReference(t *testing.T) {
	var schema bytes.Buffer
	if err := json.Indent(&schema, Schema(), "", "  "); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"../../docs/configuration.md":          Reference(),
		"../../docs/configuration.schema.json": schema.String() + "\n",
	} {
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, string(got)); d != "" {
			t.Errorf("%s is stale; go test ./mcpserver/config -run TestReference -update\n%s", file, d)
		}
	}
}

// TestSchemaAgreesWithReading: what the schema takes is read, and what it refuses inside "codemode" is refused.
func TestSchemaAgreesWithReading(t *testing.T) {
	schema := compiledSchema(t)
	for text, valid := range map[string]bool{
		`{"mcpServers": {"a": {"command": "a", "args": ["x", 1], "env": {"A": null}, "timeout": "30s"}}}`: true,
		`{"mcpServers": {"a": {"command": "a"}}, "codemode": {"timeout": "1m30s", "toolCalls": 3}}`:       true,
		`{"mcpServers": {"a": {"command": "a"}}, "codemode": {"timeout": "-1s"}}`:                         false,
		`{"mcpServers": {"a": {"command": "a"}}, "codemode": {"timeout": 1.5}}`:                           false,
		`{"mcpServers": {"a": {"command": "a"}}, "codemode": {"timeout": ""}}`:                            false,
		`{"mcpServers": {"a": {"command": "a"}}, "codemode": {"outbound": "open"}}`:                       false,
		`{"mcpServers": {"a": {"command": "a"}}, "codemode": {"memoryMB": 0}}`:                            false,
		`{"mcpServers": {"a": {"command": "a"}}, "codemode": {"preamble": 3}}`:                            false,
		`{"mcpServers": {"a": {"command": "a"}}, "codemode": []}`:                                         false,
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); (err == nil) != valid {
			t.Errorf("the schema on %s: %v", text, err)
		}
		if _, err := Parse("f.json", []byte(text), environment()); (err == nil) != valid {
			t.Errorf("reading %s: %v", text, err)
		}
	}
}

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(SchemaID, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(SchemaID)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
