package jsparse

// exprKind tells expressions apart as far as assignment, delete and normalisation ask.
type exprKind uint8

const (
	exprOther    exprKind = iota
	exprName              // an identifier
	exprMember            // a.b, a[b], a.#b
	exprChain             // an optional chain
	exprArray             // an array literal or pattern
	exprObject            // an object literal or pattern
	exprProperty          // a member of one with a value; other members but spreads are exprOther
	exprSpread            // ...inner, also as the rest of a pattern
	exprAssign            // inner = something, also as a default in a pattern
	exprArrow             // an arrow function
	exprString            // a string literal
	exprPrivate           // #name, the left operand of in
	exprSuper             // super, ahead of its member or call
)

// expr is what an expression leaves behind.
type expr struct {
	kind       exprKind
	parens     bool    // stands in parentheses
	isPrivate  bool    // a member or chain that ends in a private name
	comma      bool    // a spread with a comma behind it
	start, end int     // without the parentheses around it
	name       string  // of an exprName, escapes decoded
	inner      *expr   // the operand of a spread, the target of an assignment, the value of a property
	items      []*expr // of arrays (nil for a hole) and objects
}

// newExpr returns an expression that starts at start and ends with the token consumed last.
func (p *parser) newExpr(kind exprKind, start int, name string) *expr {
	if len(p.pool) == 0 {
		p.pool = make([]expr, 64)
	}
	e := &p.pool[0]
	p.pool = p.pool[1:]
	e.kind, e.start, e.end, e.name = kind, start, p.prevEnd, name
	return e
}

func (p *parser) other(start int) *expr { return p.newExpr(exprOther, start, "") }

// valueOnly fails when an object literal is pending that would have had to become a pattern.
func (p *parser) valueOnly() {
	if p.coverError {
		p.fail("object literal is valid as a pattern only")
	}
}

// expression reads an expression, commas included. noIn leaves the operator in alone, as the head of a for statement
// does; cover permits object literals that are valid as patterns only, which the caller then decides on.
func (p *parser) expression(noIn, cover bool) *expr {
	start := p.tok.start
	e := p.assign(noIn, cover)
	if !p.is(",") {
		return e
	}
	for p.eat(",") {
		p.assign(noIn, cover)
	}
	return p.other(start)
}

// assign reads an AssignmentExpression.
func (p *parser) assign(noIn, cover bool) *expr {
	p.enter()
	defer p.leave()
	if p.isName("yield") && p.can(canYield) {
		return p.yield(noIn)
	}
	pending := p.coverError
	p.coverError = false
	start := p.tok.start
	if p.tok.kind == tokName || p.is("(") {
		p.arrowAt = start
	}
	e := p.conditional(noIn)
	if !isBareArrow(e, start) && p.tok.kind == tokPunctuator && isAssignment(p.tok.text) {
		e = p.assignment(e, start, noIn)
	}
	if !cover {
		p.valueOnly()
	}
	p.coverError = p.coverError || pending
	return e
}

func isAssignment(operator string) bool {
	switch operator {
	case "=", "+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", ">>>=", "&=", "|=", "^=", "&&=", "||=", "??=":
		return true
	}
	return false
}

// assignment reads on at the operator of an assignment to target.
func (p *parser) assignment(target *expr, start int, noIn bool) *expr {
	kind := exprOther
	if p.is("=") {
		kind = exprAssign
		p.checkTarget(target, false)
		p.coverError = false
	} else {
		p.checkSimpleTarget(target)
	}
	p.next()
	p.assign(noIn, false)
	e := p.newExpr(kind, start, "")
	e.inner = target
	return e
}

func (p *parser) yield(noIn bool) *expr {
	start := p.tok.start
	p.sawYield = true
	p.next()
	if !p.semicolonInserted() && (p.is("*") || p.startsExpression()) {
		p.eat("*")
		p.assign(noIn, false)
	}
	return p.other(start)
}

func (p *parser) startsExpression() bool {
	switch p.tok.kind {
	case tokName, tokPrivate, tokNumber, tokString:
		return true
	case tokEOF:
		return false
	}
	switch p.tok.text {
	case "(", "[", "{", "`", "++", "--", "!", "~", "+", "-", "/", "/=",
		"class", "delete", "false", "function", "import", "new", "null", "super", "this", "true", "typeof", "void":
		return true
	}
	return false
}

