package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/mcpserver/internal/message"
	"github.com/codemode-go/codemode/mcpserver/internal/stdio"
	"github.com/codemode-go/codemode/mcpserver/internal/upstream"
	"github.com/codemode-go/codemode/protocol"
)

// needs is the capability that a client declares to be asked with a method.
func needs(method string) string {
	switch method {
	case "roots/list":
		return "roots"
	case "sampling/createMessage":
		return "sampling"
	case "elicitation/create":
		return "elicitation"
	}
	return ""
}

// ask passes a question of an upstream on to the client of the run that it belongs to, whose clock stands meanwhile. One
// that belongs to no request of a client, roots/list right after the start for example, goes to the client if there is only
// one.
func (s *Server) ask(ctx context.Context, from, method string, params json.RawMessage) (json.RawMessage, *upstream.RPCError) {
	capability := needs(method)
	if capability == "" {
		return nil, upstream.NoMethod(method)
	}
	s = s.serving(ctx)
	r, ok := ctx.Value(runKey{}).(*run)
	if !ok && server.ClientSessionFromContext(ctx) == nil {
		if ctx, ok = s.clients.only(ctx); !ok {
			return refusal(method)
		}
	}
	if _, can := capabilitiesOf(ctx)[capability]; !can {
		return refusal(method)
	}
	release := protocol.HoldClock(ctx)
	defer release()
	answer, err := s.question(ctx, r, method, named(from, method, params))
	var rpc *message.Error
	switch {
	case err == nil && len(answer) > 0 && string(answer) != "null":
		return answer, nil
	case errors.As(err, &rpc):
		return nil, rpc
	case ctx.Err() == nil:
		s.log.Debug("a question could not be asked", "server", from, "method", method, "error", err)
	}
	return refusal(method)
}

// refusal answers for a client that cannot be asked, so that the upstream does not wait.
func refusal(method string) (json.RawMessage, *upstream.RPCError) {
	if method == "elicitation/create" {
		return json.RawMessage(`{"action":"decline"}`), nil
	}
	return nil, upstream.NoMethod(method)
}

// named says in a question for a person who asks.
func named(from, method string, params json.RawMessage) json.RawMessage {
	if method != "elicitation/create" {
		return params
	}
	var fields map[string]json.RawMessage
	var text string
	if json.Unmarshal(params, &fields) != nil || json.Unmarshal(fields["message"], &text) != nil {
		return params
	}
	fields["message"] = quote(fmt.Sprintf("[%s] %s", from, text))
	out, err := json.Marshal(fields)
	if err != nil {
		return params
	}
	return out
}

// question asks the client of ctx in the way that its transport and revision have.
func (s *Server) question(ctx context.Context, r *run, method string, params json.RawMessage) (json.RawMessage, error) {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		if r == nil {
			return nil, stdio.ErrNoClient // only the answer to a call can ask
		}
		return r.ask(ctx, method, params)
	}
	answer, err := stdio.Ask(ctx, method, params)
	if !errors.Is(err, stdio.ErrNoClient) {
		return answer, err
	}
	return s.askOverHTTP(ctx, method, params)
}

