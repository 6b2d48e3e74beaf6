package compat

import (
	_ "embed" // the probes
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/protocol"
)

// envelopeRules: where the reference's execute rejects, we answer an error with the engine's message, and the logs.
func envelopeRules() []Rule {
	return []Rule{
		{"rejection-becomes-error", ReasonEnvelope, func(d *Difference) bool {
			if d.Want.Threw == nil || d.Ours.Err != nil || d.Ours.Logs == nil {
				return false
			}
			message := engineMessage(d.Want.Threw.Message)
			return message != "" && strings.Contains(d.Ours.Error, message)
		}},
		{"syntax-error-in-other-words", ReasonEnvelope, func(d *Difference) bool {
			// The texts around the program differ, and with them the token at which the engine gives up.
			if d.Want.Threw == nil || !strings.HasPrefix(d.Want.Threw.Message, "Failed to start Worker:\nUncaught SyntaxError: ") {
				return false
			}
			f := d.Ours.Failure
			return f != nil && f.Kind == protocol.FailureSyntax && f.Position != nil && strings.Contains(d.Ours.Error, f.Message) && d.Ours.Logs != nil
		}},
		{"canceled-hang-is-a-timeout", ReasonEnvelope, func(d *Difference) bool {
			return d.Want.Threw != nil && canceled(d.Want.Threw) && d.Ours.Error == protocol.TimeoutMessage && d.Ours.Logs != nil
		}},
		{"size-limit-names-itself", ReasonEnvelope, func(d *Difference) bool {
			if d.Want.Threw == nil || !strings.Contains(d.Want.Threw.Message, "are limited to 32MiB") {
				return false
			}
			f := d.Ours.Failure
			return f != nil && f.Kind == protocol.FailureLimit && f.Limit == "resultBytes" && d.Ours.Logs != nil
		}},
	}
}

// canceled reports whether the runtime ended the reference's program because nothing could settle it any more.
func canceled(t *Threw) bool {
	return strings.Contains(t.Message, "canceled this request because it detected that your Worker's code had hung")
}

// engineMessage takes the runtime's words around an engine's message off.
func engineMessage(message string) string {
	if rest, ok := strings.CutPrefix(message, "Failed to start Worker:\nUncaught "); ok {
		message, _, _ = strings.Cut(rest, "\n")
		_, message, _ = strings.Cut(message, ": ")
	}
	return message
}

// noMessage is how the reference fails over a thrown value that has no properties at all.
var noMessage = regexp.MustCompile(`^Cannot read properties of (null|undefined) \(reading 'message'\)$`)

// thrownRules: the reference looks at the truth of err.message. What has none is a success to it, or breaks it.
func thrownRules() []Rule {
	return []Rule{
		{"nothing-thrown-is-kept", ReasonThrown, func(d *Difference) bool {
			if d.Want.Threw == nil || !d.threw() || d.Ours.Logs == nil {
				return false
			}
			match := noMessage.FindStringSubmatch(d.Want.Threw.Message)
			return match != nil && d.Ours.Error == match[1]
		}},
		{"thrown-value-is-kept", ReasonThrown, func(d *Difference) bool {
			lost := d.Want.Threw == nil && d.Want.JSONUndefined && d.Want.Error == nil && d.Want.ErrorTyped == nil
			if !lost || !d.sameLogs() {
				return false
			}
			thrown, ok := d.thrown()
			return ok && thrown.Silent && thrown.worded(d.Ours.Error)
		}},
		{"empty-failure-of-a-tool-is-kept", ReasonThrown, func(d *Difference) bool {
			other := *d.Case
			other.Name += " without empty failures"
			silenced := false
			other.Providers = slices.Clone(d.Case.Providers)
			for i := range other.Providers {
				p := &other.Providers[i]
				p.Tools = slices.Clone(p.Tools)
				for j := range p.Tools {
					spec, forgiven := p.Tools[j].Spec.Forgiven()
					p.Tools[j].Spec, silenced = spec, silenced || forgiven
				}
			}
			return silenced && d.equalsWanted(d.run(&other))
		}},
		{"message-that-is-no-text", ReasonThrown, func(d *Difference) bool {
			// What JSON can say of such a message we say, too; the rest has no JSON, or none that crosses.
			odd := d.Want.ErrorTyped != nil && (d.Want.Error == nil || string(d.Want.Error) == "null")
			refused := d.Want.Threw != nil && cloneError(d.Want.Threw) && d.Ours.Logs != nil
			if !refused && !(odd && d.sameLogs()) {
				return false
			}
			thrown, ok := d.thrown()
			return ok && thrown.Odd && thrown.worded(d.Ours.Error)
		}},
	}
}

