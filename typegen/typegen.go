// Package typegen prints JSON Schemas as the TypeScript declarations a model
// reads before it writes a program.
//
// A [Tool] is a function as an MCP server or a host describes it: a name, a
// text and the schemas of what it takes and returns, as raw JSON. A
// [Namespace] is the object a program finds such tools on. A [Block] is its
// printed form, one [Declaration] a tool, and a [Warning] names a part of a
// schema that could not be printed as it stands.
//
//	block := typegen.Generate("codemode", []typegen.Tool{{
//		Name:        "list-orders",
//		Description: "Orders belonging to one user.",
//		InputSchema: json.RawMessage(`{"type":"object","properties":{"userId":{"type":"string"}}}`),
//	}})
//	fmt.Println(block) // type ListOrdersInput = {…} … declare const codemode: {…}
//
// Equal input gives equal bytes. Nothing fails: a broken schema costs its own
// tool the type, never another's, and ends up in [Block.Warnings].
//
// # Rules
//
// The text is that of generateTypes in npm @cloudflare/codemode 0.5.6, whose
// output is what hosts and models know, wherever that is valid TypeScript and
// says all the schema says about the shape of a value. It is ours where it is
// not:
//
//   - A union is in parentheses as an array's item and inside an intersection;
//     an intersection as an array's item.
//   - $ref, anyOf, oneOf, allOf and a schema's own keywords hold together, so
//     they are intersected. A type that the others imply is left out, and so is
//     a branch that says nothing about the shape.
//   - The other members of a type array print in full: ["object", "null"] with
//     properties is {…} | null, ["array", "null"] with items is T[] | null.
//   - properties, required, additionalProperties and patternProperties make an
//     object, items and prefixItems an array, without a type beside them, when
//     they say more than true.
//   - A required property that is not declared is printed as unknown, or as
//     additionalProperties says.
//   - An index signature that named properties do not fit takes their types,
//     too, or is unknown when they are long. It covers patternProperties.
//     Keys listed by propertyNames print as [key in "a" | "b"]?: T, in a
//     literal of their own.
//   - A tuple whose further items have a type ends in ...T[]; one without a
//     first item is an array.
//   - A circular $ref is an alias of its own, named after the tool and the
//     reference. One that leads straight back to itself adds nothing. When
//     printing every $ref in place takes more than 64 KB or 64 levels, all
//     their targets become aliases. not, if, then, else, contains and the
//     unevaluated and dependent keywords add nothing either.
//   - $ref also follows anchors, $id and percent-encoded pointers. One that
//     leads out of the document or nowhere is unknown, with a warning.
//   - Malformed keywords are left out, with a warning; the rest of the schema
//     counts.
//   - Numbers beyond a float64 keep their digits. Every string stays on its
//     line, and so does every comment: line ends and control characters in it
//     are spaces.
//   - Type names are unique across the namespaces printed together: the second
//     is GetUser_2Input. A tool whose identifier another has taken is left out,
//     with a warning.
//
// # Limits
//
// A schema of more than 1 MB as sent, or of 256 KB printed, is unknown; so is
// what lies more than 64 schemas deep. Property names over 256 bytes are left
// out. Descriptions are not cut: what a host shows of them is its decision.
package typegen

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/codemode-go/codemode/dialect"
)

// Tool is a function a program may call.
type Tool struct {
	// Name is the tool's own name, in any characters.
	Name string
	// Identifier is what programs call it; empty means
	// [dialect.SanitizeToolName] of Name.
	Identifier string
	// Description is shown above the declaration; empty means Name.
	Description string
	// InputSchema and OutputSchema are JSON Schemas of any draft, as sent.
	// Absent, null and true all print as unknown.
	InputSchema, OutputSchema json.RawMessage
	// Observed says that OutputSchema is what results looked like so far, and no promise; the declaration says so.
	Observed bool
}

// observedMark stands at types that are observed.
const observedMark = "/* observed */ "

