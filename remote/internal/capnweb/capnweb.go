// Package capnweb speaks Cap'n Web, the RPC of the npm package "capnweb", over a WebSocket. Either side may call the
// other; a function that is passed as an argument stays where it is and is called back over the same socket.
//
// Four nouns. A [Session] is one connection. A [Func] is something of ours that the peer may call, and a [Target] is a
// set of them by name. A [Stub] is something of the peer's that we may call. A value is Go data as value.go lists it;
// everything that is plain JSON stays JSON text, so that key order, digits and lone surrogates cross untouched.
//
//	main := capnweb.Target{"add": capnweb.Async(func(ctx context.Context, args []any) (any, error) { … })}
//	session, err := capnweb.Dial(ctx, url, &capnweb.DialOptions{Main: main})
//	answer, err := session.Main().Call(ctx, "hello", "world", callback)
//
// # Order
//
// Calls begin in the order in which the peer made them, also those made on the result of a call that still runs. A
// Func is called in that order on the session's reader and must not block; the Run it returns has a goroutine of its own.
//
// # Lifetime
//
// A stub that arrives in a parameter belongs to the call and ends with it; Dup keeps it. A stub in a result belongs to
// the caller, who calls Dispose. When the peer gives up a call that it waits for, the call's context ends. A session
// ends as a whole, with one error, and is never resumed.
//
// # Limits
//
// [Limits] has them, with defaults and reasons; beside them, a message has at most 65,536 values that are listed one by one:
// arguments, and the members of what is not all plain JSON. What the peer does wrong ends the session with an "abort" that says
// so; what is well formed but beyond this subset (streams, blobs, requests, map) rejects that one call.
package capnweb

import (
	"context"
	"time"
)

// Func is a function that the peer may call. It is called in wire order on the reader of its session and must not
// block; what it returns does the work in a goroutine of its own.
type Func func(args []any) Run

// Run is the rest of a call. Its context ends when the peer gives the call up or the session ends. An error that is an
// *Error or a Thrown crosses as it is, any other as an Error with its text.
type Run func(ctx context.Context) (any, error)

// Target is an object whose methods the peer may call.
type Target map[string]Func

// Disposable is a function that wants to know when the peer has given it back, or can no longer, or never got it. Dispose
// is called in a goroutine of its own, and may be called again.
type Disposable struct {
	Func    Func
	Dispose func()
}

// Async makes a Func of one that needs no place in the order.
func Async(f func(ctx context.Context, args []any) (any, error)) Func {
	return func(args []any) Run {
		return func(ctx context.Context) (any, error) { return f(ctx, args) }
	}
}

// MaxDepth bounds the nesting of values in both directions: what npm capnweb accepts.
const MaxDepth = 256

// The codes of this layer, in the "code" property of an *Error.
const (
	// CodeUnsupported rejects a call that uses what this peer does not speak.
	CodeUnsupported = "ERR_UNSUPPORTED"
	// CodeLimit ends a session whose peer went over one of its Limits.
	CodeLimit = "ERR_LIMIT"
	// CodeTooLarge rejects a call whose message would be over Limits.Message, or ends the session of a peer that
	// sent one.
	CodeTooLarge = "PAYLOAD_TOO_LARGE"
)

// Limits bounds what a peer can make a session hold. A zero field is its default.
type Limits struct {
	// Message bounds one message in bytes, both ways. Default 32 MiB: npm capnweb ends a session at that many
	// UTF-16 units.
	Message int
	// Table bounds what either side holds of the other: calls not released, functions passed. Default 65,536: a
	// peer that releases nothing is stopped, and a thousand concurrent runs with 60 calls each are not.
	Table int
	// Calls bounds the peer's calls that run at one time. Default 8,192: each is a goroutine and its arguments.
	Calls int
	// Held bounds the bytes of arguments and results that calls hold until they are released, copies included, and 32 for each
	// value that does not stay JSON text. Default 256 MiB: eight messages of the largest size.
	Held int64
	// Queued bounds the bytes that wait to be written. Default 128 MiB: four messages of the largest size; past
	// it, the peer does not read.
	Queued int64
	// PingInterval is the time between pings; a peer that shows no sign of life for two of them is dead. Default 20 s:
	// proxies close a connection that is silent for 30 or 60. Negative: no pings, and no end of a silent peer.
	PingInterval time.Duration
	// WriteTimeout bounds the time in which a peer must take 64 KiB. Default 30 s.
	WriteTimeout time.Duration
	// CloseTimeout bounds the farewell: writing what is queued, the close frame, and the peer's. Default 2 s.
	CloseTimeout time.Duration
}

func (l Limits) resolve() Limits {
	orInt := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	orInt64 := func(v *int64, d int64) {
		if *v == 0 {
			*v = d
		}
	}
	orInt(&l.Message, 32<<20)
	orInt(&l.Table, 65_536)
	orInt(&l.Calls, 8_192)
	orInt64(&l.Held, 256<<20)
	orInt64(&l.Queued, 128<<20)
	orInt64((*int64)(&l.PingInterval), int64(20*time.Second))
	orInt64((*int64)(&l.WriteTimeout), int64(30*time.Second))
	orInt64((*int64)(&l.CloseTimeout), int64(2*time.Second))
	return l
}
