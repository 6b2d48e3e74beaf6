package jsparse

import "strings"

// notOne is the value of an escape that stands for a set of characters.
const notOne = -1

// atomEscape reads on behind a backslash outside of a class.
func (r *regExp) atomEscape() {
	c := r.peek()
	switch {
	case '1' <= c && c <= '9':
		if !r.unicode {
			r.characterEscape()
			return
		}
		n, _ := r.decimal()
		r.highestNumber = max(r.highestNumber, int(min(n, 1<<30)))
	case c == 'k' && r.named:
		r.advance()
		if !r.eat("<") {
			r.fail("invalid reference by name")
		}
		r.references = append(r.references, r.groupName())
	case r.setEscape():
	case c == 'c' && !r.unicode && !r.controlFollows():
		// The backslash stands for itself, and the c is the next atom.
	default:
		r.characterEscape()
	}
}

// setEscape consumes an escape that stands for a set: \d and the like, and \p{…} in Unicode patterns.
func (r *regExp) setEscape() bool {
	r.reportedStrings = false
	switch c := r.peek(); {
	case c >= 0 && strings.ContainsRune("dDsSwW", c):
		r.advance()
		return true
	case r.unicode && (c == 'p' || c == 'P'):
		r.advance()
		r.property(c == 'P')
		return true
	}
	return false
}

// property reads on behind \p or \P.
func (r *regExp) property(negated bool) {
	if !r.eat("{") {
		r.fail("invalid property name")
	}
	var text strings.Builder
	for !r.eat("}") {
		c := r.peek()
		if c < 0 || c > 'z' {
			r.fail("invalid property name")
		}
		text.WriteRune(c)
		r.advance()
	}
	name, value, hasValue := strings.Cut(text.String(), "=")
	switch {
	case hasValue && !isPropertyValue(name, value), !hasValue && !isProperty(name) && !(r.sets && isStringProperty(name)):
		r.fail("invalid property name")
	case !hasValue && isStringProperty(name):
		if negated {
			r.fail("negated property of strings")
		}
		r.reportedStrings = true
	}
}

