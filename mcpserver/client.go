package mcpserver

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// clients is what is known of those who are served: what they can be asked, which is what upstreams are told of us.
type clients struct {
	mcp *server.MCPServer

	mu       sync.Mutex
	sessions map[string]server.ClientSession // nil for one of a view, which is only asked for its own runs
	declared map[string]json.RawMessage      // the union of what all clients so far declared
	known    bool                            // any client has said what it can be asked
}

// passedOn are the capabilities of clients that upstreams may use through us.
var passedOn = []string{"roots", "sampling", "elicitation"}

// capabilitiesOf is what a context's client can be asked, by capability.
func capabilitiesOf(ctx context.Context) map[string]json.RawMessage {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		if info.ClientCapabilities == nil {
			return map[string]json.RawMessage{}
		}
		return passable(*info.ClientCapabilities)
	}
	if client, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return passable(client.GetClientCapabilities())
	}
	return map[string]json.RawMessage{}
}

func passable(capabilities mcp.ClientCapabilities) map[string]json.RawMessage {
	all, picked := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if raw, err := json.Marshal(capabilities); err == nil { // it came as JSON
		_ = json.Unmarshal(raw, &all)
	}
	for _, name := range passedOn {
		if raw, ok := all[name]; ok {
			picked[name] = raw
		}
	}
	return picked
}

// learn takes what a client can be asked into the union, and reports whether that is more than was known.
func (c *clients) learn(capabilities map[string]json.RawMessage) (first, more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	first, c.known = !c.known, true
	for name, raw := range capabilities {
		merged := merge(c.declared[name], raw)
		if string(merged) != string(c.declared[name]) {
			c.declared[name], more = merged, true
		}
	}
	return first, more
}

// merge is an object with the members of both, which are objects or plain values.
func merge(old, added json.RawMessage) json.RawMessage {
	var a, b map[string]json.RawMessage
	if old == nil || json.Unmarshal(old, &a) != nil || json.Unmarshal(added, &b) != nil {
		return added
	}
	for name, raw := range b {
		if a[name] == nil {
			a[name] = raw
		}
	}
	out, err := json.Marshal(a) // sorted, so that it can be compared
	if err != nil {
		return old
	}
	return out
}

// met reports whether any client has said what it can be asked.
func (c *clients) met() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known
}

// union is what upstreams are told that we can be asked.
func (c *clients) union() json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	raw, err := json.Marshal(c.declared)
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return raw
}

func (c *clients) joined(session server.ClientSession, ofView bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions[session.SessionID()] = session
	if ofView {
		c.sessions[session.SessionID()] = nil
	}
}

func (c *clients) left(_ context.Context, session server.ClientSession) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sessions, session.SessionID())
}

// only makes ctx one of the only client there is; ok is false when there is another number of them.
func (c *clients) only(ctx context.Context) (context.Context, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.sessions) != 1 {
		return ctx, false
	}
	for _, session := range c.sessions {
		if session == nil {
			return ctx, false
		}
		ctx = c.mcp.WithContext(ctx, session)
	}
	return ctx, true
}

// meet hears of a client's capabilities, from whatever it asked first. The upstreams start with the first client, so
// that they are told what it really can be asked; when a later one can be asked more, they are connected anew.
func (s *Server) meet(ctx context.Context) {
	first, more := s.clients.learn(capabilitiesOf(ctx))
	switch {
	case first:
		s.startAll()
	case more:
		for _, u := range s.whole().generation().upstreams {
			u.Renew()
		}
	}
}

// startAll starts the upstreams, once.
func (s *Server) startAll() {
	s = s.whole()
	s.started.Do(func() {
		for _, u := range s.generation().upstreams {
			u.Start()
		}
	})
}
