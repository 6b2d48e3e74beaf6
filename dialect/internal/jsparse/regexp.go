package jsparse

import (
	"strings"
	"unicode/utf16"
)

// regularExpression reads a regular expression literal; the current token is the "/" or "/=" it starts with.
func (p *parser) regularExpression() {
	start := p.tok.start
	p.pos = start + 1
	inClass := false
	for ; inClass || p.at(p.pos) != '/'; p.pos++ {
		if p.at(p.pos) == '\\' {
			p.pos++
		} else if p.at(p.pos) == '[' {
			inClass = true
		} else if p.at(p.pos) == ']' {
			inClass = false
		}
		if p.pos >= len(p.src) || isLineEnd(p.rune()) {
			p.failAt(start, "unterminated regular expression")
		}
	}
	body := p.src[start+1 : p.pos]
	p.pos++
	flagsStart := p.pos
	for p.pos < len(p.src) && (isIdentifierPart(p.rune()) || p.at(p.pos) == '\\') {
		p.pos += runeLength(p.rune(), p.src[p.pos:])
	}
	if message := checkRegExp(body, p.src[flagsStart:p.pos]); message != "" {
		p.failAt(start, message)
	}
	p.tok.end = p.pos
	p.scan()
}

// checkRegExp returns what is wrong with a regular expression, "" if nothing is.
func checkRegExp(body, flags string) (message string) {
	for i, flag := range flags {
		if !strings.ContainsRune("dgimsuvy", flag) || strings.ContainsRune(flags[:i], flag) {
			return "invalid regular expression flag"
		}
	}
	r := &regExp{units: utf16.Encode([]rune(body)), sets: strings.Contains(flags, "v")}
	r.unicode = r.sets || strings.Contains(flags, "u")
	r.named = r.unicode
	if r.sets && strings.Contains(flags, "u") {
		return "invalid regular expression flag"
	}
	defer func() {
		switch failure := recover().(type) {
		case nil:
		case regExpError:
			message = "invalid regular expression: " + string(failure)
		default:
			panic(failure)
		}
	}()
	r.pattern()
	if !r.named && r.sawGroupName { // ECMA-262 §22.2.3.4: a group name anywhere gives \k its meaning everywhere
		r.named = true
		r.pattern()
	}
	return ""
}

// regExp checks a pattern by the grammar of ECMA-262 §22.2.1 with that of annex B for patterns without u or v. It works
// on UTF-16 code units, which is what such patterns mean.
type regExp struct {
	units []uint16
	pos   int
	depth int

	unicode bool // the u or v flag
	sets    bool // the v flag
	named   bool // \k is a reference by name

	groups          int // capturing groups so far
	highestNumber   int // the highest group that a \1 refers to, in Unicode patterns
	references      []string
	names           names // of all groups
	sawGroupName    bool
	reportedStrings bool
}

type regExpError string

func (r *regExp) fail(message string) { panic(regExpError(message)) }

const endOfPattern = -1

// runeAt returns the character at i and behind it the position of the next: code points when whole is set, code
// units otherwise.
func (r *regExp) runeAt(i int, whole bool) (c rune, next int) {
	if i >= len(r.units) {
		return endOfPattern, len(r.units)
	}
	c = rune(r.units[i])
	if whole && utf16.IsSurrogate(c) && i+1 < len(r.units) {
		if pair := utf16.DecodeRune(c, rune(r.units[i+1])); pair != 0xFFFD {
			return pair, i + 2
		}
	}
	return c, i + 1
}

func (r *regExp) peek() rune {
	c, _ := r.runeAt(r.pos, r.unicode)
	return c
}

func (r *regExp) advance() { _, r.pos = r.runeAt(r.pos, r.unicode) }

// eat consumes text, which is ASCII, if it comes next.
func (r *regExp) eat(text string) bool {
	for i := range len(text) {
		if r.pos+i >= len(r.units) || r.units[r.pos+i] != uint16(text[i]) {
			return false
		}
	}
	r.pos += len(text)
	return true
}

func (r *regExp) pattern() {
	r.pos, r.groups, r.highestNumber, r.references = 0, 0, 0, nil
	r.names = r.disjunction()
	if r.pos < len(r.units) {
		r.fail("unmatched bracket")
	}
	if r.highestNumber > r.groups {
		r.fail("reference to a missing group")
	}
	for _, name := range r.references {
		if !r.names.has(name) {
			r.fail("reference to a missing name")
		}
	}
}

// disjunction reads alternatives and returns the group names in them. A name may repeat in different alternatives.
func (r *regExp) disjunction() names {
	if r.depth++; r.depth > maxDepth {
		r.fail("nested too deeply")
	}
	all := r.alternative()
	for r.eat("|") {
		all = union(all, r.alternative())
	}
	r.depth--
	return all
}

