package compat

import (
	_ "embed" // catching.js
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
			t := d.Want.Threw
			return t != nil && strings.Contains(t.Message, "canceled this request because it detected that your Worker's code had hung") &&
				d.Ours.Error == protocol.TimeoutMessage && d.Ours.Logs != nil
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
		{"message-that-is-no-text", ReasonThrown, func(d *Difference) bool {
			_, isText := d.Want.ErrorText()
			odd := d.Want.Error != nil && !isText || d.Want.ErrorTyped != nil
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
//go:embed catching.js
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
		{"json-refuses-the-value", ReasonResult, func(d *Difference) bool {
			_, message, ok := strings.Cut(d.Want.JSONError, ": ")
			return ok && d.Ours.Err == nil && strings.Contains(d.Ours.Error, message) && d.sameLogs()
		}},
		{"json-of-the-value-itself", ReasonResult, func(d *Difference) bool {
			unspoiled := d.Want.Threw == nil && d.Want.Error == nil && d.sameLogs()
			return unspoiled && becomesStub.MatchString(d.Case.Code) && d.isWhatJSONMakes()
		}},
		{"error-keeps-its-own-members", ReasonResult, func(d *Difference) bool {
			if !isEmptyObject(d.Want.Result) || !d.ran() || !d.sameLogs() || !d.isWhatJSONMakes() {
				return false
			}
			isError, ok := d.wrapped("async (program) => (await program()) instanceof Error")
			return ok && string(isError.Result) == "true"
		}},
		{"stack-without-harness-frames", ReasonNoHarness, func(d *Difference) bool {
			var want, ours map[string]any
			if !d.ran() || !d.sameLogs() || json.Unmarshal(d.Want.Result, &want) != nil || json.Unmarshal(d.Ours.Result, &ours) != nil {
				return false
			}
			wantStack, _ := want["stack"].(string)
			ourStack, ok := ours["stack"].(string)
			if !ok || !strings.Contains(wantStack, "executor.js") || strings.Contains(ourStack, "executor.js") {
				return false
			}
			delete(want, "stack")
			delete(ours, "stack")
			return equalAny(want, ours)
		}},
	}
}

// cloneError reports whether a rejection comes from handing the result over.
func cloneError(t *Threw) bool {
	return t.Name == "DataCloneError" || t.Message == "Unable to deserialize cloned data." ||
		strings.Contains(t.Message, "Maximum call stack size exceeded")
}

// becomesStub finds what the reference hands over as a stub of something on the other side, whose JSON nobody can know.
var becomesStub = regexp.MustCompile(`\b(toJSON|Proxy|RpcTarget)\b`)

func isEmptyObject(text json.RawMessage) bool { return text != nil && canonicalJSON(text) == "{}" }

func equalAny(a, b any) bool {
	x, _ := json.Marshal(a) // decoded JSON always has a rendering
	y, _ := json.Marshal(b)
	return equalJSON(x, y)
}

// isWhatJSONMakes proves that our result is JSON.stringify of the value, and our error what JSON.stringify throws.
func (d *Difference) isWhatJSONMakes() bool {
	probe, ok := d.wrapped("async (program) => JSON.stringify(await program())")
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
