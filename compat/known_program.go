package compat

import (
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
			i := slices.IndexFunc(d.namespaces(), func(name string) bool {
				return treatsAsThenable(d.Case.Code, name)
			})
			if i < 0 || d.Want.Threw != nil || !d.sameLogs() {
				return false
			}
			name := d.Case.Providers[i].Name
			if !d.ran() && d.Ours.Error != name+".then is not a function" {
				return false
			}
			kind, _ := textOf(d.probe(fmt.Sprintf("async () => { await %s; return typeof %s.then }", name, name)))
			return kind == "undefined"
		}},
		{"prototype-names-are-tools", ReasonNamespace, func(d *Difference) bool {
			return slices.ContainsFunc(prototypeNames, func(name string) bool {
				notFound := (&protocol.ToolNotFoundError{Tool: name}).Error()
				return d.Ours.Error == notFound && !d.hasTool(name) && strings.Contains(d.Case.Code, name) && d.sameLogs()
			})
		}},
	}
}

var prototypeNames = []string{
	"constructor", "__proto__", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString",
	"valueOf", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
}

// treatsAsThenable reports whether code uses a namespace as a value, or asks for its then.
func treatsAsThenable(code, namespace string) bool {
	name := regexp.QuoteMeta(namespace)
	bare := regexp.MustCompile(`(^|[^\w$.])` + name + `\s*($|[^\w$.\[\s?])`)
	then := regexp.MustCompile(`(^|[^\w$.])` + name + `\s*(\.then\b|\[\s*['"]then['"]\s*\])`)
	return bare.MatchString(code) || then.MatchString(code)
}

func textOf(o Ours) (string, bool) { return o.text() }

// runsAnywayRules: programs that models write and the reference refuses.
func runsAnywayRules() []Rule {
	return []Rule{
		{"arrow-with-a-semicolon", ReasonRunsAnyway, func(d *Difference) bool {
			normal := strings.TrimSpace(dialect.NormalizeCode(d.Case.Code))
			bare := strings.TrimRight(normal, "; \t\r\n")
			return d.Want.Threw != nil && d.ran() && bare != normal && d.agrees(d.probe(bare))
		}},
		{"static-import", ReasonRunsAnyway, func(d *Difference) bool {
			if d.Want.Threw == nil || d.Ours.Logs == nil || !leadingImport.MatchString(dialect.NormalizeCode(d.Case.Code)) {
				return false
			}
			return d.ran() || strings.Contains(d.Ours.Error, "No such module")
		}},
		{"typescript", ReasonRunsAnyway, func(d *Difference) bool {
			script, ok := stripTypes(dialect.NormalizeCode(d.Case.Code))
			return d.Want.Threw != nil && d.Ours.Logs != nil && ok && d.agrees(d.probe(script))
		}},
		{"module-of-another-kind", ReasonRunsAnyway, func(d *Difference) bool {
			t := d.Want.Threw
			return t != nil && d.ran() && (strings.Contains(t.Message, "Module name must end with") || strings.Contains(t.Message, "is a Python module"))
		}},
		{"broken-module-that-nobody-imports", ReasonRunsAnyway, func(d *Difference) bool {
			if d.Want.Threw == nil || !d.ran() {
				return false
			}
			for name := range d.Case.Options.Modules {
				if strings.Contains(d.Want.Threw.Message, "at "+name+":") && !strings.Contains(d.Case.Code, name) {
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
			return len(Compare(d.Want, d.run(&patient).Outcome)) == 0
		}},
	}
}

// stripTypes turns TypeScript into JavaScript; false when the text is JavaScript already, or neither.
func stripTypes(code string) (string, bool) {
	// The arrow is an expression: without a name around it esbuild would drop it as unused.
	const before = "globalThis.program = "
	transform := func(loader api.Loader) (string, bool) {
		r := api.Transform(before+code, api.TransformOptions{Loader: loader, Target: api.ESNext})
		return strings.TrimPrefix(strings.TrimRight(string(r.Code), ";\n"), before), len(r.Errors) == 0
	}
	if _, ok := transform(api.LoaderJS); ok {
		return "", false
	}
	return transform(api.LoaderTS)
}
