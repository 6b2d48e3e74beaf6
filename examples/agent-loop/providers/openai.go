package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/codemode-go/codemode/examples/agent-loop/agent"
)

// openAIModel asks OpenAI's Chat Completions API, which many other servers speak as well.
type openAIModel struct {
	client openai.Client
	model  string
}

// newOpenAI takes its key from OPENAI_API_KEY, unless the options say another.
func newOpenAI(model string, options ...option.RequestOption) *openAIModel {
	return &openAIModel{client: openai.NewClient(options...), model: model}
}

func (m *openAIModel) Next(ctx context.Context, spec agent.Spec, messages []agent.Message) (agent.Turn, error) {
	var parameters map[string]any
	if err := json.Unmarshal(spec.InputSchema, &parameters); err != nil {
		return agent.Turn{}, err
	}
	answer, err := m.client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
		Model:    m.model,
		Messages: openAIMessages(messages),
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
			Name: spec.Name, Description: openai.String(spec.Description), Parameters: parameters,
		})},
	})
	if err != nil {
		return agent.Turn{}, err
	}
	if len(answer.Choices) == 0 {
		return agent.Turn{}, errors.New("the answer has no choice")
	}
	message := answer.Choices[0].Message
	turn := agent.Turn{Text: message.Content}
	for _, call := range message.ToolCalls {
		code, err := codeOf([]byte(call.Function.Arguments))
		if err != nil {
			return agent.Turn{}, err
		}
		turn.Calls = append(turn.Calls, agent.Call{ID: call.ID, Code: code})
	}
	return turn, nil
}

// openAIMessages writes a conversation as the API has it: a result is a message of the tool, and a failure is one whose
// text says so.
func openAIMessages(messages []agent.Message) []openai.ChatCompletionMessageParamUnion {
	var list []openai.ChatCompletionMessageParamUnion
	for _, message := range messages {
		switch {
		case message.Result != nil:
			list = append(list, openai.ToolMessage(message.Result.Text, message.Result.CallID))
		case message.Turn != nil:
			list = append(list, openAITurn(message.Turn))
		default:
			list = append(list, openai.UserMessage(message.User))
		}
	}
	return list
}

func openAITurn(turn *agent.Turn) openai.ChatCompletionMessageParamUnion {
	assistant := &openai.ChatCompletionAssistantMessageParam{}
	if turn.Text != "" {
		assistant.Content.OfString = openai.String(turn.Text)
	}
	for _, call := range turn.Calls {
		arguments, _ := json.Marshal(map[string]string{"code": call.Code}) // a string always has a rendering
		assistant.ToolCalls = append(assistant.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID:       call.ID,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: agent.ToolName, Arguments: string(arguments)},
			},
		})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: assistant}
}
