package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/codemode-go/codemode/mcpserver/internal/message"
)

const (
	// maxPages bounds a list whose cursors never repeat and never end.
	maxPages = 1000
	// maxEntries bounds a list: the largest server seen has 401 tools, and a description of more could not be read.
	maxEntries = 20_000
)

// list reads one list of the server over all its pages, where member is the one that holds the entries.
func (s *session) list(ctx context.Context, method, member string) ([]json.RawMessage, error) {
	var all []json.RawMessage
	seen := map[string]bool{"": true}
	params := map[string]any{}
	for range maxPages {
		entries, cursor, err := s.page(ctx, method, member, params)
		if err != nil {
			return nil, err
		}
		if all = append(all, entries...); len(all) > maxEntries {
			s.log.Warn("the server lists too much; the list was cut", "method", method, "entries", len(all), "limit", maxEntries)
			return all[:maxEntries], nil
		}
		if seen[cursor] {
			if cursor != "" {
				s.log.Warn("the server's list repeats a cursor; the list ends there", "method", method, "entries", len(all))
			}
			return all, nil
		}
		seen[cursor] = true
		params["cursor"] = cursor
	}
	s.log.Warn("the server's list does not end; the list was cut", "method", method, "pages", maxPages, "entries", len(all))
	return all, nil
}

func (s *session) page(ctx context.Context, method, member string, params map[string]any) (entries []json.RawMessage, cursor string, err error) {
	raw, err := s.request(ctx, method, maps.Clone(params), nil)
	var rpc *RPCError
	switch {
	case errors.As(err, &rpc) && rpc.Code == message.CodeMethodNotFound:
		return nil, "", nil // a server may have other things alone
	case err != nil:
		return nil, "", s.explain(ctx, err)
	}
	fields := object(raw)
	if err := json.Unmarshal(fields[member], &entries); err != nil {
		return nil, "", fmt.Errorf("its answer to %s has no list of %s", method, member)
	}
	return entries, stringMember(fields, "nextCursor"), nil // some servers say null or "" at the last page
}

// mirror remembers the tools whose arguments HTTP servers of the revisions without sessions want in headers as well. One
// whose declaration is broken must not be called, says the specification.
func (s *session) mirror(tools []Tool) []Tool {
	if !s.statelessCancel || !isModern(s.revision) {
		return tools
	}
	headers, good := map[string]mcp.Tool{}, make([]Tool, 0, len(tools))
	for _, tool := range tools {
		typed := mcp.Tool{Name: tool.Name, RawInputSchema: tool.InputSchema}
		if len(tool.InputSchema) > 0 {
			if err := mcp.ValidateParamHeaderAnnotations(&typed); err != nil {
				s.log.Warn("a tool wants arguments in headers that HTTP does not allow; it is left out", "tool", tool.Name, "error", err)
				continue
			}
			if len(mcp.ExtractParamHeaderBindings(&typed)) > 0 {
				headers[tool.Name] = typed
			}
		}
		good = append(good, tool)
	}
	s.headerMu.Lock()
	s.headers = headers
	s.headerMu.Unlock()
	return good
}

// paramHeaders are the arguments that go into headers, too.
func (s *session) paramHeaders(tool string, params json.RawMessage) map[string]string {
	s.headerMu.Lock()
	typed, ok := s.headers[tool]
	s.headerMu.Unlock()
	if !ok {
		return nil
	}
	return mcp.GenerateParamHeaders(&typed, params)
}
