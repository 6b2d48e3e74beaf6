package link

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// unit is code in its final form with the maps that lead back to the text that was sent.
type unit struct {
	code string
	maps []lineMap // applied in order to a position in code; nil: code is the text itself
}

// lineMap is one step back: subtract shift from the line, then look the position up in the source map
// (without one it stays as it is).
type lineMap struct {
	shift     int
	sourceMap []byte
}

// binding is an imported name: the request it comes from and the name there ("*": the namespace).
type binding struct {
	request     int
	local, name string
}

// reexport is `export {name as exported} from request`.
type reexport struct {
	exported string
	request  int
	name     string
}

// unitInfo is everything known of a program or module text.
type unitInfo struct {
	unit
	requests []string   // specifiers in order
	imports  []binding  //
	locals   []string   // names exported from bindings of its own
	indirect []reexport //
	stars    []int      // requests re-exported whole
	unnamed  string     // generated local name of an anonymous default export
	async    bool       // has a top-level await
	dynamic  bool       // has import(…)
	module   bool       // is made of module syntax of any kind
	syntax   *SyntaxError
	mapBytes int // what its share of the source maps measures

	importWord, importsName, exportWord string
}

// usesModules says whether a program needs the registry at all.
func (u *unitInfo) usesModules() bool { return u.module }

func (u *unitInfo) size() int { return len(u.code) + u.mapBytes + 200 }

// request returns the index of a specifier, adding it when it is new.
func (u *unitInfo) request(specifier string) int {
	if i := slices.Index(u.requests, specifier); i >= 0 {
		return i
	}
	u.requests = append(u.requests, specifier)
	return len(u.requests) - 1
}

// newModule transforms the text of the module called name; a text that does not parse gives a unit
// that only carries its syntax error. The unit of one that imports is finished by rewriting its draft.
func newModule(name, source string) (*unitInfo, *draft) {
	if strings.HasSuffix(name, ".json") {
		return newJSON(source), nil
	}
	if hashbang := "#!"; strings.HasPrefix(source, hashbang) { // legal at the start of a module, which is inside a script here
		source = "//" + source[len(hashbang):]
	}
	canonical, syntax := canonicalise(name, source, loaderOf(name), "")
	if syntax != nil {
		return &unitInfo{syntax: syntax}, nil
	}
	u := &unitInfo{module: true, async: canonical.async}
	body, exports := u.read(canonical, source)
	announced := "{__proto__: null"
	for _, e := range exports {
		u.locals = append(u.locals, e.name)
		announced += ", " + property(e.name) + ": () => " + e.local
		if e.name == "default" && strings.HasSuffix(e.local, "_default") && !strings.Contains(source, e.local) {
			u.unnamed = e.local
		}
	}
	head := "function* "
	if u.async {
		head = "async function* "
	}
	open := "() { " + u.exportWord + "(" + announced + "}); yield;\n"
	u.maps, u.mapBytes = []lineMap{{shift: 1}, {sourceMap: canonical.sourceMap}}, len(canonical.sourceMap)
	if len(u.imports) == 0 {
		u.code = head + open + body + "\n}"
		return u, nil
	}
	return u, &draft{unit: u, head: head, rest: open + body + "\n}\n"}
}

func newJSON(source string) *unitInfo {
	code := "function* () { $xport({default: () => value}); yield; const value = JSON.parse(" + quote(source) + ");\n}"
	return &unitInfo{
		unit: unit{code: code}, module: true, locals: []string{"default"},
		importWord: "$mport", importsName: "$imports", exportWord: "$xport",
	}
}

// newProgram transforms the program. Without module syntax its text stays as it is; otherwise, and
// when it is TypeScript or ends in a semicolon, esbuild's print of it takes its place.
func newProgram(source string) (*unitInfo, error) {
	if isPlain(source) {
		return &unitInfo{unit: unit{code: source}}, nil
	}
	this := thisWord(source)
	canonical, syntax := canonicalise("program.js", source, api.LoaderJS, this)
	if syntax != nil {
		var failed *SyntaxError
		if canonical, failed = canonicalise("program.ts", source, api.LoaderTS, this); failed != nil {
			syntax.Check = "(\n" + source + "\n)"
			return nil, syntax
		}
	}
	u := &unitInfo{}
	body, exports := u.read(canonical, source)
	if len(exports) > 0 || len(u.stars) > 0 || len(u.indirect) > 0 {
		return nil, &SyntaxError{Message: "Unexpected token 'export'", Line: 1, Column: 1}
	}
	expression, ok := soleExpression(body)
	if !ok || canonical.async {
		return nil, &SyntaxError{Message: "The program must be one async arrow function", Line: 1, Column: 1, Check: "(\n" + source + "\n)"}
	}
	u.maps, u.mapBytes = []lineMap{{sourceMap: canonical.sourceMap}}, len(canonical.sourceMap)
	u.code = expression
	if len(u.imports) > 0 {
		u.rewrite(expression)
	}
	if this != "" {
		u.code = strings.ReplaceAll(u.code, this, "this")
	}
	return u, nil
}

