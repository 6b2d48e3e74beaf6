package jsparse

// position says where a statement stands.
type position uint8

const (
	inList  position = iota // in a list of statements, where declarations may stand
	asBody                  // the only statement of an if, loop or label
	topItem                 // in the list of the module
)

// moduleItem reads one statement of the module.
func (p *parser) moduleItem() Statement {
	s := Statement{Start: p.tok.start}
	switch {
	case p.is("export"):
		p.exportDeclaration(&s)
	case p.is("function"), p.atAsyncFunction():
		s.Kind = Function
		s.Name = p.functionDeclaration()
	default:
		if e := p.statement(topItem); e != nil {
			s.Kind, s.InnerStart, s.InnerEnd = Expression, e.start, e.end
			if e.kind == exprArrow {
				s.Kind = Arrow
			}
		}
	}
	return s
}

// statement reads a statement. It returns the expression of an expression statement, nil for every other kind.
func (p *parser) statement(position position) *expr {
	p.enter()
	defer p.leave()
	start := p.tok.start
	switch p.tok.kind {
	case tokPunctuator:
		switch p.tok.text {
		case "{":
			p.block(scopeBlock)
			return nil
		case ";":
			p.next()
			return nil
		}
	case tokKeyword:
		if p.keywordStatement(position) {
			return nil
		}
	case tokName:
		if p.declarationByName(position) {
			return nil
		}
	}
	word := p.tok
	e := p.expression(false, false)
	if word.kind == tokName && e.kind == exprName && p.eat(":") {
		p.labelled(word.text, start, position)
		return nil
	}
	p.semicolon()
	return e
}

// keywordStatement reads a statement that starts with a keyword, if the current one starts any.
func (p *parser) keywordStatement(position position) bool {
	switch p.tok.text {
	case "break", "continue":
		p.jump()
	case "class":
		p.declarationOnly(position)
		p.class(classDeclaration)
	case "const", "var":
		p.variableStatement(position)
	case "debugger":
		p.next()
		p.semicolon()
	case "do":
		p.doStatement()
	case "export":
		p.unexpected()
	case "for":
		p.forStatement()
	case "function":
		p.declarationOnly(position)
		p.functionDeclaration()
	case "if":
		p.ifStatement()
	case "import":
		if p.lookahead(func() bool { return p.is("(") || p.is(".") }) {
			return false
		}
		if position != topItem {
			p.unexpected()
		}
		p.importDeclaration()
	case "return":
		p.returnStatement()
	case "switch":
		p.switchStatement()
	case "throw":
		p.throwStatement()
	case "try":
		p.tryStatement()
	case "while":
		p.next()
		p.parenthesised()
		p.loopBody()
	case "with":
		p.fail("with in strict code")
	default:
		return false
	}
	return true
}

// declarationByName reads a declaration that starts with a contextual keyword, if one does: let, async function,
// using, await using.
func (p *parser) declarationByName(position position) bool {
	switch {
	case p.isName("let"): // reserved, so it starts a declaration or an error
		p.variableStatement(position)
	case p.atAsyncFunction():
		p.declarationOnly(position)
		p.functionDeclaration()
	case p.atUsing(false):
		p.declarationOnly(position)
		if p.scope.kind == scopeSwitch {
			p.fail("using in a case clause")
		}
		p.eatAwaitOfUsing()
		p.next()
		p.declarators("using", false)
		p.semicolon()
	default:
		return false
	}
	return true
}

// declarationOnly fails where a declaration may not stand.
func (p *parser) declarationOnly(position position) {
	if position == asBody {
		p.unexpected()
	}
}

// atAsyncFunction reports whether an async function starts here.
func (p *parser) atAsyncFunction() bool {
	return p.isName("async") && p.lookahead(func() bool {
		return p.is("function") && !p.tok.newline && !p.tok.escaped
	})
}

// atUsing reports whether a using or await using declaration starts here.
func (p *parser) atUsing(inFor bool) bool {
	isUsing := func() bool {
		if p.tok.newline || p.tok.kind != tokName && p.tok.kind != tokKeyword {
			return false
		}
		return p.tok.escaped || p.tok.text != "in" && p.tok.text != "instanceof"
	}
	if p.isName("await") {
		return p.lookahead(func() bool { return p.isName("using") && !p.tok.newline && p.lookahead(isUsing) })
	}
	return p.isName("using") && p.lookahead(func() bool {
		if inFor && p.isName("of") { // for (using of …) has using for its variable, except in for (using of = …)
			return !p.tok.newline && p.lookahead(func() bool { return p.is("=") })
		}
		return isUsing()
	})
}

// eatAwaitOfUsing consumes the await of an await using.
func (p *parser) eatAwaitOfUsing() {
	if p.isName("await") {
		if !p.can(canAwait) {
			p.fail("await using outside an async function")
		}
		p.next()
	}
}

// block reads a block that is a scope of its own.
func (p *parser) block(kind scopeKind) {
	p.pushBlock(kind)
	p.statementsInBraces()
	p.popScope()
}