// controlFollows reports whether the c at the position is that of a \cX.
func (r *regExp) controlFollows() bool {
	c, _ := r.runeAt(r.pos+1, false)
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// characterEscape reads on behind a backslash and returns the character that the escape stands for.
func (r *regExp) characterEscape() rune {
	c := r.peek()
	r.advance()
	switch c {
	case 't', 'n', 'v', 'f', 'r':
		return rune("\t\n\v\f\r"[strings.IndexRune("tnvfr", c)])
	case 'c':
		r.pos--
		if !r.controlFollows() {
			r.fail("invalid escape")
		}
		r.pos += 2
		return rune(r.units[r.pos-1] % 32)
	case 'x':
		if v, ok := r.hex(2); ok {
			return v
		}
	case 'u':
		if r.unicode {
			return r.unicodeEscape()
		}
		if v, ok := r.hex(4); ok {
			return v
		}
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return r.octal(c)
	}
	if r.unicode && (c < 0 || !strings.ContainsRune(`^$\.*+?()[]{}|/`, c)) || c < 0 {
		r.fail("invalid escape")
	}
	return c
}

// octal reads on behind the first digit of an escape. Unicode patterns have \0 only.
func (r *regExp) octal(first rune) rune {
	value := first - '0'
	if r.unicode {
		if c := r.peek(); first != '0' || '0' <= c && c <= '9' {
			r.fail("invalid escape")
		}
		return 0
	}
	for digits := 1; digits < 3 && value < 32; digits++ {
		c := r.peek()
		if c < '0' || '7' < c {
			break
		}
		value = value*8 + c - '0'
		r.advance()
	}
	return value
}

// hex consumes exactly n hexadecimal digits, or nothing. In Unicode patterns they have to be there.
func (r *regExp) hex(n int) (value rune, ok bool) {
	start := r.pos
	for range n {
		c, next := r.runeAt(r.pos, false)
		v, ok := hexValue(byte(c))
		if !ok || c < 0 || c > 'f' {
			if r.unicode {
				r.fail("invalid escape")
			}
			r.pos = start
			return 0, false
		}
		value = value<<4 | v
		r.pos = next
	}
	return value, true
}

// unicodeEscape reads on behind \u in a Unicode pattern or in a group name.
func (r *regExp) unicodeEscape() rune {
	wasUnicode := r.unicode
	r.unicode = true
	defer func() { r.unicode = wasUnicode }()
	if r.eat("{") {
		value, digits := rune(0), 0
		for ; !r.eat("}"); digits++ {
			v, _ := r.hex(1)
			if value = value<<4 | v; value > 0x10FFFF {
				r.fail("invalid escape")
			}
		}
		if digits == 0 {
			r.fail("invalid escape")
		}
		return value
	}
	high, _ := r.hex(4)
	if high < 0xD800 || 0xDBFF < high {
		return high
	}
	behind := r.pos
	if r.eat(`\u`) && r.hexFollows(4) {
		if low, _ := r.hex(4); 0xDC00 <= low && low <= 0xDFFF {
			return (high-0xD800)<<10 + (low - 0xDC00) + 0x10000
		}
	}
	r.pos = behind
	return high
}

func (r *regExp) hexFollows(n int) bool {
	for i := range n {
		c, _ := r.runeAt(r.pos+i, false)
		if c < 0 || c > 'f' {
			return false
		}
		if _, ok := hexValue(byte(c)); !ok {
			return false
		}
	}
	return true
}

// class reads on behind "[".
func (r *regExp) class() {
	if r.sets {
		r.setClass()
		return
	}
	r.eat("^")
	for !r.eat("]") {
		low := r.classAtom()
		if !r.eat("-") {
			continue
		}
		if r.peek() == ']' {
			continue
		}
		high := r.classAtom()
		if r.unicode && (low == notOne || high == notOne) {
			r.fail("set in a range")
		}
		if low != notOne && high != notOne && low > high {
			r.fail("range out of order")
		}
	}
}

// classAtom reads a character or set of a class without the v flag.
func (r *regExp) classAtom() rune {
	if !r.eat(`\`) {
		c := r.peek()
		if c == endOfPattern {
			r.fail("unterminated class")
		}
		r.advance()
		return c
	}
	c := r.peek()
	switch {
	case c == 'b':
		r.advance()
		return '\b'
	case c == '-' && r.unicode:
		r.advance()
		return '-'
	case c == 'c' && !r.unicode && !r.controlFollows():
		next, _ := r.runeAt(r.pos+1, false)
		if '0' <= next && next <= '9' || next == '_' {
			r.pos += 2
			return next % 32
		}
		return '\\'
	case c == 'k' && !r.unicode && r.named:
		return '\\'
	case r.setEscape():
		return notOne
	}
	return r.characterEscape()
}

// setClass reads on behind the "[" of a class with the v flag and reports whether it may match strings.
func (r *regExp) setClass() (strings bool) {
	if r.depth++; r.depth > maxDepth {
		r.fail("nested too deeply")
	}
	negated := r.eat("^")
	if !r.eat("]") {
		strings = r.setExpression()
		if !r.eat("]") {
			r.fail("unterminated class")
		}
	}
	if negated && strings {
		r.fail("negated class of strings")
	}
	r.depth--
	return strings
}

// setExpression reads a union, an intersection or a subtraction.
func (r *regExp) setExpression() (strings bool) {
	if !r.setRange() {
		strings = r.setOperand()
		switch {
		case r.eat("&&"):
			for more := true; more; more = r.eat("&&") {
				if r.peek() == '&' {
					r.fail("invalid character in class")
				}
				strings = r.setOperand() && strings
			}
			return strings
		case r.eat("--"):
			for more := true; more; more = r.eat("--") {
				r.setOperand()
			}
			return strings
		}
	}
	for r.peek() != ']' && r.peek() != endOfPattern {
		if !r.setRange() {
			strings = r.setOperand() || strings
		}
	}
	return strings
}

// setRange consumes a-z, or nothing.
func (r *regExp) setRange() bool {
	start := r.pos
	if low, ok := r.setCharacter(); ok && r.eat("-") {
		if high, ok := r.setCharacter(); ok {
			if low > high {
				r.fail("range out of order")
			}
			return true
		}
	}
	r.pos = start
	return false
}

// setOperand reads one operand and reports whether it may match strings.
func (r *regExp) setOperand() (strings bool) {
	if _, ok := r.setCharacter(); ok {
		return false
	}
	if r.eat("[") {
		return r.setClass()
	}
	if r.eat(`\q{`) {
		return r.setStrings()
	}
	if r.eat(`\`) && r.setEscape() {
		return r.reportedStrings
	}
	r.fail("invalid character in class")
	return false
}

// setStrings reads on behind \q{.
func (r *regExp) setStrings() (strings bool) {
	for {
		length := 0
		for {
			if _, ok := r.setCharacter(); !ok {
				break
			}
			length++
		}
		strings = strings || length != 1
		if r.eat("}") {
			return strings
		}
		if !r.eat("|") {
			r.fail("invalid escape")
		}
	}
}

// setCharacter consumes a single character of a class with the v flag, or nothing.
func (r *regExp) setCharacter() (c rune, ok bool) {
	c, next := r.runeAt(r.pos, true)
	if c == '\\' {
		return r.setCharacterEscape()
	}
	following, _ := r.runeAt(next, true)
	if c < 0 || strings.ContainsRune(`()-/[\]{|}`, c) || c == following && strings.ContainsRune("!#$%&*+,.:;<=>?@^`~", c) {
		return 0, false
	}
	r.pos = next
	return c, true
}

func (r *regExp) setCharacterEscape() (c rune, ok bool) {
	c, next := r.runeAt(r.pos+1, true)
	switch {
	case c < 0, strings.ContainsRune("dDsSwWpPq", c):
		return 0, false
	case c == 'b':
		r.pos = next
		return '\b', true
	case strings.ContainsRune("!#%&,-:;<=>@`~", c):
		r.pos = next
		return c, true
	}
	r.pos++
	return r.characterEscape(), true
}