// Namespace is an object in the program's scope and the tools on it.
type Namespace struct {
	Name  string
	Tools []Tool
	// Before is what was printed of the very same tools another time, by a block of [GenerateAll]; nil when they are new.
	// What is still true of it is taken over, and the text is the same as without.
	Before *Block
}

// Block is a printed namespace. [Block.String] is the whole of it; a host that
// shows less prints a Block with fewer Tools, or parts of their Declarations.
type Block struct {
	Namespace string
	Tools     []Declaration
	Warnings  []Warning

	printed []printed // what Tools were made from
}

// printed is a declaration and what it depends on.
type printed struct {
	Declaration
	input, output string // the names of its types
	alone         bool   // it has no other names, so that it does not depend on what else is printed
	warnings      []Warning
}

// Declaration is one printed tool.
type Declaration struct {
	// Name and Identifier are the tool's.
	Name, Identifier string
	// Types are the aliases the signature needs, one statement after another,
	// without a line end after the last.
	Types string
	// Comment is the indented block comment above the signature.
	Comment string
	// Signature is the indented member of the namespace's type, one line.
	Signature string
}

// Warning says what of a tool's schema is not printed as it stands.
type Warning struct {
	// Tool is the tool's name.
	Tool string
	// Path leads to the place: "inputSchema/properties/a".
	Path string
	// Message is a sentence without its full stop.
	Message string
}

// Generate prints one namespace.
func Generate(namespace string, tools []Tool) Block {
	return GenerateAll(Namespace{Name: namespace, Tools: tools})[0]
}

// GenerateTool prints one tool the way Generate prints a list of it alone.
func GenerateTool(namespace string, tool Tool) Block {
	return Generate(namespace, []Tool{tool})
}

// GenerateAll prints namespaces that a model reads together, in their order.
// No type name occurs in two of the blocks.
func GenerateAll(namespaces ...Namespace) []Block {
	blocks := make([]Block, len(namespaces))
	var all []*entry
	perBlock := make([][]*entry, len(namespaces))
	for i, ns := range namespaces {
		blocks[i].Namespace = ns.Name
		perBlock[i] = blocks[i].admit(ns)
		all = append(all, perBlock[i]...)
	}
	used := nameTypes(all)
	printAlone(all)
	for i := range blocks {
		for _, e := range perBlock[i] {
			if !e.printed.alone {
				e.print(used)
			}
			blocks[i].Tools = append(blocks[i].Tools, e.printed.Declaration)
			blocks[i].Warnings = append(blocks[i].Warnings, e.printed.warnings...)
			blocks[i].printed = append(blocks[i].printed, e.printed)
		}
	}
	return blocks
}

// printAlone prints the entries that need no names but their own two, several at a time. It reads the schemas of the others.
func printAlone(all []*entry) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(all)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(all); i = int(next.Add(1)) - 1 {
				e := all[i]
				if e.takeOver(); e.printed.alone {
					continue
				}
				if e.read(); !mentionsRef(e.inputSchema.root) && !mentionsRef(e.outputSchema.root) {
					e.print(names{})
					e.printed.alone = true
				}
			}
		})
	}
	workers.Wait()
}

// admit returns the tools of ns that get declared: one for each identifier.
func (b *Block) admit(ns Namespace) []*entry {
	owner := make(map[string]string, len(ns.Tools))
	entries := make([]*entry, 0, len(ns.Tools))
	for _, tool := range ns.Tools {
		identifier := tool.Identifier
		if identifier == "" {
			identifier = dialect.SanitizeToolName(tool.Name)
		}
		if other, taken := owner[identifier]; taken {
			b.Warnings = append(b.Warnings, Warning{tool.Name, "name",
				fmt.Sprintf("the identifier %s belongs to tool %s already, so this tool is not declared", quote(identifier), quote(other))})
			continue
		}
		owner[identifier] = tool.Name
		e := &entry{tool: tool, namespace: ns.Name, identifier: identifier}
		if n := len(entries); ns.Before != nil && n < len(ns.Before.printed) {
			e.before = &ns.Before.printed[n]
		}
		entries = append(entries, e)
	}
	return entries
}

