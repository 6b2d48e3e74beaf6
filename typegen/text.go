package typegen

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quote returns s as a double-quoted TypeScript string literal on one line.
func quote(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case isControl(r):
			const hex = "0123456789abcdef"
			b.WriteString(`\u`)
			for shift := 12; shift >= 0; shift -= 4 {
				b.WriteByte(hex[r>>shift&15])
			}
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// isControl reports whether r is a control character of ASCII or one of the
// two Unicode line ends.
func isControl(r rune) bool {
	return r < ' ' || r == 0x7F || r == '\u2028' || r == '\u2029'
}

// propertyName returns name as it stands in a type literal: bare when it is a
// plain identifier, else quoted.
func propertyName(name string) string {
	if isPlainIdentifier(name) {
		return name
	}
	return quote(name)
}

func isPlainIdentifier(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isIdentifierByte(s[i]) || i == 0 && '0' <= s[i] && s[i] <= '9' {
			return false
		}
	}
	return s != ""
}

func isIdentifierByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '$'
}

// isIdentifier reports whether s is a JavaScript identifier, letters of every
// script included.
func isIdentifier(s string) bool {
	for i, r := range s {
		if unicode.IsLetter(r) || r == '_' || r == '$' {
			continue
		}
		if i == 0 || !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Mc, r) {
			return false
		}
	}
	return s != "" && utf8.ValidString(s)
}

// comment returns s as text that stays inside the block comment it is put in
// and on its line: every line end and control character but the tab is a
// space, and "*/" is "*\/".
func comment(s string) string {
	if strings.IndexFunc(s, isCommentBreak) < 0 && !strings.Contains(s, "*/") && utf8.ValidString(s) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		if isCommentBreak(r) {
			return ' '
		}
		return r
	}, s)
	return strings.ReplaceAll(s, "*/", `*\/`)
}

func isCommentBreak(r rune) bool { return r != '\t' && isControl(r) }

// trim cuts the white space JavaScript's trim cuts.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return r == '\uFEFF' || r != '\u0085' && unicode.IsSpace(r)
	})
}

// literal returns a JSON value as a literal type. Objects and arrays read the
// same in JSON and in TypeScript.
func literal(n *node, depth int) string {
	switch n.kind {
	case kindNull:
		return "null"
	case kindBool:
		return strconv.FormatBool(n.truth)
	case kindNumber:
		return number(n.text)
	case kindString:
		return quote(n.text)
	}
	if depth >= maxLiteralDepth {
		return "unknown"
	}
	var b strings.Builder
	if n.kind == kindArray {
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(literal(item, depth+1))
		}
		b.WriteByte(']')
		return b.String()
	}
	b.WriteByte('{')
	for i, m := range n.members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(m.key))
		b.WriteByte(':')
		b.WriteString(literal(m.value, depth+1))
	}
	b.WriteByte('}')
	return b.String()
}

// number returns a JSON number as JavaScript prints it, or as it stands in the
// schema when a float64 cannot hold all its digits.
func number(text string) string {
	if len(text) > maxNumberDigits {
		return "number"
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		return text
	}
	if f == 0 {
		f = 0 // JavaScript prints -0 as 0
	}
	printed := formatNumber(f)
	if decimalOf(printed) != decimalOf(text) {
		return text
	}
	return printed
}

// formatNumber is Number.prototype.toString of ECMA-262.
func formatNumber(f float64) string {
	if f == 0 {
		return "0"
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	sign, digits := exponent[:1], strings.TrimLeft(exponent[1:], "0")
	return mantissa + "e" + sign + digits
}

// decimal is a number as its sign, its digits without outer zeros, and the
// power of ten of the last one.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

func decimalOf(text string) decimal {
	var d decimal
	text, d.negative = strings.CutPrefix(text, "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	d.exponent, _ = strconv.Atoi(exponent)
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d.exponent -= len(fraction)
	d.digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(d.digits, "0")
	d.exponent += len(d.digits) - len(trimmed)
	d.digits = trimmed
	if d.digits == "" {
		return decimal{}
	}
	return d
}
