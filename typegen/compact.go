package typegen

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/codemode-go/codemode/dialect"
)

// Compact is a namespace in the short form: the same types on one line each, types that occur more than once under a
// name, and of each description its first sentence, once.
//
//	declare namespace github {
//	type Paging = { page?: number; perPage?: number };
//	/** List issues of a repository. */
//	function list_issues(input: { owner: string; repo: string; paging?: Paging }): Promise<unknown>;
//	}
//
// Type names are the namespace's own, so that no block depends on another.
type Compact struct {
	Namespace string
	// Types are the statements that declare the shared types.
	Types    []string
	Tools    []CompactTool
	Warnings []Warning
}

// CompactTool is one tool in the short form.
type CompactTool struct {
	Name, Identifier string
	// Text is the comment and the declaration, without a line end after the last line.
	Text string
}

// The lengths at which descriptions are cut in the short form, in characters.
const (
	maxToolSentence     = 200
	maxPropertySentence = 100
)

// GenerateCompact prints one namespace in the short form.
func GenerateCompact(ns Namespace) Compact {
	block := Block{Namespace: ns.Name}
	entries := block.admit(ns)
	s := &pool{ids: map[string]int{}, names: nameTypes(entries)}
	c := Compact{Namespace: ns.Name}
	for _, e := range entries {
		c.Tools = append(c.Tools, CompactTool{Name: e.tool.Name, Identifier: e.identifier, Text: s.tool(&block, e)})
	}
	s.settle(&c)
	c.Warnings = block.Warnings
	return c
}

// tool is a tool's text, with marks in place of types.
func (s *pool) tool(block *Block, e *entry) string {
	input, inputType := s.declare(block, e, "inputSchema", e.tool.InputSchema, e.input)
	_, outputType := s.declare(block, e, "outputSchema", e.tool.OutputSchema, e.output)
	if e.tool.Observed {
		outputType = observedMark + outputType
	}
	var b strings.Builder
	if text := sentence(e.tool.Description, maxToolSentence); text != "" {
		b.WriteString("/** " + text + " */\n")
	}
	optional := ""
	if len(input.array("required")) == 0 && mayBeEmpty(input) {
		optional = "?"
	}
	b.WriteString("function " + e.identifier + "(input" + optional + ": " + inputType + "): Promise<" + outputType + ">;")
	return b.String()
}

// mayBeEmpty reports whether a schema's other keywords surely allow {}.
func mayBeEmpty(n *node) bool {
	for _, key := range [...]string{"$ref", "allOf", "anyOf", "oneOf", "if", "not", "minProperties", "const", "enum"} {
		if n.get(key) != nil {
			return false
		}
	}
	return n == nil || n.kind == kindBool || n.get("type") == nil || n.str("type") == "object"
}

// declare prints one schema and remembers the aliases that it needs.
func (s *pool) declare(block *Block, e *entry, field string, schema []byte, alias string) (*node, string) {
	root, err := parseSchema(schema)
	if err != nil {
		block.Warnings = append(block.Warnings, Warning{e.tool.Name, field, err.Error()})
	}
	p := &printer{doc: newDocument(root), names: s.names, alias: alias, short: s}
	aliases := p.aliases()
	if len(p.doc.targets) > 0 && (p.tooDeep || p.tooBig) {
		p.release()
		p = &printer{doc: p.doc, names: s.names, alias: alias, nameAll: true, short: s}
		aliases = p.aliases()
	}
	if p.tooBig {
		p.release()
		p.findings = []finding{{"", "the schema is too big to print, so its type is unknown"}}
		aliases, p.rootUsed = []namedType{{alias, "unknown"}}, false
	}
	for _, f := range p.findings {
		block.Warnings = append(block.Warnings, Warning{e.tool.Name, strings.TrimSuffix(field+"/"+f.path, "/"), f.message})
	}
	text := aliases[0].text
	if p.rootUsed {
		text = alias
	} else {
		aliases = aliases[1:]
	}
	s.aliases = append(s.aliases, aliases...)
	return root, text
}

// namedType is an alias and what it stands for.
type namedType struct{ name, text string }

