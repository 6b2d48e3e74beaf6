package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"

	"github.com/codemode-go/codemode/cmd/codemode/internal/metrics"
	"github.com/codemode-go/codemode/executor"
	"github.com/codemode-go/codemode/mcpserver"
	"github.com/codemode-go/codemode/mcpserver/telemetry"
	"github.com/codemode-go/codemode/remote/promtext"
)

// observe starts what measures the runs of a server: counters for /metrics with --http, and OpenTelemetry where its
// environment variables ask for it. The returned function sends what is left.
func (o *serveOptions) observe(ctx context.Context, logger *slog.Logger) (stop func(), err error) {
	if o.http != "" {
		o.metrics = metrics.New()
		o.instruments = append(o.instruments, o.metrics)
	}
	pipeline, err := telemetry.FromEnvironment(ctx, &telemetry.PipelineOptions{Version: version(), Logger: logger})
	if pipeline == nil || err != nil {
		return func() {}, err
	}
	o.instruments = append(o.instruments, pipeline)
	return pipeline.Close, nil
}

// poolMetrics is what a pool of this process reports to; nil is nobody.
func (o *serveOptions) poolMetrics() executor.Metrics {
	if o.metrics == nil {
		return nil
	}
	return o.metrics.Pool()
}

// metricsOf answers GET /metrics about a server.
func (o *serveOptions) metricsOf(server *mcpserver.Server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		promtext.Serve(w, func(w io.Writer) {
			var status *executor.Status
			if o.pool != nil {
				now := o.pool.Status()
				status = &now
			}
			o.metrics.Write(w, server.Servers(), status)
		})
	})
}
