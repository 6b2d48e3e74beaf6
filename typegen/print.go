package typegen

import (
	"strings"
)

// The bounds of what is printed. They are far above every schema met in the
// wild and keep a hostile one from filling the model's context.
const (
	maxSchemaBytes   = 1 << 20 // of one schema as sent
	maxAliasBytes    = 256 << 10
	maxInlineBytes   = 64 << 10 // before every $ref target gets an alias of its own
	maxDepth         = 64       // schemas inside one another
	maxLiteralDepth  = 20       // of an object or array in an enum
	maxPropertyName  = 256      // bytes
	maxNumberDigits  = 64
	maxWarnings      = 8 // of one schema
	stepBytes        = 8 // what visiting a schema counts, so that silent ones count too
	maxHelperName    = 40
	maxQuotedInError = 80
)

// printer prints one schema as aliases.
type printer struct {
	doc   *document
	names names
	alias string

	short    *pool // of the short form; nil prints the form of the reference
	rootUsed bool  // an alias leads back to the root

	nameAll bool             // every $ref target gets an alias, not only the circular
	named   map[*node]string // aliases given out
	queue   []*node          // of those, the ones still to be printed

	def     *node   // whose alias is being printed
	open    []*node // the schemas around the present one, and it
	region  int     // where in open those begin that no property or item is around
	lazy    bool    // there is a property or item around the present schema
	size    int
	tooDeep bool
	tooBig  bool

	path     []string
	findings []finding
}

// finding is a part of a schema that is not printed as it stands.
type finding struct{ path, message string }

// declare prints root as the alias called alias, followed by those it needs.
func declare(alias string, root *node, used names) (string, []finding) {
	p := &printer{doc: newDocument(root), names: used, alias: alias}
	text := p.all()
	if len(p.doc.targets) > 0 && (p.tooDeep || p.tooBig) {
		p.release()
		p = &printer{doc: p.doc, names: used, alias: alias, nameAll: true}
		text = p.all()
	}
	if p.tooBig {
		p.release()
		return "type " + alias + " = unknown", []finding{{"", "the schema is too big to print, so its type is unknown"}}
	}
	return text, p.findings
}

// release gives back the names of the printer's own aliases.
func (p *printer) release() {
	for n, name := range p.named {
		if n != p.doc.root {
			delete(p.names.taken, name)
			delete(p.names.last, p.alias+helperName(p.doc.targets[n]))
		}
	}
}

func (p *printer) all() string {
	aliases := p.aliases()
	texts := make([]string, len(aliases))
	for i, a := range aliases {
		texts[i] = "type " + a.name + " = " + a.text
	}
	return strings.Join(texts, "\n")
}

// aliases prints the root, and after it whatever it needs an alias for.
func (p *printer) aliases() []namedType {
	p.named = map[*node]string{p.doc.root: p.alias}
	p.queue = []*node{p.doc.root}
	var aliases []namedType
	for len(p.queue) > 0 {
		n := p.queue[0]
		p.queue = p.queue[1:]
		aliases = append(aliases, namedType{p.named[n], p.definition(n)})
	}
	return aliases
}

// definition returns the type of n itself, not the alias n may have.
func (p *printer) definition(n *node) string {
	p.def, p.region, p.lazy = n, 0, false
	if n == nil || n.kind != kindObject {
		return p.schema(n, "").text
	}
	return p.expand(n, "").text
}

// nameOf returns the alias that stands for n where the printer is now. A
// circular $ref target has one: TypeScript lets an alias name itself, as long
// as a property or an item is in between.
func (p *printer) nameOf(n *node) (name string, ok bool) {
	ref, isTarget := p.doc.targets[n]
	circular := p.doc.circular[n] != 0
	if !isTarget || !circular && !(p.nameAll && isWorthName(n)) {
		return "", false
	}
	if component := p.doc.eager[n]; !p.lazy && component != 0 && component == p.doc.eager[p.def] {
		return "", false
	}
	p.rootUsed = p.rootUsed || n == p.doc.root
	if name, ok = p.named[n]; !ok {
		name = p.names.claim(p.alias+helperName(ref), "")[0]
		p.named[n] = name
		p.queue = append(p.queue, n)
		p.spend(len(name))
	}
	p.spend(len(name))
	return name, true
}

// isWorthName reports whether n prints as more than a word.
func isWorthName(n *node) bool {
	for _, m := range n.members {
		switch m.key {
		case "type", "title", "description", "format", "default", "examples":
		default:
			return true
		}
	}
	return false
}

// enter opens n, unless the printer is over its bounds.
func (p *printer) enter(n *node) bool {
	if p.spend(stepBytes); p.tooBig {
		return false
	}
	if len(p.open) == maxDepth {
		p.tooDeep = true
		p.warn("the schema is nested too deeply; what follows is unknown")
		return false
	}
	p.open = append(p.open, n)
	return true
}

// spend counts bytes that get printed. Once there are too many, what is
// printed does not matter any more.
func (p *printer) spend(bytes int) {
	limit := maxAliasBytes
	if !p.nameAll && len(p.doc.targets) > 0 {
		limit = maxInlineBytes
	}
	p.size += bytes
	p.tooBig = p.tooBig || p.size > limit
}

func (p *printer) leave() { p.open = p.open[:len(p.open)-1] }

// deferred prints what TypeScript resolves later than the alias around it.
func (p *printer) deferred(print func() typ, path ...string) typ {
	region, lazy := p.region, p.lazy
	p.region, p.lazy = len(p.open), true
	t := p.at(print, path...)
	p.region, p.lazy = region, lazy
	return t
}

// at prints with path added to the one that warnings name.
func (p *printer) at(print func() typ, path ...string) typ {
	before := len(p.path)
	p.path = append(p.path, path...)
	t := print()
	p.path = p.path[:before]
	return t
}

func (p *printer) warn(message string) {
	if len(p.findings) < maxWarnings {
		p.findings = append(p.findings, finding{shorten(strings.Join(p.path, "/")), message})
	}
}

// shorten cuts text that a warning quotes.
func shorten(text string) string {
	if len(text) <= maxQuotedInError {
		return text
	}
	return strings.ToValidUTF8(text[:maxQuotedInError], "") + "…"
}
