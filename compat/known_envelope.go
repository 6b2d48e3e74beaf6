package compat

import (
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
			lost := d.Want.Threw == nil && d.Want.JSONUndefined && d.Want.Error == nil
			if !lost || !d.threw() || !d.sameLogs() {
				return false
			}
			return d.keepsThrown()
		}},
		{"message-that-is-no-text", ReasonThrown, func(d *Difference) bool {
			_, isText := d.Want.ErrorText()
			odd := d.Want.Error != nil && !isText || d.Want.ErrorTyped != nil
			return odd && d.threw() && d.sameLogs() && d.keepsThrown()
		}},
	}
}

// renderings lists the ways to word what a program throws.
const renderings = `async () => {
	try { await PROGRAM } catch (e) {
		const json = (v) => { try { return JSON.stringify(v) } catch { return undefined } };
		const text = (v) => { try { return String(v) } catch { return undefined } };
		return [e?.message, json(e), text(e), e?.name, json(e?.message), text(e?.message)];
	}
}`

// keepsThrown proves that our error words the value that the program throws.
func (d *Difference) keepsThrown() bool {
	probe, ok := d.wrapped(renderings)
	var words []any
	if !ok || probe.Error != "" || json.Unmarshal(probe.Result, &words) != nil {
		return false
	}
	return slices.ContainsFunc(words, func(word any) bool {
		text, ok := word.(string)
		return ok && text != "" && text == d.Ours.Error
	})
}

// resultRules: values that the reference's structured clone refuses, or changes, and that JSON can say.
func resultRules() []Rule {
	return []Rule{
		{"json-instead-of-a-clone-error", ReasonResult, func(d *Difference) bool {
			t := d.Want.Threw
			if t == nil || t.Name != "DataCloneError" && !strings.Contains(t.Message, "Maximum call stack size exceeded") {
				return false
			}
			return d.Ours.Logs != nil && (d.isWhatJSONMakes() || d.Ours.Failure != nil && d.Ours.Failure.Kind == protocol.FailureStack)
		}},
		{"json-refuses-the-value", ReasonResult, func(d *Difference) bool {
			_, message, ok := strings.Cut(d.Want.JSONError, ": ")
			return ok && d.Ours.Err == nil && strings.Contains(d.Ours.Error, message) && d.sameLogs()
		}},
		{"toJSON-is-honoured", ReasonResult, func(d *Difference) bool {
			lost := d.Want.JSONUndefined && d.Want.Error == nil || isEmptyObject(d.Want.Result)
			return lost && d.ran() && d.Ours.Result != nil && strings.Contains(d.Case.Code, "toJSON") && d.sameLogs() && d.isWhatJSONMakes()
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

func isEmptyObject(text json.RawMessage) bool { return text != nil && canonicalJSON(text) == "{}" }

func equalAny(a, b any) bool {
	x, _ := json.Marshal(a) // decoded JSON always has a rendering
	y, _ := json.Marshal(b)
	return equalJSON(x, y)
}

// isWhatJSONMakes proves that our result is JSON.stringify of the value, and our error what JSON.stringify throws.
func (d *Difference) isWhatJSONMakes() bool {
	probe, ok := d.wrapped("async () => JSON.stringify(await PROGRAM)")
	if !ok || d.Ours.Err != nil {
		return false
	}
	if d.Ours.Error != "" || probe.Error != "" {
		return d.Ours.Error == probe.Error
	}
	text, isText := probe.text()
	if !isText {
		return probe.Result == nil && d.Ours.Result == nil
	}
	return d.Ours.Result != nil && equalJSON([]byte(text), d.Ours.Result)
}
