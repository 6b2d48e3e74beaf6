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
func NormalizeCode(code string) string {
	return join(normalize(code))
}

// span is a stretch of the caller's text, or glue that is not in it.
type span struct {
	text string
	at   int // the offset in the caller's text, -1 for glue
}

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
func normalize(code string) []span {
	source := stripFence(span{code, 0}.trim()).trim()
	imports, body := protocol.SeparateImports(source.text)
	if imports == "" {
		return arrow(source)
	}
	head := source.slice(0, len(imports)).trim()
	return append([]span{head, glue("\n")}, arrow(source.slice(len(imports), len(imports)+len(body)).trim())...)
}

// arrow returns source, which is trimmed, as an arrow function. A default export of something with a default export
// in it would recurse; the grammar has no such thing, and each round drops the words export default.
func arrow(source span) []span {
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
			return wrap(glue("return ("), inner, glue(")();"))
		case jsparse.ExportDefaultClass:
			return wrap(glue("return ("), inner, glue(");"))
		case jsparse.ExportDefault:
			return renormalize(inner)
		case jsparse.Function:
			return wrap(source, glue("\nreturn "+last.Name+"();"))
		}
	}
	if last.Kind == jsparse.Expression || last.Kind == jsparse.Arrow {
		return wrap(source.slice(0, last.Start), glue("return ("), inner, glue(")"))
	}
	return wrap(source)
}

// renormalize normalises what a default export exports as if the model had written nothing else.
func renormalize(exported span) []span {
	spans := normalize(exported.text)
	for i := range spans {
		if spans[i].at >= 0 {
			spans[i].at += exported.at
		}
	}
	return spans
}

// wrap puts body into an arrow function.
func wrap(body ...span) []span {
	return append(append([]span{glue("async () => {\n")}, body...), glue("\n}"))
}
