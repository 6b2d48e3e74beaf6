package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// resourceSource is one origin of resources that clients list and read. No two sources own the same URI.
type resourceSource interface {
	// owns reports whether a URI has the source's form, whether or not there is such a resource.
	owns(uri string) bool
	// list and templates are what the client of ctx is shown; nil is none.
	list(ctx context.Context) []mcp.Resource
	templates(ctx context.Context) []mcp.ResourceTemplate
	// read reads a URI that the source owns, for the client of ctx, whose request came with meta. The error is errNoResource
	// when there is no such resource.
	read(ctx context.Context, uri string, meta *mcp.Meta) ([]mcp.ResourceContents, error)
}

// errNoResource is a URI that names nothing.
var errNoResource = errors.New("there is no such resource")

// resources is what clients list and read, from wherever it comes.
type resources struct {
	sources []resourceSource
	// relay is the URI of mcp-go's only resource, which reads whatever was asked for. Nobody can ask for it by its name.
	relay string
}

// outcomeKey is where a read that has been made waits in its request's arguments for mcp-go to ask for it.
const outcomeKey = "outcome"

// readOutcome is what became of one read.
type readOutcome struct {
	contents []mcp.ResourceContents
	err      error
}

// hook has the lists and reads answered by the sources. mcp-go finds resources in a list of its own, and answers with one
// code whatever goes wrong; so a read is made before mcp-go looks, and one that finds nothing is left to mcp-go, which
// knows how each revision says that.
func (r *resources) hook(hooks *server.Hooks) {
	r.relay = "codemode-relay:" + rand.Text()
	hooks.AddAfterListResources(func(ctx context.Context, _ any, _ *mcp.ListResourcesRequest, result *mcp.ListResourcesResult) {
		result.Resources = []mcp.Resource{}
		for _, source := range r.sources {
			result.Resources = append(result.Resources, source.list(ctx)...)
		}
	})
	hooks.AddAfterListResourceTemplates(func(ctx context.Context, _ any, _ *mcp.ListResourceTemplatesRequest, result *mcp.ListResourceTemplatesResult) {
		result.ResourceTemplates = []mcp.ResourceTemplate{}
		for _, source := range r.sources {
			result.ResourceTemplates = append(result.ResourceTemplates, source.templates(ctx)...)
		}
	})
	hooks.AddBeforeReadResource(func(ctx context.Context, _ any, request *mcp.ReadResourceRequest) {
		source := r.source(request.Params.URI)
		if source == nil {
			return
		}
		contents, err := source.read(ctx, request.Params.URI, request.Params.Meta)
		if errors.Is(err, errNoResource) {
			return
		}
		request.Params.URI, request.Params.Arguments = r.relay, map[string]any{outcomeKey: readOutcome{contents, err}}
	})
}

// source is the one that owns a URI; nil when none does.
func (r *resources) source(uri string) resourceSource {
	for _, source := range r.sources {
		if source.owns(uri) {
			return source
		}
	}
	return nil
}

// attach gives mcp-go the resource that reads.
func (r *resources) attach(s *server.MCPServer) {
	s.AddResource(mcp.NewResource(r.relay, "relay"), func(_ context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		outcome, ok := request.Params.Arguments[outcomeKey].(readOutcome)
		if !ok {
			return nil, errNoResource
		}
		return outcome.contents, outcome.err
	})
}

// rawContents is what was read, as it is, with members that mcp-go's types do not know.
type rawContents struct {
	mcp.TextResourceContents
	raw []byte
}

// MarshalJSON implements json.Marshaler.
func (c rawContents) MarshalJSON() ([]byte, error) { return c.raw, nil }
