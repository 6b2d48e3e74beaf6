package dialect

import (
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/codemode-go/codemode/dialect/internal/jsparse"
	"github.com/codemode-go/codemode/protocol"
)

// maxTypeScript bounds the source that is stripped here, in bytes. esbuild's parser recurses without a bound of its own,
// and a program of this size cannot make it exhaust a stack.
const maxTypeScript = 64 << 10

// typeScriptArrow reads code that JavaScript's grammar refuses as TypeScript, where that gives the program a value that
// NormalizeCode alone loses: to it "const x: number = 1; x" is a body that returns nothing. What runs is then the arrow of
// the code without its types. Code that returns its value itself is left to the executor, which strips types, too, and
// keeps positions.
func typeScriptArrow(code string) (arrow string, ok bool) {
	source := stripFence(span{code, 0}.trim()).trim().text
	if len(source) > maxTypeScript {
		return "", false
	}
	_, body := protocol.SeparateImports(source)
	if _, err := jsparse.Parse(body); err == nil {
		return "", false
	}
	options := api.TransformOptions{
		Loader: api.LoaderJS, Target: api.ESNext, Format: api.FormatESModule, LogLevel: api.LogLevelSilent,
		TsconfigRaw: `{"compilerOptions":{"verbatimModuleSyntax":true,"alwaysStrict":true}}`,
	}
	if len(api.Transform(source, options).Errors) == 0 {
		return "", false // JavaScript, which only strict mode refuses
	}
	options.Loader = api.LoaderTS
	this := freeWord("$this", source) // a program has a this, which the top of a module has not
	options.Define = map[string]string{"this": this}
	result := api.Transform(source, options)
	if len(result.Errors) > 0 {
		return "", false
	}
	spans := normalize(strings.ReplaceAll(string(result.Code), this, "this"))
	return join(spans), hasValue(spans)
}

// freeWord lengthens a word until the text does not have it.
func freeWord(word, text string) string {
	for strings.Contains(text, word) {
		word += "_"
	}
	return word
}

// hasValue reports whether a normalised program comes to something: it is an arrow itself, or a return was put into it.
func hasValue(spans []span) bool {
	returns := func(s span) bool { return s.at < 0 && strings.HasPrefix(strings.TrimLeft(s.text, "\n"), "return ") }
	wraps := func(s span) bool { return s.at < 0 && strings.HasPrefix(s.text, "async () => {") }
	return slices.ContainsFunc(spans, returns) || !slices.ContainsFunc(spans, wraps)
}
