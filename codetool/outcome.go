package codetool

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

// Outcome is what became of one program.
type Outcome struct {
	// Value is the program's value as JSON, key order and digits kept, in protocol's encoding of values; nil is
	// undefined. Outcome.Result is the same for a model's eyes.
	Value json.RawMessage
	// Failure says why the program has no value; nil when it has one, and when it ended without.
	Failure *Failure
	// Logs are the console lines, each with its level in brackets unless it is a plain log.
	Logs []string
	// Hint is a sentence for the model when the program ended well but surely not as it meant; empty otherwise.
	Hint string
	// Native is the executor's result underneath, with usage and the ledger of calls; nil when the request was refused.
	Native *protocol.ExecuteResult
}

// Failure is a program's failure in words.
type Failure struct {
	// Message is the error's text as the dialect words it.
	Message string
	// Hint is a sentence that may help the model to do better; empty when there is none.
	Hint string
	// Position is where it happened in the text that Call was given; nil when unknown.
	Position *protocol.Position
	// Frame is the line at Position with a caret below the column, two lines; empty when the position is unknown.
	Frame string
	// Completed names the calls that had been answered by then, each once, with how many when there were several
	// ("github.create_issue", "github.list_issues ×3"): what they did stays done.
	Completed []string
	// Abandoned names the calls that were still in flight when a program threw: whether they did what they were to do is
	// not known.
	Abandoned []string
	// Unheard are sentences about promises that rejected while nobody listened, often the cause of what failed later.
	Unheard []string
	// About are sentences on what there is in place of what was looked for: the functions of a namespace, and what the calls
	// before give.
	About []string
	// Foreseen says that nothing was run: the text calls a tool, or reads a variable, that does not exist, or it does not
	// fit the declarations (see Options.Check).
	Foreseen bool
	// Native is the executor's failure; nil when the request was refused before anything ran.
	Native *protocol.Failure
}

// outcome words what became of code, of which ran is the reading that was run.
func (t *Tool) outcome(result *dialect.Result, code string, ran retry) *Outcome {
	o := &Outcome{Value: result.Value, Logs: result.Logs, Native: result.Native}
	if result.Error == "" {
		o.Hint = t.successHint(o, code, ran)
		return o
	}
	o.Failure = &Failure{Message: result.Error, Position: result.Position, Frame: frameOf(code, result.Position)}
	if result.Native == nil {
		return o
	}
	o.Failure.Native = result.Native.Failure
	if at := placeOfName(o.Failure.Native, code, o.Failure.Position); at != nil {
		o.Failure.Position, o.Failure.Frame = at, frameOf(code, at)
	}
	o.Failure.Hint = t.failureHint(o.Failure.Native, code)
	if o.Failure.Native != nil && o.Failure.Native.Kind == protocol.FailureSyntax && o.Failure.Position == nil && o.Failure.Hint == "" {
		o.Failure.Hint, o.Failure.Position = incomplete(code)
		o.Failure.Frame = frameOf(code, o.Failure.Position)
	}
	o.Failure.About = t.about(o.Failure, code, result.Native.Calls)
	o.Failure.Completed = namesOf(result.Native.Calls, outcomeIs(protocol.CallCompleted))
	o.Failure.Unheard = unheardOf(result.Native.Unhandled, ran)
	if len(o.Failure.Native.Pending) == 0 {
		o.Failure.Abandoned = namesOf(result.Native.Calls, outcomeIs(protocol.CallAbandoned))
	}
	return o
}

// Result is the value as JSON for a model: bytes keep the tag {"__codemode_binary_v1__": …, "data": base64}, data that
// had to be escaped is itself again. Nil is undefined.
func (o *Outcome) Result() (json.RawMessage, error) {
	if o.Value == nil {
		return nil, nil
	}
	return readableJSON(o.Value)
}