// newPrelude transforms code that runs before a program: import( in it becomes a call of its importWord. What is no
// module, and what has no import(), stays as it is.
func newPrelude(source string) *unitInfo {
	plain := &unitInfo{unit: unit{code: source}}
	canonical, syntax := canonicalise("prelude.js", source, api.LoaderJS, "")
	if syntax != nil {
		return plain
	}
	u := &unitInfo{importWord: freeWord("$primp", source)}
	body, _ := u.read(canonical, source)
	if !u.dynamic {
		return plain
	}
	u.code = body
	return u
}

// thisWord is a word of the same length that stands for a program's this while esbuild has it, which knows none at the
// top of a module. Empty when the program does without.
func thisWord(source string) string {
	if !strings.Contains(source, "this") {
		return ""
	}
	for i := range 1000 {
		if word := fmt.Sprintf("$%03d", i); !strings.Contains(source, word) {
			return word
		}
	}
	return ""
}

// isPlain says whether a program is one expression without module syntax. It is parsed in square brackets,
// so that one that closes the parentheses of the script early does not pass.
func isPlain(source string) bool {
	canonical, syntax := canonicalise("program.js", "[$ =\n"+source+"\n]", api.LoaderJS, "")
	if syntax != nil || canonical.async {
		return false
	}
	s := &scan{text: canonical.code}
	s.run(func([]token) {})
	return len(s.calls) == 0 && len(s.spans) == 0 && s.isStatement()
}

// soleExpression strips the semicolon of a body that is one statement.
func soleExpression(body string) (string, bool) {
	s := &scan{text: body}
	s.run(func([]token) {})
	if !s.isStatement() {
		return "", false
	}
	return body[:s.ends[0]-1], true
}

// isStatement says whether the text that was scanned is one expression statement.
func (s *scan) isStatement() bool {
	return len(s.ends) == 1 && strings.TrimRight(s.text[s.ends[0]:], " \n") == ""
}

// canonicalForm is esbuild's print of a text.
type canonicalForm struct {
	code      string
	sourceMap []byte
	async     bool
}

// canonicalise prints source as an ES module without types. The first attempt refuses a top-level
// await, so that the second tells whether there is one. A word for this, when there is one, takes its place at the top.
func canonicalise(name, source string, loader api.Loader, this string) (*canonicalForm, *SyntaxError) {
	options := api.TransformOptions{
		Format: api.FormatESModule, Loader: loader, Target: api.ESNext, Sourcefile: path.Base(name), LogLevel: api.LogLevelSilent,
		Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude, LegalComments: api.LegalCommentsNone,
		Charset: api.CharsetUTF8, Supported: map[string]bool{"top-level-await": false},
		TsconfigRaw: `{"compilerOptions":{"verbatimModuleSyntax":false,"useDefineForClassFields":true}}`,
	}
	options.Define = map[string]string{}
	if strings.Contains(source, "arguments") { // undefined in a module, but bodies become functions
		options.Define["arguments"] = "undefined"
	}
	if this != "" {
		options.Define["this"] = this
	}
	text := source + "\nexport {}"
	result := api.Transform(text, options)
	async := false
	if len(result.Errors) > 0 && strings.Contains(source, "await") {
		options.Supported = nil
		result = api.Transform(text, options)
		async = true
	}
	if len(result.Errors) > 0 {
		return nil, newSyntaxError(result.Errors[0], name, source)
	}
	return &canonicalForm{code: string(result.Code), sourceMap: result.Map, async: async}, nil
}

func loaderOf(name string) api.Loader {
	switch path.Ext(name) {
	case ".ts", ".mts", ".cts":
		return api.LoaderTS
	case ".tsx":
		return api.LoaderTSX
	case ".jsx":
		return api.LoaderJSX
	}
	return api.LoaderJS
}

// export is a name exported from a binding of the module itself.
type export struct{ local, name string }

