package codetool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// schemaURL is where a tool's schema is compiled under; nothing is ever loaded from it.
const schemaURL = "tool:///input.json"

// validator checks the arguments of one tool. Its schema is compiled with the first call, since most tools of a large
// catalogue are never called.
type validator struct {
	tool    *boundTool
	compile func() compiled
}

// compiled is a schema ready for use; nil when there is nothing to check against.
type compiled struct {
	schema   *jsonschema.Schema
	document any
}

func newValidator(tool *boundTool) *validator {
	v := &validator{tool: tool}
	v.compile = sync.OnceValue(v.compileOnce)
	return v
}

// check returns what is wrong with the arguments, worded for the model that wrote them.
func (v *validator) check(arguments json.RawMessage) error {
	compiled := v.compile()
	if compiled.schema == nil {
		return nil
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
	if err != nil {
		return fmt.Errorf("the arguments of %s.%s are no JSON: %w", v.tool.namespace, v.tool.identifier, err)
	}
	err = compiled.schema.Validate(instance)
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) && !blamesSchema(invalid) {
		return errors.New(explainInvalid(v.tool, invalid, compiled.document, instance))
	}
	if err != nil { // the schema itself cannot be followed, as when a $ref leads back to itself
		v.tool.options.Logger.Warn("the input schema cannot be applied; the call goes unchecked",
			"provider", v.tool.provider, "tool", v.tool.Name, "error", err)
	}
	return nil
}

// blamesSchema reports whether a complaint is about the schema, which leads back to itself, and not about the arguments.
func blamesSchema(complaint *jsonschema.ValidationError) bool {
	_, cycle := complaint.ErrorKind.(*kind.RefCycle)
	return cycle || slices.ContainsFunc(complaint.Causes, blamesSchema)
}

// compileOnce compiles the tool's schema. One that does not compile must not take the tool away: its server knows best
// what it takes.
func (v *validator) compileOnce() compiled {
	if len(bytes.TrimSpace(v.tool.InputSchema)) == 0 {
		return compiled{}
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(v.tool.InputSchema))
	if err == nil && document == nil { // null is how some servers say that there is none
		return compiled{}
	}
	var schema *jsonschema.Schema
	if err == nil {
		document = allowNullable(document)
		schema, err = compileAny(document)
	}
	if err != nil {
		v.tool.options.Logger.Warn("the input schema does not compile; calls go unchecked",
			"provider", v.tool.provider, "tool", v.tool.Name, "error", err)
	}
	return compiled{schema, document}
}

// compileAny reads a schema as 2020-12, and when it is none, as the older drafts that servers still write without
// saying so. A $schema decides for itself. The error is that of the first attempt.
func compileAny(document any) (*jsonschema.Schema, error) {
	var first error
	for _, draft := range []*jsonschema.Draft{jsonschema.Draft2020, jsonschema.Draft7, jsonschema.Draft4} {
		schema, err := compileAs(draft, document)
		if err == nil {
			return schema, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

func compileAs(draft *jsonschema.Draft, document any) (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(draft)
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(lenientRegexp)
	for _, format := range assertedFormats() {
		compiler.RegisterFormat(&jsonschema.Format{Name: format, Validate: func(any) error { return nil }})
	}
	if err := compiler.AddResource(schemaURL, document); err != nil {
		return nil, err
	}
	return compiler.Compile(schemaURL)
}

// assertedFormats lists the formats that drafts up to 7 assert by default. They are annotations here whatever the
// draft: servers take dates and addresses in more spellings than the format has.
func assertedFormats() []string {
	return []string{
		"date", "time", "date-time", "duration", "period", "email", "hostname", "ipv4", "ipv6", "uuid", "semver",
		"uri", "iri", "uri-reference", "iri-reference", "uri-template", "json-pointer", "relative-json-pointer",
	}
}

// noLoader refuses to fetch a schema from anywhere.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("the schema refers to %s, which is not loaded", url)
}

// anyText is the pattern that stands in for one that Go cannot read.
type anyText string

func (p anyText) String() string          { return string(p) }
func (p anyText) MatchString(string) bool { return true }

// lenientRegexp compiles a pattern. JavaScript's have look-around and back references, Go's have not; those pass.
func lenientRegexp(pattern string) (jsonschema.Regexp, error) {
	if compiled, err := regexp.Compile(pattern); err == nil {
		return compiled, nil
	}
	return anyText(pattern), nil
}

// allowNullable rewrites OpenAPI's nullable, which declarations print as "| null", in terms of JSON Schema.
func allowNullable(schema any) any {
	object, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	for key, value := range object {
		switch key {
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			if schemas, ok := value.(map[string]any); ok {
				for name, schema := range schemas {
					schemas[name] = allowNullable(schema)
				}
			}
		case "items", "prefixItems", "additionalItems", "additionalProperties", "anyOf", "oneOf", "allOf", "not", "if",
			"then", "else", "contains", "unevaluatedItems", "unevaluatedProperties":
			object[key] = allowNullableIn(value)
		}
	}
	if object["nullable"] != true {
		return object
	}
	delete(object, "nullable")
	return map[string]any{"anyOf": []any{map[string]any{"type": "null"}, object}}
}

func allowNullableIn(value any) any {
	list, ok := value.([]any)
	if !ok {
		return allowNullable(value)
	}
	for i := range list {
		list[i] = allowNullable(list[i])
	}
	return list
}
