package jsparse

// identifier reads a name that is bound or referred to.
func (p *parser) identifier() string {
	name := p.tok.text
	if p.tok.kind != tokName {
		p.unexpected()
	}
	p.checkName(p.tok)
	p.next()
	return name
}

// checkName fails when word, at or ahead of the current token, may not be an identifier here.
func (p *parser) checkName(word token) {
	switch {
	case word.kind == tokKeyword, isReservedName(word.text):
		p.failAt(word.start, word.text+" is reserved")
	case word.text == "arguments" && p.can(noArguments|inStaticBlock):
		p.failAt(word.start, "arguments in a class initialiser")
	}
}

// isRestrictedName reports whether strict code may use name but neither bind nor assign it.
func isRestrictedName(name string) bool { return name == "eval" || name == "arguments" }

func (p *parser) bindingName() *expr {
	start := p.tok.start
	name := p.identifier()
	return p.newExpr(exprName, start, name)
}

// bindingTarget reads what a declaration or parameter binds: a name or a pattern.
func (p *parser) bindingTarget() *expr {
	p.enter()
	defer p.leave()
	switch {
	case p.is("["):
		return p.arrayPattern()
	case p.is("{"):
		return p.objectPattern()
	}
	return p.bindingName()
}

// bindingElement reads a binding with maybe a default.
func (p *parser) bindingElement() *expr {
	return p.initialised(p.bindingTarget())
}

// initialised reads the default behind target, when there is one.
func (p *parser) initialised(target *expr) *expr {
	if !p.eat("=") {
		return target
	}
	p.assign(false, false)
	e := p.newExpr(exprAssign, target.start, "")
	e.inner = target
	return e
}

func (p *parser) arrayPattern() *expr {
	start := p.tok.start
	p.next()
	var items []*expr
	for !p.eat("]") {
		if p.eat(",") {
			continue
		}
		items = append(items, p.bindingOrRest("]"))
	}
	e := p.newExpr(exprArray, start, "")
	e.items = items
	return e
}

// bindingOrRest reads an item of a list that close ends, and the comma behind it. No comma may follow a rest.
func (p *parser) bindingOrRest(close string) *expr {
	start := p.tok.start
	if p.eat("...") {
		e := p.spread(start, p.bindingTarget())
		if !p.is(close) {
			p.unexpected()
		}
		return e
	}
	e := p.bindingElement()
	if !p.is(close) {
		p.expect(",")
	}
	return e
}

func (p *parser) objectPattern() *expr {
	start := p.tok.start
	var items []*expr
	p.braced(func() {
		e := p.newExpr(exprProperty, p.tok.start, "")
		e.inner = p.propertyPattern()
		items = append(items, e)
	})
	e := p.newExpr(exprObject, start, "")
	e.items = items
	return e
}

// propertyPattern reads one member of an object pattern and returns what it binds.
func (p *parser) propertyPattern() *expr {
	if p.eat("...") {
		rest := p.bindingName()
		if !p.is("}") {
			p.unexpected()
		}
		return rest
	}
	word := p.tok
	key := p.propertyName()
	if p.eat(":") {
		return p.bindingElement()
	}
	if !key.isWord {
		p.unexpected()
	}
	p.checkName(word)
	return p.initialised(p.newExpr(exprName, word.start, word.text))
}

// eachName calls visit for each name that target, a binding, binds.
func (p *parser) eachName(target *expr, visit func(name *expr)) {
	switch {
	case target.kind == exprName:
		visit(target)
	case target.inner != nil:
		p.eachName(target.inner, visit)
	default:
		for _, item := range target.items {
			if item != nil {
				p.eachName(item, visit)
			}
		}
	}
}

// bind declares the names of target. With seen, which collects the names of a parameter list, none may repeat.
func (p *parser) bind(target *expr, kind bindingKind, seen *names) {
	p.eachName(target, func(name *expr) {
		if isRestrictedName(name.name) {
			p.failAt(name.start, "binding "+name.name)
		}
		if seen != nil {
			if seen.has(name.name) {
				p.failAt(name.start, "duplicate parameter "+name.name)
			}
			seen.add(name.name)
		}
		p.declare(name.name, kind, name.start)
	})
}

// checkSimpleTarget fails unless e can be assigned to by an operator other than "=".
func (p *parser) checkSimpleTarget(e *expr) {
	if e.kind != exprMember && (e.kind != exprName || isRestrictedName(e.name)) {
		p.failAt(e.start, "invalid assignment target")
	}
}

// checkTarget fails unless e, read as an expression, is valid as the target of "=", or of a binding if isBinding.
func (p *parser) checkTarget(e *expr, isBinding bool) {
	if e.parens && isBinding {
		p.failAt(e.start, "parentheses in a pattern")
	}
	switch {
	case e.kind == exprArray && !e.parens, e.kind == exprObject && !e.parens:
		for _, item := range e.items {
			if item != nil {
				p.checkItem(item, e.kind, isBinding)
			}
		}
	case e.kind == exprMember && isBinding:
		p.failAt(e.start, "binding a member")
	default:
		p.checkSimpleTarget(e)
	}
}

// checkItem fails unless item is valid in a pattern of kind exprArray or exprObject; parameters are items of an array.
func (p *parser) checkItem(item *expr, in exprKind, isBinding bool) {
	switch item.kind {
	case exprProperty:
		p.checkElement(item.inner, isBinding)
	case exprSpread:
		rest := item.inner
		if item.comma || in == exprObject && (rest.kind == exprArray || rest.kind == exprObject) {
			p.failAt(item.start, "invalid rest")
		}
		p.checkTarget(rest, isBinding)
	default:
		if in == exprObject {
			p.failAt(item.start, "invalid member of a pattern")
		}
		p.checkElement(item, isBinding)
	}
}

// checkElement is checkTarget for a place where a default may follow the target.
func (p *parser) checkElement(e *expr, isBinding bool) {
	if e.kind == exprAssign && !e.parens {
		e = e.inner
		if !isBinding {
			return // checked when the assignment was read
		}
	}
	p.checkTarget(e, isBinding)
}
