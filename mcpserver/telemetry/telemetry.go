// Package telemetry makes runs and their calls spans and metrics of OpenTelemetry, by the semantic conventions for the
// Model Context Protocol and generative AI (github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai/mcp.md).
//
// A [Telemetry] is a mcpserver.Instrument over providers of the caller's. A [Pipeline] has providers of its own, which
// send to where the standard environment variables say.
//
//	t, err := telemetry.New(&telemetry.Options{TracerProvider: tracers, MeterProvider: meters})
//	// …
//	srv, err := mcpserver.New(pool, upstreams, &mcpserver.Options{Instruments: []mcpserver.Instrument{t}})
//
// # What there is
//
// One span a run ("tools/call code", SERVER) and below it one a call that went to a server ("tools/call TOOL", CLIENT), or a
// read of what a server offers beside its tools ("resources/read", "prompts/get", CLIENT). A call that was refused is an
// "execute_tool TOOL" span (INTERNAL), a read one of the read's name (INTERNAL): no request was made. The run's parent is the trace that the
// request's _meta names; then that of its HTTP headers is linked. Without the former the latter is the parent, and without both the span of the request's context.
// Calls carry their span to the server in _meta. Calls beyond the bound of the audit (mcpserver.Watcher) have no span.
// The histograms mcp.server.operation.duration and mcp.client.operation.duration count all of them.
//
// # Limits
//
// No program, argument, result, console line or word of an error is in any attribute, and there is no option for it. Who a run is of,
// where its client has an access token, is a hash of issuer and subject (enduser.pseudo.id) on spans alone: whoever can guess the
// name can recognise it. The audit file has the name.
// jsonrpc.request.id is left out: the protocol's library does not tell handlers.
package telemetry

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/codemode-go/codemode/mcpserver"
)

// scope is what spans and metrics say that they are from.
const scope = "github.com/codemode-go/codemode/mcpserver"

// Options adjusts a Telemetry. The zero value of every field is its documented default.
type Options struct {
	// TracerProvider and MeterProvider make spans and metrics; nil makes none. They are the caller's to shut down.
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
	// Propagator reads and writes _meta and headers; nil is W3C Trace Context and Baggage.
	Propagator propagation.TextMapPropagator
	// Version is that of the instrumented program.
	Version string
}

// Telemetry is a mcpserver.Instrument. It is safe for concurrent use, and holds nothing of runs that have ended.
type Telemetry struct {
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
	served     metric.Float64Histogram
	called     metric.Float64Histogram

	mu   sync.Mutex
	runs map[string]*run
}

var _ mcpserver.Instrument = (*Telemetry)(nil)

// run is one that goes on.
type run struct {
	ctx    context.Context // with its span, once it has begun
	links  []trace.Link
	about  []attribute.KeyValue // what metrics have, too
	single []attribute.KeyValue // what spans alone have

	mu    sync.Mutex
	calls map[int]*call
}

// call is one that goes on. Its span begins when it goes to its server.
type call struct {
	began  time.Time
	name   string // the span's, when the call is made
	method attribute.KeyValue
	tool   []attribute.KeyValue
	to     []attribute.KeyValue
	sent   time.Time
	span   trace.Span // nil until then
}

// New makes a Telemetry. It fails when the MeterProvider has no histograms for it.
func New(options *Options) (*Telemetry, error) {
	var o Options
	if options != nil {
		o = *options
	}
	if o.TracerProvider == nil {
		o.TracerProvider = tracenoop.NewTracerProvider()
	}
	if o.MeterProvider == nil {
		o.MeterProvider = metricnoop.NewMeterProvider()
	}
	if o.Propagator == nil {
		o.Propagator = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})
	}
	t := &Telemetry{tracer: o.TracerProvider.Tracer(scope, trace.WithInstrumentationVersion(o.Version)), propagator: o.Propagator, runs: map[string]*run{}}
	meter := o.MeterProvider.Meter(scope, metric.WithInstrumentationVersion(o.Version))
	var err error
	if t.served, err = durations(meter, "mcp.server.operation.duration", "Duration of MCP requests as seen by the receiver."); err != nil {
		return nil, err
	}
	if t.called, err = durations(meter, "mcp.client.operation.duration", "Duration of MCP requests as seen by the sender."); err != nil {
		return nil, err
	}
	return t, nil
}

// durations has the buckets of the conventions.
func durations(meter metric.Meter, name, description string) (metric.Float64Histogram, error) {
	h, err := meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description),
		metric.WithExplicitBucketBoundaries(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300))
	if err != nil {
		return nil, fmt.Errorf("telemetry: %s: %w", name, err)
	}
	return h, nil
}

// RunFrom implements mcpserver.Instrument.
func (t *Telemetry) RunFrom(ctx context.Context, id string, from mcpserver.Origin) {
	r := &run{ctx: ctx, calls: map[int]*call{}, about: toolCall("code")}
	ambient := trace.SpanContextFromContext(ctx)
	wire := t.extract(from.Header)
	if parent := t.extract(from.Meta); trace.SpanContextFromContext(parent).IsValid() {
		r.ctx = t.propagator.Extract(trace.ContextWithSpanContext(ctx, trace.SpanContext{}), propagation.MapCarrier(from.Meta))
		r.link(ambient)
		r.link(trace.SpanContextFromContext(wire))
	} else if trace.SpanContextFromContext(wire).IsValid() {
		r.ctx = t.propagator.Extract(trace.ContextWithSpanContext(ctx, trace.SpanContext{}), propagation.MapCarrier(from.Header))
		r.link(ambient)
	}
	r.about = appendText(r.about, protocolVersion, from.Revision)
	r.about = appendText(r.about, networkTransport, from.Transport)
	if from.Transport == "tcp" {
		r.about = append(r.about, networkProtocol.String("http"))
	}
	r.single = appendText(nil, sessionID, from.Session)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs[id] = r
}

