package compat

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

// namespaceRules: `await codemode` and `return codemode` dispatch a tool called then in the reference, and names of
// Object.prototype reach the host's prototype.
func namespaceRules() []Rule {
	return []Rule{
		{"namespace-is-no-thenable", ReasonNamespace, func(d *Difference) bool {
			if d.Want.Threw != nil || !d.sameLogs() {
				return false
			}
			text, _ := d.Want.ErrorText()
			hangs := text == protocol.TimeoutMessage || d.Want.Hang != "" || d.hasTool("then")
			return slices.ContainsFunc(d.namespaces(), func(name string) bool {
				if !asksForThen(d.Case.Code, name) && !(hangs && usesAsValue(d.Case.Code, name)) {
					return false
				}
				kind, _ := d.probe(fmt.Sprintf("async () => { await %s; return typeof %s.then }", name, name)).text()
				return kind == "undefined" && (d.ran() || d.Ours.Error == name+".then is not a function")
			})
		}},
		{"prototype-names-are-tools", ReasonNamespace, func(d *Difference) bool {
			return slices.ContainsFunc(prototypeNames, func(name string) bool {
				notFound := (&protocol.ToolNotFoundError{Tool: name}).Error()
				quoted, _ := json.Marshal(notFound) // a string always has a rendering
				says := d.Ours.Error == notFound || strings.Contains(string(d.Ours.Result), strings.Trim(string(quoted), `"`))
				return says && !d.hasTool(name) && strings.Contains(d.Case.Code, name) && d.sameLogs()
			})
		}},
	}
}

var prototypeNames = []string{
	"constructor", "__proto__", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString",
	"valueOf", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
}

// usesAsValue reports whether code has a namespace where no member of it is meant.
func usesAsValue(code, namespace string) bool {
	return regexp.MustCompile(`(^|[^\w$.])` + regexp.QuoteMeta(namespace) + `\s*($|[^\w$.\[\s?])`).MatchString(code)
}

// asksForThen reports whether code names the then of a namespace.
func asksForThen(code, namespace string) bool {
	return regexp.MustCompile(`(^|[^\w$.])` + regexp.QuoteMeta(namespace) + `\s*(\??\.\s*then\b|\[\s*['"]then['"]\s*\])`).MatchString(code)
}

// runsAnywayRules: programs that models write and the reference refuses.
func runsAnywayRules() []Rule {
	return []Rule{
		{"arrow-with-a-semicolon", ReasonRunsAnyway, func(d *Difference) bool {
			normal := strings.TrimSpace(dialect.NormalizeCode(d.Case.Code))
			bare := strings.TrimRight(normal, "; \t\r\n")
			return d.Want.Threw != nil && d.ran() && bare != normal && d.agrees(d.probe(bare))
		}},
		{"static-import", ReasonRunsAnyway, func(d *Difference) bool {
			dynamic, ok := dynamicImports(dialect.NormalizeCode(d.Case.Code))
			return ok && d.Want.Threw != nil && d.Ours.Logs != nil && d.agrees(d.probe(dynamic))
		}},
		{"typescript", ReasonRunsAnyway, func(d *Difference) bool {
			script, ok := stripTypes(dialect.NormalizeCode(d.Case.Code))
			return d.Want.Threw != nil && d.Ours.Logs != nil && ok && d.agrees(d.probe(script))
		}},
		{"module-of-another-kind", ReasonRunsAnyway, func(d *Difference) bool {
			t := d.Want.Threw
			return t != nil && d.ran() && (strings.Contains(t.Message, "Module name must end with") || strings.Contains(t.Message, "is a Python module"))
		}},
		{"broken-module-fails-where-it-is-imported", ReasonRunsAnyway, func(d *Difference) bool {
			if d.Want.Threw == nil || !d.ran() {
				return false
			}
			for name := range d.Case.Options.Modules {
				if strings.Contains(d.Want.Threw.Message, "at "+name+":") {
					return true
				}
			}
			return false
		}},
		{"module-body-may-do-anything", ReasonRunsAnyway, func(d *Difference) bool {
			const refused = "Disallowed operation called within global scope"
			want := string(d.Want.Result) + string(d.Want.Error)
			return strings.Contains(want, refused) && d.ran() && !strings.Contains(string(d.Ours.Result), refused) && d.sameLogs()
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
			fmt.Fprintf(&body, "const { default: %s } = %s; ", m[1], from)
		}
		switch {
		case m[2] != "":
			fmt.Fprintf(&body, "const %s = %s; ", m[2], from)
		case m[3] != "":
			fmt.Fprintf(&body, "const %s = %s; ", asClause.ReplaceAllString(m[3], ": "), from)
		case m[1] == "":
			fmt.Fprintf(&body, "%s; ", from)
		}
	}
	arrow := strings.TrimRight(code, "; \t\r\n")
	return fmt.Sprintf("async () => { %sreturn await (%s\n)() }", body.String(), arrow), body.Len() > 0
}

var asClause = regexp.MustCompile(`\s+as\s+`)

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
