package protocol

import "context"

type unhurriedKey struct{}

// WithoutHurry lets an executor say that the dispatch of a call with this context may return as late as its function does:
// the goroutine is the call's own, no end of the run waits for it, and the context ends only where the call is to end, which
// is never the normal end of the run.
func WithoutHurry(ctx context.Context) context.Context {
	return context.WithValue(ctx, unhurriedKey{}, true)
}

// WithHurry takes that back, for who has another executor run a program with the context of a call: that says it anew, or does not.
func WithHurry(ctx context.Context) context.Context {
	if !Unhurried(ctx) {
		return ctx
	}
	return context.WithValue(ctx, unhurriedKey{}, false)
}

// Unhurried reports whether the executor said so. Without it, who may not keep an executor waiting needs a goroutine for each call.
func Unhurried(ctx context.Context) bool {
	unhurried, _ := ctx.Value(unhurriedKey{}).(bool)
	return unhurried
}
