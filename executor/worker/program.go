//go:build cgo && (linux || darwin)

package worker

import (
	"crypto/rand"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/codemode-go/codemode/executor/internal/link"
	"github.com/codemode-go/codemode/executor/internal/v8"
	"github.com/codemode-go/codemode/executor/internal/wire"
)

// programName is what the engine calls the script of a program; it is in every stack that a program sees.
const programName = "program.js"

// program is a program compiled for its sandbox. make is what start of 60_run.js takes: called with the hooks of package
// link and the scope, a list of namespaces with a method enter, it gives, at once or as a promise, a function whose value is the program's arrow.
type program struct {
	make v8.Value
	// position leads a place in the script to the place in the text that was sent; file is "" for the program.
	position func(line, column int) (file string, sourceLine, sourceColumn int, ok bool)
	// words gives an error's message the names that the text has.
	words func(message string) string
}

// compile compiles a program. Plain JavaScript without imports is wrapped as it is, so that the stacks it sees itself
// are nearly those of its text; anything else goes through package link.
func compile(s *sandbox, providers []wire.Provider, source string, modules map[string]string) (*program, *wire.Failure) {
	for _, provider := range providers {
		if failure := checkPrelude(s.isolate, provider); failure != nil {
			return nil, failure
		}
	}
	w := newWrapping(s.worker.links, providers, source)
	if len(w.imports) > 0 || strings.Contains(source, "import") {
		return linked(s, w, source, modules, nil)
	}
	_, _, err := s.isolate.Compile(source, programName, nil)
	var tooDeep *v8.CompileError
	if errors.As(err, &tooDeep) && strings.HasPrefix(tooDeep.Message, "RangeError: ") {
		return nil, syntaxFailure(err, identity, " (the program nests too deeply)") // for any parser
	}
	if err != nil && !isMethodCode(s.isolate, source) {
		return linked(s, w, source, modules, err)
	}
	return plain(s.isolate, w, source)
}

// isMethodCode reports whether a program is an expression inside a method, where super and new.target have a meaning, as
// they have in the reference. Text that closes brackets it did not open fits one of the two at most.
func isMethodCode(isolate *v8.Isolate, source string) bool {
	if !strings.Contains(source, "super") && !strings.Contains(source, "target") {
		return false
	}
	for _, around := range [][2]string{{"({m(){return(", "\n)}})"}, {"({m(){return[", "\n]}})"}} {
		if _, _, err := isolate.Compile(around[0]+source+around[1], programName, nil); err != nil {
			return false
		}
	}
	return true
}

// plain wraps a program that is a script on its own.
func plain(isolate *v8.Isolate, w *wrapping, source string) (*program, *wire.Failure) {
	head, tail := w.around(source)
	place := newPlacement(head)
	script, _, err := isolate.Compile(head+source+tail, programName, nil)
	if err != nil {
		return nil, syntaxFailure(err, place.position, notAnArrow)
	}
	value, err := script.Run()
	if err != nil {
		return nil, &wire.Failure{Kind: "crashed", Message: err.Error()}
	}
	return &program{value, place.position, func(message string) string { return message }}, nil
}

const notAnArrow = " (a program has to be one arrow function expression, after its import declarations)"

// Transforming many modules makes many times the garbage that a worker's heap measures, and at serve's percentage most of the
// time would be the collector's. At this one the heap may have some twelve megabytes meanwhile.
const manyModules, linkGCPercent = 16, 200

// linked has package link make a script of the program. When that fails too, plainErr, the engine's own error for the
// text as it is, says best what is wrong with it.
func linked(s *sandbox, w *wrapping, source string, modules map[string]string, plainErr error) (*program, *wire.Failure) {
	if len(modules) >= manyModules {
		defer debug.SetGCPercent(debug.SetGCPercent(linkGCPercent))
	}
	out, err := s.worker.links.Link(link.Program{Source: source, Modules: modules, Prelude: w.bindings(), Params: []string{w.scope}, Imports: w.imports})
	if err != nil {
		if plainErr != nil {
			return nil, syntaxFailure(plainErr, identity, "")
		}
		return nil, linkFailure(s.isolate, err)
	}
	script, _, err := s.isolate.Compile(out.Script, programName, nil)
	if err != nil {
		return nil, syntaxFailure(err, out.Position, "")
	}
	value, err := script.Run()
	if err != nil {
		return nil, &wire.Failure{Kind: "crashed", Message: err.Error()}
	}
	return &program{value, out.Position, out.Words}, nil
}

// linkFailure words what package link found wrong, in the engine's words where it can be asked.
func linkFailure(isolate *v8.Isolate, err error) *wire.Failure {
	var syntax *link.SyntaxError
	if !errors.As(err, &syntax) {
		return &wire.Failure{Kind: "syntax", Name: "SyntaxError", Message: err.Error()}
	}
	failure := &wire.Failure{Kind: "syntax", Name: "SyntaxError", Message: syntax.Message, File: syntax.File, Line: syntax.Line, Column: syntax.Column}
	if syntax.Check == "" {
		return failure
	}
	_, _, err = isolate.Compile(syntax.Check, programName, nil)
	var words *v8.CompileError
	if errors.As(err, &words) && words.Line == syntax.Line+1 {
		_, failure.Message, _ = strings.Cut(words.Message, ": ")
		failure.Column = words.Column
	}
	return failure
}

func identity(line, column int) (string, int, int, bool) { return "", line, column, true }

