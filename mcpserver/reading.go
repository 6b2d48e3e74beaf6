package mcpserver

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/internal/upstream"
	"github.com/codemode-go/codemode/protocol"
)

// Programs read what servers offer beside their tools with functions of the namespace codetool.DefaultNamespace. A tool of
// the same name keeps it; the function is then numbered.

// readingTools describes the functions as a server describes its tools.
//
//go:embed reading.json
var readingTools []byte

// The functions that list. What a policy's rules call the listing is the same.
const (
	listResources = "resources"
	listPrompts   = "prompts"
)

// readings are the functions that the options ask for, by names that are not taken, with g.mu held. g.reading is made anew
// and not changed, for runs keep the one of their tool.
func (g *generation) readings(taken []codetool.RawTool) []codetool.RawTool {
	g.reading = map[string]string{}
	if !g.options.Resources && !g.options.Prompts {
		return nil
	}
	var all []struct {
		Name, Description         string
		InputSchema, OutputSchema json.RawMessage
	}
	if err := json.Unmarshal(readingTools, &all); err != nil {
		panic("mcpserver: reading.json: " + err.Error()) // it is a part of us
	}
	var tools []codetool.RawTool
	for _, one := range all {
		isPrompt := one.Name == listPrompts || one.Name == getPrompt
		if isPrompt && !g.options.Prompts || !isPrompt && !g.options.Resources {
			continue
		}
		name := one.Name
		for n := 2; slices.ContainsFunc(taken, func(t codetool.RawTool) bool { return t.Name == name }); n++ {
			name = fmt.Sprintf("%s_%d", one.Name, n)
		}
		g.reading[name] = one.Name
		tools = append(tools, codetool.RawTool{
			Name: name, Description: one.Description, InputSchema: one.InputSchema, OutputSchema: one.OutputSchema,
			Call: func(ctx context.Context, args json.RawMessage) (any, error) { return g.read(ctx, one.Name, args) },
		})
	}
	return tools
}

// withReadings adds the functions to the providers, with g.mu held.
func (g *generation) withReadings(list []codetool.Provider) []codetool.Provider {
	i := slices.IndexFunc(list, func(p codetool.Provider) bool { return p.Name == codetool.DefaultNamespace })
	if i < 0 {
		if tools := g.readings(nil); tools != nil {
			list = append(list, codetool.Provider{Name: codetool.DefaultNamespace, Tools: tools})
		}
		return list
	}
	list[i].Tools = append(list[i].Tools, g.readings(list[i].Tools)...)
	return list
}

// methodKey is where a call that reads has its method.
type methodKey struct{}

// authorize puts the calls of these functions to next as the calls of a server that they are. Lists are not put to it:
// they leave out the servers that the policy closes.
func (g *generation) authorize(next func(context.Context, codetool.Call) error) func(context.Context, codetool.Call) error {
	return func(ctx context.Context, call codetool.Call) error {
		action := runFrom(ctx).readings[call.Tool]
		if call.Provider != codetool.DefaultNamespace || action == "" {
			return next(ctx, call)
		}
		if methods[action] == "" {
			return nil
		}
		u, params, err := g.target(action, call.Arguments)
		if err != nil {
			return err
		}
		call.Provider, call.Tool, call.Arguments = u.Status().Namespace, action, params
		call.Namespace, call.Identifier = call.Provider, action // those of the function would be names of another server
		return next(context.WithValue(ctx, methodKey{}, methods[action]), call)
	}
}

// target is the server whose resource or prompt is meant, and the parameters that it is asked with.
func (g *generation) target(action string, args json.RawMessage) (*upstream.Upstream, json.RawMessage, error) {
	var given struct {
		Server, URI, Name string
		Arguments         map[string]string
	}
	if err := json.Unmarshal(args, &given); err != nil {
		return nil, nil, err
	}
	params := map[string]any{"uri": given.URI}
	if action == getPrompt {
		params = map[string]any{"name": given.Name}
		if given.Arguments != nil {
			params["arguments"] = given.Arguments
		}
	} else if namespace, uri, ok := originalURI(given.URI); ok && (given.Server == "" || given.Server == namespace) && g.in(namespace, action) != nil {
		given.Server, params["uri"] = namespace, uri
	}
	u, err := g.meant(given.Server, action)
	if err != nil {
		return nil, nil, err
	}
	raw, err := json.Marshal(params)
	return u, raw, err
}

