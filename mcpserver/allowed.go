package mcpserver

import (
	"context"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

// maxAllowed bounds the tools that are remembered of one client as allowed: a person allows them one by one, so that more are
// a program's doing. The oldest is forgotten, and asked about again.
const maxAllowed = 200

// allowed is what people have let their clients call while they are connected, by client: what one's person says is no
// other's word. Only a client with a session is remembered, on streams or over HTTP; a request without one could be anybody's.
type allowed struct {
	mu sync.Mutex
	of map[server.ClientSession][]string // the tools, oldest first
}

// joined and left are told of sessions.
func (a *allowed) joined(_ context.Context, session server.ClientSession) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.of[session] = nil
}

func (a *allowed) left(_ context.Context, session server.ClientSession) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.of, session)
}

// knows reports whether there is a session for which something can be allowed.
func (a *allowed) knows(ctx context.Context) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, known := a.of[server.ClientSessionFromContext(ctx)]
	return known
}

// has reports whether the client of ctx may call a tool.
func (a *allowed) has(ctx context.Context, tool string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Contains(a.of[server.ClientSessionFromContext(ctx)], tool)
}

// add lets the client of ctx call a tool until it leaves.
func (a *allowed) add(ctx context.Context, tool string) {
	session := server.ClientSessionFromContext(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	tools, known := a.of[session]
	if !known || slices.Contains(tools, tool) { // it may have left meanwhile
		return
	}
	if tools = append(tools, tool); len(tools) > maxAllowed {
		tools = slices.Delete(tools, 0, 1)
	}
	a.of[session] = tools
}
