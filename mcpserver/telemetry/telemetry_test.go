package telemetry

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/codemode-go/codemode/mcpserver"
)

// watched is a Telemetry whose spans and metrics can be looked at.
func watched(t *testing.T) (*Telemetry, *tracetest.SpanRecorder, *sdkmetric.ManualReader) {
	t.Helper()
	spans, metrics := tracetest.NewSpanRecorder(), sdkmetric.NewManualReader()
	one, err := New(&Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)),
		MeterProvider:  sdkmetric.NewMeterProvider(sdkmetric.WithReader(metrics)),
		Version:        "1.2.3",
	})
	if err != nil {
		t.Fatal(err)
	}
	return one, spans, metrics
}

// described is a span in a line: name, kind, parent, status and attributes.
func described(s sdktrace.ReadOnlySpan) string {
	var list []string
	for _, a := range s.Attributes() {
		value := a.Value.String()
		if a.Key == runID || a.Key == sessionID || a.Key == policyWait {
			value = "…"
		}
		list = append(list, fmt.Sprintf("%s=%s", a.Key, value))
	}
	slices.Sort(list)
	return fmt.Sprintf("%s (%s, %s) %s", s.Name(), s.SpanKind(), s.Status().Code, strings.Join(list, " "))
}

const (
	metaParent   = "00-11111111111111111111111111111111-1111111111111111-01"
	headerParent = "00-22222222222222222222222222222222-2222222222222222-01"
	program      = `async () => { try { await up.fail({}) } catch {} try { await up.denied({a: "private argument"}) } catch {} console.log("private line"); return await up.meta({b: "private argument"}) }`
)

func TestARunAndItsCallsAreSpans(t *testing.T) {
	one, spans, metrics := watched(t)
	answer := post(t, serve(t, one), program, `{"traceparent":"`+metaParent+`","tracestate":"vendor=1","baggage":"k=v","other":"x"}`, map[string]string{"traceparent": headerParent})
	ended := spans.Ended()
	var got []string
	for _, s := range ended {
		got = append(got, described(s))
	}
	want := []string{
		"tools/call fail (client, Error) codemode.server.name=up error.type=tool_error gen_ai.operation.name=execute_tool gen_ai.tool.name=fail mcp.method.name=tools/call mcp.protocol.version=2025-11-25",
		"execute_tool denied (internal, Error) codemode.server.name=up error.type=refused gen_ai.operation.name=execute_tool gen_ai.tool.name=denied",
		"tools/call meta (client, Unset) codemode.server.name=up gen_ai.operation.name=execute_tool gen_ai.tool.name=meta mcp.method.name=tools/call mcp.protocol.version=2025-11-25",
		"tools/call code (server, Unset) codemode.run.calls=3 codemode.run.id=… codemode.run.outcome=ok gen_ai.operation.name=execute_tool gen_ai.tool.name=code mcp.method.name=tools/call mcp.protocol.version=2025-11-25 mcp.session.id=… network.protocol.name=http network.transport=tcp",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	run := ended[3]
	if run.Parent().TraceID().String() != strings.Repeat("1", 32) || run.Parent().SpanID().String() != strings.Repeat("1", 16) || !run.Parent().IsRemote() {
		t.Errorf("the run's parent is %v", run.Parent())
	}
	if links := run.Links(); len(links) != 1 || links[0].SpanContext.TraceID().String() != strings.Repeat("2", 32) {
		t.Errorf("links %v", links)
	}
	for _, call := range ended[:3] {
		if call.Parent().SpanID() != run.SpanContext().SpanID() || call.SpanContext().TraceID() != run.SpanContext().TraceID() {
			t.Errorf("%s has the parent %v", call.Name(), call.Parent())
		}
	}
	// What the server of the call got.
	for _, part := range []string{fmt.Sprintf("00-%s-%s-01", strings.Repeat("1", 32), ended[2].SpanContext().SpanID()), "vendor=1", "k=v", `"other": "x"`} {
		if !strings.Contains(answer, part) {
			t.Errorf("%s is not in the call's _meta: %s", part, answer)
		}
	}
	var data metricdata.ResourceMetrics
	if err := metrics.Collect(t.Context(), &data); err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%+v %+v", ended, data); strings.Contains(text, "private") {
		t.Error("a text of the program is in the telemetry")
	}
}

// Programs read what a server offers beside its tools with requests, too.
func TestReadsAreSpans(t *testing.T) {
	one, spans, metrics := watched(t)
	s := serve(t, one)
	answer := post(t, s, `async () => { const [r] = await codemode.readResource({server: "up", uri: "note://private"}); await codemode.getPrompt({server: "up", name: "private"});
		for (const uri of ["note://denied", "note://private-gone"]) try { await codemode.readResource({server: "up", uri}) } catch {}
		return r.text }`, `{}`, nil)
	ended := spans.Ended()
	var got []string
	for _, s := range ended {
		got = append(got, described(s))
	}
	want := []string{
		"resources/read (client, Unset) codemode.server.name=up mcp.method.name=resources/read mcp.protocol.version=2025-11-25",
		"prompts/get (client, Unset) codemode.server.name=up mcp.method.name=prompts/get mcp.protocol.version=2025-11-25",
		"resources/read (internal, Error) codemode.server.name=up error.type=refused",
		"resources/read (client, Error) codemode.server.name=up error.type=-32002 mcp.method.name=resources/read mcp.protocol.version=2025-11-25 rpc.response.status_code=-32002",
	}
	if diff := cmp.Diff(want, got[:len(got)-1]); diff != "" {
		t.Error(diff)
	}
	if text := fmt.Sprintf("%v", got); strings.Contains(text, "private") {
		t.Error("what was read is in the telemetry")
	}
	if span := ended[0].SpanContext(); !strings.Contains(answer, fmt.Sprintf("00-%s-%s-01", span.TraceID(), span.SpanID())) {
		t.Errorf("the read's _meta has no trace: %s", answer)
	}
	var data metricdata.ResourceMetrics
	if err := metrics.Collect(t.Context(), &data); err != nil {
		t.Fatal(err)
	}
	counts := map[string]uint64{}
	for _, m := range data.ScopeMetrics[0].Metrics {
		for _, p := range m.Data.(metricdata.Histogram[float64]).DataPoints {
			method, _ := p.Attributes.Value(methodName)
			counts[m.Name+" "+method.AsString()] += p.Count
		}
	}
	if diff := cmp.Diff(map[string]uint64{"mcp.client.operation.duration resources/read": 2, "mcp.client.operation.duration prompts/get": 1, "mcp.server.operation.duration tools/call": 1}, counts); diff != "" {
		t.Error(diff)
	}
}

