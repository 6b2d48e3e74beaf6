package link

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"

	"github.com/evanw/esbuild/pkg/api"
)

// SyntaxError is a text that does not parse. File is "" for the program, Line and Column are one-based
// in the text that was sent (columns in UTF-16 units), and Message has V8's wording as far as it can be
// told from esbuild's. Check, when it is not empty, is a script that the caller may have V8 compile,
// and never run, to word the error itself: the program starts on its second line.
type SyntaxError struct {
	Message      string
	File         string
	Line, Column int
	Check        string
}

func (e *SyntaxError) Error() string {
	file := e.File
	if file == "" {
		file = "program"
	}
	return fmt.Sprintf("SyntaxError: %s (%s:%d:%d)", e.Message, file, e.Line, e.Column)
}

// newSyntaxError translates a message of esbuild about the text called name.
func newSyntaxError(m api.Message, name, source string) *SyntaxError {
	e := &SyntaxError{Message: wording(m.Text), File: name, Line: 1, Column: 1}
	if strings.HasPrefix(name, "program.") {
		e.File = ""
	}
	if m.Location == nil {
		return e
	}
	lines := strings.Split(source, "\n")
	e.Line = m.Location.Line
	if e.Line > len(lines) { // in the line that canonicalise appends
		e.Line = len(lines)
		e.Column = len(utf16.Encode([]rune(lines[e.Line-1]))) + 1
		e.Message = "Unexpected end of input"
		return e
	}
	before := lines[e.Line-1]
	if m.Location.Column < len(before) {
		before = before[:m.Location.Column]
	}
	e.Column = len(utf16.Encode([]rune(before))) + 1
	return e
}

// found picks the offending token out of "Expected X but found Y" and "Unexpected Y".
var found = regexp.MustCompile(`(?s)(?:but found|^Unexpected) (.+)$`)

// declared picks the name out of esbuild's message about a duplicate declaration.
var declared = regexp.MustCompile(`^The symbol "(.+)" has already been declared$`)

// exported picks the name out of esbuild's message about a duplicate export.
var exported = regexp.MustCompile(`^Multiple exports with the same name "(.+)"$`)

// wording gives V8's words for a message of esbuild where it has some, and esbuild's otherwise.
func wording(text string) string {
	if m := declared.FindStringSubmatch(text); m != nil {
		return "Identifier '" + m[1] + "' has already been declared"
	}
	if m := exported.FindStringSubmatch(text); m != nil {
		return "Duplicate export of '" + m[1] + "'"
	}
	switch {
	case text == "Unterminated string literal":
		return "Invalid or unexpected token"
	case text == "Unterminated template literal":
		return "Unterminated template literal"
	case text == "Unterminated regular expression":
		return "Invalid regular expression: missing /"
	case strings.HasPrefix(text, "Syntax error"):
		return "Invalid or unexpected token"
	}
	m := found.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	token := m[1]
	switch quoted := strings.Trim(token, `"`); {
	case token == "end of file":
		return "Unexpected end of input"
	case quoted == "":
		return "Invalid or unexpected token"
	case token == "identifier" || isWordByte(quoted[0]) && !isDigit(quoted[0]) && !isReserved(quoted) && token != quoted:
		return "Unexpected identifier '" + quoted + "'"
	case isDigit(quoted[0]) || token == "number":
		return "Unexpected number"
	case strings.HasPrefix(token, `"'`) || strings.HasPrefix(token, `"\"`) || token == "string":
		return "Unexpected string"
	default:
		return "Unexpected token '" + quoted + "'"
	}
}

// isReserved says whether V8 calls the word a token rather than an identifier.
func isReserved(word string) bool {
	switch word {
	case "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else", "enum", "export", "extends",
		"false", "finally", "for", "function", "if", "import", "in", "instanceof", "new", "null", "return", "super", "switch", "this", "throw",
		"true", "try", "typeof", "var", "void", "while", "with":
		return true
	}
	return false
}
