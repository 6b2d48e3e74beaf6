package jsparse

// functionDeclaration reads a function declaration, async or not, declares its name and returns it.
func (p *parser) functionDeclaration() string {
	sort := p.functionSort()
	name := p.bindingName()
	p.bind(name, p.functionBinding(), nil)
	p.function(sort)
	return name.name
}

// defaultFunction is functionDeclaration where the name may be missing.
func (p *parser) defaultFunction() string {
	sort := p.functionSort()
	name := ""
	if p.tok.kind == tokName {
		e := p.bindingName()
		p.bind(e, p.functionBinding(), nil)
		name = e.name
	}
	p.function(sort)
	return name
}

// functionSort reads what leads to the name of a function and returns what it may use.
func (p *parser) functionSort() (sort context) {
	if p.eatName("async") {
		sort = canAwait
	}
	p.next()
	if p.eat("*") {
		sort |= canYield
	}
	return sort
}

// functionExpression reads on behind function.
func (p *parser) functionExpression(sort context) {
	if p.eat("*") {
		sort |= canYield
	}
	if p.tok.kind == tokName {
		if name := p.bindingName(); isRestrictedName(name.name) {
			p.failAt(name.start, "binding "+name.name)
		}
	}
	p.function(sort)
}

// function reads the parameters and the body of a function or method and returns the parameters. uses is what it may
// use beyond what every function may.
func (p *parser) function(uses context) (parameters []*expr) {
	p.ownMarks(func() {
		p.pushScope(scopeFunction, uses|canReturn|canNewTarget)
		p.expect("(")
		for !p.eat(")") {
			parameters = append(parameters, p.bindingOrRest(")"))
		}
		if p.sawAwait || p.sawYield {
			p.fail("await or yield in parameters")
		}
		p.functionBody(parameters)
		p.popScope()
	})
	return parameters
}

// ownMarks runs read with marks for await and yield of its own.
func (p *parser) ownMarks(read func()) {
	sawAwait, sawYield := p.sawAwait, p.sawYield
	p.sawAwait, p.sawYield = false, false
	read()
	p.sawAwait, p.sawYield = sawAwait, sawYield
}

// accessor reads the function of a getter or setter; kind is "get" or "set".
func (p *parser) accessor(kind string) {
	at := p.tok.start
	parameters := p.function(canSuper)
	switch {
	case kind == "get" && len(parameters) == 0:
	case kind == "set" && len(parameters) == 1 && parameters[0].kind != exprSpread:
	default:
		p.failAt(at, "wrong number of parameters")
	}
}

// arrow reads the body of an arrow function that starts at start; async is canAwait or 0.
func (p *parser) arrow(parameters []*expr, start int, async context, noIn bool) *expr {
	for _, parameter := range parameters {
		p.checkItem(parameter, exprArray, true)
	}
	p.ownMarks(func() {
		p.pushScope(scopeFunction, p.scope.context&throughArrows|canReturn|async)
		if p.is("{") {
			p.functionBody(parameters)
		} else {
			p.assign(noIn, false)
			p.bindParameters(parameters)
		}
		p.popScope()
	})
	return p.newExpr(exprArrow, start, "")
}

// bindParameters declares the parameters and reports whether they are all plain names.
func (p *parser) bindParameters(parameters []*expr) (simple bool) {
	simple = true
	var seen names
	for _, parameter := range parameters {
		simple = simple && parameter.kind == exprName
		p.bind(parameter, bindVar, &seen)
	}
	return simple
}

// functionBody reads the block of a function.
func (p *parser) functionBody(parameters []*expr) {
	simple := p.bindParameters(parameters)
	p.expect("{")
	p.withoutLabels(func() {
		inPrologue := true
		for !p.is("}") {
			e := p.statement(inList)
			inPrologue = inPrologue && e != nil && e.kind == exprString && !e.parens
			if inPrologue && !simple && p.src[e.start+1:e.end-1] == "use strict" {
				p.failAt(e.start, "use strict behind parameters that are not simple")
			}
		}
	})
	p.next()
}
