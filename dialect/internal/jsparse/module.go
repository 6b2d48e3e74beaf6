package jsparse

// exports collects what a module exports.
type exports struct {
	names  names        // exported under, "default" included
	locals []localNames // export { name } without from, which must be declared somewhere in the module
}

type localNames struct {
	name string
	at   int
}

func (p *parser) export(name string, at int) {
	if p.exports.names.has(name) {
		p.failAt(at, "duplicate export "+name)
	}
	p.exports.names.add(name)
}

// checkExports fails when a local name is exported that the module does not declare.
func (p *parser) checkExports() {
	for _, local := range p.exports.locals {
		if !p.scope.lexical.has(local.name) && !p.scope.vars.has(local.name) {
			p.failAt(local.at, "export "+local.name+" is not declared")
		}
	}
}

// exportDeclaration reads an export and fills in what a default export exports.
func (p *parser) exportDeclaration(s *Statement) {
	p.next()
	at := p.tok.start
	switch {
	case p.eat("*"):
		if p.eatName("as") {
			at := p.tok.start
			name, _, _ := p.moduleExportName()
			p.export(name, at)
		}
		p.from()
	case p.eat("default"):
		p.export("default", at)
		p.exportDefault(s)
	case p.is("var"), p.is("const"), p.isName("let"):
		kind := p.tok.text
		p.next()
		for _, d := range p.declarators(kind, false) {
			p.eachName(d.target, func(e *expr) { p.export(e.name, e.start) })
		}
		p.semicolon()
	case p.is("class"):
		name := p.class(classDeclaration)
		p.export(name, at)
	case p.is("function"), p.atAsyncFunction():
		name := p.functionDeclaration()
		p.export(name, at)
	default:
		p.exportList()
	}
}

// exportDefault reads on behind export default.
func (p *parser) exportDefault(s *Statement) {
	s.Kind, s.InnerStart = ExportDefault, p.tok.start
	switch {
	case p.is("function"), p.atAsyncFunction():
		if p.defaultFunction() == "" {
			s.Kind = ExportDefaultFunction
		}
		s.InnerEnd = p.prevEnd
	case p.is("class"):
		if p.class(classDefault) == "" {
			s.Kind = ExportDefaultClass
		}
		s.InnerEnd = p.prevEnd
	default:
		e := p.assign(false, false)
		s.InnerStart, s.InnerEnd = e.start, e.end
		p.semicolon()
	}
}

// exportList reads export { … }, with or without from.
func (p *parser) exportList() {
	type local struct {
		localNames
		isString, isReserved bool
	}
	var list []local
	p.braced(func() {
		l := local{localNames: localNames{at: p.tok.start}}
		var isKeyword bool
		l.name, l.isString, isKeyword = p.moduleExportName()
		l.isReserved = isKeyword || isReservedName(l.name)
		exported, at := l.name, l.at
		if p.eatName("as") {
			at = p.tok.start
			exported, _, _ = p.moduleExportName()
		}
		p.export(exported, at)
		list = append(list, l)
	})
	if p.isName("from") {
		p.from()
		return
	}
	for _, l := range list {
		if l.isString || l.isReserved {
			p.failAt(l.at, "no local name")
		}
		p.exports.locals = append(p.exports.locals, l.localNames)
	}
	p.semicolon()
}

// moduleExportName reads a name or a string that names an import or export.
func (p *parser) moduleExportName() (name string, isString, isKeyword bool) {
	if p.tok.kind != tokString {
		isKeyword = p.tok.kind == tokKeyword
		return p.propertyWord(), false, isKeyword
	}
	name, wellFormed := p.stringValue()
	if !wellFormed {
		p.fail("half a surrogate pair in a name")
	}
	p.next()
	return name, true, false
}

// braced reads a list in braces with commas between its items, and maybe one behind the last.
func (p *parser) braced(item func()) {
	p.expect("{")
	for !p.eat("}") {
		item()
		if !p.is("}") {
			p.expect(",")
		}
	}
}

// from reads the module specifier, the attributes and the semicolon that end an import or export.
func (p *parser) from() {
	p.expectName("from")
	p.specifier()
}

func (p *parser) specifier() {
	if p.tok.kind != tokString {
		p.unexpected()
	}
	p.next()
	if p.eat("with") {
		keys := names{}
		p.braced(func() { p.attribute(keys) })
	}
	p.semicolon()
}

func (p *parser) attribute(keys names) {
	key, at := "", p.tok.start
	if p.tok.kind == tokString {
		key, _ = p.stringValue()
		p.next()
	} else {
		key = p.propertyWord()
	}
	if keys.has(key) {
		p.failAt(at, "duplicate attribute "+key)
	}
	keys.add(key)
	p.expect(":")
	if p.tok.kind != tokString {
		p.unexpected()
	}
	p.next()
}

// importDeclaration reads a static import.
func (p *parser) importDeclaration() {
	p.next()
	if p.tok.kind == tokString {
		p.specifier()
		return
	}
	more := true
	if p.tok.kind == tokName {
		p.bind(p.bindingName(), bindLexical, nil)
		more = p.eat(",")
	}
	switch {
	case !more:
	case p.eat("*"):
		p.expectName("as")
		p.bind(p.bindingName(), bindLexical, nil)
	default:
		p.braced(p.importSpecifier)
	}
	p.from()
}

func (p *parser) importSpecifier() {
	at := p.tok.start
	name, isString, isKeyword := p.moduleExportName()
	if p.eatName("as") {
		p.bind(p.bindingName(), bindLexical, nil)
		return
	}
	if isString || isKeyword || isReservedName(name) {
		p.failAt(at, "no name to import to")
	}
	p.bind(p.newExpr(exprName, at, name), bindLexical, nil)
}
