package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Pipeline is a Telemetry with providers of its own. Make it with FromEnvironment.
type Pipeline struct {
	*Telemetry
	tracers *sdktrace.TracerProvider
	meters  *sdkmetric.MeterProvider
	senders []*sender
	once    sync.Once
}

// PipelineOptions adjusts a Pipeline. The zero value of every field is its documented default.
type PipelineOptions struct {
	// Version is service.version.
	Version string
	// Getenv reads OTEL_EXPORTER_OTLP_…, OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER and OTEL_SDK_DISABLED; nil is os.Getenv. The rest
	// (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_TRACES_SAMPLER, OTEL_BSP_…, OTEL_METRIC_EXPORT_INTERVAL) is
	// read by the SDK from the process's.
	Getenv func(string) string
	// Logger gets what cannot be understood or delivered; nil discards it.
	Logger *slog.Logger
}

// serviceName is what we are called where OTEL_SERVICE_NAME says nothing.
const serviceName = "codemode"

// FromEnvironment makes what the standard environment variables of OpenTelemetry ask for. It is nil when they ask for
// nothing, and then nothing was started.
func FromEnvironment(ctx context.Context, options *PipelineOptions) (*Pipeline, error) {
	var o PipelineOptions
	if options != nil {
		o = *options
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if isDisabled(o.Getenv) {
		return nil, nil
	}
	traces, metrics := senderFor("TRACES", o.Getenv, o.Logger), senderFor("METRICS", o.Getenv, o.Logger)
	if traces == nil && metrics == nil {
		return nil, nil
	}
	p := &Pipeline{}
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", serviceName), attribute.String("service.version", o.Version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("telemetry: OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	own := &Options{Version: o.Version}
	if traces != nil {
		p.tracers = sdktrace.NewTracerProvider(sdktrace.WithBatcher(otlptrace.NewUnstarted(traces)), sdktrace.WithResource(about))
		p.senders = append(p.senders, traces)
		own.TracerProvider = p.tracers
	}
	if metrics != nil {
		p.meters = sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(metricExporter{metrics})), sdkmetric.WithResource(about))
		p.senders = append(p.senders, metrics)
		own.MeterProvider = p.meters
	}
	if p.Telemetry, err = New(own); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Close sends what is left, for two seconds at most, and ends all that was started. It is idempotent. The server whose
// instrument this is has been closed before, so that its runs have ended.
func (p *Pipeline) Close() {
	p.once.Do(func() {
		ctx, cancel := bounded(closeTimeout)
		defer cancel()
		var flushing sync.WaitGroup
		if p.tracers != nil {
			flushing.Go(func() { _ = p.tracers.ForceFlush(ctx) }) // the senders log what they cannot deliver
		}
		if p.meters != nil {
			flushing.Go(func() { _ = p.meters.ForceFlush(ctx) })
		}
		flushing.Wait()
		for _, s := range p.senders {
			s.end()
		}
		ending, done := bounded(closeTimeout)
		defer done()
		if p.tracers != nil {
			_ = p.tracers.Shutdown(ending)
		}
		if p.meters != nil {
			_ = p.meters.Shutdown(ending)
		}
		for _, s := range p.senders {
			s.client.CloseIdleConnections()
		}
	})
}
