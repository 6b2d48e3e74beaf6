package telemetry

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
)

// metricExporter sends the metrics that a Telemetry makes: histograms of seconds. It is here because the library's exporter
// over HTTP links gRPC.
type metricExporter struct{ *sender }

// Temporality implements sdkmetric.Exporter.
func (metricExporter) Temporality(kind sdkmetric.InstrumentKind) metricdata.Temporality {
	return sdkmetric.DefaultTemporalitySelector(kind)
}

// Aggregation implements sdkmetric.Exporter.
func (metricExporter) Aggregation(kind sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	return sdkmetric.DefaultAggregationSelector(kind)
}

// ForceFlush implements sdkmetric.Exporter; nothing is held.
func (metricExporter) ForceFlush(ctx context.Context) error { return ctx.Err() }

// Shutdown implements sdkmetric.Exporter.
func (e metricExporter) Shutdown(ctx context.Context) error { return e.Stop(ctx) }

// Export implements sdkmetric.Exporter. A failure is logged by the sender.
func (e metricExporter) Export(ctx context.Context, data *metricdata.ResourceMetrics) error {
	if len(data.ScopeMetrics) == 0 {
		return nil
	}
	message, err := metricsOf(data)
	if err != nil {
		return err
	}
	e.send(ctx, message)
	return nil
}

// metricsOf is data as OTLP has it. Other aggregations than histograms of float64 are an error: nothing here makes them.
func metricsOf(data *metricdata.ResourceMetrics) (*metricspb.MetricsData, error) {
	one := &metricspb.ResourceMetrics{Resource: &resourcepb.Resource{Attributes: keyValues(data.Resource.Iter())}, SchemaUrl: data.Resource.SchemaURL()}
	for _, scoped := range data.ScopeMetrics {
		list := &metricspb.ScopeMetrics{Scope: &commonpb.InstrumentationScope{Name: scoped.Scope.Name, Version: scoped.Scope.Version}}
		for _, m := range scoped.Metrics {
			h, ok := m.Data.(metricdata.Histogram[float64])
			if !ok {
				return nil, fmt.Errorf("telemetry: the metric %s is no histogram of float64 but %T", m.Name, m.Data)
			}
			list.Metrics = append(list.Metrics, &metricspb.Metric{Name: m.Name, Description: m.Description, Unit: m.Unit,
				Data: &metricspb.Metric_Histogram{Histogram: histogram(&h)}})
		}
		one.ScopeMetrics = append(one.ScopeMetrics, list)
	}
	return &metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{one}}, nil
}

func histogram(h *metricdata.Histogram[float64]) *metricspb.Histogram {
	out := &metricspb.Histogram{AggregationTemporality: metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE}
	if h.Temporality == metricdata.DeltaTemporality {
		out.AggregationTemporality = metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA
	}
	for _, p := range h.DataPoints {
		sum := p.Sum
		point := &metricspb.HistogramDataPoint{
			Attributes: keyValues(p.Attributes.Iter()), StartTimeUnixNano: nanos(p.StartTime), TimeUnixNano: nanos(p.Time),
			Count: p.Count, Sum: &sum, ExplicitBounds: p.Bounds, BucketCounts: p.BucketCounts,
		}
		if least, ok := p.Min.Value(); ok {
			point.Min = &least
		}
		if most, ok := p.Max.Value(); ok {
			point.Max = &most
		}
		for _, e := range p.Exemplars {
			point.Exemplars = append(point.Exemplars, &metricspb.Exemplar{TimeUnixNano: nanos(e.Time), SpanId: e.SpanID, TraceId: e.TraceID,
				Value: &metricspb.Exemplar_AsDouble{AsDouble: e.Value}})
		}
		out.DataPoints = append(out.DataPoints, point)
	}
	return out
}

func nanos(t time.Time) uint64 { return uint64(max(t.UnixNano(), 0)) }

func keyValues(from attribute.Iterator) []*commonpb.KeyValue {
	var list []*commonpb.KeyValue
	for from.Next() {
		a := from.Attribute()
		value := &commonpb.AnyValue{}
		switch a.Value.Type() {
		case attribute.BOOL:
			value.Value = &commonpb.AnyValue_BoolValue{BoolValue: a.Value.AsBool()}
		case attribute.INT64:
			value.Value = &commonpb.AnyValue_IntValue{IntValue: a.Value.AsInt64()}
		case attribute.FLOAT64:
			value.Value = &commonpb.AnyValue_DoubleValue{DoubleValue: a.Value.AsFloat64()}
		default: // a list, which a resource's attribute may be, is told as its JSON
			value.Value = &commonpb.AnyValue_StringValue{StringValue: a.Value.String()}
		}
		list = append(list, &commonpb.KeyValue{Key: string(a.Key), Value: value})
	}
	return list
}
