// Package agent is the loop of a small agent: a model that is asked, the one tool that it has, and the messages between
// them.
//
// Two nouns. A [Model] writes the next turn after the messages so far: a program for the code tool, or the answer. A
// [Message] is one entry of that conversation. [Run] drives it until there is an answer.
package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/codemode-go/codemode/codetool"
)

// ToolName is what models call the tool.
const ToolName = "codemode"

// Model writes the next turn of a conversation. The scripted one of this example and the clients of Anthropic's and
// OpenAI's APIs beside it are three.
type Model interface {
	Next(ctx context.Context, spec Spec, messages []Message) (Turn, error)
}

// Spec is the tool as a model is told about it.
type Spec struct {
	Name, Description string
	// InputSchema is the JSON Schema of the arguments.
	InputSchema json.RawMessage
}

// Turn is what a model wrote: calls of the tool, or, without any, the answer.
type Turn struct {
	Text  string
	Calls []Call
}

// Call is one call of the tool. ID is the model's, by which it finds the result.
type Call struct{ ID, Code string }

// Message is one entry of a conversation. Exactly one field is set.
type Message struct {
	User   string
	Turn   *Turn
	Result *Result
}

// Result is what one call came to, as the model reads it.
type Result struct {
	CallID, Text string
	IsError      bool
}

// NewSpec describes a tool.
func NewSpec(tool *codetool.Tool) Spec {
	return Spec{
		Name:        ToolName,
		Description: tool.Description(),
		InputSchema: json.RawMessage(`{"type":"object","properties":{"code":{"type":"string","description":"JavaScript async arrow function to execute"}},"required":["code"]}`),
	}
}

// Run asks the model, runs its programs and hands their results back, for at most steps turns of the model. The answer
// is empty when the last turn still was a call. The error is the model's, or the executor's: a program that fails is
// something for the model to read.
func Run(ctx context.Context, model Model, tool *codetool.Tool, prompt string, steps int) (answer string, messages []Message, err error) {
	spec := NewSpec(tool)
	messages = []Message{{User: prompt}}
	for range steps {
		turn, err := model.Next(ctx, spec, messages)
		if err != nil {
			return "", messages, fmt.Errorf("the model: %w", err)
		}
		messages = append(messages, Message{Turn: &turn})
		if len(turn.Calls) == 0 {
			return turn.Text, messages, nil
		}
		for _, call := range turn.Calls {
			result, err := runCall(ctx, tool, call)
			if err != nil {
				return "", messages, err
			}
			messages = append(messages, Message{Result: result})
		}
	}
	return "", messages, nil
}

// runCall runs one program. A failure reads as the AI SDK words an error of a tool.
func runCall(ctx context.Context, tool *codetool.Tool, call Call) (*Result, error) {
	outcome, err := tool.Call(ctx, call.Code)
	if err != nil {
		return nil, err
	}
	if outcome.Failure != nil {
		return &Result{CallID: call.ID, Text: "Error: " + outcome.ErrorText(), IsError: true}, nil
	}
	envelope, err := outcome.Envelope()
	if err != nil {
		return nil, err
	}
	return &Result{CallID: call.ID, Text: string(envelope)}, nil
}

// Scripted is a model that needs no key: it writes the turns it was given, and remembers what it was asked. Everything
// under it is real, so that a test pins the programs it wants covered.
type Scripted struct {
	Turns []Turn
	// Specs are the tool's descriptions that it was shown, one a turn.
	Specs []Spec
}

// Next gives the next turn of the script.
func (s *Scripted) Next(_ context.Context, spec Spec, _ []Message) (Turn, error) {
	if len(s.Specs) == len(s.Turns) {
		return Turn{}, fmt.Errorf("the script has %d turns, and was asked for one more", len(s.Turns))
	}
	s.Specs = append(s.Specs, spec)
	return s.Turns[len(s.Specs)-1], nil
}
