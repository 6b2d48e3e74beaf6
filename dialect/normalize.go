package dialect

import (
	"strings"

	"github.com/codemode-go/codemode/dialect/internal/jsparse"
	"github.com/codemode-go/codemode/protocol"
)

// NormalizeCode turns what a model wrote into what the native contract runs: an arrow function expression, with
// static imports ahead of it if there are any. It trims the text, strips a Markdown fence around the whole of it,
// and reads the rest as a module:
//
//	async () => 42                       stays as it is, like every lone arrow function
//	const a = 40⏎a + 2                   async () => {⏎const a = 40⏎return (a + 2)⏎}
//	function run() { return 42 }         async () => {⏎function run() { return 42 }⏎return run();⏎}
//	export default X                     X, normalised
//	import a from 'm'⏎a()                import a from 'm'⏎async () => {⏎return (a())⏎}
//	anything else, even if it is broken  async () => {⏎anything else⏎}
//	nothing                              async () => {}
//
// The text is upstream's (@cloudflare/codemode, src/normalize.ts), character for character, but for imports: those
// upstream leaves inside of the arrow, where they cannot run. Text that no arrow makes legal is wrapped all the same;
// the engine then reports the error. What is legal in the arrow comes out as a fixed point.
//
// The time is linear in the length of code. See package jsparse for how deeply a program may nest to be read.
func NormalizeCode(code string) string {
	return join(normalize(code))
}

// maxRounds bounds how often a default export may turn out to export a default export (a fence is a template to the
// parser). One round is what models write; each reads the rest of the text again.
const maxRounds = 8

// span is a stretch of the caller's text, or glue that is not in it.
type span struct {
	text string
	at   int // the offset in the caller's text, -1 for glue
}

// returnGlue stands before the expression that a program comes to.
const returnGlue = "return ("

func glue(text string) span { return span{text, -1} }

func (s span) slice(start, end int) span { return span{s.text[start:end], s.at + start} }

// trim drops white space, as ECMAScript understands it, from both ends.
func (s span) trim() span {
	end := len(strings.TrimRightFunc(s.text, jsparse.IsSpace))
	start := end - len(strings.TrimLeftFunc(s.text[:end], jsparse.IsSpace))
	return s.slice(start, end)
}

func join(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.text)
	}
	return b.String()
}

// normalize is NormalizeCode; it keeps apart which part of the outcome stands where in code.
func normalize(code string) []span { return normalizeSpan(span{code, 0}, maxRounds) }

func normalizeSpan(code span, rounds int) []span {
	source := stripFence(code.trim()).trim()
	imports, _ := protocol.SeparateImports(source.text)
	if imports == "" {
		return arrow(source, rounds)
	}
	head, body := source.slice(0, len(imports)), source.slice(len(imports), len(source.text))
	return append([]span{head.trim(), glue("\n")}, arrow(body.trim(), rounds)...)
}

// arrow returns source, which is trimmed, as an arrow function.
func arrow(source span, rounds int) []span {
	if source.text == "" {
		return []span{glue("async () => {}")}
	}
	program, err := jsparse.Parse(source.text)
	if err != nil {
		return wrap(source)
	}
	last := program.Last
	inner := source.slice(last.InnerStart, last.InnerEnd)
	if program.Count == 1 {
		switch last.Kind {
		case jsparse.Arrow:
			return []span{source}
		case jsparse.ExportDefaultFunction:
			return wrap(glue(returnGlue), inner, glue(")();"))
		case jsparse.ExportDefaultClass:
			return wrap(glue(returnGlue), inner, glue(");"))
		case jsparse.ExportDefault:
			if rounds > 0 {
				return normalizeSpan(inner, rounds-1)
			}
		case jsparse.Function:
			return wrap(source, glue("\nreturn "+last.Name+"();"))
		}
	}
	if last.Kind == jsparse.Expression || last.Kind == jsparse.Arrow {
		return wrap(source.slice(0, last.Start), glue(returnGlue), inner, glue(")"))
	}
	return wrap(source)
}

// wrap puts body into an arrow function.
func wrap(body ...span) []span {
	return append(append([]span{glue("async () => {\n")}, body...), glue("\n}"))
}
