package protocol

import "context"

type clockKey struct{}

// WithClock lets functions that a program calls stop the clock of their run, see [HoldClock]. Hold stops it and returns
// what lets it run on, to be called once.
func WithClock(ctx context.Context, hold func() (release func())) context.Context {
	return context.WithValue(ctx, clockKey{}, hold)
}

// HoldClock stops the clock of the run that a call belongs to until release is called: a person who is asked something
// takes longer than any program. A run whose caller is a call of another run has that one's clock stand, too. Without a run it does nothing. The executor's bound on the whole of a run, calls
// included, still holds.
func HoldClock(ctx context.Context) (release func()) {
	if hold, ok := ctx.Value(clockKey{}).(func() func()); ok {
		return hold()
	}
	return func() {}
}
