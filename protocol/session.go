package protocol

import "context"

type sessionKey struct{}

// WithSession says which client a request to an executor is made for, by any text that is the same for all of its
// requests. An executor that has fewer places than requests serves clients in turn, so that one with a hundred programs
// does not keep another from running its one. Requests without a client are all of one.
func WithSession(ctx context.Context, client string) context.Context {
	return context.WithValue(ctx, sessionKey{}, client)
}

// SessionOf is what WithSession said; empty without one.
func SessionOf(ctx context.Context) string {
	client, _ := ctx.Value(sessionKey{}).(string)
	return client
}