// takeOver takes what was printed of the tool before, when it is called the same and so are its types.
func (e *entry) takeOver() {
	if d := e.before; d != nil && d.alone && d.Name == e.tool.Name && d.Identifier == e.identifier && d.input == e.input && d.output == e.output {
		e.printed = *d
	}
}

// read decodes the two schemas.
func (e *entry) read() {
	e.inputSchema.root, e.inputSchema.err = parseSchema(e.tool.InputSchema)
	e.outputSchema.root, e.outputSchema.err = parseSchema(e.tool.OutputSchema)
}

// print makes the declaration of a tool whose schemas were read.
func (e *entry) print(used names) {
	d := printed{Declaration: Declaration{Name: e.tool.Name, Identifier: e.identifier}, input: e.input, output: e.output}
	inputType := d.alias("inputSchema", e.inputSchema, e.input, used)
	outputType := d.alias("outputSchema", e.outputSchema, e.output, used)
	if e.tool.Observed {
		outputType = strings.Replace(outputType, " = ", " = "+observedMark, 1)
	}
	d.Types = inputType + "\n" + outputType
	d.Comment = toolComment(e.tool, e.inputSchema.root)
	d.Signature = "\t" + memberName(e.identifier) + ": (input: " + e.input + ") => Promise<" + e.output + ">;"
	e.printed = d
	e.inputSchema, e.outputSchema = decoded{}, decoded{}
}

// alias returns a schema printed under the name alias.
func (d *printed) alias(field string, schema decoded, alias string, used names) string {
	if schema.err != nil {
		d.warnings = append(d.warnings, Warning{d.Name, field, schema.err.Error()})
	}
	text, findings := declare(alias, schema.root, used)
	for _, f := range findings {
		d.warnings = append(d.warnings, Warning{d.Name, strings.TrimSuffix(field+"/"+f.path, "/"), f.message})
	}
	return text
}

// toolComment returns the comment above a tool: its description, and a line
// for every described property of its input.
func toolComment(tool Tool, input *node) string {
	text := trim(tool.Description)
	if text == "" {
		text = tool.Name
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	b.WriteString("\t/**\n\t * ")
	b.WriteString(comment(text))
	for _, m := range input.object("properties") {
		if description := m.value.str("description"); description != "" {
			for _, part := range [...]string{"\n\t * @param input.", comment(m.key), " - ", comment(description)} {
				b.WriteString(part)
			}
		}
	}
	b.WriteString("\n\t */")
	return b.String()
}

// memberName returns identifier as a member of a type literal.
func memberName(identifier string) string {
	if isIdentifier(identifier) {
		return identifier
	}
	return quote(identifier)
}

// String returns the block as TypeScript: the type aliases of its tools, an
// empty line, and the declaration of the namespace.
func (b Block) String() string {
	var s strings.Builder
	size := 64
	for _, tool := range b.Tools {
		size += len(tool.Types) + len(tool.Comment) + len(tool.Signature) + 4
	}
	s.Grow(size)
	for _, tool := range b.Tools {
		s.WriteString(tool.Types)
		s.WriteByte('\n')
	}
	if len(b.Tools) > 0 {
		s.WriteByte('\n')
	}
	namespace := b.Namespace
	if !isIdentifier(namespace) {
		namespace = dialect.SanitizeToolName(namespace)
	}
	s.WriteString("declare const " + namespace + ": {")
	for _, tool := range b.Tools {
		for _, text := range [...]string{"\n", tool.Comment, "\n", tool.Signature, "\n"} {
			s.WriteString(text)
		}
	}
	s.WriteByte('}')
	return s.String()
}
