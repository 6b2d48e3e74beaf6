package config

import (
	"fmt"
	"strings"

	"github.com/codemode-go/codemode/protocol"
)

// SchemaID is the schema's own name. Nothing is served there.
const SchemaID = "https://github.com/codemode-go/codemode/docs/configuration.schema.json"

// Schema is the JSON Schema (draft 2020-12) of a file of ours, for editors: the servers, with the hosts' spellings of
// their members, and the "codemode" object. Keys that are not known stay allowed, because a host keeps its own settings in the
// same file; inside "codemode" they are not.
func Schema() []byte {
	entry := objectSchema(serverFields, true)
	top := protocol.Object{{Key: "$schema", Value: protocol.Object{{Key: "type", Value: "string"}}}}
	for _, m := range serverMaps {
		if m.key == "mcp" { // of opencode, which VS Code's settings have for something else
			continue
		}
		top = append(top, protocol.Member{Key: m.key, Value: protocol.Object{
			{Key: "description", Value: "Servers by name, as written by " + m.host + "."},
			{Key: "type", Value: "object"},
			{Key: "additionalProperties", Value: protocol.Object{{Key: "$ref", Value: "#/$defs/server"}}},
		}})
	}
	own := objectSchema(settingFields, false)
	top = append(top, protocol.Member{Key: "codemode", Value: append(protocol.Object{{Key: "description", Value: "Settings of codemode itself."}}, own...)})
	text, err := protocol.RenderJSON(protocol.Object{
		{Key: "$schema", Value: "https://json-schema.org/draft/2020-12/schema"},
		{Key: "$id", Value: SchemaID},
		{Key: "title", Value: "codemode configuration"},
		{Key: "type", Value: "object"},
		{Key: "properties", Value: top},
		{Key: "$defs", Value: protocol.Object{{Key: "server", Value: entry}}},
	}, nil)
	if err != nil {
		panic("config: the tables of fields are no JSON: " + err.Error()) // they are texts and numbers
	}
	return text
}

// objectSchema is the schema of an object with these members; open allows others.
func objectSchema(fields []field, open bool) protocol.Object {
	properties := protocol.Object{}
	for _, f := range fields {
		properties = append(properties, protocol.Member{Key: f.key, Value: f.schema(f.doc, open)})
		for _, alias := range f.aliases {
			properties = append(properties, protocol.Member{Key: alias, Value: f.schema("The same as "+f.key+".", open)})
		}
	}
	schema := protocol.Object{{Key: "type", Value: "object"}, {Key: "properties", Value: properties}}
	if !open {
		schema = append(schema, protocol.Member{Key: "additionalProperties", Value: false})
	}
	return schema
}

func (f *field) schema(doc string, open bool) protocol.Object {
	if f.standard != "" {
		doc = fmt.Sprintf("%s Default: %s.", doc, f.standard)
	}
	schema := protocol.Object{{Key: "description", Value: doc}}
	text := protocol.Object{{Key: "type", Value: "string"}}
	scalar := protocol.Object{{Key: "type", Value: []string{"string", "number", "boolean"}}}
	list := protocol.Object{{Key: "type", Value: "array"}, {Key: "items", Value: scalar}}
	switch f.shape {
	case shapeString:
		if len(f.values) > 0 {
			return append(schema, protocol.Member{Key: "enum", Value: f.values})
		}
		return append(schema, text...)
	case shapeCommand:
		return append(schema, protocol.Member{Key: "anyOf", Value: []any{text, list}})
	case shapeList:
		return append(schema, list...)
	case shapeMap:
		return append(schema, protocol.Object{{Key: "type", Value: "object"}, {Key: "additionalProperties",
			Value: protocol.Object{{Key: "type", Value: []string{"string", "number", "boolean", "null"}}}}}...)
	case shapeDuration:
		return append(schema, protocol.Member{Key: "anyOf", Value: []any{
			protocol.Object{{Key: "type", Value: "string"}, {Key: "pattern", Value: `^\s*\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))*\s*$`}},
			protocol.Object{{Key: "type", Value: "integer"}, {Key: "minimum", Value: 1}},
		}})
	case shapeCount:
		return append(schema, protocol.Object{{Key: "type", Value: "integer"}, {Key: "minimum", Value: 1}, {Key: "maximum", Value: f.bound()}}...)
	case shapeBool:
		return append(schema, protocol.Member{Key: "type", Value: "boolean"})
	case shapeObjects:
		return append(schema, protocol.Object{{Key: "type", Value: "array"}, {Key: "items", Value: objectSchema(f.fields, open)}}...)
	default:
		return append(schema, objectSchema(f.fields, open)...)
	}
}

