package protocol

import "context"

type unhurriedKey struct{}

// WithoutHurry lets an executor say that the dispatch of a call with this context may return as late as its function does:
// the goroutine is the call's own, no end of the run waits for it, and the context ends only where the call is to end, which
// is never the normal end of the run.
func WithoutHurry(ctx context.Context) context.Context {
	return context.WithValue(ctx, unhurriedKey{}, true)
}

// Unhurried reports whether the executor said so. Without it, who may not keep an executor waiting needs a goroutine for each call.
func Unhurried(ctx context.Context) bool { return ctx.Value(unhurriedKey{}) != nil }
