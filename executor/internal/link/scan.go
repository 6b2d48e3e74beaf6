package link

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// A scan reads JavaScript as esbuild prints it: strict, without comments that matter, every statement
// ended by a semicolon or a brace, a division surrounded by spaces. That canonical form makes a
// tokeniser enough to find the module syntax, which a text as people write it would not.
type scan struct {
	text   string
	pos    int
	prev   token  // the last token read
	parens []bool // for each open "(": whether it belongs to if, while, for or with
	braces []rune // the open brackets: '(' '[' '{' or '`' for ${
	after  bool   // the last ")" closed one of those heads, so an expression may follow
	spans  []span // import and export declarations
	calls  []int  // offsets of "import" in import( and import.meta
	ends   []int  // offsets after each statement-ending semicolon at depth zero
	meta   bool   // import.meta occurs
	loads  bool   // import( occurs
}

type kind int

const (
	none kind = iota
	word
	literal // string, number, regular expression, or the end of a template
	punct
)

type token struct {
	kind       kind
	start, end int
	text       string
}

// span is a declaration [start, end) that the body must not contain.
type span struct{ start, end int }

// run tokenises the whole text, handing each depth-zero import or export declaration to declare.
func (s *scan) run(declare func(tokens []token)) {
	for {
		t := s.next()
		if t.kind == none {
			return
		}
		if t.kind != word {
			continue
		}
		switch {
		case t.text == "import" && s.isModuleCall(t):
			s.calls = append(s.calls, t.start)
		case (t.text == "import" || t.text == "export") && len(s.braces) == 0 && s.startsLine(t):
			declare(s.declaration(t))
		}
	}
}

func (s *scan) startsLine(t token) bool { return t.start == 0 || s.text[t.start-1] == '\n' }

// isModuleCall says whether the word import at t opens import(…) or import.meta rather than naming a
// property or opening a declaration.
func (s *scan) isModuleCall(t token) bool {
	rest := s.text[t.end:]
	switch {
	case strings.HasPrefix(rest, ".meta"):
		s.meta = true
		return true
	case strings.HasPrefix(rest, "(") && !s.isMember(t.start) && !s.isMethod(t.end):
		s.loads = true
		return true
	}
	return false
}

func (s *scan) isMember(start int) bool {
	return start > 0 && (s.text[start-1] == '.' || s.text[start-1] == '#')
}

// isMethod says whether the parenthesis at open belongs to a method definition named import: its
// closing parenthesis is followed by a brace.
func (s *scan) isMethod(open int) bool {
	probe := &scan{text: s.text, pos: open}
	for {
		t := probe.next()
		if t.kind == none {
			return false
		}
		if t.text == ")" && len(probe.braces) == 0 {
			return strings.HasPrefix(s.text[t.end:], " {")
		}
	}
}

// declaration reads the tokens of an import or export declaration up to its semicolon.
func (s *scan) declaration(first token) []token {
	tokens := []token{first}
	for {
		t := s.next()
		if t.kind == none || t.text == ";" && len(s.braces) == 0 {
			s.spans = append(s.spans, span{first.start, s.pos})
			return tokens
		}
		tokens = append(tokens, t)
	}
}

// next reads one token; its kind is none at the end of the text.
func (s *scan) next() token {
	s.skipBlank()
	if s.pos >= len(s.text) {
		return token{}
	}
	start, c := s.pos, s.text[s.pos]
	t := token{start: start, kind: punct}
	switch {
	case isWordByte(c):
		for s.pos < len(s.text) && isWordByte(s.text[s.pos]) {
			s.pos++
		}
		t.kind = word
	case c == '.' && s.pos+1 < len(s.text) && isDigit(s.text[s.pos+1]):
		s.pos++
		for s.pos < len(s.text) && isWordByte(s.text[s.pos]) {
			s.pos++
		}
		t.kind = literal
	case c == '"' || c == '\'':
		s.skipString(c)
		t.kind = literal
	case c == '`':
		s.pos++
		t.kind = s.template()
	case c == '/' && s.isRegExp():
		s.skipRegExp()
		t.kind = literal
	case c == '}' && len(s.braces) > 0 && s.braces[len(s.braces)-1] == '`':
		s.braces = s.braces[:len(s.braces)-1]
		s.pos++
		t.kind = s.template()
	default:
		s.bracket(c)
		s.pos++
		if (c == '+' || c == '-') && s.pos < len(s.text) && s.text[s.pos] == c {
			s.pos++
			t.kind = literal // ++ and -- behave as an operand: a regular expression never follows
		}
	}
	t.end = s.pos
	t.text = s.text[t.start:t.end]
	if t.kind == punct && t.text == ";" && len(s.braces) == 0 {
		s.ends = append(s.ends, s.pos)
	}
	s.prev = t
	return t
}

