package mcpserver

import (
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/protocol"
)

// failure is an answer that says what went wrong.
func failure(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(text)}, IsError: true}
}

// answer words an outcome for a model. Notes are added to a failure.
func (g *generation) answer(outcome *codetool.Outcome, r *run, notes []string) *mcp.CallToolResult {
	var result *mcp.CallToolResult
	if outcome.Failure != nil {
		result = failure(g.errorText(outcome.Failure, notes))
	} else {
		result = g.success(outcome, r)
	}
	if len(outcome.Logs) > 0 {
		whole := strings.Join(outcome.Logs, "\n")
		logs := g.cut(whole, g.options.ResultChars/2)
		result.Content = append(result.Content, mcp.NewTextContent("Console output:\n"+logs))
		if len(logs) != len(whole) {
			result.Content = r.linkWhole(result.Content, "console output", whole)
		}
	}
	return result
}

// cut bounds a text as a result's text is bounded.
func (g *generation) cut(text string, chars int) string {
	short, _, err := codetool.ResponseText(quote(text), chars)
	if err != nil { // a string always has a text
		return text
	}
	return short
}

// errorText always begins with "Error: ", as the reference's does.
func (g *generation) errorText(f *codetool.Failure, notes []string) string {
	if g.options.Reference {
		return "Error: " + f.Message
	}
	short := *f // a message may be as long as any result
	short.Message = g.cut(f.Message, g.options.ResultChars)
	text := short.String()
	if !strings.HasPrefix(text, "Error: ") {
		text = "Error: " + text
	}
	for _, note := range notes {
		text += "\nNote: " + note + "."
	}
	return text
}

// success is the value's text and blocks. A value that is too long is cut; a block never is. In a vast one nobody looks for
// blocks.
func (g *generation) success(outcome *codetool.Outcome, r *run) *mcp.CallToolResult {
	lifter := lifter{known: r.known(), links: g.linksOf(r)}
	if codetool.IsVast(outcome.Value) {
		return g.worded(outcome, r, &lifter)
	}
	value, err := protocol.DecodeValue(outcome.Value)
	if err != nil {
		return failure("Error: the program's value cannot be read: " + err.Error())
	}
	if _, none := value.(protocol.Undefined); none && !g.options.Reference {
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(noValue(outcome))}}
	}
	content, all := lifter.blocks(value, g.options.ResultChars)
	if all {
		return &mcp.CallToolResult{Content: content}
	}
	if value = lifter.lift(value); lifter.lifted != nil {
		if outcome, err = replaceValue(outcome, value); err != nil {
			return failure("Error: the program's value cannot be written: " + err.Error())
		}
	}
	return g.worded(outcome, r, &lifter)
}

// worded is the value's text, with the blocks that were taken out of it.
func (g *generation) worded(outcome *codetool.Outcome, r *run, lifter *lifter) *mcp.CallToolResult {
	text, whole, err := g.text(outcome)
	if err != nil {
		return failure("Error: the program's value cannot be written: " + err.Error())
	}
	content := []mcp.Content{mcp.NewTextContent(text)}
	if whole != "" {
		content = r.linkWhole(content, "result", whole)
	}
	content = append(content, lifter.lifted...)
	if outcome.Hint != "" && !g.options.Reference {
		content = append(content, mcp.NewTextContent(outcome.Hint))
	}
	return &mcp.CallToolResult{Content: content}
}

func noValue(outcome *codetool.Outcome) string {
	if len(outcome.Logs) > 0 {
		return strings.TrimSpace("(no value returned; the console output follows) " + outcome.Hint)
	}
	return "(no value returned) " + outcome.Hint
}

// replaceValue is an outcome with another value.
func replaceValue(outcome *codetool.Outcome, value any) (*codetool.Outcome, error) {
	raw, err := protocol.EncodeValue(value)
	if err != nil {
		return nil, err
	}
	changed := *outcome
	changed.Value = raw
	return &changed, nil
}

// text is what a model reads of the value, and the whole of it when that is cut.
func (g *generation) text(outcome *codetool.Outcome) (text, whole string, err error) {
	value, err := outcome.Result()
	if err != nil {
		return "", "", err
	}
	text, cut, err := codetool.ResponseText(value, g.options.ResultChars)
	if err == nil && cut && !g.options.Reference {
		whole, err = codetool.WholeText(value)
	}
	return text, whole, err
}

func quote(text string) json.RawMessage {
	raw, _ := json.Marshal(text) // a string always has a rendering
	return raw
}
