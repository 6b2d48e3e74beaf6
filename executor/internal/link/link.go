// Package link turns a program and its module map into one classic script.
//
// V8 as the worker embeds it has no modules, so this package has their semantics instead: a Program
// is the source a caller sent (leading static imports, then one async arrow) with its Modules; Link
// makes a Linked, whose Script evaluates to a function that yields the arrow once every static import
// has been resolved and evaluated. Bindings are live, cycles and top-level await work, a module is
// evaluated once, and import() with any specifier answers at run time from the same registry.
// TypeScript is stripped, JSON modules have a default export.
//
//	linked, err := cache.Link(link.Program{
//		Source:  source,
//		Modules: map[string]string{"helpers.js": "export const g = () => 1"},
//		Params:  []string{"$providers"},
//		Prelude: "const codemode = $providers.codemode;",
//	})
//	// in the isolate: const make = <value of linked.Script>
//	//                 const arrow = (await make(hooks, providers)).call(thisOfTheProgram)
//	//                 const result = await arrow()
//	file, line, column, ok := linked.Position(12, 7) // of a stack frame
//
// # The script
//
// Script is an expression whose value is an async function of (hooks, ...Params). It runs Prelude (in
// a scope that the program sees and modules do not), links and evaluates the program's static imports,
// and resolves to a function without parameters; called with any this, that function evaluates the
// program's expression, in strict mode, and returns its value: the arrow. Params are out of the
// program's reach, and so is hooks. hooks may be undefined, or an object with a method
// builtin(name), which returns the namespace object of a module the platform has ("node:path"),
// undefined when there is none, or a string, the name under which it is missing.
//
// # Limits
//
// A module namespace is an ordinary frozen-shape object with getters. A module that esbuild parses and
// V8 does not (an invalid regular expression) fails the whole program. Names in an error message may
// carry a numeric suffix where a program with imports shadows a name.
package link

