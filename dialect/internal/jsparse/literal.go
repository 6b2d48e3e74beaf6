package jsparse

import (
	"strings"
	"unicode/utf8"
)

// number skips a numeric literal. Legacy octal forms are errors, as in all strict code.
func (s *scanner) number() {
	start := s.pos
	if c := s.at(s.pos + 1); s.at(s.pos) == '0' && strings.IndexByte("xXoObB", c) >= 0 && c != 0 {
		s.pos += 2
		if !s.digits(radix(c)) {
			s.failAt(start, "digits expected")
		}
		if s.at(s.pos) == 'n' {
			s.pos++
			return // acorn: an identifier may follow directly here
		}
	} else {
		s.decimal(start)
	}
	if s.pos < len(s.src) && isIdentifierStart(s.rune()) {
		s.failAt(s.pos, "identifier directly after number")
	}
}

func radix(letter byte) rune {
	switch letter {
	case 'x', 'X':
		return 16
	case 'o', 'O':
		return 8
	}
	return 2
}

// decimal skips a literal without a radix prefix.
func (s *scanner) decimal(start int) {
	if s.at(s.pos) != '.' {
		s.digits(10)
		if s.pos-start > 1 && s.src[start] == '0' {
			s.failAt(start, "legacy octal number")
		}
		if s.at(s.pos) == 'n' {
			s.pos++
			return
		}
	}
	if s.at(s.pos) == '.' {
		s.pos++
		s.digits(10)
	}
	if c := s.at(s.pos); c == 'e' || c == 'E' {
		s.pos++
		if c := s.at(s.pos); c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits(10) {
			s.failAt(start, "exponent expected")
		}
	}
}

// digits skips digits with single underscores between them and reports whether there were any.
func (s *scanner) digits(radix rune) bool {
	start := s.pos
	for {
		if s.at(s.pos) == '_' {
			if s.pos == start || s.src[s.pos-1] == '_' {
				s.failAt(s.pos, "misplaced numeric separator")
			}
		} else if v, ok := hexValue(s.at(s.pos)); !ok || v >= radix {
			break
		}
		s.pos++
	}
	if s.pos > start && s.src[s.pos-1] == '_' {
		s.failAt(s.pos-1, "misplaced numeric separator")
	}
	return s.pos > start
}

// skipString skips a string literal.
func (s *scanner) skipString(quote byte) {
	start := s.pos
	s.pos++
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; c {
		case quote:
			s.pos++
			return
		case '\\':
			if _, _, ok := s.escape(); !ok {
				s.failAt(s.pos, "invalid escape")
			}
		case '\n', '\r':
			s.failAt(start, "unterminated string")
		default:
			s.pos++
		}
	}
	s.failAt(start, "unterminated string")
}

// templateChunk skips the characters of a template up to the "`" that ends it or behind the "${" that interrupts it.
func (s *scanner) templateChunk(tagged bool) (last bool) {
	start := s.pos
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case '`':
			s.pos++
			return true
		case '$':
			s.pos++
			if s.at(s.pos) == '{' {
				s.pos++
				return false
			}
		case '\\':
			from := s.pos
			if _, _, ok := s.escape(); !ok {
				if !tagged {
					s.failAt(from, "invalid escape in template")
				}
				s.pos = from + 2
			}
		default:
			s.pos++
		}
	}
	s.failAt(start, "unterminated template")
	return false
}

// escape skips an escape sequence, as strict code allows them, and returns the character it stands for. A line
// continuation stands for nothing. The rune may be a surrogate.
func (s *scanner) escape() (r rune, some, ok bool) {
	s.pos++
	if s.pos == len(s.src) {
		return 0, false, false
	}
	r = s.rune()
	s.pos += runeLength(r, s.src[s.pos:])
	switch r {
	case 'n':
		return '\n', true, true
	case 'r':
		return '\r', true, true
	case 't':
		return '\t', true, true
	case 'b':
		return '\b', true, true
	case 'v':
		return '\v', true, true
	case 'f':
		return '\f', true, true
	case 'x':
		r, ok = s.hexDigits(2)
		return r, true, ok
	case 'u':
		r, ok = s.codePoint()
		return r, true, ok
	case '0':
		return 0, true, !isDigit(s.at(s.pos))
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return 0, true, false
	case '\r':
		if s.at(s.pos) == '\n' {
			s.pos++
		}
		return 0, false, true
	}
	return r, !isLineEnd(r), true
}

// hexDigits skips exactly n hexadecimal digits.
func (s *scanner) hexDigits(n int) (value rune, ok bool) {
	for range n {
		v, ok := hexValue(s.at(s.pos))
		if !ok {
			return 0, false
		}
		value = value<<4 | v
		s.pos++
	}
	return value, true
}

// codePoint skips what follows \u: four digits, or braces with any number of them.
func (s *scanner) codePoint() (value rune, ok bool) {
	if s.at(s.pos) != '{' {
		return s.hexDigits(4)
	}
	start := s.pos + 1
	for s.pos = start; ; s.pos++ {
		v, ok := hexValue(s.at(s.pos))
		if !ok {
			break
		}
		if value = value<<4 | v; value > utf8.MaxRune {
			return 0, false
		}
	}
	if s.pos == start || s.at(s.pos) != '}' {
		return 0, false
	}
	s.pos++
	return value, true
}

// stringValue decodes the string literal at the current token. wellFormed is false when it holds half a surrogate
// pair, which the decoded value cannot express.
func (s *scanner) stringValue() (value string, wellFormed bool) {
	if strings.IndexByte(s.tok.text, '\\') < 0 {
		return s.tok.text[1 : len(s.tok.text)-1], true
	}
	text := scanner{src: s.tok.text[:len(s.tok.text)-1], pos: 1}
	var b strings.Builder
	wellFormed = true
	var high rune
	for text.pos < len(text.src) {
		r, some := text.rune(), true
		if r == '\\' {
			r, some, _ = text.escape()
		} else {
			text.pos += runeLength(r, text.src[text.pos:])
		}
		if !some {
			continue
		}
		isLow, isHigh := 0xDC00 <= r && r <= 0xDFFF, 0xD800 <= r && r <= 0xDBFF
		if isLow != (high != 0) {
			wellFormed = false
		}
		switch {
		case isLow && high != 0:
			b.WriteRune((high-0xD800)<<10 + (r - 0xDC00) + 0x10000)
		case !isHigh:
			b.WriteRune(r)
		}
		high = 0
		if isHigh {
			high = r
		}
	}
	return b.String(), wellFormed && high == 0
}
