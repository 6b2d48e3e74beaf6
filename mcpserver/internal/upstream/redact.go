package upstream

import (
	"context"
	"log/slog"
)

// redactedLog is a log in which a server's secrets do not appear, whoever writes to it: addresses with a key in them are
// in the words of many errors.
func redactedLog(log *slog.Logger, redact func(string) string) *slog.Logger {
	return slog.New(&redactingHandler{log.Handler(), redact})
}

type redactingHandler struct {
	slog.Handler
	redact func(string) string
}

// Handle implements slog.Handler.
func (h *redactingHandler) Handle(ctx context.Context, record slog.Record) error {
	clean := slog.NewRecord(record.Time, record.Level, h.redact(record.Message), record.PC)
	record.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.attribute(a))
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

// WithAttrs implements slog.Handler.
func (h *redactingHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.attribute(a)
	}
	return &redactingHandler{h.Handler.WithAttrs(clean), h.redact}
}

// WithGroup implements slog.Handler.
func (h *redactingHandler) WithGroup(name string) slog.Handler {
	return &redactingHandler{h.Handler.WithGroup(name), h.redact}
}

// attribute is one whose texts are redacted. Numbers and the like have nothing to hide.
func (h *redactingHandler) attribute(a slog.Attr) slog.Attr {
	value := a.Value.Resolve()
	switch value.Kind() {
	case slog.KindString:
		return slog.String(a.Key, h.redact(value.String()))
	case slog.KindGroup:
		var parts []any
		for _, part := range value.Group() {
			parts = append(parts, h.attribute(part))
		}
		return slog.Group(a.Key, parts...)
	case slog.KindAny:
		return slog.String(a.Key, h.redact(value.String()))
	}
	return a
}
