package jsparse

// forStatement reads a for statement of any sort. Its head is a scope of its own.
func (p *parser) forStatement() {
	p.next()
	isAwait := p.can(canAwait) && p.eatName("await")
	p.pushBlock(scopeBlock)
	p.expect("(")
	switch {
	case p.is(";"):
		p.forTail(isAwait)
	case p.is("var"), p.is("const"), p.isName("let"):
		kind := p.tok.text
		p.next()
		p.forDeclaration(kind, isAwait)
	case p.atUsing(true):
		p.eatAwaitOfUsing()
		p.next()
		p.forDeclaration("using", isAwait)
	default:
		p.forExpression(isAwait)
	}
	p.popScope()
}

// forDeclaration reads on behind for (var.
func (p *parser) forDeclaration(kind string, isAwait bool) {
	list := p.declarators(kind, true)
	if !p.is("in") && !p.isName("of") || len(list) != 1 {
		p.forTail(isAwait)
		return
	}
	if list[0].initialised {
		p.fail("initialiser ahead of in or of")
	}
	if p.is("in") && (isAwait || kind == "using") {
		p.unexpected()
	}
	p.forEach()
}

// forExpression reads on behind for ( when an expression follows.
func (p *parser) forExpression(isAwait bool) {
	first := p.tok
	var target *expr
	if isAwait {
		p.coverError = false
		target = p.leftHandSide(false)
	} else {
		target = p.expression(true, true)
	}
	switch {
	case p.is("in"):
		if isAwait {
			p.unexpected()
		}
	case p.isName("of"):
		if !isAwait && target.kind == exprName && target.start == first.start && target.name == "async" && !first.escaped {
			p.unexpected()
		}
	default:
		p.valueOnly()
		p.forTail(isAwait)
		return
	}
	p.coverError = false
	p.checkTarget(target, false)
	p.forEach()
}

// forEach reads on at the in or of.
func (p *parser) forEach() {
	if p.eat("in") {
		p.expression(false, false)
	} else {
		p.next()
		p.assign(false, false)
	}
	p.expect(")")
	p.loopBody()
}

// forTail reads on at the first semicolon of for (;;).
func (p *parser) forTail(isAwait bool) {
	if isAwait {
		p.fail("for await without of")
	}
	p.expect(";")
	if !p.is(";") {
		p.expression(false, false)
	}
	p.expect(";")
	if !p.is(")") {
		p.expression(false, false)
	}
	p.expect(")")
	p.loopBody()
}
