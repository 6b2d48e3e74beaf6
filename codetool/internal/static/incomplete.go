package static

import (
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Incomplete is what a text lacks that ends too early: Missing is the sign that should come next, empty when that is not
// known. Line and Column are where that is seen, from 1, the column in UTF-16 code units.
type Incomplete struct {
	Missing      string
	Line, Column int
}

// expected finds what a parser wanted.
var expected = regexp.MustCompile(`^Expected "([^"]+)"`)

// FindIncomplete looks at a text that is no program, statements or an expression, for something that is opened and not
// closed by its end; nil when that is not what is wrong with it.
func FindIncomplete(source string) *Incomplete {
	text := strings.TrimRight(source, " \t\r\n;")
	if !isPlain(text) {
		return nil
	}
	var errors []api.Message
	const head = "async()=>{\n"
	if !survives(func() {
		errors = api.Transform(head+text+"\n}", api.TransformOptions{Loader: api.LoaderTS, LogLevel: api.LogLevelSilent}).Errors
	}) || len(errors) == 0 || errors[0].Location == nil {
		return nil
	}
	first := errors[0]
	lines := strings.Count(text, "\n") + 1
	if strings.HasPrefix(first.Text, "Unterminated ") {
		return &Incomplete{Line: min(max(first.Location.Line-1, 1), lines), Column: 1}
	}
	if first.Location.Line-1 <= lines { // within the text: that is what is wrong, and the engine has said so
		return nil
	}
	line, column := position(text, len(text))
	found := &Incomplete{Line: line, Column: column}
	if sign := expected.FindStringSubmatch(first.Text); sign != nil && sign[1] != ";" {
		found.Missing = sign[1]
	}
	return found
}
