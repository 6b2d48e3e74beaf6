// Package static reads a program before it runs and finds what will surely end it: a call of a tool that its namespace
// has not, or a variable that nobody declares.
//
// Three nouns are enough to read it. [Names] is what a program finds around it. A [Fault] is one use of a name that is
// not there. What is certain is the main path: the parts of the program that each run comes to, in their order, unless it
// has failed before.
//
//	fault := static.Find("async () => { return (await github.list_isues({})).length }", names)
//	// fault.Namespace is "github", fault.Name "list_isues", and the place is that of list_isues
//
// Certain is less than likely: a branch may not be taken, a loop not entered, a callback not called, a rejected promise
// not awaited or its rejection caught; what is behind a return, a break or a continue that may have left already is not
// come to. Where a program makes a namespace its own (it declares the name, assigns to a member, hands the object on), or
// reaches for the global object, nothing of it is certain.
//
// A program in TypeScript is read without its types. One that cannot be read, or passes the limits below, has no fault.
//
// # Limits
//
// A program is read up to 16 KiB, 100 levels of brackets, 200 arrows, 200 signs in a row, 300 loops of a kind and 300
// colons: the parsers have no bound of their own, and reading takes milliseconds within these, half a second at worst. A
// function is followed once, however often it is called.
package static

import (
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
	"github.com/evanw/esbuild/pkg/api"
	"github.com/go-sourcemap/sourcemap"
)

// The limits of what is read, see the package's documentation.
const (
	maxSource = 16 << 10
	maxDepth  = 100
	maxArrows = 200
	maxSigns  = 200
	maxLoops  = 300 // one within the other, each is looked through again for what leaves it
	maxColons = 300 // labels of one name, which a parser compares with each other
)

// isPlain reports whether a text is within the limits. Brackets in strings count, too.
func isPlain(source string) bool {
	if len(source) > maxSource || strings.Count(source, "=>") > maxArrows || strings.Count(source, ":") > maxColons ||
		strings.Count(source, "for") > maxLoops || strings.Count(source, "while") > maxLoops {
		return false
	}
	depth, signs := 0, 0
	for i := range len(source) {
		signs++
		switch source[i] {
		case '(', '[', '{':
			depth++
			signs = 0
		case ')', ']', '}':
			depth--
			signs = 0
		case '!', '-', '+', '~', ' ', '\t', '\n':
		default:
			signs = 0
		}
		if depth > maxDepth || signs > maxSigns {
			return false
		}
	}
	return true
}

// Names is what a program finds around it.
type Names struct {
	// Tool reports whether a namespace has a tool that can be called so, or may have. It is asked of namespaces only.
	Tool func(namespace, name string) bool
	// Namespace reports whether a variable is a namespace.
	Namespace func(name string) bool
	// Missing reports whether a variable that the program does not declare, and which is no namespace, exists nowhere.
	Missing func(name string) bool
	// Global reports whether a variable that the program does not declare exists all the same.
	Global func(name string) bool
	// CallsValue says that a function is called when the program comes to nothing else.
	CallsValue bool
}

// Fault is the first use of a name, on the main path, that ends the program.
type Fault struct {
	// Namespace has no tool called Name; empty when Name is a variable.
	Namespace, Name string
	// Line and Column are where Name stands, from 1, the column in UTF-16 code units.
	Line, Column int
}

// Find reads a program, which is one arrow function expression as dialect.NormalizeCode makes it.
func Find(source string, names Names) *Fault {
	if !isPlain(source) {
		return nil
	}
	var tree *ast.Program
	var at func(file.Idx) (line, column int)
	if !survives(func() { tree, at = parse(source) }) || tree == nil {
		return nil
	}
	main := mainOf(tree, names.CallsValue)
	if main == nil {
		return nil
	}
	facts, ok := survey(tree, names)
	if !ok {
		return nil
	}
	w := walker{names: names, facts: facts, followed: map[followed]bool{}}
	w.call(main, true)
	if w.fault == nil {
		return nil
	}
	if !survives(func() { w.fault.Line, w.fault.Column = at(w.place) }) || w.fault.Line == 0 {
		return nil
	}
	return w.fault
}

// survives reports whether work of the parsers ends without a panic. They are not ours and read what models write: a text
// that one of them fails at is not looked at, and does not end the host.
func survives(work func()) (ok bool) {
	defer func() { ok = recover() == nil }()
	work()
	return true
}

// parse gives the tree and how a place in it is one of source.
func parse(source string) (tree *ast.Program, at func(file.Idx) (line, column int)) {
	if tree, err := parser.ParseFile(nil, "", source, parser.IgnoreRegExpErrors, parser.WithDisableSourceMaps); err == nil {
		return tree, func(place file.Idx) (int, int) { return position(source, int(place)-1) }
	}
	// TypeScript, or JavaScript that is newer than the parser.
	result := api.Transform(source, api.TransformOptions{
		Loader: api.LoaderTS, Target: api.ES2022, LogLevel: api.LogLevelSilent, Sourcemap: api.SourceMapExternal,
		Supported:   map[string]bool{"for-await": false, "async-generator": false},
		TsconfigRaw: `{"compilerOptions":{"verbatimModuleSyntax":true}}`,
	})
	if len(result.Errors) > 0 {
		return nil, nil
	}
	code := string(result.Code)
	tree, err := parser.ParseFile(nil, "", code, parser.IgnoreRegExpErrors, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, nil
	}
	origin, err := sourcemap.Parse("", result.Map)
	if err != nil {
		return nil, nil
	}
	return tree, func(place file.Idx) (int, int) {
		line, column := position(code, int(place)-1)
		_, _, line, column, ok := origin.Source(line, column-1)
		if !ok {
			return 0, 0
		}
		return line, column + 1
	}
}

// position is where a byte stands, from 1, the column in UTF-16 code units.
func position(text string, offset int) (line, column int) {
	line, column = 1, 1
	for rest := text[:offset]; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case strings.HasPrefix(rest, "\r\n"):
			size = 2
			line, column = line+1, 1
		case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			line, column = line+1, 1
		case r > 0xFFFF:
			column += 2
		default:
			column++
		}
		rest = rest[size:]
	}
	return line, column
}

// mainOf is the function that a run calls: the program itself, or the one that it comes to.
func mainOf(tree *ast.Program, callsValue bool) ast.Expression {
	if len(tree.Body) == 0 {
		return nil
	}
	last, ok := tree.Body[len(tree.Body)-1].(*ast.ExpressionStatement) // after what esbuild puts above it
	if !ok {
		return nil
	}
	main, ok := last.Expression.(*ast.ArrowFunctionLiteral)
	if !ok {
		return nil
	}
	body, ok := main.Body.(*ast.BlockStatement)
	if !ok || len(body.List) != 1 || !callsValue {
		return main
	}
	switch inner := body.List[0].(type) {
	case *ast.ExpressionStatement:
		if isFunction(inner.Expression) {
			return inner.Expression
		}
	case *ast.ReturnStatement:
		if isFunction(inner.Argument) {
			return inner.Argument
		}
	}
	return main
}

func isFunction(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.ArrowFunctionLiteral:
		return true
	case *ast.FunctionLiteral:
		return !e.Generator
	}
	return false
}