// meant is the server that a program names, by its namespace or its name.
func (g *generation) meant(server, action string) (*upstream.Upstream, error) {
	if u := g.in(server, action); u != nil {
		return u, nil
	}
	if u := g.named(server, action); u != nil {
		return u, nil
	}
	var all []string
	for _, u := range g.offering(action) {
		all = append(all, u.Status().Namespace)
	}
	return nil, fmt.Errorf("no server is called %q; there are: %s", server, strings.Join(all, ", "))
}

// read answers a call of one of the functions.
func (g *generation) read(ctx context.Context, action string, args json.RawMessage) (any, error) {
	switch action {
	case listResources:
		return g.listOffers(ctx, action, args, func(one *offered) []json.RawMessage {
			return append(slices.Clone(one.resources), one.templates...)
		})
	case listPrompts:
		return g.listOffers(ctx, action, args, func(one *offered) []json.RawMessage { return one.prompts })
	}
	u, params, err := g.target(action, args)
	if err != nil {
		return nil, err
	}
	r, began, status := runFrom(ctx), time.Now(), u.Status()
	step := r.trail.take(methods[action], status.Name, action, params)
	var request map[string]any
	if err := json.Unmarshal(params, &request); err != nil {
		return nil, err
	}
	raw, err := u.Request(step.sent(ctx, &status), methods[action], request)
	r.called(status.Namespace, action, time.Since(began), err != nil)
	step.end(raw, err)
	if err != nil {
		return nil, err
	}
	var result struct{ Contents, Messages json.RawMessage }
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, fmt.Errorf("server %q answered %s with what cannot be read: %w", status.Name, methods[action], err)
	}
	if action == getPrompt {
		return result.Messages, nil
	}
	r.rememberContents(result.Contents)
	return result.Contents, nil
}

// listOffers lists what pick takes of each server, or of the one that is named, each entry with its server.
func (g *generation) listOffers(ctx context.Context, action string, args json.RawMessage, pick func(*offered) []json.RawMessage) (any, error) {
	var given struct{ Server string }
	if err := json.Unmarshal(args, &given); err != nil {
		return nil, err
	}
	if given.Server != "" {
		u, err := g.meant(given.Server, map[string]string{listResources: readResource, listPrompts: getPrompt}[action])
		if err != nil {
			return nil, err
		}
		given.Server = u.Status().Namespace
	}
	list := []any{}
	for _, one := range g.offers.gather(ctx, g) {
		if given.Server != "" && given.Server != one.namespace {
			continue
		}
		if _, err := g.offers.server.guard.foresee(ctx, g, one.namespace, action, map[string]any{}); err != nil {
			if given.Server != "" {
				return nil, err
			}
			continue
		}
		for _, raw := range pick(&one) {
			list = append(list, withServer(raw, one.namespace))
		}
	}
	return list, nil
}

// withServer is an entry that says whose it is.
func withServer(raw json.RawMessage, namespace string) any {
	value, err := protocol.DecodeValue(raw)
	entry, ok := value.(protocol.Object)
	if err != nil || !ok {
		return raw
	}
	entry = slices.DeleteFunc(entry, func(m protocol.Member) bool { return m.Key == "server" })
	return append(protocol.Object{{Key: "server", Value: namespace}}, entry...)
}

// foresee is what the policy says of reading or listing what a server offers, where nobody is asked: denied is why it does not
// let it, and asks that it would be put to a person.
func (g *guard) foresee(ctx context.Context, of *generation, namespace, action string, params map[string]any) (asks bool, denied error) {
	arguments, err := json.Marshal(params)
	if err != nil {
		return false, err
	}
	server, hints := of.describedTool(namespace, action)
	call := codetool.Call{Provider: server, Tool: action, Namespace: namespace, Identifier: action, Arguments: arguments}
	policy, _, _ := g.rules()
	decision := policy.Decide(ctx, &call, hints)
	if decision.Action == codetool.Deny {
		return false, decision.Denied(&call)
	}
	return decision.Action == codetool.Ask, nil
}

// rememberContents is remember for what was read.
func (r *run) rememberContents(contents json.RawMessage) {
	var list []json.RawMessage
	if json.Unmarshal(contents, &list) != nil {
		return
	}
	blocks := make([]string, len(list))
	for i, one := range list {
		blocks[i] = `{"type":"resource","resource":` + string(one) + `}`
	}
	r.remember(json.RawMessage(`{"content":[` + strings.Join(blocks, ",") + `]}`))
}
