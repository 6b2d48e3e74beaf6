package weburl

import (
	"strings"
	"unicode/utf8"
)

// encodeSet says of each ASCII character whether it must be percent-encoded; what is beyond ASCII always must.
type encodeSet [utf8.RuneSelf]bool

func (s *encodeSet) has(r rune) bool { return r >= utf8.RuneSelf || s[r] }

// with is the set with more characters.
func (s *encodeSet) with(characters string) *encodeSet {
	more := *s
	for i := range len(characters) {
		more[characters[i]] = true
	}
	return &more
}

// setOf has the ASCII characters that must be.
func setOf(must func(r rune) bool) *encodeSet {
	var s encodeSet
	for r := range rune(len(s)) {
		s[r] = must(r)
	}
	return &s
}

var (
	c0Set           = setOf(func(r rune) bool { return r <= 0x1f || r == 0x7f })
	fragmentSet     = c0Set.with(" \"<>`")
	querySet        = c0Set.with(" \"#<>")
	specialQuerySet = querySet.with("'")
	pathSet         = querySet.with("?^`{}")
	userinfoSet     = pathSet.with("/:;=@[\\]|")
	formSet         = setOf(func(r rune) bool { return !isAlpha(r) && !isDigit(r) && !strings.ContainsRune("*-._", r) })
)

// encodeRune appends r, percent-encoded as UTF-8 when set contains it.
func encodeRune(b *strings.Builder, r rune, set *encodeSet) {
	if !set.has(r) {
		b.WriteRune(r)
		return
	}
	var buffer [utf8.UTFMax]byte
	for _, c := range buffer[:utf8.EncodeRune(buffer[:], r)] {
		const digits = "0123456789ABCDEF"
		b.Write([]byte{'%', digits[c>>4], digits[c&15]})
	}
}

// EncodeForm appends r as application/x-www-form-urlencoded has it, except that a space becomes %20.
func EncodeForm(b *strings.Builder, r rune) { encodeRune(b, r, formSet) }

// encode percent-encodes the code points of s that are in set.
func encode(s string, set *encodeSet) string {
	var b strings.Builder
	for _, r := range s {
		encodeRune(&b, r, set)
	}
	return b.String()
}

// PercentDecode percent-decodes s into bytes; a "%" that two hexadecimal digits do not follow stands for itself.
func PercentDecode(s string) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && hexValue(s[i+1]) >= 0 && hexValue(s[i+2]) >= 0 {
			out = append(out, byte(hexValue(s[i+1])<<4|hexValue(s[i+2])))
			i += 2
			continue
		}
		out = append(out, s[i])
	}
	return out
}

func hexValue(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func isAlpha(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func lower(r rune) rune {
	if r >= 'A' && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

// isDriveLetter says whether s is a Windows drive letter such as "C:" or "c|".
func isDriveLetter(s string) bool {
	return len(s) == 2 && isAlpha(rune(s[0])) && (s[1] == ':' || s[1] == '|')
}

func isNormalisedDriveLetter(s string) bool { return isDriveLetter(s) && s[1] == ':' }

// startsWithDriveLetter says whether s starts with a drive letter that ends there or before / \ ? #.
func startsWithDriveLetter(s []rune) bool {
	if len(s) < 2 || !isAlpha(s[0]) || s[1] != ':' && s[1] != '|' {
		return false
	}
	return len(s) == 2 || strings.ContainsRune("/\\?#", s[2])
}
