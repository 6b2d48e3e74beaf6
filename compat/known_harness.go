package compat

import (
	_ "embed" // the probes
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/compat/casefile"
	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

// harnessModule is the reference's own main module; a module of that name among the program's is dropped there.
const harnessModule = "executor.js"

// internals are the names that the reference's generated worker leaves in a program's scope.
var internals = []string{
	"__dispatchers", "__connectors", "__logs", "__CODEMODE_BINARY_TAG", "__bytesToBase64", "__base64ToBytes",
	"__encodeCodemodeValue", "__decodeCodemodeValue", "__stringifyForCodemode", "__parseForCodemode", "WorkerEntrypoint",
	"CodeExecutor", "arguments", "result",
}

// harnessRules: what a program can see or change of the reference's own source. Each rule proves its claim by running
// the program once more, without what it tries to reach.
func harnessRules() []Rule {
	return []Rule{
		{"internals-are-not-in-scope", ReasonNoHarness, func(d *Difference) bool {
			return slices.ContainsFunc(internals, func(name string) bool {
				pattern := word(name)
				if !pattern.MatchString(d.Case.Code) || !d.readsFree(name) {
					return false
				}
				code := d.Case.Code
				for pattern.MatchString(code) {
					code = pattern.ReplaceAllString(code, "${1}unbound$$"+name+"${2}")
				}
				return d.agrees(unmarked(d.probe(code), "unbound$"))
			})
		}},
		{"tampering-reaches-the-program-alone", ReasonNoHarness, func(d *Difference) bool {
			code, ok := withoutTampering(d.Case.Code)
			return ok && (d.Want.Threw == nil || canceled(d.Want.Threw)) && d.agrees(d.probe(code))
		}},
		{"no-module-of-the-harness", ReasonNoHarness, func(d *Difference) bool {
			source, ok := d.Case.Options.Modules[harnessModule]
			if !ok || !d.ran() {
				return false
			}
			const renamed = "program-" + harnessModule
			other := *d.Case
			other.Code = strings.ReplaceAll(d.Case.Code, harnessModule, renamed)
			other.Options.Modules = map[string]string{renamed: source}
			for name, text := range d.Case.Options.Modules {
				if name != harnessModule {
					other.Options.Modules[name] = strings.ReplaceAll(text, harnessModule, renamed)
				}
			}
			other.Name += renamed
			return d.agrees(d.run(&other))
		}},
		{"the-harness-is-no-module", ReasonNoHarness, func(d *Difference) bool {
			_, own := d.Case.Options.Modules[harnessModule]
			const none = `No such module "` + harnessModule + `"`
			return !own && d.sameLogs() && strings.Contains(d.Case.Code, harnessModule) && strings.Contains(d.Ours.Error, none)
		}},
		{"entrypoint-without-evaluate", ReasonNoHarness, func(d *Difference) bool {
			probe, ok := d.wrapped(withEvaluate)
			return ok && word("this").MatchString(d.Case.Code) && d.equalsWanted(probe)
		}},
		{"no-environment-bindings", ReasonPlatform, func(d *Difference) bool {
			var unsupported *casefile.UnsupportedError
			return errors.As(d.Ours.Err, &unsupported) && unsupported.Option == "bindings" &&
				d.Ours.Error == unsupported.Error() && d.Ours.Result == nil && d.Ours.Logs == nil && word("env").MatchString(d.Case.Code)
		}},
		{"program-ends-where-its-text-ends", ReasonNoHarness, func(d *Difference) bool {
			// Text that closes brackets it did not open is a program only inside of the reference's source.
			_, isProgram := printed(dialect.NormalizeCode(d.Case.Code))
			return !isProgram && d.Want.Threw == nil && d.failsToParse()
		}},
		{"what-looks-like-a-tag-is-data", ReasonNoHarness, func(d *Difference) bool {
			plain, spelled := renameTag(d.Case)
			if !spelled || !d.agrees(unmarked(d.run(plain), tagSuffix)) {
				return false
			}
			probe, ok := d.withNamespaces(readingTags)
			return ok && d.equalsWanted(probe)
		}},
	}
}

// withEvaluate gives a program's this the one method that the reference's has.
//
//go:embed probe_entrypoint.js
var withEvaluate string

// readingTags gives a program namespaces that take for bytes what looks like them.
//
//go:embed probe_tags.js
var readingTags string

// failsToParse reports whether our side refused the program's syntax.
func (d *Difference) failsToParse() bool {
	return d.Ours.Failure != nil && d.Ours.Failure.Kind == protocol.FailureSyntax
}

// readsFree proves that a program means a name of its surroundings: once something there has that name, the outcome is
// another one.
func (d *Difference) readsFree(name string) bool {
	if name == "arguments" {
		return d.changesWith("(function () { return (%s\n)() })('bound')")
	}
	return d.changesWith("((" + name + ") => (%s\n)())(() => ['bound'])")
}

// changesWith runs an expression around the program, which stands at its %s, and reports whether the outcome is another.
func (d *Difference) changesWith(around string) bool {
	arrow, ok := d.arrow()
	return ok && !d.agrees(d.probe("async () => "+fmt.Sprintf(around, arrow)))
}

// unmarked takes a mark that a probe put on names out of its outcome.
func unmarked(o Ours, mark string) Ours {
	outcome := *o.Outcome
	outcome.Error = strings.ReplaceAll(outcome.Error, mark, "")
	if outcome.Result != nil {
		outcome.Result = []byte(strings.ReplaceAll(string(outcome.Result), mark, ""))
	}
	o.Outcome = &outcome
	return o
}

// tampers finds an assignment to a global or to a member of one, and the deletion of such a member.
var tampers = regexp.MustCompile(`(?:^|[;{\s])((?:(?:globalThis\.)?` + tampered + members + `\s*=[^=>]|delete\s+` + tampered + members + `))`)

// tampered are the globals that the reference's own source uses.
const tampered = `(?:JSON|Object|Array|ArrayBuffer|Promise|String|Function|Symbol|Error|Uint8Array|console|Proxy|btoa|atob|setTimeout|__\w+)`

const members = `(?:\.\w+|\[[^\]]*\])*`

// withoutTampering takes the assignments to globals out of a program.
func withoutTampering(code string) (string, bool) {
	found := false
	for {
		at := tampers.FindStringSubmatchIndex(code)
		if at == nil {
			return code, found
		}
		found = true
		code = code[:at[2]] + code[statementEnd(code, at[2]):]
	}
}

// statementEnd finds the semicolon that ends the statement at an offset, or the brace that closes its block.
func statementEnd(code string, from int) int {
	depth := 0
	var quote byte
	for i := from; i < len(code); i++ {
		switch b := code[i]; {
		case quote != 0:
			if b == '\\' {
				i++
			} else if b == quote {
				quote = 0
			}
		case b == '\'' || b == '"' || b == '`':
			quote = b
		case strings.IndexByte("([{", b) >= 0:
			depth++
		case strings.IndexByte(")]}", b) >= 0:
			if depth--; depth < 0 {
				return i
			}
		case b == ';' && depth == 0:
			return i + 1
		}
	}
	return len(code)
}

const tagSuffix = "_is_data"

// renameTag gives the codec's tag, wherever the case spells it as data, a name that means nothing. It reports false when
// the case does not spell it.
func renameTag(c *casefile.Case) (*casefile.Case, bool) {
	other := *c
	other.Code = strings.ReplaceAll(c.Code, protocol.BinaryKey, protocol.BinaryKey+tagSuffix)
	found := other.Code != c.Code
	other.Providers = slices.Clone(c.Providers)
	for i := range other.Providers {
		p := &other.Providers[i]
		p.Tools = slices.Clone(p.Tools)
		for j := range p.Tools {
			spec, renamed := p.Tools[j].Spec.RenameKey(protocol.BinaryKey, protocol.BinaryKey+tagSuffix)
			p.Tools[j].Spec = spec
			found = found || renamed
		}
	}
	other.Name += tagSuffix // it is another case, even where its code is the same
	return &other, found
}

// nameRules: names of providers and tools that break the reference's harness.
func nameRules() []Rule {
	return []Rule{
		{"reserved-name-is-refused", ReasonNames, func(d *Difference) bool {
			if text, _ := d.Want.ErrorText(); strings.HasPrefix(text, "Provider name") {
				return false
			}
			return slices.ContainsFunc(d.namespaces(), func(name string) bool {
				word := protocol.IsReservedWord(name) && d.Ours.Error == `Provider name "`+name+`" is a JavaScript reserved word`
				bound := protocol.IsReservedProviderName(name) && d.Ours.Error == `Provider name "`+name+`" is reserved`
				return word || bound
			})
		}},
		{"name-that-breaks-the-harness-works", ReasonNames, func(d *Difference) bool {
			fails := d.Want.Threw != nil || d.Want.Error != nil || d.Want.Hang != ""
			return fails && d.ran() && slices.ContainsFunc(d.namespaces(), func(name string) bool {
				if !usedByHarness(name) {
					return false
				}
				other := renameProvider(d.Case, name)
				return d.agrees(d.run(other))
			})
		}},
		{"empty-name-collides", ReasonNames, func(d *Difference) bool {
			for _, p := range d.Case.Providers {
				for i, t := range p.Tools {
					if i > 0 && p.Tools[i-1].Name == "" && d.Ours.Error == dialect.FormatSanitizeCollision("", t.Name, "_", p.Name) {
						return true
					}
				}
			}
			return false
		}},
	}
}

// usedByHarness reports whether the reference's generated worker uses a global of this name after the namespaces are
// bound, or cannot bind it.
func usedByHarness(name string) bool {
	switch name {
	case "Proxy", "Object", "JSON", "String", "Array", "Symbol", "Uint8Array", "ArrayBuffer", "btoa", "atob", "__proto__",
		"result":
		return true
	}
	return false
}

// renameProvider gives a provider a name that nothing else has, in the case and in its code.
func renameProvider(c *casefile.Case, name string) *casefile.Case {
	const mark = "$provider"
	other := *c
	other.Name += mark
	other.Providers = slices.Clone(c.Providers)
	for i := range other.Providers {
		if other.Providers[i].Name == name {
			other.Providers[i].Name += mark
		}
	}
	other.Code = regexp.MustCompile(`(^|[^\w$.])`+regexp.QuoteMeta(name)+`\b`).ReplaceAllString(c.Code, "${1}"+name+"$$provider")
	return &other
}