// Envelope is the outcome as the dialect's tool returns it: {"result": …} with "logs" beside it when there are lines,
// or the error that it throws. An undefined result leaves the key out, as JSON.stringify does.
func (o *Outcome) Envelope() (json.RawMessage, error) {
	if o.Failure != nil {
		return nil, errors.New(o.ErrorText())
	}
	result, err := o.Result()
	if err != nil {
		return nil, err
	}
	envelope := protocol.Object{}
	if result != nil {
		envelope = append(envelope, protocol.Member{Key: "result", Value: result})
	}
	if len(o.Logs) > 0 {
		envelope = append(envelope, protocol.Member{Key: "logs", Value: o.Logs})
	}
	return protocol.RenderJSON(envelope, nil)
}

// ErrorText is the text of the error that the dialect's tool throws for a failed program (runCode in
// @cloudflare/codemode), with a hint after the message when there is one. Empty when there is no failure.
func (o *Outcome) ErrorText() string {
	if o.Failure == nil {
		return ""
	}
	text := "Code execution failed: " + o.Failure.Message
	if o.Failure.Hint != "" {
		text = withHint(text, o.Failure.Hint)
	}
	if len(o.Logs) > 0 {
		text += "\n\nConsole output:\n" + strings.Join(o.Logs, "\n")
	}
	return text
}

// withHint puts a hint behind a message, which may be a sentence with its full stop.
func withHint(message, hint string) string {
	if !strings.HasSuffix(message, "..") { // an ellipsis is none
		message = strings.TrimSuffix(message, ".")
	}
	return message + "; " + hint
}

// String words a failure in full: the error's name, its message, its place in the program's text with the line, the calls
// it was waiting for, the hint, and the calls that had completed.
func (f *Failure) String() string {
	text := f.Message
	if f.Foreseen {
		text = f.named()
	}
	if n := f.Native; n != nil {
		switch n.Kind {
		case protocol.FailureSyntax: // the dialect names the place already
		case protocol.FailureThrown:
			if n.Name != "" && text != n.Name {
				text = n.Name + ": " + text
			}
			text = withPlace(text, f.place())
		default: // the dialect's words for a clock say less than the executor's
			if n.Message != "" {
				text = n.Message
			}
		}
		if len(n.Pending) > 0 {
			text += " Waiting for: " + strings.Join(n.Pending, ", ") + "."
		}
	}
	if f.Hint != "" {
		text = withHint(text, f.Hint)
	}
	if f.Frame != "" {
		text += "\n" + f.Frame
	}
	if f.Native != nil {
		for _, cause := range f.Native.Causes {
			text += "\nCaused by: " + clippedTo(cause, maxCause)
		}
	}
	for _, sentence := range slices.Concat(f.About, f.Unheard) {
		text += "\n" + sentence
	}
	if f.Foreseen {
		text += "\nNothing was run."
	}
	if len(f.Completed) > 0 {
		text += "\nCompleted before that, and not to be repeated if they changed something: " + strings.Join(f.Completed, ", ") + "."
	}
	if len(f.Abandoned) > 0 {
		text += "\nStill under way then, so that it may have happened or not: " + strings.Join(f.Abandoned, ", ") + "."
	}
	return text
}

// maxCause bounds what is shown of one cause, in characters.
const maxCause = 500

func clippedTo(text string, characters int) string {
	if letters := []rune(text); len(letters) > characters {
		return string(letters[:characters]) + "…"
	}
	return text
}

// named is the message of a failure that was foreseen, as the run would have ended.
func (f *Failure) named() string {
	switch {
	case strings.Contains(f.Message, "\n"): // it has its places
		return f.Message
	case strings.HasSuffix(f.Message, " is not defined"):
		return "ReferenceError: " + f.Message + f.place()
	}
	return "Error: " + f.Message + f.place()
}

// withPlace puts a place behind a text, or behind the first line of one that is the head of a list.
func withPlace(text, place string) string {
	head, list, isList := strings.Cut(text, ":\n- ")
	if !isList || place == "" || strings.Contains(head, "\n") {
		return text + place
	}
	return head + place + ":\n- " + list
}

func (f *Failure) place() string {
	switch {
	case f.Position == nil:
		return ""
	case f.Position.File != "":
		return fmt.Sprintf(" (%s:%d:%d)", f.Position.File, f.Position.Line, f.Position.Column)
	}
	return fmt.Sprintf(" (line %d:%d)", f.Position.Line, f.Position.Column)
}