// isBareArrow reports whether e, read from start on, is an arrow function without parentheses: no operand.
func isBareArrow(e *expr, start int) bool { return e.kind == exprArrow && e.start == start }

func (p *parser) conditional(noIn bool) *expr {
	start := p.tok.start
	e := p.unary(noIn, false, false)
	if isBareArrow(e, start) {
		return e
	}
	e = p.binary(e, start, 0, noIn)
	if !p.eat("?") {
		return e
	}
	p.assign(false, false)
	p.expect(":")
	p.assign(noIn, false)
	return p.other(start)
}

// precedence returns how tightly the binary operator at the current token binds, 0 when there is none. "**" is read
// with unary expressions.
func (p *parser) precedence(noIn bool) int {
	if p.tok.kind != tokPunctuator && p.tok.kind != tokKeyword {
		return 0
	}
	switch p.tok.text {
	case "??", "||":
		return 1
	case "&&":
		return 2
	case "|":
		return 3
	case "^":
		return 4
	case "&":
		return 5
	case "==", "!=", "===", "!==":
		return 6
	case "in":
		if noIn {
			return 0
		}
		return 7
	case "<", ">", "<=", ">=", "instanceof":
		return 7
	case "<<", ">>", ">>>":
		return 8
	case "+", "-":
		return 9
	case "*", "/", "%":
		return 10
	}
	return 0
}

// binary reads the operators that bind tighter than above, and their right operands, behind left.
func (p *parser) binary(left *expr, start, above int, noIn bool) *expr {
	for {
		precedence := p.precedence(noIn)
		if precedence <= above {
			return left
		}
		operator := p.tok.text
		p.next()
		rightStart := p.tok.start
		right := p.unary(noIn, false, false)
		if operator == "??" { // its right operand holds no && either, so that mixing them shows below
			precedence = 2
		}
		right = p.binary(right, rightStart, precedence, noIn)
		if right.kind == exprPrivate {
			p.failAt(right.start, "private name is no operand")
		}
		left = p.other(start)
		isLogical := operator == "||" || operator == "&&"
		if isLogical && p.is("??") || operator == "??" && (p.is("||") || p.is("&&")) {
			p.fail("?? mixed with || or &&")
		}
	}
}

// unary reads a unary expression and the "**" behind it. sawUnary is set for the operand of another unary operator,
// where "**" is ambiguous, and isUpdate for that of "++" and "--", which leaves "**" to its caller.
func (p *parser) unary(noIn, sawUnary, isUpdate bool) *expr {
	p.enter()
	defer p.leave()
	start := p.tok.start
	var e *expr
	switch {
	case p.isName("await") && p.can(canAwait):
		p.sawAwait = true
		p.next()
		p.unary(noIn, true, false)
		e, sawUnary = p.other(start), true
	case p.isPrefix():
		var unary bool
		e, unary = p.prefixed(start, noIn)
		sawUnary = sawUnary || unary
	case p.tok.kind == tokPrivate && !sawUnary:
		if noIn || len(p.classes) == 0 {
			p.unexpected()
		}
		p.usePrivate()
		e = p.newExpr(exprPrivate, start, "")
		if !p.is("in") {
			p.unexpected()
		}
	default:
		e = p.postfixed(start, noIn)
	}
	if isUpdate || isBareArrow(e, start) || !p.is("**") {
		return e
	}
	if sawUnary {
		p.unexpected()
	}
	p.next()
	if p.unary(noIn, false, false).kind == exprPrivate {
		p.unexpected()
	}
	return p.other(start)
}

func (p *parser) isPrefix() bool {
	if p.tok.kind != tokPunctuator && p.tok.kind != tokKeyword {
		return false
	}
	switch p.tok.text {
	case "!", "~", "+", "-", "++", "--", "delete", "typeof", "void":
		return true
	}
	return false
}

