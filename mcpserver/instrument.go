package mcpserver

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/codemode-go/codemode/mcpserver/internal/upstream"
)

// Instrument is a Watcher that measures, and makes runs parts of traces, as package telemetry does. The runs and calls that
// it is told of have no text of a program, its arguments, results and console, nor an error's words, which may repeat them.
type Instrument interface {
	Watcher
	// RunFrom is called right before RunBegan. ctx has the values of the request's context, such as the span of an embedding program.
	RunFrom(ctx context.Context, run string, from Origin)
	// CallSent is called when the n-th call of a run goes to its server, and with n = -1 for a call beyond the bound of
	// the list. What it returns (traceparent, tracestate, baggage) becomes members of the call's _meta, in place of all of those that the client's request had; nil
	// leaves them.
	CallSent(run string, n int, to Destination) map[string]string
	// CallUnlisted has a call beyond the bound, once it has ended.
	CallUnlisted(call AuditCall)
}

// Origin is where a run's request came from. It is zero for a run without a client.
type Origin struct {
	// Meta and Header are the members traceparent, tracestate and baggage of the request's _meta, and of its HTTP headers.
	Meta, Header map[string]string
	// Session is the client's, Revision that of the protocol; either may be unknown and then is empty.
	Session, Revision string
	// Transport is pipe or tcp.
	Transport string
}

// Destination is the server that a call goes to.
type Destination struct {
	// Revision is that of the protocol; empty when it is no MCP server.
	Revision string
	// Transport is pipe or tcp; empty for a server of this process. Address and Port are those of a tcp server's URL; Port is 0 when
	// it is not known.
	Transport, Address string
	Port               int
}

// The members of _meta, and the headers, that carry traces (W3C Trace Context and Baggage; SEP-414).
const traceparent = "traceparent"

var traceKeys = []string{traceparent, "tracestate", "baggage"}

// originOf reads a request's.
func originOf(ctx context.Context, request *mcp.CallToolRequest) Origin {
	o := Origin{Meta: map[string]string{}, Header: map[string]string{}, Revision: server.RequestProtocolVersion(ctx), Transport: "pipe"}
	if len(request.Header) > 0 {
		o.Transport = "tcp"
	}
	for _, key := range traceKeys {
		if value := request.Header.Get(key); value != "" {
			o.Header[key] = value
		}
		if meta := request.Params.Meta; meta != nil {
			if value, ok := meta.AdditionalFields[key].(string); ok {
				o.Meta[key] = value
			}
		}
	}
	if session := server.ClientSessionFromContext(ctx); session != nil && !server.IsModernRequest(ctx) { // which has no sessions
		o.Session = session.SessionID()
	}
	return o
}

// trace has a trace that the client names in headers alone go on to upstreams like one of _meta.
func (o *Origin) trace(c *upstream.Caller) *upstream.Caller {
	if o.Meta[traceparent] != "" || o.Header[traceparent] == "" {
		return c
	}
	if c.Meta == nil {
		c.Meta = map[string]json.RawMessage{}
	}
	for key, value := range o.Header {
		c.Meta[key] = quote(value)
	}
	return c
}

// sent tells that a call goes to its server; the context is for that.
func (one *step) sent(ctx context.Context, to *upstream.Status) context.Context {
	if one == nil || len(one.trail.instruments) == 0 {
		return ctx
	}
	trace := map[string]string{}
	for _, i := range one.trail.instruments {
		maps.Copy(trace, i.CallSent(one.trail.run.ID, one.n, Destination{
			Revision: to.Revision, Transport: to.Transport, Address: to.Address, Port: to.Port,
		}))
	}
	if len(trace) == 0 {
		return ctx
	}
	var caller upstream.Caller
	if c := upstream.CallerFrom(ctx); c != nil {
		caller = *c
	}
	meta := map[string]json.RawMessage{}
	for key, value := range caller.Meta {
		if !slices.Contains(traceKeys, key) { // a tracestate belongs to its traceparent
			meta[key] = value
		}
	}
	for key, value := range trace {
		meta[key] = quote(value)
	}
	caller.Meta = meta
	return upstream.WithCaller(ctx, &caller)
}

// measures is a call without texts.
func (c AuditCall) measures() AuditCall {
	c.Arguments, c.Result, c.Error = "", "", ""
	return c
}

// measures is a run without texts.
func (r AuditRun) measures() AuditRun {
	r = r.withoutPayloads()
	r.Error = ""
	for i := range r.Calls {
		r.Calls[i] = r.Calls[i].measures()
	}
	return r
}
