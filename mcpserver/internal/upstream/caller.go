package upstream

import (
	"context"
	"encoding/json"

	"github.com/codemode-go/codemode/mcpserver/internal/message"
)

// Caller is whom a call is made for. It travels in the call's context, see [WithCaller].
type Caller struct {
	// Client is the same for all callers that one client stands behind, and comparable.
	Client any
	// Meta goes along with calls as their _meta, for traces above all.
	Meta map[string]json.RawMessage
	// Progress asks servers to tell about theirs.
	Progress bool
	// LogLevel asks servers of revisions without sessions for log messages of at least this level; empty asks for none.
	LogLevel string
}

type callerKey struct{}

// WithCaller makes calls under the returned context calls of c.
func WithCaller(ctx context.Context, c *Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom is whom a context's call is made for; nil when that is not known.
func CallerFrom(ctx context.Context) *Caller {
	c, _ := ctx.Value(callerKey{}).(*Caller)
	return c
}

func isFollowed(ctx context.Context) bool {
	c := CallerFrom(ctx)
	return c != nil && c.Progress
}

func logLevelOf(call *inFlight) string {
	if call == nil {
		return ""
	}
	if c := CallerFrom(call.ctx); c != nil {
		return c.LogLevel
	}
	return ""
}

// Notification is what a server said by itself while it worked, or between calls.
type Notification struct {
	Method string
	Params json.RawMessage
	// Tool is the tool of the call that it belongs to; empty when it belongs to none.
	Tool string
}

// notified takes a notification of the server. It must not block.
func (s *session) notified(ctx context.Context, method string, params json.RawMessage) {
	switch method {
	case "notifications/tools/list_changed", "notifications/resources/list_changed", "notifications/prompts/list_changed":
		s.mayHaveChanged()
		return
	case "notifications/progress":
		var progress struct {
			Token json.RawMessage `json:"progressToken"`
		}
		var id int64
		if json.Unmarshal(params, &progress) != nil || json.Unmarshal(progress.Token, &id) != nil {
			return // it is none of our tokens
		}
		if call, ok := s.waiting(id); ok {
			s.hear(call.ctx, Notification{method, params, call.tool})
		}
		return
	}
	tool := ""
	if call, ok := s.only(ctx); ok {
		ctx, tool = call.ctx, call.tool
	}
	s.hear(ctx, Notification{method, params, tool})
}

// asked answers a request of the server. It belongs to the call whose stream it came in. Where there are no such streams,
// it belongs to whom all calls in flight are made for; when those are several clients it cannot be told whom to ask.
func (s *session) asked(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, *RPCError) {
	if method == "ping" {
		return json.RawMessage(`{}`), nil
	}
	if CallerFrom(ctx) == nil {
		call, ok := s.only(ctx)
		switch {
		case ok:
			ctx = merged{ctx, call.ctx}
		case s.busy():
			return nil, &RPCError{Code: message.CodeInternal, Message: "Internal error: several clients are being served, and it is not clear which of them is asked"}
		}
	}
	return s.ask(ctx, method, params)
}

// merged ends with one context and has the values of another.
type merged struct {
	context.Context
	values context.Context
}

func (m merged) Value(key any) any { return m.values.Value(key) }

// only returns the latest call in flight, if all calls in flight are made for one client.
func (s *session) only(ctx context.Context) (*inFlight, bool) {
	if CallerFrom(ctx) != nil {
		return &inFlight{ctx: ctx}, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var latest int64
	var client any
	for id, call := range s.inFlight {
		var own any
		if c := CallerFrom(call.ctx); c != nil {
			own = c.Client
		}
		if latest != 0 && own != client {
			return nil, false
		}
		latest, client = max(latest, id), own
	}
	return s.inFlight[latest], latest != 0
}

func (s *session) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.inFlight) > 0
}
