package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/codemode-go/codemode/mcpserver/internal/message"
	"github.com/codemode-go/codemode/protocol"
)

// ready returns the session, starting the server first if it has to.
func (u *Upstream) ready(ctx context.Context) (*session, error) {
	u.mu.Lock()
	if u.session == nil && u.attempt == nil {
		if left := time.Until(u.notBefore); left > 0 {
			defer u.mu.Unlock()
			return nil, fmt.Errorf("server %q is down (%s); it is not started again before %s have passed", u.spec.Name, u.status.Reason, left.Round(100*time.Millisecond))
		}
		u.begin()
	}
	s, attempt := u.session, u.attempt
	u.mu.Unlock()
	if s == nil && attempt != nil {
		select {
		case <-attempt:
		case <-ctx.Done():
			return nil, fmt.Errorf("server %q is still starting: %w", u.spec.Name, context.Cause(ctx))
		}
		u.mu.Lock()
		s = u.session
		u.mu.Unlock()
	}
	if s == nil {
		return nil, fmt.Errorf("server %q is down (%s)", u.spec.Name, u.Status().Reason)
	}
	return s, nil
}

// Redact replaces the server's configured secrets in a text.
func (u *Upstream) Redact(text string) string { return u.spec.redact(text) }

// NoMethod answers a request for a method that there is not.
func NoMethod(method string) *RPCError {
	return &RPCError{Code: message.CodeMethodNotFound, Message: "Method not found: this client has no " + method}
}

// Call calls a tool with an object of arguments (nil for none) and returns the raw result of tools/call. A JSON-RPC
// error's text reads as the MCP SDKs write it; every other error names the server and the tool. A call that cannot have
// arrived is made once more, and so is one whose tool says that calling it twice does no harm.
func (u *Upstream) Call(ctx context.Context, tool string, args json.RawMessage) (json.RawMessage, error) {
	result, err := u.callOnce(ctx, tool, args)
	var lost *lostAnswer
	if errors.Is(err, errUnsent) || errors.As(err, &lost) && ctx.Err() == nil && u.mayRepeat(tool) {
		result, err = u.callOnce(ctx, tool, args)
	}
	if err != nil {
		return nil, u.redactError(err)
	}
	return result, nil
}

// redacted is an error with another text and data.
type redacted struct {
	text  string
	data  json.RawMessage
	cause error
}

func (r redacted) Error() string              { return r.text }
func (r redacted) Unwrap() error              { return r.cause }
func (r redacted) ErrorData() json.RawMessage { return r.data }

func (u *Upstream) redactError(err error) error {
	out := redacted{text: u.spec.redact(err.Error()), cause: err}
	if more := protocol.DataError(nil); errors.As(err, &more) {
		out.data = u.RedactData(more.ErrorData())
	}
	return out
}

// RedactData is Redact for JSON; what is none afterwards is nil.
func (u *Upstream) RedactData(data json.RawMessage) json.RawMessage {
	clean := json.RawMessage(u.spec.redact(string(data)))
	if !protocol.ValidJSON(clean) {
		return nil
	}
	return clean
}

// tool finds a tool as last listed.
func (u *Upstream) tool(name string) *Tool {
	for _, tool := range u.Status().Tools {
		if tool.Name == name {
			return &tool
		}
	}
	return &Tool{Name: name}
}

func (u *Upstream) mayRepeat(name string) bool {
	tool := u.tool(name)
	return tool.ReadOnly || tool.Idempotent
}

func (u *Upstream) callOnce(ctx context.Context, tool string, args json.RawMessage) (json.RawMessage, error) {
	s, err := u.ready(ctx)
	if err != nil {
		return nil, err
	}
	call := ctx
	if u.spec.callTimeout > 0 {
		var cancel context.CancelFunc
		call, cancel = context.WithTimeoutCause(ctx, u.spec.callTimeout, &timedOut{fmt.Sprintf("server %q did not answer %q within %s", u.spec.Name, tool, u.spec.callTimeout)})
		defer cancel()
	}
	result, err := s.call(call, u.tool(tool), args)
	if err == nil {
		return result, nil
	}
	return nil, u.failed(call, s, tool, err)
}

// failed words what went wrong with a call.
func (u *Upstream) failed(ctx context.Context, s *session, tool string, err error) error {
	var rpc *RPCError
	var lost *lostAnswer
	switch {
	case errors.As(err, &rpc):
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, errUnsent):
		u.drop(s, trimUnsent(err))
		return fmt.Errorf("server %q cannot be reached: %w", u.spec.Name, err)
	case errors.As(err, &lost) && s.lost != nil && isLost(s):
		u.drop(s, lost.why)
		return &lostAnswer{fmt.Sprintf("server %q ended while it worked on %q (%s), so the outcome of this call is unknown; the next call starts the server again", u.spec.Name, tool, s.why())}
	case errors.As(err, &lost):
		return &lostAnswer{fmt.Sprintf("server %q, tool %q: %s, so the outcome of this call is unknown", u.spec.Name, tool, lost.why)}
	}
	return fmt.Errorf("server %q, tool %q: %w", u.spec.Name, tool, err)
}

// Request sends a request other than tools/call and returns its raw result. It carries the caller's _meta.
func (u *Upstream) Request(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	s, err := u.ready(ctx)
	if err == nil {
		if c := CallerFrom(ctx); c != nil && len(c.Meta) > 0 && params["_meta"] == nil {
			with := map[string]any{"_meta": c.Meta}
			maps.Copy(with, params)
			params = with
		}
		var result json.RawMessage
		if result, err = s.answerWithInput(ctx, method, params, &inFlight{ctx: ctx}); err == nil {
			return result, nil
		}
		err = u.failed(ctx, s, method, err)
	}
	return nil, u.redactError(err)
}

// List reads a list of the server, "resources/list" with "resources" for example, over all its pages.
func (u *Upstream) List(ctx context.Context, method, member string) ([]json.RawMessage, error) {
	s, err := u.ready(ctx)
	if err != nil {
		return nil, err
	}
	return s.list(ctx, method, member)
}

func isLost(s *session) bool {
	select {
	case <-s.lost:
		return true
	default:
		return false
	}
}
