package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/mcpserver/internal/message"
	"github.com/codemode-go/codemode/mcpserver/internal/upstream"
	"github.com/codemode-go/codemode/protocol"
)

// prompts passes the prompts of upstreams on, and the completion of their arguments and of those of resource templates.
type prompts struct {
	offers *offers
	// relay is the name of mcp-go's only prompt, which gets whatever was asked for; see resources.relay.
	relay string
}

// promptOutcome is what became of one prompts/get.
type promptOutcome struct {
	result *mcp.GetPromptResult
	err    error
}

// hook has the prompts answered by the upstreams, as resources.hook has the resources.
func (p *prompts) hook(hooks *server.Hooks) {
	p.relay = "codemode-relay-" + rand.Text()
	hooks.AddAfterListPrompts(func(ctx context.Context, _ any, _ *mcp.ListPromptsRequest, result *mcp.ListPromptsResult) {
		s := p.offers.server
		s.meet(ctx)
		result.Prompts = p.offers.prompts(ctx, s.generation())
		p.offers.shown(promptsChanged, result.Prompts)
	})
	hooks.AddBeforeGetPrompt(func(ctx context.Context, _ any, request *mcp.GetPromptRequest) {
		params := &request.Params
		namespace, name, ok := strings.Cut(params.Name, ".")
		if !ok || p.offers.server.generation().in(namespace, getPrompt) == nil {
			return
		}
		result, err := p.get(ctx, namespace, name, params)
		if errors.Is(err, errNoResource) {
			return
		}
		params.Name, params.Meta = p.relay, &mcp.Meta{AdditionalFields: map[string]any{outcomeKey: promptOutcome{result, err}}}
	})
}

// attach gives mcp-go the prompt that gets the others.
func (p *prompts) attach(s *server.MCPServer) {
	s.AddPrompt(mcp.NewPrompt(p.relay), func(_ context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if request.Params.Meta != nil {
			if outcome, ok := request.Params.Meta.AdditionalFields[outcomeKey].(promptOutcome); ok {
				return outcome.result, outcome.err
			}
		}
		return nil, errNoResource
	})
}

func (p *prompts) get(ctx context.Context, namespace, name string, params *mcp.GetPromptParams) (*mcp.GetPromptResult, error) {
	s := p.offers.server
	s.meet(ctx)
	request := map[string]any{"name": name}
	if params.Arguments != nil {
		request["arguments"] = params.Arguments
	}
	raw, err := s.fromUpstream(ctx, params.Meta, namespace, getPrompt, request)
	if err != nil {
		return nil, err
	}
	var got struct {
		Meta        *mcp.Meta `json:"_meta"`
		Description string    `json:"description"`
		Messages    []struct {
			Role    mcp.Role        `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		return nil, fmt.Errorf("server %q answered prompts/get with what cannot be read: %w", namespace, err)
	}
	result := &mcp.GetPromptResult{Description: got.Description, Messages: []mcp.PromptMessage{}}
	result.Meta = got.Meta
	for _, one := range got.Messages {
		content := one.Content
		if len(content) == 0 {
			return nil, fmt.Errorf("server %q answered prompts/get with a message that has no content", namespace)
		}
		if s.generation().options.Resources {
			content = mapBlock(content, namespace)
		}
		result.Messages = append(result.Messages, mcp.PromptMessage{Role: one.Role, Content: contentBlock{raw: content}})
	}
	return result, nil
}

// mapBlock maps the URI of a content block that has one, so that the client can read it.
func mapBlock(raw json.RawMessage, namespace string) json.RawMessage {
	switch blockType(raw) {
	case "resource_link":
		return mapMember(raw, "uri", namespace)
	case "resource":
		value, err := protocol.DecodeValue(raw)
		block, _ := value.(protocol.Object)
		resource, _ := get(block, "resource").(protocol.Object)
		uri, ok := get(resource, "uri").(string)
		if err != nil || !ok {
			return raw
		}
		mapped, err := protocol.EncodeValue(with(block, "resource", with(resource, "uri", mappedURI(namespace, uri))))
		if err != nil {
			return raw
		}
		return mapped
	}
	return raw
}

// CompletePromptArgument implements server.PromptCompletionProvider.
func (p *prompts) CompletePromptArgument(ctx context.Context, name string, argument mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
	namespace, original, _ := strings.Cut(name, ".")
	read := map[string]any{"name": original}
	if len(given.Arguments) > 0 {
		read["arguments"] = given.Arguments
	}
	return p.complete(ctx, namespace, getPrompt, read, map[string]any{"type": "ref/prompt", "name": original}, argument, given)
}

// CompleteResourceArgument implements server.ResourceCompletionProvider.
func (p *prompts) CompleteResourceArgument(ctx context.Context, uri string, argument mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
	namespace, original, _ := originalURI(uri)
	return p.complete(ctx, namespace, readResource, map[string]any{"uri": original}, map[string]any{"type": "ref/resource", "uri": original}, argument, given)
}

// complete asks the server whose argument it is. One that completes nothing has no suggestions. What the policy denies to
// read, with the arguments so far, is not completed either; of what a person would be asked about there are no suggestions,
// for nobody is asked at every key.
func (p *prompts) complete(ctx context.Context, namespace, action string, read, ref map[string]any, argument mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
	s := p.offers.server
	g := s.hold()
	defer s.release(g)
	u := g.in(namespace, action)
	if u == nil {
		return nil, fmt.Errorf("no server is called %q", namespace)
	}
	if asks, err := s.guard.foresee(ctx, g, namespace, action, read); asks || err != nil {
		return &mcp.Completion{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, offerLimit)
	defer cancel()
	params := map[string]any{"ref": ref, "argument": argument}
	if len(given.Arguments) > 0 {
		params["context"] = given
	}
	raw, err := u.Request(ctx, "completion/complete", params)
	var rpc *upstream.RPCError
	if errors.As(err, &rpc) && rpc.Code == message.CodeMethodNotFound {
		return &mcp.Completion{}, nil
	}
	if err != nil {
		return nil, asAnswered(ctx, u, err)
	}
	var result struct{ Completion mcp.Completion }
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, fmt.Errorf("server %q answered completion/complete with what cannot be read: %w", namespace, err)
	}
	return &result.Completion, nil
}
