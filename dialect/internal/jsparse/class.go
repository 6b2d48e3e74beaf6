package jsparse

type classKind uint8

const (
	classDeclaration classKind = iota
	classDefault               // a declaration whose name may be missing
	classExpression
)

// class reads a class and returns its name.
func (p *parser) class(kind classKind) (name string) {
	p.next()
	switch {
	case p.tok.kind == tokName:
		e := p.bindingName()
		name = e.name
		if kind != classExpression { // acorn: an expression may be named eval
			p.bind(e, bindLexical, nil)
		}
	case kind == classDeclaration:
		p.unexpected()
	}
	inherits := p.eat("extends")
	if inherits {
		p.leftHandSide(false)
		p.valueOnly()
	}
	p.classes = append(p.classes, &privateNames{})
	p.expect("{")
	sawConstructor := false
	for !p.is("}") {
		p.classElement(inherits, &sawConstructor)
	}
	p.next()
	p.popPrivateNames()
	return name
}

// classElement reads a member of a class.
func (p *parser) classElement(inherits bool, sawConstructor *bool) {
	if p.eat(";") {
		return
	}
	m := p.modifiers()
	if m.isBlock {
		p.staticBlock()
		return
	}
	at := p.tok.start
	key := propertyKey{name: m.name, isWord: true}
	if m.name == "" {
		key = p.classElementName()
	}
	isConstructor := !key.isPrivate && key.name == "constructor"
	if m.isStatic && !key.isPrivate && key.name == "prototype" {
		p.failAt(at, "static member named prototype")
	}
	switch {
	case m.accessor != "":
		if isConstructor && !m.isStatic {
			p.failAt(at, "accessor named constructor")
		}
		p.accessor(m.accessor)
	case m.sort != 0 || p.is("("):
		p.method(m, at, isConstructor && !m.isStatic, inherits, sawConstructor)
	default:
		if isConstructor {
			p.failAt(at, "field named constructor")
		}
		p.field()
	}
	if key.isPrivate {
		p.declarePrivate(key.name, m, at)
	}
}

// method reads the function of a method or constructor.
func (p *parser) method(m modifiers, at int, isConstructor, inherits bool, sawConstructor *bool) {
	uses := m.sort | canSuper
	if isConstructor {
		if m.sort != 0 || *sawConstructor {
			p.failAt(at, "second constructor, or one that is no plain method")
		}
		*sawConstructor = true
		if inherits {
			uses |= canSuperCall
		}
	}
	p.function(uses)
}

// field reads the initialiser of a field, if there is one.
func (p *parser) field() {
	if p.eat("=") {
		p.pushScope(scopeFunction, canSuper|canNewTarget|noArguments)
		p.assign(false, false)
		p.popScope()
	}
	p.semicolon()
}

func (p *parser) staticBlock() {
	p.pushScope(scopeStatic, canSuper|canNewTarget|inStaticBlock)
	p.withoutLabels(p.statementsInBraces)
	p.popScope()
}

// modifiers is what stands ahead of the name of a class element. The words may also be the name itself.
type modifiers struct {
	isStatic bool
	isBlock  bool    // static ahead of a block
	sort     context // of a method: canAwait for async, canYield for a generator
	accessor string  // "get" or "set"
	name     string  // the element's name, when that was among the words
}

func (p *parser) modifiers() (m modifiers) {
	if p.eatName("static") {
		m.isBlock = p.is("{")
		m.isStatic = p.startsClassElementName() || p.is("*")
		if !m.isStatic {
			m.name = "static"
			return m
		}
	}
	if p.eatName("async") {
		if (!p.startsClassElementName() && !p.is("*")) || p.semicolonInserted() {
			m.name = "async"
			return m
		}
		m.sort = canAwait
	}
	if p.eat("*") {
		m.sort |= canYield
	}
	if m.sort == 0 && (p.isName("get") || p.isName("set")) {
		m.accessor = p.tok.text
		p.next()
		if !p.startsClassElementName() {
			m.name, m.accessor = m.accessor, ""
		}
	}
	return m
}

func (p *parser) startsClassElementName() bool {
	switch p.tok.kind {
	case tokName, tokKeyword, tokPrivate, tokNumber, tokString:
		return true
	}
	return p.is("[")
}

func (p *parser) classElementName() propertyKey {
	if p.tok.kind != tokPrivate {
		return p.propertyName()
	}
	name := p.tok.text
	if name == "constructor" {
		p.fail("member named #constructor")
	}
	p.next()
	return propertyKey{name: name, isPrivate: true}
}

// privateNames holds the private names a class body declares and those used in it and not declared further inside.
type privateNames struct {
	declared map[string]privateKind
	used     map[string]int // the offset of a use
}

// privateKind tells the declarations of a private name that may stand side by side: a getter and a setter that are
// both static or both not.
type privateKind struct {
	accessor string // "get", "set", or "" for everything that stands alone
	isStatic bool
}

func (p *parser) declarePrivate(name string, m modifiers, at int) {
	class := p.classes[len(p.classes)-1]
	kind := privateKind{m.accessor, m.isStatic}
	if earlier, ok := class.declared[name]; ok {
		isPair := earlier.accessor != "" && kind.accessor != "" && earlier.accessor != kind.accessor
		if !isPair || earlier.isStatic != kind.isStatic {
			p.failAt(at, "#"+name+" is declared already")
		}
		kind.accessor = ""
	}
	if class.declared == nil {
		class.declared = map[string]privateKind{}
	}
	class.declared[name] = kind
}

// usePrivate reads a private name that some class around must declare.
func (p *parser) usePrivate() {
	if len(p.classes) == 0 {
		p.fail("private name outside of a class")
	}
	class := p.classes[len(p.classes)-1]
	if class.used == nil {
		class.used = map[string]int{}
	}
	class.used[p.tok.text] = p.tok.start
	p.next()
}

// popPrivateNames leaves a class body. Names it does not declare are left to the class around it.
func (p *parser) popPrivateNames() {
	class := p.classes[len(p.classes)-1]
	p.classes = p.classes[:len(p.classes)-1]
	for name := range class.declared {
		delete(class.used, name)
	}
	if len(class.used) == 0 {
		return
	}
	if len(p.classes) == 0 {
		for name, at := range class.used {
			p.failAt(at, "#"+name+" is not declared")
		}
	}
	outer := p.classes[len(p.classes)-1]
	if len(class.used) > len(outer.used) {
		class.used, outer.used = outer.used, class.used
	}
	for name, at := range class.used {
		outer.used[name] = at
	}
}
