package main

import (
	"context"
	"log/slog"

	"github.com/codemode-go/codemode/mcpserver/telemetry"
)

// observe starts what measures the runs of a server: OpenTelemetry where its environment variables ask for it. The
// returned function sends what is left.
func (o *serveOptions) observe(ctx context.Context, logger *slog.Logger) (stop func(), err error) {
	pipeline, err := telemetry.FromEnvironment(ctx, &telemetry.PipelineOptions{Version: version(), Logger: logger})
	if pipeline == nil || err != nil {
		return func() {}, err
	}
	o.instruments = append(o.instruments, pipeline)
	return pipeline.Close, nil
}
