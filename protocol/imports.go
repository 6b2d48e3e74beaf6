package protocol

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// SeparateImports splits the static import declarations that lead a program off the rest of it. The two parts are
// source cut in two, imports+body == source: imports ends behind the last declaration (its semicolon included) and
// holds the comments and blank lines ahead of and between the declarations; it is "" when the program starts with
// something else. import(…) and import.meta are expressions and stay in body, and so does a declaration that is
// malformed and everything behind it.
//
// The forms are those of ECMA-262 §16.2.2 (default, namespace, named and string-named bindings, bare specifiers,
// attributes behind "with") and TypeScript's type-only imports, which an executor erases. Names are not checked
// against the reserved words; the engine does that. The time is linear in the length of source.
func SeparateImports(source string) (imports, body string) {
	s := importScanner{source: source}
	if strings.HasPrefix(source, "#!") {
		s.skipLine()
	}
	end := 0
	for s.declaration() {
		end = s.pos
	}
	return source[:end], source[end:]
}

// importScanner reads import declarations from source[pos:].
type importScanner struct {
	source string
	pos    int
}

// declaration consumes one import declaration and the space ahead of it. It reports false when there is none; the
// position is then of no use.
func (s *importScanner) declaration() bool {
	s.space()
	if s.word() != "import" {
		return false
	}
	s.space()
	if !s.string() {
		if !s.bindings() {
			return false
		}
		s.space()
		if s.word() != "from" {
			return false
		}
		s.space()
		if !s.string() {
			return false
		}
	}
	return s.attributes() && s.semicolon()
}

// bindings consumes what stands between import and from.
func (s *importScanner) bindings() bool {
	s.typeModifier()
	if s.word() != "" {
		s.space()
		if !s.punctuator(',') {
			return true
		}
		s.space()
	}
	if s.punctuator('*') {
		s.space()
		if s.word() != "as" {
			return false
		}
		s.space()
		return s.word() != ""
	}
	return s.list(s.specifier)
}

// typeModifier consumes the "type" of a TypeScript type-only import. In `import type from "m"` and
// `import type, {a} from "m"` it is a name like any other.
func (s *importScanner) typeModifier() {
	start := s.pos
	if s.word() == "type" {
		s.space()
		behind := s.pos
		if s.peek() == '{' || s.peek() == '*' {
			return
		}
		next := s.word()
		s.space()
		if next != "" && (next != "from" || s.peek() != '"' && s.peek() != '\'') {
			s.pos = behind
			return
		}
	}
	s.pos = start
}

// list consumes a braced list of items with commas between them, and maybe one behind the last.
func (s *importScanner) list(item func() bool) bool {
	if !s.punctuator('{') {
		return false
	}
	for {
		s.space()
		if s.punctuator('}') {
			return true
		}
		if !item() {
			return false
		}
		s.space()
		if !s.punctuator(',') {
			return s.punctuator('}')
		}
	}
}

// specifier consumes one member of a named import: name, name as local, or either with type ahead of it.
func (s *importScanner) specifier() bool {
	var words []string
	for len(words) <= 4 {
		start := s.pos
		if word := s.word(); word != "" {
			words = append(words, word)
		} else if s.string() {
			words = append(words, s.source[start:s.pos])
		} else {
			break
		}
		s.space()
	}
	if len(words)%2 == 0 && len(words) > 0 && words[0] == "type" {
		words = words[1:]
	}
	return len(words) == 1 || len(words) == 3 && words[1] == "as"
}

// attributes consumes the with clause, when there is one.
func (s *importScanner) attributes() bool {
	start := s.pos
	s.space()
	if s.word() != "with" {
		s.pos = start
		return true
	}
	s.space()
	return s.list(func() bool {
		if s.word() == "" && !s.string() {
			return false
		}
		s.space()
		if !s.punctuator(':') {
			return false
		}
		s.space()
		return s.string()
	})
}

// semicolon consumes the end of a declaration: a semicolon, or nothing where the grammar inserts one.
func (s *importScanner) semicolon() bool {
	end := s.pos
	newline := s.space()
	if s.punctuator(';') {
		return true
	}
	inserted := newline || s.peek() == '}' || s.pos == len(s.source)
	s.pos = end
	return inserted
}

// space consumes white space and comments and reports whether a line ended in them. An unterminated comment is left
// where it stands, so nothing that follows it can match.
func (s *importScanner) space() (newline bool) {
	for s.pos < len(s.source) {
		rest := s.source[s.pos:]
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case isLineEnd(r):
			newline = true
			s.pos += size
		case r == 0xFEFF || r != 0x85 && unicode.IsSpace(r):
			s.pos += size
		case strings.HasPrefix(rest, "//"):
			s.skipLine()
		case strings.HasPrefix(rest, "/*"):
			length := strings.Index(rest[2:], "*/")
			if length < 0 {
				return newline
			}
			newline = newline || strings.ContainsFunc(rest[:2+length], isLineEnd)
			s.pos += 2 + length + 2
		default:
			return newline
		}
	}
	return newline
}

// skipLine consumes the rest of a line, but not the character that ends it.
func (s *importScanner) skipLine() {
	if length := strings.IndexFunc(s.source[s.pos:], isLineEnd); length >= 0 {
		s.pos += length
		return
	}
	s.pos = len(s.source)
}

func isLineEnd(r rune) bool {
	return r == '\n' || r == '\r' || r == 0x2028 || r == 0x2029
}

// word consumes an identifier or keyword and returns its source text, "" when there is none. A keyword spelled with
// an escape is no keyword, so escapes are not decoded.
func (s *importScanner) word() string {
	start := s.pos
	for s.pos < len(s.source) {
		rest := s.source[s.pos:]
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == '\\':
			size = unicodeEscape(rest)
		case r == '$' || r == '_' || r == 0x200C || r == 0x200D || unicode.IsLetter(r):
		case s.pos > start && (unicode.IsDigit(r) || unicode.IsMark(r) || unicode.Is(unicode.Pc, r)):
		default:
			size = 0
		}
		if size == 0 {
			break
		}
		s.pos += size
	}
	return s.source[start:s.pos]
}

// unicodeEscape returns the length of the \uXXXX or \u{X…} that text starts with, 0 when it starts with neither.
func unicodeEscape(text string) int {
	digits, length := "", 6
	if strings.HasPrefix(text, `\u{`) {
		length = strings.IndexByte(text[:min(len(text), 12)], '}') + 1
		digits = text[3:max(length-1, 3)]
	} else if strings.HasPrefix(text, `\u`) && len(text) >= length {
		digits = text[2:length]
	}
	if digits == "" || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return 0
	}
	return length
}

// string consumes a string literal.
func (s *importScanner) string() bool {
	quote := s.peek()
	if quote != '"' && quote != '\'' {
		return false
	}
	for i := s.pos + 1; i < len(s.source); i++ {
		switch s.source[i] {
		case quote:
			s.pos = i + 1
			return true
		case '\\':
			i++
			if strings.HasPrefix(s.source[min(i, len(s.source)):], "\r\n") {
				i++
			}
		case '\n', '\r':
			return false
		}
	}
	return false
}

func (s *importScanner) punctuator(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.pos++
	return true
}

// peek returns the next byte, 0 at the end.
func (s *importScanner) peek() byte {
	if s.pos < len(s.source) {
		return s.source[s.pos]
	}
	return 0
}