// mark stands at both ends of the number of a type that may get a name. No printed text has it: it is a control
// character.
const mark = "\x00"

// minShared is the length from which a type that occurs twice gets a name.
const minShared = 40

// pool keeps each type literal once, so that those that occur more than once can have a name.
type pool struct {
	ids     map[string]int // by text, with marks in place of the types inside
	parts   []part
	names   names
	aliases []namedType
}

type part struct {
	text  string
	hint  string
	binds binding
	uses  int
	name  string
}

func (s *pool) intern(text, hint string, binds binding) typ {
	id, known := s.ids[text]
	if !known {
		id = len(s.parts)
		s.ids[text] = id
		s.parts = append(s.parts, part{text: text, hint: hint, binds: binds})
	}
	return typ{text: mark + strconv.Itoa(id) + mark, binds: bindsTight}
}

// object interns a type literal.
func (s *pool) object(hint string, named []property, index string) typ {
	var b strings.Builder
	b.WriteByte('{')
	for i, f := range named {
		if i > 0 {
			b.WriteByte(';')
		}
		b.WriteByte(' ')
		if text := f.note(); text != "" {
			b.WriteString("/** " + text + " */ ")
		}
		b.WriteString(propertyName(f.name))
		if !f.required {
			b.WriteByte('?')
		}
		b.WriteString(": " + f.value.text)
	}
	if index != "" {
		if len(named) > 0 {
			b.WriteByte(';')
		}
		b.WriteString(" " + strings.TrimSuffix(index, ";"))
	}
	b.WriteString(" }")
	return s.intern(b.String(), hint, bindsTight)
}

// union interns a union of literals.
func (s *pool) union(hint string, t typ) typ {
	if len(t.text) < minShared {
		return t
	}
	return s.intern(t.text, hint, t.binds)
}

// note is what stands above a property.
func (f property) note() string {
	text := sentence(f.schema.str("description"), maxPropertySentence)
	if text != "" && strings.EqualFold(bare(text), bare(f.name)) { // says no more than the name
		text = ""
	}
	return strings.TrimSpace(text + annotations(f.schema, text))
}

// bare is a text without what tells "Project ID." from projectId.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimPrefix(strings.ToLower(text), "the "))
}

// settle names what is worth a name and writes everything out.
func (s *pool) settle(c *Compact) {
	for i := range s.parts {
		s.count(s.parts[i].text)
	}
	for i := range s.aliases {
		s.count(s.aliases[i].text)
	}
	for i := range c.Tools {
		s.count(c.Tools[i].Text)
	}
	lengths := make([]int, len(s.parts))
	for i := range s.parts { // inner types come before outer ones
		p := &s.parts[i]
		if lengths[i] = s.length(p.text, lengths); p.uses > 1 && lengths[i] >= minShared {
			p.name = s.names.claim(p.hint, "")[0]
			lengths[i] = len(p.name)
		}
	}
	for i := range s.parts {
		if p := &s.parts[i]; p.name != "" {
			c.Types = append(c.Types, "type "+p.name+" = "+s.expand(p.text)+";")
		}
	}
	for _, a := range s.aliases {
		c.Types = append(c.Types, "type "+a.name+" = "+s.expand(a.text)+";")
	}
	for i := range c.Tools {
		c.Tools[i].Text = s.expand(c.Tools[i].Text)
	}
}

// count notes where types are used.
func (s *pool) count(text string) {
	eachMark(text, func(string) {}, func(id int, _, _ string) { s.parts[id].uses++ })
}

func (s *pool) length(text string, lengths []int) (n int) {
	eachMark(text, func(plain string) { n += len(plain) }, func(id int, _, _ string) { n += lengths[id] })
	return n
}

// expand writes types in the place of their marks.
func (s *pool) expand(text string) string {
	var b strings.Builder
	s.write(&b, text)
	return b.String()
}

func (s *pool) write(b *strings.Builder, text string) {
	eachMark(text, func(plain string) { b.WriteString(plain) }, func(id int, before, after string) {
		isOperand := strings.HasSuffix(before, "& ") || strings.HasPrefix(after, " &") || strings.HasPrefix(after, "[")
		switch p := &s.parts[id]; {
		case p.name != "":
			b.WriteString(p.name)
		case p.binds == bindsTight || !isOperand:
			s.write(b, p.text)
		default:
			b.WriteByte('(')
			s.write(b, p.text)
			b.WriteByte(')')
		}
	})
}

