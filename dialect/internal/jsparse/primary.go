package jsparse

// primary reads an operand without the members and calls behind it. forNew is set behind new, where import(…) is none.
func (p *parser) primary(noIn, forNew bool) *expr {
	start := p.tok.start
	switch p.tok.kind {
	case tokName:
		return p.nameOrArrow(noIn)
	case tokNumber:
		p.next()
		return p.other(start)
	case tokString:
		p.next()
		return p.newExpr(exprString, start, "")
	case tokKeyword:
		return p.keywordOperand(start, forNew)
	}
	switch {
	case p.is("("):
		return p.parentheses(noIn)
	case p.is("["):
		return p.arrayLiteral()
	case p.is("{"):
		return p.objectLiteral()
	case p.is("`"):
		p.template(false)
	case p.is("/"), p.is("/="):
		p.regularExpression()
	default:
		p.unexpected()
	}
	return p.other(start)
}

// keywordOperand reads an operand that starts with a keyword.
func (p *parser) keywordOperand(start int, forNew bool) *expr {
	switch p.tok.text {
	case "this", "null", "true", "false":
		p.next()
	case "function":
		p.next()
		p.functionExpression(0)
	case "class":
		p.class(classExpression)
	case "new":
		p.newExpression()
	case "import":
		p.importExpression(forNew)
	case "super":
		return p.super()
	default:
		p.unexpected()
	}
	return p.other(start)
}

// nameOrArrow reads an identifier, or the arrow function or async function it starts.
func (p *parser) nameOrArrow(noIn bool) *expr {
	start := p.tok.start
	mayBeArrow := p.arrowAt == start
	isAsync := p.isName("async")
	e := p.bindingName()
	if isAsync && p.is("function") && !p.tok.newline {
		p.next()
		p.functionExpression(canAwait)
		return p.other(start)
	}
	if !mayBeArrow || p.semicolonInserted() {
		return e
	}
	if p.eat("=>") {
		return p.arrow([]*expr{e}, start, 0, noIn)
	}
	if isAsync && p.tok.kind == tokName {
		parameter := p.bindingName()
		if !p.atArrow() {
			p.unexpected()
		}
		p.next()
		return p.arrow([]*expr{parameter}, start, canAwait, noIn)
	}
	return e
}

// atArrow reports whether "=>" follows on the same line.
func (p *parser) atArrow() bool { return p.is("=>") && !p.tok.newline }

// arrowBehind reads on at the "=>" behind a list that is now known to be parameters. sawAwait and sawYield are the
// marks of what surrounds the list.
func (p *parser) arrowBehind(parameters []*expr, start int, sawAwait, sawYield bool, async context, noIn bool) *expr {
	p.next()
	if p.sawAwait || p.sawYield {
		p.failAt(start, "await or yield in parameters")
	}
	p.sawAwait, p.sawYield = sawAwait, sawYield
	p.coverError = false
	return p.arrow(parameters, start, async, noIn)
}

// parentheses reads a parenthesised expression or an arrow function.
func (p *parser) parentheses(noIn bool) *expr {
	start, mayBeArrow := p.tok.start, p.arrowAt == p.tok.start
	p.next()
	sawAwait, sawYield := p.sawAwait, p.sawYield
	p.sawAwait, p.sawYield = false, false
	list, innerStart, parametersOnly := []*expr(nil), p.tok.start, true
	for !p.is(")") {
		if at := p.tok.start; p.eat("...") {
			list, parametersOnly = append(list, p.spread(at, p.bindingTarget())), true
			break
		}
		list, parametersOnly = append(list, p.assign(false, true)), false
		if !p.is(")") {
			p.expect(",")
			parametersOnly = p.is(")")
		}
	}
	innerEnd := p.prevEnd
	p.expect(")")
	if mayBeArrow && p.atArrow() {
		return p.arrowBehind(list, start, sawAwait, sawYield, 0, noIn)
	}
	if parametersOnly {
		p.failAt(start, "parameters without an arrow")
	}
	p.valueOnly()
	p.sawAwait, p.sawYield = p.sawAwait || sawAwait, p.sawYield || sawYield
	e := list[0]
	if len(list) > 1 {
		e = p.other(innerStart)
		e.end = innerEnd
	}
	e.parens = true
	return e
}

func (p *parser) arrayLiteral() *expr {
	start := p.tok.start
	p.next()
	var items []*expr
	for !p.eat("]") {
		if p.eat(",") {
			items = append(items, nil)
			continue
		}
		at := p.tok.start
		isSpread := p.eat("...")
		item := p.assign(false, true)
		if isSpread {
			item = p.spread(at, item)
		}
		items = append(items, item)
		if !p.is("]") {
			p.expect(",")
		}
	}
	e := p.newExpr(exprArray, start, "")
	e.items = items
	return e
}

