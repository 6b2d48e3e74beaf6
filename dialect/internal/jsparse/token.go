package jsparse

import (
	"strings"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokEOF tokenKind = iota
	tokPunctuator
	tokName    // an identifier that is no keyword: let, static, await, enum and the like included
	tokKeyword // a word that is reserved wherever it stands
	tokPrivate // #name
	tokNumber
	tokString
)

// token is one token of the source. Regular expressions and the parts of templates are not tokens: the parser meets
// "/" or "`" and reads on by itself, since only it knows that an operand is due.
type token struct {
	kind       tokenKind
	start, end int
	text       string // the word (escapes decoded, "#" dropped), the punctuator, or the literal's source
	escaped    bool   // a word with an escape in it, which is never a contextual keyword
	newline    bool   // a line ends between the previous token and this one
}

// scanner cuts the source into tokens. Its state is a few words, so it can be saved and restored by copying.
type scanner struct {
	src     string
	pos     int // behind tok
	tok     token
	prevEnd int // the end of the token before tok
}

func (s *scanner) failAt(offset int, message string) {
	panic(&SyntaxError{Offset: offset, Message: message})
}

// at returns the byte at offset i, 0 behind the end.
func (s *scanner) at(i int) byte {
	if i < len(s.src) {
		return s.src[i]
	}
	return 0
}

// scan reads the next token into tok.
func (s *scanner) scan() {
	s.prevEnd = s.tok.end
	s.tok = token{newline: s.skipSpace(), start: s.pos}
	switch c := s.at(s.pos); {
	case s.pos == len(s.src):
		s.tok.kind = tokEOF
	case '0' <= c && c <= '9', c == '.' && isDigit(s.at(s.pos+1)):
		s.tok.kind = tokNumber
		s.number()
	case c == '"' || c == '\'':
		s.tok.kind = tokString
		s.skipString(c)
	case c == '#':
		s.pos++
		s.tok.kind = tokPrivate
		s.word()
	case c == '\\' || isIdentifierStart(s.rune()):
		s.word()
		s.tok.kind = tokName
		if isKeyword(s.tok.text) {
			s.tok.kind = tokKeyword
		}
	default:
		length := punctuatorLength(s.src[s.pos:])
		if length == 0 {
			s.failAt(s.pos, "unexpected character")
		}
		s.pos += length
		s.tok.kind = tokPunctuator
	}
	s.tok.end = s.pos
	if s.tok.text == "" {
		s.tok.text = s.src[s.tok.start:s.tok.end]
	}
}

// rune returns the character at pos.
func (s *scanner) rune() rune {
	if c := s.at(s.pos); c < utf8.RuneSelf {
		return rune(c)
	}
	r, _ := utf8.DecodeRuneInString(s.src[s.pos:])
	return r
}

func (s *scanner) skipHashbang() {
	if strings.HasPrefix(s.src, "#!") {
		s.skipLine()
	}
}

// skipSpace skips white space and comments and reports whether a line ended in them. There are no HTML-like comments
// in modules.
func (s *scanner) skipSpace() (newline bool) {
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch {
		case c == '\n' || c == '\r':
			newline = true
			s.pos++
		case c == ' ' || '\t' <= c && c <= '\r':
			s.pos++
		case c == '/' && s.at(s.pos+1) == '/':
			s.skipLine()
		case c == '/' && s.at(s.pos+1) == '*':
			length := strings.Index(s.src[s.pos+2:], "*/")
			if length < 0 {
				s.failAt(s.pos, "unterminated comment")
			}
			newline = newline || strings.ContainsFunc(s.src[s.pos:s.pos+2+length], isLineEnd)
			s.pos += length + 4
		case c >= utf8.RuneSelf && IsSpace(s.rune()):
			newline = newline || isLineEnd(s.rune())
			s.pos += utf8.RuneLen(s.rune())
		default:
			return newline
		}
	}
	return newline
}

// skipLine skips to the end of the line.
func (s *scanner) skipLine() {
	if length := strings.IndexFunc(s.src[s.pos:], isLineEnd); length >= 0 {
		s.pos += length
		return
	}
	s.pos = len(s.src)
}

// word reads an identifier or keyword into tok.text.
func (s *scanner) word() {
	start := s.pos
	var decoded strings.Builder
	for s.pos < len(s.src) {
		r, from := s.rune(), s.pos
		if r == '\\' {
			if !s.tok.escaped {
				decoded.WriteString(s.src[start:s.pos])
			}
			s.tok.escaped = true
			r = s.wordEscape()
		} else {
			s.pos += runeLength(r, s.src[s.pos:])
		}
		if from == start && !isIdentifierStart(r) || !isIdentifierPart(r) {
			if s.src[from] == '\\' {
				s.failAt(from, "invalid escape in identifier")
			}
			s.pos = from
			break
		}
		if s.tok.escaped {
			decoded.WriteRune(r)
		}
	}
	if s.pos == start {
		s.failAt(start, "identifier expected")
	}
	s.tok.text = s.src[start:s.pos]
	if s.tok.escaped {
		s.tok.text = decoded.String()
	}
}

// wordEscape reads a \uXXXX or \u{X…} of an identifier.
func (s *scanner) wordEscape() rune {
	start := s.pos
	if s.at(s.pos+1) == 'u' {
		s.pos += 2
		if r, ok := s.codePoint(); ok {
			return r
		}
	}
	s.failAt(start, "invalid escape in identifier")
	return 0
}

// punctuatorLength returns the length of the longest punctuator text starts with, 0 when there is none.
func punctuatorLength(text string) int {
	switch text[0] {
	case '{', '}', '(', ')', '[', ']', ';', ',', '~', ':', '`':
		return 1
	case '.':
		if strings.HasPrefix(text, "...") {
			return 3
		}
		return 1
	case '?':
		if strings.HasPrefix(text, "?.") && (len(text) < 3 || !isDigit(text[2])) {
			return 2
		}
		return longestPrefix(text, "??=", "??", "?")
	case '<':
		return longestPrefix(text, "<<=", "<<", "<=", "<")
	case '>':
		return longestPrefix(text, ">>>=", ">>>", ">>=", ">>", ">=", ">")
	case '=':
		return longestPrefix(text, "===", "==", "=>", "=")
	case '!':
		return longestPrefix(text, "!==", "!=", "!")
	case '+':
		return longestPrefix(text, "++", "+=", "+")
	case '-':
		return longestPrefix(text, "--", "-=", "-")
	case '*':
		return longestPrefix(text, "**=", "**", "*=", "*")
	case '/':
		return longestPrefix(text, "/=", "/")
	case '%':
		return longestPrefix(text, "%=", "%")
	case '&':
		return longestPrefix(text, "&&=", "&&", "&=", "&")
	case '|':
		return longestPrefix(text, "||=", "||", "|=", "|")
	case '^':
		return longestPrefix(text, "^=", "^")
	}
	return 0
}

func longestPrefix(text string, longestFirst ...string) int {
	for _, prefix := range longestFirst {
		if strings.HasPrefix(text, prefix) {
			return len(prefix)
		}
	}
	return 0
}

func isKeyword(word string) bool {
	switch word {
	case "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else",
		"export", "extends", "false", "finally", "for", "function", "if", "import", "in", "instanceof", "new",
		"null", "return", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with":
		return true
	}
	return false
}

// isReservedName reports whether a name that is no keyword is reserved all the same: in modules, which are strict.
func isReservedName(word string) bool {
	switch word {
	case "await", "enum", "implements", "interface", "let", "package", "private", "protected", "public", "static", "yield":
		return true
	}
	return false
}
