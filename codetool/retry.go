package codetool

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/codemode-go/codemode/dialect"
	"github.com/codemode-go/codemode/protocol"
)

// fencedBlock is a Markdown code block: a fence at a line's start with or without a language, and one of its own line
// that closes it.
var fencedBlock = regexp.MustCompile("(?ms)^[ \t]*```[ \t]*([A-Za-z]*)[ \t]*\r?\n(.*?)^[ \t]*```[ \t]*\r?$")

// What a function expression starts with and has.
var (
	functionStart = regexp.MustCompile(`^(\(|<|async\b)`)
	functionBody  = regexp.MustCompile(`=>|\bfunction\b`)
)

// retry is another reading of a text whose first came to nothing.
type retry struct {
	code  string
	lines int // by how many lines it starts lower than in the caller's text
}

// rereadings looks for another reading of code. Only a run that had no effect is looked at: a text that was no program,
// or one that called nothing, logged nothing and returned nothing.
func rereadings(result *dialect.Result, code string) (retry, bool) {
	if result.Native == nil {
		return retry{}, false
	}
	switch {
	case isLabelledFence(result):
		return unfenced(code)
	case isSyntaxFailure(result):
		for _, reading := range []func(string) (retry, bool){unfenced, unwrapped, unescaped} {
			if again, ok := reading(code); ok {
				return again, true
			}
		}
	case isQuotedProgram(result, code):
		return unwrapped(code)
	case result.Native.Failure == nil && result.Value == nil && len(result.Native.Calls) == 0 && len(result.Logs) == 0:
		return calledFunction(code)
	}
	return retry{}, false
}

// isLabelledFence reports whether a run came to nothing in the way that "Code:" and a fence below it do: the word is a label
// to JavaScript, and the fence an empty text that is called as the tag of another.
func isLabelledFence(result *dialect.Result) bool {
	failure := result.Native.Failure
	return failure != nil && failure.Kind == protocol.FailureThrown && failure.Name == "TypeError" && strings.HasPrefix(failure.Message, emptyTag) &&
		len(result.Native.Calls) == 0 && len(result.Logs) == 0
}

// emptyTag is what the engine says of a text with three backquotes before and after it.
const emptyTag = `"" is not a function`

func isSyntaxFailure(result *dialect.Result) bool {
	return result.Native != nil && result.Native.Failure != nil && result.Native.Failure.Kind == protocol.FailureSyntax
}

// inCallersText moves a position in the reread text to the text it came from.
func (r retry) inCallersText(position *protocol.Position) *protocol.Position {
	if position == nil || position.File != "" {
		return position
	}
	moved := *position
	moved.Line -= r.lines
	return &moved
}

// isQuotedProgram reports whether all that ran was a string with a program in it.
func isQuotedProgram(result *dialect.Result, code string) bool {
	if result.Native.Failure != nil || !strings.HasPrefix(strings.TrimSpace(code), `"`) {
		return false
	}
	again, ok := unwrapped(code)
	var value string
	return ok && json.Unmarshal(result.Value, &value) == nil && value == again.code
}

// openFence is a fence at the start of a text that nothing closes, as a text that was cut has it.
var openFence = regexp.MustCompile("^\\s*```[ \t]*[A-Za-z]*[ \t]*\r?\n")

// unfenced finds the program in prose around a code block.
func unfenced(code string) (retry, bool) {
	blocks := fencedBlock.FindAllStringSubmatchIndex(code, -1)
	if open := openFence.FindStringIndex(code); open != nil && strings.Count(code, "```") == 1 {
		blocks = [][]int{{0, 0, 0, 0, open[1], len(code)}}
	}
	if len(blocks) != 1 {
		return retry{}, false
	}
	start, end := blocks[0][4], blocks[0][5]
	return retry{code: code[start:end], lines: -strings.Count(code[:start], "\n")}, true
}

// looksEscaped reports whether a text has line ends or quotes as JSON writes them and none as they are.
func looksEscaped(code string) bool {
	return strings.Contains(code, `\n`) && !strings.Contains(strings.TrimSpace(code), "\n") || strings.Contains(code, `\"`) && !strings.Contains(strings.ReplaceAll(code, `\"`, ""), `"`)
}

// unescaped reads a program that was escaped once too often.
func unescaped(code string) (retry, bool) {
	if !looksEscaped(code) {
		return retry{}, false
	}
	var text string
	if json.Unmarshal([]byte(`"`+strings.Trim(strings.TrimSpace(code), `"`)+`"`), &text) != nil || text == code {
		return retry{}, false
	}
	return retry{code: text}, true
}

// callValue is a program that calls its PROGRAM when that is a function.
//
//go:embed callvalue.js
var callValue string

// callValueLines is how many lines of callValue stand above its PROGRAM.
const callValueLines = 1

// calledFunction reads a function that nobody calls as the program it was meant to be: (async function () { … }), or an
// arrow that TypeScript's annotations hide from the normaliser. One that it knew for an arrow has been called.
func calledFunction(code string) (retry, bool) {
	source := strings.TrimSpace(code)
	expression := strings.TrimRight(source, "; \t\r\n")
	isFunction := functionStart.MatchString(expression) && functionBody.MatchString(expression)
	if !isFunction || dialect.NormalizeCode(code) == source {
		return retry{}, false
	}
	above := strings.Count(code[:strings.Index(code, source)], "\n")
	head, tail, _ := strings.Cut(callValue, "PROGRAM")
	return retry{code: head + expression + tail, lines: callValueLines - above}, true
}
