package mcpserver

import (
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/protocol"
)

// maxLinks bounds the resources that one run remembers the servers of.
const maxLinks = 10_000

// links is what results of a run's calls said of their servers' resources. A client can read those under another URI, see
// mappedURI, so that is what an answer has.
type links struct {
	// of is the namespace of the server by URI; empty when several named the same.
	of map[string]string
	// ui is the user interface (_meta.ui of MCP Apps) that a result asked for; several is set when another asked for
	// another one, which one answer cannot show.
	ui      map[string]any
	several bool
}

// rememberLinks notes the resources that a result names.
func (r *run) rememberLinks(namespace string, result json.RawMessage) {
	var fields struct {
		Content []struct {
			URI      string
			Resource struct{ URI string }
		} `json:"content"`
		Meta struct{ UI map[string]any } `json:"_meta"`
	}
	_ = json.Unmarshal(result, &fields) // a member of another type names no resource
	r.mu.Lock()
	defer r.mu.Unlock()
	l := &r.links
	for _, block := range fields.Content {
		for _, uri := range []string{block.URI, block.Resource.URI} {
			before, known := l.of[uri]
			switch {
			case uri == "" || known && before == namespace || len(l.of) >= maxLinks:
			case known:
				l.of[uri] = ""
			case l.of == nil:
				l.of = map[string]string{uri: namespace}
			default:
				l.of[uri] = namespace
			}
		}
	}
	if uri, ok := fields.Meta.UI["resourceUri"].(string); ok {
		fields.Meta.UI["resourceUri"] = mappedURI(namespace, uri)
		l.several = l.several || l.ui != nil && l.ui["resourceUri"] != fields.Meta.UI["resourceUri"]
		l.ui = fields.Meta.UI
	}
}

// linksOf is what was remembered of resources, for a client that can read them; others get URIs as they are.
func (g *generation) linksOf(r *run) links {
	if !g.options.Resources {
		return links{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.links
	l.of = make(map[string]string, len(r.links.of))
	for uri, namespace := range r.links.of {
		l.of[uri] = namespace
	}
	return l
}

// mapped is a content block with the URI under which the client can read its resource.
func (l *links) mapped(block protocol.Object) protocol.Object {
	uri, _ := get(block, "uri").(string)
	resource, isEmbedded := get(block, "resource").(protocol.Object)
	if isEmbedded {
		uri, _ = get(resource, "uri").(string)
	}
	namespace := l.of[uri]
	switch kind := get(block, "type"); {
	case namespace == "":
	case kind == "resource_link":
		return with(block, "uri", mappedURI(namespace, uri))
	case kind == "resource" && isEmbedded:
		return with(block, "resource", with(resource, "uri", mappedURI(namespace, uri)))
	}
	return block
}

// show puts the user interface that the run's calls asked for into its answer's _meta, beside what is there.
func (l *links) show(result *mcp.CallToolResult) {
	if l.ui == nil || l.several || result.IsError {
		return
	}
	if result.Meta == nil {
		result.Meta = &mcp.Meta{}
	}
	if result.Meta.AdditionalFields == nil {
		result.Meta.AdditionalFields = map[string]any{}
	}
	result.Meta.AdditionalFields["ui"] = l.ui
}
