package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/codemode-go/codemode/examples/agent-loop/agent"
)

// maxTokens bounds one turn; a program is a few hundred.
const maxTokens = 4096

// anthropicModel asks Anthropic's Messages API.
type anthropicModel struct {
	client anthropic.Client
	model  string
}

// newAnthropic takes its key from ANTHROPIC_API_KEY, unless the options say another.
func newAnthropic(model string, options ...option.RequestOption) *anthropicModel {
	return &anthropicModel{client: anthropic.NewClient(options...), model: model}
}

func (m *anthropicModel) Next(ctx context.Context, spec agent.Spec, messages []agent.Message) (agent.Turn, error) {
	var schema anthropic.ToolInputSchemaParam
	if err := json.Unmarshal(spec.InputSchema, &schema); err != nil {
		return agent.Turn{}, err
	}
	answer, err := m.client.Messages.New(ctx, anthropic.MessageNewParams{
		Model:     m.model,
		MaxTokens: maxTokens,
		Messages:  anthropicMessages(messages),
		Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
			Name: spec.Name, Description: anthropic.String(spec.Description), InputSchema: schema,
		}}},
	})
	if err != nil {
		return agent.Turn{}, err
	}
	var turn agent.Turn
	for _, block := range answer.Content {
		switch block.Type {
		case "text":
			turn.Text += block.Text
		case "tool_use":
			code, err := codeOf(block.Input)
			if err != nil {
				return agent.Turn{}, err
			}
			turn.Calls = append(turn.Calls, agent.Call{ID: block.ID, Code: code})
		}
	}
	return turn, nil
}

// anthropicMessages writes a conversation as the API has it: results are blocks of the user, all of one turn in one
// message.
func anthropicMessages(messages []agent.Message) []anthropic.MessageParam {
	var list []anthropic.MessageParam
	var results []anthropic.ContentBlockParamUnion
	flush := func() {
		if len(results) > 0 {
			list = append(list, anthropic.NewUserMessage(results...))
			results = nil
		}
	}
	for _, message := range messages {
		if r := message.Result; r != nil {
			results = append(results, anthropic.NewToolResultBlock(r.CallID, r.Text, r.IsError))
			continue
		}
		flush()
		if message.Turn == nil {
			list = append(list, anthropic.NewUserMessage(anthropic.NewTextBlock(message.User)))
			continue
		}
		var blocks []anthropic.ContentBlockParamUnion
		if message.Turn.Text != "" {
			blocks = append(blocks, anthropic.NewTextBlock(message.Turn.Text))
		}
		for _, call := range message.Turn.Calls {
			blocks = append(blocks, anthropic.NewToolUseBlock(call.ID, map[string]string{"code": call.Code}, agent.ToolName))
		}
		list = append(list, anthropic.NewAssistantMessage(blocks...))
	}
	flush()
	return list
}

// codeOf reads the argument object that a model wrote.
func codeOf(arguments []byte) (string, error) {
	var in struct{ Code *string }
	if err := json.Unmarshal(arguments, &in); err != nil || in.Code == nil {
		return "", fmt.Errorf("the model called the tool without code: %.200s", arguments)
	}
	return *in.Code, nil
}