// askOverHTTP asks a client of mcp-go's HTTP server, whose methods are typed.
func (s *Server) askOverHTTP(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	var result any
	var err error
	switch method {
	case "roots/list":
		result, err = s.mcp.RequestRoots(ctx, mcp.ListRootsRequest{Request: mcp.Request{Method: method}})
	case "sampling/createMessage":
		request := mcp.CreateMessageRequest{Request: mcp.Request{Method: method}}
		if err = json.Unmarshal(params, &request.CreateMessageParams); err == nil {
			//lint:ignore SA1019 servers of the revisions before 2026-07-28 still ask for it
			result, err = s.mcp.RequestSampling(ctx, request)
		}
	default:
		request := mcp.ElicitationRequest{Request: mcp.Request{Method: method}}
		if err = json.Unmarshal(params, &request.Params); err == nil {
			result, err = s.mcp.RequestElicitation(ctx, request)
		}
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(result)
}

// hear takes what an upstream says while it works: its progress becomes the run's, its log messages and other
// notifications go to the client of the run.
func (s *Server) hear(ctx context.Context, from string, n upstream.Notification) {
	if n.Method == resourceUpdated {
		s.subscriptions.updated(from, n.Params)
		return
	}
	s = s.serving(ctx)
	r, ok := ctx.Value(runKey{}).(*run)
	if !ok {
		s.log.Debug("a server said something that belongs to no run", "server", from, "method", n.Method)
		return
	}
	switch n.Method {
	case "notifications/progress":
		r.progressed(from, n)
	case "notifications/message":
		s.logged(ctx, r, from, n.Params)
	case "notifications/elicitation/complete":
		var params map[string]any
		if json.Unmarshal(n.Params, &params) == nil {
			r.send(remark{method: n.Method, params: params})
		}
	}
}

// defaultLogLevel is what clients get of upstreams' log messages that have not said what they want.
const defaultLogLevel = mcp.LoggingLevelInfo

// logged passes a log message on, under the server's name.
func (s *Server) logged(ctx context.Context, r *run, from string, raw json.RawMessage) {
	var params map[string]any
	if json.Unmarshal(raw, &params) != nil {
		return
	}
	text, _ := params["level"].(string)
	if level := mcp.LoggingLevel(text); !level.ShouldSendTo(s.logLevel(ctx)) {
		return
	}
	logger := from
	if inner, ok := params["logger"].(string); ok && inner != "" && inner != from {
		logger += "/" + inner
	}
	params["logger"] = logger
	delete(params, "_meta")
	r.send(remark{method: "notifications/message", params: params})
}

// logLevel is the least level that a context's client wants to hear of.
func (s *Server) logLevel(ctx context.Context) mcp.LoggingLevel {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		return info.LogLevel
	}
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithLogging); ok {
		if level := session.GetLogLevel(); level != "" {
			return level
		}
	}
	return defaultLogLevel
}

// setLevel passes on what a client wants to hear of, to the upstreams that have a level.
func (s *Server) setLevel(level mcp.LoggingLevel) {
	for _, u := range s.generation().upstreams {
		if u.Status().Logging {
			s.wg.Go(func() {
				ctx, cancel := context.WithTimeout(s.ctx, 10*time.Second)
				defer cancel()
				_, _ = u.Request(ctx, "logging/setLevel", map[string]any{"level": level}) // its log stays as it is otherwise
			})
		}
	}
}

// callerOf is whom a run's calls are made for.
func (s *Server) callerOf(ctx context.Context, meta *mcp.Meta) *upstream.Caller {
	c := &upstream.Caller{Progress: meta != nil && meta.ProgressToken != nil}
	c.Client = c // of a revision without sessions nobody knows whether two requests are one client's
	if session := server.ClientSessionFromContext(ctx); session != nil && session.SessionID() != "" {
		c.Client = session.SessionID()
	}
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		c.LogLevel = string(info.LogLevel)
	}
	if meta == nil {
		return c
	}
	c.Meta = map[string]json.RawMessage{}
	for key, value := range meta.AdditionalFields {
		if raw, err := json.Marshal(value); err == nil && !isOurs(key) { // it came as JSON
			c.Meta[key] = raw
		}
	}
	return c
}

// isOurs tells the members of _meta that are between a client and us from those that go on to upstreams, such as
// traceparent, tracestate and baggage.
func isOurs(key string) bool {
	switch key {
	case mcp.MetaKeyProtocolVersion, mcp.MetaKeyClientInfo, mcp.MetaKeyClientCapabilities, mcp.MetaKeyLogLevel,
		mcp.MetaKeySubscriptionID, "progressToken", "io.modelcontextprotocol/related-task":
		return true
	}
	return false
}