// union adds the smaller set to the larger and returns that.
func union(a, b names) names {
	if len(a) < len(b) {
		a, b = b, a
	}
	for name := range b {
		a.add(name)
	}
	return a
}

func (r *regExp) alternative() (all names) {
	for {
		c := r.peek()
		if c == endOfPattern || c == '|' || c == ')' {
			return all
		}
		inTerm := r.term()
		for name := range smaller(inTerm, all) {
			if inTerm.has(name) && all.has(name) {
				r.fail("duplicate group name")
			}
		}
		all = union(all, inTerm)
	}
}

// term reads an assertion or an atom, with its quantifier, and returns the names of the groups in it.
func (r *regExp) term() (inTerm names) {
	switch {
	case r.eat("^"), r.eat("$"), r.eat(`\b`), r.eat(`\B`):
		return nil
	case r.eat("(?<="), r.eat("(?<!"):
		return r.groupEnd()
	case r.eat("(?="), r.eat("(?!"):
		inTerm = r.groupEnd()
		if r.unicode {
			return inTerm
		}
	case r.eat("("):
		inTerm = r.group()
	case r.eat("."):
	case r.eat("["):
		r.class()
	case r.eat(`\`):
		r.atomEscape()
	default:
		r.patternCharacter()
	}
	r.quantifier()
	return inTerm
}

func (r *regExp) patternCharacter() {
	switch c := r.peek(); {
	case c == '*', c == '+', c == '?':
		r.fail("nothing to repeat")
	case r.unicode && (c == '{' || c == '}' || c == ']'):
		r.fail("lone bracket")
	case c == '{' && r.braces():
		r.fail("nothing to repeat")
	}
	r.advance()
}

// quantifier consumes a quantifier, if there is one.
func (r *regExp) quantifier() {
	if r.eat("*") || r.eat("+") || r.eat("?") || r.braces() {
		r.eat("?")
	}
}

// braces consumes a quantifier in braces. Outside of Unicode patterns, other braces are characters like any other.
func (r *regExp) braces() bool {
	start := r.pos
	if !r.eat("{") {
		return false
	}
	least, ok := r.decimal()
	most := least
	if ok && r.eat(",") {
		if most, ok = r.decimal(); !ok {
			most, ok = least, true
		}
	}
	if ok && r.eat("}") {
		if most < least {
			r.fail("numbers out of order in quantifier")
		}
		return true
	}
	if r.unicode {
		r.fail("incomplete quantifier")
	}
	r.pos = start
	return false
}

// decimal reads a number; huge ones lose digits, as they do in the engines.
func (r *regExp) decimal() (value float64, ok bool) {
	for r.pos < len(r.units) && '0' <= r.units[r.pos] && r.units[r.pos] <= '9' {
		value, ok = value*10+float64(r.units[r.pos]-'0'), true
		r.pos++
	}
	return value, ok
}

// group reads on behind "(" when no assertion started there.
func (r *regExp) group() names {
	if !r.eat("?") {
		inside := r.groupEnd()
		r.groups++
		return inside
	}
	if !r.eat("<") {
		r.modifiers()
		return r.groupEnd()
	}
	r.sawGroupName = true
	name := r.groupName()
	inside := r.groupEnd()
	r.groups++
	if inside.has(name) {
		r.fail("duplicate group name")
	}
	inside.add(name)
	return inside
}

// groupEnd reads the inside of a group and its ")".
func (r *regExp) groupEnd() names {
	inside := r.disjunction()
	if !r.eat(")") {
		r.fail("unterminated group")
	}
	return inside
}

// modifiers reads the flags a group turns on and off, and the colon behind them.
func (r *regExp) modifiers() {
	start := r.pos
	seen := map[rune]bool{}
	hyphens := 0
	for ; !r.eat(":"); r.advance() {
		c := r.peek()
		if c == '-' {
			hyphens++
		} else if c != 'i' && c != 'm' && c != 's' {
			r.fail("invalid group")
		}
		if c != '-' && seen[c] || hyphens > 1 {
			r.fail("duplicate modifier")
		}
		seen[c] = true
	}
	if r.pos-start == len("-:") && hyphens == 1 {
		r.fail("no modifier")
	}
}

// groupName reads a name and its ">".
func (r *regExp) groupName() string {
	var name strings.Builder
	for first := true; first || !r.eat(">"); first = false {
		c, next := r.runeAt(r.pos, true)
		r.pos = next
		if c == '\\' {
			if !r.eat("u") {
				r.fail("invalid group name")
			}
			c = r.unicodeEscape()
		}
		if c < 0 || !isIdentifierPart(c) || first && !isIdentifierStart(c) {
			r.fail("invalid group name")
		}
		name.WriteRune(c)
	}
	return name.String()
}