// bracket keeps the stack of open brackets.
func (s *scan) bracket(c byte) {
	switch c {
	case '(':
		s.parens = append(s.parens, s.prev.kind == word && isHead(s.prev.text))
		s.braces = append(s.braces, '(')
	case '[', '{':
		s.braces = append(s.braces, rune(c))
	case ')', ']', '}':
		if len(s.braces) > 0 {
			s.braces = s.braces[:len(s.braces)-1]
		}
		if c == ')' && len(s.parens) > 0 {
			s.after = s.parens[len(s.parens)-1]
			s.parens = s.parens[:len(s.parens)-1]
		}
	}
}

// template skips template characters up to the closing backquote (literal) or a substitution (punct).
func (s *scan) template() kind {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case '\\':
			s.pos += 2
			continue
		case '`':
			s.pos++
			return literal
		case '$':
			if strings.HasPrefix(s.text[s.pos:], "${") {
				s.pos += 2
				s.braces = append(s.braces, '`')
				return punct
			}
		}
		s.pos++
	}
	return literal
}

func (s *scan) skipString(quote byte) {
	s.pos++
	for s.pos < len(s.text) && s.text[s.pos] != quote {
		if s.text[s.pos] == '\\' {
			s.pos++
		}
		s.pos++
	}
	s.pos++
}

func (s *scan) skipRegExp() {
	class := false
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch s.text[s.pos] {
		case '\\':
			s.pos++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if class {
				continue
			}
			for s.pos++; s.pos < len(s.text) && isWordByte(s.text[s.pos]); s.pos++ {
			}
			return
		}
	}
}

// isRegExp says whether the slash at the position opens a regular expression.
func (s *scan) isRegExp() bool {
	switch s.prev.kind {
	case none:
		return true
	case literal:
		return false
	case word:
		return isOperatorWord(s.prev.text) && !s.isMember(s.prev.start)
	}
	switch s.prev.text {
	case ")":
		return s.after || s.text[s.pos-1] == '\n'
	case "]":
		return false
	case "}":
		return s.pos > 0 && strings.ContainsAny(s.text[s.prev.end:s.pos], "\n")
	}
	return true
}

func (s *scan) skipBlank() {
	for s.pos < len(s.text) {
		rest := s.text[s.pos:]
		switch {
		case rest[0] == ' ' || rest[0] == '\n' || rest[0] == '\t' || rest[0] == '\r':
			s.pos++
		case strings.HasPrefix(rest, "//"):
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				s.pos += end
			} else {
				s.pos = len(s.text)
			}
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest, "*/")
			if end < 0 {
				end = len(rest) - 2
			}
			s.pos += end + 2
		default:
			return
		}
	}
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '_' || c == '$' || c >= 0x80 || c == '\\'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHead(text string) bool {
	return text == "if" || text == "while" || text == "for" || text == "with"
}

// isOperatorWord says whether an expression must follow the word.
func isOperatorWord(text string) bool {
	switch text {
	case "return", "typeof", "instanceof", "in", "of", "new", "delete", "void", "throw", "case", "do", "else", "await", "yield", "extends", "default":
		return true
	}
	return false
}

// blank replaces [from, to) by spaces, keeping line breaks, so that positions stay.
func blank(text []byte, from, to int) {
	for i := from; i < to; i++ {
		if text[i] != '\n' {
			text[i] = ' '
		}
	}
}

// unquote decodes a string literal as esbuild prints it.
func unquote(literal string) string {
	body := literal[1 : len(literal)-1]
	if !strings.Contains(body, `\`) {
		return body
	}
	var units []uint16
	var out strings.Builder
	flush := func() {
		out.WriteString(string(utf16.Decode(units)))
		units = units[:0]
	}
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			flush()
			out.WriteByte(body[i])
			continue
		}
		i++
		switch c := body[i]; c {
		case 'n', 't', 'r', 'b', 'f', 'v', '0':
			flush()
			out.WriteByte(map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'v': '\v', '0': 0}[c])
		case 'x':
			flush()
			value, _ := strconv.ParseUint(body[i+1:i+3], 16, 16)
			out.WriteRune(rune(value))
			i += 2
		case 'u':
			digits, skip := body[i+1:i+5], 4
			if body[i+1] == '{' {
				digits, _, _ = strings.Cut(body[i+2:], "}")
				skip = len(digits) + 2
			}
			value, _ := strconv.ParseUint(digits, 16, 32)
			if value > 0xffff {
				flush()
				out.WriteRune(rune(value))
			} else {
				units = append(units, uint16(value))
			}
			i += skip
		default:
			flush()
			out.WriteByte(c)
		}
	}
	flush()
	return out.String()
}