// extract reads a trace into a context that has no other.
func (t *Telemetry) extract(carrier map[string]string) context.Context {
	return t.propagator.Extract(context.Background(), propagation.MapCarrier(carrier))
}

func (r *run) link(to trace.SpanContext) {
	if to.IsValid() {
		r.links = append(r.links, trace.Link{SpanContext: to})
	}
}

// RunBegan implements mcpserver.Watcher.
func (t *Telemetry) RunBegan(began mcpserver.AuditRun) {
	r := t.run(began.ID)
	if r == nil {
		return
	}
	r.about = appendText(r.about, viewName, began.View)
	r.single = appendText(r.single, pseudoID, pseudonym(&began))
	attributes := append(append([]attribute.KeyValue{runID.String(began.ID)}, r.about...), r.single...)
	r.ctx, _ = t.tracer.Start(r.ctx, "tools/call code", trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(began.Time),
		trace.WithLinks(r.links...), trace.WithAttributes(attributes...))
}

func (t *Telemetry) run(id string) *run {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.runs[id]
}

// CallBegan implements mcpserver.Watcher.
func (t *Telemetry) CallBegan(id string, n int, began mcpserver.AuditCall) {
	r := t.run(id)
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls[n] = &call{began: time.Now(), name: spanName(&began), method: methodName.String(methodOf(&began)), tool: callOf(&began)}
}

// CallSent implements mcpserver.Instrument.
func (t *Telemetry) CallSent(id string, n int, to mcpserver.Destination) map[string]string {
	r := t.run(id)
	if r == nil {
		return nil
	}
	ctx := r.ctx
	r.mu.Lock()
	if c := r.calls[n]; c != nil && c.span == nil {
		c.to, c.sent = destination(to), time.Now()
		ctx, c.span = t.tracer.Start(ctx, c.name, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(c.sent),
			trace.WithAttributes(append(append([]attribute.KeyValue{c.method}, c.tool...), c.to...)...))
	}
	r.mu.Unlock()
	meta := propagation.MapCarrier{}
	t.propagator.Inject(ctx, meta)
	return meta
}

// CallEnded implements mcpserver.Watcher.
func (t *Telemetry) CallEnded(id string, n int, ended mcpserver.AuditCall) {
	r := t.run(id)
	if r == nil {
		return
	}
	r.mu.Lock()
	c := r.calls[n]
	delete(r.calls, n)
	r.mu.Unlock()
	if c != nil {
		t.end(r, c, &ended)
	}
}

// end ends a call's span, and counts the call if it was made.
func (t *Telemetry) end(r *run, c *call, ended *mcpserver.AuditCall) {
	failed := errorOfCall(ended)
	if c.span == nil {
		name := "execute_tool " + ended.Tool
		if ended.Method != "" {
			name = c.name
		}
		_, span := t.tracer.Start(r.ctx, name, trace.WithTimestamp(c.began), trace.WithAttributes(c.tool...))
		fail(span, failed)
		span.End()
		return
	}
	c.span.SetAttributes(policyOf(ended)...)
	fail(c.span, failed)
	c.span.End()
	attributes := append(append([]attribute.KeyValue{c.method}, c.tool...), c.to...)
	t.called.Record(r.ctx, time.Since(c.sent).Seconds(), metric.WithAttributes(append(attributes, failed...)...))
}

// CallUnlisted implements mcpserver.Instrument.
func (t *Telemetry) CallUnlisted(ended mcpserver.AuditCall) {
	if ended.Outcome == "refused" {
		return
	}
	attributes := append([]attribute.KeyValue{methodName.String(methodOf(&ended))}, callOf(&ended)...)
	t.called.Record(context.Background(), ended.Ms/1000, metric.WithAttributes(append(attributes, errorOfCall(&ended)...)...))
}

// RunEnded implements mcpserver.Watcher.
func (t *Telemetry) RunEnded(ended mcpserver.AuditRun) {
	t.mu.Lock()
	r := t.runs[ended.ID]
	delete(t.runs, ended.ID)
	t.mu.Unlock()
	if r == nil {
		return
	}
	r.mu.Lock()
	left := r.calls
	r.calls = map[int]*call{}
	r.mu.Unlock()
	for n, c := range left {
		if n < len(ended.Calls) {
			t.end(r, c, &ended.Calls[n])
		}
	}
	failed := errorOfRun(&ended)
	span := trace.SpanFromContext(r.ctx)
	span.SetAttributes(measuresOf(&ended)...)
	fail(span, failed)
	span.End()
	t.served.Record(r.ctx, ended.Ms/1000, metric.WithAttributes(append(r.about, failed...)...))
}

// fail gives a span its error.type, if there is one, and the status that goes with it.
func fail(span trace.Span, failed []attribute.KeyValue) {
	if len(failed) > 0 {
		span.SetAttributes(failed...)
		span.SetStatus(codes.Error, "") // an error's words may be a program's
	}
}