// read finds the module syntax of a canonical text, notes its imports and re-exports, and returns the
// body without declarations, import( and import.meta renamed, plus the local exports.
func (u *unitInfo) read(canonical *canonicalForm, source string) (string, []export) {
	if u.importWord == "" {
		u.importWord = freeWord("$mport", source)
	}
	u.exportWord = freeWord("$xport", source)
	u.importsName = "$imports"
	var exports []export
	s := &scan{text: canonical.code}
	s.run(func(tokens []token) {
		if tokens[0].text == "import" {
			u.readImport(tokens[1:])
		} else {
			exports = append(exports, u.readExport(tokens[1:])...)
		}
	})
	u.dynamic = s.loads
	u.module = u.module || len(s.spans) > 0 && len(u.requests) > 0 || s.loads || s.meta
	body := []byte(canonical.code)
	for _, sp := range s.spans {
		blank(body, sp.start, sp.end)
	}
	for _, at := range s.calls {
		copy(body[at:], u.importWord)
		if bytes.HasPrefix(body[at+len("import"):], []byte(".meta")) {
			body[at+len("import")] = '_'
		}
	}
	return string(body), exports
}

// freeWord varies a word of six letters until source does not contain it.
func freeWord(word, source string) string {
	for i := 0; strings.Contains(source, word); i++ {
		word = word[:6-len(strconv.Itoa(i))] + strconv.Itoa(i)
	}
	return word
}

// readImport notes `d from "x"`, `* as n from "x"`, `d, {a as b} from "x"` or `"x"`.
func (u *unitInfo) readImport(tokens []token) {
	from := slices.IndexFunc(tokens, func(t token) bool { return t.kind == literal && isModuleName(tokens, t) })
	if from < 0 {
		return
	}
	request := u.request(unquote(tokens[from].text))
	clause := tokens[:max(0, from-1)]
	for i := 0; i < len(clause); i++ {
		switch t := clause[i]; {
		case t.text == "*":
			u.imports = append(u.imports, binding{request, clause[i+2].text, "*"})
			i += 2
		case t.text == "{":
			for _, s := range specifiers(clause[i+1:]) {
				u.imports = append(u.imports, binding{request, s.name, s.local})
			}
			return
		case t.kind == word:
			u.imports = append(u.imports, binding{request, t.text, "default"})
		}
	}
}

// isModuleName says whether a string is the module specifier: the first token, or after "from".
func isModuleName(tokens []token, t token) bool {
	i := slices.Index(tokens, t)
	return i == 0 || tokens[i-1].text == "from"
}

// readExport notes re-exports and returns the local exports of `{a, b as c}`.
func (u *unitInfo) readExport(tokens []token) []export {
	from := slices.IndexFunc(tokens, func(t token) bool { return t.kind == literal && isModuleName(tokens, t) })
	if from < 0 {
		return specifiers(tokens[1:])
	}
	request := u.request(unquote(tokens[from].text))
	if tokens[0].text != "*" {
		for _, s := range specifiers(tokens[1 : from-1]) {
			u.indirect = append(u.indirect, reexport{s.name, request, s.local})
		}
	} else if tokens[1].text == "as" {
		u.indirect = append(u.indirect, reexport{nameOf(tokens[2]), request, "*"})
	} else {
		u.stars = append(u.stars, request)
	}
	return nil
}

// specifiers reads `a, b as c, "d e" as f` up to the closing brace; without "as" both names are one.
func specifiers(tokens []token) []export {
	var out []export
	for i := 0; i < len(tokens) && tokens[i].text != "}"; i++ {
		if tokens[i].text == "," {
			continue
		}
		s := export{nameOf(tokens[i]), nameOf(tokens[i])}
		if i+2 < len(tokens) && tokens[i+1].text == "as" {
			s.name = nameOf(tokens[i+2])
			i += 2
		}
		out = append(out, s)
	}
	return out
}

func nameOf(t token) string {
	if t.kind == literal {
		return unquote(t.text)
	}
	return t.text
}

// quote renders s as a JavaScript string literal.
func quote(s string) string {
	b, _ := json.Marshal(s) // a string always marshals
	return string(b)
}

// property renders s as a key of an object literal; computed, so that "__proto__" is an ordinary name.
func property(s string) string { return "[" + quote(s) + "]" }

func quoteList(list []string) string {
	b, _ := json.Marshal(append([]string{}, list...))
	return string(b)
}

func intList(list []int) string {
	b, _ := json.Marshal(append([]int{}, list...))
	return string(b)
}