// eachMark walks a text: what stands between marks, and the numbers in them, with the texts on both sides.
func eachMark(text string, plain func(string), marked func(id int, before, after string)) {
	for {
		before, rest, found := strings.Cut(text, mark)
		plain(before)
		if !found {
			return
		}
		number, after, _ := strings.Cut(rest, mark)
		id, _ := strconv.Atoi(number)
		marked(id, before, after)
		text = after
	}
}

// hint is what a type at the present place could be called: what its schema calls it, else the property that it is of.
func (p *printer) hint() string {
	if len(p.open) > 0 {
		if ref := p.doc.targets[p.open[len(p.open)-1]]; strings.Contains(ref, "/$defs/") || strings.Contains(ref, "/definitions/") {
			if name := helperName(ref); name[0] < '0' || name[0] > '9' {
				return name
			}
		}
	}
	for i := len(p.path) - 2; i >= 0; i-- {
		if p.path[i] == "properties" {
			name := helperName(p.path[i+1])
			if '0' <= name[0] && name[0] <= '9' { // no type is called 1st
				name = "Part" + name
			}
			return name
		}
	}
	if stem, isOutput := strings.CutSuffix(p.alias, "Output"); isOutput {
		return stem + "Result"
	}
	return strings.TrimSuffix(p.alias, "Input") + "Args"
}

// String is the block as TypeScript.
func (c Compact) String() string {
	var b strings.Builder
	namespace := c.Namespace
	if !isIdentifier(namespace) {
		namespace = dialect.SanitizeToolName(namespace)
	}
	b.WriteString("declare namespace " + namespace + " {\n")
	for _, text := range c.Types {
		b.WriteString(text + "\n")
	}
	for _, tool := range c.Tools {
		b.WriteString(tool.Text + "\n")
	}
	b.WriteByte('}')
	return b.String()
}

// sentence is the first sentence of a text as a comment, cut at a word when it is longer than limit characters.
func sentence(text string, limit int) string {
	text = strings.TrimSpace(text)
	if line, _, more := strings.Cut(text, "\n"); more && strings.TrimSpace(line) != "" {
		text = line
	}
	text = strings.Join(strings.Fields(comment(text)), " ")
	text = strings.TrimLeft(text, "#*-• ")
	end := sentenceEnd(text)
	text = text[:end]
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	cut := string([]rune(text)[:limit])
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		cut = cut[:space]
	}
	return strings.TrimRight(cut, " ,;:(") + "…"
}

// sentenceEnd is where the first sentence ends. A point inside a word, and one after an abbreviation, ends none.
func sentenceEnd(text string) int {
	for i, r := range text {
		switch r {
		case '。', '！', '？':
			return i + utf8.RuneLen(r)
		case '.', '!', '?':
			rest := text[i+1:]
			if rest == "" {
				return len(text)
			}
			if rest[0] == ' ' && !endsInAbbreviation(text[:i]) && !startsSmall(rest[1:]) {
				return i + 1
			}
		}
	}
	return len(text)
}

func endsInAbbreviation(text string) bool {
	last := text[strings.LastIndexAny(text, " (")+1:]
	switch strings.ToLower(last) {
	case "e.g", "i.e", "eg", "ie", "etc", "vs", "no", "cf", "incl", "max", "min", "approx":
		return true
	}
	return utf8.RuneCountInString(last) < 2
}

func startsSmall(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLower(r)
}

// GenerateCompactTool is one tool's own declaration in the short form, with every type in its place unless it contains
// itself.
func GenerateCompactTool(namespace string, tool Tool) string {
	c := GenerateCompact(Namespace{Name: namespace, Tools: []Tool{tool}})
	texts := slices.Clone(c.Types)
	for _, t := range c.Tools {
		texts = append(texts, strings.TrimPrefix(t.Text[strings.LastIndexByte(t.Text, '\n')+1:], "function "))
	}
	return strings.Join(texts, "\n")
}
