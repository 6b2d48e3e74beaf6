package dialect

import (
	"encoding/json"
	"fmt"

	"github.com/codemode-go/codemode/protocol"
)

// unspeakable is the text of a failure that left no word of its own.
const unspeakable = "the program threw a value without a message"

// renderLogs makes the dialect's flat strings of the native lines: log bare, warn and error with their level in
// brackets. The dialect's own executor captures no other level.
func renderLogs(lines []protocol.LogLine, allLevels bool) []string {
	logs := make([]string, 0, len(lines))
	for _, line := range lines {
		switch line.Level {
		case protocol.LevelLog:
			logs = append(logs, line.Text)
		case protocol.LevelWarn, protocol.LevelError:
			logs = append(logs, "["+string(line.Level)+"] "+line.Text)
		default:
			if allLevels {
				logs = append(logs, "["+string(line.Level)+"] "+line.Text)
			}
		}
	}
	return logs
}

// renderError words a failure as the dialect's error. A recognised timeout goes back down to the phrase that hosts
// parse, and so does a run that can no longer settle, which the dialect only ever saw time out. The reference has no
// words for a text that is no program, since its execute rejects: that one names itself and its place. Every other
// message passes as it is.
func renderError(failure *protocol.Failure, position *protocol.Position) string {
	switch failure.Kind {
	case protocol.FailureTimeout, protocol.FailureStalled:
		return protocol.TimeoutMessage
	case protocol.FailureSyntax:
		return renderSyntaxError(failure, position)
	}
	if protocol.MatchesExecutionTimeout(failure.Message) {
		return protocol.TimeoutMessage
	}
	return firstNonEmpty(failure.Message, thrownText(failure.Thrown), failure.Name, unspeakable)
}

func renderSyntaxError(failure *protocol.Failure, position *protocol.Position) string {
	text := firstNonEmpty(failure.Name, "SyntaxError") + ": " + failure.Message
	if position == nil {
		return text
	}
	if position.File != "" {
		return fmt.Sprintf("%s (%s:%d:%d)", text, position.File, position.Line, position.Column)
	}
	return fmt.Sprintf("%s (line %d:%d)", text, position.Line, position.Column)
}

// thrownText renders a thrown value that is no Error: its message when it carries one, else its JSON, quotes and all,
// so that even an empty string is seen.
func thrownText(thrown json.RawMessage) string {
	var carrier struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(thrown, &carrier) == nil && carrier.Message != "" {
		return carrier.Message
	}
	return string(thrown)
}

// ErrorJSON is what the dialect's error member holds, as JSON: the error's text, except that a program which threw an
// object with a message of another type, say {message: 404}, reports that message as it is. Nil when there is no error.
func (r *Result) ErrorJSON() (json.RawMessage, error) {
	if r.Error == "" {
		return nil, nil
	}
	if r.Native != nil && r.Native.Failure != nil && r.Native.Failure.Kind == protocol.FailureThrown {
		var carrier struct {
			Message json.RawMessage `json:"message"`
		}
		if json.Unmarshal(r.Native.Failure.Thrown, &carrier) == nil && isTruthyNonString(carrier.Message) {
			return JSONView(carrier.Message)
		}
	}
	return protocol.RenderJSON(r.Error, nil)
}

func isTruthyNonString(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", "false", "0", "-0":
		return false
	}
	return raw[0] != '"'
}

func firstNonEmpty(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