// syntaxFailure is a Failure for a text that the engine does not compile.
func syntaxFailure(err error, position func(int, int) (string, int, int, bool), hint string) *wire.Failure {
	var syntax *v8.CompileError
	if !errors.As(err, &syntax) {
		return &wire.Failure{Kind: "syntax", Message: err.Error()}
	}
	failure := &wire.Failure{Kind: "syntax"}
	failure.Name, failure.Message, _ = strings.Cut(syntax.Message, ": ")
	failure.Message += hint
	if file, line, column, ok := position(syntax.Line, syntax.Column); ok {
		failure.File, failure.Line, failure.Column = file, line, column
		failure.Stack = fmt.Sprintf("%s: %s\n    at %s:%d:%d", failure.Name, failure.Message, shown(file), line, column)
	}
	return failure
}

// shown is how stacks name a file.
func shown(file string) string {
	if file == "" {
		return programName
	}
	return file
}

// wrapping writes the scope that a program finds itself in: a constant for each namespace, then the preludes. Its own
// name for what it is given is random, so that no program meets it.
type wrapping struct {
	providers []wire.Provider
	scope     string
	// imports are the names under which the preludes find import().
	imports []string
	// hasThis says that the program may ask for its this.
	hasThis bool
}

func newWrapping(links *link.Cache, providers []wire.Provider, source string) *wrapping {
	w := &wrapping{providers: slices.Clone(providers), scope: "scope" + rand.Text(), hasThis: strings.Contains(source, "this")}
	for i := range w.providers {
		code, name := links.Imports(w.providers[i].Prelude)
		w.providers[i].Prelude = code
		if name != "" && !slices.Contains(w.imports, name) {
			w.imports = append(w.imports, name)
		}
	}
	return w
}

// bindings are the declarations and preludes. A prelude may await, so they belong into an async function then.
func (w *wrapping) bindings() string {
	var b strings.Builder
	if w.hasThis {
		b.WriteString(w.scope + ".entrypoint();")
	}
	for i, provider := range w.providers {
		fmt.Fprintf(&b, "const %s=%s[%d];", provider.Name, w.scope, i)
	}
	for i, provider := range w.providers {
		if provider.Prelude != "" {
			fmt.Fprintf(&b, "%s.enter(%d);%s\n;", w.scope, i, provider.Prelude)
		}
	}
	if w.hasPrelude() {
		fmt.Fprintf(&b, "%s.enter(-1);", w.scope)
	}
	return b.String()
}

func (w *wrapping) hasPrelude() bool {
	for _, provider := range w.providers {
		if provider.Prelude != "" {
			return true
		}
	}
	return false
}

// around is the script's text before and after the program. The program is evaluated in a method, as in the reference,
// with the this that 60_run.js gives it. A method has arguments, which are the harness's: a program that names them is
// evaluated in an arrow function instead.
func (w *wrapping) around(source string) (head, tail string) {
	async := ""
	if w.hasPrelude() {
		async = "async"
	}
	head = "(" + async + "(" + w.scope + "_," + w.scope + ")=>{" + w.bindings()
	if strings.Contains(source, "arguments") {
		return head + "return()=>{return 0,", "\n}})"
	}
	return head + "return{m(){return 0,", "\n}}.m})"
}

// placement is where a program lies in its script: after lines full lines and, on its own first line, width UTF-16
// units.
type placement struct{ lines, width int }

func newPlacement(head string) placement {
	width := 0
	for _, r := range head[strings.LastIndexByte(head, '\n')+1:] {
		width++
		if r > 0xFFFF {
			width++
		}
	}
	return placement{strings.Count(head, "\n"), width}
}

func (p placement) position(line, column int) (string, int, int, bool) {
	line -= p.lines
	if line == 1 {
		column -= p.width
	}
	return "", line, column, line > 0 && column > 0
}

// checkPrelude compiles a prelude by itself, so that a mistake in it has the provider's name.
func checkPrelude(isolate *v8.Isolate, provider wire.Provider) *wire.Failure {
	if provider.Prelude == "" {
		return nil
	}
	const head = "async()=>{"
	name := "prelude of " + provider.Name
	_, _, err := isolate.Compile(head+provider.Prelude+"\n}", name, nil)
	return sourceFailure(err, head, name, "the prelude of provider "+strconv.Quote(provider.Name))
}

// proxySource compiles the expression that replaces a namespace to a function of __dispatch, undefined when there is
// none.
func proxySource(isolate *v8.Isolate, provider wire.Provider) (v8.Value, *wire.Failure) {
	if provider.ProxySource == "" {
		return v8.Value{}, nil
	}
	const head = "__dispatch=>("
	name := "proxySource of " + provider.Name
	what := "the proxySource of provider " + strconv.Quote(provider.Name)
	script, _, err := isolate.Compile(head+provider.ProxySource+"\n)", name, nil)
	if failure := sourceFailure(err, head, name, what); failure != nil {
		return v8.Value{}, failure
	}
	fn, err := script.Run()
	if err != nil {
		return v8.Value{}, &wire.Failure{Kind: "thrown", Message: what + ": " + err.Error()}
	}
	return fn, nil
}

func sourceFailure(err error, head, name, what string) *wire.Failure {
	if err == nil {
		return nil
	}
	place := newPlacement(head)
	failure := syntaxFailure(err, func(line, column int) (string, int, int, bool) {
		_, line, column, ok := place.position(line, column)
		return name, line, column, ok
	}, "")
	failure.Message = what + ": " + failure.Message
	return failure
}
