package compat

import (
	_ "embed" // the probes
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/codemode-go/codemode/compat/casefile"
	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

// namespaceRules: `await codemode` and `return codemode` dispatch a tool called then in the reference, and names of
// Object.prototype reach the host's prototype.
func namespaceRules() []Rule {
	return []Rule{
		{"namespace-is-no-thenable", ReasonNamespace, func(d *Difference) bool {
			return slices.ContainsFunc(d.namespaces(), func(name string) bool {
				return word(name).MatchString(d.Case.Code) && d.equalsWanted(d.withThen(name))
			})
		}},
		{"prototype-names-are-tools", ReasonNamespace, func(d *Difference) bool {
			return slices.ContainsFunc(prototypeNames, func(name string) bool {
				notFound := (&protocol.ToolNotFoundError{Tool: name}).Error()
				says := d.Ours.Error == notFound || strings.Contains(string(d.Ours.Result), strings.Trim(quoted(notFound), `"`))
				return says && !d.hasTool(name) && strings.Contains(d.Case.Code, name) && d.sameLogs()
			})
		}},
	}
}

var prototypeNames = []string{
	"constructor", "__proto__", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString",
	"valueOf", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
}

// thenSuffix is put on a tool called then, so that a probe can call it under another name.
const thenSuffix = "_is_a_tool"

// withThen runs the case with a namespace that dispatches then like any tool, as the reference's does.
func (d *Difference) withThen(namespace string) Ours {
	other := *d.Case
	other.Name += thenSuffix
	other.Providers = renameTools(d.Case.Providers, "then", "then"+thenSuffix)
	arrow, ok := d.arrow()
	if !ok {
		return d.Ours
	}
	other.Code = fmt.Sprintf("async () => (%s)(%s, (%s) => (%s\n)())", thenable, namespace, namespace, arrow)
	return unmarked(d.run(&other), thenSuffix)
}

// thenable calls a program with a namespace whose then is a tool.
//
//go:embed probe_then.js
var thenable string

func renameTools(providers []casefile.Provider, from, to string) []casefile.Provider {
	providers = slices.Clone(providers)
	for i := range providers {
		providers[i].Tools = slices.Clone(providers[i].Tools)
		for j := range providers[i].Tools {
			if t := &providers[i].Tools[j]; t.Name == from {
				t.Name = to
			}
		}
	}
	return providers
}

// runsAnywayRules: programs that models write and the reference refuses.
func runsAnywayRules() []Rule {
	return []Rule{
		{"arrow-with-a-semicolon", ReasonRunsAnyway, func(d *Difference) bool {
			bare, ok := printed(dialect.NormalizeCode(d.Case.Code))
			refused := d.Want.Threw != nil && strings.Contains(d.Want.Threw.Message, "SyntaxError: Unexpected token ';'")
			return ok && refused && d.Ours.Logs != nil && d.agrees(d.probe(bare))
		}},
		{"html-comment", ReasonRunsAnyway, func(d *Difference) bool {
			refused := d.Want.Threw != nil && strings.Contains(d.Want.Threw.Message, "HTML comments are not allowed in modules")
			return refused && d.Ours.Logs != nil && d.agrees(d.probe(htmlComment.ReplaceAllString(d.Case.Code, "$1//")))
		}},
		{"static-import", ReasonRunsAnyway, func(d *Difference) bool {
			dynamic, ok := dynamicImports(dialect.NormalizeCode(d.Case.Code))
			return ok && d.Want.Threw != nil && d.Ours.Logs != nil && d.agrees(d.probe(dynamic))
		}},
		{"typescript", ReasonRunsAnyway, func(d *Difference) bool {
			if d.Want.Threw == nil || d.Ours.Logs == nil {
				return false
			}
			// Without its types the program may have a last expression, and so a value, that normalizeCode did not see.
			script, ok := stripModuleTypes(fence.ReplaceAllString(strings.TrimSpace(d.Case.Code), "$1"))
			if ok && d.agrees(d.probe(script)) {
				return true
			}
			script, ok = stripTypes(dialect.NormalizeCode(d.Case.Code))
			return ok && d.agrees(d.probe(script))
		}},
		{"module-of-another-kind", ReasonRunsAnyway, func(d *Difference) bool {
			t := d.Want.Threw
			refused := t != nil && (strings.Contains(t.Message, "Module name must end with") || strings.Contains(t.Message, "is a Python module"))
			return refused && d.Ours.Logs != nil && d.agrees(d.run(asJavaScript(d.Case)))
		}},
		{"broken-module-fails-where-it-is-imported", ReasonRunsAnyway, func(d *Difference) bool {
			if d.Want.Threw == nil || d.Ours.Logs == nil {
				return false
			}
			for name := range d.Case.Options.Modules {
				if !strings.Contains(d.Want.Threw.Message, "at "+name+":") {
					continue
				}
				failing := "throw new SyntaxError(" + quoted(engineMessage(d.Want.Threw.Message)) + ")"
				if d.agrees(d.run(withModule(d.Case, name, failing))) {
					return true
				}
			}
			return false
		}},
		{"module-body-may-do-anything", ReasonRunsAnyway, func(d *Difference) bool {
			if len(d.Case.Options.Modules) == 0 || d.Want.Threw != nil {
				return false
			}
			refusing := *d
			refusing.Case = announcingModules(d.Case)
			probe, ok := refusing.withNamespaces(refusingScope)
			return ok && d.equalsWanted(probe)
		}},
		{"sync-loop-is-stopped", ReasonRunsAnyway, func(d *Difference) bool {
			f := d.Ours.Failure
			if d.Want.Result == nil || f == nil || f.Kind != protocol.FailureTimeout || d.Ours.Error != protocol.TimeoutMessage || !d.Case.Options.Timeout.IsSet() {
				return false
			}
			patient := *d.Case
			patient.Options.Timeout = protocol.MaximumTimeout()
			ours := d.run(&patient)
			bound, _ := d.Case.Options.Timeout.Duration()
			return ours.Usage.CPU > bound && len(Compare(d.Want, ours.Outcome)) == 0
		}},
	}
}

// withModule is a case with another source for one of its modules.
func withModule(c *casefile.Case, name, source string) *casefile.Case {
	other := *c
	other.Name += " with another " + name
	other.Options.Modules = maps.Clone(c.Options.Modules)
	other.Options.Modules[name] = source
	return &other
}

// refusingScope refuses in the bodies of modules what the reference refuses there.
//
//go:embed probe_scope.js
var refusingScope string

// announcingModules is a case whose modules call moduleBody where their bodies begin and end.
func announcingModules(c *casefile.Case) *casefile.Case {
	other := *c
	other.Name += " with announcements"
	other.Options.Modules = map[string]string{}
	for name, source := range c.Options.Modules {
		if path.Ext(name) == ".js" {
			source = "moduleBody(1);" + source + "\nmoduleBody(-1);"
		}
		other.Options.Modules[name] = source
	}
	return &other
}

// importDeclaration takes one static import apart: what it binds, and the specifier in its quotes.
var importDeclaration = regexp.MustCompile(`^\s*import\s*(?:([\w$]+)\s*,?\s*)?(?:\*\s*as\s+([\w$]+)\s*|(\{[^}]*\})\s*)?(?:from\s*)?('[^']*'|"[^"]*")\s*(?:with\s*\{[^}]*\}\s*)?;?`)

// dynamicImports turns the static imports ahead of an arrow into dynamic ones inside it, which the reference can run.
func dynamicImports(code string) (string, bool) {
	var body strings.Builder
	for {
		m := importDeclaration.FindStringSubmatch(code)
		if m == nil {
			break
		}
		code = code[len(m[0]):]
		from := "await import(" + m[4] + ")"
		if m[1] != "" {
			fmt.Fprintf(&body, "const { default: %s } = %s; ", m[1], exporting(from, "default"))
		}
		switch {
		case m[2] != "":
			fmt.Fprintf(&body, "const %s = %s; ", m[2], from)
		case m[3] != "":
			names := importedName.FindAllStringSubmatch(m[3], -1)
			for _, name := range names {
				from = exporting(from, name[1])
			}
			fmt.Fprintf(&body, "const %s = %s; ", asClause.ReplaceAllString(m[3], ": "), from)
		case m[1] == "":
			fmt.Fprintf(&body, "%s; ", from)
		}
	}
	arrow := strings.TrimRight(code, "; \t\r\n")
	return fmt.Sprintf("async () => { %sreturn await (%s\n)() }", body.String(), arrow), body.Len() > 0
}

// htmlComment finds the openings of comments that a script has and a module has not.
var htmlComment = regexp.MustCompile(`(?m)(^\s*-->|<!--)`)

// printed is a program as an expression, without the semicolons and comments behind it; false when it is none.
func printed(arrow string) (string, bool) {
	const before = "globalThis.program = "
	r := api.Transform(before+arrow, api.TransformOptions{Target: api.ESNext})
	return strings.TrimPrefix(strings.TrimRight(string(r.Code), ";\n"), before), len(r.Errors) == 0
}

// asJavaScript gives the modules of a case names that end in .js, and their sources that form.
func asJavaScript(c *casefile.Case) *casefile.Case {
	const ending = ".as.js"
	other := *c
	other.Name += ending
	other.Options.Modules = map[string]string{}
	for name, source := range c.Options.Modules {
		switch path.Ext(name) {
		case ".js":
			other.Options.Modules[name] = source
			continue
		case ".json":
			source = "export default JSON.parse(" + quoted(source) + ")"
		case ".ts", ".tsx", ".mts", ".cts":
			if script, ok := stripModuleTypes(source); ok {
				source = script
			}
		}
		other.Options.Modules[name+ending] = source
		specifier := regexp.MustCompile(`(['"])((?:\./)?` + regexp.QuoteMeta(name) + `)(['"])(\s*with\s*\{[^}]*\})?`)
		other.Code = specifier.ReplaceAllString(other.Code, "${1}${2}"+ending+"${3}")
	}
	return &other
}

func quoted(text string) string {
	q, _ := json.Marshal(text) // a string always has a rendering
	return string(q)
}

// exporting makes the import fail, in the engine's words, when the module does not export a name.
func exporting(from, name string) string {
	specifier := strings.Trim(from[strings.LastIndexByte(from, '(')+1:], `)'"`)
	missing := fmt.Sprintf("The requested module '%s' does not provide an export named '%s'", specifier, name)
	return fmt.Sprintf("((m) => { if (%s in m) return m; throw new SyntaxError(%s) })(%s)", quoted(name), quoted(missing), from)
}

// importedName finds what the braces of an import name.
var importedName = regexp.MustCompile(`[{,]\s*([\w$]+)`)

var asClause = regexp.MustCompile(`\s+as\s+`)

var fence = regexp.MustCompile("(?s)^```\\w*\\s*\n(.*?)```$")

// stripTypes turns TypeScript into JavaScript; false when the text is JavaScript already, or neither.
func stripTypes(code string) (string, bool) {
	// An arrow alone is an expression statement; a name keeps it an expression. Imports have to stay in front.
	const before = "globalThis.program = "
	if leadingImport.MatchString(code) {
		return stripModuleTypes(code)
	}
	transform := func(loader api.Loader) (string, bool) {
		r := api.Transform(before+code, api.TransformOptions{Loader: loader, Target: api.ESNext})
		return strings.TrimPrefix(strings.TrimRight(string(r.Code), ";\n"), before), len(r.Errors) == 0
	}
	if _, ok := transform(api.LoaderJS); ok {
		return "", false
	}
	return transform(api.LoaderTS)
}

func stripModuleTypes(code string) (string, bool) {
	if r := api.Transform(code, api.TransformOptions{Loader: api.LoaderJS, Target: api.ESNext}); len(r.Errors) == 0 {
		return "", false
	}
	r := api.Transform(code, api.TransformOptions{Loader: api.LoaderTS, Target: api.ESNext})
	return strings.TrimRight(string(r.Code), ";\n"), len(r.Errors) == 0
}
