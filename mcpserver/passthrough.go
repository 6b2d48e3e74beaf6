package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/codetool"
	"github.com/codemode-go/codemode/mcpserver/internal/message"
	"github.com/codemode-go/codemode/mcpserver/internal/upstream"
	"github.com/codemode-go/codemode/protocol"
)

// What a policy's rules call the reading of a server's resource and the getting of its prompt, whoever does it: programs
// call the functions so.
const (
	readResource = "readResource"
	getPrompt    = "getPrompt"
)

// upstreamResources are the resources of all upstreams, under URIs that say whose they are.
type upstreamResources struct{ offers *offers }

func (r upstreamResources) owns(uri string) bool {
	namespace, _, ok := originalURI(uri)
	return ok && r.offers.server.generation().in(namespace, readResource) != nil
}

func (r upstreamResources) list(ctx context.Context) []mcp.Resource {
	s := r.offers.server
	s.meet(ctx)
	resources, templates := r.offers.resources(ctx, s.generation())
	r.offers.shown(resourcesChanged, []any{resources, templates})
	return resources
}

func (r upstreamResources) templates(ctx context.Context) []mcp.ResourceTemplate {
	s := r.offers.server
	s.meet(ctx)
	_, templates := r.offers.resources(ctx, s.generation())
	return templates
}

// resources are the resources and templates of a generation's upstreams as clients see them.
func (o *offers) resources(ctx context.Context, g *generation) (resources []mcp.Resource, templates []mcp.ResourceTemplate) {
	for _, one := range o.gather(ctx, g) {
		resources = append(resources, decodeEntries[mcp.Resource](o, one, one.resources, "uri", mappedURI)...)
		templates = append(templates, decodeEntries[mcp.ResourceTemplate](o, one, one.templates, "uriTemplate", mappedURI)...)
	}
	return resources, templates
}

// prompts are the prompts of a generation's upstreams as clients see them.
func (o *offers) prompts(ctx context.Context, g *generation) []mcp.Prompt {
	list := []mcp.Prompt{}
	for _, one := range o.gather(ctx, g) {
		list = append(list, decodeEntries[mcp.Prompt](o, one, one.prompts, "name", promptName)...)
	}
	return list
}

// decodeEntries reads the entries of a list, each with the member that identifies it mapped. One that is malformed costs
// what is wrong with it, and itself when it cannot be identified.
func decodeEntries[T any](o *offers, from offered, entries []json.RawMessage, key string, mapped func(namespace, id string) string) []T {
	var list []T
	for i, raw := range entries {
		var fields map[string]json.RawMessage
		var id string
		if json.Unmarshal(raw, &fields) != nil || json.Unmarshal(fields[key], &id) != nil || id == "" {
			o.server.log.Warn("an entry of a server's list is left out: it has no "+key, "server", from.upstream.Status().Name, "entry", i+1)
			continue
		}
		fields[key] = quote(mapped(from.namespace, id))
		entry, err := decodeEntry[T](fields, key)
		if err != nil {
			o.server.log.Warn("an entry of a server's list is left out", "server", from.upstream.Status().Name, key, id, "error", err)
			continue
		}
		list = append(list, entry)
	}
	return list
}

// decodeEntry reads one entry; when it cannot be read whole, without the members that are wrong.
func decodeEntry[T any](fields map[string]json.RawMessage, key string) (entry T, err error) {
	text, err := json.Marshal(fields)
	if err != nil || json.Unmarshal(text, &entry) == nil {
		return entry, err
	}
	good := map[string]json.RawMessage{}
	for name, raw := range fields {
		var alone T
		text, err := json.Marshal(map[string]json.RawMessage{name: raw})
		if err == nil && json.Unmarshal(text, &alone) == nil {
			good[name] = raw
		}
	}
	if good[key] == nil {
		return entry, fmt.Errorf("its %s cannot be read", key)
	}
	var fresh T
	if text, err = json.Marshal(good); err != nil {
		return fresh, err
	}
	return fresh, json.Unmarshal(text, &fresh)
}

func (r upstreamResources) read(ctx context.Context, uri string, meta *mcp.Meta) ([]mcp.ResourceContents, error) {
	s := r.offers.server
	s.meet(ctx)
	namespace, original, _ := originalURI(uri)
	raw, err := s.fromUpstream(ctx, meta, namespace, readResource, map[string]any{"uri": original})
	if err != nil {
		return nil, err
	}
	var result struct {
		Contents []json.RawMessage `json:"contents"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, fmt.Errorf("server %q answered resources/read with what cannot be read: %w", namespace, err)
	}
	list := []mcp.ResourceContents{}
	for _, one := range result.Contents {
		list = append(list, rawContents{raw: mapMember(one, "uri", namespace)})
	}
	return list, nil
}

// mapMember maps the URI that an object has in a member; what is no object with such a member stays as it is.
func mapMember(raw json.RawMessage, key, namespace string) json.RawMessage {
	value, err := protocol.DecodeValue(raw)
	object, ok := value.(protocol.Object)
	uri, isText := get(object, key).(string)
	if err != nil || !ok || !isText {
		return raw
	}
	mapped, err := protocol.EncodeValue(with(object, key, mappedURI(namespace, uri)))
	if err != nil {
		return raw
	}
	return mapped
}

// methods are those of MCP behind what programs and policies name.
var methods = map[string]string{readResource: "resources/read", getPrompt: "prompts/get"}

// fromUpstream reads a resource or gets a prompt for a client, as far as the policy lets it.
func (s *Server) fromUpstream(ctx context.Context, meta *mcp.Meta, namespace, action string, params map[string]any) (json.RawMessage, error) {
	g := s.hold()
	defer s.release(g)
	u := g.in(namespace, action)
	if u == nil {
		return nil, errNoResource
	}
	arguments, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, g.options.Tool.Timeout, fmt.Errorf("server %q did not answer %s within %s", u.Status().Name, methods[action], g.options.Tool.Timeout))
	defer cancel()
	call := codetool.Call{Provider: namespace, Tool: action, Namespace: namespace, Identifier: action, Arguments: arguments}
	server, hints := g.describedTool(namespace, action)
	if _, err := s.guard.authorize(ctx, call, server, hints); err != nil {
		return nil, err
	}
	ctx = upstream.WithCaller(ctx, s.callerOf(ctx, meta))
	raw, err := u.Request(ctx, methods[action], params)
	if isNotFound(err, u.Status().Revision) {
		return nil, errNoResource
	}
	return raw, asAnswered(ctx, u, err)
}

// isNotFound reports whether a server says that there is no such resource, in the way of its revision.
func isNotFound(err error, revision string) bool {
	var rpc *upstream.RPCError
	if !errors.As(err, &rpc) {
		return false
	}
	return rpc.Code == mcp.RESOURCE_NOT_FOUND || mcp.IsModernProtocol(revision) && rpc.Code == message.CodeInvalidParams
}