// Reference is docs/configuration.md: every member of a file, from the same tables that reading uses.
func Reference() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	b.WriteString("\n## Where the servers are\n\n| key | written by |\n|---|---|\n")
	for _, m := range serverMaps {
		fmt.Fprintf(&b, "| `%s` | %s |\n", m.key, m.host)
	}
	b.WriteString("\n## A server's entry\n\n")
	b.WriteString(tableHead)
	writeRows(&b, "", serverFields)
	b.WriteString("\n## The `codemode` object\n\n")
	b.WriteString(tableHead)
	writeRows(&b, "", settingFields)
	b.WriteString(referenceTail)
	return b.String()
}

const tableHead = "| member | value | default | what it is |\n|---|---|---|---|\n"

// writeRows writes a row for each field, and for the fields of each.
func writeRows(b *strings.Builder, prefix string, fields []field) {
	for _, f := range fields {
		doc := f.doc
		if len(f.aliases) > 0 {
			doc += " Also written `" + strings.Join(f.aliases, "`, `") + "`."
		}
		fmt.Fprintf(b, "| `%s%s` | %s | %s | %s |\n", prefix, f.key, f.valueText(), f.standard, strings.ReplaceAll(doc, "|", `\|`))
		suffix := map[shape]string{shapeObject: ".", shapeObjects: "[]."}[f.shape]
		writeRows(b, prefix+f.key+suffix, f.fields)
	}
}

func (f *field) valueText() string {
	switch f.shape {
	case shapeString:
		if len(f.values) > 0 {
			return "`\"" + strings.Join(f.values, "\"`, `\"") + "\"`"
		}
		return "text"
	case shapeCommand:
		return "text, or a list of them"
	case shapeList:
		return "list of texts"
	case shapeMap:
		return "object of texts"
	case shapeDuration:
		return "`\"30s\"`, or milliseconds"
	case shapeCount:
		return "whole number"
	case shapeBool:
		return "`true`, `false`"
	case shapeObjects:
		return "list of objects"
	}
	return "object"
}

const referenceHead = `# Configuration

<!-- Written by "go test ./mcpserver/config -run TestReference -update" from the tables that reading uses. -->

A file is JSON (comments and trailing commas are allowed), TOML (` + "`.toml`) or YAML (`.yaml`, `.yml`" + `). ` + "`codemode schema`" + ` prints its
JSON Schema. Several ` + "`--config`" + ` merge: of two servers with one name the later file's counts, with a warning; of two settings
the later one. A server that is wrong is named with file, line, column and field, and the others work; a setting that is
wrong is an error.
`

const referenceTail = `
Durations are texts such as ` + "`\"30s\"` or `\"5m\"`" + `, or a whole number of milliseconds (of seconds in Goose's ` + "`timeout` and keys that end in `_sec`" + `).

## Variables

In commands, arguments, environment, addresses, headers and directories:

| written | stands for |
|---|---|
| ` + "`${VAR}`, `${env:VAR}`" + ` | an environment variable |
| ` + "`${VAR:-default}`" + ` | the same, with a text for one that is unset or empty |
| ` + "`${input:id}`" + ` | the environment variable ` + "`CODEMODE_INPUT_id`" + `, or the default of the file's ` + "`inputs`" + ` |
| ` + "`${keychain:service/account}`" + ` | the machine's secret store: the keychain of macOS, the secret service of Linux (by ` + "`secret-tool`" + `); refused elsewhere |
| ` + "`${command:…}`" + ` | what a shell command prints; each command runs once, for 15 s at most |
| ` + "`${workspaceFolder}`, `${workspaceFolderBasename}`, `${userHome}`, `${pathSeparator}`, `${/}`" + ` | what editors make of them; the workspace is the file's directory (for ` + "`.vscode` and `.cursor`" + ` the one around it) |
| ` + "`$$`" + ` | a dollar sign |
| ` + "`$VAR`" + ` | in Goose's and Gemini CLI's files only |
| ` + "`{env:VAR}`, `{file:path}`" + ` | in opencode's files only |

A variable that has no value keeps its server, and that one alone, from starting. What came out of a secret store, of a
command, or of a variable whose name says that it is secret is redacted in every message.

` + openAPIReference
