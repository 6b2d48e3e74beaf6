package jsparse

import (
	"unicode"
	"unicode/utf8"
)

// IsSpace reports whether r is white space or a line terminator of
// ECMAScript (ECMA-262 §12.2 and §12.3): the set String.prototype.trim
// removes and \s matches. It differs from unicode.IsSpace in U+0085, which is
// no space here, and U+FEFF, which is one.
func IsSpace(r rune) bool {
	switch {
	case r < 0x80:
		return r == ' ' || '\t' <= r && r <= '\r'
	case 0x2000 <= r && r <= 0x200A:
		return true
	}
	switch r {
	case 0x00A0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return false
}

func isLineEnd(r rune) bool {
	return r == '\n' || r == '\r' || r == 0x2028 || r == 0x2029
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func hexValue(c byte) (value rune, ok bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}

// isIdentifierStart reports whether r may start an identifier: ID_Start (Unicode Standard Annex 31), "$" or "_".
func isIdentifierStart(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '$' || r == '_'
	}
	return unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start) && !isPatternChar(r)
}

// isIdentifierPart reports whether r may continue an identifier: ID_Continue, "$" or a joiner. The two katakana dots
// joined ID_Continue in Unicode 15.1, behind the tables of the unicode package.
func isIdentifierPart(r rune) bool {
	if r < utf8.RuneSelf {
		return isIdentifierStart(r) || '0' <= r && r <= '9'
	}
	switch r {
	case 0x200C, 0x200D, 0x30FB, 0xFF65:
		return true
	}
	return isIdentifierStart(r) ||
		unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue) && !isPatternChar(r)
}

func isPatternChar(r rune) bool {
	return unicode.In(r, unicode.Pattern_Syntax, unicode.Pattern_White_Space)
}

// runeLength returns how many bytes of text the character r at its start takes.
func runeLength(r rune, text string) int {
	if r < utf8.RuneSelf {
		return 1
	}
	_, size := utf8.DecodeRuneInString(text)
	return size
}