// prefixed reads a prefix operator and its operand. unary is false for "++" and "--", which "**" may follow.
func (p *parser) prefixed(start int, noIn bool) (e *expr, unary bool) {
	operator := p.tok.text
	isUpdate := operator == "++" || operator == "--"
	p.next()
	operand := p.unary(noIn, true, isUpdate)
	switch {
	case isUpdate:
		p.checkSimpleTarget(operand)
	case operator == "delete" && operand.kind == exprName:
		p.failAt(start, "delete of a variable")
	case operator == "delete" && operand.isPrivate:
		p.failAt(start, "delete of a private name")
	}
	return p.other(start), !isUpdate
}

// postfixed reads an operand and the "++" or "--" behind it.
func (p *parser) postfixed(start int, noIn bool) *expr {
	e := p.leftHandSide(noIn)
	for (p.is("++") || p.is("--")) && !p.tok.newline {
		p.checkSimpleTarget(e)
		p.next()
		e = p.other(start)
	}
	return e
}

// leftHandSide reads an operand with its members and calls.
func (p *parser) leftHandSide(noIn bool) *expr {
	start := p.tok.start
	e := p.primary(noIn, false)
	if isBareArrow(e, start) {
		return e
	}
	return p.subscripts(e, start, false, noIn)
}

// subscripts reads the members, calls and templates behind base. noCalls leaves calls to the new ahead of base.
func (p *parser) subscripts(base *expr, start int, noCalls, noIn bool) *expr {
	mayBeArrow := base.kind == exprName && base.name == "async" && base.end-base.start == len("async") &&
		p.prevEnd == base.end && p.arrowAt == base.start && !p.semicolonInserted()
	inChain := false
	for {
		optional := p.is("?.")
		if optional {
			if noCalls {
				p.fail("optional chain behind new")
			}
			p.next()
			inChain = true
		}
		switch {
		case p.is("`"):
			if inChain {
				p.fail("template in an optional chain")
			}
			p.template(true)
			base = p.other(start)
		case p.is("(") && !noCalls:
			var isArrow bool
			if base, isArrow = p.call(start, mayBeArrow && !optional, noIn); isArrow {
				return base
			}
		case p.is("["), p.is("."), optional:
			base = p.member(base, start, optional)
		default:
			if inChain {
				base.kind = exprChain
			}
			return base
		}
		mayBeArrow = false
	}
}

// member reads a property access, from behind the "?." on if it is optional.
func (p *parser) member(base *expr, start int, optional bool) *expr {
	p.valueOnly()
	isPrivate := false
	if p.eat("[") {
		p.expression(false, false)
		p.expect("]")
	} else {
		if !optional {
			p.expect(".")
		}
		if isPrivate = p.tok.kind == tokPrivate && base.kind != exprSuper; isPrivate {
			p.usePrivate()
		} else {
			p.propertyWord()
		}
	}
	e := p.newExpr(exprMember, start, "")
	e.isPrivate = isPrivate
	return e
}

// call reads arguments, or the whole of an async arrow function when they turn out to be its parameters.
func (p *parser) call(start int, mayBeArrow, noIn bool) (e *expr, isArrow bool) {
	sawAwait, sawYield := p.sawAwait, p.sawYield
	p.sawAwait, p.sawYield = false, false
	arguments := p.arguments(mayBeArrow)
	if mayBeArrow && p.atArrow() {
		return p.arrowBehind(arguments, start, sawAwait, sawYield, canAwait, noIn), true
	}
	p.valueOnly()
	p.sawAwait, p.sawYield = p.sawAwait || sawAwait, p.sawYield || sawYield
	return p.other(start), false
}

// arguments reads the arguments of a call. It returns them only if they may be parameters yet.
func (p *parser) arguments(mayBeParameters bool) (list []*expr) {
	p.expect("(")
	for !p.eat(")") {
		start := p.tok.start
		isSpread := p.eat("...")
		e := p.assign(false, mayBeParameters)
		if isSpread {
			e = p.spread(start, e)
		}
		if mayBeParameters {
			list = append(list, e)
		}
		if !p.is(")") {
			p.expect(",")
		}
	}
	return list
}

// spread wraps the operand of a "..." that stood at start.
func (p *parser) spread(start int, operand *expr) *expr {
	e := p.newExpr(exprSpread, start, "")
	e.inner, e.comma = operand, p.is(",")
	return e
}