// thrown is what a program throws, as the program itself sees it.
type thrown struct {
	// Silent says that its message is false, so that the reference takes it for a success; Odd that its message is true
	// but no string.
	Silent, Odd bool
	// Words are the ways to word it.
	Words []*string
}

// catching makes a thrown of what a program throws.
//
//go:embed probe_thrown.js
var catching string

// thrown runs the program inside a catch. It reports false when nothing is thrown, or when our failure is of another kind.
func (d *Difference) thrown() (thrown, bool) {
	var t thrown
	if !d.threw() {
		return t, false
	}
	probe, ok := d.wrapped(catching)
	return t, ok && probe.Error == "" && probe.Result != nil && json.Unmarshal(probe.Result, &t) == nil
}

// worded reports whether a text words what was thrown.
func (t *thrown) worded(text string) bool {
	return text != "" && slices.ContainsFunc(t.Words, func(word *string) bool { return word != nil && *word == text })
}

// resultRules: values that the reference's structured clone refuses, or changes, and that JSON can say.
func resultRules() []Rule {
	return []Rule{
		{"json-instead-of-a-clone-error", ReasonResult, func(d *Difference) bool {
			t := d.Want.Threw
			if t == nil || !cloneError(t) {
				return false
			}
			return d.Ours.Logs != nil && (d.isWhatJSONMakes() || d.Ours.Failure != nil && d.Ours.Failure.Kind == protocol.FailureStack)
		}},
		{"json-of-the-value-itself", ReasonResult, func(d *Difference) bool {
			unspoiled := d.Want.Threw == nil && d.Want.Error == nil && d.sameLogs()
			if !unspoiled || !d.isWhatJSONMakes() {
				return false
			}
			probe, ok := d.withNamespaces(withoutStubs)
			return ok && d.equalsWanted(probe)
		}},
		{"stack-without-harness-frames", ReasonNoHarness, func(d *Difference) bool {
			var want, ours any
			if !d.ran() || !d.sameLogs() || json.Unmarshal(d.Want.Result, &want) != nil || json.Unmarshal(d.Ours.Result, &ours) != nil {
				return false
			}
			shows := strings.Contains(string(d.Want.Result), harnessModule) && !strings.Contains(string(d.Ours.Result), harnessModule)
			return shows && equalAny(withoutStacks(want), withoutStacks(ours))
		}},
	}
}

// withoutStacks takes every frame out of the texts of a decoded JSON value.
func withoutStacks(v any) any {
	return mapTexts(v, func(text string) string { return stackFrames.ReplaceAllString(text, "") })
}

// stackFrames matches the frames of an engine's stack trace.
var stackFrames = regexp.MustCompile(`(\n\s+at [^\n]*)+`)

// cloneError reports whether a rejection comes from handing the result over.
func cloneError(t *Threw) bool {
	return t.Name == "DataCloneError" || t.Message == "Unable to deserialize cloned data." ||
		strings.Contains(t.Message, "Maximum call stack size exceeded")
}

// withoutStubs takes out of a program's value what JSON says nothing of in the reference.
//
//go:embed probe_stubs.js
var withoutStubs string

// jsonOf is the JSON of a program's value.
//
//go:embed probe_json.js
var jsonOf string

func equalAny(a, b any) bool {
	x, _ := json.Marshal(a) // decoded JSON always has a rendering
	y, _ := json.Marshal(b)
	return equalJSON(x, y)
}

// isWhatJSONMakes proves that our result is JSON.stringify of the value, and our error what JSON.stringify throws.
func (d *Difference) isWhatJSONMakes() bool {
	probe, ok := d.wrapped(jsonOf)
	if !ok || d.Ours.Err != nil {
		return false
	}
	if d.Ours.Error != "" || probe.Error != "" {
		// The program itself must not be what fails.
		bare, _ := d.wrapped("async (program) => { await program() }")
		return d.Ours.Error == probe.Error && bare.Error == ""
	}
	text, isText := probe.text()
	if !isText {
		return probe.Result == nil && d.Ours.Result == nil
	}
	return d.Ours.Result != nil && equalJSON([]byte(text), d.Ours.Result)
}