import (
	_ "embed"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Program is what a caller sent: Source is an async arrow expression, optionally preceded by static
// import declarations; Modules maps specifiers to sources, TypeScript by the endings .ts, .tsx, .mts
// and .cts, JSON by .json, anything else JavaScript. Prelude is code of the harness, run before the
// program in its scope; Params are the names under which Prelude finds the arguments after hooks, and Imports those under
// which it finds a function that does what import() does in the program (see [Cache.Imports]).
type Program struct {
	Source  string
	Modules map[string]string
	Prelude string
	Params  []string
	Imports []string
}

// importedName is how a call of an imported name reads in an error message, esbuild's rewriting in it.
var importedName = regexp.MustCompile(`\(0 , import_i\d*\.([^\s()]+)\)`)

// Words gives an error message of the script the names that its source has.
func (l *Linked) Words(message string) string {
	if !strings.Contains(message, "import_i") {
		return message
	}
	return bareName.ReplaceAllString(importedName.ReplaceAllString(message, "$1"), "")
}

// bareName is the object in front of an imported name that is not called.
var bareName = regexp.MustCompile(`\bimport_i\d*\.`)

// Linked is a program ready to run. It is immutable and safe for concurrent use.
type Linked struct {
	// Script is the expression described in the package doc.
	Script   string
	segments []segment
}

//go:embed runtime.js
var runtimeSource string

// Link links p without a cache.
func Link(p Program) (*Linked, error) { return link(p, nil) }

// link links p, taking transformed texts from cache when it has them. The error is a *SyntaxError in
// the program's own text; a syntax error in a module is thrown when the module is imported.
func link(p Program, cache *Cache) (*Linked, error) {
	body, err := cache.program(p.Source)
	if err != nil {
		return nil, err
	}
	b := &builder{}
	if !body.usesModules() && len(p.Imports) == 0 {
		b.text("(async (" + parameters(p.Params) + ") => { \"use strict\"; " + p.Prelude + "\nreturn function () { " + shadow(p.Params) + "return (\n")
		b.code("", body.unit)
		b.text("\n); }; })")
		return b.linked(), nil
	}
	b.text("(() => { \"use strict\"; const $registry = (" + strings.TrimSpace(runtimeSource) + ")({\n")
	units := load(body, len(p.Imports) > 0, p.Modules, cache)
	for _, name := range slices.Sorted(maps.Keys(units)) {
		b.record(name, units[name], p.Modules)
	}
	b.text("});\nreturn async (" + parameters(p.Params) + ") => { const $unit = await $registry($link, ")
	b.dependencies("", body, p.Modules)
	b.text("); { ")
	for _, word := range p.Imports {
		b.text("const " + word + " = $unit.dynamic; ")
	}
	b.text(p.Prelude + "\n")
	if body.usesModules() {
		b.text("const " + body.importWord + " = $unit.dynamic, " + body.importWord + "_meta = $unit.meta, " + body.importsName + " = $unit.imports; ")
	}
	b.text("return function () { let $unit, $registry; " + shadow(slices.Concat(p.Params, p.Imports)) + "return (\n")
	b.code("", body.unit)
	b.text("\n); }; } }; })()")
	return b.linked(), nil
}

func parameters(names []string) string {
	return strings.Join(append([]string{"$link"}, names...), ", ")
}

// shadow hides the script's own parameters from the program.
func shadow(names []string) string {
	return "let " + parameters(names) + "; "
}

// load transforms the modules that the program can import, by name: all of them when a specifier may
// be computed, there or in what runs before it, otherwise the closure of the static imports.
func load(program *unitInfo, dynamic bool, modules map[string]string, cache *Cache) map[string]*unitInfo {
	l := &loader{modules: modules, cache: cache, ready: map[string]*unitInfo{}}
	units := map[string]*unitInfo{}
	wanted := targets("", program, modules)
	if program.dynamic || dynamic {
		wanted = slices.Collect(maps.Keys(modules))
	}
	for len(wanted) > 0 {
		l.transform(wanted)
		var next []string
		for _, name := range wanted {
			units[name] = l.ready[name]
			if units[name].dynamic {
				next = slices.AppendSeq(next, maps.Keys(modules))
				break
			}
			next = append(next, targets(name, units[name], modules)...)
		}
		slices.Sort(next)
		wanted = slices.DeleteFunc(slices.Compact(next), func(name string) bool { return units[name] != nil })
	}
	return units
}

// loader has the modules that were transformed for one program, among them some that it may not import after all.
type loader struct {
	modules map[string]string
	cache   *Cache
	ready   map[string]*unitInfo
}

// transform makes the named modules ready, and with those that the cache has not what they seem to import: what a module
// imports is only certain once it has been transformed, and a chain of modules would be transformed one by one.
func (l *loader) transform(names []string) {
	var missing []string
	seen := map[string]bool{}
	for len(names) > 0 {
		var next []string
		for _, name := range names {
			if seen[name] || l.ready[name] != nil {
				continue
			}
			seen[name] = true
			if info := l.cache.get(moduleKey(name, l.modules[name])); info != nil {
				l.ready[name] = info
				continue
			}
			missing = append(missing, name)
			for _, match := range seemsImported.FindAllStringSubmatch(l.modules[name], -1) {
				if target, ok := resolve(name, match[1], l.modules); ok {
					next = append(next, target)
				}
			}
		}
		names = next
	}
	l.transformAll(missing)
}

// seemsImported finds what may be the specifier of an import or a re-export.
var seemsImported = regexp.MustCompile(`(?:\bfrom|\bimport)\s*["']([^"'\n]+)["']`)

func (l *loader) transformAll(names []string) {
	infos, drafts := make([]*unitInfo, len(names)), make([]*draft, len(names))
	abreast(len(names), func(i int) { infos[i], drafts[i] = newModule(names[i], l.modules[names[i]]) })
	groups := gather(slices.DeleteFunc(slices.Clone(drafts), func(d *draft) bool { return d == nil }))
	abreast(len(groups), func(i int) { groups[i].rewrite() })
	for i, name := range names {
		l.ready[name] = infos[i]
		l.cache.put(moduleKey(name, l.modules[name]), infos[i])
	}
}

// abreast does things, as many at a time as there are processors.
func abreast(count int, do func(i int)) {
	var group sync.WaitGroup
	var taken atomic.Int64
	for range min(count, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := int(taken.Add(1)) - 1; i < count; i = int(taken.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
}

// targets are the modules of the map that a unit imports statically.
func targets(name string, info *unitInfo, modules map[string]string) []string {
	var out []string
	for _, specifier := range info.requests {
		if target, ok := resolve(name, specifier, modules); ok {
			out = append(out, target)
		}
	}
	return out
}

// builder assembles a script and remembers where each unit of code went.
type builder struct {
	out      strings.Builder
	line     int
	segments []segment
}

func (b *builder) text(s string) {
	b.out.WriteString(s)
	b.line += strings.Count(s, "\n")
}

// code appends a unit; it must start at the beginning of a line.
func (b *builder) code(file string, u unit) {
	start := b.line
	b.text(u.code)
	b.segments = append(b.segments, segment{first: start, last: b.line, file: file, maps: u.maps})
}

func (b *builder) linked() *Linked {
	return &Linked{Script: b.out.String(), segments: b.segments}
}

// record appends the registry entry of one module; runtime.js says what its fields are.
func (b *builder) record(name string, info *unitInfo, modules map[string]string) {
	b.text(quote(name) + ": {")
	if info.syntax != nil {
		b.text("error: " + quote(info.syntax.Message) + ", at: " + quote(name+":"+strconv.Itoa(info.syntax.Line)+":"+strconv.Itoa(info.syntax.Column)) + "},\n")
		return
	}
	b.text("links: ")
	b.dependencies(name, info, modules)
	b.text(", locals: " + quoteList(info.locals) + ", stars: " + intList(info.stars) + ", indirect: {__proto__: null")
	for _, r := range info.indirect {
		b.text(", " + property(r.exported) + ": [" + strconv.Itoa(r.request) + ", " + quote(r.name) + "]")
	}
	b.text("}, unnamed: " + quote(info.unnamed) + ", async: " + strconv.FormatBool(info.async) +
		", body: (" + info.importsName + ", " + info.importWord + ", " + info.importWord + "_meta, " + info.exportWord + ") =>\n")
	b.code(name, info.unit)
	b.text("},\n")
}

// dependencies appends what a unit asks of other modules: its requests, resolved, and its bindings.
func (b *builder) dependencies(name string, info *unitInfo, modules map[string]string) {
	b.text("{requests: [")
	for _, specifier := range info.requests {
		target, found := resolve(name, specifier, modules)
		b.text("[" + quote(specifier) + ", " + quote(target) + ", " + strconv.FormatBool(found) + "], ")
	}
	b.text("], bindings: [")
	for _, i := range info.imports {
		b.text("[" + strconv.Itoa(i.request) + ", " + quote(i.name) + ", " + quote(i.local) + "], ")
	}
	b.text("]}")
}
