// Package protocol is the native contract: what a caller hands to something that runs one JavaScript program with
// callable tools, and what comes back.
//
// Four nouns are enough to read it. An [Executor] runs programs. An [ExecuteRequest] is one program with the names of
// the tools it may call. A [DispatchFunc] answers those calls in the caller's process, one JSON [Envelope] a call, so
// that functions and credentials never leave it. An [ExecuteResult] is what the program made of it: a value or a
// [Failure], and the lines it logged.
//
//	result, err := executor.Execute(ctx, &protocol.ExecuteRequest{
//		Code:      `async () => (await api.add({a: 40, b: 2})).sum`,
//		Providers: []protocol.ProviderDescriptor{{Name: "api", Tools: []string{"add"}}},
//		Dispatch:  dispatch,
//	})
//	// err: we failed (errors.As gives *protocol.Error).  result.Failure: the program failed.
//
// The package has no goroutine, no I/O and no cgo. PROTOCOL.md beside it says the same in words, precise enough to
// implement either side from.
package protocol

// Version is the number both sides of a remote session compare by equality before anything else crosses.
const Version = 1
