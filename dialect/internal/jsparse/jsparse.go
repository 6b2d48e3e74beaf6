// Package jsparse recognises an ECMAScript module and tells where its last statement is.
//
// It answers two questions about a text: is it a module (ECMA-262, sourceType "module", early errors included), and if
// so, what is the last of its statements and are there others. It builds no tree: an expression leaves a small expr
// behind only until a later token has decided whether it was a pattern or a value.
//
//	program, err := jsparse.Parse("const a = 40\na + 2")
//	// program.Count is 2, program.Last an Expression from 13 to 18
//
// The reading is acorn's ({ecmaVersion: "latest", sourceType: "module"}, 8.19), because the dialect's normalisation is
// defined by what acorn accepts. Where acorn differs from the specification the difference is marked "acorn:" at its
// place, but for slips of acorn that concern what nobody writes: it accepts ({a = 1, b: x => x}), which no engine runs,
// and takes some slashes for divisions that start a regular expression, or the reverse: await /=/, await of / 2, and
// yield /a/ in an async generator expression. These are read as specified. JSX, TypeScript and decorators are errors.
//
// # Limits
//
// Time and memory are linear in the length of the text, and nesting deeper than maxDepth is an error, so no text can
// exhaust the stack. Letters newer than the unicode package's tables are not part of identifiers.
package jsparse

import "fmt"

// maxDepth bounds the nesting of statements, expressions and patterns. It is above what acorn reaches in the stack of
// a default Node.js (500 to 4,300 levels, depending on the construct) and costs a few megabytes of stack here.
const maxDepth = 5000

// Kind tells top-level statements apart as far as normalisation asks.
type Kind uint8

const (
	// Other is every statement not named below, the empty one included.
	Other Kind = iota
	// Expression is an expression statement.
	Expression
	// Arrow is an expression statement that is nothing but an arrow function.
	Arrow
	// Function is a function declaration of any sort: async, generator.
	Function
	// ExportDefault is a default export of an expression or of a named declaration.
	ExportDefault
	// ExportDefaultFunction is a default export of a function declaration without a name.
	ExportDefaultFunction
	// ExportDefaultClass is a default export of a class declaration without a name.
	ExportDefaultClass
)

// Statement is one top-level statement or declaration. Offsets count bytes.
type Statement struct {
	Kind Kind
	// Start is where the statement starts.
	Start int
	// InnerStart and InnerEnd delimit the expression of an expression statement or what a default export exports,
	// without the parentheses around it. They are 0 for the other kinds.
	InnerStart, InnerEnd int
	// Name is the name a Function declares, with escapes decoded.
	Name string
}

// SyntaxError says why and at which byte a text is no module.
type SyntaxError struct {
	Offset  int
	Message string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("offset %d: %s", e.Offset, e.Message) }

// Program is what Parse tells about a module.
type Program struct {
	Count int       // the number of its top-level statements
	Last  Statement // the last of them; the zero Statement if there is none
}

// Parse reads source as a module. The error is a *SyntaxError.
func Parse(source string) (program Program, err error) {
	p := &parser{scanner: scanner{src: source}}
	defer func() {
		switch failure := recover().(type) {
		case nil:
		case *SyntaxError:
			program, err = Program{}, failure
		default:
			panic(failure)
		}
	}()
	p.skipHashbang()
	p.scan()
	p.pushScope(scopeTop, canAwait)
	for p.tok.kind != tokEOF {
		program.Last = p.moduleItem()
		program.Count++
	}
	p.checkExports()
	return program, nil
}

// parser is a recursive descent parser that looks at one token at a time. It gives up by panicking with a
// *SyntaxError, which Parse catches.
type parser struct {
	scanner
	depth int

	scope   *scope
	labels  []label
	classes []*privateNames
	exports exports

	// arrowAt is the offset of a token that may start an arrow function.
	arrowAt int
	// coverError is set while an object literal is pending that is an error unless it becomes a pattern.
	coverError bool
	// sawAwait and sawYield record such expressions while a list is read that may turn out to be parameters.
	sawAwait, sawYield bool
	// pool is the rest of the chunk that new exprs come from.
	pool []expr
}

// enter counts a level of nesting; leave ends it.
func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail("nested too deeply")
	}
}

func (p *parser) leave() { p.depth-- }

// is reports whether the token is the punctuator or keyword text.
func (p *parser) is(text string) bool {
	return (p.tok.kind == tokPunctuator || p.tok.kind == tokKeyword) && p.tok.text == text
}

// isName reports whether the token is the contextual keyword text, spelled without escapes.
func (p *parser) isName(text string) bool {
	return p.tok.kind == tokName && p.tok.text == text && !p.tok.escaped
}

func (p *parser) eat(text string) bool {
	if p.is(text) {
		p.next()
		return true
	}
	return false
}

func (p *parser) eatName(text string) bool {
	if p.isName(text) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if !p.eat(text) {
		p.unexpected()
	}
}

func (p *parser) expectName(text string) {
	if !p.eatName(text) {
		p.unexpected()
	}
}

// unexpected fails at the current token.
func (p *parser) unexpected() {
	if p.tok.kind == tokEOF {
		p.failAt(p.tok.start, "unexpected end")
	}
	p.failAt(p.tok.start, "unexpected "+p.src[p.tok.start:p.tok.end])
}

// fail fails at the current token with a message of its own.
func (p *parser) fail(message string) { p.failAt(p.tok.start, message) }

// next moves on to the next token. A keyword spelled with an escape may only be a property name, and those are
// consumed by nextLiberal.
func (p *parser) next() {
	if p.tok.kind == tokKeyword && p.tok.escaped {
		p.fail("escape in keyword " + p.tok.text)
	}
	p.scan()
}

func (p *parser) nextLiberal() { p.scan() }

// lookahead runs inspect on the tokens behind the current one and comes back.
func (p *parser) lookahead(inspect func() bool) bool {
	saved := p.scanner
	p.scan()
	answer := inspect()
	p.scanner = saved
	return answer
}

// semicolonInserted reports whether the grammar inserts a semicolon ahead of the current token.
func (p *parser) semicolonInserted() bool {
	return p.tok.kind == tokEOF || p.tok.newline || p.is("}")
}

func (p *parser) semicolon() {
	if !p.eat(";") && !p.semicolonInserted() {
		p.unexpected()
	}
}
