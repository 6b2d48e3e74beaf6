// Package remote makes an executor on another machine look like one here. Only calls and results cross: a program's
// tools stay in the process that asked for the run, beside its credentials.
//
// Two nouns. A [Client] is a protocol.Executor whose programs run behind a WebSocket, and a [Handler] is the other end
// of it: an http.Handler in front of any protocol.Executor. Between them is Cap'n Web, so that a JavaScript host uses a
// Handler with the npm package "capnweb" as well.
//
//	executor, err := remote.Dial(ctx, "wss://executor.example", &remote.DialOptions{Token: token})
//	// … everything that takes a protocol.Executor …
//
//	handler, err := remote.NewHandler(pool, &remote.HandlerOptions{Tokens: tokens})
//	http.Serve(listener, handler)
//
// A [Balancer], from DialBalancer, is a Client of several daemons, given by their URLs or by one name with an address each.
//
// # Lifetime
//
// Dial opens a session, agrees on the protocol's version, and only then returns. A session that breaks fails the calls
// on it with CONNECTION_BROKEN, and the next call opens another one; nothing that was on its way is ever sent again,
// since a tool call is not idempotent. At the other end a session that goes takes its runs along.
//
// # Limits
//
// A message has at most 32 MiB, and a peer that holds too much, does not read or does not answer loses its session:
// see SessionLimits. What is not promised: a run whose context ends has a result without the logs, which stay at the
// other end.
package remote

import "github.com/codemode-go/codemode/remote/internal/capnweb"

// SessionLimits bounds what a peer can make a session hold, either way; see the fields for defaults and reasons.
type SessionLimits = capnweb.Limits

// The methods of a daemon's main object.
const (
	methodVersion      = "protocolVersion"
	methodExecute      = "execute"
	methodInvokeHandle = "invokeHandle"
	methodCloseHandles = "closeHandles"
)