func (p *parser) objectLiteral() *expr {
	start := p.tok.start
	var items []*expr
	sawProto := false
	p.braced(func() { items = append(items, p.property(&sawProto)) })
	e := p.newExpr(exprObject, start, "")
	e.items = items
	return e
}

// property reads one member of an object literal.
func (p *parser) property(sawProto *bool) *expr {
	first := p.tok
	if p.eat("...") {
		return p.spread(first.start, p.assign(false, true))
	}
	var sort context
	if p.eat("*") {
		sort = canYield
	}
	word := p.tok
	key := p.propertyName()
	if sort == 0 && key.isWord && key.name == "async" && !word.escaped && p.startsAsyncProperty() {
		sort = canAwait
		if p.eat("*") {
			sort |= canYield
		}
		key = p.propertyName()
	}
	switch {
	case p.is(":") && sort == 0:
		if key.name == "__proto__" {
			p.coverError = p.coverError || *sawProto
			*sawProto = true
		}
		p.next()
		value := p.assign(false, true)
		e := p.newExpr(exprProperty, first.start, "")
		e.inner = value
		return e
	case p.is("("):
		p.function(sort | canSuper)
	case sort != 0 || !key.isWord:
		p.unexpected()
	case (key.name == "get" || key.name == "set") && !word.escaped && !p.is(",") && !p.is("}") && !p.is("="):
		p.propertyName()
		p.accessor(key.name)
	default:
		return p.shorthand(word)
	}
	return p.other(first.start)
}

// startsAsyncProperty reports whether an "async" just read is the modifier of a method.
func (p *parser) startsAsyncProperty() bool {
	switch p.tok.kind {
	case tokName, tokKeyword, tokNumber, tokString:
		return !p.tok.newline
	}
	return (p.is("[") || p.is("*")) && !p.tok.newline
}

// shorthand reads on behind a property that is nothing but a name.
func (p *parser) shorthand(word token) *expr {
	p.checkName(word)
	value := p.newExpr(exprName, word.start, word.text)
	if p.is("=") {
		p.coverError = true
		value = p.initialised(value)
	}
	e := p.newExpr(exprProperty, word.start, "")
	e.inner = value
	return e
}

// propertyKey is the name of a property or of a member of a class.
type propertyKey struct {
	name      string // of a word, a string or a private name
	isWord    bool
	isPrivate bool
}

func (p *parser) propertyName() (key propertyKey) {
	switch p.tok.kind {
	case tokString:
		key.name, _ = p.stringValue()
		p.next()
	case tokNumber:
		p.next()
	case tokName, tokKeyword:
		key.name, key.isWord = p.propertyWord(), true
	default:
		p.expect("[")
		p.assign(false, false)
		p.expect("]")
	}
	return key
}

// propertyWord reads a word where keywords are words like any other.
func (p *parser) propertyWord() string {
	if p.tok.kind != tokName && p.tok.kind != tokKeyword {
		p.unexpected()
	}
	word := p.tok.text
	p.nextLiberal()
	return word
}

// template reads a template literal from its "`" on.
func (p *parser) template(tagged bool) {
	for !p.templateChunk(tagged) {
		p.scan()
		p.expression(false, false)
		if !p.is("}") {
			p.unexpected()
		}
	}
	p.tok.end = p.pos
	p.scan()
}

// newExpression reads new and what it constructs, or new.target.
func (p *parser) newExpression() {
	p.enter()
	defer p.leave()
	p.next()
	if p.eat(".") {
		if !p.isName("target") || !p.can(canNewTarget) {
			p.unexpected()
		}
		p.next()
		return
	}
	start := p.tok.start
	callee := p.subscripts(p.primary(false, true), start, true, false)
	if callee.kind == exprSuper {
		p.failAt(start, "super behind new")
	}
	if p.is("(") {
		p.arguments(false)
	}
}

// importExpression reads import(…) or import.meta.
func (p *parser) importExpression(forNew bool) {
	p.next()
	if p.eat(".") {
		if !p.isName("meta") {
			p.unexpected()
		}
		p.next()
		return
	}
	if forNew {
		p.unexpected()
	}
	p.expect("(")
	p.assign(false, false)
	if p.eat(",") && !p.is(")") {
		p.assign(false, false)
		p.eat(",")
	}
	p.expect(")")
}

func (p *parser) super() *expr {
	if !p.can(canSuper) {
		p.fail("super outside of a method")
	}
	start := p.tok.start
	p.next()
	if !p.is(".") && !p.is("[") && (!p.is("(") || !p.can(canSuperCall)) {
		p.unexpected()
	}
	return p.newExpr(exprSuper, start, "")
}
