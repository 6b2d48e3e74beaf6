package jsparse

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