func TestParents(t *testing.T) {
	one, spans, _ := watched(t)
	s := serve(t, one)
	last := func() sdktrace.ReadOnlySpan { return spans.Ended()[len(spans.Ended())-1] }
	post(t, s, `async () => 1`, `{}`, map[string]string{"traceparent": headerParent})
	if run := last(); run.Parent().TraceID().String() != strings.Repeat("2", 32) || len(run.Links()) != 0 {
		t.Errorf("header alone: %v, %v", run.Parent(), run.Links())
	}
	post(t, s, `async () => 1`, `{"traceparent":"no trace"}`, nil)
	if run := last(); run.Parent().IsValid() {
		t.Errorf("what is no trace: %v", run.Parent())
	}
	ambient := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{3}, SpanID: trace.SpanID{3}, TraceFlags: trace.FlagsSampled})
	if _, err := s.Call(trace.ContextWithSpanContext(context.Background(), ambient), `async () => 1`); err != nil {
		t.Fatal(err)
	}
	if run := last(); run.Parent().TraceID() != ambient.TraceID() {
		t.Errorf("an embedding program's span: %v", run.Parent())
	}
}

func TestFailuresOfRuns(t *testing.T) {
	one, spans, _ := watched(t)
	s := serve(t, one)
	if _, err := s.Call(t.Context(), `async () => { throw new Error("private words") }`); err != nil {
		t.Fatal(err)
	}
	want := "tools/call code (server, Error) codemode.run.calls=0 codemode.run.id=… codemode.run.kind=thrown codemode.run.outcome=failed error.type=tool_error gen_ai.operation.name=execute_tool gen_ai.tool.name=code mcp.method.name=tools/call"
	if got := described(spans.Ended()[0]); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	if spans.Ended()[0].Status().Description != "" {
		t.Error("the error's words are in the status")
	}
}

// Calls beyond the bound of the audit have no spans, and are counted all the same. Those that their run abandons end with it.
func TestEveryCallIsCounted(t *testing.T) {
	one, spans, metrics := watched(t)
	s := serve(t, one)
	if _, err := s.Call(t.Context(), `async () => { for (let i = 0; i < 1003; i++) await up.meta({}) }`); err != nil {
		t.Fatal(err)
	}
	if n := len(spans.Ended()); n != 1001 || len(spans.Started()) != n {
		t.Errorf("%d spans of %d", n, len(spans.Started()))
	}
	var data metricdata.ResourceMetrics
	if err := metrics.Collect(t.Context(), &data); err != nil {
		t.Fatal(err)
	}
	counts := map[string]uint64{}
	for _, m := range data.ScopeMetrics[0].Metrics {
		for _, p := range m.Data.(metricdata.Histogram[float64]).DataPoints {
			counts[m.Name] += p.Count
		}
	}
	if diff := cmp.Diff(map[string]uint64{"mcp.client.operation.duration": 1003, "mcp.server.operation.duration": 1}, counts); diff != "" {
		t.Error(diff)
	}
	if len(one.runs) != 0 {
		t.Error("a run that has ended is remembered")
	}
}

// TestViewAndSubjectOfARun: a metric has the view, for there are few; who it was is a pseudonym, on spans alone.
func TestViewAndSubjectOfARun(t *testing.T) {
	one, spans, metrics := watched(t)
	run := mcpserver.AuditRun{ID: "r", View: "readers", Subject: "alice@example.com", Issuer: "https://as.example", Outcome: "ok"}
	one.RunFrom(t.Context(), run.ID, mcpserver.Origin{})
	one.RunBegan(run)
	one.RunEnded(run)
	const want = "tools/call code (server, Unset) codemode.run.calls=0 codemode.run.id=… codemode.run.outcome=ok codemode.view.name=readers enduser.pseudo.id=589f901c27aa2bcf8af7c91fd81935ba gen_ai.operation.name=execute_tool gen_ai.tool.name=code mcp.method.name=tools/call"
	if diff := cmp.Diff(want, described(spans.Ended()[0])); diff != "" {
		t.Error(diff)
	}
	var data metricdata.ResourceMetrics
	if err := metrics.Collect(t.Context(), &data); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%+v", data)
	if !strings.Contains(text, "readers") || strings.Contains(text, "alice") || strings.Contains(text, "enduser") {
		t.Error(text)
	}
}
