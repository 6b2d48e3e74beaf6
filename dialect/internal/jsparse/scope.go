package jsparse

// context says what an expression or statement may use where it stands. Blocks inherit it, functions replace it.
type context uint16

const (
	canAwait context = 1 << iota
	canYield
	canReturn
	canSuper
	canSuperCall
	canNewTarget
	noArguments   // in a class field's initialiser
	inStaticBlock // directly in one, not in a function within
)

// throughArrows is the part of a context that an arrow function leaves as it is.
const throughArrows = canSuper | canSuperCall | canNewTarget | noArguments

// scopeKind says how names are declared in a scope.
type scopeKind uint8

const (
	scopeBlock scopeKind = iota
	scopeTop
	scopeFunction
	scopeStatic      // a static block of a class
	scopeSwitch      // the cases of a switch
	scopeSimpleCatch // a catch clause whose parameter is a plain name
)

// takesVars reports whether var declarations end up in a scope of this kind, instead of moving on outwards.
func (k scopeKind) takesVars() bool { return k == scopeTop || k == scopeFunction || k == scopeStatic }

// scope holds the names declared in a function, a block, or another stretch of source with names of its own.
type scope struct {
	kind    scopeKind
	context context
	outer   *scope
	// lexical holds the names of let, const, using, class, imports and functions in blocks; vars those of var,
	// parameters and functions in functions, also when they only pass through to an outer scope.
	lexical, vars names
	// catchParameter is the one lexical name a var may repeat.
	catchParameter string
}

type names map[string]struct{}

func (n *names) add(name string) {
	if *n == nil {
		*n = names{}
	}
	(*n)[name] = struct{}{}
}

func (n names) has(name string) bool {
	_, ok := n[name]
	return ok
}

func (p *parser) pushScope(kind scopeKind, context context) {
	p.scope = &scope{kind: kind, context: context, outer: p.scope}
}

func (p *parser) pushBlock(kind scopeKind) { p.pushScope(kind, p.scope.context) }

// popScope leaves a scope. The vars declared in it are checked against each scope they pass when that is left, the
// smaller set against the larger, so that deep nesting costs no more than the names themselves.
func (p *parser) popScope() {
	left := p.scope
	p.scope = left.outer
	if left.kind.takesVars() || len(left.vars) == 0 {
		return
	}
	into := p.scope
	for name := range smaller(left.vars, into.lexical) {
		if left.vars.has(name) && into.lexical.has(name) && !into.mayRepeat(name) {
			p.fail(name + " is declared already")
		}
	}
	if len(left.vars) > len(into.vars) {
		left.vars, into.vars = into.vars, left.vars
	}
	for name := range left.vars {
		into.vars.add(name)
	}
}

func smaller(a, b names) names {
	if len(a) < len(b) {
		return a
	}
	return b
}

func (s *scope) mayRepeat(name string) bool {
	return s.kind == scopeSimpleCatch && s.catchParameter == name
}

// can reports whether the context allows what.
func (p *parser) can(what context) bool { return p.scope.context&what != 0 }

// bindingKind is how a name is declared.
type bindingKind uint8

const (
	bindVar bindingKind = iota
	bindLexical
	bindCatch // the parameter of a simple catch clause
)

func (p *parser) declare(name string, kind bindingKind, at int) {
	s := p.scope
	switch kind {
	case bindVar:
		if s.lexical.has(name) && !s.mayRepeat(name) {
			p.failAt(at, name+" is declared already")
		}
		s.vars.add(name)
	case bindLexical:
		if s.lexical.has(name) || s.vars.has(name) {
			p.failAt(at, name+" is declared already")
		}
		s.lexical.add(name)
	case bindCatch:
		s.catchParameter = name
		s.lexical.add(name)
	}
}

// functionBinding returns how a function declaration binds its name in the current scope. acorn: at the top of a
// static block it is lexical.
func (p *parser) functionBinding() bindingKind {
	if p.scope.kind == scopeFunction {
		return bindVar
	}
	return bindLexical
}

// label is a label in reach, or the anonymous target that each loop and switch is.
type label struct {
	name   string
	target targetKind
	at     int // where the labelled statement starts, so that labels in a row learn what they label
}

type targetKind uint8

const (
	noTarget targetKind = iota
	loopTarget
	switchTarget
)

// withLabel runs body with one more target in reach.
func (p *parser) withLabel(l label, body func()) {
	p.labels = append(p.labels, l)
	body()
	p.labels = p.labels[:len(p.labels)-1]
}

// withoutLabels runs body with no target in reach, as functions do.
func (p *parser) withoutLabels(body func()) {
	saved := p.labels
	p.labels = nil
	body()
	p.labels = saved
}

// checkJump fails unless a break or continue at offset at has a target. name is "" without a label.
func (p *parser) checkJump(isBreak bool, name string, at int) {
	for _, l := range p.labels {
		if name != "" && l.name != name {
			continue
		}
		if l.target == loopTarget || isBreak && (l.target != noTarget || name != "") {
			return
		}
	}
	p.failAt(at, "no target to jump to")
}