func (p *parser) statementsInBraces() {
	p.expect("{")
	for !p.is("}") {
		p.statement(inList)
	}
	p.next()
}

// parenthesised reads an expression in parentheses, as it stands behind if and while.
func (p *parser) parenthesised() {
	p.expect("(")
	p.expression(false, false)
	p.expect(")")
}

func (p *parser) loopBody() {
	p.withLabel(label{target: loopTarget, at: -1}, func() { p.statement(asBody) })
}

// labelled reads the statement behind "name:"; the label starts at start.
func (p *parser) labelled(name string, start int, position position) {
	for _, l := range p.labels {
		if l.name == name {
			p.failAt(start, "label "+name+" is declared already")
		}
	}
	target := noTarget
	switch {
	case p.is("for"), p.is("while"), p.is("do"):
		target = loopTarget
	case p.is("switch"):
		target = switchTarget
	}
	for i := len(p.labels) - 1; i >= 0 && p.labels[i].at == start; i-- {
		p.labels[i].at, p.labels[i].target = p.tok.start, target
	}
	p.withLabel(label{name: name, target: target, at: p.tok.start}, func() { p.statement(asBody) })
}

func (p *parser) jump() {
	start, isBreak := p.tok.start, p.is("break")
	p.next()
	name := ""
	if !p.is(";") && !p.semicolonInserted() {
		name = p.identifier()
	}
	p.semicolon()
	p.checkJump(isBreak, name, start)
}

func (p *parser) ifStatement() {
	p.next()
	p.parenthesised()
	p.statement(asBody)
	if p.eat("else") {
		p.statement(asBody)
	}
}

func (p *parser) doStatement() {
	p.next()
	p.loopBody()
	p.expect("while")
	p.parenthesised()
	p.eat(";")
}

func (p *parser) returnStatement() {
	if !p.can(canReturn) {
		p.fail("return outside of a function")
	}
	p.next()
	if !p.is(";") && !p.semicolonInserted() {
		p.expression(false, false)
	}
	p.semicolon()
}

func (p *parser) throwStatement() {
	p.next()
	if p.tok.newline {
		p.fail("line break behind throw")
	}
	p.expression(false, false)
	p.semicolon()
}

func (p *parser) switchStatement() {
	p.next()
	p.parenthesised()
	p.expect("{")
	p.pushBlock(scopeSwitch)
	p.withLabel(label{target: switchTarget, at: -1}, p.clauses)
	p.popScope()
	p.next()
}

// clauses reads the clauses of a switch up to its brace.
func (p *parser) clauses() {
	sawDefault, inClause := false, false
	for !p.is("}") {
		switch {
		case p.eat("case"):
			p.expression(false, false)
			p.expect(":")
		case p.is("default"):
			if sawDefault {
				p.fail("two default clauses")
			}
			sawDefault = true
			p.next()
			p.expect(":")
		case !inClause:
			p.unexpected()
		default:
			p.statement(inList)
		}
		inClause = true
	}
}

func (p *parser) tryStatement() {
	p.next()
	p.block(scopeBlock)
	handled := p.is("catch") || p.is("finally")
	if p.eat("catch") {
		p.catchClause()
	}
	if p.eat("finally") {
		p.block(scopeBlock)
	}
	if !handled {
		p.fail("try without catch or finally")
	}
}

// catchClause reads what follows catch. Parameter and body share a scope.
func (p *parser) catchClause() {
	if !p.eat("(") {
		p.block(scopeBlock)
		return
	}
	parameter := p.bindingTarget()
	if parameter.kind == exprName {
		p.pushBlock(scopeSimpleCatch)
		p.bind(parameter, bindCatch, nil)
	} else {
		p.pushBlock(scopeBlock)
		p.bind(parameter, bindLexical, nil)
	}
	p.expect(")")
	p.statementsInBraces()
	p.popScope()
}

// variableStatement reads a let, const or var statement.
func (p *parser) variableStatement(position position) {
	kind := p.tok.text
	if kind != "var" {
		p.declarationOnly(position)
	}
	p.next()
	p.declarators(kind, false)
	p.semicolon()
}

// declarators reads the variables of a declaration and declares them. In the head of a for statement the initialiser
// of a single variable may be missing when in or of follows; declarators returns what it read.
func (p *parser) declarators(kind string, inFor bool) (list []declarator) {
	binding := bindLexical
	if kind == "var" {
		binding = bindVar
	}
	for {
		var d declarator
		if kind == "using" {
			d.target = p.bindingName()
		} else {
			d.target = p.bindingTarget()
		}
		p.bind(d.target, binding, nil)
		beforeIn := p.is("in") || p.isName("of")
		switch {
		case p.eat("="):
			d.initialised = true
			p.assign(inFor, false)
		case (kind == "const" || kind == "using") && !beforeIn: // acorn: so `const a` may stand ahead of a line that starts with of
			p.fail("initialiser expected")
		case d.target.kind != exprName && !(inFor && beforeIn):
			p.fail("initialiser expected")
		}
		list = append(list, d)
		if !p.eat(",") {
			return list
		}
	}
}

type declarator struct {
	target      *expr
	initialised bool
}
